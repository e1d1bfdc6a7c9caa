//! How hard the model works and whether it thinks: settings, environment, flags and the session say
//! so, the request carries it, and a session that is opened again still knows.

use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, model, model_with};
use model::{Scenario, TestServer};
use protocol::session::{
    ConfigChange, Effort, Mode, SessionConfig, SessionConfigParams, SessionFork, SessionForkParams,
    Thinking,
};
use serde_json::{Value, json};

fn hello() -> Scenario {
    Scenario::new().forever().text("hi")
}

fn last(model: &TestServer) -> Value {
    model.requests().last().unwrap().body.clone()
}

fn set(session: &str, set: ConfigChange) -> SessionConfigParams {
    SessionConfigParams { session_id: session.to_owned(), set: Some(set) }
}

fn adaptive() -> Value {
    json!({ "type": "adaptive", "display": "summarized" })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_chose_is_sent_and_comes_back_with_the_session() {
    let project = Project::new("");
    project.user_settings(&json!({ "effortLevel": "low", "alwaysThinkingEnabled": false }));
    let mut stage = Stage::set(project, hello(), Mode::Default).await;
    stage.client.ask(&stage.session, "one").await;
    let sent = last(&stage.model);
    assert_eq!(sent["output_config"]["effort"], "low");
    assert_eq!(sent["thinking"], json!({ "type": "disabled" }));

    let change = ConfigChange {
        effort: Some(Effort::XHigh),
        thinking: Some(Thinking::Adaptive),
        output_style: Some("Explanatory".to_owned()),
        ..ConfigChange::default()
    };
    let params = set(&stage.session, change);
    let config = stage.client.request::<SessionConfig>(params).await.config;
    assert_eq!((config.effort, config.thinking), (Some(Effort::XHigh), Some(Thinking::Adaptive)));
    stage.client.ask(&stage.session, "two").await;
    let before = last(&stage.model);
    assert_eq!(before["output_config"]["effort"], "xhigh");
    assert_eq!(before["thinking"], adaptive());

    let Stage { client, session, server, model, project } = stage;
    client.leave().await;
    drop(server);
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let attached = client.attach(&session, None).await;
    assert_eq!(attached.config.effort, Some(Effort::XHigh));
    assert_eq!(attached.config.output_style.as_deref(), Some("Explanatory"));
    client.ask(&session, "three").await;
    let after = last(&model);
    for key in ["output_config", "thinking", "system"] {
        assert_eq!(after[key], before[key], "{key}");
    }
    let params = SessionForkParams { session_id: session, at_message: None };
    let copy = client.request::<SessionFork>(params).await.session_id;
    let attached = client.attach(&copy, None).await;
    assert_eq!(attached.config.effort, Some(Effort::XHigh), "a copy is like its original");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_wish_goes_beyond_the_limit() {
    let project = Project::new("");
    project.managed_settings(&json!({ "maxEffortLevel": "medium" }));
    let model = model(hello()).await;
    let mut env = model_with(&model).to_vec();
    env.push(("BOWLINE_EFFORT", "max".to_owned()));
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "go").await;
    assert_eq!(last(&model)["output_config"]["effort"], "medium");
    let high = ConfigChange { effort: Some(Effort::High), ..ConfigChange::default() };
    let refused = client.try_request::<SessionConfig>(set(&session, high)).await.unwrap_err();
    assert!(refused.message.contains("medium at most"), "{refused:?}");
    let low = ConfigChange { effort: Some(Effort::Low), ..ConfigChange::default() };
    client.request::<SessionConfig>(set(&session, low)).await;
    client.ask(&session, "go").await;
    assert_eq!(last(&model)["output_config"]["effort"], "low");
}

/// Such a model thinks whatever it is told; people at least see a summary instead of silence.
#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_always_thinks_shows_it() {
    let project = Project::new("");
    project.user_settings(&json!({ "alwaysThinkingEnabled": false, "promptCacheTtl": "1h" }));
    let model = model(hello()).await;
    for name in ["claude-opus-5-5", "claude-fable-5-2"] {
        let done = Bowline::new(&project).model(&model).args(&["-p", "go", "--model", name]);
        assert_eq!(done.run().await.code, Some(0));
        let sent = last(&model);
        assert_eq!((&sent["model"], &sent["thinking"]), (&json!(name), &adaptive()));
        let breakpoint = json!({ "type": "ephemeral", "ttl": "1h" });
        let tools = sent["tools"].as_array().unwrap();
        assert_eq!(tools.last().unwrap()["cache_control"], breakpoint, "as the settings want it");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_and_the_environment_reach_the_model() {
    let project = Project::new("");
    let model = model(hello()).await;
    let run = async |args: &[&str], env: &[(&str, &str)]| {
        let mut program = Bowline::new(&project).model(&model);
        for (name, value) in env {
            program = program.env(name, value);
        }
        let args = [&["-p", "go"], args].concat();
        let done = program.args(&args).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        last(&model)
    };
    let sent = run(&["--effort", "max", "--thinking", "disabled"], &[]).await;
    assert_eq!(sent["output_config"]["effort"], "max");
    assert_eq!(sent["thinking"]["type"], "disabled");
    let budget = json!({ "type": "enabled", "budget_tokens": 40_000 });
    let haiku = ["--model", "claude-haiku-4-5"];
    let sent = run(&[&haiku[..], &["--max-thinking-tokens", "40000"]].concat(), &[]).await;
    assert_eq!(sent["thinking"], budget);
    assert_eq!(sent["max_tokens"], 64_000, "the budget does not eat the answer");
    let sent = run(&haiku, &[("MAX_THINKING_TOKENS", "40000")]).await;
    assert_eq!(sent["thinking"], budget);
    let sent = run(&haiku, &[]).await;
    assert_eq!(sent.get("thinking"), None, "{sent}");
    let sent = run(&[], &[("CLAUDE_CODE_EFFORT_LEVEL", "high")]).await;
    assert_eq!(sent["output_config"]["effort"], "high");

    let done = Bowline::new(&project).model(&model).args(&["-p", "go", "--effort", "hard"]);
    let done = done.run().await;
    assert_eq!(done.code, Some(2), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_providers_hear_of_it_in_their_words() {
    let project = Project::new("");
    let model = model(hello()).await;
    let run = async |args: &[&str]| {
        let program = Bowline::new(&project).env("OPENAI_BASE_URL", &format!("{}/v1", model.url()));
        let program = program.env("OPENAI_API_KEY", "test").env("OPENAI_MODEL", "local");
        let done = program.args(&[&["-p", "go"], args].concat()).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        last(&model)
    };
    assert_eq!(run(&[]).await.get("reasoning_effort"), None, "nobody asked for any");
    assert_eq!(run(&["--effort", "high"]).await["reasoning_effort"], "high");
}

/// The commands that every door has.
#[tokio::test(flavor = "multi_thread")]
async fn commands_choose_and_tell() {
    let mut stage = Stage::new("", hello()).await;
    for (command, says) in [
        ("/effort", "The effort is the model's own."),
        ("/effort high", "The effort is high."),
        ("/thinking", "claude-sonnet-5-5 answers without thinking."),
        ("/thinking on", "claude-sonnet-5-5 thinks when it finds it useful."),
        ("/cost", "$0.0000"),
        ("/context", "estimated"),
    ] {
        stage.client.prompt(&stage.session, command).await;
        let told = |event: &protocol::Event| event.body.name() == "command.output";
        let told = stage.client.next_event(command, told).await;
        assert!(format!("{told:?}").contains(says), "{command}: {told:?}");
    }
    stage.client.ask(&stage.session, "go").await;
    let sent = last(&stage.model);
    assert_eq!(
        (&sent["output_config"]["effort"], &sent["thinking"]),
        (&json!("high"), &adaptive())
    );
}
