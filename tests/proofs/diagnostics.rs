//! Diagnostics true to a version: findings about an old text are never taken for the present one's.

use kit::{Client, Stage};
use model::Scenario;
use protocol::editor::{EditorApply, EditorApplyParams};
use protocol::session::Mode;
use serde_json::{Value, json};

const FIXTURE: &str = "//- /a.rs\nlet a = 1;\nlet b = 2;\n";
const TEXT: &str = "let a = 1;\nlet b = 2;\n";

fn script() -> Scenario {
    let edit = |old: &str, new: &str| json!({ "file_path": "{{cwd}}/a.rs", "old_string": old, "new_string": new });
    Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.rs" }))
        .answer()
        .tool("Edit", edit("a = 1", "a = \"one\""))
        .answer()
        .text("done")
        .answer()
        .text("seen")
}

fn report(client: &Client, uri: &str, version: i32, messages: &[&str]) {
    let place =
        json!({ "start": { "line": 0, "character": 4 }, "end": { "line": 0, "character": 5 } });
    let item = |message: &&str| json!({ "range": place, "severity": 1, "message": message });
    let items: Vec<Value> = messages.iter().map(item).collect();
    let params =
        json!({ "uri": uri, "version": version, "source": "test-analyzer", "items": items });
    client.notify("agent/editor/diagnostics", params);
}

/// The turn up to the edit, which is held; carries it out and returns the version it made.
async fn edited(stage: &mut Stage, uri: &str) -> i32 {
    let client = &mut stage.client;
    client.held.push("agent/editor/apply");
    client.prompt(&stage.session, "go").await;
    let (asked, params) = client.expect_request::<EditorApply>().await;
    let params: EditorApplyParams = params;
    client.carry_out(asked, &serde_json::to_value(params).unwrap());
    client.editor.version(uri)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_waits_for_findings_about_its_own_version() {
    let mut stage = Stage::in_mode(FIXTURE, script(), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.rs");
    stage.client.open(&uri, TEXT);
    report(&stage.client, &uri, 1, &["unused variable b"]);
    let version = edited(&mut stage, &uri).await;
    // First what a slow server says about the old text, then what it says about the new one.
    report(&stage.client, &uri, version - 1, &["unused variable b", "phantom"]);
    report(&stage.client, &uri, version, &["unused variable b", "mismatched types"]);
    let turned = stage.client.turn_ended(&stage.session).await;
    let told = &turned.calls()[1].text;
    assert!(told.contains("mismatched types"), "{told}");
    assert!(!told.contains("phantom"), "stale: {told}");
    assert!(!told.contains("unused variable b"), "an old one: {told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_has_looked_at_is_unverified_and_told_later() {
    let mut stage = Stage::in_mode(FIXTURE, script(), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.rs");
    stage.client.open(&uri, TEXT);
    report(&stage.client, &uri, 1, &[]);
    let version = edited(&mut stage, &uri).await;
    let turned = stage.client.turn_ended(&stage.session).await;
    let told = &turned.calls()[1].text;
    assert!(told.contains("unverified"), "{told}");
    report(&stage.client, &uri, version, &["mismatched types"]);
    stage.client.ask(&stage.session, "And now?").await;
    let asked = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("mismatched types"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_waits_where_nobody_looks() {
    let mut stage = Stage::in_mode(FIXTURE, script(), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.rs");
    stage.client.open(&uri, TEXT);
    let turned = stage.client.ask(&stage.session, "go").await;
    let told = &turned.calls()[1].text;
    assert!(!told.contains("unverified") && !told.contains("problems"), "{told}");
}
