//! In and out of plan mode.

use crate::pipeline::Answer;
use crate::testing::Desk;
use crate::tool::Preview;
use policy::Mode;
use serde_json::json;

#[tokio::test]
async fn a_plan_is_shown_before_anything_changes() {
    let mut desk = Desk::new(&[]);
    let text = desk.err("ExitPlanMode", json!({"plan": "x"})).await;
    assert!(text.contains("Plan mode is not on"), "{text}");
    desk.ok("EnterPlanMode", json!({})).await;
    desk.session.update_permissions(|permissions| permissions.mode = Mode::Plan);
    let text = desk.err("EnterPlanMode", json!({})).await;
    assert!(text.contains("on already"), "{text}");
    let text = desk.err("ExitPlanMode", json!({"plan": " "})).await;
    assert!(text.contains("The plan is empty"), "{text}");
    let text = desk.ok("ExitPlanMode", json!({"plan": "1. Cast off"})).await;
    assert_eq!(
        text,
        "The user has approved the plan; begin. It is kept in /plans/p.md. Mode: default."
    );
    assert_eq!(desk.user.asked()[0].preview, Preview::Plan { text: "1. Cast off".to_owned() });
    let feedback = Some("Check the weather".to_owned());
    desk.user.answer = Answer::Deny { reason: "the user said no.".to_owned(), feedback };
    let text = desk.err("ExitPlanMode", json!({"plan": "1. Cast off"})).await;
    assert!(text.contains("Check the weather"), "{text}");
}
