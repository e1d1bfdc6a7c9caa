//! A write replaces only a text that the model has seen: one that was part of a request.

use kit::{Profile, Project, Server, model};
use model::Scenario;
use protocol::session::Mode;
use serde_json::json;

/// The user has unsaved text in the file, and one answer of the model reads it and replaces it.
#[tokio::test]
async fn write_in_the_answer_of_its_read_keeps_text_the_model_never_saw() {
    let project = Project::new("//- /a.txt\none\ntwo\n");
    let uri = project.uri("a.txt");
    let path = "{{cwd}}/a.txt";
    let write = json!({ "file_path": path, "content": "all new\n" });
    let script =
        Scenario::new().tool("Read", json!({ "file_path": path })).tool("Write", write.clone());
    let script = script.answer().text("I see.").answer().tool("Write", write).answer().text("done");
    let script = model(script).await;
    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.open(&uri, "one\ntwo\n");
    let session = client.session_with(kit::session_in(Mode::AcceptEdits)).await;
    let changed = client.editor.splice(&uri, 4..4, "typed by the user\n");
    client.notify("textDocument/didChange", changed);
    client.ask(&session, "replace it").await;
    assert_eq!(client.editor.text(&uri), "one\ntyped by the user\ntwo\n");
    let results = script.requests().last().unwrap().body["messages"].to_string();
    assert!(results.contains("was read in the same response as this call"), "{results}");
    assert!(results.contains("typed by the user"), "{results}");
    // That request had the text in it, so now the model may replace it.
    client.ask(&session, "replace it all the same").await;
    assert_eq!(client.editor.text(&uri), "all new\n");
}

/// Reading and changing in one answer goes on working where the change names what it replaces.
#[tokio::test]
async fn edit_in_the_answer_of_its_read_changes_what_it_quotes() {
    let project = Project::new("//- /a.txt\none\ntwo\n");
    let path = "{{cwd}}/a.txt";
    let edit = json!({ "file_path": path, "old_string": "two", "new_string": "TWO" });
    let write = json!({ "file_path": path, "content": "gone\n" });
    let script = Scenario::new().tool("Read", json!({ "file_path": path })).tool("Edit", edit);
    let script = model(script.tool("Write", write).answer().text("done")).await;
    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(kit::session_in(Mode::AcceptEdits)).await;
    client.ask(&session, "go").await;
    assert_eq!(project.read("a.txt"), "one\nTWO\n");
}
