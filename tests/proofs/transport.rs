//! The wire itself: what is malformed is answered and survived, and a server ends when it should.

use host::doors::lsp::Ended;
use kit::{Bowline, Client, Profile, Project, Server, Stage, bystander, encode, files, within};
use model::Scenario;
use protocol::session::{Mode, SessionCancel, SessionCancelParams};
use protocol::status::Status;
use protocol::{Empty, Request as _};
use serde_json::{Value, json};

async fn is_alive(client: &mut Client) {
    client.request::<Status>(Empty {}).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages_are_answered_and_survived() {
    let project = Project::new("");
    let mut client = Server::start(&project, None).connect(Profile::NEOVIM).await;
    let check = [
        ("Content-Length: 4\r\n\r\n{}{}", -32700),
        ("Content-Length: 9\r\n\r\nnot json!", -32700),
        ("Content-Length: eight\r\n\r\n", -32700),
        ("Nonsense: yes\r\nContent-Length: 2\r\n\r\n{}", -32700),
        ("Content-Length: 2\r\n\r\n[]", -32600),
        ("Content-Length: 39\r\n\r\n[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"x\"}]", -32600),
        ("Content-Length: 17\r\n\r\n{\"jsonrpc\":\"2.0\"}", -32600),
        ("Content-Length: 4\r\n\r\nnull", -32600),
        ("Content-Length: 3\r\n\r\n\u{e9}x", -32700),
    ];
    for (bytes, code) in check {
        client.send_bytes(bytes);
        let error = client.answer_to(Value::Null).await.unwrap_err();
        assert_eq!(error.code, code, "{bytes:?}: {error:?}");
        assert!(error.message.ends_with('.'), "{bytes:?}: {error:?}");
    }
    client.send(&json!({ "id": "no version", "method": "agent/status", "params": {} }));
    let error = client.answer_to(json!("no version")).await.unwrap_err();
    assert_eq!(error.code, -32600);
    client.send(&json!({ "jsonrpc": "2.0", "id": "nobody asked", "result": 7 }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "nobody/knows", "params": [1] }));
    client.send(&json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": 7 }));
    is_alive(&mut client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_methods_and_wrong_parameters() {
    let project = Project::new("");
    let mut client = Server::start(&project, None).connect(Profile::NEOVIM).await;
    for method in ["textDocument/nonsense", "agent/nonsense", "nonsense"] {
        let error = client.call(method, json!({})).await.unwrap_err();
        assert_eq!(error.code, -32601, "{method}: {error:?}");
    }
    let error = client.call("agent/session/new", json!({ "cwd": 7 })).await.unwrap_err();
    assert_eq!(error.code, -32602, "{error:?}");
    let error = client.call("agent/session/new", json!({ "cwd": "relative" })).await.unwrap_err();
    assert_eq!(error.code, -32602, "{error:?}");
    let unknown = json!({ "command": "no.such.command", "arguments": [] });
    let error = client.call("workspace/executeCommand", unknown).await.unwrap_err();
    assert_eq!(error.code, -32602, "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_life_cycle_is_kept() {
    let project = Project::new("");
    let mut client = Server::start(&project, None).connect_silently(Profile::NEOVIM);
    for method in ["agent/status", "workspace/executeCommand", "shutdown"] {
        let error = client.call(method, json!({})).await.unwrap_err();
        assert_eq!(error.code, -32002, "{method}: {error:?}");
    }
    client.initialize().await;
    let error = client.call("initialize", json!({ "capabilities": {} })).await.unwrap_err();
    assert_eq!(error.code, -32600, "{error:?}");
    is_alive(&mut client).await;
    client.call("shutdown", Value::Null).await.unwrap();
    for method in ["agent/status", "workspace/executeCommand", "shutdown"] {
        let error = client.call(method, json!({})).await.unwrap_err();
        assert_eq!(error.code, -32600, "{method}: {error:?}");
    }
    client.notify("exit", Value::Null);
    assert_eq!(client.hang_up().await, Some(Ended::Properly));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_cancelled_is_answered_so() {
    let edit = json!({ "file_path": "{{cwd}}/a", "old_string": "a", "new_string": "b" });
    let read = json!({ "file_path": "{{cwd}}/a" });
    let script = Scenario::new().tool("Read", read).answer().tool("Edit", edit);
    let mut stage = Stage::in_mode("//- /a\na\n", script, Mode::AcceptEdits).await;
    let client = &mut stage.client;
    client.open(&stage.project.uri("a"), "a\n");
    client.held.push("agent/editor/apply");
    client.prompt(&stage.session, "go").await;
    // While the editor takes its time with the edit, cancelling the turn does too.
    let (apply, edit): (_, Value) = client.expect("agent/editor/apply").await;
    let params = SessionCancelParams {
        session_id: stage.session.clone(),
        turn_id: None,
        tool_call_id: None,
        task_id: None,
    };
    let id = client.start(SessionCancel::METHOD, serde_json::to_value(params).unwrap());
    client.notify("$/cancelRequest", json!({ "id": id }));
    let error = client.finish(id).await.unwrap_err();
    assert_eq!(error.code, -32800, "{error:?}");
    client.carry_out(apply, &edit);
    client.turn_ended(&stage.session).await;
    client.notify("$/cancelRequest", json!({ "id": 999 }));
    is_alive(client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_huge_document_is_no_trouble() {
    let project = Project::new("//- /big.txt\nsmall\n");
    let mut client = Server::start(&project, None).connect(Profile::NEOVIM).await;
    let uri = project.uri("big.txt");
    let text = "0123456789 abcdefghijklmnopqrstuvwxyz ☃\n".repeat(500_000);
    client.open(&uri, &text);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    is_alive(&mut client).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn initialize_touches_no_file() {
    let project = Project::new("");
    let home = project.bowline_home().to_owned();
    let mut serving = Bowline::bare(&project).serve(Profile::VS_CODE);
    let result = serving.client.initialize().await;
    let agent = &result["capabilities"]["experimental"]["agent"];
    assert_eq!(agent["version"], 1);
    assert_eq!(agent["stateDir"], home.display().to_string());
    assert_eq!(agent["models"][0]["id"], "rehearsal");
    is_alive(&mut serving.client).await;
    assert!(!home.exists());
    assert!(files::all(project.home()).is_empty(), "{:?}", files::all(project.home()));
    serving.client.call("shutdown", Value::Null).await.unwrap();
    serving.client.notify("exit", Value::Null);
    assert_eq!(serving.exit_code().await, Some(0));
    assert!(!home.exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn exit_without_shutdown_is_an_error() {
    let project = Project::new("");
    let mut serving = Bowline::new(&project).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    serving.client.notify("exit", Value::Null);
    assert_eq!(serving.exit_code().await, Some(1));
}

/// Neither waiting for the answer to `shutdown` nor for anything else.
#[tokio::test(flavor = "multi_thread")]
async fn who_leaves_in_a_hurry_is_still_answered() {
    let project = Project::new("");
    let mut hurried = Vec::new();
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}),
        json!({"jsonrpc": "2.0", "method": "exit"}),
    ] {
        hurried.extend(encode(&message.to_string()));
    }
    let hurried = String::from_utf8(hurried).unwrap();
    let finished = Bowline::new(&project).args(&["serve"]).run_with_stdin(&hurried).await;
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.contains(r#""id":2,"result":null"#), "{}", finished.stdout);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_pipe_ends_the_server() {
    let project = Project::new("");
    let mut serving = Bowline::new(&project).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let mut child = serving.child;
    serving.client.hang_up().await;
    let status = within("the server to end", child.wait()).await.unwrap();
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_death_of_the_editor_ends_the_server() {
    let project = Project::new("");
    let mut editor = bystander();
    let mut serving = Bowline::new(&project).serve(Profile::VS_CODE);
    let params = json!({ "processId": editor.id().unwrap(), "capabilities": {} });
    serving.client.call("initialize", params).await.unwrap();
    is_alive(&mut serving.client).await;
    editor.kill().await.unwrap();
    assert!(serving.exit_code().await.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn stdio_is_accepted_and_noise_goes_elsewhere() {
    let project = Project::new("");
    let bowline = Bowline::new(&project).env("BOWLINE_LOG", "trace");
    // The client fails on anything that is no frame.
    let mut serving = bowline.serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let session = serving.client.session().await;
    let turned = serving.client.ask(&session, "help").await;
    assert!(turned.text().contains("rehearsal"), "{}", turned.text());
    assert_eq!(serving.client.leave().await, None);
}

/// After any one wrong header the requests that follow are answered, and the damage is told.
#[tokio::test(flavor = "multi_thread")]
async fn requests_after_a_wrong_content_length_are_answered() {
    let project = Project::new("");
    let mut client = Server::start(&project, None).connect(Profile::NEOVIM).await;
    let body = r#"{"jsonrpc":"2.0","id":"damaged","method":"agent/status","params":{}}"#;
    let len = body.len();
    let headers = [
        format!("Content-Length: {}\r\n\r\n", len + 3),
        format!("Content-Length: {}\r\n\r\n", len + 40),
        format!("Content-Length: {}\r\n\r\n", len - 20),
        "Content-Length: 99999999999\r\n\r\n".to_owned(),
        "Content-Length: -5\r\n\r\n".to_owned(),
        "Content-Length: five\r\n\r\n".to_owned(),
        format!("Content-Length: {len}\r\nContent-Length: 7\r\n\r\n"),
        "\u{1}garbage\r\n\r\n".to_owned(),
        String::new(),
    ];
    for header in headers {
        client.send_bytes(format!("{header}{body}"));
        is_alive(&mut client).await;
        let error = client.answer_to(Value::Null).await.unwrap_err();
        assert!([-32700, -32600].contains(&error.code), "{header:?}: {error:?}");
    }
}

/// A message that was lost may have been a change: the editor is asked for its text before anything
/// is written there.
#[tokio::test(flavor = "multi_thread")]
async fn text_is_asked_for_again_when_a_change_was_lost() {
    let edit = json!({ "file_path": "{{cwd}}/a", "old_string": "two", "new_string": "TWO" });
    let read = json!({ "file_path": "{{cwd}}/a" });
    let script = Scenario::new().tool("Read", read).answer().tool("Edit", edit).answer();
    let mut stage =
        Stage::in_mode("//- /a\none\ntwo\n", script.text("done"), Mode::AcceptEdits).await;
    let client = &mut stage.client;
    let uri = stage.project.uri("a");
    client.open(&uri, "one\ntwo\n");
    is_alive(client).await;
    // The change is typed in the editor, but its notification is damaged on the way.
    let change = client.editor.splice(&uri, 0..0, "typed\n");
    let body = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": change });
    let body = body.to_string();
    client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len() - 9));
    client.ask(&stage.session, "go").await;
    assert_eq!(client.editor.text(&uri), "typed\none\nTWO\n");
}

/// What is too large to be read is told, and the file is not changed behind the editor's text.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_too_large_is_told_and_not_written() {
    let write = json!({ "file_path": "{{cwd}}/big.txt", "content": "new\n" });
    let read = json!({ "file_path": "{{cwd}}/big.txt" });
    let edit = json!({ "file_path": "{{cwd}}/big.txt", "old_string": "small", "new_string": "x" });
    let script = Scenario::new().tool("Read", read).tool("Edit", edit).answer();
    let script = script.tool("Write", write).answer().text("done");
    let mut stage = Stage::in_mode("//- /big.txt\nsmall\n", script, Mode::AcceptEdits).await;
    let client = &mut stage.client;
    let uri = stage.project.uri("big.txt");
    let head = r#"{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":"#;
    let item = format!(r#"{{"uri":"{uri}","languageId":"text","version":1,"text":""#);
    let text = "x".repeat(128 << 20);
    let body = format!("{head}{item}{text}\"}}}}}}");
    client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()));
    let message = client.notification("window/showMessage").await;
    let message = message["message"].as_str().unwrap();
    assert!(message.starts_with("big.txt is too large for Bowline."), "{message}");
    client.ask(&stage.session, "go").await;
    let asked = stage.model.requests().last().unwrap().body["messages"].to_string();
    let reason = "is open in the editor with a text that is too large to be read";
    assert_eq!(asked.matches(reason).count(), 3, "{asked}");
    assert_eq!(stage.project.read("big.txt"), "small\n");
    // Closed, it is a file like any other.
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    is_alive(client).await;
}
