//! Going back to an earlier message.

use serde_json::{Value, json};

use super::flows::{event, turn_ended};
use super::*;
use crate::state::changes::tests::hunk;

/// The n-th prompt `m<n>`, which changes the file `m<n>.rs`.
async fn says(desk: &mut Desk, message: &str, text: &str) {
    desk.sends(text);
    desk.server.accept_prompt(message).await;
    desk.server
        .event(event(json!({"type": "turn.started", "turnId": "t1", "messageId": message})))
        .await;
    desk.server
        .event(event(json!({"type": "tool.started", "toolCallId": format!("call-{message}"),
            "name": "Edit", "title": "Edit a.rs", "kind": "edit"})))
        .await;
    let change = hunk(message, &format!("{message}.rs"), 0, "", "x\n");
    desk.server.event(event(json!({"type": "hunk.added", "hunk": change}))).await;
    desk.sees(&format!("default · {} change", message.trim_start_matches('m'))).await;
    desk.server.event(turn_ended("end_turn")).await;
    desk.sees_no("esc to interrupt").await;
}

/// Two prompts, each of which changed a file.
async fn talked() -> Desk {
    let mut desk = Desk::ready().await;
    says(&mut desk, "m1", "first thing").await;
    says(&mut desk, "m2", "second thing").await;
    desk.sees("2 changes to review").await;
    desk
}

fn preview() -> Value {
    json!({
        "files": [{"uri": "file:///w/m2.rs", "version": null, "change": "restored",
            "addedLines": 3, "removedLines": 1}],
        "hunks": [hunk("m2", "m2.rs", 0, "", "x\n")],
        "conflicts": [{"uri": "file:///w/b.rs", "version": null, "reason": "you changed it"}],
    })
}

/// Picks the newest message and everything, up to the preview.
async fn previewed(desk: &mut Desk) {
    desk.sends("/rewind ");
    desk.sees("❯ 1. second thing  just now · 1 file changed since").await;
    desk.sees("2. first thing  just now · 2 files changed").await;
    desk.key(KeyCode::Enter);
    desk.sees("4. cancel").await;
    desk.types("1");
    let (id, params) = desk.server.expect("agent/session/rewind").await;
    let expect = json!({"sessionId": "s1", "toMessage": "m2", "what": "both", "preview": true});
    assert_eq!(params, expect);
    desk.server.answer(id, preview()).await;
    desk.sees("Rewind to before: second thing").await;
}

async fn rewound(desk: &mut Desk, event_first: bool) {
    let (id, params) = desk.server.expect("agent/session/rewind").await;
    assert_eq!(params, json!({"sessionId": "s1", "toMessage": "m2", "what": "both"}));
    let rewound = event(json!({"type": "session.rewound", "toMessage": "m2", "what": "both",
        "undoToken": "u1"}));
    let mut result = preview();
    result["undoToken"] = json!("u1");
    if event_first {
        desk.server.event(rewound).await;
        desk.server.answer(id, result).await;
    } else {
        desk.server.answer(id, result).await;
        desk.server.event(rewound).await;
    }
    desk.sees("Rewound: 1 file (+3 −1), 1 change taken back").await;
}

/// After the conversation is back the client asks what it is made of.
async fn told_again(desk: &mut Desk) {
    let (id, params) = desk.server.expect("agent/session/attach").await;
    assert_eq!(params, json!({"sessionId": "s1"}));
    let message = |id: &str, text: &str| json!({"messageId": id, "role": "user", "blocks": [{"type": "text", "text": text}]});
    let messages = [message("m1", "first thing"), message("m2", "second thing")];
    let usage = json!({"used": 0, "window": 0, "costUsd": 0.0});
    let snapshot = json!({"messages": messages, "todos": [], "usage": usage});
    let result = json!({"sessionId": "s1", "snapshot": snapshot, "events": [], "seq": 99,
        "config": {"mode": "default", "model": "rehearsal"}, "commands": [], "agents": [],
        "pending": []});
    desk.server.answer(id, result).await;
    desk.sees("after: second thing").await;
}

