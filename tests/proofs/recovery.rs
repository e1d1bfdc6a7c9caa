//! A model that fails: what is tried before the user hears of it, what is kept, and that the next
//! prompt works whatever happened.

use agent::StopReason as Stop;
use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, files, model, model_with};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::event::{Retry, StopReason};
use protocol::session::{CancelState, Mode};
use serde_json::{Value, json};

const OVERLOADED: &str = r#"{"type":"error","error":{"type":"overloaded_error","message":"Busy"}}"#;
const LIMITED: &str = r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow"}}"#;
const TOO_LONG: &str = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;

fn busy(script: Scenario) -> Scenario {
    script.refuse(529, OVERLOADED, &[]).answer()
}

fn limited(seconds: &str) -> Scenario {
    Scenario::new().refuse(429, LIMITED, &[("retry-after", seconds)]).answer()
}

fn append(line: &str) -> Value {
    json!({ "command": format!("echo {line} >> log") })
}

fn retries(turned: &kit::Turned) -> Vec<&Retry> {
    let retries = turned.events.iter().filter_map(|event| match &event.body {
        EventBody::Retry(retry) => Some(retry),
        _ => None,
    });
    retries.collect()
}

fn notices(turned: &kit::Turned) -> String {
    let notices = turned.events.iter().filter_map(|event| match &event.body {
        EventBody::Notice(notice) => Some(notice.text.as_str()),
        _ => None,
    });
    notices.collect::<Vec<_>>().join("\n")
}

