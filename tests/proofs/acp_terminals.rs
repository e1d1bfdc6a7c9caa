//! Commands in a terminal of an ACP client: only for users who want that, asked about as running outside every
//! wall, shown in the call, and ended by a cancel.

use kit::{AcpClient, Decision, Project, Server, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

struct Stage {
    client: AcpClient,
    session: String,
    project: Project,
    model: TestServer,
    _server: Server,
}

fn bash(command: &str) -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": command })).answer().text("Done.")
}

/// A client with terminals, and a user who wants to see commands there.
async fn with_terminals(settings: &Value, script: Scenario) -> Stage {
    let project = Project::new("");
    project.user_settings(settings);
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect_acp();
    client.initialize_with(json!({ "terminal": true })).await;
    let session = client.session(project.root()).await;
    Stage { client, session, project, model, _server: server }
}

fn methods(client: &AcpClient) -> Vec<String> {
    let named = client.log.iter().filter_map(|message| message["method"].as_str());
    named.filter(|method| method.starts_with("terminal/")).map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_run_in_the_clients_terminal_where_the_user_wants_that() {
    let command = "touch made; echo seen there; exit 3";
    let mut stage = with_terminals(&json!({ "commandsInTerminal": true }), bash(command)).await;
    stage.client.decision = Decision::Choose("allow_once");
    assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
    assert!(stage.project.exists("made"));
    let asked = stage.client.place(|message| message["method"] == "session/request_permission");
    let created = stage.client.place(|message| message["method"] == "terminal/create");
    assert!(asked < created, "nothing runs there before somebody agreed");
    let create = &stage.client.log[created]["params"];
    assert_eq!(create["args"], json!(["-c", command]));
    let told = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(told.contains("seen there"), "{told}");
    // It is shown in the call while it runs, and when it is over.
    let shown = stage.client.updates("tool_call_update");
    let in_terminal = |update: &Value| update["content"][0]["type"] == "terminal";
    assert!(shown.iter().any(|update| in_terminal(update) && update.get("status").is_none()));
    let ended = shown.iter().rev().find(|update| update["status"] == "failed").unwrap();
    assert!(in_terminal(ended), "{ended}");
    if !methods(&stage.client).contains(&"terminal/release".to_owned()) {
        stage.client.until_method("terminal/release").await;
    }
    let expect =
        ["terminal/create", "terminal/wait_for_exit", "terminal/output", "terminal/release"];
    assert_eq!(methods(&stage.client), expect);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_ends_what_runs_in_a_terminal() {
    let wants = json!({ "commandsInTerminal": true });
    let mut stage = with_terminals(&wants, bash("sleep 600")).await;
    stage.client.decision = Decision::Choose("allow_once");
    stage.client.terminals_hang = true;
    let prompt = stage.client.begin_prompt(&stage.session, "go");
    stage.client.until_method("terminal/wait_for_exit").await;
    stage.client.notify("session/cancel", json!({ "sessionId": stage.session }));
    assert_eq!(stage.client.end(prompt).await["result"]["stopReason"], "cancelled");
    while !methods(&stage.client).contains(&"terminal/release".to_owned()) {
        stage.client.until_method("terminal/release").await;
    }
    assert!(methods(&stage.client).contains(&"terminal/kill".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn terminals_are_left_alone_unless_the_user_says_so() {
    for settings in [
        json!({}),
        // Whoever wants no command outside the sandbox does not want them in a terminal.
        json!({ "commandsInTerminal": true, "sandbox": { "allowUnsandboxedCommands": false } }),
    ] {
        let mut stage = with_terminals(&settings, bash("touch made")).await;
        if settings == json!({}) {
            stage.project.write(".bowline/settings.json", r#"{"commandsInTerminal": true}"#);
            stage.project.trust();
        }
        stage.client.decision = Decision::Choose("allow_once");
        assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
        assert_eq!(methods(&stage.client), [""; 0], "{settings}");
    }
}
