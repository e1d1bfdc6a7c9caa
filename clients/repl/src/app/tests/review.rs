//! Reviewing what the agent changed.

use protocol::review::{Hunk, HunkState};
use serde_json::{Value, json};

use super::flows::{event, permission, turn_ended, turn_started};
use super::*;
use crate::state::changes::tests::hunk;

fn hunks() -> Vec<Hunk> {
    vec![
        hunk("h1", "a.rs", 0, "one\n", "1\n"),
        hunk("h2", "a.rs", 9, "", "x\ny\nz\n"),
        hunk("h3", "b.rs", 4, "gone\n", ""),
    ]
}

fn hunk_event(kind: &str, hunk: &Hunk) -> protocol::EventBody {
    event(json!({"type": kind, "hunk": hunk}))
}

async fn list(desk: &mut Desk, hunks: &[Hunk]) {
    let (id, params) = desk.server.expect("agent/review/list").await;
    assert_eq!(params, json!({"sessionId": "s1"}));
    desk.server.answer(id, json!({"hunks": hunks})).await;
}

/// Answers a decision: every hunk gets the state the action asks for.
async fn decided(desk: &mut Desk, token: &str) -> Value {
    let (id, params) = desk.server.expect("agent/review/resolve").await;
    let state = if params["action"] == "accept" { "accepted" } else { "rejected" };
    let all = json!(["h1", "h2", "h3"]);
    let hunks = params["hunkIds"].as_array().unwrap_or(all.as_array().expect("hunks")).clone();
    let results: Vec<_> =
        hunks.iter().map(|hunk| json!({"hunkId": hunk, "state": state})).collect();
    desk.server.answer(id, json!({"results": results, "undoToken": token})).await;
    params
}

async fn reviewing() -> Desk {
    let mut desk = Desk::ready().await;
    desk.sends("/review ");
    list(&mut desk, &hunks()).await;
    desk.sees("1 of 3 changes to review").await;
    desk
}

#[tokio::test(start_paused = true)]
async fn the_foot_counts_what_waits() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    let mut first = hunk("h1", "a.rs", 0, "one\n", "1\n");
    desk.server.event(hunk_event("hunk.added", &first)).await;
    desk.sees("default · 1 change to review").await;
    desk.server.event(hunk_event("hunk.added", &hunk("h2", "b.rs", 0, "", "2\n"))).await;
    desk.sees("default · 2 changes to review").await;
    first.range.start.line = 3;
    desk.server.event(hunk_event("hunk.updated", &first)).await;
    first.state = HunkState::Superseded;
    desk.server.event(hunk_event("hunk.resolved", &first)).await;
    desk.server.event(event(json!({"type": "checkpoint.created", "messageId": "m1"}))).await;
    desk.server.event(event(json!({"type": "of.the.future", "x": 1}))).await;
    desk.server.event(turn_ended("end_turn")).await;
    desk.sees("default · 1 change to review").await;
    let text = desk.terminal.text();
    assert!(text.contains("› go\n\n───"), "no noise in the transcript:\n{text}");
}

#[tokio::test(start_paused = true)]
async fn one_after_the_other() {
    let mut desk = reviewing().await;
    desk.sees("1 + 1").await;
    // The second key comes before the first answer and is about the next change.
    desk.types("ar");
    assert_eq!(decided(&mut desk, "u1").await, json!({"hunkIds": ["h1"], "action": "accept"}));
    assert_eq!(decided(&mut desk, "u2").await, json!({"hunkIds": ["h2"], "action": "reject"}));
    desk.sees("rejected: a.rs:10-12").await;
    desk.types("cuse it");
    desk.sees("› use it").await;
    desk.key(KeyCode::Enter);
    let params = decided(&mut desk, "u3").await;
    assert_eq!(params, json!({"hunkIds": ["h3"], "action": "reject", "comment": "use it"}));
    desk.sees("Reviewed: 1 accepted, 2 rejected; nothing left").await;
    desk.sees_no("q leave").await;
    assert!(!desk.terminal.text().contains("to review ·"), "{}", desk.terminal.text());
}

