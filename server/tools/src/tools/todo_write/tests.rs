//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::testing::Desk;
use serde_json::json;

#[tokio::test]
async fn the_list_is_kept() {
    let desk = Desk::new(&[]);
    let step = |content: &str, status: &str| json!({"content": content, "status": status, "activeForm": "…"});
    let input = json!({"todos": [step("Plan", "completed"), step("Build", "in_progress")]});
    let report = desk.call("TodoWrite", input).await;
    assert_eq!(desk.words(&report), "The list is kept. Go on with: Build");
    assert_eq!(report.todos, Some(desk.session.todos()));
    assert_eq!(desk.session.todos().len(), 2);
    assert!(desk.user.asked().is_empty());
    let text = desk.ok("TodoWrite", json!({"todos": []})).await;
    assert_eq!(text, "The list is kept. All steps are done.");
    let text = desk.err("TodoWrite", json!({"todos": [step(" ", "pending")]})).await;
    assert!(text.contains("has no content"), "{text}");
    let text = desk.err("TodoWrite", json!({"todos": [step("x", "done")]})).await;
    assert!(text.contains("unknown variant `done`"), "{text}");
}
