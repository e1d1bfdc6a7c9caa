//! Where skills come from: which files count and when, what is told of them, and what is noticed while
//! a session runs.

use std::path::{Path, PathBuf};

use kit::{Project, Stage, files};
use model::{Scenario, TestServer};
use protocol::EventBody;
use protocol::complete::{Complete, CompleteParams};
use protocol::session::{Command, Mode};
use serde_json::json;

fn says(count: usize) -> Scenario {
    (1..count).fold(Scenario::new().text("ok"), |script, _| script.answer().text("ok"))
}

fn messages(model: &TestServer) -> String {
    model.requests().last().unwrap().body["messages"].to_string()
}

fn system(model: &TestServer, at: usize) -> String {
    model.requests()[at].body["system"].to_string()
}

/// The set of commands that clients were told last.
async fn updated(stage: &mut Stage) -> Vec<Command> {
    let is_it = |event: &&protocol::Event| matches!(event.body, EventBody::CommandsUpdated(_));
    let event = match stage.client.log.iter().rev().find(is_it).cloned() {
        Some(event) => event,
        None => stage.client.next_event("new commands", |event| is_it(&event)).await,
    };
    let EventBody::CommandsUpdated(updated) = event.body else { unreachable!() };
    updated.commands
}

fn names(commands: &[Command]) -> Vec<&str> {
    commands.iter().map(|command| command.name.as_str()).collect()
}

/// The corpus of `fixtures/skills`, as somebody's project and home.
fn corpus() -> Project {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/skills");
    let project = Project::new("");
    copy(&from.join("project"), project.root());
    copy(&from.join("home"), project.home());
    project
}

