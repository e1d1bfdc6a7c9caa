//! The window: long results go to files, old ones are cleared, and a conversation that no longer fits
//! is summed up, without losing what the summary keeps.

mod clearing;
mod memory;
mod summaries;

use agent::Usage;
use kit::{Profile, Project, Server, Stage, files};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::event::{CompactionEnded, CompactionTrigger, StopReason};
use protocol::session::{
    CancelState, ContextKind, ContextShare, Mode, SessionCompact, SessionCompactParams,
    SessionContext, SessionCost, SessionRef,
};
use serde_json::{Value, json};

const ASKED: &str = "Write that summary now";
const TOO_LONG: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;

/// A window of twenty thousand tokens.
fn small(project: Project) -> Project {
    project.user_settings(&json!({ "autoCompactWindow": 20_000 }));
    project
}

fn filled(input_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens: 10, ..Usage::default() }
}

fn messages(model: &TestServer, at: usize) -> Vec<Value> {
    model.requests()[at].body["messages"].as_array().unwrap().clone()
}

fn summed_up(turned: &kit::Turned) -> Vec<&CompactionEnded> {
    let ended = turned.events.iter().filter_map(|event| match &event.body {
        EventBody::CompactionEnded(ended) => Some(ended),
        _ => None,
    });
    ended.collect()
}

fn compact(stage: &Stage, instructions: Option<&str>) -> SessionCompactParams {
    let (session_id, instructions) = (stage.session.clone(), instructions.map(str::to_owned));
    SessionCompactParams { session_id, instructions }
}

