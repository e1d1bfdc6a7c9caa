//! What a session costs: by model, with everything that was asked beside the conversation, and with
//! a word when the provider's prompt cache was lost.

use agent::Usage;
use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, model, model_with};
use model::{Scenario, TestServer};
use protocol::event::StopReason;
use protocol::session::{
    ConfigChange, Mode, SessionConfig, SessionConfigParams, SessionCost, SessionCostResult,
    SessionRef,
};
use serde_json::json;

/// Only the question to the one who judges begins like this.
const JUDGE: &str = "Judge the action of this case.";
/// Only the question for a summary has this.
const SUMMARY: &str = "Write that summary now";

fn wrote(output_tokens: u64) -> Usage {
    Usage { input_tokens: 10, output_tokens, ..Usage::default() }
}

/// One call that another model judges, and an answer.
fn judged(tokens: u64) -> Scenario {
    let call = Scenario::new().tool("Bash", json!({ "command": "sh -c 'touch made'" }));
    let verdict = json!({ "verdict": "allow", "reason": "fine" }).to_string();
    let script = call.usage(wrote(100)).answer().when(JUDGE).text(&verdict).usage(wrote(tokens));
    script.answer().text("done").usage(wrote(50))
}

fn project() -> Project {
    let project = Project::new("");
    project
        .user_settings(&json!({ "fastModel": "claude-haiku-5-5", "helpers": { "title": false } }));
    project
}

async fn cost(stage: &mut Stage) -> SessionCostResult {
    let session_id = stage.session.clone();
    stage.client.request::<SessionCost>(SessionRef { session_id }).await
}

#[tokio::test(flavor = "multi_thread")]
async fn each_model_has_its_share_and_a_resumed_session_still_knows() {
    let (project, model) = (project(), model(judged(1_000)).await);
    let args = ["-p", "make it", "--permission-mode", "auto", "--output-format", "json"];
    let done = Bowline::new(&project).model(&model).args(&args).run().await;
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    let haiku = 10.0 * 0.10 / 1e6 + 1_000.0 * 0.50 / 1e6;
    let sonnet = 20.0 * 2.0 / 1e6 + 150.0 * 10.0 / 1e6;
    let used = &result["modelUsage"]["claude-haiku-5-5"];
    assert!((used["costUSD"].as_f64().unwrap() - haiku).abs() < 1e-9, "{result}");
    let mut used = result["modelUsage"]["claude-sonnet-5-5"].clone();
    assert!((used["costUSD"].as_f64().unwrap() - sonnet).abs() < 1e-9, "{result}");
    used["costUSD"] = json!(0);
    let expect = json!({ "inputTokens": 20, "outputTokens": 150, "cacheReadInputTokens": 0,
        "cacheCreationInputTokens": 0, "webSearchRequests": 0, "costUSD": 0,
        "contextWindow": 1_000_000, "maxOutputTokens": 128_000 });
    assert_eq!(used, expect);
    assert!((result["total_cost_usd"].as_f64().unwrap() - haiku - sonnet).abs() < 1e-9);
    assert_eq!(result["usage"]["output_tokens"], 150, "the answers of this turn only");

    // The journal knows it, by model.
    let more = kit::model(Scenario::new().text("ok").usage(wrote(50))).await;
    let args = ["-p", "more", "--continue", "--output-format", "json"];
    let done = Bowline::new(&project).model(&more).args(&args).run().await;
    let result: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(result["modelUsage"]["claude-haiku-5-5"]["outputTokens"], 1_000, "{result}");
    assert_eq!(result["modelUsage"]["claude-sonnet-5-5"]["outputTokens"], 200, "{result}");
    assert_eq!(result["usage"]["output_tokens"], 50);
}

/// Whoever is asked beside the conversation is paid from the same purse, while the turn runs.
#[tokio::test(flavor = "multi_thread")]
async fn a_budget_sees_what_helpers_cost() {
    let (project, model) = (project(), model(judged(1_000_000)).await);
    let limits = Limits { max_budget_usd: Some(0.4), ..Limits::default() };
    let server = Server::start_with(&project, model_with(&model), limits);
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(kit::session_in(Mode::Auto)).await;
    let turned = client.ask(&session, "make it").await;
    assert_eq!(turned.ended.stop_reason, StopReason::MaxBudget, "{turned:?}");
    assert_eq!(model.requests().len(), 2, "the call and its judgement, and nothing more");
}

fn full(summary: &str) -> Scenario {
    let filled = Usage { input_tokens: 19_000, output_tokens: 10, ..Usage::default() };
    let script = Scenario::new().text("one").usage(filled).answer().when(SUMMARY).text(summary);
    script.usage(wrote(100_000)).answer().text("two").usage(wrote(50))
}

async fn small_window(script: Scenario, limits: Limits) -> (Project, TestServer, Server) {
    let project = Project::new("");
    project.user_settings(&json!({ "autoCompactWindow": 20_000 }));
    let model = model(script).await;
    let server = Server::start_with(&project, model_with(&model), limits);
    (project, model, server)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_sees_what_a_summary_costs() {
    let limits = Limits { max_budget_usd: Some(0.9), ..Limits::default() };
    let (_project, model, server) = small_window(full("<summary>It was.</summary>"), limits).await;
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "first").await;
    let turned = client.ask(&session, "second").await;
    assert_eq!(turned.ended.stop_reason, StopReason::MaxBudget, "{turned:?}");
    assert_eq!(model.requests().len(), 2, "one answer and one summary");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_that_fails_costs_all_the_same() {
    let (_project, _model, server) =
        small_window(full("<summary></summary>"), Limits::default()).await;
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "first").await;
    assert_eq!(client.ask(&session, "second").await.text(), "two");
    let params = SessionRef { session_id: session };
    let cost = client.request::<SessionCost>(params).await;
    assert_eq!(cost.usage.output_tokens, 10 + 100_000 + 50, "{cost:?}");
    assert!(cost.cost_usd > 1.0, "{cost:?}");
}

fn cached(read: u64, written: u64) -> Usage {
    Usage {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        ..Usage::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lost_prompt_cache_is_told_with_its_reason() {
    let mut script = Scenario::new().text("hi").usage(cached(0, 50_000));
    for usage in [cached(50_000, 100), cached(0, 50_200), cached(0, 50_300), cached(0, 50_400)] {
        script = script.answer().text("hi").usage(usage);
    }
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "one").await;
    stage.client.ask(&stage.session, "two").await;
    assert_eq!(cost(&mut stage).await.cache_losses, None, "nothing was lost");
    stage.client.ask(&stage.session, "three").await;
    let losses = cost(&mut stage).await.cache_losses.unwrap();
    assert_eq!(losses.len(), 1, "{losses:?}");
    assert!(losses[0].contains("50100 tokens were read again: nothing that was sent changed"));

    let change = |set| SessionConfigParams { session_id: stage.session.clone(), set: Some(set) };
    let style = ConfigChange { output_style: Some("Explanatory".into()), ..Default::default() };
    let (style, haiku) = (
        change(style),
        change(ConfigChange { model: Some("haiku".into()), ..ConfigChange::default() }),
    );
    stage.client.request::<SessionConfig>(style).await;
    stage.client.ask(&stage.session, "four").await;
    let losses = cost(&mut stage).await.cache_losses.unwrap();
    assert!(losses[1].ends_with("the system prompt changed."), "{losses:?}");
    // Another model has a cache of its own; that is no loss.
    stage.client.request::<SessionConfig>(haiku).await;
    stage.client.ask(&stage.session, "five").await;
    assert_eq!(cost(&mut stage).await.cache_losses.unwrap().len(), 2);
}
