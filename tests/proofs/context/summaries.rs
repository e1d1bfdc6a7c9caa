//! What summaries must not lose, and what happens when none comes about.

use super::*;

/// Facts of all kinds, which a summariser is told to keep.
const FACTS: [&str; 4] = [
    "The user wants British spelling, never American.",
    "`cargo test -p hull` takes 41 s and fails in `keel::bends`.",
    "src/keel.rs:117 holds `const DRAFT: f64 = 2.75`.",
    "Tried and failed: pinning serde to 1.0.150.",
];

async fn sum_up(stage: &mut Stage) {
    let params = compact(stage, Some("keep the facts"));
    stage.client.request::<SessionCompact>(params).await;
    let is_ended = |event: &protocol::Event| matches!(event.body, EventBody::CompactionEnded(_));
    stage.client.next_event("the end of it", is_ended).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_survive_two_summaries_and_a_restart() {
    let (early, late) = (FACTS[..2].join("\n"), FACTS.join("\n"));
    let script = summary(Scenario::new().text("noted"), &early).answer().text("noted, too");
    let script = summary(script, &late).answer().text("before").answer().text("after");
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, &early).await;
    sum_up(&mut stage).await;
    stage.client.ask(&stage.session, &FACTS[2..].join("\n")).await;
    sum_up(&mut stage).await;
    // The second summariser was shown what the first had kept.
    let shown = serde_json::to_string(&messages(&stage.model, 3)).unwrap();
    let in_json = |fact: &str| json!(fact).to_string().trim_matches('"').to_owned();
    for fact in FACTS {
        assert!(shown.contains(&in_json(fact)), "{fact}: {shown}");
    }
    stage.client.ask(&stage.session, "go on").await;
    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "and now?").await;
    for request in [4, 5] {
        let sent = serde_json::to_string(&messages(&model, request)).unwrap();
        for fact in FACTS {
            assert_eq!(sent.matches(&in_json(fact)).count(), 1, "{fact} in {request}: {sent}");
        }
        assert!(!sent.contains("noted, too"), "the rest is gone: {sent}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_comes_back_after_a_summary() {
    let plan = json!({ "plan": "1. Caulk the seams\n2. Launch" });
    let script = Scenario::new().tool("EnterPlanMode", json!({})).answer();
    let script = script.tool("ExitPlanMode", plan).answer().text("at work");
    let script = summary(script, "They build a boat.").answer().text("on");
    let mut stage = Stage::new("", script).await;
    stage.client.prompt(&stage.session, "build a boat").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.choose(asked, "allow_once");
    stage.client.turn_ended(&stage.session).await;
    sum_up(&mut stage).await;
    stage.client.ask(&stage.session, "go on").await;
    let sent = serde_json::to_string(&messages(&stage.model, 4)).unwrap();
    assert!(sent.contains("The plan that the user approved"), "{sent}");
    assert!(sent.contains("1. Caulk the seams\\n2. Launch"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_always_says_too_long_is_not_asked_for_summaries_forever() {
    let script = Scenario::new().when(ASKED).text("<summary></summary>").forever();
    let mut script = script.answer().when("first").text("one");
    for _ in 0..5 {
        script = script.answer().when("again").refuse(400, TOO_LONG, &[]);
    }
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "first").await;
    for _ in 0..5 {
        let turned = stage.client.ask(&stage.session, "again").await;
        assert_eq!(turned.ended.stop_reason, StopReason::PromptTooLong, "{:?}", turned.types());
    }
    let asked = |request: &model::Captured| request.body.to_string().contains(ASKED);
    assert_eq!(stage.model.requests().iter().filter(|request| asked(request)).count(), 3);
    let failed = |record: &Value| record["type"] == "helped" && record["what"] == "summary";
    let paid = stage.project.journal().iter().filter(|record| failed(record)).count();
    assert_eq!(paid, 3, "what they cost is counted");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_stopped_while_it_waits_for_a_summary_says_so() {
    let project = small(Project::new(""));
    let script = Scenario::new().text("hello").usage(filled(19_000)).answer().when(ASKED).hang();
    let script = summary(script, "They greeted.").answer().text("after");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "hi").await;
    stage.client.prompt(&stage.session, "more").await;
    let begins = |event: &protocol::Event| matches!(event.body, EventBody::CompactionStarted(_));
    stage.client.next_event("a summary", begins).await;
    let cancelled = stage.client.cancel(&stage.session).await;
    assert_eq!(cancelled.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    let ended = summed_up(&turned);
    assert_eq!(ended.len(), 1, "{:?}", turned.types());
    assert!(ended[0].summary.is_none() && ended[0].error.is_none(), "{ended:?}");
    assert_eq!(stage.client.ask(&stage.session, "go").await.text(), "after");
}
