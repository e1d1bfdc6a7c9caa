//! `/commands`: one table on the server, the same at every door, and nothing of it for the model.

use kit::{Bowline, Profile, Project, RpcError, Server, Stage, model};
use model::Scenario;
use protocol::EventBody;
use protocol::complete::{Complete, CompleteParams};
use protocol::event::CommandOutput;
use protocol::prompt::Block;
use protocol::session::{
    Disposition, Mode, SessionNewParams, SessionPrompt, SessionPromptParams, SessionPromptResult,
};
use protocol::tasks::{TaskOp, Tasks, TasksParams};
use serde_json::json;

/// Runs a command that must succeed; what it said.
async fn said(stage: &mut Stage, command: &str) -> String {
    let accepted = stage.client.prompt(&stage.session, command).await;
    assert_eq!(accepted.disposition, Disposition::Handled, "{command}");
    output(stage, &accepted).await.text
}

async fn output(stage: &mut Stage, accepted: &SessionPromptResult) -> CommandOutput {
    let is_it = |event: &protocol::Event| matches!(event.body, EventBody::CommandOutput(_));
    let event = stage.client.next_event("what the command says", is_it).await;
    let EventBody::CommandOutput(output) = event.body else { unreachable!() };
    assert_eq!(output.message_id, accepted.message_id);
    output
}

