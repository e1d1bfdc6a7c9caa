//! A turn: what runs when, what the model is told, and how it ends.

use host::session::Limits;
use kit::{Profile, Project, Server, Stage, files, model, model_with};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::event::StopReason;
use protocol::session::{
    CancelState, Delivery, Disposition, Mode, QueueOp, SessionPrompt, SessionPromptParams,
    SessionQueue, SessionQueueParams,
};
use protocol::tool::ToolStatus;
use serde_json::json;

const FILES: &str = "//- /a\nalpha\n//- /b\nbeta\n//- /c\ngamma\n";

fn read(name: &str) -> serde_json::Value {
    json!({ "file_path": format!("{{{{cwd}}}}/{name}") })
}

fn bash(command: &str) -> serde_json::Value {
    json!({ "command": command })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_runs_while_the_model_still_speaks() {
    let script = Scenario::new().tool("Read", read("a")).hang();
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let is_end = |event: &protocol::Event| matches!(event.body, EventBody::ToolEnded(_));
    stage.client.next_event("the end of the call", is_end).await;
    let cancelled = stage.client.cancel(&stage.session).await;
    assert_eq!(cancelled.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_only_look_run_together_and_report_in_order() {
    let project = Project::new("");
    let mut script = Scenario::new();
    for name in ["1", "2", "3"] {
        let path = project.home().join(name);
        files::write(&path, format!("content {name}\n"));
        script = script.tool("Read", json!({ "file_path": path }));
    }
    let mut stage = Stage::set(project, script.answer().text("ok"), Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        asked.push(stage.client.permission().await);
    }
    asked.sort_by_key(|(_, request)| request.request_id.clone());
    for (asked, _) in asked.into_iter().rev() {
        stage.client.allow(asked);
    }
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "ok");
    let results = stage.last_results();
    for (at, name) in ["1", "2", "3"].iter().enumerate() {
        assert!(results[at].0.contains(&format!("content {name}")), "{results:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_that_act_run_one_after_the_other() {
    let script = Scenario::new()
        .tool("Bash", bash("echo one >> log"))
        .tool("Bash", bash("echo two >> log"))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (first, _) = stage.client.permission().await;
    assert!(!stage.project.exists("log"));
    stage.client.allow(first);
    let (second, _) = stage.client.permission().await;
    assert_eq!(stage.project.read("log"), "one\n");
    stage.client.allow(second);
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.project.read("log"), "one\ntwo\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_in_the_middle_of_a_sentence() {
    let script = Scenario::new().text("Once upon").hang().answer().text("again");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let is_delta = |event: &protocol::Event| matches!(event.body, EventBody::MessageDelta(_));
    stage.client.next_event("a word", is_delta).await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.ended.stop_reason, StopReason::Cancelled);
    kit::within("the request to be dropped", stage.model.hung_up(1)).await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Idle);
    assert_eq!(stage.client.ask(&stage.session, "once more").await.text(), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_in_the_middle_of_a_command() {
    let script = Scenario::new()
        .tool("Bash", bash("echo begun; sleep 600"))
        .tool("Bash", bash("echo never"))
        .answer()
        .text("again");
    let mut stage = Stage::in_mode(FILES, script, Mode::BypassPermissions).await;
    stage.client.prompt(&stage.session, "go").await;
    let runs = |event: &protocol::Event| match &event.body {
        EventBody::ToolUpdated(update) => update.status == ToolStatus::Running,
        _ => false,
    };
    stage.client.next_event("the command to run", runs).await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.ended.stop_reason, StopReason::Cancelled);
    let calls = turned.calls();
    assert_eq!(calls.len(), 2);
    assert!(calls.iter().all(|call| call.status == ToolStatus::Cancelled), "{calls:?}");
    // A provider refuses a conversation with a call that has no result.
    assert_eq!(stage.client.ask(&stage.session, "once more").await.text(), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn cancel_while_a_prompt_is_open() {
    let script = Scenario::new().tool("Bash", bash("touch never")).answer().text("again");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    stage.client.was_withdrawn(asked).await;
    let resolved = stage.client.notification("agent/request/resolved").await;
    assert_eq!(resolved, json!({ "requestId": request.request_id, "by": "cancelled" }));
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.ended.stop_reason, StopReason::Cancelled);
    assert_eq!(turned.call().status, ToolStatus::Cancelled);
    assert!(!stage.project.exists("never"));
    assert_eq!(stage.client.ask(&stage.session, "once more").await.text(), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_has_only_so_many_answers() {
    let project = Project::new(FILES);
    let script = Scenario::new().tool("Read", read("a")).answer().tool("Read", read("b"));
    let model = model(script.answer().text("more")).await;
    let limits = Limits { max_turns: Some(2), ..Limits::default() };
    let server = Server::start_with(&project, model_with(&model), limits);
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::MaxTurns);
    assert_eq!(turned.ended.answers, Some(2));
    assert_eq!(turned.calls().len(), 2);
    assert_eq!(client.ask(&session, "go on").await.text(), "more");
}

#[tokio::test(flavor = "multi_thread")]
async fn prompts_wait_for_the_turn_that_runs() {
    let script = Scenario::new()
        .tool("Bash", bash("touch x"))
        .answer()
        .text("first")
        .answer()
        .when("the second")
        .text("second");
    let mut stage = Stage::new(FILES, script).await;
    let (client, session) = (&mut stage.client, &stage.session);
    assert_eq!(client.prompt(session, "the first").await.disposition, Disposition::Started);
    let (asked, _) = client.permission().await;
    let second = client.prompt(session, "the second").await;
    assert_eq!((second.disposition, second.turn_id), (Disposition::Queued, None));
    let third = client.deliver(session, "the third", Some(Delivery::Queue)).await;
    let queue = |op, message_id| SessionQueueParams {
        session_id: session.clone(),
        op,
        message_id,
        content: None,
        to: None,
    };
    let listed = client.request::<SessionQueue>(queue(QueueOp::List, None)).await.queue;
    let ids: Vec<_> = listed.iter().map(|queued| queued.message_id.clone()).collect();
    assert_eq!(ids, [second.message_id, third.message_id.clone()]);
    let remove = queue(QueueOp::Remove, Some(third.message_id));
    assert_eq!(client.request::<SessionQueue>(remove).await.queue.len(), 1);
    client.deny(asked, None);
    assert_eq!(client.turn_ended(session).await.text(), "first");
    assert_eq!(client.turn_ended(session).await.text(), "second");
    let listed = client.request::<SessionQueue>(queue(QueueOp::List, None)).await.queue;
    assert!(listed.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_in_between_reaches_the_model_with_the_results() {
    let script = Scenario::new().tool("Bash", bash("touch x; echo done")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    let steered = stage.client.deliver(&stage.session, "and be brief", Some(Delivery::Steer)).await;
    assert_eq!(steered.disposition, Disposition::Steered);
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.text(), "ok");
    let requests = stage.model.requests();
    let said = requests[1].body["messages"].to_string();
    assert!(said.contains("done") && said.contains("and be brief"), "{said}");
    assert_eq!(requests.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_sent_twice_counts_once() {
    let mut stage = Stage::new(FILES, Scenario::new().text("once")).await;
    let params = SessionPromptParams {
        session_id: stage.session.clone(),
        content: vec![protocol::prompt::Block::text("go")],
        delivery: None,
        client_message_id: Some("mine-1".to_owned()),
    };
    let first = stage.client.request::<SessionPrompt>(params.clone()).await;
    let again = stage.client.request::<SessionPrompt>(params.clone()).await;
    assert_eq!(first, again);
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.client.request::<SessionPrompt>(params).await, first);
    assert_eq!(stage.model.requests().len(), 1);
}

/// One sentence that says what to do, and the next prompt works.
async fn fails(
    env: impl IntoIterator<Item = (&'static str, String)>,
    model: &TestServer,
    prompt: &str,
    sentence: &str,
) {
    let project = Project::new(FILES);
    let mut all = model_with(model).to_vec();
    all.push(("BOWLINE_MAX_RETRIES", "0".to_owned()));
    all.extend(env);
    let server = Server::start_with(&project, all, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    for _ in 0..2 {
        let turned = client.ask(&session, prompt).await;
        assert_eq!(turned.ended.stop_reason, StopReason::ModelError, "{prompt}");
        let error = turned.ended.error.unwrap();
        assert!(error.message.contains(sentence), "{prompt}: {}", error.message);
        assert!(!error.message.contains('\n') && error.message.ends_with('.'), "{}", error.message);
    }
}

fn accidents() -> Scenario {
    Scenario::parse(include_str!("../../fixtures/model/accidents.toml")).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_says_why() {
    let model = &model(accidents()).await;
    fails([("ANTHROPIC_API_KEY", "wrong".to_owned())], model, "hi", "ANTHROPIC_API_KEY").await;
    fails([("ANTHROPIC_MODEL", "no-such-model".to_owned())], model, "hi", "no-such-model").await;
    let nowhere = "http://127.0.0.1:9".to_owned();
    fails([("ANTHROPIC_BASE_URL", nowhere)], model, "hi", "Nothing listens at 127.0.0.1:9").await;
    fails([], model, "overloaded", "is overloaded (529)").await;
    fails([], model, "rate limit", "asks to wait 2 s").await;
    fails([], model, "cut", "broke off").await;
    fails([], model, "truncate", "broke off").await;
    fails([], model, "middle", "is overloaded").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_an_accident_the_next_prompt_works() {
    let mut stage = Stage::new(FILES, accidents()).await;
    for accident in ["overloaded", "cut", "truncate", "middle"] {
        let turned = stage.client.ask(&stage.session, accident).await;
        assert_eq!(turned.ended.stop_reason, StopReason::ModelError);
        assert_eq!(stage.client.ask(&stage.session, "fine").await.text(), "All is well.");
    }
}
