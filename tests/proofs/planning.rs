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
    assert_eq!(offered, ["allow_once", "allow_edits", "allow_auto", "deny_once"]);
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

/// A plan that is written to its file, and how each answer goes on.
#[tokio::test(flavor = "multi_thread")]
async fn each_answer_to_a_plan_has_its_own_way_on() {
    for (option, mode, asks) in [
        ("allow_once", "default", true),
        ("allow_edits", "acceptEdits", false),
        ("allow_auto", "auto", false),
    ] {
        let project = Project::new("");
        project.user_settings(&json!({ "fastModel": "claude-haiku-4-5" }));
        let script = Scenario::new()
            .tool("EnterPlanMode", json!({}))
            .answer()
            .when("Plan mode is on")
            .tool("Write", json!({ "file_path": "{{prompt}}", "content": "unused" }))
            .answer()
            .when("has approved the plan")
            .tool("Write", json!({ "file_path": "{{cwd}}/log", "content": "cast off\n" }))
            .answer()
            .when("what_the_user_said")
            .forever()
            .text("ALLOW: it is what the user wants")
            .answer()
            .when("log")
            .text("done")
            .answer()
            .tool("ExitPlanMode", json!({ "plan": "1. Sail" }));
        let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
        stage.client.prompt(&stage.session, "go").await;
        let (asked, request) = stage.client.permission().await;
        let offered: Vec<_> = request.options.iter().map(|option| option.id.as_str()).collect();
        assert_eq!(offered, ["allow_once", "allow_edits", "allow_auto", "deny_once"]);
        stage.client.choose(asked, option);
        if asks {
            let (asked, _) = stage.client.permission().await;
            stage.client.allow(asked);
        }
        let turned = stage.client.turn_ended(&stage.session).await;
        let approved = turned.calls().into_iter().find(|call| call.text.contains("has approved"));
        let approved = approved.unwrap_or_else(|| panic!("{turned:?}"));
        assert!(approved.text.contains(&format!("Mode: {mode}.")), "{approved:?}");
        assert_eq!(stage.project.read("log"), "cast off\n", "{option}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plans_file_is_the_only_one_that_may_be_written() {
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": "{{cwd}}/log", "content": "x" }))
        .answer()
        .when("Plan mode is on: nothing may be changed")
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .text("refused");
    let mut stage = Stage::in_mode("", script, Mode::Plan).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(turned.calls().iter().all(|call| call.status == ToolStatus::Denied), "{turned:?}");
    let first = stage.model.requests()[0].body["messages"].to_string();
    let file = stage.project.bowline_home().join("plans").join(format!("{}.md", stage.session));
    assert!(first.contains(&file.display().to_string()), "the model knows where: {first}");
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": file, "content": "1. Sail\n" }))
        .answer()
        .tool("ExitPlanMode", json!({}))
        .answer()
        .text("done");
    let model = kit::model(script).await;
    let server = kit::Server::start(&stage.project, Some(&model));
    stage.client.close_session(&stage.session).await;
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    client.attach(&stage.session, None).await;
    let set = protocol::session::ConfigChange { mode: Some(Mode::Plan), ..Default::default() };
    let params = protocol::session::SessionConfigParams {
        session_id: stage.session.clone(),
        set: Some(set),
    };
    client.request::<protocol::session::SessionConfig>(params).await;
    client.prompt(&stage.session, "plan").await;
    let (asked, request) = client.permission().await;
    let Subject::Plan(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!(subject.text, "1. Sail");
    client.deny(asked, None);
    client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_screen_a_plan_stays_a_plan() {
    let project = Project::new("");
    let script = Scenario::new()
        .tool("ExitPlanMode", json!({ "plan": "1. Sail" }))
        .answer()
        .when("give it as your answer")
        .text("1. Sail");
    let model = kit::model(script).await;
    let args = ["-p", "go", "--permission-mode", "plan"];
    let done = kit::Bowline::new(&project).model(&model).args(&args).run().await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "1. Sail\n"), "{done:?}");
}

/// Whoever had more freedom before the plan, or less, does not lose it by planning.
#[tokio::test(flavor = "multi_thread")]
async fn what_comes_after_a_plan_depends_on_what_was_before_it() {
    for (before, option, after) in [
        (Mode::BypassPermissions, "allow_edits", "bypassPermissions"),
        (Mode::BypassPermissions, "allow_once", "default"),
        (Mode::AcceptEdits, "allow_once", "default"),
        (Mode::Auto, "allow_edits", "auto"),
    ] {
        let project = Project::new("");
        project.user_settings(&json!({ "fastModel": "claude-haiku-4-5" }));
        let script = Scenario::new()
            .tool("EnterPlanMode", json!({}))
            .answer()
            .when("Plan mode is on")
            .tool("ExitPlanMode", json!({ "plan": "1. Sail" }))
            .answer()
            .text("done");
        let mut stage = Stage::set(project, script, before.clone()).await;
        stage.client.prompt(&stage.session, "go").await;
        let (asked, _) = stage.client.permission().await;
        stage.client.choose(asked, option);
        let turned = stage.client.turn_ended(&stage.session).await;
        let left = turned.calls().into_iter().find(|call| call.name == "ExitPlanMode").unwrap();
        assert!(left.text.contains(&format!("Mode: {after}.")), "{before} {option}: {left:?}");
        let config = turned.events.iter().rev().find_map(|event| match &event.body {
            EventBody::ConfigUpdated(updated) => Some(updated.config.mode.to_string()),
            _ => None,
        });
        assert_eq!(config.as_deref(), Some(after), "{before} {option}");
    }
}
