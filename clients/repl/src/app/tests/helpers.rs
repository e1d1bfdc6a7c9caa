//! What helpers of the server say: a guess at the next prompt, a line about calls, what was missed.

use serde_json::json;

use super::flows::{event, turn_ended, turn_started};
use super::*;

async fn suggest(desk: &mut Desk, text: &str) {
    desk.server.event(event(json!({"type": "suggestion", "text": text}))).await;
}

#[tokio::test(start_paused = true)]
async fn a_suggestion_is_shown_and_taken_by_a_key() {
    let mut desk = Desk::ready().await;
    suggest(&mut desk, "run the tests").await;
    desk.sees("› run the tests").await;
    // It is no text yet: Enter sends nothing, and typing goes first.
    desk.key(KeyCode::Enter);
    desk.types("x");
    desk.sees_no("run the tests").await;
    desk.key(KeyCode::Backspace);
    desk.sees("› run the tests").await;
    desk.key(KeyCode::Tab);
    desk.types(" now");
    desk.key(KeyCode::Enter);
    assert_eq!(desk.server.accept_prompt("m1").await, "run the tests now");
    desk.server.event(turn_started()).await;
    desk.server.event(turn_ended("end_turn")).await;
    suggest(&mut desk, "commit this").await;
    desk.sees("› commit this").await;
    desk.key(KeyCode::Right);
    desk.key(KeyCode::Enter);
    assert_eq!(desk.server.accept_prompt("m2").await, "commit this");
}

#[tokio::test(start_paused = true)]
async fn what_was_missed_is_told() {
    let mut desk = Desk::ready().await;
    let missed = json!({"type": "away.summarized", "text": "The parser is done."});
    desk.server.event(event(missed)).await;
    desk.sees("While you were away: The parser is").await;
    let calls =
        json!({"type": "tools.summarized", "toolCallIds": ["c1"], "text": "Read the parser"});
    desk.server.event(event(calls)).await;
    desk.sees("Read the parser").await;
}
