//! The table of hooks, where it was empty: every kind hears of a whole turn, and the events that only
//! some sessions have (worktrees, teammates, the check of auto mode) are told and heeded.

use kit::{Bowline, Project, Stage};
use model::Scenario;
use protocol::event::StopReason;
use protocol::mcp::McpStatus;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

use crate::agents::agent;
use crate::hook_kinds::answering;
use crate::hooks::{FILES, on, prints, specific, tells, told};
use crate::mcp_sessions;

/// What happens to every turn with a call.
const TURN: [&str; 5] = ["UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolBatch", "Stop"];
/// Only the question to the one who judges says this.
const JUDGE: &str = "Is the ship in order?";

/// The same handler for each of these events.
fn on_all(events: &[&str], handler: &Value) -> Value {
    let entry = |event: &&str| ((*event).to_owned(), json!([{ "hooks": [handler] }]));
    Value::Object(events.iter().map(entry).collect())
}

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("ok")
}

/// A turn with one call, with this handler for all of its events.
async fn turn(handler: &Value, script: Scenario) -> Stage {
    let project = Project::new(FILES);
    let servers = json!({ "notes": mcp_sessions::server(&project, "") });
    project.user_settings(&json!({
        "hooks": on_all(&TURN, handler), "mcpServers": servers,
        "permissions": { "allow": ["Bash(touch *)"] },
    }));
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let status = McpStatus::Connected;
    mcp_sessions::stands(&mut stage.client, &stage.session, "notes", status).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn, "{handler}");
    assert_eq!(turned.calls()[0].status, ToolStatus::Completed, "{handler}: {:?}", turned.calls());
    assert!(stage.project.exists("made"), "{handler}");
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_addresses_and_servers_hear_of_a_whole_turn() {
    let command = json!({ "type": "command", "command": "cat >> heard; echo >> heard" });
    let stage = turn(&command, touch()).await;
    let heard = stage.project.read("heard");
    let (url, got) = answering("200 OK", "").await;
    turn(&json!({ "type": "http", "url": url }), touch()).await;
    let got = got.lock().unwrap().join("\n");
    let input = json!({ "text": "${hook_event_name}" });
    let tool =
        json!({ "type": "mcp_tool", "server": "notes", "tool": "write_note", "input": input });
    let stage = turn(&tool, touch()).await;
    let log = mcp_sessions::log(&stage.project);
    for event in TURN {
        let named = format!("\"hook_event_name\":\"{event}\"");
        assert!(heard.contains(&named), "a command: {event}: {heard}");
        assert!(got.contains(&named), "an address: {event}: {got}");
        assert!(log.contains(&format!("wrote {event}")), "a tool: {event}: {log}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn models_and_agents_hear_of_a_whole_turn() {
    for kind in ["prompt", "agent"] {
        let hook = json!({ "type": kind, "prompt": format!("{JUDGE} $ARGUMENTS") });
        let script = Scenario::new()
            .when(JUDGE)
            .forever()
            .text("{\"ok\": true}")
            .answer()
            .tool("Bash", json!({ "command": "touch made" }))
            .answer()
            .text("ok");
        let stage = turn(&hook, script).await;
        let asked: Vec<String> =
            stage.model.requests().iter().map(|it| it.body["messages"].to_string()).collect();
        for event in TURN {
            let named = format!("\\\"hook_event_name\\\":\\\"{event}\\\"");
            let is_it = |it: &&String| it.contains(JUDGE) && it.contains(&named);
            assert!(asked.iter().any(|it| is_it(&it)), "{kind}: {event}: {asked:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_check_of_auto_mode_refuses_is_told_and_may_be_tried_again() {
    let output = specific("PermissionDenied", json!({ "retry": true }));
    let hook = format!("{}; echo '{output}'", tells("PermissionDenied"));
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": on("PermissionDenied", &hook) }));
    let no = json!({ "verdict": "deny", "reason": "that is how it looks" }).to_string();
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "sh -c 'touch made'" }))
        .answer()
        .when("Judge the action of this case.")
        .text(&no)
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Auto).await;
    let turned = stage.client.ask(&stage.session, "make it").await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    let told = &told(&stage.project, "PermissionDenied").await[0];
    assert_eq!(told["tool_name"], "Bash");
    assert!(told["reason"].as_str().unwrap().contains("that is how it looks"), "{told}");
    let last = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("you may try this call again"), "{last}");
}