#[tokio::test(start_paused = true)]
async fn both_and_back_again() {
    for event_first in [true, false] {
        let mut desk = talked().await;
        previewed(&mut desk).await;
        for part in ["m2.rs restored +3 −1", "1 change taken back", "b.rs: you changed it"] {
            desk.sees(part).await;
        }
        desk.types("1");
        rewound(&mut desk, event_first).await;
        desk.sees("› second thing\n───").await;
        let text = desk.terminal.text();
        assert_eq!(text.matches("— rewound to before: second thing").count(), 1, "{text}");
        desk.press(KeyCode::Char('u'), KeyModifiers::CONTROL);
        desk.sends("/rewind ");
        desk.sees("❯ 1. first thing").await;
        desk.key(KeyCode::Esc);
        desk.sends("/rewind undo");
        let (id, params) = desk.server.expect("agent/session/unrewind").await;
        assert_eq!(params, json!({"undoToken": "u1"}));
        desk.server.event(event(json!({"type": "session.unrewound"}))).await;
        desk.server.answer(id, json!({})).await;
        told_again(&mut desk).await;
        desk.sends("/rewind ");
        desk.sees("❯ 1. second thing").await;
        desk.sees("2. first thing").await;
        desk.key(KeyCode::Esc);
        desk.sends("/rewind undo");
        desk.sees("There is no rewind to undo.").await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_rewind_that_cannot_be_undone_says_why_once() {
    let mut desk = talked().await;
    previewed(&mut desk).await;
    desk.types("1");
    rewound(&mut desk, true).await;
    desk.press(KeyCode::Char('u'), KeyModifiers::CONTROL);
    desk.sends("/rewind undo");
    let (id, _) = desk.server.expect("agent/session/unrewind").await;
    let error = json!({"code": -32000, "message": "The conversation went on."});
    desk.server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    desk.sees("▪ The conversation went on.").await;
    desk.sends("/rewind undo");
    desk.sees("There is no rewind to undo.").await;
}

#[tokio::test(start_paused = true)]
async fn the_prompt_can_be_changed_and_sent_again() {
    let mut desk = talked().await;
    previewed(&mut desk).await;
    desk.types("1");
    rewound(&mut desk, true).await;
    desk.sees("› second thing\n───").await;
    desk.types(" but better");
    desk.key(KeyCode::Enter);
    assert_eq!(desk.server.accept_prompt("m3").await, "second thing but better");
    desk.sees("› second thing but better").await;
}

#[tokio::test(start_paused = true)]
async fn cancelling_at_any_step_changes_nothing() {
    let mut desk = talked().await;
    desk.sends("/rewind ");
    desk.sees("Go back to before which message?").await;
    desk.key(KeyCode::Esc);
    desk.sees_no("Go back to before which message?").await;
    for keys in ["1", "4"] {
        desk.sends("/rewind ");
        desk.sees("Go back to before which message?").await;
        desk.types("1");
        desk.sees("What goes back to before: second thing").await;
        if keys == "4" {
            desk.types("4");
        } else {
            desk.key(KeyCode::Esc);
        }
        desk.sees_no("What goes back").await;
    }
    for keys in ["2", "esc"] {
        previewed(&mut desk).await;
        if keys == "2" {
            desk.types("2");
        } else {
            desk.key(KeyCode::Esc);
        }
        desk.sees_no("Rewind to before").await;
    }
    // The next thing the server hears is not about a rewind.
    desk.sends("third thing");
    assert_eq!(desk.server.accept_prompt("m3").await, "third thing");
    assert!(!desk.terminal.text().contains("— rewound"), "{}", desk.terminal.text());
}

#[tokio::test(start_paused = true)]
async fn escape_twice_opens_the_list() {
    let mut desk = talked().await;
    desk.key(KeyCode::Esc);
    desk.sees("Press Esc again to go back").await;
    desk.sees_no("Press Esc again to go back").await;
    // Too late: it counts as a first one again.
    desk.key(KeyCode::Esc);
    desk.sees("Press Esc again to go back").await;
    desk.key(KeyCode::Esc);
    desk.sees("Go back to before which message?").await;
    desk.key(KeyCode::Esc);
    desk.types("draft");
    desk.key(KeyCode::Esc);
    desk.key(KeyCode::Esc);
    desk.sees("› draft").await;
    desk.key(KeyCode::Enter);
    assert_eq!(desk.server.accept_prompt("m3").await, "draft");
}

#[tokio::test(start_paused = true)]
async fn nothing_to_go_back_to_a_running_turn_and_a_refusal() {
    let mut desk = Desk::ready().await;
    desk.sends("/rewind ");
    desk.sees("There is no message to go back to yet.").await;
    desk.sends("/rewind m7 both");
    desk.sees("There is no message m7; /rewind lists them.").await;
    desk.sends("/rewind m7 nonsense");
    desk.sees("`nonsense` cannot be rewound").await;
    says(&mut desk, "m1", "first thing").await;
    desk.sends("/rewind m1 files");
    let (id, params) = desk.server.expect("agent/session/rewind").await;
    assert_eq!((&params["what"], &params["preview"]), (&json!("files"), &json!(true)));
    desk.server.answer(id, json!({"files": [], "hunks": [], "conflicts": []})).await;
    desk.sees("No file was changed after that message.").await;
    desk.sends("/rewind m1 both");
    let (id, _) = desk.server.expect("agent/session/rewind").await;
    let error = json!({"code": -32000, "message": "It was summed up."});
    desk.server.send(&json!({"jsonrpc": "2.0", "id": id, "error": error})).await;
    desk.sees("Nothing was rewound: It was summed up.").await;
    desk.sends("go");
    desk.server.accept_prompt("m2").await;
    desk.sends("/rewind ");
    desk.sees("A turn runs; stop it with Esc, then rewind.").await;
}

#[tokio::test(start_paused = true)]
async fn a_rewind_at_another_door_is_told() {
    let mut desk = talked().await;
    desk.server
        .event(event(json!({"type": "session.rewound", "toMessage": "m1",
            "what": "conversation", "undoToken": "u9"})))
        .await;
    desk.sees("— rewound to before: first thing").await;
    desk.sends("/rewind ");
    desk.sees("There is no message to go back to yet.").await;
}
