//! `bowline acp`: the Agent Client Protocol, its order, its questions and the client's own texts.

use kit::{AcpClient, Decision, Project, Server, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

struct Stage {
    client: AcpClient,
    session: String,
    project: Project,
    model: TestServer,
    server: Server,
}

async fn stage(files: &str, script: Scenario) -> Stage {
    let project = Project::new(files);
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect_acp();
    client.initialize().await;
    let session = client.session(project.root()).await;
    Stage { client, session, project, model, server }
}

fn bash(command: &str) -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": command })).answer().text("Done.")
}

fn read_then_edit(old: &str, new: &str) -> Scenario {
    Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool("Edit", json!({ "file_path": "{{cwd}}/a.txt", "old_string": old, "new_string": new }))
        .answer()
        .text("Done.")
}

/// What the model was told with its last request.
fn last_told(model: &TestServer) -> String {
    let requests = model.requests();
    let messages = requests.last().unwrap().body["messages"].as_array().unwrap().clone();
    messages.last().unwrap().to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn from_hello_to_the_last_word() {
    let project = Project::new("");
    let model = model(Scenario::new().thinking("Hm.", "sig").text("Hello there.")).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect_acp();
    let early = client.begin("session/new", json!({ "cwd": project.root(), "mcpServers": [] }));
    assert_eq!(client.end(early).await["error"]["code"], -32600, "initialize comes first");
    let about = client.initialize().await;
    assert_eq!(about["protocolVersion"], 1);
    assert_eq!(about["agentInfo"]["name"], "bowline");
    assert_eq!(about["agentCapabilities"]["loadSession"], true);
    let made =
        client.request("session/new", json!({ "cwd": project.root(), "mcpServers": [] })).await;
    let session = made["sessionId"].as_str().unwrap().to_owned();
    assert_eq!(made["modes"]["currentModeId"], "default");
    let options: Vec<_> = made["configOptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| &option["category"])
        .collect();
    assert_eq!(options, ["mode", "model", "thought_level"]);
    assert_eq!(client.prompt(&session, "hi").await, "end_turn");
    assert_eq!(client.said(), "Hello there.");
    assert_eq!(client.updates("agent_thought_chunk")[0]["content"]["text"], "Hm.");
    // The answer to session/new comes before the first word about the session.
    let answered = client.place(|message| message["result"]["sessionId"] == *session);
    assert!(client.place(|message| message["method"] == "session/update") > answered);
    assert!(!client.updates("available_commands_update").is_empty());
    assert!(client.updates("usage_update").last().unwrap()["size"].as_u64().unwrap() > 0);
    // All that belongs to the turn comes before its answer.
    let ended = client.place(|message| message["result"]["stopReason"] == "end_turn");
    let last = client
        .log
        .iter()
        .rposition(|message| message["params"]["update"]["sessionUpdate"] == "agent_message_chunk");
    assert!(last.unwrap() < ended);
    // Commands are prompts, and answered like those.
    assert_eq!(client.prompt(&session, "/cost").await, "end_turn");
    // What is not known is said so, and malformed lines cost nothing but themselves.
    let unknown = client.begin("session/dance", json!({}));
    assert_eq!(client.end(unknown).await["error"]["code"], -32601);
    client.send_line("{nonsense");
    let complaint = client.until("a complaint", |message| message["id"].is_null()).await;
    assert_eq!(complaint["error"]["code"], -32700);
    let status = client.request("_agent/status", json!({})).await;
    assert_eq!(status["version"], "test", "our own requests are there, too");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_text_is_the_truth() {
    let mut stage =
        stage("//- /a.txt\nas it was stored\n", read_then_edit("unsaved", "changed")).await;
    let path = stage.project.path("a.txt");
    stage.client.buffers.insert(path.clone(), "still unsaved\n".to_owned());
    stage.client.decision = Decision::Choose("allow_once");
    assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
    let told = &stage.model.requests()[1].body["messages"].to_string();
    assert!(told.contains("still unsaved") && !told.contains("as it was stored"), "{told}");
    assert_eq!(stage.client.buffers[&path], "still changed\n");
    assert_eq!(stage.project.read("a.txt"), "still changed\n");
    // The question shows the change, behind the call that it is about.
    let asked = stage.client.place(|message| message["method"] == "session/request_permission");
    let call = &stage.client.log[asked]["params"]["toolCall"];
    let diff = &call["content"][0];
    assert_eq!(diff["type"], "diff");
    assert_eq!(diff["oldText"], "still unsaved\n");
    assert_eq!(diff["newText"], "still changed\n");
    let begun = stage.client.place(|message| {
        message["params"]["update"]["sessionUpdate"] == "tool_call"
            && message["params"]["update"]["toolCallId"] == call["toolCallId"]
    });
    assert!(begun < asked);
    let ended = stage.client.updates("tool_call_update");
    let ended = ended.iter().rev().find(|update| update["toolCallId"] == call["toolCallId"]);
    assert_eq!(ended.unwrap()["status"], "completed");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_typed_meanwhile_stays() {
    let text = "one\ntwo\nthree\nfour\nfive\n";
    let mut stage = stage("//- /a.txt\nx\n", read_then_edit("five", "FIVE")).await;
    let path = stage.project.path("a.txt");
    stage.client.buffers.insert(path.clone(), text.to_owned());
    let prompt = stage.client.begin_prompt(&stage.session, "go");
    let question = stage.client.until_method("session/request_permission").await;
    stage.client.buffers.insert(path.clone(), format!("zero\n{text}"));
    stage.client.choose(&question, "allow_once");
    assert_eq!(stage.client.end(prompt).await["result"]["stopReason"], "end_turn");
    assert_eq!(stage.client.buffers[&path], "zero\none\ntwo\nthree\nfour\nFIVE\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_formats_is_seen_through() {
    let mut stage = stage("//- /a.txt\nalpha\n", read_then_edit("alpha", "beta")).await;
    stage.client.formats = |text| text.to_uppercase();
    stage.client.decision = Decision::Choose("allow_once");
    assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
    assert_eq!(stage.project.read("a.txt"), "BETA\n");
    let told = last_told(&stage.model);
    assert!(told.contains("BETA"), "the model is told what is really there: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_and_searches_go_by_the_client() {
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "needle\n" }))
        .answer()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool("Grep", json!({ "pattern": "needle", "path": "{{cwd}}" }))
        .answer()
        .text("Done.");
    let mut stage = stage("//- /a.txt\nhay\n", script).await;
    stage.client.saves = false;
    stage.client.decision = Decision::Choose("allow_once");
    stage.client.buffers.insert(stage.project.path("a.txt"), "a needle\n".to_owned());
    assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
    assert_eq!(stage.client.buffers[&stage.project.path("new.txt")], "needle\n");
    assert!(!stage.project.exists("new.txt"), "the client keeps it unsaved, and so do we");
    let found = last_told(&stage.model);
    assert!(found.contains("a.txt"), "{found}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_means_no() {
    for decision in [Decision::Choose("reject_once"), Decision::Dismiss] {
        let mut stage = stage("", bash("touch made")).await;
        stage.client.decision = decision;
        assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
        assert!(!stage.project.exists("made"));
        let ended = stage.client.updates("tool_call_update");
        assert_eq!(ended.last().unwrap()["status"], "failed");
    }
    let mut stage = stage("", bash("touch made; echo shown")).await;
    stage.client.decision = Decision::Choose("allow_always");
    assert_eq!(stage.client.prompt(&stage.session, "go").await, "end_turn");
    assert!(stage.project.exists("made"));
    let ended = stage.client.updates("tool_call_update");
    assert!(ended.last().unwrap()["content"].to_string().contains("shown"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_is_answered_as_one() {
    let mut stage = stage("", bash("touch made")).await;
    let first = stage.client.begin_prompt(&stage.session, "go");
    let question = stage.client.until_method("session/request_permission").await;
    // Another prompt waits behind it, and is withdrawn with it.
    let second = stage.client.begin_prompt(&stage.session, "and then?");
    stage.client.notify("session/cancel", json!({ "sessionId": stage.session }));
    assert_eq!(stage.client.end(first).await["result"]["stopReason"], "cancelled");
    assert_eq!(stage.client.end(second).await["result"]["stopReason"], "cancelled");
    // Whoever translated the question withdraws it when its task is dropped, which may be a moment
    // after the answers.
    let is_it = |message: &Value| message["method"] == "$/cancel_request";
    if !stage.client.log.iter().any(is_it) {
        stage.client.until_method("$/cancel_request").await;
    }
    let withdrawn = stage.client.place(is_it);
    assert_eq!(stage.client.log[withdrawn]["params"]["requestId"], question["id"]);
    assert!(!stage.project.exists("made"));
    assert_eq!(stage.client.prompt(&stage.session, "/status").await, "end_turn");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_during_a_turn_waits_for_it() {
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .text("First.")
        .answer()
        .text("Second.");
    let mut stage = stage("", script).await;
    let first = stage.client.begin_prompt(&stage.session, "one");
    let question = stage.client.until_method("session/request_permission").await;
    let second = stage.client.begin_prompt(&stage.session, "two");
    stage.client.choose(&question, "allow_once");
    stage.client.end(first).await;
    assert_eq!(stage.client.said(), "First.");
    stage.client.end(second).await;
    assert_eq!(stage.client.said(), "First.Second.");
}

#[tokio::test(flavor = "multi_thread")]
async fn modes_and_options_are_set_and_told() {
    let script = Scenario::new().forever().text("Hello.");
    let mut stage = stage("", script).await;
    let id = stage.session.clone();
    stage.client.request("session/set_mode", json!({ "sessionId": id, "modeId": "plan" })).await;
    let set = json!({ "sessionId": id, "configId": "effort", "value": "high" });
    let set = stage.client.request("session/set_config_option", set).await;
    let values: Vec<_> = set["configOptions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["currentValue"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!((values[0].as_str(), values[2].as_str()), ("plan", "high"));
    assert_eq!(stage.client.prompt(&id, "hi").await, "end_turn");
    assert_eq!(stage.client.updates("current_mode_update")[0]["currentModeId"], "plan");
    assert!(!stage.client.updates("config_option_update").is_empty());
    let wrong = json!({ "sessionId": id, "configId": "colour", "value": "red" });
    let wrong = stage.client.begin("session/set_config_option", wrong);
    let error = stage.client.end(wrong).await;
    assert!(error["error"]["message"].as_str().unwrap().contains("no option colour"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_loaded_resumed_and_deleted() {
    let script = Scenario::new()
        .tool(
            "TodoWrite",
            json!({ "todos": [
            { "content": "Look", "status": "in_progress", "activeForm": "Looking" }
        ] }),
        )
        .answer()
        .text("I looked.");
    let mut stage = stage("", script).await;
    assert_eq!(stage.client.prompt(&stage.session, "look").await, "end_turn");
    let plan = &stage.client.updates("plan")[0]["entries"][0];
    assert_eq!((&plan["content"], &plan["status"]), (&json!("Look"), &json!("in_progress")));
    let id = stage.session.clone();
    stage.client.request("session/close", json!({ "sessionId": id })).await;

    let mut client = stage.server.connect_acp();
    client.initialize().await;
    let cwd = stage.project.root();
    let listed = client.request("session/list", json!({ "cwd": cwd })).await;
    assert_eq!(listed["sessions"][0]["sessionId"], id);
    assert!(listed["sessions"][0]["updatedAt"].as_str().unwrap().starts_with("20"));
    let load = json!({ "sessionId": id, "cwd": cwd, "mcpServers": [] });
    let loaded = client.request("session/load", load.clone()).await;
    assert_eq!(loaded["modes"]["currentModeId"], "default");
    // All that was said, before the answer.
    assert_eq!(client.updates("user_message_chunk")[0]["content"]["text"], "look");
    assert_eq!(client.said(), "I looked.");
    assert_eq!(client.updates("tool_call")[0]["status"], "completed");
    let answered = client.place(|message| message["result"].get("modes").is_some());
    let told = client.place(|message| message["params"]["update"]["sessionUpdate"] == "plan");
    assert!(told < answered);
    client.request("session/close", json!({ "sessionId": id })).await;
    let before = client.said();
    client.request("session/resume", load.clone()).await;
    assert_eq!(client.said(), before, "nothing is told again");
    client.request("session/delete", json!({ "sessionId": id })).await;
    assert!(stage.project.journals().is_empty());
    let gone = client.begin("session/load", load);
    assert_eq!(client.end(gone).await["error"]["code"], -32002);
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_become_forms() {
    let question = json!({ "questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [
            { "label": "red", "description": "warm" }, { "label": "blue", "description": "cool" }
        ],
    }] });
    let script = Scenario::new().tool("AskUserQuestion", question).answer().text("Fine.");
    let mut stage = stage("", script).await;
    stage.client.form = json!({ "action": "accept", "content": { "q1": "blue" } });
    assert_eq!(stage.client.prompt(&stage.session, "ask me").await, "end_turn");
    let at = stage.client.place(|message| message["method"] == "elicitation/create");
    let asked = &stage.client.log[at]["params"];
    assert_eq!(asked["message"], "Which colour?");
    assert_eq!(asked["requestedSchema"]["properties"]["q1"]["oneOf"][1]["const"], "blue");
    assert!(last_told(&stage.model).contains("blue"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_prompt_carries_reaches_the_model() {
    let mut stage = stage("//- /a.txt\nx\n", Scenario::new().forever().text("Seen.")).await;
    let uri = stage.project.uri("a.txt");
    let prompt = json!([
        { "type": "text", "text": "look at these" },
        { "type": "resource_link", "name": "a.txt", "uri": uri },
        { "type": "resource", "resource": { "uri": format!("{uri}#L2:3"), "text": "unsaved words" } },
    ]);
    let params = json!({ "sessionId": stage.session, "prompt": prompt });
    stage.client.request("session/prompt", params).await;
    let told = last_told(&stage.model);
    assert!(told.contains("unsaved words") && told.contains("lines 2–3"), "{told}");
    let audio = json!([{ "type": "audio", "data": "", "mimeType": "audio/wav" }]);
    let params = json!({ "sessionId": stage.session, "prompt": audio });
    let refused = stage.client.begin("session/prompt", params);
    let refused: Value = stage.client.end(refused).await;
    assert_eq!(refused["error"]["code"], -32602);
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_and_folders_come_along_with_a_session_that_goes_on() {
    let mut stage = stage("//- /a.txt\nalpha\n", Scenario::new().forever().text("Hello.")).await;
    assert_eq!(stage.client.prompt(&stage.session, "hi").await, "end_turn");
    let close = json!({ "sessionId": stage.session });
    stage.client.request("session/close", close).await;
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcp/server.py");
    let server = json!([{ "name": "proof", "command": "python3", "args": [script], "env": [] }]);
    let beside = stage.project.home().join("beside");
    kit::files::make_folder(&beside);
    for method in ["session/load", "session/resume"] {
        let params = json!({ "sessionId": stage.session, "cwd": stage.project.root(),
            "mcpServers": server, "additionalDirectories": [beside] });
        stage.client.request(method, params).await;
        let list = json!({ "op": "list", "sessionId": stage.session });
        kit::within("a server", async {
            loop {
                let told = stage.client.request("_agent/mcp", list.clone()).await;
                if told["servers"][0]["status"] == "connected" {
                    assert_eq!(told["servers"][0]["name"], "proof");
                    break;
                }
            }
        })
        .await;
        let add = format!("/add-dir {}", beside.display());
        assert_eq!(stage.client.prompt(&stage.session, &add).await, "end_turn");
        assert!(stage.client.said().contains("was open to the session already"), "{method}");
        let close = json!({ "sessionId": stage.session });
        stage.client.request("session/close", close).await;
    }
}