/// An agent that is to work apart from others.
fn apart(prompt: &str) -> Value {
    let mut call = agent("general-purpose", prompt, false);
    call["isolation"] = json!("worktree");
    call
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hook_makes_the_place_where_an_agent_works() {
    let create = format!("{}; mkdir -p apart && echo \"$PWD/apart\"", tells("WorktreeCreate"));
    let hooks = json!({
        "WorktreeCreate": on("WorktreeCreate", &create)["WorktreeCreate"],
        "WorktreeRemove": on("WorktreeRemove", &tells("WorktreeRemove"))["WorktreeRemove"],
    });
    let script = Scenario::new()
        .tool("Agent", apart("make a file"))
        .answer()
        .when("make a file")
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "made\n" }))
        .answer()
        .when("new.txt")
        .text("Made.")
        .answer()
        .text("done");
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": hooks }));
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    assert_eq!(stage.project.read("apart/new.txt"), "made\n", "it worked where the hook said");
    let created = &told(&stage.project, "WorktreeCreate").await[0];
    assert!(created["name"].as_str().unwrap().starts_with("agent-"), "{created}");
    let removed = &told(&stage.project, "WorktreeRemove").await[0];
    assert!(removed["worktree_path"].as_str().unwrap().ends_with("/apart"), "{removed}");
    // One that cannot make a place lets no agent begin.
    let script = Scenario::new().tool("Agent", apart("make a file")).answer().text("no");
    let project = Project::new(FILES);
    let hooks = on("WorktreeCreate", "echo no room >&2; exit 1");
    project.user_settings(&json!({ "hooks": hooks }));
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(turned.call().text.contains("no room"), "{:?}", turned.call());
}

#[tokio::test(flavor = "multi_thread")]
async fn worktrees_that_go_are_told_and_those_that_stay_are_not() {
    let project = Project::new(FILES);
    project.git(&["init", "-q", "-b", "main"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "first"]);
    project.trust();
    project.user_settings(&json!({ "hooks": on("WorktreeRemove", &tells("WorktreeRemove")) }));
    let script = Scenario::new()
        .tool("Agent", apart("make a file"))
        .answer()
        .when("make a file")
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "made\n" }))
        .answer()
        .when("new.txt")
        .text("Made.")
        .answer()
        .when("holds what was done")
        .tool("Agent", apart("only look"))
        .answer()
        .when("only look")
        .text("Looked.")
        .answer()
        .when("gone again")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    let removed = told(&stage.project, "WorktreeRemove").await;
    assert_eq!(removed.len(), 1, "the first one holds something: {removed:?}");
    let gone = removed[0]["worktree_path"].as_str().unwrap();
    assert!(!std::path::Path::new(gone).exists(), "{gone}");
}

