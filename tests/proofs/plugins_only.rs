//! Where the administrator wants it, only plugins bring skills, agents, hooks and servers.

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::session::Mode;
use serde_json::{Value, json};

/// A user with one of each.
fn user(policy: &Value) -> Project {
    let project = Project::new("");
    let head = "---\nname: mine\ndescription: Mine.\n---\nDo it.\n";
    files::write(&project.home().join(".claude/skills/mine/SKILL.md"), head);
    files::write(&project.home().join(".claude/agents/mine.md"), head);
    let hook = json!({ "type": "command", "command": "echo no >&2; exit 2" });
    project.user_settings(&json!({
        "hooks": { "PreToolUse": [{ "matcher": "TodoWrite", "hooks": [hook] }] },
    }));
    project.managed_settings(&json!({ "strictPluginOnlyCustomization": policy }));
    project
}

/// Which of a user's skill, agent and hook count.
async fn counts(policy: Value) -> (bool, bool, bool) {
    let todo = json!({ "todos": [{ "content": "a", "activeForm": "a", "status": "pending" }] });
    let script = Scenario::new().tool("TodoWrite", todo).answer().forever().text("ok");
    let mut stage = Stage::set(user(&policy), script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let hook = turned.call().text.contains("no");
    let commands = stage.client.log.iter().rev().find_map(|event| match &event.body {
        EventBody::CommandsUpdated(updated) => Some(updated.commands.clone()),
        _ => None,
    });
    let skill = commands.unwrap().iter().any(|command| command.name == "mine");
    let tools = stage.model.requests()[0].body["tools"].to_string();
    (skill, tools.contains("mine"), hook)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_user_brings_does_not_count() {
    assert_eq!(counts(json!(false)).await, (true, true, true), "nothing is closed");
    assert_eq!(counts(json!(true)).await, (false, false, false));
    assert_eq!(counts(json!(["agents", "hooks"])).await, (true, false, false));
    assert_eq!(counts(json!(["skils"])).await, (false, false, false), "a slip closes all");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_can_say_it() {
    let project = user(&json!(false));
    project.user_settings(&json!({ "strictPluginOnlyCustomization": true }));
    let mut stage = Stage::set(project, Scenario::new().text("ok"), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let said = stage.client.log.iter().filter_map(|event| match &event.body {
        EventBody::Notice(notice) => Some(notice.text.clone()),
        _ => None,
    });
    assert!(said.into_iter().any(|text| text.contains("managed policy only")));
}
