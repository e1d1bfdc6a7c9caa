//! Inline edits: they stream, land beside what the user types, and stop at a key stroke in their
//! range; they ask nobody, and never do what is forbidden.

use kit::{Client, Edited, Profile, Project, Server, Stage, model};
use model::Scenario;
use protocol::edit::{EditInline, FixDiagnostics, FixDiagnosticsParams};
use protocol::lsp::{Diagnostic, Position, Range, VersionedDocument};
use protocol::review::{HunkState, ReviewList, ReviewListParams};
use protocol::session::{
    CancelState, Mode, RewindWhat, SessionCancel, SessionCancelParams, SessionRewind,
    SessionRewindParams,
};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\none\ntwo\nthree\nfour\nfive\n";
const TEXT: &str = "one\ntwo\nthree\nfour\nfive\n";

/// Says `first`, waits a moment, and says the rest.
fn slowly(first: &str, rest: &str) -> Scenario {
    Scenario::new().text(first).delay_ms(300).text(rest)
}

async fn opened(script: Scenario) -> (Stage, String) {
    let mut stage = Stage::new(FILES, script).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, TEXT);
    (stage, uri)
}

fn completed(edited: &Edited) {
    assert_eq!(edited.status, ToolStatus::Completed, "{edited:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_streams_and_lands_while_the_user_types_elsewhere() {
    let (mut stage, uri) = opened(slowly("```\nTWO\n", "THREE\n```\n")).await;
    let client = &mut stage.client;
    let started = client.edit(&stage.session, &uri, "two\nthree\n", "shout").await;
    assert_eq!(started.session_id, stage.session);
    client.previewing(&started).await;
    client.replace(&uri, "one", "uno ☃\nand more");
    client.replace(&uri, "five", "cinque");
    let edited = client.edit_ended(&started).await;
    completed(&edited);
    assert!(edited.changed && edited.text.starts_with("Changed a.txt"), "{edited:?}");
    assert_eq!(client.editor.text(&uri), "uno ☃\nand more\nTWO\nTHREE\nfour\ncinque\n");
    assert_eq!(client.preview(&started), "TWO\nTHREE\n");
    // Its hunks bear its name.
    let hunks = client.request::<ReviewList>(ReviewListParams::default()).await.hunks;
    assert!(!hunks.is_empty());
    for hunk in hunks {
        assert_eq!((&hunk.turn_id, &hunk.tool_call_id), (&started.edit_id, &started.edit_id));
        assert_eq!((&hunk.session_id, hunk.state), (&stage.session, HunkState::Pending));
    }
    let journal = stage.project.journal();
    let permission = journal.iter().find(|record| record["type"] == "permission").unwrap();
    assert_eq!(permission["reason"], "Asked for by the user in the editor.");
    assert_eq!(permission["allowed"], true);
    assert_eq!(permission["input"]["instruction"], "shout");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_sees_the_place_and_the_wish_and_no_tools() {
    let (mut stage, uri) = opened(Scenario::new().text("TWO")).await;
    let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
    completed(&stage.client.edit_ended(&started).await);
    assert_eq!(stage.client.editor.text(&uri), "one\nTWO\nthree\nfour\nfive\n");
    let body = stage.model.requests().remove(0).body;
    assert!(body.get("tools").is_none(), "{body}");
    let asked = body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(asked.contains("File: a.txt (plaintext)"), "{asked}");
    assert!(asked.contains("<selection>\ntwo\n</selection>"), "{asked}");
    assert!(asked.contains("<after>\n\nthree\n"), "{asked}");
    assert!(asked.ends_with("Instruction: shout"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_stroke_in_the_range_stops_it() {
    let (mut stage, uri) = opened(Scenario::new().text("TWO").hang()).await;
    let client = &mut stage.client;
    let started = client.edit(&stage.session, &uri, "two\nthree", "shout").await;
    client.previewing(&started).await;
    client.replace(&uri, "thr", "thrr");
    let edited = client.edit_ended(&started).await;
    assert_eq!(edited.status, ToolStatus::Cancelled);
    assert!(edited.text.contains("changed at the same place"), "{edited:?}");
    assert_eq!(client.editor.text(&uri), "one\ntwo\nthrree\nfour\nfive\n");
    kit::within("the end of the request", stage.model.hung_up(1)).await;
}

async fn stopped(stop: impl AsyncFnOnce(&mut Client, &str, &str)) {
    let (mut stage, uri) = opened(Scenario::new().text("TWO").hang()).await;
    let client = &mut stage.client;
    let started = client.edit(&stage.session, &uri, "two", "shout").await;
    client.previewing(&started).await;
    stop(client, &stage.session, &started.edit_id).await;
    assert_eq!(client.edit_ended(&started).await.status, ToolStatus::Cancelled);
    assert_eq!(client.editor.text(&uri), TEXT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_of_the_session_stops_it() {
    stopped(async |client, session, _| {
        assert_eq!(client.cancel(session).await.state, CancelState::Cancelled);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn it_can_be_stopped_alone() {
    stopped(async |client, session, edit| {
        let (session_id, tool_call_id) = (session.to_owned(), Some(edit.to_owned()));
        let (turn_id, task_id) = (None, None);
        let params = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
        let result = client.request::<SessionCancel>(params).await;
        assert_eq!(result.state, CancelState::Cancelled);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rejecting_it_while_it_streams_stops_it() {
    stopped(async |client, _, edit| {
        let params = json!({ "editId": edit, "action": "reject" });
        client.notify("agent/inline/resolved", params);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn closing_the_file_stops_it() {
    let (mut stage, uri) = opened(Scenario::new().text("TWO").hang()).await;
    let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
    stage.client.previewing(&started).await;
    stage.client.close_document(&uri);
    let edited = stage.client.edit_ended(&started).await;
    assert_eq!(edited.status, ToolStatus::Cancelled);
    assert_eq!(stage.project.read("a.txt"), TEXT);
}

#[tokio::test(flavor = "multi_thread")]
async fn rejecting_it_afterwards_takes_its_hunks_back() {
    let (mut stage, uri) = opened(Scenario::new().text("TWO")).await;
    let client = &mut stage.client;
    let started = client.edit(&stage.session, &uri, "two", "shout").await;
    completed(&client.edit_ended(&started).await);
    client.replace(&uri, "five", "cinque");
    let params = json!({ "editId": started.edit_id, "action": "reject" });
    client.notify("agent/inline/resolved", params);
    let resolved = |event: &protocol::Event| event.body.name() == "hunk.resolved";
    client.next_event("the rejection", resolved).await;
    assert_eq!(client.editor.text(&uri), "one\ntwo\nthree\nfour\ncinque\n");
}

/// A rewind takes back what the agent wrote after the point, whoever had asked for it.
#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_goes_back_over_it() {
    let script = Scenario::new().when("shout").text("TWO").answer().text("hello");
    let (mut stage, uri) = opened(script).await;
    let client = &mut stage.client;
    let said = client.prompt(&stage.session, "hi").await;
    client.turn_ended(&stage.session).await;
    let started = client.edit(&stage.session, &uri, "two", "shout").await;
    completed(&client.edit_ended(&started).await);
    client.replace(&uri, "five", "cinque");
    let (session_id, to_message) = (stage.session.clone(), said.message_id);
    let (what, preview) = (RewindWhat::Files, None);
    let params = SessionRewindParams { session_id, to_message, what, preview };
    let rewound = client.request::<SessionRewind>(params).await;
    assert_eq!(rewound.hunks.len(), 1, "{rewound:?}");
    assert_eq!(client.editor.text(&uri), "one\ntwo\nthree\nfour\ncinque\n");
}

/// What is forbidden is refused before the model is asked.
async fn refused(project: Project, mode: Mode, expect: &str) {
    let mut stage = Stage::set(project, Scenario::new().text("TWO"), mode).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, TEXT);
    let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
    let edited = stage.client.edit_ended(&started).await;
    assert_eq!(edited.status, ToolStatus::Denied);
    assert!(edited.text.contains(expect), "{edited:?}");
    assert_eq!(stage.client.editor.text(&uri), TEXT);
    assert_eq!(stage.model.requests().len(), 0);
    let journal = stage.project.journal();
    let permission = journal.iter().find(|record| record["type"] == "permission").unwrap();
    assert_eq!(permission["allowed"], false);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deny_rule_refuses() {
    for rule in ["Edit(./a.txt)", "Read(./a.txt)", "Edit"] {
        let project = Project::new(FILES);
        project.user_settings(&json!({ "permissions": { "deny": [rule] } }));
        refused(project, Mode::Default, rule).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn plan_mode_refuses() {
    refused(Project::new(FILES), Mode::Plan, "Plan mode is on").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_others_would_be_asked_the_user_has_asked() {
    for (mode, asks) in [(Mode::Default, "Edit(./a.txt)"), (Mode::DontAsk, "Bash")] {
        let project = Project::new(FILES);
        project.user_settings(&json!({ "permissions": { "ask": [asks] } }));
        let mut stage = Stage::set(project, Scenario::new().text("TWO"), mode).await;
        let uri = stage.project.uri("a.txt");
        stage.client.open(&uri, TEXT);
        let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
        completed(&stage.client.edit_ended(&started).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn it_runs_beside_a_turn() {
    let write = json!({ "file_path": "{{cwd}}/b.txt", "content": "b" });
    let script = Scenario::new()
        .when("shout")
        .text("TWO")
        .answer()
        .tool("Write", write)
        .answer()
        .text("done");
    let (mut stage, uri) = opened(script).await;
    let client = &mut stage.client;
    client.prompt(&stage.session, "go").await;
    let (question, _) = client.permission().await;
    let started = client.edit(&stage.session, &uri, "two", "shout").await;
    completed(&client.edit_ended(&started).await);
    client.allow(question);
    let turned = client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "done");
    assert_eq!(stage.project.read("b.txt"), "b");
    assert_eq!(client.editor.text(&uri), "one\nTWO\nthree\nfour\nfive\n");
}

/// Eight at once in one file, all begun before the first is done.
#[tokio::test(flavor = "multi_thread")]
async fn many_land_side_by_side_each_under_its_own_name() {
    const EDITS: usize = 8;
    let text = |word: &str| -> String {
        (0..EDITS).map(|n| format!("fn f{n}() {{\n    {word}({n});\n}}\n\n")).collect()
    };
    let script = (0..EDITS).fold(Scenario::new(), |script, n| {
        let new = format!("    new({n});");
        script.when(&format!("wish {n}.")).delay_ms(100).text(&new).answer()
    });
    let mut stage = Stage::new("//- /a.rs\n\n", script).await;
    let uri = stage.project.uri("a.rs");
    stage.client.open(&uri, &text("old"));
    let mut started = Vec::new();
    for n in 0..EDITS {
        let (piece, wish) = (format!("old({n});"), format!("wish {n}."));
        started.push(stage.client.edit(&stage.session, &uri, &piece, &wish).await);
    }
    for _ in &started {
        let ended = |event: &protocol::Event| event.body.name() == "tool.ended";
        stage.client.next_event("the end of an edit", ended).await;
    }
    assert_eq!(stage.client.editor.text(&uri), text("new"));
    for (n, started) in started.iter().enumerate() {
        let turn_id = Some(started.edit_id.clone());
        let params = ReviewListParams { turn_id, ..ReviewListParams::default() };
        let hunks = stage.client.request::<ReviewList>(params).await.hunks;
        assert_eq!(hunks.len(), 1, "{hunks:#?}");
        assert_eq!(hunks[0].new_text, format!("    new({n});\n"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_are_fixed_in_their_lines() {
    let mut stage = Stage::new(FILES, Scenario::new().text("one\ntwo\nTHREE\nfour\nfive")).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, TEXT);
    let at = |line, character| Position { line, character };
    let diagnostic: Diagnostic = serde_json::from_value(json!({
        "range": Range { start: at(2, 0), end: at(2, 5) },
        "severity": 1, "source": "speller", "code": "E7", "message": "too quiet\nshout it",
    }))
    .unwrap();
    let params = FixDiagnosticsParams {
        text_document: VersionedDocument { uri: uri.clone(), version: Some(1) },
        diagnostics: vec![diagnostic],
        session_id: Some(stage.session.clone()),
    };
    let started = stage.client.request::<FixDiagnostics>(params).await;
    completed(&stage.client.edit_ended(&started).await);
    assert_eq!(stage.client.editor.text(&uri), "one\ntwo\nTHREE\nfour\nfive\n");
    let body = stage.model.requests().remove(0).body;
    let asked = body["messages"][0]["content"][0]["text"].as_str().unwrap();
    assert!(asked.contains("line 3: too quiet; shout it [speller E7]"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_not_open_is_changed_on_disk() {
    let mut stage = Stage::new(FILES, Scenario::new().text("TWO")).await;
    let uri = stage.project.uri("a.txt");
    let range =
        json!({ "start": { "line": 1, "character": 0 }, "end": { "line": 1, "character": 3 } });
    let params = json!({
        "textDocument": { "uri": uri, "version": null }, "range": range,
        "instruction": "shout", "sessionId": stage.session,
    });
    let params = serde_json::from_value(params).unwrap();
    let started = stage.client.request::<EditInline>(params).await;
    completed(&stage.client.edit_ended(&started).await);
    assert_eq!(stage.project.read("a.txt"), "one\nTWO\nthree\nfour\nfive\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_session_the_client_gets_its_own() {
    let project = Project::new(FILES);
    let model = model(Scenario::new().text("TWO").answer().text("FOUR")).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let uri = project.uri("a.txt");
    client.open(&uri, TEXT);
    let first = client.try_edit(None, &uri, "two", "shout").await.unwrap();
    completed(&client.edit_ended(&first).await);
    let second = client.try_edit(None, &uri, "four", "shout").await.unwrap();
    completed(&client.edit_ended(&second).await);
    assert_eq!(first.session_id, second.session_id);
    assert_eq!(client.editor.text(&uri), "one\nTWO\nthree\nFOUR\nfive\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_meant_is_an_error() {
    let (mut stage, uri) = opened(Scenario::new()).await;
    let session = stage.session.clone();
    let range = |line: u32| json!({ "start": { "line": line, "character": 0 }, "end": { "line": line, "character": 1 } });
    let mut check = async |uri: &str, version: Value, line: u32, wish: &str, expect: &str| {
        let params = json!({
            "textDocument": { "uri": uri, "version": version }, "range": range(line),
            "instruction": wish, "sessionId": session,
        });
        let error = stage.client.call("agent/edit/inline", params).await.unwrap_err();
        assert!(error.message.contains(expect), "{error:?}");
    };
    check(&uri, json!(1), 70, "shout", "past the end").await;
    check(&uri, json!(7), 0, "shout", "at version 1").await;
    check(&uri, json!(1), 0, " ", "say what to do").await;
    check("untitled:Untitled-1", json!(1), 0, "shout", "Only files").await;
    check(&format!("{uri}.not"), json!(1), 0, "shout", "not open").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_none_changes_nothing() {
    let error = |script: Scenario, expect: &'static str| async move {
        let (mut stage, uri) = opened(script).await;
        let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
        let edited = stage.client.edit_ended(&started).await;
        assert_eq!(edited.status, ToolStatus::Failed);
        assert!(edited.text.contains(expect), "{edited:?}");
        assert_eq!(stage.client.editor.text(&uri), TEXT);
    };
    error(Scenario::new().text(" \n"), "gave no text").await;
    error(Scenario::new().error(400, "invalid_request_error", "no"), "no").await;
    error(Scenario::new().text("T").truncate(), "broke off").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn quick_work_has_a_model_of_its_own() {
    let project = Project::new(FILES);
    project.user_settings(&json!({ "fastModel": "haiku", "helpers": { "title": false } }));
    let script = Scenario::new().when("shout").text("TWO").answer().text("hello");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, TEXT);
    let started = stage.client.edit(&stage.session, &uri, "two", "shout").await;
    completed(&stage.client.edit_ended(&started).await);
    stage.client.ask(&stage.session, "hi").await;
    let models: Vec<_> =
        stage.model.requests().iter().map(|asked| asked.body["model"].clone()).collect();
    assert_eq!(models, ["claude-haiku-5-5", "claude-sonnet-5-5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rehearsal_model_can_be_tried() {
    let project = Project::new("//- /a.rs\nfn main() {\n    greet();\n}\n");
    let mut client = Server::start(&project, None).connect(Profile::NEOVIM).await;
    let uri = project.uri("a.rs");
    client.open(&uri, "fn main() {\n    greet();\n}\n");
    let started = client.try_edit(None, &uri, "greet();", "rename greet to welcome").await.unwrap();
    completed(&client.edit_ended(&started).await);
    let started = client.try_edit(None, &uri, "welcome();", "Document this").await.unwrap();
    completed(&client.edit_ended(&started).await);
    let expect = "fn main() {\n    // Rehearsal model, asked: Document this.\n    welcome();\n}\n";
    assert_eq!(client.editor.text(&uri), expect);
}
