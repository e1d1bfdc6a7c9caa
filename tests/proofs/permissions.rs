//! Who may do what: modes, rules, the user's answer, and the journal that holds it first.

use host::session::Limits;
use kit::{Bowline, Profile, Project, Server, Stage, files, model, model_with, session_in};
use model::Scenario;
use protocol::permission::{
    OptionKind, PermissionRespond, PermissionRespondParams, PermissionRules, PermissionRulesParams,
    RuleOp, Subject,
};
use protocol::session::{ConfigChange, Mode, SessionConfig, SessionConfigParams};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nold\n";

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

fn write_new() -> Value {
    json!({ "file_path": "{{cwd}}/new.txt", "content": "new\n" })
}

/// One call in a mode: whether it was asked about, and how it ended.
async fn check(mode: Mode, tool: &str, input: Value, asked: bool, status: ToolStatus) {
    let script = Scenario::new().tool(tool, input).answer().text("ok");
    let mut stage = Stage::in_mode(FILES, script, mode.clone()).await;
    stage.client.prompt(&stage.session, "go").await;
    if asked {
        let (question, _) = stage.client.permission().await;
        stage.client.allow(question);
    }
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, status, "{mode} {tool}: {:?}", turned.call());
}

#[tokio::test(flavor = "multi_thread")]
async fn modes() {
    use ToolStatus::{Completed, Denied};
    let touch = || bash("touch made");
    let read = || json!({ "file_path": "{{cwd}}/a.txt" });
    check(Mode::Default, "Read", read(), false, Completed).await;
    check(Mode::Default, "Write", write_new(), true, Completed).await;
    check(Mode::Default, "Bash", touch(), true, Completed).await;
    check(Mode::Default, "Bash", bash("ls"), false, Completed).await;
    check(Mode::AcceptEdits, "Write", write_new(), false, Completed).await;
    check(Mode::AcceptEdits, "Bash", bash("sh ./script"), true, ToolStatus::Failed).await;
    check(Mode::Plan, "Read", read(), false, Completed).await;
    check(Mode::Plan, "Write", write_new(), false, Denied).await;
    check(Mode::Plan, "Bash", touch(), false, Denied).await;
    check(Mode::BypassPermissions, "Write", write_new(), false, Completed).await;
    check(Mode::BypassPermissions, "Bash", touch(), false, Completed).await;
    check(Mode::DontAsk, "Read", read(), false, Completed).await;
    check(Mode::DontAsk, "Bash", touch(), false, Denied).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_mode_can_change_in_between() {
    let script = Scenario::new()
        .tool("Write", write_new())
        .answer()
        .text("no")
        .answer()
        .tool("Write", write_new())
        .answer()
        .text("yes");
    let mut stage = Stage::in_mode(FILES, script, Mode::Plan).await;
    stage.client.ask(&stage.session, "go").await;
    assert!(!stage.project.exists("new.txt"));
    let set = ConfigChange { mode: Some(Mode::AcceptEdits), ..ConfigChange::default() };
    let params = SessionConfigParams { session_id: stage.session.clone(), set: Some(set) };
    let config = stage.client.request::<SessionConfig>(params).await.config;
    assert_eq!(config.mode, Mode::AcceptEdits);
    assert_eq!(stage.client.ask(&stage.session, "now").await.text(), "yes");
    assert_eq!(stage.project.read("new.txt"), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_of_the_user_settings_hold() {
    let project = Project::new("//- /secret.txt\nkey\n//- /a.txt\nold\n");
    project.user_settings(&json!({ "permissions": {
        "allow": ["Bash(touch *)"],
        "ask": ["Read(./a.txt)"],
        "deny": ["Read(./secret.txt)"],
    }}));
    let script = Scenario::new()
        .tool("Bash", bash("touch made"))
        .answer()
        .tool("Read", json!({ "file_path": "{{cwd}}/secret.txt" }))
        .answer()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(matches!(&request.subject, Subject::Read(read) if read.uri.ends_with("/a.txt")));
    stage.client.allow(asked);
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    let status: Vec<_> = calls.iter().map(|call| call.status.as_str()).collect();
    assert_eq!(status, ["completed", "denied", "completed"]);
    assert!(stage.project.exists("made"));
    assert!(!calls[1].text.contains("key"), "{}", calls[1].text);
    let params = PermissionRulesParams {
        op: RuleOp::List,
        rule: None,
        behavior: None,
        scope: None,
        session_id: Some(stage.session.clone()),
    };
    let rules = stage.client.request::<PermissionRules>(params).await.rules;
    assert!(rules.iter().any(|rule| rule.rule == "Bash(touch *)"), "{rules:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_cannot_be_read_make_us_stricter_and_say_so() {
    let project = Project::new(FILES);
    files::write(
        &project.bowline_home().join("settings.json"),
        r#"{ "permissions": { "allow": ["Bash(touch *)"], "defaultMode": "bypassPermissions", "#,
    );
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let is_notice = |event: &protocol::Event| event.body.name() == "notice";
    let notice = client.next_event("a notice", is_notice).await;
    assert!(format!("{notice:?}").contains("settings.json"), "{notice:?}");
    client.prompt(&session, "go").await;
    let (asked, _) = client.permission().await;
    client.deny(asked, None);
    client.turn_ended(&session).await;
    assert!(!project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_says_with_a_no_reaches_the_model() {
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Command(command) = &request.subject else { panic!("{request:?}") };
    assert_eq!(command.command, "touch made");
    assert_eq!(command.cwd, stage.project.root().display().to_string());
    assert!(request.title.ends_with('?') && !request.reason.is_empty());
    stage.client.deny(asked, Some("use a better name"));
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    let results = stage.last_results();
    assert!(results[0].1, "{results:?}");
    assert!(results[0].0.contains("use a better name"), "{results:?}");
    assert!(!stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_may_run_something_else_instead() {
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert_eq!(request.editable, Some(true));
    let answer = json!({ "optionId": "allow_once", "editedInput": bash("touch better") });
    stage.client.answer(asked, answer);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
    assert!(stage.project.exists("better") && !stage.project.exists("made"));
    let permission =
        stage.project.journal().into_iter().find(|record| record["type"] == "permission");
    assert_eq!(permission.unwrap()["input"], bash("touch better"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_the_session_is_not_asked_for_again() {
    let script = Scenario::new()
        .tool("Bash", bash("touch one"))
        .answer()
        .tool("Bash", bash("touch one"))
        .answer()
        .tool("Bash", bash("rm one"))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let wide = request.options.iter().find(|option| option.scope.as_str() == "session").unwrap();
    assert_eq!(wide.kind, OptionKind::Allow);
    assert!(wide.rule.as_deref().unwrap().starts_with("Bash(touch"), "{wide:?}");
    stage.client.choose(asked, &wide.id);
    let (asked, request) = stage.client.permission().await;
    let Subject::Command(command) = request.subject else { panic!() };
    assert_eq!(command.command, "rm one", "the second touch was not asked about");
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_is_no_answer_is_a_no() {
    for answer in [json!(null), json!({ "optionId": "no such option" }), json!({ "nonsense": 1 })] {
        let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
        let mut stage = Stage::new(FILES, script).await;
        stage.client.prompt(&stage.session, "go").await;
        let (asked, _) = stage.client.permission().await;
        stage.client.answer(asked, answer);
        let turned = stage.client.turn_ended(&stage.session).await;
        assert_eq!(turned.call().status, ToolStatus::Denied);
        assert!(!stage.project.exists("made"));
    }
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.answer_error(asked, -32603);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_know_its_own_word_gets_a_message_box() {
    let script = Scenario::new()
        .tool("Bash", bash("touch made"))
        .answer()
        .tool("Bash", bash("touch again"))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.forgets.push("agent/permission/request");
    stage.client.prompt(&stage.session, "go").await;
    for _ in 0..2 {
        let (asked, question) = stage.client.message_box().await;
        stage.client.answer(asked, question["actions"][0].clone());
        // From now on it is asked in this way alone.
        stage.client.forgets.clear();
    }
    stage.client.turn_ended(&stage.session).await;
    assert!(stage.project.exists("made") && stage.project.exists("again"));
}

#[tokio::test(flavor = "multi_thread")]
async fn another_way_to_answer() {
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let respond = |request_id: String| PermissionRespondParams {
        request_id,
        option_id: "allow_once".to_owned(),
        edited_input: None,
        feedback: None,
    };
    let params = respond(request.request_id.clone());
    stage.client.request::<PermissionRespond>(params.clone()).await;
    stage.client.was_withdrawn(asked).await;
    stage.client.turn_ended(&stage.session).await;
    assert!(stage.project.exists("made"));
    let late = stage.client.try_request::<PermissionRespond>(params).await.unwrap_err();
    assert!(late.message.contains("answered already"), "{late:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_box_closed_without_an_answer_is_a_no() {
    let project = Project::new(FILES);
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("denied");
    let model = model(script).await;
    let mut client = Server::start(&project, Some(&model)).connect(Profile::HELIX).await;
    client.command("bowline.ask", json!(["go"])).await;
    let (asked, question) = client.message_box().await;
    assert!(question["message"].as_str().unwrap().contains("touch made"));
    client.answer(asked, Value::Null);
    assert_eq!(client.notification("window/showMessage").await["message"], "denied");
    assert!(!project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_while_it_is_asked_has_said_no() {
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (_asked, _) = stage.client.permission().await;
    let project = stage.project;
    stage.client.hang_up().await;
    assert!(!project.exists("made"));
    let journal = project.journal();
    let of = |kind: &str| journal.iter().filter(|record| record["type"] == kind).count();
    // Whether the turn was stopped or the model still heard the no: it has an end.
    assert_eq!(of("turn_ended"), 1, "{journal:#?}");
    assert!(journal.iter().all(|record| record["allowed"] != true), "{journal:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_decision_is_in_the_journal_before_the_effect() {
    // The command itself looks whether its permission is written down.
    let script = Scenario::new()
        .tool("Bash", bash("grep -c '\"type\":\"permission\"' ../home/.bowline/sessions/*/*.jsonl > count; true"))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.project.read("count"), "1\n");
    let permission =
        stage.project.journal().into_iter().find(|record| record["type"] == "permission");
    let permission = permission.unwrap();
    assert_eq!((&permission["allowed"], &permission["tool"]), (&json!(true), &json!("Bash")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_that_is_denied_altogether_is_not_offered() {
    let project = Project::new(FILES);
    project.user_settings(&json!({ "permissions": { "deny": ["Bash"] } }));
    let script = Scenario::new().text("ok");
    let model = model(script).await;
    let server = Server::start_with(&project, model_with(&model), Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "go").await;
    let body = &model.requests()[0].body;
    let names: Vec<_> =
        body["tools"].as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert!(!names.contains(&json!("Bash")) && names.contains(&json!("Read")), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_that_asks_nothing_is_agreed_to_once_on_a_machine() {
    let project = Project::new("");
    let model = model(Scenario::new().text("ok")).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(session_in(Mode::BypassPermissions)).await;
    let (asked, request) = client.permission().await;
    assert!(matches!(request.subject, Subject::Mode(_)), "{request:?}");
    assert_eq!(mode(&mut client, &session).await, "default", "until somebody agrees");
    client.deny(asked, None);
    assert_eq!(mode(&mut client, &session).await, "default");

    let set = ConfigChange { mode: Some(Mode::BypassPermissions), ..ConfigChange::default() };
    let params = SessionConfigParams { session_id: session.clone(), set: Some(set) };
    client.request::<SessionConfig>(params).await;
    let (asked, request) = client.permission().await;
    client.allow_first(asked, &request);
    kit::within("the mode", async {
        while mode(&mut client, &session).await != "bypassPermissions" {}
    })
    .await;
    let kept = project.bowline_home().join("settings.json");
    kit::within("what is kept", async {
        while !kept.exists() || !files::read(&kept).contains("skipDangerousModePermissionPrompt") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let again = client.session_with(session_in(Mode::BypassPermissions)).await;
    assert_eq!(mode(&mut client, &again).await, "bypassPermissions", "nobody is asked again");
}

async fn mode(client: &mut kit::Client, session: &str) -> String {
    let params = SessionConfigParams { session_id: session.to_owned(), set: None };
    client.request::<SessionConfig>(params).await.config.mode.as_str().to_owned()
}

/// Whoever can start us could agree in the user's place.
#[tokio::test(flavor = "multi_thread")]
async fn no_flag_and_no_project_agrees_to_a_mode_that_asks_nothing() {
    let project = Project::new(
        "//- /.bowline/settings.json\n{\"skipDangerousModePermissionPrompt\": true}\n",
    );
    let run = |args: &'static [&'static str]| {
        let project = &project;
        async move {
            let script = Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer();
            let model = model(script.text("ok")).await;
            Bowline::new(project).model(&model).args(args).run().await
        }
    };
    for args in [
        &["-p", "go", "--dangerously-skip-permissions"] as &[&str],
        &["-p", "go", "--permission-mode", "bypassPermissions"],
        &["-p", "go", "--dangerously-skip-permissions", "--trust-workspace"],
        &[
            "-p",
            "go",
            "--dangerously-skip-permissions",
            "--settings",
            "{\"skipDangerousModePermissionPrompt\": true}",
        ],
    ] {
        let done = run(args).await;
        assert_ne!(done.code, Some(0), "{args:?}: {done:?}");
        assert!(!project.exists("made"), "{args:?}");
    }
    project.agree_to_bypass();
    let done = run(&["-p", "go", "--dangerously-skip-permissions"]).await;
    assert!(project.exists("made"), "{done:?}");
}
