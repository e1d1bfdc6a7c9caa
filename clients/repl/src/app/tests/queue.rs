//! Prompts that wait, and words for the running turn.

use serde_json::json;

use super::flows::{event, turn_started};
use super::*;

#[tokio::test(start_paused = true)]
async fn a_word_for_the_turn_that_runs() {
    let mut desk = Desk::ready().await;
    desk.sends("go");
    desk.server.accept_prompt("m1").await;
    desk.server.event(turn_started()).await;
    desk.sees("esc to interrupt").await;
    desk.types("be brief");
    desk.press(KeyCode::Char('s'), KeyModifiers::CONTROL);
    let (id, params) = desk.server.expect("agent/session/prompt").await;
    assert_eq!(
        (&params["delivery"], &params["content"][0]["text"]),
        (&json!("steer"), &json!("be brief"))
    );
    let result = json!({"messageId": "m2", "turnId": "t1", "disposition": "steered"});
    desk.server.answer(id, result).await;
    desk.sees("› be brief").await;
}

#[tokio::test(start_paused = true)]
async fn what_waits_is_listed_moved_changed_and_taken_back() {
    let mut desk = Desk::ready().await;
    let queue = json!([{"messageId": "m8", "content": [{"type": "text", "text": "one"}]},
        {"messageId": "m9", "content": [{"type": "text", "text": "two"}]}]);
    desk.server.event(event(json!({"type": "queue.updated", "queue": queue}))).await;
    desk.sees("› two").await;
    desk.sends("/queue");
    let (id, params) = desk.server.expect("agent/session/queue").await;
    assert_eq!(params, json!({"sessionId": "s1", "op": "list"}));
    desk.server.answer(id, json!({ "queue": queue })).await;
    desk.sees("  2  two").await;
    for (typed, expect) in [
        ("/queue move 2 1", json!({"sessionId": "s1", "op": "move", "messageId": "m9", "to": 0})),
        ("/queue remove 1", json!({"sessionId": "s1", "op": "remove", "messageId": "m8"})),
        (
            "/queue edit 2 three",
            json!({"sessionId": "s1", "op": "replace", "messageId": "m9",
            "content": [{"type": "text", "text": "three"}]}),
        ),
    ] {
        desk.sends(typed);
        let (id, params) = desk.server.expect("agent/session/queue").await;
        assert_eq!(params, expect, "{typed}");
        desk.server.answer(id, json!({ "queue": [] })).await;
    }
    desk.sends("/queue remove 7");
    desk.sees("No prompt number 7 waits").await;
    desk.sends("/queue edit 1");
    desk.sees("› /queue edit 1 one").await;
}
