//! Agents that users write, lead with, isolate, write to and wake again; and how many there may be.

use host::session::Limits;
use kit::{Bowline, Client, Profile, Project, Server, Stage, model};
use model::Scenario;
use protocol::event::EventBody;
use protocol::session::{Mode, SessionNewParams};
use serde_json::{Value, json};

use crate::agents::{agent, request_with, sidechains};

/// What a command says.
async fn command(client: &mut Client, session: &str, text: &str) -> String {
    client.prompt(session, text).await;
    let is_output = |event: &protocol::Event| matches!(event.body, EventBody::CommandOutput(_));
    match client.next_event("what a command says", is_output).await.body {
        EventBody::CommandOutput(output) => output.text,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_of_the_project_counts_once_it_is_trusted() {
    let file = "//- /.claude/agents/pilot.md\n---\nname: pilot\ndescription: Steers.\n\
                tools: Read, Grep\nmodel: haiku\nmaxTurns: x\n---\nYou steer.\n";
    let script = Scenario::new()
        .tool("Agent", agent("pilot", "steer", false))
        .answer()
        .when("There is no agent")
        .text("no pilot")
        .answer()
        .when("go again")
        .tool("Agent", agent("pilot", "steer", false))
        .answer()
        .when("steer")
        .text("Steered.")
        .answer()
        .when("Steered.")
        .text("done");
    let mut stage = Stage::new(file, script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "no pilot");
    let root = stage.project.root().display().to_string();
    stage.client.trust(&root).await;
    let turned = stage.client.ask(&stage.session, "go again").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    let request = request_with(&stage, "steer");
    assert!(request["system"].to_string().contains("You steer."));
    assert!(request["model"].as_str().unwrap().contains("haiku"));
    assert_eq!(request["tools"].as_array().unwrap().len(), 3, "and SendMessage: {request}");
    // The list says where each comes from, and what is wrong.
    let listed = command(&mut stage.client, &stage.session, "/agents").await;
    assert!(listed.contains("pilot") && listed.contains("project (haiku"), "{listed}");
    assert!(listed.contains("pilot.md:6: `maxTurns`"), "{listed}");
    assert!(listed.contains("completed  pilot: Some work"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_in_a_worktree_leaves_the_users_files_alone() {
    let project = Project::new("//- /a.txt\nfirst\n");
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
    project.trust();
    let isolated = |prompt: &str| {
        let mut call = agent("general-purpose", prompt, false);
        call["isolation"] = json!("worktree");
        call
    };
    let script = Scenario::new()
        .tool("Agent", isolated("only look"))
        .answer()
        .when("only look")
        .text("Looked.")
        .answer()
        .when("gone again")
        .tool("Agent", isolated("make a file"))
        .answer()
        .when("make a file")
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "made\n" }))
        .answer()
        .when("new.txt")
        .text("Made.")
        .answer()
        .when("holds what was done")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    assert!(!stage.project.exists("new.txt"));
    let trees = stage.project.git(&["worktree", "list"]);
    let tree = trees.lines().find(|line| line.contains("worktrees/agent-a")).unwrap_or_default();
    let tree = tree.split_whitespace().next().unwrap();
    let made = kit::files::read(&std::path::Path::new(tree).join("new.txt"));
    assert_eq!((made.as_str(), trees.lines().count()), ("made\n", 2), "{trees}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_makes_an_agent_go_on_with_all_it_knows() {
    let project = Project::new("");
    let mut named = agent("general-purpose", "learn the word", true);
    named["name"] = json!("parrot");
    let script = Scenario::new()
        .tool("Agent", named)
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("learn the word")
        .text("The word is ahoy.")
        .answer()
        .when("It says:\nThe word is ahoy.")
        .text("It knows.")
        .answer()
        .when("ask the parrot")
        .tool("SendMessage", json!({ "to": "parrot", "message": "What was the word?" }))
        .answer()
        .when("goes on with it")
        .text("Asked.")
        .answer()
        .when("What was the word?")
        .text("It was ahoy.")
        .answer()
        .when("It says:\nIt was ahoy.")
        .text("Ahoy it is.");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.prompt(&session, "go").await;
    while !client.log.iter().any(|event| format!("{event:?}").contains("It knows.")) {
        client.wait_for_anything("the report").await;
    }
    client.turn_ended(&session).await;
    assert_eq!(sidechains(&project).len(), 1);
    // After a restart it is still there.
    client.close_session(&session).await;
    drop(client);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    let listed = command(&mut client, &session, "/agents").await;
    assert!(listed.contains("ended      general-purpose \"parrot\": Some work"), "{listed}");
    client.prompt(&session, "ask the parrot").await;
    while !client.log.iter().any(|event| format!("{event:?}").contains("Ahoy it is.")) {
        client.wait_for_anything("the answer").await;
    }
    client.turn_ended(&session).await;
    assert_eq!(sidechains(&project).len(), 1, "it is the same agent");
    let requests = model.requests();
    let asked = requests.iter().map(|request| request.body["messages"].to_string());
    let mut asked = asked.filter(|body| body.contains("A message from the agent main"));
    assert!(asked.next_back().unwrap().contains("The word is ahoy."), "it knows what it said");
}

#[tokio::test(flavor = "multi_thread")]
async fn teammates_write_to_each_other_while_they_work() {
    let member = |name: &str, prompt: &str| {
        let mut call = agent("general-purpose", prompt, true);
        call["name"] = json!(name);
        call
    };
    let script = Scenario::new()
        .tool("Agent", member("bow", "look out"))
        .tool("Agent", member("stern", "report to bow"))
        .answer()
        .when("works in the background")
        .text("Under way.")
        // The first waits for a command until the file is there, and reads its mail then.
        .answer()
        .when("look out")
        .tool("Bash", json!({ "command": "while [ ! -e go ]; do sleep 0.02; done" }))
        .answer()
        .when("land ahead")
        .tool("SendMessage", json!({ "to": "main", "message": "bow has seen it" }))
        .answer()
        .when("report to bow")
        .tool("SendMessage", json!({ "to": "bow", "message": "land ahead" }))
        .answer()
        .when("reads it with its next step")
        .tool("Bash", json!({ "command": "touch go" }))
        .answer()
        .when("The agent that leads")
        .text("Bow done.")
        .answer()
        .when("bow has seen it")
        .forever()
        .text("Heard.")
        .answer()
        .when("It says")
        .forever()
        .text("Noted.")
        .answer()
        .forever()
        .text("Stern done.");
    let mut stage = Stage::set(Project::new(""), script, Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    let ended = |event: &&protocol::Event| matches!(event.body, EventBody::TaskEnded(_));
    while stage.client.log.iter().filter(ended).count() < 2 {
        stage.client.wait_for_anything("the ends of both").await;
    }
    let heard = |stage: &Stage| {
        let asked = stage.model.requests().iter().map(|it| it.body.to_string()).collect::<String>();
        asked.contains("A message from the agent stern:\\nland ahead")
            && asked.contains("A message from the agent bow:\\nbow has seen it")
    };
    while !heard(&stage) {
        stage.client.wait_for_anything("what the model is told").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn there_are_limits_to_how_many_and_how_deep() {
    let project = Project::new("");
    let script = Scenario::new()
        .tool("Agent", agent("general-purpose", "first", true))
        .tool("Agent", agent("general-purpose", "second", true))
        .answer()
        .when("agents are at work already")
        .text("Only one.")
        .answer()
        .when("first")
        .hang()
        .answer()
        .when("was stopped")
        .text("Stopped.")
        .answer()
        .when("go deep")
        .tool("Agent", agent("general-purpose", "deeper", false))
        .answer()
        .when("deeper")
        .tool("Agent", agent("Explore", "deepest", false))
        .answer()
        .when("There is no tool \"Agent\"")
        .text("As deep as it goes.")
        .answer()
        .when("As deep as it goes.")
        .text("done");
    let model = model(script).await;
    let server = |most: &str| {
        let limits = [
            ("CLAUDE_CODE_MAX_CONCURRENT_SUBAGENTS", most.to_owned()),
            ("CLAUDE_CODE_MAX_SUBAGENT_SPAWN_DEPTH", "1".to_owned()),
        ];
        let env = kit::model_with(&model).into_iter().chain(limits);
        Server::start_with(&project, env, Limits::default())
    };
    let first = server("1");
    let mut client = first.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "go").await;
    assert_eq!(turned.text(), "Only one.", "{turned:?}");
    command(&mut client, &session, "/agents stop all").await;
    let ended = |event: &protocol::Event| matches!(event.body, EventBody::TaskEnded(_));
    client.next_event("the end of the first", ended).await;
    client.turn_ended(&session).await;
    let second = server("5");
    let mut client = second.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "go deep").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_forbids_an_agent_by_name() {
    let project = Project::new("");
    project.user_settings(&json!({ "permissions": { "deny": ["Task(Explore)"] } }));
    let script =
        Scenario::new().tool("Agent", agent("Explore", "look", false)).answer().text("not allowed");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, protocol::tool::ToolStatus::Denied, "{turned:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_screen_agents_in_the_background_are_waited_for() {
    let project = Project::new("");
    let given = json!({ "mate": { "description": "Helps.", "prompt": "You are the mate." } });
    let script = Scenario::new()
        .tool("Agent", agent("mate", "swab", true))
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("swab")
        .text("Swabbed.")
        .answer()
        .when("It says")
        .text("The deck is clean.");
    let model = model(script).await;
    let args = ["-p", "go", "--agents", &given.to_string()];
    let done = Bowline::new(&project).model(&model).args(&args).run().await;
    assert_eq!((done.code, done.stdout.trim()), (Some(0), "The deck is clean."), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_leads_a_session() {
    let project = Project::new("");
    let file = project.bowline_home().join("agents/mate.md");
    kit::files::write(
        &file,
        "---\nname: mate\ndescription: d\ntools: Read\n---\nYou are the mate.\n",
    );
    let model = model(Scenario::new().forever().text("Aye.")).await;
    let bowline = |args: &[&str]| Bowline::new(&project).model(&model).args(args);
    let done = bowline(&["-p", "go", "--agent", "mate"]).run().await;
    assert_eq!(done.stdout, "Aye.\n", "{done:?}");
    let body = model.requests().last().unwrap().body.clone();
    assert!(body["system"][0]["text"].as_str().unwrap().starts_with("You are the mate."));
    assert_eq!(body["tools"].as_array().unwrap().len(), 1);
    let done = bowline(&["-p", "go", "--agent", "coordinator"]).run().await;
    assert_eq!(done.stdout, "Aye.\n", "{done:?}");
    let body = model.requests().last().unwrap().body.clone();
    let tools: Vec<Value> = body["tools"].as_array().unwrap().clone();
    assert!(tools.iter().any(|tool| tool["name"] == "Agent"));
    assert!(tools.iter().all(|tool| tool["name"] != "Bash"));
    // The same through the editor's door.
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let params = SessionNewParams { agent: Some("mate".to_owned()), ..SessionNewParams::default() };
    let session = client.session_with(params).await;
    client.ask(&session, "go").await;
    let body = model.requests().last().unwrap().body.clone();
    assert!(body["system"][0]["text"].as_str().unwrap().starts_with("You are the mate."));
}
