//! How long a yes holds, where it is kept, and that the user can look at it and take it back.

use kit::{Profile, Project, Server, Stage, files, model};
use model::Scenario;
use protocol::permission::{
    PermissionRules, PermissionRulesParams, PermissionRulesResult, RuleBehavior, RuleOp, RuleScope,
    Subject,
};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nold\n";

fn bash(command: &str) -> Value {
    json!({ "command": command })
}

/// A model that runs the same command once for each prompt.
fn touches(times: usize) -> Scenario {
    (0..times).fold(Scenario::new(), |script, at| {
        let script = if at == 0 { script } else { script.answer() };
        script.tool("Bash", bash("touch made")).answer().text("ok")
    })
}

async fn listed(stage: &mut Stage, change: Value) -> PermissionRulesResult {
    let mut params = json!({ "op": "list", "sessionId": stage.session });
    for (key, value) in change.as_object().unwrap() {
        params[key] = value.clone();
    }
    let params: PermissionRulesParams = serde_json::from_value(params).unwrap();
    stage.client.request::<PermissionRules>(params).await
}

/// Runs the command; says whether it was asked about, and answers with the option of that scope.
async fn run(stage: &mut Stage, scope: &str) -> bool {
    stage.client.prompt(&stage.session, "go").await;
    let turned = stage.client.turn_or_question(&stage.session).await;
    let Some((asked, request)) = turned else { return false };
    let option = request.options.iter().find(|option| option.scope.as_str() == scope).unwrap();
    stage.client.choose(asked, &option.id);
    stage.client.turn_ended(&stage.session).await;
    true
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_the_turn_ends_with_it() {
    let script = Scenario::new()
        .tool("Bash", bash("touch made"))
        .answer()
        .tool("Bash", bash("touch made"))
        .answer()
        .text("ok")
        .answer()
        .tool("Bash", bash("touch made"))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    assert!(run(&mut stage, "turn").await, "the first is asked about, the second is not");
    assert!(run(&mut stage, "once").await, "another turn asks again");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_the_project_is_kept_with_it() {
    let project = Project::new(FILES);
    project.trust();
    let mut stage = Stage::set(project, touches(2), Mode::Default).await;
    assert!(run(&mut stage, "project").await);
    assert!(!run(&mut stage, "once").await);
    let Stage { client, project, server, .. } = stage;
    client.leave().await;
    drop(server);
    let kept = project.read(".bowline/settings.local.json");
    assert!(kept.contains("Bash(touch"), "{kept}");
    let mut stage = Stage::set(project, touches(1), Mode::Default).await;
    assert!(!run(&mut stage, "once").await, "the next session knows it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_trusted_keeps_no_rules() {
    let mut stage = Stage::new(FILES, touches(1)).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let scopes: Vec<_> = request.options.iter().map(|option| option.scope.as_str()).collect();
    assert_eq!(scopes, ["once", "turn", "session", "user", "once"]);
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_for_everywhere_joins_the_users_settings_and_keeps_its_comments() {
    let project = Project::new(FILES);
    let file = project.bowline_home().join("settings.json");
    files::write(&file, "{\n  // mine\n  \"sandbox\": {\"enabled\": false},\n}\n");
    let mut stage = Stage::set(project, touches(2), Mode::Default).await;
    assert!(run(&mut stage, "user").await);
    assert!(!run(&mut stage, "once").await);
    let text = files::read(&file);
    assert!(text.contains("// mine") && text.contains("Bash(touch"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_listed_added_and_taken_away() {
    let project = Project::new(FILES);
    project.trust();
    let mut stage = Stage::set(project, touches(2), Mode::Default).await;
    let rule = |op: &str, scope: &str| json!({ "op": op, "rule": "Bash(touch *)", "behavior": "allow", "scope": scope });
    for scope in ["session", "local", "project", "user"] {
        let rules = listed(&mut stage, rule("add", scope)).await.rules;
        let added = rules.iter().find(|known| known.rule == "Bash(touch *)").unwrap();
        assert_eq!(added.behavior, RuleBehavior::Allow);
        assert_eq!(added.scope, RuleScope::from(scope));
        let rules = listed(&mut stage, rule("remove", scope)).await.rules;
        assert!(rules.is_empty(), "{scope}: {rules:?}");
    }
    let params = PermissionRulesParams {
        op: RuleOp::Remove,
        rule: Some("Bash(touch *)".to_owned()),
        behavior: Some(RuleBehavior::Allow),
        scope: Some(RuleScope::User),
        session_id: Some(stage.session.clone()),
    };
    let gone = stage.client.try_request::<PermissionRules>(params).await.unwrap_err();
    assert!(gone.message.contains("no such rule"), "{gone:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_refused_is_remembered() {
    let mut stage = Stage::new(FILES, touches(1)).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.deny(asked, Some("not here"));
    stage.client.turn_ended(&stage.session).await;
    let denials = listed(&mut stage, json!({})).await.denials.unwrap();
    assert_eq!(denials.len(), 1);
    assert_eq!((denials[0].tool.as_str(), denials[0].title.as_str()), ("Bash", "touch made"));
    assert!(denials[0].reason.contains("the user said no"), "{denials:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_answers_two_questions_answers_both() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "/etc/hostname" }))
        .tool("Read", json!({ "file_path": "/etc/hostname" }))
        .answer()
        .text("ok");
    let mut stage = Stage::new(FILES, script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (first, request) = stage.client.permission().await;
    let (second, _) = stage.client.permission().await;
    let wide = request.options.iter().find(|option| option.scope.as_str() == "session").unwrap();
    stage.client.choose(first, &wide.id);
    stage.client.was_withdrawn(second).await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert!(turned.calls().iter().all(|call| call.status != ToolStatus::Denied));
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_change_hold_from_the_next_call_on() {
    let project = Project::new(FILES);
    project.user_settings(&json!({ "permissions": { "allow": ["Bash(touch *)"] } }));
    let mut stage = Stage::set(project, touches(2), Mode::Default).await;
    assert!(!run(&mut stage, "once").await);
    stage.project.user_settings(&json!({ "permissions": { "deny": ["Bash(touch *)"] } }));
    stage.client.prompt(&stage.session, "again").await;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Denied, "{:?}", turned.call());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_shows_what_the_command_consists_of() {
    let project = Project::new(FILES);
    let command = "sort a.txt > sorted && rm a.txt";
    let script = Scenario::new().tool("Bash", bash(command)).answer().text("ok");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.prompt(&session, "go").await;
    let (asked, request) = client.permission().await;
    let Subject::Command(subject) = &request.subject else { panic!("{request:?}") };
    let parts = subject.parts.as_ref().unwrap();
    let words: Vec<_> = parts.iter().map(|part| part.words.join(" ")).collect();
    assert_eq!(words, ["sort a.txt", "rm a.txt"]);
    assert_eq!(parts[0].writes, [project.path("sorted").display().to_string()]);
    assert_eq!(subject.sandbox, None);
    client.deny(asked, None);
    client.turn_ended(&session).await;
}