fn summary(script: Scenario, text: &str) -> Scenario {
    let text = format!("<analysis>hm</analysis><summary>{text}</summary>");
    script.answer().when(ASKED).text(&text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_window_is_summed_up_before_the_next_request() {
    let project = small(Project::new("//- /boat.txt\nJuno\n"));
    let path = project.path("boat.txt").display().to_string();
    let script = Scenario::new().tool("Read", json!({ "file_path": path })).answer();
    let script = summary(script.text("read").usage(filled(19_000)), "The boat is Juno.");
    let script = script.answer().text("on");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "what is the boat called?").await;
    let turned = stage.client.ask(&stage.session, "and its masts?").await;
    assert_eq!(turned.text(), "on");
    let ended = summed_up(&turned);
    assert_eq!(ended.len(), 1, "{:?}", turned.types());
    assert_eq!(ended[0].trigger, CompactionTrigger::Auto);
    assert_eq!(ended[0].summary.as_deref(), Some("The boat is Juno."));
    assert!(ended[0].before >= 19_000 && ended[0].after < ended[0].before, "{ended:?}");
    let requests = stage.model.requests();
    assert_eq!(requests[2].body["system"], requests[3].body["system"]);
    assert_eq!(requests[1].body["tools"], requests[2].body["tools"], "the cache serves it");
    let left = messages(&stage.model, 3);
    let text = serde_json::to_string(&left).unwrap();
    assert!(text.contains("The boat is Juno.") && !text.contains("<analysis>"), "{text}");
    assert!(text.contains("boat.txt as it is now"), "the file it had read is back: {text}");
    assert!(text.contains("and its masts?"), "the prompt stays as it is");
    assert!(!text.contains("what is the boat called?"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_sums_up_and_the_session_comes_back_so() {
    let script = summary(Scenario::new().text("hello").usage(filled(500)), "They greeted.");
    let script = script.answer().text("one").answer().text("two");
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "hi there").await;
    let params = compact(&stage, Some("keep the greeting"));
    stage.client.request::<SessionCompact>(params).await;
    let is_ended = |event: &protocol::Event| matches!(event.body, EventBody::CompactionEnded(_));
    stage.client.next_event("the end of it", is_ended).await;
    let asked = messages(&stage.model, 1).last().unwrap().to_string();
    assert!(asked.contains(ASKED) && asked.contains("keep the greeting"), "{asked}");
    stage.client.ask(&stage.session, "go on").await;
    let live = messages(&stage.model, 2);
    assert!(live[0].to_string().contains("They greeted."), "{live:?}");
    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "still there?").await;
    let resumed = messages(&model, 3);
    let words = |message: &Value| message["content"][0]["text"].clone();
    assert_eq!(words(&resumed[0]), words(&live[0]), "the same words after a restart");
    assert_eq!(words(&resumed[1]), words(&live[1]));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_that_says_too_long_gets_the_summary() {
    let script = Scenario::new().text("one").answer().refuse(400, TOO_LONG, &[]);
    let script = summary(script, "It was one.").answer().text("two");
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "first").await;
    let turned = stage.client.ask(&stage.session, "second").await;
    assert_eq!((turned.text().as_str(), &turned.ended.stop_reason), ("two", &StopReason::EndTurn));
    assert_eq!(summed_up(&turned).len(), 1);
    let left = serde_json::to_string(&messages(&stage.model, 3)).unwrap();
    assert!(left.contains("It was one.") && left.contains("second"), "{left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fails_three_times_is_not_tried_again() {
    let project = small(Project::new(""));
    let mut script = Scenario::new().when(ASKED).text("<summary></summary>").forever();
    for turn in 0..5 {
        let words = format!("prompt {turn}");
        script = script.answer().when(&words).text("ok").usage(filled(19_000));
    }
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let mut tries = 0;
    for turn in 0..5 {
        let turned = stage.client.ask(&stage.session, &format!("prompt {turn}")).await;
        assert_eq!(turned.text(), "ok", "the work goes on");
        tries += summed_up(&turned).iter().filter(|ended| ended.error.is_some()).count();
    }
    assert_eq!(tries, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_summary_under_way_can_be_stopped_and_prompts_wait_for_it() {
    let script = Scenario::new().text("hello").answer().when(ASKED).hang();
    let script = script.answer().text("after");
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "hi").await;
    let (first, second) = (compact(&stage, None), compact(&stage, None));
    stage.client.request::<SessionCompact>(first).await;
    assert!(stage.client.try_request::<SessionCompact>(second).await.is_err(), "one at a time");
    while stage.model.requests().len() < 2 {
        tokio::task::yield_now().await;
    }
    let cancelled = stage.client.cancel(&stage.session).await;
    assert_eq!(cancelled.state, CancelState::Cancelled);
    assert_eq!(stage.client.ask(&stage.session, "go").await.text(), "after");
    let left = serde_json::to_string(&messages(&stage.model, 2)).unwrap();
    assert!(left.contains("hello"), "nothing was summed up: {left}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_result_goes_to_a_file_that_can_be_read() {
    let project = Project::new("");
    let line = "0123456789 abcdefghijklmnopqrstuvwxyz\n";
    for number in 0..12 {
        project.write(&format!("f{number}.txt"), line.repeat(1_000));
    }
    let input = json!({ "pattern": "abc", "output_mode": "content", "head_limit": 0 });
    let script = Scenario::new().tool("Grep", input).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "ok");
    let (shown, _) = stage.last_results().remove(0);
    assert!(shown.len() < 3_000 && shown.contains("was written to "), "{shown}");
    let path = shown.split("was written to ").nth(1).unwrap().split(".txt").next().unwrap();
    let path = format!("{path}.txt");
    assert!(files::read(path.as_ref()).len() > 50_000);
    assert_eq!(files::mode(path.as_ref()) & 0o777, 0o600);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_read_again_is_in_the_window_once() {
    let project = small(Project::new(""));
    project.write("a.txt", "all hands on deck\n".repeat(1_500));
    let read = json!({ "file_path": project.path("a.txt").display().to_string() });
    let script = Scenario::new().tool("Read", read.clone()).usage(filled(100)).answer();
    let script = script.text("read").usage(filled(100)).answer();
    let script = script.tool("Read", read).usage(filled(12_500)).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    stage.project.write("a.txt", "all hands below\n".repeat(1_500));
    let turned = stage.client.ask(&stage.session, "go on").await;
    assert_eq!(turned.text(), "ok");
    assert!(summed_up(&turned).is_empty(), "there is room again without a summary");
    let last = serde_json::to_string(&stage.model.requests().last().unwrap().body).unwrap();
    assert_eq!(last.matches("This result was cleared").count(), 1);
    // With their numbers in front, as Read shows lines.
    assert_eq!(last.matches(r"\tall hands on deck").count(), 0);
    assert_eq!(last.matches(r"\tall hands below").count(), 1_500);
}

/// Without automatic summaries a full window stops before it costs anything.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_window_that_may_not_be_summed_up_stops_the_turn() {
    let project = Project::new("");
    project.user_settings(&json!({ "autoCompactWindow": 20_000, "autoCompactEnabled": false }));
    let script = summary(Scenario::new().text("one").usage(filled(19_000)), "It was one.");
    let mut stage = Stage::set(project, script.answer().text("on"), Mode::Default).await;
    stage.client.ask(&stage.session, "first").await;
    let turned = stage.client.ask(&stage.session, "second").await;
    assert_eq!(turned.ended.stop_reason, StopReason::PromptTooLong);
    assert_eq!(turned.ended.terminal_reason.as_deref(), Some("blocking_limit"));
    assert!(turned.ended.error.unwrap().message.contains("/compact"));
    assert_eq!(stage.model.requests().len(), 1, "nothing was asked");
    let params = compact(&stage, None);
    stage.client.request::<SessionCompact>(params).await;
    let is_ended = |event: &protocol::Event| matches!(event.body, EventBody::CompactionEnded(_));
    stage.client.next_event("the end of it", is_ended).await;
    assert_eq!(stage.client.ask(&stage.session, "third").await.text(), "on");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_fills_the_window_is_told() {
    let script = Scenario::new().text("ok").usage(filled(40_000)).count_tokens(12_345);
    let mut stage = Stage::new("", script).await;
    stage.client.ask(&stage.session, "go").await;
    let params = SessionRef { session_id: stage.session.clone() };
    let context = stage.client.request::<SessionContext>(params).await;
    assert_eq!((context.used, context.counted), (12_345, Some(true)), "as the provider counts");
    let sum: u64 = context.breakdown.iter().map(|share| share.tokens).sum();
    assert_eq!(sum, context.window, "{context:?}");
}

/// Who cannot count, or is not there to be asked, is no reason to wait.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_count_there_is_an_estimate() {
    let project = Project::new("");
    let mut client = Server::start(&project, None).connect(Profile::VS_CODE).await;
    let session_id = client.session().await;
    client.ask(&session_id, "help").await;
    let context = client.request::<SessionContext>(SessionRef { session_id }).await;
    assert_eq!(context.counted, None);
    assert!(context.used > 1_000, "the system prompt and the tools alone are more: {context:?}");
    let sum: u64 = context.breakdown.iter().map(|share| share.tokens).sum();
    assert_eq!(sum, context.window, "{context:?}");
    let is_used =
        |share: &&ContextShare| !matches!(share.kind, ContextKind::Reserved | ContextKind::Free);
    let used: u64 = context.breakdown.iter().filter(is_used).map(|share| share.tokens).sum();
    assert_eq!(used, context.used, "{context:?}");
    let kept = context.breakdown.iter().find(|share| share.kind == ContextKind::Reserved);
    assert!(kept.is_some_and(|share| share.tokens > 0), "{context:?}");
}
