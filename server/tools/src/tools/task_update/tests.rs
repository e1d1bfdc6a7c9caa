//! The task tools as a session calls them: through the pipeline.

use crate::testing::Desk;
use serde_json::json;

#[tokio::test]
async fn tasks_from_beginning_to_end() {
    let desk = Desk::new(&[]);
    let create = async |subject: &str| {
        desk.ok("TaskCreate", json!({ "subject": subject, "description": "…" })).await
    };
    assert_eq!(create("Cast off").await, "Task 1 is added: Cast off");
    create("Set sail").await;
    let wait = json!({ "taskId": "2", "addBlockedBy": ["1"], "owner": "the mate" });
    assert_eq!(desk.ok("TaskUpdate", wait).await, "Task 2 is changed.");
    let list = "1. [pending] Cast off\n2. [pending] Set sail (the mate) – waits for 1";
    assert_eq!(desk.ok("TaskList", json!({})).await, list);
    let begin = |id: &str| json!({ "taskId": id, "status": "in_progress" });
    assert!(desk.ok("TaskUpdate", begin("2")).await.contains("waits for 1: do those first"));
    let done = json!({ "taskId": "1", "status": "completed" });
    let report = desk.call("TaskUpdate", done).await;
    assert_eq!(desk.words(&report), "Task 1 is done. Next: 2 Set sail");
    assert_eq!(report.todos, Some(desk.session.todos()));
    assert_eq!(report.board, Some(desk.session.board()));
    let text = desk.ok("TaskGet", json!({ "taskId": "2" })).await;
    assert!(text.contains("Waits for: 1") && text.contains("Owner: the mate"), "{text}");
    assert!(desk.err("TaskGet", json!({ "taskId": "9" })).await.contains("TaskList shows the ids"));
    let circle = json!({ "taskId": "1", "addBlockedBy": ["2"] });
    assert!(desk.err("TaskUpdate", circle).await.contains("neither could begin"));
    let text = desk.ok("TaskUpdate", json!({ "taskId": "2", "status": "deleted" })).await;
    assert_eq!(text, "Task 2 is deleted.");
    assert!(
        desk.err("TaskCreate", json!({ "subject": " ", "description": "" }))
            .await
            .contains("empty")
    );
    assert!(desk.user.asked().is_empty());
}
