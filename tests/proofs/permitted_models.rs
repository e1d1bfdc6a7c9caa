//! Which models may be used: the settings say so, and it holds wherever a model is chosen.

use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, model, model_with};
use model::{Scenario, TestServer};
use protocol::session::{
    ConfigChange, Mode, SessionConfig, SessionConfigParams, SessionNew, SessionNewParams,
};
use serde_json::{Value, json};

fn hello() -> Scenario {
    Scenario::new().forever().text("hi")
}

fn models(server: &TestServer) -> Vec<String> {
    let requests = server.requests();
    let name = |body: &Value| body["model"].as_str().unwrap_or_default().to_owned();
    requests.iter().map(|request| name(&request.body)).collect()
}

fn choose(session: &str, model: &str) -> SessionConfigParams {
    let set = ConfigChange { model: Some(model.to_owned()), ..ConfigChange::default() };
    SessionConfigParams { session_id: session.to_owned(), set: Some(set) }
}

async fn headless(project: &Project, model: &TestServer, args: &[&str]) -> (Option<i32>, String) {
    let args = [&["-p", "go"], args].concat();
    let done = Bowline::new(project).model(model).args(&args).run().await;
    (done.code, done.stderr)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_not_available_is_refused_wherever_it_is_named() {
    let project = Project::new("");
    project.managed_settings(&json!({ "availableModels": ["sonnet", "haiku"] }));
    let mut stage = Stage::set(project, hello(), Mode::Default).await;
    let session = stage.session.clone();
    let refused = stage.client.try_request::<SessionConfig>(choose(&session, "opus")).await;
    let refused = refused.unwrap_err().message;
    assert!(refused.contains("claude-opus-5-5") && refused.contains("sonnet, haiku"), "{refused}");
    stage.client.request::<SessionConfig>(choose(&session, "haiku")).await;
    stage.client.ask(&session, "go").await;
    assert_eq!(models(&stage.model), ["claude-haiku-5-5"]);
    let new = SessionNewParams {
        cwd: stage.project.root().display().to_string(),
        model: Some("claude-opus-5".to_owned()),
        ..SessionNewParams::default()
    };
    let refused = stage.client.try_request::<SessionNew>(new).await.unwrap_err().message;
    assert!(refused.contains("availableModels"), "{refused}");

    // The program itself looks for the administrator's files in `/etc`; to it the user says the same.
    let limits = json!({ "availableModels": ["sonnet", "haiku"] });
    stage.project.user_settings(&limits);
    let (code, stderr) = headless(&stage.project, &stage.model, &["--model", "opus"]).await;
    assert!(code != Some(0) && stderr.contains("availableModels"), "{code:?} {stderr}");
    let fallback = ["--model", "sonnet", "--fallback-model", "opus"];
    let (code, stderr) = headless(&stage.project, &stage.model, &fallback).await;
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("The fallback model is not used"), "{stderr}");
    stage.project.user_settings(&json!({ "model": "opus", "availableModels": ["sonnet"] }));
    let (code, stderr) = headless(&stage.project, &stage.model, &[]).await;
    assert!(code != Some(0) && stderr.contains("availableModels"), "{code:?} {stderr}");
    let asked = models(&stage.model);
    assert!(asked.iter().all(|model| !model.contains("opus")), "{asked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_default_gives_way_where_the_list_is_enforced() {
    let project = Project::new("");
    project.user_settings(&json!({ "availableModels": ["haiku"] }));
    let model = model(hello()).await;
    assert_eq!(headless(&project, &model, &[]).await.0, Some(0));
    assert_eq!(models(&model), ["claude-sonnet-5-5"], "the default is not chosen by name");
    project.user_settings(&json!({ "availableModels": ["haiku"], "enforceAvailableModels": true }));
    assert_eq!(headless(&project, &model, &[]).await.0, Some(0));
    assert_eq!(models(&model).last().unwrap(), "claude-haiku-5-5");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_denied_while_the_session_runs_is_not_asked_again() {
    let project = Project::new("");
    let mut stage = Stage::set(project, hello(), Mode::Default).await;
    let session = stage.session.clone();
    stage.client.ask(&session, "one").await;
    stage.project.user_settings(&json!({ "deniedModels": ["sonnet"] }));
    stage.client.prompt(&session, "two").await;
    let turned = stage.client.turn_ended(&session).await;
    let error = format!("{:?}", turned.ended);
    assert!(error.contains("deniedModels"), "{error}");
    assert_eq!(models(&stage.model).len(), 1);
    stage.client.request::<SessionConfig>(choose(&session, "haiku")).await;
    stage.client.ask(&session, "three").await;
    assert_eq!(models(&stage.model), ["claude-sonnet-5-5", "claude-haiku-5-5"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_keep_to_it() {
    let agent = "---\nname: thinker\ndescription: Thinks.\nmodel: opus\n---\nThink.\n";
    let project = Project::new(&format!("//- /.claude/agents/thinker.md\n{agent}"));
    project.user_settings(&json!({ "deniedModels": ["opus"] }));
    let call = json!({ "description": "think", "prompt": "think", "subagent_type": "thinker",
        "run_in_background": false });
    let script = Scenario::new().tool("Agent", call).answer().forever().text("ok");
    let model = model(script).await;
    let limits = Limits { trust_workspace: true, ..Limits::default() };
    let server = Server::start_with(&project, model_with(&model).to_vec(), limits);
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "go").await;
    assert!(turned.call().text.contains("deniedModels"), "{:?}", turned.call());
    assert!(models(&model).iter().all(|model| model.contains("sonnet")), "{:?}", models(&model));
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_providers_of_the_policy_are_asked() {
    let project = Project::new("");
    let model = model(hello()).await;
    let new = async |providers: Value| {
        project.managed_settings(&json!({ "allowedProviders": providers }));
        let server = Server::start(&project, Some(&model));
        let mut client = server.connect(Profile::VS_CODE).await;
        let cwd = project.root().display().to_string();
        let params = SessionNewParams { cwd, ..SessionNewParams::default() };
        let begun = client.try_request::<SessionNew>(params).await;
        begun.map(|_| ()).map_err(|error| error.message)
    };
    let refused = new(json!(["anthropic"])).await.unwrap_err();
    assert!(refused.contains("customEndpoint") && refused.contains("anthropic"), "{refused}");
    assert!(new(json!([])).await.unwrap_err().contains("no entry"));
    assert!(new(json!("anthropic")).await.is_err(), "what cannot be read allows nobody");
    assert_eq!(new(json!(["customEndpoint"])).await, Ok(()));
    // Whoever is no administrator cannot say it.
    project.user_settings(&json!({ "allowedProviders": ["anthropic"] }));
    let (code, stderr) = headless(&project, &model, &[]).await;
    assert_eq!(code, Some(1), "{stderr}");
    assert!(stderr.contains("managed policy only"), "{stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_only_narrows() {
    let project =
        Project::new("//- /.bowline/settings.json\n{\"availableModels\": [\"opus\", \"haiku\"]}\n");
    project.user_settings(&json!({ "availableModels": ["sonnet", "haiku"] }));
    let model = model(hello()).await;
    let trusted = |name: &'static str| ["--trust-workspace", "--model", name];
    for (name, works) in [("haiku", true), ("sonnet", false), ("opus", false)] {
        let (code, stderr) = headless(&project, &model, &trusted(name)).await;
        assert_eq!(code == Some(0), works, "{name}: {stderr}");
    }
}

/// Whatever door a model is chosen at, those are offered that may be used.
#[tokio::test(flavor = "multi_thread")]
async fn only_what_may_be_used_is_offered() {
    let project = Project::new("");
    let limits =
        json!({ "availableModels": ["sonnet", "haiku"], "deniedModels": ["claude-haiku-5-5"] });
    project.user_settings(&limits);
    let model = model(hello()).await;
    let server = Server::start(&project, Some(&model));
    let is_right = |names: &[String], door: &str| {
        let fits = |name: &&String| name.contains("sonnet") || name.contains("haiku");
        assert!(names.iter().any(|name| name.contains("sonnet")), "{door}: {names:?}");
        let odd: Vec<_> = names.iter().filter(|name| !fits(name)).collect();
        assert!(odd.is_empty(), "{door}: {odd:?}");
        assert!(!names.contains(&"claude-haiku-5-5".to_owned()), "{door}: {names:?}");
    };
    let named = |list: &Value, key: &str| -> Vec<String> {
        let names = list.as_array().unwrap().iter().map(|it| it[key].as_str().unwrap().to_owned());
        names.filter(|name| name != "default").collect()
    };

    let mut editor = server.connect_silently(Profile::VS_CODE);
    let about = editor.initialize().await;
    is_right(&named(&about["capabilities"]["experimental"]["agent"]["models"], "id"), "editor");
    let session = editor.session().await;
    editor.prompt(&session, "/model").await;
    let event = editor.next_event("/model", |event| {
        matches!(&event.body, protocol::EventBody::CommandOutput(output) if output.command == "/model")
    });
    let protocol::EventBody::CommandOutput(said) = event.await.body else { unreachable!() };
    assert!(said.text.contains("sonnet") && !said.text.contains("opus"), "{}", said.text);

    let mut acp = server.connect_acp();
    acp.initialize().await;
    let made = acp.request("session/new", json!({ "cwd": project.root(), "mcpServers": [] })).await;
    let options = made["configOptions"].as_array().unwrap().clone();
    let of_models = options.iter().find(|option| option["id"] == "model").unwrap();
    is_right(&named(&of_models["options"], "value"), "acp");

    let mut sdk = Bowline::new(&project).model(&model).sdk_host(&[]);
    let about = sdk.initialize(json!({})).await;
    is_right(&named(&about["models"], "value"), "sdk");
    let list = sdk.request(json!({ "subtype": "list_models" })).await;
    is_right(&named(&list["response"]["models"], "value"), "sdk, later");
}
