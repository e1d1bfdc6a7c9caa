//! What reaches agents at work: the user's words, a change of mode, an end; and what of them is left
//! for whoever looks later.

use kit::{Client, Project, Server, Stage, files};
use model::Scenario;
use protocol::event::EventBody;
use protocol::session::{
    CancelState, ConfigChange, ExportFormat, Mode, SessionCancel, SessionCancelParams,
    SessionConfig, SessionConfigParams, SessionExport, SessionExportParams,
};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

use crate::agent_files::end_of_inner;
use crate::agents::agent;

async fn said(client: &mut Client, session: &str, text: &str) -> String {
    client.prompt(session, text).await;
    let is_it = |event: &protocol::Event| match &event.body {
        EventBody::CommandOutput(output) => output.command == text,
        _ => false,
    };
    match client.next_event("what a command says", is_it).await.body {
        EventBody::CommandOutput(output) => output.text,
        other => panic!("{other:?}"),
    }
}

fn named(name: &str, prompt: &str, background: bool) -> Value {
    let mut call = agent("general-purpose", prompt, background);
    call["name"] = json!(name);
    call
}

/// Waits until a file is there.
const WAITS: &str = "while [ ! -e go ]; do sleep 0.02; done";

async fn mode(stage: &mut Stage, mode: Mode) {
    let set = Some(ConfigChange { mode: Some(mode), ..ConfigChange::default() });
    let params = SessionConfigParams { session_id: stage.session.clone(), set };
    stage.client.request::<SessionConfig>(params).await;
}

/// The command that an agent waits for runs: whatever is decided from here on is decided later.
fn runs(event: &protocol::Event) -> bool {
    match &event.body {
        EventBody::ToolUpdated(update) => {
            update.tool_call_id.contains(':') && update.status == ToolStatus::Running
        }
        _ => false,
    }
}

