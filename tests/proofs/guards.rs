//! Hooks as guards: what the user's own commands say about a call counts, and one that fails lets
//! nothing by.

use kit::{Bowline, Project, Stage, model};
use model::Scenario;
use protocol::event::{EventBody, StopReason};
use protocol::session::{CancelState, Mode};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const FILES: &str = "//- /a.txt\nold\n";

fn hooks(event: &str, matcher: &str, commands: &[&str]) -> Value {
    let handlers: Vec<_> =
        commands.iter().map(|command| json!({ "type": "command", "command": command })).collect();
    json!({ event: [{ "matcher": matcher, "hooks": handlers }] })
}

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("ok")
}

async fn stage(settings: Value, script: Scenario) -> Stage {
    let project = Project::new(FILES);
    project.user_settings(&settings);
    Stage::set(project, script, Mode::Default).await
}

/// A shell command that prints this answer.
fn prints(answer: &Value) -> String {
    format!("cat > /dev/null; echo '{answer}'")
}

fn decides(decision: &str) -> String {
    prints(&json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": "the house rules say so",
    }}))
}

/// One call past one hook: whether the user was asked (and said no), and how it ended.
async fn check(settings: Value, asked: bool, status: ToolStatus, words: &str) {
    let shown = settings.to_string();
    let mut stage = stage(settings, touch()).await;
    stage.client.prompt(&stage.session, "go").await;
    if asked {
        let (question, request) = stage.client.permission().await;
        assert!(request.reason.contains(words), "{shown}: {}", request.reason);
        stage.client.deny(question, None);
    }
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, status, "{shown}: {:?}", turned.call());
    assert_eq!(stage.project.exists("made"), status == ToolStatus::Completed, "{shown}");
    if !asked {
        assert!(turned.call().text.contains(words), "{shown}: {:?}", turned.call());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_allows_asks_and_denies() {
    let with = |command: &str| json!({ "hooks": hooks("PreToolUse", "Bash", &[command]) });
    check(with(&decides("allow")), false, ToolStatus::Completed, "").await;
    check(with(&decides("deny")), false, ToolStatus::Denied, "the house rules say so").await;
    check(with(&decides("ask")), true, ToolStatus::Denied, "the house rules say so").await;
    check(with("echo never >&2; exit 2"), false, ToolStatus::Denied, "never").await;
    // Nothing to say, or nothing that concerns this tool.
    check(with("true"), true, ToolStatus::Denied, "").await;
    let other = json!({ "hooks": hooks("PreToolUse", "Write", &["exit 2"]) });
    check(other, true, ToolStatus::Denied, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_fails_denies_and_is_named() {
    let with = |command: &str| json!({ "hooks": hooks("PreToolUse", "", &[command]) });
    for (command, words) in [
        ("exit 1", "exit code 1"),
        ("exit 139", "exit code 139"),
        ("no-such-program-at-all", "exit code 127"),
        ("kill -9 $$", "signal 9"),
        ("echo '{ broken'", "cannot be understood"),
        ("echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"alow\"}}'", "alow"),
    ] {
        check(with(command), false, ToolStatus::Denied, words).await;
        check(with(command), false, ToolStatus::Denied, "the user settings").await;
    }
    let slow = json!({ "type": "command", "command": "sleep 600", "timeout": 0.2 });
    let slow = json!({ "hooks": { "PreToolUse": [{ "hooks": [slow] }] } });
    check(slow, false, ToolStatus::Denied, "in time").await;
    let missing = json!({ "type": "command", "command": "/no/such/program", "args": ["x"] });
    let missing = json!({ "hooks": { "PreToolUse": [{ "hooks": [missing] }] } });
    check(missing, false, ToolStatus::Denied, "could not be started").await;
    let kind = json!({ "type": "http", "url": "http://127.0.0.1:1/" });
    let kind = json!({ "hooks": { "PreToolUse": [{ "hooks": [kind] }] } });
    check(kind, false, ToolStatus::Denied, "could not be reached").await;
    let kind = json!({ "type": "mcp_tool", "server": "none", "tool": "t" });
    let kind = json!({ "hooks": { "PreToolUse": [{ "hooks": [kind] }] } });
    check(kind, false, ToolStatus::Denied, "There is no MCP server").await;
    // Who wants it so gets it so.
    let lax = json!({ "type": "command", "command": "exit 1", "onFailure": "continue" });
    let lax = json!({ "hooks": { "PreToolUse": [{ "hooks": [lax] }] } });
    check(lax, true, ToolStatus::Denied, "").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_strictest_of_several_decides_and_policy_above_them() {
    let allow = decides("allow");
    let both = json!({ "hooks": hooks("PreToolUse", "Bash", &[&allow, "exit 2", &allow]) });
    check(both, false, ToolStatus::Denied, "").await;
    let denied = json!({
        "permissions": { "deny": ["Bash(touch *)"] },
        "hooks": hooks("PreToolUse", "Bash", &[&allow]),
    });
    check(denied, false, ToolStatus::Denied, "Bash(touch *)").await;
    let asked = json!({
        "permissions": { "ask": ["Bash(touch *)"] },
        "hooks": hooks("PreToolUse", "Bash", &[&allow]),
    });
    check(asked, true, ToolStatus::Denied, "Bash(touch *)").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_answers_in_the_users_place() {
    let answer = |decision: Value| {
        let specific = json!({ "hookEventName": "PermissionRequest", "decision": decision });
        let command = prints(&json!({ "hookSpecificOutput": specific }));
        json!({ "hooks": hooks("PermissionRequest", "Bash", &[&command]) })
    };
    check(answer(json!({ "behavior": "allow" })), false, ToolStatus::Completed, "").await;
    let deny = json!({ "behavior": "deny", "message": "not on Mondays" });
    check(answer(deny), false, ToolStatus::Denied, "not on Mondays").await;
    // Also where nobody is there to be asked.
    let project = Project::new(FILES);
    project.user_settings(&answer(json!({ "behavior": "allow" })));
    let model = model(touch()).await;
    let done = Bowline::new(&project).model(&model).args(&["-p", "go"]).run().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(project.exists("made"), "{done:?}");
}

/// A hook that makes another command out of any.
fn changes_to(command: &str) -> Value {
    let command = prints(&json!({ "hookSpecificOutput": {
        "hookEventName": "PreToolUse",
        "permissionDecision": "allow",
        "updatedInput": { "command": command },
    }}));
    hooks("PreToolUse", "Bash", &[&command])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_input_runs_in_place_of_the_old_one() {
    let mut stage = stage(json!({ "hooks": changes_to("touch other") }), touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
    assert!(stage.project.exists("other") && !stage.project.exists("made"));
    let journal = stage.project.journal();
    let permission = journal.iter().find(|record| record["type"] == "permission").unwrap();
    assert_eq!(permission["input"], json!({ "command": "touch other" }));
    assert!(permission["reason"].as_str().unwrap().contains("hook"), "{permission}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_input_is_decided_about_like_any_other() {
    let denied = json!({
        "permissions": { "deny": ["Bash(touch secret)"] },
        "hooks": changes_to("touch secret"),
    });
    let mut stage = stage(denied, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    assert!(turned.call().text.contains("Bash(touch secret)"), "{:?}", turned.call());
    assert!(!stage.project.exists("secret") && !stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_is_told_what_it_needs() {
    let command = "cat > told.json; echo \"$CLAUDE_PROJECT_DIR\" > folder; pwd > where; exit 2";
    let settings = json!({ "hooks": hooks("PreToolUse", "Read", &[command]) });
    let script = Scenario::new().tool("Read", json!({ "file_path": "a.txt" })).answer().text("ok");
    let mut stage = stage(settings, script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    let told: Value = serde_json::from_str(&stage.project.read("told.json")).unwrap();
    let root = stage.project.root().display().to_string();
    assert_eq!(told["tool_name"], "Read");
    assert_eq!(told["tool_input"], json!({ "file_path": format!("{root}/a.txt") }));
    assert_eq!(told["hook_event_name"], "PreToolUse");
    assert_eq!(told["permission_mode"], "default");
    assert_eq!(told["session_id"], stage.session);
    assert_eq!(told["cwd"], root);
    let transcript = told["transcript_path"].as_str().unwrap();
    assert_eq!(stage.project.journals()[0].display().to_string(), transcript);
    assert_eq!(stage.project.read("folder").trim(), root);
    assert_eq!(stage.project.read("where").trim(), root);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_it_says_reaches_the_user_and_the_model() {
    let command = prints(&json!({
        "systemMessage": "a word to the user",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "permissionDecision": "allow",
            "additionalContext": "a word to the model",
        },
    }));
    let settings = json!({ "hooks": hooks("PreToolUse", "Bash", &[&command]) });
    let mut stage = stage(settings, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let told = |event: &protocol::Event| match &event.body {
        EventBody::Notice(notice) => notice.text == "a word to the user",
        _ => false,
    };
    assert!(turned.events.iter().any(told), "{:?}", turned.types());
    let results = stage.last_results();
    assert!(results[0].0.contains("a word to the model"), "{results:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_can_end_the_turn() {
    let command = prints(&json!({ "continue": false, "stopReason": "enough for today" }));
    let settings = json!({ "hooks": hooks("PreToolUse", "Bash", &[&command]) });
    let mut stage = stage(settings, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    assert_eq!(turned.ended.stop_reason, StopReason::HookStopped);
    assert_eq!(turned.ended.terminal_reason.as_deref(), Some("hook_stopped"));
    let said = turned.ended.error.unwrap().message;
    assert_eq!(said, "A hook stopped the turn: enough for today");
    let journal = stage.project.journal();
    let ended = journal.iter().find(|record| record["type"] == "turn_ended").unwrap();
    assert_eq!(ended["terminal"], "hook_stopped", "nobody aborted it: {ended}");
    assert_eq!(stage.model.requests().len(), 1, "the model was not asked again");
    assert!(!stage.project.exists("made"));
}

/// Its process, and the call, end with the turn.
#[tokio::test(flavor = "multi_thread")]
async fn a_cancel_does_not_wait_for_it() {
    let settings = json!({ "hooks": hooks("PreToolUse", "Bash", &["touch begun; sleep 600"]) });
    let mut stage = stage(settings, touch()).await;
    stage.client.prompt(&stage.session, "go").await;
    kit::within("the hook to begin", async {
        while !stage.project.exists("begun") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().status, ToolStatus::Cancelled);
    assert!(!stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_that_comes_after_the_cancel_has_no_effect() {
    let mut stage = Stage::new(FILES, touch()).await;
    stage.client.prompt(&stage.session, "go").await;
    let (_, request) = stage.client.permission().await;
    let wide = request.options.iter().find(|option| option.scope.as_str() == "session").unwrap();
    assert_eq!(stage.client.cancel(&stage.session).await.state, CancelState::Cancelled);
    let params = protocol::permission::PermissionRespondParams {
        request_id: request.request_id,
        option_id: wide.id.clone(),
        edited_input: None,
        feedback: None,
    };
    let late = stage.client.try_request::<protocol::permission::PermissionRespond>(params).await;
    assert!(late.is_err(), "{late:?}");
    stage.client.turn_ended(&stage.session).await;
    assert!(!stage.project.exists("made"));
    let params = protocol::permission::PermissionRulesParams {
        op: protocol::permission::RuleOp::List,
        rule: None,
        behavior: None,
        scope: None,
        session_id: Some(stage.session.clone()),
    };
    let rules = stage.client.request::<protocol::permission::PermissionRules>(params).await.rules;
    assert!(rules.is_empty(), "{rules:?}");
}

/// What the user agreed to is compared with what is about to happen.
#[tokio::test(flavor = "multi_thread")]
async fn what_changes_while_the_user_thinks_is_asked_about_again() {
    let script = Scenario::new()
        .tool("Write", json!({ "file_path": "{{cwd}}/link/new.txt", "content": "new\n" }))
        .answer()
        .text("ok");
    let project = Project::new("//- /one/x\n\n//- /two/x\n\n");
    let link = project.path("link");
    std::os::unix::fs::symlink(project.path("one"), &link).unwrap();
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (first, _) = stage.client.permission().await;
    kit::files::remove(&link);
    std::os::unix::fs::symlink(stage.project.path("two"), &link).unwrap();
    stage.client.allow(first);
    let (second, _) = stage.client.permission().await;
    assert!(!stage.project.exists("one/new.txt") && !stage.project.exists("two/new.txt"));
    stage.client.allow(second);
    stage.client.turn_ended(&stage.session).await;
    assert!(stage.project.exists("two/new.txt") && !stage.project.exists("one/new.txt"));
}

/// A hook is a command like any other: it writes where commands may.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_runs_inside_the_sandbox() {
    let outside = "/usr/bowline-proof-hook";
    let command = format!("echo x > inside; echo x > {outside}; exit 0");
    let settings = json!({ "sandbox": {}, "hooks": hooks("PreToolUse", "Bash", &[&command]) });
    let mut stage = stage(settings, touch()).await;
    stage.client.prompt(&stage.session, "go").await;
    if let Some((asked, _)) = stage.client.turn_or_question(&stage.session).await {
        stage.client.allow(asked);
        stage.client.turn_ended(&stage.session).await;
    }
    assert!(stage.project.exists("inside"), "it ran");
    assert!(!std::path::Path::new(outside).exists(), "and was kept in");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_that_is_new_in_the_settings_counts_for_the_next_call() {
    let mut stage = stage(json!({ "permissions": { "allow": ["Bash(touch *)"] } }), touch()).await;
    let denies = hooks("PreToolUse", "Bash", &[&decides("deny")]);
    let settings = json!({ "permissions": { "allow": ["Bash(touch *)"] }, "hooks": denies });
    stage.project.user_settings(&settings);
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied, "{:?}", turned.call());
    assert!(!stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_says_which_calls_a_hook_is_for() {
    for (condition, denied) in
        [("Bash(touch *)", true), ("Bash(git *)", false), ("Write", false), ("Bash", true)]
    {
        let hook = json!({ "type": "command", "command": decides("deny"), "if": condition });
        let settings = json!({
            "permissions": { "allow": ["Bash(touch *)"] },
            "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] },
        });
        let mut stage = stage(settings, touch()).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert_eq!(turned.call().status == ToolStatus::Denied, denied, "{condition}");
        assert_eq!(stage.project.exists("made"), !denied, "{condition}");
    }
}