async fn refused(stage: &mut Stage, command: &str) -> RpcError {
    let params = SessionPromptParams {
        session_id: stage.session.clone(),
        content: vec![Block::text(command)],
        delivery: None,
        client_message_id: None,
    };
    stage.client.try_request::<SessionPrompt>(params).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_are_advertised_completed_and_never_reach_the_model() {
    let mut stage = Stage::new("//- /a\n", Scenario::new().text("Hello.")).await;
    let session = stage.session.clone();
    let joined = stage.client.attach(&session, None).await;
    let names: Vec<_> = joined.commands.iter().map(|command| command.name.as_str()).collect();
    for name in ["help", "cost", "compact", "model", "mode", "loop", "init", "doctor"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let (text, session_id) = ("/comp".to_owned(), Some(stage.session.clone()));
    let params = CompleteParams { text, offset: 5, session_id };
    let items = stage.client.request::<Complete>(params).await.items;
    assert_eq!(items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["/compact"]);
    assert!(joined.commands.iter().all(|command| command.source.is_some()));
    assert_eq!((items[0].start, items[0].end), (0, 5));

    assert!(said(&mut stage, "/help").await.contains("/compact [what to keep]"));
    assert!(said(&mut stage, "/cost").await.starts_with("cost "));
    assert!(said(&mut stage, "/context").await.contains("tokens in use"));
    assert!(said(&mut stage, "/status").await.contains(&stage.session));
    assert!(said(&mut stage, "/doctor").await.contains("ok       settings"));
    assert!(said(&mut stage, "/config").await.contains("mode          default"));
    assert_eq!(said(&mut stage, "/todos").await, "There are no steps.");
    assert_eq!(said(&mut stage, "/tasks").await, "Nothing runs in the background.");
    let error = refused(&mut stage, "/comapct please").await;
    assert!(error.message.contains("Did you mean /compact?"), "{error:?}");
    assert!(refused(&mut stage, "/compact").await.message.contains("nothing to sum up"));
    assert!(stage.model.requests().is_empty());
    assert!(stage.project.journals().is_empty(), "nothing was said yet");
    // What only looks like a command is a prompt.
    let turned = stage.client.ask(&stage.session, "/usr/bin/env is missing").await;
    assert_eq!(turned.text(), "Hello.");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_change_the_session() {
    let script = Scenario::new().text("one").answer().text("two");
    let mut stage = Stage::new("//- /more/a\n", script).await;
    assert!(said(&mut stage, "/mode plan").await.starts_with("The mode is plan."));
    let is_config = |event: &protocol::Event| matches!(event.body, EventBody::ConfigUpdated(_));
    assert!(stage.client.log.iter().any(is_config));
    assert!(refused(&mut stage, "/mode nonsense").await.message.contains("nonsense"));
    said(&mut stage, "/mode default").await;
    assert!(said(&mut stage, "/model haiku").await.contains("haiku"));
    assert!(said(&mut stage, "/rename The harbour").await.contains("The harbour"));
    stage.client.ask(&stage.session, "remember the tide").await;
    let asked = stage.model.requests();
    assert!(asked[0].body["model"].as_str().unwrap().contains("haiku"));

    let outside = Project::new("//- /b\nbeta\n");
    let folder = outside.root().display().to_string();
    assert!(said(&mut stage, &format!("/add-dir {folder}")).await.contains(&folder));
    assert!(said(&mut stage, "/status").await.contains(&folder));
    assert!(said(&mut stage, "/export talk.md").await.contains("talk.md"));
    assert!(stage.project.read("talk.md").contains("remember the tide"));

    let cleared = said(&mut stage, "/clear").await;
    assert!(cleared.starts_with("The conversation begins anew. Session "), "{cleared}");
    assert!(said(&mut stage, "/resume").await.contains("The harbour"), "the copy is kept");
    stage.client.ask(&stage.session, "what did I say?").await;
    let asked = stage.model.requests();
    let messages = asked.last().unwrap().body["messages"].to_string();
    assert!(!messages.contains("tide"), "{messages}");
    assert!(stage.project.exists("talk.md"), "files stay");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_carried_out_while_a_turn_runs() {
    let mut stage = Stage::new("", Scenario::new().text("Let me think").hang()).await;
    stage.client.prompt(&stage.session, "think hard").await;
    assert!(said(&mut stage, "/cost").await.contains("window"));
    assert!(refused(&mut stage, "/clear").await.message.contains("busy"));
    stage.client.cancel(&stage.session).await;
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_may_stand_for_a_prompt() {
    let script = Scenario::new()
        .when("AGENTS.md")
        .text("Written.")
        .answer()
        .when("look at the tide")
        .text("High water.");
    let mut stage = Stage::in_mode("//- /a\n", script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "/init mind the tests").await;
    assert_eq!(turned.text(), "Written.");
    let content = stage.model.requests()[0].body["messages"][0]["content"].clone();
    assert_eq!(content[0]["text"], "/init mind the tests");

    let turned = stage.client.ask(&stage.session, "/loop 5m look at the tide").await;
    assert_eq!(turned.text(), "High water.");
    let (session_id, op) = (Some(stage.session.clone()), TaskOp::List);
    let params = TasksParams { session_id, op, task_id: None, offset: None };
    let tasks = stage.client.request::<Tasks>(params).await.tasks.unwrap();
    assert_eq!(tasks[0].title, "*/5 * * * *  look at the tide");
    let id = tasks[0].task_id.clone();
    assert!(said(&mut stage, "/tasks").await.contains(&id));
    said(&mut stage, &format!("/tasks stop {id}")).await;
    let ended = |event: &protocol::Event| matches!(event.body, EventBody::TaskEnded(_));
    stage.client.next_event("the end of the loop", ended).await;
    assert!(refused(&mut stage, "/loop 5m").await.message.contains("Say what to do"));
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_work_in_scripts() {
    let project = Project::new("//- /a\n");
    let model = model(Scenario::new().text("Hello.").answer().text("The tide was noted.")).await;
    let run = async |args: &[&str]| Bowline::new(&project).model(&model).args(args).run().await;
    let done = run(&["-p", "/cost"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.starts_with("cost "), "{done:?}");
    let done = run(&["-p", "/mdoel"]).await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(1), ""), "{done:?}");
    assert!(done.stderr.contains("Did you mean /model?"), "{done:?}");
    assert!(model.requests().is_empty());
    run(&["-p", "remember the tide"]).await;
    let done = run(&["-p", "/compact", "--continue", "--output-format", "json"]).await;
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(result["is_error"], false, "{done:?}");
    assert!(result["result"].as_str().unwrap().starts_with("Summed up"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_work_in_editors_without_an_extension() {
    let project = Project::new("//- /a\n");
    let server = Server::start(&project, None);
    let mut client = server.connect(Profile::HELIX).await;
    client.command("bowline.ask", json!(["/mode"])).await;
    loop {
        let shown = client.notification("window/showMessage").await;
        if shown["message"].as_str().unwrap().contains("The mode is default.") {
            break;
        }
    }
}

/// The list; hooks, mcp, agents and plugin are rows of their own rooms.
const EVERYWHERE: [&str; 33] = [
    "help",
    "clear",
    "compact",
    "context",
    "cost",
    "usage",
    "model",
    "mode",
    "permissions",
    "skills",
    "memory",
    "init",
    "resume",
    "rename",
    "fork",
    "rewind",
    "export",
    "review",
    "diff",
    "todos",
    "tasks",
    "status",
    "doctor",
    "config",
    "theme",
    "vim",
    "output-style",
    "add-dir",
    "loop",
    "bug",
    "exit",
    "trust",
    "queue",
];

#[tokio::test(flavor = "multi_thread")]
async fn every_command_is_advertised_when_a_session_opens() {
    let mut stage = Stage::new("", Scenario::new().text("Hello.")).await;
    let is_it = |event: &protocol::Event| matches!(event.body, EventBody::CommandsUpdated(_));
    let event = match stage.client.log.iter().find(|event| is_it(event)).cloned() {
        Some(event) => event,
        None => stage.client.next_event("the commands", is_it).await,
    };
    let EventBody::CommandsUpdated(updated) = event.body else { unreachable!() };
    for name in EVERYWHERE {
        let command = updated.commands.iter().find(|command| command.name == name);
        let command = command.unwrap_or_else(|| panic!("{name} is missing"));
        assert_eq!(command.source.as_deref(), Some("built-in"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_needs_a_screen_says_so_and_the_rest_works_without() {
    let mut stage = Stage::new("", Scenario::new()).await;
    for (command, expect) in [
        ("/exit", "Close this client"),
        ("/theme", "terminal, daltonized, contrast, plain"),
        ("/vim", "say /vim on or /vim off"),
        ("/review", "nothing that waits"),
        ("/diff", "nothing that waits"),
        ("/queue", "Nothing waits."),
        ("/rewind", "Nothing was said yet."),
        ("/resume", "no other sessions"),
        ("/trust", "Nothing was decided"),
        ("/memory", "no memory files"),
        ("/bug the mast broke", "the mast broke"),
        ("/usage", "cost "),
        ("/skills", "skill-creator"),
    ] {
        assert!(said(&mut stage, command).await.contains(expect), "{command}");
    }
    let added = said(&mut stage, "/permissions deny Bash(rm *)").await;
    assert!(added.contains("deny Bash(rm *)"), "{added}");
    assert!(said(&mut stage, "/permissions").await.contains("deny   Bash(rm *)"));
    assert!(said(&mut stage, "/permissions remove Bash(rm *)").await.starts_with("Removed"));
    assert!(refused(&mut stage, "/permissions forbid").await.message.contains("is unknown"));
    assert!(refused(&mut stage, "/rewind 7").await.message.contains("no message 7"));
    assert!(said(&mut stage, "/memory user the tide is high").await.contains("Remembered in"));
    assert!(said(&mut stage, "/fork").await.contains("Nothing of this session is stored"));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_judged_and_taken_back_by_command() {
    let project = Project::new("//- /a\nalpha\n");
    let path = project.path("a").display().to_string();
    let edit = |old: &str, new: &str| json!({ "file_path": path.clone(), "old_string": old, "new_string": new });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path.clone() }))
        .answer()
        .tool("Edit", edit("alpha", "beta"))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    stage.client.ask(&stage.session, "change it").await;
    let diff = said(&mut stage, "/diff").await;
    assert!(diff.contains("--- a") && diff.contains("-alpha") && diff.contains("+beta"), "{diff}");
    assert!(said(&mut stage, "/review").await.contains("a:1  +1 -1"));
    assert!(said(&mut stage, "/review reject").await.contains("1 of 1 changes are rejected"));
    assert_eq!(stage.project.read("a"), "alpha\n");
    assert!(said(&mut stage, "/rewind").await.contains("1  change it"));
    assert!(said(&mut stage, "/fork").await.contains("The copy is session"));
    assert!(said(&mut stage, "/rewind 1").await.starts_with("Back to before: change it"));
    assert!(said(&mut stage, "/rewind").await.contains("Nothing was said yet."));
}

#[tokio::test(flavor = "multi_thread")]
async fn files_of_every_folder_of_the_session_are_proposed() {
    let files = "//- /engine/main.c\nx\n//- /scripts/area.py\nx\n//- /later/area.txt\nx\n";
    let mut stage = Stage::new(files, Scenario::new().text("ok")).await;
    let folder = |name: &str| stage.project.path(name).display().to_string();
    let params = SessionNewParams {
        cwd: folder("engine"),
        roots: Some(vec![folder("scripts")]),
        ..SessionNewParams::default()
    };
    let (area, later) = (folder("scripts/area.py"), folder("later"));
    stage.session = stage.client.session_with(params).await;
    assert_eq!(proposed(&mut stage, "@main").await, ["main.c → @main.c"]);
    let of_scripts = format!("scripts/area.py → @{area}");
    assert_eq!(proposed(&mut stage, "@area").await, [of_scripts.as_str()]);
    // One that is added on the way counts as well.
    said(&mut stage, &format!("/add-dir {later}")).await;
    let of_later = format!("later/area.txt → @{later}/area.txt");
    assert_eq!(proposed(&mut stage, "@area").await, [of_scripts, of_later]);
}

/// What is shown for a text, and what would be written in its place.
async fn proposed(stage: &mut Stage, text: &str) -> Vec<String> {
    let (text, session_id) = (text.to_owned(), Some(stage.session.clone()));
    let params = CompleteParams { offset: text.len() as u32, text, session_id };
    let items = stage.client.request::<Complete>(params).await.items;
    items.iter().map(|item| format!("{} → {}", item.label, item.insert_text)).collect()
}