fn ended(event: &protocol::Event) -> bool {
    matches!(event.body, EventBody::TaskEnded(_))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_mode_reaches_those_at_work() {
    let write = json!({ "file_path": "{{cwd}}/log", "content": "cast off\n" });
    // The agent is told of the new mode behind what its command printed.
    let script = |mode: &str| {
        Scenario::new()
            .tool("Agent", agent("general-purpose", "write the log", true))
            .answer()
            .when("works in the background")
            .text("Under way.")
            .answer()
            .when("write the log")
            .tool("Bash", json!({ "command": WAITS }))
            .answer()
            .when(&format!("The permission mode is {mode}."))
            .tool("Write", write.clone())
            .answer()
            .when("It says")
            .text("Heard.")
            .answer()
            .forever()
            .text("Written.")
    };
    let mut stage = Stage::set(Project::new(""), script("plan"), Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    stage.client.next_event("the agent at work", runs).await;
    // To less: the agent that began where nothing is asked may not write any more.
    mode(&mut stage, Mode::Plan).await;
    stage.project.write("go", "");
    stage.client.next_event("the end of the agent", ended).await;
    assert!(!stage.project.exists("log"));
    let ends: Vec<ToolStatus> = stage.client.log.iter().filter_map(end_of_inner).collect();
    assert_eq!(ends, [ToolStatus::Completed, ToolStatus::Denied]);
    let mut stage =
        Stage::set(Project::new(""), script("acceptEdits"), Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    stage.client.next_event("the agent at work", runs).await;
    mode(&mut stage, Mode::Default).await;
    mode(&mut stage, Mode::AcceptEdits).await;
    stage.project.write("go", "");
    stage.client.next_event("the end of the agent", ended).await;
    assert_eq!(stage.project.read("log"), "cast off\n");
}

/// One that is waited for is no task, and can be stopped all the same: its turn goes on.
#[tokio::test(flavor = "multi_thread")]
async fn one_agent_or_all_can_be_stopped_wherever_they_are() {
    let script = Scenario::new()
        .tool("Agent", named("bow", "look out", false))
        .answer()
        .when("look out")
        .tool("Agent", named("deep", "look deeper", false))
        .answer()
        .when("look deeper")
        .text("I begin")
        .hang()
        .answer()
        .when("The agent was stopped.")
        .text("Somebody stopped it.")
        .answer()
        .when("Somebody stopped it.")
        .text("done")
        .answer()
        .when("once more")
        .tool("Agent", named("stern", "look back", true))
        .tool("Agent", named("keel", "look down", true))
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("look back")
        .hang()
        .answer()
        .when("look down")
        .hang()
        .answer()
        .forever()
        .text("Noted.");
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let second = |event: &protocol::Event| match &event.body {
        EventBody::AgentStarted(started) => started.name.as_deref() == Some("deep"),
        _ => false,
    };
    stage.client.next_event("the agent of the agent", second).await;
    let listed = said(&mut stage.client, &stage.session, "/agents").await;
    assert!(listed.contains("2 at work; 20 may be at once"), "{listed}");
    assert!(listed.contains("3 deep at most"), "{listed}");
    let stopped = said(&mut stage.client, &stage.session, "/agents stop deep").await;
    assert!(stopped.starts_with("Being stopped: "), "{stopped}");
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    // In the background: one by a request, the rest by a command.
    stage.client.ask(&stage.session, "once more").await;
    let task = stage.client.log.iter().rev().find_map(|event| match &event.body {
        EventBody::AgentStarted(started) => Some(started.agent_id.clone()),
        _ => None,
    });
    let params = SessionCancelParams {
        session_id: stage.session.clone(),
        turn_id: None,
        tool_call_id: None,
        task_id: task,
    };
    let cancelled = stage.client.request::<SessionCancel>(params).await;
    assert_eq!(cancelled.state, CancelState::Cancelled);
    said(&mut stage.client, &stage.session, "/agents stop all").await;
    while stage.client.log.iter().filter(|event| ended(event)).count() < 2 {
        stage.client.wait_for_anything("the ends of both").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_speaks_to_an_agent_and_looks_at_it() {
    let script = Scenario::new()
        .tool("Agent", named("parrot", "learn the word", true))
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("learn the word")
        .tool("Bash", json!({ "command": WAITS }))
        .answer()
        .when("the word is ahoy")
        .text("I know it.")
        .answer()
        .when("say it")
        .text("Ahoy.")
        .answer()
        .forever()
        .text("Noted.");
    let mut stage = Stage::set(Project::new(""), script, Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    stage.client.next_event("the agent at work", runs).await;
    let told =
        said(&mut stage.client, &stage.session, "/agents tell parrot the word is ahoy").await;
    assert!(told.contains("reads it with its next step"), "{told}");
    stage.project.write("go", "");
    stage.client.next_event("the end of the agent", ended).await;
    let told = said(&mut stage.client, &stage.session, "/agents tell @parrot say it").await;
    assert!(told.contains("had ended and goes on"), "{told}");
    stage.client.next_event("its second end", ended).await;
    let shown = said(&mut stage.client, &stage.session, "/agents show parrot").await;
    assert!(shown.contains("the word is ahoy") && shown.contains("Ahoy."), "{shown}");
    assert!(!shown.contains("A message from the agent"), "they are the user's words: {shown}");
    let shown = said(&mut stage.client, &stage.session, "/agents show Explore").await;
    assert!(shown.contains("built in") && shown.contains("You search a code base"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_agents_did_is_part_of_what_a_session_exports() {
    let script = Scenario::new()
        .tool("Agent", agent("Explore", "count the masts", false))
        .answer()
        .when("count the masts")
        .text("Three of them.")
        .answer()
        .when("Three of them.")
        .tool("Agent", agent("fork", "paint them", false))
        .answer()
        .when("paint them")
        .text("Painted.")
        .answer()
        .when("Painted.")
        .text("done");
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "how many masts?").await;
    let params = |format: ExportFormat| SessionExportParams {
        session_id: stage.session.clone(),
        agent_id: None,
        format,
        path: None,
        tail: None,
    };
    let (markdown, lines) = (params(ExportFormat::Markdown), params(ExportFormat::Jsonl));
    let text = stage.client.request::<SessionExport>(markdown).await.content.unwrap();
    assert!(text.contains(": Explore, Some work") && text.contains(": fork, Some work"), "{text}");
    // In the title, and where it was said; the past of a fork is not told once more.
    assert_eq!(text.matches("how many masts?").count(), 2, "{text}");
    assert!(text.find("Three of them.") < text.find("### Assistant"), "{text}");
    let lines = stage.client.request::<SessionExport>(lines).await.content.unwrap();
    let records: Vec<Value> = lines.lines().map(|it| serde_json::from_str(it).unwrap()).collect();
    let whose = |record: &&Value| record["agentId"].is_string();
    assert!(records.iter().filter(whose).count() >= 4, "{lines}");
    assert!(records[0].get("agentId").is_none(), "the session comes first");
}

const CREW: usize = 6;

/// Agents share the session's texts: each change is made on what is there by then.
#[tokio::test(flavor = "multi_thread")]
async fn a_crew_changes_one_open_file_and_nothing_is_lost() {
    let text = |word: &str| (0..CREW).map(|n| format!("line {n} {word}\n\n")).collect::<String>();
    let project = Project::new(&format!("//- /log.txt\n{}", text("old")));
    let mut script = Scenario::new();
    for number in 0..CREW {
        script = script.tool("Agent", agent("general-purpose", &format!("hand {number}."), true));
    }
    script = script.answer().when("works in the background").text("Under way.");
    let path = "{{cwd}}/log.txt";
    for number in 0..CREW {
        let (old, new) = (format!("line {number} old"), format!("line {number} new"));
        let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
        script = script
            .answer()
            .when(&format!("hand {number}."))
            .tool("Read", json!({ "file_path": path }))
            .tool("Edit", edit);
    }
    script = script.answer().when("It says").forever().text("Noted.");
    script = script.answer().forever().text("Done.");
    let model = kit::model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    let uri = project.uri("log.txt");
    client.open(&uri, &text("old"));
    let session = client.session_with(kit::session_in(Mode::AcceptEdits)).await;
    client.prompt(&session, "go").await;
    while client.log.iter().filter(|event| ended(event)).count() < CREW {
        client.wait_for_anything("the ends of all").await;
    }
    assert_eq!(client.editor.text(&uri), text("new"));
    assert_eq!(project.read("log.txt"), text("old"), "what is open is the editor's to save");
}

/// Research by two at once, a change by one of them that goes on, a check by a third: the one that
/// leads does none of it.
#[tokio::test(flavor = "multi_thread")]
async fn a_coordinator_has_all_of_the_work_done_by_others() {
    let project = Project::new("//- /hull.txt\na leak\n");
    let script = Scenario::new()
        .when("mend the boat")
        .tool("Agent", named("diver", "look at the hull", true))
        .tool("Agent", named("rigger", "look at the mast", true))
        .answer()
        .when("works in the background")
        .text("Two look.")
        .answer()
        .when("look at the hull")
        .tool("Read", json!({ "file_path": "{{cwd}}/hull.txt" }))
        .answer()
        .when("a leak")
        .text("The hull leaks.")
        .answer()
        .when("look at the mast")
        .text("The mast is sound.")
        .answer()
        .when("The hull leaks.")
        .tool("SendMessage", json!({ "to": "diver", "message": "Mend the leak in hull.txt." }))
        .answer()
        .when("goes on with it")
        .text("Being mended.")
        .answer()
        .when("Mend the leak in hull.txt.")
        .tool("Read", json!({ "file_path": "{{cwd}}/hull.txt" }))
        .tool(
            "Edit",
            json!({ "file_path": "{{cwd}}/hull.txt", "old_string": "a leak", "new_string": "tight" }),
        )
        .answer()
        .when("Changed")
        .text("Mended.")
        .answer()
        .when("Mended.")
        .tool("Agent", named("checker", "is it tight?", false))
        .answer()
        .when("is it tight?")
        .text("VERDICT: PASS")
        .answer()
        .when("VERDICT: PASS")
        .text("The boat is mended.")
        .answer()
        .forever()
        .text("Noted.");
    let model = kit::model(script).await;
    let env = kit::model_with(&model).into_iter();
    let env = env.chain([("CLAUDE_CODE_COORDINATOR_MODE", "1".to_owned())]);
    let server = Server::start_with(&project, env, host::session::Limits::default());
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    let session = client.session_with(kit::session_in(Mode::AcceptEdits)).await;
    client.prompt(&session, "mend the boat").await;
    while !client.log.iter().any(|event| format!("{event:?}").contains("The boat is mended.")) {
        client.wait_for_anything("the end of the work").await;
    }
    assert_eq!(project.read("hull.txt"), "tight\n");
    let lead = model.requests()[0].body.clone();
    let tools = lead["tools"].as_array().unwrap();
    let has = |name: &str| tools.iter().any(|tool| tool["name"] == name);
    assert!(has("Agent") && has("SendMessage") && !has("Edit") && !has("Bash") && !has("Read"));
    let journals = crate::agents::sidechains(&project);
    assert_eq!(journals.len(), 3, "the diver went on: {journals:?}");
    assert!(journals.iter().all(|journal| !files::read(journal).is_empty()));
}

/// Whatever ends an agent, a worktree with nothing in it goes with it.
#[tokio::test(flavor = "multi_thread")]
async fn worktrees_of_agents_that_fail_or_are_stopped_go_again() {
    let project = Project::new("//- /a.txt\nfirst\n");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
    project.trust();
    let isolated = |name: &str, prompt: &str| {
        let mut call = named(name, prompt, false);
        call["isolation"] = json!("worktree");
        call
    };
    let script = Scenario::new()
        .tool("Agent", isolated("bow", "fail"))
        .answer()
        .when("fail")
        .error(400, "invalid_request_error", "sunk")
        .answer()
        .when("sunk")
        .tool("Agent", isolated("stern", "hang on"))
        .answer()
        .when("hang on")
        .hang()
        .answer()
        .when("The agent was stopped.")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let second = |event: &protocol::Event| match &event.body {
        EventBody::AgentStarted(started) => started.name.as_deref() == Some("stern"),
        _ => false,
    };
    stage.client.next_event("the second agent", second).await;
    said(&mut stage.client, &stage.session, "/agents stop all").await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    assert_eq!(stage.project.git(&["worktree", "list"]).lines().count(), 1);
    assert_eq!(stage.project.git(&["branch", "--list", "worktree-*"]), "");
}
