//! The editor's text: in order, in every encoding, and never guessed.

use kit::{Client, Dice, Encoding, Profile, Project, Server, Stage, files, model};
use model::Scenario;
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

const CHANGES: usize = 5_000;
/// Typed pieces, among them whatever counts differently in different encodings.
const PIECES: [&str; 12] =
    ["a", "word ", "\n", "\r\n", "\r", "é", "☃", "𝄞", "👩‍👩‍👧", "\u{200b}", "\t", "long line of text "];

/// A place where a user's caret can be.
fn caret(text: &str, from: usize, dice: &mut Dice) -> usize {
    let mut at = from + dice.below(text.len() + 1 - from);
    let splits = |at: usize| {
        !text.is_char_boundary(at) || (text[..at].ends_with('\r') && text[at..].starts_with('\n'))
    };
    while splits(at) {
        at -= 1;
    }
    at.max(from)
}

fn type_something(client: &mut Client, uri: &str, from: usize, dice: &mut Dice) {
    let text = client.editor.text(uri).to_owned();
    let start = caret(&text, from, dice);
    let typed = PIECES[dice.below(PIECES.len())];
    let deletes = text.len() > 4_000 || dice.below(3) == 0;
    let end = if deletes { caret(&text, start, dice).min(start + 40) } else { start };
    let end = (start..=end).rev().find(|at| {
        text.is_char_boundary(*at)
            && !(text[..*at].ends_with('\r') && text[*at..].starts_with('\n'))
    });
    let change = client.editor.splice(uri, start..end.unwrap_or(start), typed);
    client.notify("textDocument/didChange", change);
}

/// What the server takes the text for: the edit it proposes carries all of it.
async fn server_text(client: &mut Client) -> (Option<i32>, String) {
    let (asked, request) = client.permission().await;
    let Subject::Edit(edit) = request.subject else { panic!("{request:?}") };
    client.deny(asked, None);
    (edit.version, edit.old_text.unwrap())
}

