//! Questions with choices, and plans that the user approves before anything changes.

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::ask::Ask;
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_question_with_choices_is_put_to_the_user() {
    let ask = json!({ "questions": [
        { "question": "Which harbour?", "header": "Harbour", "options": [
            { "label": "North", "description": "Deep water" },
            { "label": "South", "description": "Close by" },
        ]},
        { "question": "What to load?", "header": "Load", "multiSelect": true, "options": [
            { "label": "Water" }, { "label": "Rope" },
        ]},
    ]});
    let script = Scenario::new().tool("AskUserQuestion", ask).answer().text("ok");
    let mut stage = Stage::in_mode("", script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, params) = stage.client.expect_request::<Ask>().await;
    let questions = params.questions.unwrap();
    assert_eq!(questions[0].text, "Which harbour?");
    assert_eq!(questions[0].options[1].description.as_deref(), Some("Close by"));
    assert_eq!(questions[1].multi_select, Some(true));
    let content = json!({ "q1": "South", "q2": ["Water", "a map"] });
    stage.client.answer(asked, json!({ "action": "accept", "content": content }));
    let turned = stage.client.turn_ended(&stage.session).await;
    let told = "The user answered:\nWhich harbour?\n→ South\nWhat to load?\n→ Water, a map";
    assert_eq!(turned.call().text, told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_shown_rejected_improved_and_carried_out() {
    let plan = |text: &str| json!({ "plan": text });
    let write = json!({ "file_path": "{{cwd}}/log", "content": "cast off\n" });
    let script = Scenario::new()
        .tool("EnterPlanMode", json!({}))
        .answer()
        .tool("Write", write.clone())
        .answer()
        .tool("ExitPlanMode", plan("1. Sail"))
        .answer()
        .when("Check the weather")
        .tool("ExitPlanMode", plan("1. Check the weather\n2. Sail"))
        .answer()
        .when("has approved the plan")
        .tool("Write", write)
        .answer()
        .text("done");
    let mut stage = Stage::set(Project::new(""), script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Plan(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!(subject.text, "1. Sail");
    stage.client.deny(asked, Some("Check the weather"));
    let (asked, request) = stage.client.permission().await;
    let offered: Vec<_> = request.options.iter().map(|option| option.id.as_str()).collect();
    assert_eq!(offered, ["allow_once", "allow_edits", "deny_once"]);
    stage.client.choose(asked, "allow_edits");
    let turned = stage.client.turn_ended(&stage.session).await;
    let calls = turned.calls();
    let ends: Vec<_> = calls.iter().map(|call| call.status.clone()).collect();
    let (done, denied) = (ToolStatus::Completed, ToolStatus::Denied);
    assert_eq!(ends, [done.clone(), denied.clone(), denied, done.clone(), done], "{calls:?}");
    assert_eq!(stage.project.read("log"), "cast off\n");
    let steps = turned.events.iter().find_map(|event| match &event.body {
        EventBody::PlanUpdated(plan) => Some(plan.entries.len()),
        _ => None,
    });
    assert_eq!(steps, Some(2));
    let file = stage.project.bowline_home().join("plans").join(format!("{}.md", stage.session));
    assert_eq!(files::read(&file), "1. Check the weather\n2. Sail\n");
    assert!(calls[3].text.contains("Mode: acceptEdits."), "{calls:?}");
}
