//! Skills that are carried out by an agent (`context: fork`): called by the model and by the user, with
//! what they bring along.

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

use crate::agents::{agent, request_with, sidechains};

fn skill(project: &Project, name: &str, text: &str) {
    files::write(&project.home().join(format!(".claude/skills/{name}/SKILL.md")), text);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_calls_one_and_an_agent_does_it() {
    let project = Project::new("");
    let text = "---\ncontext: fork\nagent: general-purpose\nbackground: false\neffort: low\n\
                allowed-tools: Bash(touch *)\n---\nMark $ARGUMENTS. Rules: \
                ${CLAUDE_SKILL_DIR}/rules.md";
    skill(&project, "mark", text);
    let rules = project.home().join(".claude/skills/mark/rules.md");
    files::write(&rules, "Only once.\n");
    let script = Scenario::new()
        .tool("Skill", json!({ "skill": "mark", "args": "the hull" }))
        .answer()
        .when("Mark the hull.")
        .tool("Read", json!({ "file_path": rules }))
        .tool("Bash", json!({ "command": "touch marked" }))
        .answer()
        .when("Only once.")
        .text("Marked.")
        .answer()
        .when("Marked.")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "mark it").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    assert!(stage.project.exists("marked"), "what the skill allows, its agent may do");
    assert_eq!(sidechains(&stage.project).len(), 1);
    let agent = request_with(&stage, "Mark the hull.");
    assert_eq!(agent["output_config"]["effort"], "low", "{agent}");
    assert_eq!(agent["messages"].as_array().unwrap().len(), 1, "a conversation of its own");
    let session = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(!session.contains("Only once."), "the details stay there: {session}");
    let skill = turned.calls().into_iter().find(|call| call.name == "Skill").unwrap();
    assert!(skill.text.starts_with("Marked."), "{skill:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn in_the_background_nobody_waits_for_it() {
    let project = Project::new("");
    skill(&project, "look", "---\ncontext: fork\nagent: Explore\n---\nLook for $ARGUMENTS.");
    let script = Scenario::new()
        .tool("Skill", json!({ "skill": "look", "args": "land" }))
        .answer()
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("Look for land.")
        .text("No land.")
        .answer()
        .when("No land.")
        .text("There is none.");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "where is land?").await;
    while !stage.client.log.iter().any(|event| format!("{event:?}").contains("There is none.")) {
        stage.client.wait_for_anything("the report").await;
    }
    stage.client.turn_ended(&stage.session).await;
    let explorer = request_with(&stage, "Look for land.");
    assert!(explorer["system"].to_string().contains("You search a code base"));
}

/// The user's call is a turn like any other; the model is told to hand it over.
#[tokio::test(flavor = "multi_thread")]
async fn the_user_calls_one_and_the_model_hands_it_over() {
    let project = Project::new("");
    skill(&project, "look", "---\ncontext: fork\nagent: Explore\n---\nLook for $ARGUMENTS.");
    let script = Scenario::new()
        .when("This skill is for an agent of its own. Start one of the type Explore")
        .tool("Agent", agent("Explore", "search the sea", false))
        .answer()
        .when("search the sea")
        .text("No land.")
        .answer()
        .when("No land.")
        .text("There is none.");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "/look land").await;
    assert_eq!(turned.text(), "There is none.", "{turned:?}");
    let first = stage.model.requests()[0].body["messages"].to_string();
    assert!(first.contains("Look for land."), "{first}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_forbids_the_agent_forbids_the_skill() {
    let project = Project::new("");
    project.user_settings(&json!({ "permissions": { "deny": ["Agent(Explore)"] } }));
    skill(&project, "look", "---\ncontext: fork\nagent: Explore\n---\nLook.");
    let script = Scenario::new().tool("Skill", json!({ "skill": "look" })).answer().text("no");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let call = turned.calls().into_iter().find(|call| call.name == "Skill").unwrap();
    assert_eq!(call.status, ToolStatus::Failed, "{call:?}");
    assert!(sidechains(&stage.project).is_empty());
}