async fn many_changes_while_four_prompts_wait(encoding: &'static [Encoding]) {
    let project = Project::new("//- /a.txt\nANCHOR\n");
    let mut script = Scenario::new().tool("Read", read());
    for name in ["1", "2", "3", "4"] {
        let path = project.home().join(name);
        files::write(&path, name);
        script = script.tool("Read", json!({ "file_path": path }));
    }
    let edit = json!({ "file_path": "{{cwd}}/a.txt", "old_string": "ANCHOR", "new_string": "X" });
    let model = model(script.answer().tool("Edit", edit).answer().text("ok")).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE.with_encoding(encoding)).await;
    let uri = project.uri("a.txt");
    client.open(&uri, "ANCHOR\n");
    let session = client.session().await;
    client.prompt(&session, "go").await;
    let mut prompts = Vec::new();
    for _ in 0..4 {
        prompts.push(client.permission().await.0);
    }
    let mut dice = Dice::new(42);
    for _ in 0..CHANGES {
        type_something(&mut client, &uri, "ANCHOR\n".len(), &mut dice);
    }
    for asked in prompts {
        client.allow(asked);
    }
    let (version, text) = server_text(&mut client).await;
    assert_eq!(version, Some(client.editor.version(&uri)));
    assert_eq!(text, client.editor.text(&uri));
    client.turn_ended(&session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_changes_arrive_in_order_in_utf_8() {
    many_changes_while_four_prompts_wait(&[Encoding::Utf8]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_changes_arrive_in_order_in_utf_16() {
    many_changes_while_four_prompts_wait(&[Encoding::Utf16]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn five_thousand_changes_arrive_in_order_in_utf_32() {
    many_changes_while_four_prompts_wait(&[Encoding::Utf32]).await;
}

fn read() -> serde_json::Value {
    json!({ "file_path": "{{cwd}}/a.txt" })
}

const EDIT_FIXTURE: &str = "//- /a.txt\nANCHOR\n";

fn edit_script() -> Scenario {
    let edit = json!({ "file_path": "{{cwd}}/a.txt", "old_string": "ANCHOR", "new_string": "X" });
    Scenario::new().tool("Read", read()).answer().tool("Edit", edit).answer().text("ok")
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_may_be_left_out() {
    let mut stage = Stage::new(EDIT_FIXTURE, edit_script()).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "ANCHOR\n");
    stage.client.replace(&uri, "ANCHOR", "the ANCHOR");
    let version = stage.client.editor.drift(&uri, "the ANCHOR\n") + 5;
    let end = json!({ "line": 0, "character": 3 });
    let change =
        json!({ "range": { "start": { "line": 0, "character": 0 }, "end": end }, "text": "one" });
    let document = json!({ "uri": uri, "version": version });
    let params = json!({ "textDocument": document, "contentChanges": [change] });
    stage.client.notify("textDocument/didChange", params);
    stage.client.prompt(&stage.session, "go").await;
    assert_eq!(server_text(&mut stage.client).await, (Some(version), "one ANCHOR\n".to_owned()));
    stage.client.turn_ended(&stage.session).await;
}

/// A change whose place does not exist in the text.
fn outside(client: &mut Client, uri: &str, now: &str) {
    let version = client.editor.drift(uri, now);
    let range =
        json!({ "start": { "line": 70, "character": 0 }, "end": { "line": 70, "character": 1 } });
    let params = json!({
        "textDocument": { "uri": uri, "version": version },
        "contentChanges": [{ "range": range, "text": "?" }],
    });
    client.notify("textDocument/didChange", params);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_outside_of_the_text_makes_the_server_ask_for_all_of_it() {
    let mut stage = Stage::new(EDIT_FIXTURE, edit_script()).await;
    let (client, session) = (&mut stage.client, &stage.session);
    let uri = stage.project.uri("a.txt");
    client.open(&uri, "ANCHOR\n");
    client.held.push("agent/editor/text");
    outside(client, &uri, "now an ANCHOR ☃\n");
    let (asked, params): (_, serde_json::Value) = client.expect("agent/editor/text").await;
    assert_eq!(params["uri"], uri);
    client.answer(asked, json!({ "version": 2, "text": "now an ANCHOR ☃\n" }));
    // The text is there long before the model has asked for it: a whole request lies in between.
    client.prompt(session, "go").await;
    let (asked, request) = client.permission().await;
    let Subject::Edit(edit) = request.subject else { panic!() };
    assert_eq!(edit.old_text.as_deref(), Some("now an ANCHOR ☃\n"));
    client.allow(asked);
    client.turn_ended(session).await;
    assert_eq!(client.editor.text(&uri), "now an X ☃\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_version_makes_the_server_ask_as_well() {
    let mut stage = Stage::new(EDIT_FIXTURE, edit_script()).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "ANCHOR\n");
    stage.client.held.push("agent/editor/text");
    let params = json!({
        "textDocument": { "uri": uri, "version": 1 },
        "contentChanges": [{ "text": "nonsense" }],
    });
    stage.client.notify("textDocument/didChange", params);
    let (asked, _): (_, serde_json::Value) = stage.client.expect("agent/editor/text").await;
    stage.client.answer(asked, json!({ "version": 1, "text": "ANCHOR\n" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_while_the_text_is_not_known() {
    let mut stage = Stage::in_mode(EDIT_FIXTURE, edit_script(), Mode::AcceptEdits).await;
    let (client, session) = (&mut stage.client, &stage.session);
    let uri = stage.project.uri("a.txt");
    client.open(&uri, "ANCHOR\n");
    client.held.push("agent/editor/text");
    outside(client, &uri, "ANCHOR and more\n");
    let (asked, _): (_, serde_json::Value) = client.expect("agent/editor/text").await;
    let turned = client.ask(session, "go").await;
    let edit = &turned.calls()[1];
    assert_eq!(edit.status, ToolStatus::Failed);
    assert!(edit.text.contains("disagree about"), "{}", edit.text);
    assert_eq!(client.editor.text(&uri), "ANCHOR and more\n");
    assert_eq!(stage.project.read("a.txt"), "ANCHOR\n");
    client.answer(asked, json!({ "version": 2, "text": "ANCHOR and more\n" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_client_is_told_and_reopening_helps() {
    let project = Project::new(EDIT_FIXTURE);
    let edit = json!({ "file_path": "{{cwd}}/a.txt", "old_string": "ANCHOR", "new_string": "X" });
    let script = Scenario::new()
        .tool("Edit", edit.clone())
        .answer()
        .text("failed")
        .answer()
        .tool("Read", read())
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::BARE).await;
    let uri = project.uri("a.txt");
    client.open(&uri, "ANCHOR\n");
    outside(&mut client, &uri, "ANCHOR and more\n");
    let message = client.notification("window/showMessage").await;
    assert!(message["message"].as_str().unwrap().contains("lost track of the text of a.txt"));

    client.command("bowline.ask", json!(["go"])).await;
    assert_eq!(client.notification("window/showMessage").await["message"], "failed");
    assert_eq!(client.editor.text(&uri), "ANCHOR and more\n");

    client.close_document(&uri);
    client.open(&uri, "ANCHOR and more\n");
    client.command("bowline.ask", json!(["again"])).await;
    let (asked, question) = client.message_box().await;
    client.answer(asked, question["actions"][0].clone());
    assert_eq!(client.notification("window/showMessage").await["message"], "done");
    assert_eq!(client.editor.text(&uri), "X and more\n");
}