fn copy(from: &Path, to: &Path) {
    for file in files::all(from) {
        let name: PathBuf = file.strip_prefix(from).unwrap().to_owned();
        files::write(&to.join(name), files::read(&file));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projects_skills_count_once_it_is_trusted() {
    let mut stage = Stage::set(corpus(), says(1), Mode::Default).await;
    let before = updated(&mut stage).await;
    let listed = names(&before);
    assert!(listed.contains(&"deploy") && listed.contains(&"morning"), "{listed:?}");
    assert!(!listed.contains(&"release") && !listed.contains(&"fix-issue"), "{listed:?}");
    let cwd = stage.project.root().display().to_string();
    stage.client.trust(&cwd).await;
    stage.client.ask(&stage.session, "go").await;
    let after = updated(&mut stage).await;
    let listed = names(&after);
    for name in ["release", "fix-issue", "security", "nearly-yaml", "unicode-grüße"] {
        assert!(listed.contains(&name), "{name}: {listed:?}");
    }
    assert!(!listed.contains(&"tides"), "the user cannot call it: {listed:?}");
    let fix = after.iter().find(|command| command.name == "fix-issue").unwrap();
    assert_eq!(fix.description, "Mend an issue");
    assert_eq!(fix.argument_hint.as_deref(), Some("[number]"));
    assert_eq!(fix.source.as_deref(), Some("project"));
    // What is wrong is told, and the model hears of what came up.
    let is_told = |event: &protocol::Event| match &event.body {
        EventBody::Notice(notice) => notice.text.contains("broken-head/SKILL.md:3"),
        _ => false,
    };
    assert!(stage.client.log.iter().any(is_told), "{:?}", stage.client.log);
    let said = messages(&stage.model);
    assert!(said.contains("More skills can be called") && said.contains("- nearly-yaml"), "{said}");
    let (text, session_id) = ("/sec".to_owned(), Some(stage.session.clone()));
    let params = CompleteParams { text, offset: 4, session_id };
    let items = stage.client.request::<Complete>(params).await.items;
    assert_eq!(items.iter().map(|item| item.label.as_str()).collect::<Vec<_>>(), ["/security"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_projects_skill_allows_must_be_approved() {
    let text = "---\nallowed-tools: Bash(touch *)\n---\nMark it.";
    let script = |name: &str| {
        let touch = json!({ "command": format!("touch {name}") });
        Scenario::new().tool("Bash", touch).answer().text("ok")
    };
    let project = Project::new("");
    project.trust();
    project.write(".claude/skills/mark/SKILL.md", text);
    let mut stage = Stage::set(project, script("a"), Mode::Default).await;
    let (asked, request) = stage.client.permission().await;
    let what = serde_json::to_string(&request.subject).unwrap();
    assert!(what.contains("mark/SKILL.md is used: Bash(touch *)"), "{what}");
    stage.client.deny(asked, None);
    stage.client.prompt(&stage.session, "/mark").await;
    let (asked, request) = stage.client.permission().await;
    assert!(request.title.contains("touch a"), "{}", request.title);
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;

    let project = Project::new("");
    project.write(".claude/skills/mark/SKILL.md", text);
    project.trust();
    let mut stage = Stage::set(project, script("b"), Mode::Default).await;
    stage.client.ask(&stage.session, "/mark").await;
    assert!(stage.project.exists("b"));
}

#[tokio::test(flavor = "multi_thread")]
async fn touched_files_wake_up_skills_and_the_prompt_stays_the_same() {
    let project = corpus();
    project.trust();
    let read = |name: &str| json!({ "file_path": project.path(name).display().to_string() });
    let script = Scenario::new()
        .tool("Read", read("db/sail/query.sql"))
        .answer()
        .tool("Read", read("packages/boat/src/hull.txt"))
        .answer()
        .text("ok")
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "look").await;
    let first = system(&stage.model, 0);
    assert!(first.contains("- release: Cut a release") && !first.contains("- sql"), "{first}");
    let all = messages(&stage.model);
    assert!(all.contains("- sql: How queries are written here"), "{all}");
    assert!(all.contains("- packages/boat:release: Cut a release of the boat"), "{all}");
    assert!(all.contains("- rig: How the boat is rigged"), "{all}");
    assert_eq!(first, system(&stage.model, 2), "the cache holds");
    stage.client.ask(&stage.session, "/packages/boat:release now").await;
    assert!(messages(&stage.model).contains("Cut only the boat."));
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_files_are_noticed_without_a_restart() {
    let project = Project::new("");
    let file = project.home().join(".claude/skills/deploy/SKILL.md");
    files::write(&file, "First text.");
    let mut stage = Stage::set(project, says(4), Mode::Default).await;
    let session = stage.session.clone();
    updated(&mut stage).await;
    stage.client.ask(&session, "/deploy").await;
    assert!(messages(&stage.model).contains("First text."));
    files::write(&file, "Second text, which is longer.");
    stage.client.ask(&session, "/deploy").await;
    assert!(messages(&stage.model).contains("Second text, which is longer."));
    files::write(&stage.project.home().join(".claude/commands/new.md"), "Quite new.");
    stage.client.ask(&session, "hello").await;
    assert!(messages(&stage.model).contains("More skills can be called with the tool Skill:"));
    assert_eq!(system(&stage.model, 0), system(&stage.model, 2), "the cache holds");
    let commands = updated(&mut stage).await;
    assert!(names(&commands).contains(&"new"), "{:?}", names(&commands));
    files::remove(&file);
    stage.client.ask(&session, "hello").await;
    assert!(messages(&stage.model).contains("These skills are gone: deploy."));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_keeps_to_what_the_settings_say() {
    let project = corpus();
    project.trust();
    project.user_settings(&json!({
        "skillListingMaxDescChars": 12,
        "disableBundledSkills": true,
        "skillOverrides": { "release": "name-only", "nearly-yaml": "off", "tides": "user-invocable-only" },
    }));
    let mut stage = Stage::set(project, says(1), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let list = system(&stage.model, 0);
    assert!(list.contains("- fix-issue: Mend an iss…"), "{list}");
    assert!(list.contains("- release\\n") && !list.contains("- simplify"), "{list}");
    assert!(!list.contains("- nearly-yaml") && !list.contains("- tides"), "{list}");
}
