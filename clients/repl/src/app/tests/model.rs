//! How hard the model works.

use serde_json::json;

use super::*;

#[tokio::test(start_paused = true)]
async fn effort_is_chosen_by_name_or_from_a_list() {
    let mut desk = Desk::ready().await;
    desk.sends("/effort high");
    let (id, params) = desk.server.expect("agent/session/config").await;
    assert_eq!(params["set"], json!({"effort": "high"}));
    desk.server
        .answer(id, json!({"config": {"mode": "default", "model": "rehearsal", "effort": "high"}}))
        .await;
    desk.sends("/effort ");
    desk.sees("How hard the model works").await;
    desk.press(KeyCode::Esc, KeyModifiers::NONE);
    desk.sends("/effort hard");
    desk.sees("There is no effort `hard`").await;
}