#[tokio::test(start_paused = true)]
async fn lines_files_undo_and_reasons() {
    let mut desk = reviewing().await;
    desk.types("nl2-3r");
    let (id, params) = desk.server.expect("agent/review/resolve").await;
    let results = json!([{"hunkId": "h9", "state": "rejected"}]);
    desk.server.answer(id, json!({"results": results, "undoToken": "u1"})).await;
    let lines = json!([{"start": 1, "end": 3}]);
    assert_eq!(params, json!({"hunkIds": ["h2"], "action": "reject", "lines": lines}));
    // The rest of the change is still there.
    let mut left = hunks();
    left[1] = hunk("h2", "a.rs", 9, "", "x\n");
    list(&mut desk, &left).await;
    desk.sees("rejected: lines of a.rs:10-12").await;
    desk.sees("a.rs:10  2 of 3 changes to review").await;
    desk.types("u");
    let (id, params) = desk.server.expect("agent/session/unrewind").await;
    assert_eq!(params, json!({"undoToken": "u1"}));
    desk.server.answer(id, json!({})).await;
    list(&mut desk, &hunks()).await;
    desk.sees("The last decision is undone (1 change).").await;
    desk.sees("a.rs:10-12  2 of 3").await;
    desk.types("R");
    let (id, params) = desk.server.expect("agent/review/resolve").await;
    let file = "file:///w/a.rs";
    assert_eq!(params, json!({"uri": file, "sessionId": "s1", "action": "reject"}));
    let results = json!([
        {"hunkId": "h1", "state": "rejected"},
        {"hunkId": "h2", "state": "pending", "reason": "you have changed the same text since"},
    ]);
    desk.server.answer(id, json!({"results": results, "undoToken": "u2"})).await;
    desk.sees("rejected: a.rs:1").await;
    desk.sees("a.rs:10-12 is pending: you have").await;
    desk.types("q");
    desk.sees("Reviewed: 0 accepted, 1 rejected; 2 changes").await;
    desk.sees("default · 2 changes to review").await;
}

#[tokio::test(start_paused = true)]
async fn a_refusal_decides_nothing_and_drops_what_was_typed_ahead() {
    let mut desk = reviewing().await;
    desk.types("rr");
    let (id, _) = desk.server.expect("agent/review/resolve").await;
    let error = json!({"code": -32000, "message": "The editor did not answer."});
    desk.server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    list(&mut desk, &hunks()).await;
    desk.sees("Nothing was decided: The editor did not").await;
    desk.sees("1 of 3 changes").await;
    desk.key(KeyCode::Esc);
    desk.sees("default · 3 changes to review").await;
    assert!(!desk.terminal.text().contains("Reviewed"), "{}", desk.terminal.text());
}

#[tokio::test(start_paused = true)]
async fn all_at_once() {
    let mut desk = Desk::ready().await;
    desk.sends("/review accept");
    list(&mut desk, &[]).await;
    desk.sees("There is nothing to review.").await;
    desk.sends("/review reject");
    list(&mut desk, &hunks()).await;
    desk.sees("Reject 3 changes in 2 files?").await;
    desk.types("2");
    desk.sees("default · 3 changes to review").await;
    desk.sends("/review reject");
    list(&mut desk, &hunks()).await;
    desk.sees("Reject 3 changes in 2 files?").await;
    desk.types("1");
    let params = decided(&mut desk, "u1").await;
    assert_eq!(params, json!({"sessionId": "s1", "action": "reject"}));
    desk.sees("rejected: 3 changes").await;
    desk.sees_no("changes to review").await;
    desk.sends("/review undo");
    let (id, params) = desk.server.expect("agent/session/unrewind").await;
    assert_eq!(params, json!({"undoToken": "u1"}));
    desk.server.answer(id, json!({})).await;
    list(&mut desk, &hunks()).await;
    desk.sees("default · 3 changes to review").await;
    desk.sends("/review accept");
    list(&mut desk, &hunks()).await;
    assert_eq!(decided(&mut desk, "u2").await["action"], "accept");
    desk.sees("accepted: 3 changes").await;
}

#[tokio::test(start_paused = true)]
async fn a_question_does_not_take_a_decision_for_its_answer() {
    let mut desk = reviewing().await;
    desk.server.send(&permission()).await;
    desk.sees("Yes, all edits").await;
    // `a` would allow all edits; it was meant for the change.
    desk.types("a");
    assert_eq!(decided(&mut desk, "u1").await["hunkIds"], json!(["h1"]));
    tokio::time::sleep(std::time::Duration::from_secs(1)).await;
    desk.types("n");
    let answer = desk.server.receive().await;
    assert_eq!(answer["result"]["optionId"], "no", "{answer}");
    desk.sees("1 of 2 changes to review").await;
}

#[tokio::test(start_paused = true)]
async fn what_is_settled_elsewhere_leaves_the_review() {
    let mut desk = reviewing().await;
    for mut one in hunks() {
        one.state = HunkState::Accepted;
        desk.server.event(hunk_event("hunk.resolved", &one)).await;
    }
    desk.sees_no("to review").await;
    desk.types("a");
    desk.sees("› a").await;
}
