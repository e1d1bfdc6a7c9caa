//! What the editor shows because the server asks it to: the change a permission is asked for, and the
//! places where the agent works.

use kit::Stage;
use model::Scenario;
use protocol::Request as _;
use protocol::diff::DiffShow;
use protocol::editor::EditorReveal;
use protocol::permission::PermissionRequest;
use protocol::session::Mode;
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nfirst\n//- /b.txt\none\ntwo\nthree\n";
const METHOD_NOT_FOUND: i64 = -32601;

fn read(name: &str) -> Value {
    json!({ "file_path": format!("{{{{cwd}}}}/{name}") })
}

fn edit(name: &str, old: &str, new: &str) -> Value {
    json!({ "file_path": format!("{{{{cwd}}}}/{name}"), "old_string": old, "new_string": new })
}

/// Reads a file and changes it, so many times.
fn changes(of: &str, all: &[(&str, &str)]) -> Scenario {
    let script = Scenario::new().tool("Read", read(of)).answer();
    let script = all
        .iter()
        .fold(script, |script, (old, new)| script.tool("Edit", edit(of, old, new)).answer());
    script.text("done")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_shown_beside_its_question() {
    let mut stage = Stage::new(FILES, changes("b.txt", &[("two", "2"), ("three", "3")])).await;
    let client = &mut stage.client;
    client.held.push(DiffShow::METHOD);
    let uri = stage.project.uri("b.txt");
    client.open(&uri, "one\ntwo\nthree\n");
    client.prompt(&stage.session, "go").await;
    // The change comes first, so that an editor whose question takes the whole screen shows it.
    assert_eq!(client.first_request().await, DiffShow::METHOD);
    let (shown, diff) = client.expect_request::<DiffShow>().await;
    let (question, asked) = client.expect_request::<PermissionRequest>().await;
    assert_eq!(diff.id, asked.request_id, "the question says when to close it");
    assert_eq!(diff.session_id, stage.session);
    assert!(diff.preserve_focus);
    let [file] = diff.files.as_slice() else { panic!("{:?}", diff.files) };
    assert_eq!((file.uri.as_str(), file.version), (uri.as_str(), Some(1)));
    assert_eq!(file.old_text.as_deref(), Some("one\ntwo\nthree\n"));
    assert_eq!(file.new_text.as_deref(), Some("one\n2\nthree\n"));
    // Who answers before the editor has shown it does not want to see it any more.
    client.allow(question);
    client.was_withdrawn(shown).await;
    // An editor that does not know it after all is asked the same, without a picture.
    let (shown, _) = client.expect_request::<DiffShow>().await;
    client.answer_error(shown, METHOD_NOT_FOUND);
    let (question, _) = client.permission().await;
    client.deny(question, None);
    client.turn_ended(&stage.session).await;
    assert_eq!(client.editor.text(&uri), "one\n2\nthree\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_follows_is_shown_where_the_agent_works() {
    let script = Scenario::new()
        .tool("Read", read("a.txt"))
        .answer()
        .tool("Read", read("b.txt"))
        .answer()
        .tool("Edit", edit("b.txt", "three", "3\n4"))
        .answer()
        .text("done")
        .answer()
        .tool("Read", read("a.txt"))
        .answer()
        .text("done again");
    let mut stage = Stage::in_mode(FILES, script, Mode::AcceptEdits).await;
    let client = &mut stage.client;
    client.held.push(EditorReveal::METHOD);
    let uri = stage.project.uri("b.txt");
    client.open(&uri, "one\ntwo\nthree\n");
    client.notify("agent/editor/follow", json!({ "on": true }));
    client.prompt(&stage.session, "go").await;
    let (shown, place) = client.expect_request::<EditorReveal>().await;
    assert_eq!((place.uri, place.range), (stage.project.uri("a.txt"), None));
    assert!(place.preserve_focus, "nobody's keyboard is taken away");
    // The editor takes its time: the turn goes on, and only the newest place is left to be shown.
    client.turn_ended(&stage.session).await;
    client.answer(shown, json!({}));
    let (shown, place) = client.expect_request::<EditorReveal>().await;
    assert_eq!(place.uri, uri);
    let range = place.range.unwrap();
    // Up to the beginning of the line behind it.
    assert_eq!((range.start.line, range.end.line), (2, 4));
    client.answer(shown, json!({}));

    // Off again: the next turn shows nothing; a request would be left over, which the kit refuses.
    client.notify("agent/editor/follow", json!({ "on": false }));
    assert_eq!(client.ask(&stage.session, "again").await.text(), "done again");
}
