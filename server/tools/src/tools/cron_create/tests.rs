//! Planned prompts: made, listed, taken back.

use crate::testing::Desk;
use serde_json::json;

#[tokio::test]
async fn a_prompt_is_planned_listed_and_taken_back() {
    let desk = Desk::new(&[]);
    assert_eq!(desk.ok("CronList", json!({})).await, "No prompts are planned.");
    let text = desk.ok("CronCreate", json!({"cron": "*/5 * * * *", "prompt": "look"})).await;
    assert!(
        text.starts_with("The prompt p1 is planned: due at \"*/5 * * * *\", each time"),
        "{text}"
    );
    assert!(desk.editor.errands.planned.lock().unwrap()[0].recurring);
    assert_eq!(desk.ok("CronList", json!({})).await, "p1  */5 * * * * look");
    let text = desk.err("CronDelete", json!({"id": "p2"})).await;
    assert!(text.contains("CronList lists them"), "{text}");
    desk.ok("CronDelete", json!({"id": "p1"})).await;
    assert_eq!(desk.ok("CronList", json!({})).await, "No prompts are planned.");
    let text = desk.err("CronCreate", json!({"cron": "soon", "prompt": "look"})).await;
    assert!(text.contains("Write five fields"), "{text}");
    let text = desk.err("CronCreate", json!({"cron": "* * * * *", "prompt": " "})).await;
    assert!(text.contains("Say what is to be done"), "{text}");
}