/// Both events of a teammate's end are told, and either makes it go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_teammate_about_to_wait_is_told_and_may_be_kept_at_work() {
    let once = "if [ -e kept ]; then exit 0; fi; touch kept; echo swab the deck >&2; exit 2";
    let idle = format!("{}; {once}", tells("TeammateIdle"));
    let hooks = json!({
        "TeammateIdle": on("TeammateIdle", &idle)["TeammateIdle"],
        "SubagentStop": on("SubagentStop", &tells("SubagentStop"))["SubagentStop"],
    });
    let mut named = agent("general-purpose", "look out", false);
    named["name"] = json!("bow");
    let script = Scenario::new()
        .tool("Agent", named)
        .answer()
        .when("look out")
        .text("Seen.")
        .answer()
        .when("swab the deck")
        .text("Swabbed.")
        .answer()
        .text("done");
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": hooks }));
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert!(turned.call().text.contains("Swabbed."), "{:?}", turned.call());
    let told_idle = told(&stage.project, "TeammateIdle").await;
    assert_eq!(told_idle[0]["teammate_name"], "bow");
    assert_eq!(told_idle[0]["team_name"], stage.session);
    assert_eq!(told(&stage.project, "SubagentStop").await.len(), 2, "before each of them");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_that_come_with_a_yes_hold_for_the_session_alone() {
    let rules = json!([{ "toolName": "Bash", "ruleContent": "touch *" }]);
    let update = json!({ "type": "addRules", "rules": rules, "behavior": "allow",
        "destination": "userSettings" });
    let decision = json!({ "behavior": "allow", "updatedPermissions": [update] });
    let says = prints(&specific("PermissionRequest", json!({ "decision": decision })));
    let hook = format!("echo asked >> times; {says}");
    let call = |name: &str| json!({ "command": format!("touch {name}") });
    let script = Scenario::new()
        .tool("Bash", call("one"))
        .answer()
        .tool("Bash", call("two"))
        .answer()
        .text("ok");
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": on("PermissionRequest", &hook) }));
    let settings = kit::files::read(&project.bowline_home().join("settings.json"));
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    assert!(stage.project.exists("one") && stage.project.exists("two"));
    assert_eq!(stage.project.read("times"), "asked\n", "the second one needs no question");
    let now = kit::files::read(&stage.project.bowline_home().join("settings.json"));
    assert_eq!(settings, now, "the user's file is the user's");
}

/// Nobody is there to decide: the run ends and says which call waits, and resuming it asks the hook
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_put_off_ends_the_run_and_is_asked_about_when_it_goes_on() {
    let says = |decision: &str| {
        specific("PreToolUse", json!({ "permissionDecision": decision })).to_string()
    };
    let (later, now) = (says("defer"), says("allow"));
    let hook =
        format!("cat > /dev/null; if [ -e decided ]; then echo '{now}'; else echo '{later}'; fi");
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": on("PreToolUse", &hook) }));
    let call = json!({ "command": "touch made" });
    let script = Scenario::new()
        .tool("Bash", call.clone())
        .answer()
        .when("go on")
        .tool("Bash", call.clone())
        .answer()
        .text("made");
    let model = kit::model(script).await;
    let run = async |args: &[&str]| {
        let args = [&["-p", "--output-format", "json"], args].concat();
        let done = Bowline::new(&project).model(&model).args(&args).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        serde_json::from_str::<Value>(&done.stdout).unwrap()
    };
    let first = run(&["go"]).await;
    assert_eq!(first["stop_reason"], "tool_deferred", "{first}");
    assert_eq!(first["deferred_tool_use"]["name"], "Bash", "{first}");
    assert_eq!(first["deferred_tool_use"]["input"]["command"], "touch made", "{first}");
    assert_eq!((&first["is_error"], model.requests().len()), (&json!(false), 1), "{first}");
    assert!(!project.exists("made"));
    project.write("decided", "");
    let second = run(&["--resume", first["session_id"].as_str().unwrap(), "go on"]).await;
    assert_eq!(second["result"], "made", "{second}");
    assert!(project.exists("made"));
    let told = model.requests()[1].body["messages"].to_string();
    assert!(told.contains("make the same call again"), "{told}");
}

/// Where somebody is there, they decide.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_put_off_is_the_users_to_decide() {
    let later = specific("PreToolUse", json!({ "permissionDecision": "defer" }));
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": on("PreToolUse", &prints(&later)) }));
    let mut stage = Stage::set(project, touch(), Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    assert!(stage.project.exists("made"));
}
