//! How hard the model works.

use serde_json::json;

use super::*;

#[tokio::test(start_paused = true)]
async fn effort_is_chosen_by_name_or_from_a_list() {
    let mut desk = Desk::ready().await;
    // With a word it is the server's.
    desk.sends("/effort high");
    let (id, params) = desk.server.expect("agent/session/prompt").await;
    assert_eq!(params["content"][0]["text"], "/effort high");
    desk.server.answer(id, json!({"messageId": "m1", "disposition": "handled"})).await;
    desk.sends("/effort ");
    desk.sees("How hard the model works").await;
    desk.key(KeyCode::Enter);
    let (_, params) = desk.server.expect("agent/session/config").await;
    assert_eq!(params["set"], json!({"effort": "medium"}));
}