fn messages(model: &TestServer) -> Vec<Value> {
    model.requests().last().unwrap().body["messages"].as_array().unwrap().clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn it_is_tried_again_and_each_time_is_told() {
    let script = busy(Scenario::new()).refuse(429, LIMITED, &[("retry-after-ms", "3")]);
    let script = script.answer().refuse(500, "oops", &[]).answer().text("fine");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "fine");
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    let told = retries(&turned);
    assert_eq!(told.iter().map(|retry| retry.attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(told[1].delay_ms >= 3, "{told:?}");
    assert!(told[0].error.message.contains("overloaded"), "{told:?}");
    assert_eq!(stage.model.requests().len(), 4);
    assert_eq!(turned.ended.answers, Some(1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_of_an_hour_is_told_and_not_waited_for() {
    let script = limited("3600").text("later");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::ModelError);
    let message = turned.ended.error.unwrap().message;
    assert!(message.contains("Send the prompt again in 60 minutes"), "{message}");
    assert_eq!(stage.client.ask(&stage.session, "again").await.text(), "later");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wait_can_be_cancelled() {
    let mut stage = Stage::new("", limited("50").text("again")).await;
    stage.client.prompt(&stage.session, "go").await;
    let waits = |event: &protocol::Event| matches!(event.body, EventBody::Retry(_));
    stage.client.next_event("the wait", waits).await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.ended.stop_reason, StopReason::Cancelled);
    assert_eq!(turned.ended.terminal_reason.as_deref(), Some("aborted_streaming"));
    assert_eq!(stage.client.ask(&stage.session, "once more").await.text(), "again");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_stands_in_for_one_turn() {
    let project = Project::new("");
    let thought = Scenario::new().thinking("hm", "sealed by the first").text("one").answer();
    let script = busy(busy(busy(thought))).text("two").answer().text("three");
    let model = model(script).await;
    let fallback_models = vec!["haiku".to_owned()];
    let limits = Limits { fallback_models, ..Limits::default() };
    let mut env = model_with(&model).to_vec();
    env.push(("ANTHROPIC_MODEL", "claude-sonnet-5-5".to_owned()));
    let server = Server::start_with(&project, env, limits);
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    assert_eq!(client.ask(&session, "first").await.text(), "one");
    let turned = client.ask(&session, "second").await;
    assert_eq!(turned.text(), "two");
    assert!(notices(&turned).contains("claude-haiku-5-5 stands in"), "{turned:?}");
    let sent = &model.requests()[4].body;
    assert_eq!(sent["model"], "claude-haiku-5-5");
    assert!(!sent["messages"].to_string().contains("sealed by the first"), "{sent}");
    assert_eq!(client.ask(&session, "third").await.text(), "three");
    let sent = &model.requests()[5].body;
    assert_eq!(sent["model"], "claude-sonnet-5-5");
    assert!(sent["messages"].to_string().contains("sealed by the first"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_answer_is_taken_back() {
    let script = Scenario::new().text("Once upon").reset().answer().text("The end.");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "The end.");
    assert!(turned.types().contains(&"message.retracted"), "{:?}", turned.types());
    assert_eq!(messages(&stage.model).len(), 1);
    // What was shown of the first attempt was recorded before, and is void.
    let journal = stage.project.journal();
    let records = |kind: &str| {
        let records = journal.iter().filter(|record| record["type"] == kind);
        records.cloned().collect::<Vec<_>>()
    };
    let (shown, void) = (&records("answer_block")[0], &records("answer_retracted")[0]);
    assert_eq!((&shown["block"]["text"], &shown["id"]), (&json!("Once upon"), &void["id"]));
    let answers = records("assistant");
    assert_eq!(answers.len(), 1, "{journal:#?}");
    assert_eq!(answers[0]["content"][0]["text"], "The end.");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_never_made_twice() {
    for end in ["reset", "error"] {
        let script = Scenario::new().text("So.").tool("Bash", append("once"));
        let script = match end {
            "reset" => script.delay_ms(50).reset(),
            _ => script.delay_ms(50).error_event("overloaded_error", "Busy"),
        };
        let script = script.answer().text("done");
        let mut stage = Stage::in_mode("", script, Mode::BypassPermissions).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert_eq!(turned.ended.stop_reason, StopReason::EndTurn, "{turned:?}");
        assert_eq!(turned.text(), "So.done", "what was said before the call stays");
        assert_eq!(stage.project.read("log"), "once\n");
        let sent = messages(&stage.model);
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert_eq!(sent[2]["content"][0]["type"], "tool_result");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_too_long_gets_more_room_and_is_then_continued() {
    let long = |text: &str| Scenario::new().text(text).stop(Stop::MaxTokens);
    let script = long("A").answer().text("A, B").stop(Stop::MaxTokens).answer().text(", C.");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "A, B, C.");
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    let asked = stage.model.requests();
    let room = |at: usize| asked[at].body["max_tokens"].as_u64().unwrap();
    assert!(room(1) > room(0), "{} {}", room(0), room(1));
    assert_eq!(asked[1].body["messages"], asked[0].body["messages"], "the same request");
    assert!(asked[2].body["messages"].to_string().contains("was cut off here"));
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_at_all_is_asked_for_once_more() {
    let script = Scenario::new().stop(Stop::EndTurn).answer().text("here");
    let mut stage = Stage::new("", script).await;
    assert_eq!(stage.client.ask(&stage.session, "go").await.text(), "here");
    assert!(messages(&stage.model).last().unwrap().to_string().contains("was empty"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_is_told_once_and_bricks_nothing() {
    let script = Scenario::new().refuse(400, TOO_LONG, &[]).answer().text("fine");
    let mut stage = Stage::new("", script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::PromptTooLong);
    assert_eq!(stage.client.ask(&stage.session, "shorter").await.text(), "fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_repeats_itself_is_stopped() {
    let script = Scenario::new().forever().tool("Read", json!({ "file_path": "/nowhere" }));
    let mut stage = Stage::in_mode("", script, Mode::BypassPermissions).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::ModelError);
    let terminal = turned.ended.terminal_reason.as_deref();
    assert_eq!(terminal, Some("malformed_tool_use_exhausted"));
    assert_eq!(turned.calls().len(), 8);
    assert!(messages(&stage.model).iter().any(|said| said.to_string().contains("five times")));
}

/// Every fault that the script can play, twice over, and then a prompt that works.
#[tokio::test(flavor = "multi_thread")]
async fn after_every_fault_the_next_prompt_works() {
    let html = "<html>Please sign in</html>";
    let head = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"m\",\"usage\":{}}}\n\n";
    let faults: Vec<fn(Scenario) -> Scenario> = vec![
        |s| s.refuse(429, LIMITED, &[("retry-after", "0")]),
        |s| s.refuse(429, LIMITED, &[]),
        |s| s.refuse(429, LIMITED, &[("x-should-retry", "false")]),
        |s| s.refuse(529, OVERLOADED, &[]),
        |s| s.refuse(500, "", &[]),
        |s| s.refuse(502, "bad gateway", &[]),
        |s| s.refuse(504, "", &[]),
        |s| s.refuse(413, "", &[]),
        |s| s.refuse(400, TOO_LONG, &[]),
        |s| s.refuse(403, "{}", &[]),
        |s| s.text("half").reset(),
        |s| s.text("half").truncate(),
        |s| s.thinking("hm", "seal").reset(),
        |s| s.text("half").error_event("overloaded_error", "Busy"),
        |s| s.tool("Bash", append("x")).delay_ms(20).reset(),
        |s| s.tool("NoSuchTool", json!({})),
        |s| s.tool("Bash", json!({ "command": 7 })),
        |s| s.stop(Stop::EndTurn),
        |s| s.text("half").stop(Stop::MaxTokens),
        |s| s.text("half").stop(Stop::Refusal),
        |s| s.text("half").stop(Stop::ModelContextWindowExceeded),
    ];
    let raw = [
        html.to_owned(),
        head.to_owned(),
        format!("{head}data: {{not json"),
        format!(
            "{head}event: content_block_start\ndata: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"Bash\"}}}}\n\nevent: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{{\"type\":\"input_json_delta\",\"partial_json\":\"{{\\\"command\"}}}}\n\nevent: content_block_stop\ndata: {{\"type\":\"content_block_stop\",\"index\":0}}\n\n"
        ),
    ];
    let raw = raw.into_iter().map(|bytes| Scenario::new().raw(bytes));
    let scripted = faults.into_iter().map(|fault| fault(Scenario::new()));
    for (number, fault) in scripted.chain(raw).enumerate() {
        // The fault for every request of the first prompt, then a model that is well.
        let fault = fault.when("FAULT").forever();
        let script = fault.answer().forever().text("well");
        let project = Project::new("");
        project.agree_to_bypass();
        let model = model(script).await;
        let mut env = model_with(&model).to_vec();
        env.push(("BOWLINE_MAX_RETRIES", "2".to_owned()));
        let limits = Limits { max_turns: Some(5), ..Limits::default() };
        let server = Server::start_with(&project, env, limits);
        let mut client = server.connect(Profile::VS_CODE).await;
        let session = client.session_with(kit::session_in(Mode::BypassPermissions)).await;
        client.ask(&session, "FAULT").await;
        let turned = client.ask(&session, "and now?").await;
        assert!(turned.text().ends_with("well"), "fault {number}: {turned:?}");
        assert_eq!(turned.ended.stop_reason, StopReason::EndTurn, "fault {number}");
    }
}

/// The same for the list of faults that the model server knows; those that take time are in
/// `slow_faults.rs`.
#[tokio::test(flavor = "multi_thread")]
async fn after_every_known_fault_the_next_prompt_works() {
    let known = include_str!("../../fixtures/model/faults.toml");
    let left_out = ["black-hole", "no-head", "only-pings", "drip", "limited-date", "go on"];
    let words = known.lines().filter_map(|line| line.strip_prefix("when = \"")?.strip_suffix('"'));
    let words: Vec<_> = words.filter(|word| !left_out.contains(word)).collect();
    assert!(words.len() > 15, "{words:?}");
    for word in words {
        let model = model(Scenario::parse(known).unwrap()).await;
        let project = Project::new("");
        let mut env = model_with(&model).to_vec();
        env.push(("BOWLINE_MAX_RETRIES", "3".to_owned()));
        let limits = Limits { max_turns: Some(4), ..Limits::default() };
        let server = Server::start_with(&project, env, limits);
        let mut client = server.connect(Profile::VS_CODE).await;
        let session = client.session_with(kit::session_in(Mode::DontAsk)).await;
        client.ask(&session, word).await;
        let turned = client.ask(&session, "go on").await;
        assert!(turned.text().ends_with("All is well."), "{word}: {turned:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_was_cut_off_is_told_of() {
    let mut stage = Stage::new("", Scenario::new().forever().text("hi")).await;
    stage.client.ask(&stage.session, "one").await;
    let (project, session, model) = (stage.project, stage.session, stage.model);
    stage.client.leave().await;
    let journal = &project.journals()[0];
    let whole = files::read(journal);
    let kept: Vec<_> = whole.lines().filter(|line| !line.contains("turn_ended")).collect();
    files::write(journal, format!("{}\n", kept.join("\n")));

    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    let told = |event: &protocol::Event| match &event.body {
        EventBody::Notice(notice) => notice.text.contains("cut off in the middle"),
        _ => false,
    };
    client.next_event("the notice", told).await;
    client.ask(&session, "go on").await;
    let said = messages(&model).last().unwrap().to_string();
    assert!(said.contains("broke off in the middle of your last turn"), "{said}");
    client.leave().await;
    // Once is enough.
    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "more").await;
    assert!(!messages(&model).last().unwrap().to_string().contains("broke off"));
}

async fn headless(project: &Project, model: &TestServer, args: &[&str]) -> (Option<i32>, Value) {
    let args = [&["-p", "go", "--output-format", "json"], args].concat();
    let done = Bowline::new(project).model(model).args(&args).run().await;
    let value = serde_json::from_str(&done.stdout).unwrap_or_else(|_| panic!("{done:?}"));
    (done.code, value)
}

#[tokio::test(flavor = "multi_thread")]
async fn headless_retries_are_told_on_stderr() {
    let project = Project::new("");
    let model = model(busy(Scenario::new()).text("fine")).await;
    let done = Bowline::new(&project).model(&model).args(&["-p", "go"]).run().await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "fine\n"), "{done:?}");
    assert!(done.stderr.contains("Trying again in 1 s (attempt 1)"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_stops_before_the_next_request() {
    let project = Project::new("//- /a\nalpha\n");
    let read = json!({ "file_path": "{{cwd}}/a" });
    let model = model(Scenario::new().forever().tool("Read", read)).await;
    for flags in [["--max-budget-usd", "0.000001"], ["--task-budget", "1"]] {
        let before = model.requests().len();
        let (code, result) = headless(&project, &model, &flags).await;
        assert_eq!(code, Some(1));
        assert_eq!(result["subtype"], "error_max_budget_usd");
        assert_eq!(result["stop_reason"], "max_budget");
        assert_eq!(result["terminal_reason"], "budget_exhausted");
        assert_eq!(model.requests().len() - before, 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_follows_its_schema() {
    let project = Project::new("");
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let script = Scenario::new().text("Seven.").answer().text("{\"n\":\"7\"}").answer();
    let model = model(script.text("{\"n\":7}")).await;
    let (code, result) = headless(&project, &model, &["--json-schema", schema]).await;
    assert_eq!((code, &result["structured_output"]), (Some(0), &json!({ "n": 7 })), "{result}");
    assert_eq!(result["num_turns"], 3);
    let asked = model.requests();
    assert_eq!(asked[0].body["output_config"]["format"]["type"], "json_schema");
    assert!(messages(&model).last().unwrap().to_string().contains("/n: it must be"));

    let model = kit::model(Scenario::new().forever().text("Seven.")).await;
    let (code, result) = headless(&project, &model, &["--json-schema", schema]).await;
    assert_eq!(code, Some(1));
    assert_eq!(result["subtype"], "error_max_structured_output_retries");
    assert_eq!(result["terminal_reason"], "structured_output_retry_exhausted");
    assert_eq!(model.requests().len(), 6);

    let done = Bowline::new(&project).model(&model).args(&["-p", "x", "--json-schema", "{"]);
    let done = done.run().await;
    assert_eq!(done.code, Some(2), "{done:?}");
    assert!(done.stderr.contains("--json-schema cannot be used"), "{done:?}");
}
