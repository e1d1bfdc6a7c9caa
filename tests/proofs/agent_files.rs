//! What the head of an agent's file says, field by field, as it holds when the agent works or leads.

use kit::{Project, Stage, files};
use model::Scenario;
use protocol::event::{AgentEnded, AgentStarted, EventBody};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

use crate::agents::{agent, request_with};

/// An agent of the user.
fn own(project: &Project, name: &str, head: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: d\n{head}\n---\n{body}\n");
    files::write(&project.bowline_home().join(format!("agents/{name}.md")), text);
}

fn skill(project: &Project, name: &str, text: &str) {
    files::write(&project.home().join(format!(".claude/skills/{name}/SKILL.md")), text);
}

/// One that is waited for, and what the session makes of it.
fn one(name: &str, task: &str) -> Scenario {
    Scenario::new().tool("Agent", agent(name, task, false)).answer()
}

fn began_and_ended(events: &[protocol::Event]) -> (AgentStarted, AgentEnded) {
    let started = events.iter().find_map(|event| match &event.body {
        EventBody::AgentStarted(started) => Some(started.clone()),
        _ => None,
    });
    let ended = events.iter().find_map(|event| match &event.body {
        EventBody::AgentEnded(ended) => Some(ended.clone()),
        _ => None,
    });
    (started.unwrap(), ended.unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_of_its_file_are_known_from_the_beginning() {
    let project = Project::new("");
    skill(&project, "charts", "Depth: !`echo nine-fathoms`. See ${CLAUDE_SKILL_DIR}/rocks.md.");
    files::write(&project.home().join(".claude/skills/charts/rocks.md"), "Rocks to the north.\n");
    skill(&project, "secret", "---\ndisable-model-invocation: true\n---\nNot for you.");
    own(&project, "pilot", "skills: [charts, secret, gone]\ntools: Read", "You steer.");
    let rocks = project.home().join(".claude/skills/charts/rocks.md");
    let script = one("pilot", "steer")
        .when("steer")
        .tool("Read", json!({ "file_path": rocks }))
        .answer()
        .when("Rocks to the north.")
        .text("Steered.")
        .answer()
        .when("Steered.")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    let request = request_with(&stage, "steer");
    let said = request["messages"][0]["content"].to_string();
    assert!(said.contains("<skill name=\\\"charts\\\">"), "{said}");
    assert!(said.contains("Depth: nine-fathoms."), "its commands ran: {said}");
    assert!(!said.contains("Not for you."), "{said}");
    let told: Vec<String> = turned.events.iter().filter_map(notice).collect();
    let says = |words: &str| told.iter().any(|notice| notice.contains(words));
    assert!(says("pilot: The skill gone, which the agent's file names, is not there."), "{told:?}");
    assert!(says("pilot: The skill secret, which the agent's file names, is for"), "{told:?}");
}

fn notice(event: &protocol::Event) -> Option<String> {
    match &event.body {
        EventBody::Notice(notice) => Some(notice.text.clone()),
        _ => None,
    }
}

/// Notes are read at the beginning, and written without a question, whatever tools it names.
#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_notes_where_its_file_says() {
    for scope in ["user", "project", "local"] {
        let project = Project::new("");
        let folder = match scope {
            "user" => project.bowline_home().join("agent-memory/pilot"),
            "project" => project.path(".claude/agent-memory/pilot"),
            _ => project.path(".claude/agent-memory-local/pilot"),
        };
        files::write(&folder.join("MEMORY.md"), "- The tide comes twice.\n");
        own(&project, "pilot", &format!("memory: {scope}\ntools: Grep"), "You steer.");
        project.trust();
        let note = json!({ "file_path": folder.join("reef.md"), "content": "Mind the reef.\n" });
        let script = one("pilot", "steer")
            .when("steer")
            .tool("Write", note)
            .answer()
            .when("reef.md")
            .text("Noted.")
            .answer()
            .when("Noted.")
            .text("done");
        let mut stage = Stage::set(project, script, Mode::Default).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert_eq!(turned.text(), "done", "{scope}: {turned:?}");
        assert_eq!(files::read(&folder.join("reef.md")), "Mind the reef.\n", "{scope}");
        let system = request_with(&stage, "steer")["system"].to_string();
        assert!(system.contains("The tide comes twice."), "{scope}: {system}");
        // Those of the project itself are not its own.
        let of_session = stage.model.requests()[0].body["system"].to_string();
        assert!(!of_session.contains("The tide comes twice."), "{scope}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn effort_model_and_instructions_are_its_own() {
    let project = Project::new("//- /CLAUDE.md\nSay ahoy.\n");
    project.trust();
    own(
        &project,
        "pilot",
        "effort: low\nmodel: claude-sonnet-5-5\nomitClaudeMd: true",
        "You steer.",
    );
    own(&project, "mate", "effort: high", "You help.");
    let script = one("pilot", "steer")
        .when("steer")
        .text("Steered.")
        .answer()
        .when("Steered.")
        .tool("Agent", {
            let mut call = agent("mate", "help", false);
            call["effort"] = json!("medium");
            call
        })
        .answer()
        .when("help")
        .text("Helped.")
        .answer()
        .when("Helped.")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    let pilot = request_with(&stage, "steer");
    assert_eq!(pilot["output_config"]["effort"], "low", "{pilot}");
    assert_eq!(pilot["model"], "claude-sonnet-5-5");
    assert!(!pilot["system"].to_string().contains("ahoy"));
    let mate = request_with(&stage, "help");
    assert_eq!(mate["output_config"]["effort"], "medium", "the call goes first: {mate}");
    assert!(mate["system"].to_string().contains("ahoy"));
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_end_when_its_file_says_and_it_says_so() {
    let project = Project::new("//- /a.txt\nalpha\n");
    own(&project, "pilot", "maxTurns: 1\ncolor: blue", "You steer.");
    let script = one("pilot", "steer")
        .when("steer")
        .text("I look")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .when("ended early")
        .text("too early");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "too early", "{turned:?}");
    let (started, ended) = began_and_ended(&turned.events);
    assert_eq!(started.color.as_deref(), Some("blue"));
    assert_eq!((ended.status, ended.tool_calls), (Some(ToolStatus::Failed), Some(1)));
    assert!(ended.tokens > Some(0) && ended.duration_ms.is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mode_of_its_own_holds_where_the_session_leaves_it_one() {
    let write =
        |name: &str| json!({ "file_path": format!("{{{{cwd}}}}/{name}"), "content": "x\n" });
    for (mode, wanted, expect) in [
        (Mode::Default, "plan", ToolStatus::Denied),
        (Mode::Default, "acceptEdits", ToolStatus::Completed),
        (Mode::Default, "dontAsk", ToolStatus::Denied),
        (Mode::Plan, "acceptEdits", ToolStatus::Denied),
        (Mode::AcceptEdits, "plan", ToolStatus::Completed),
        (Mode::DontAsk, "acceptEdits", ToolStatus::Denied),
    ] {
        let project = Project::new("");
        own(&project, "pilot", &format!("permissionMode: {wanted}"), "You steer.");
        let script = one("pilot", "steer")
            .when("steer")
            .tool("Write", write("log"))
            .answer()
            .text("tried")
            .answer()
            .when("tried")
            .text("done");
        let mut stage = Stage::set(project, script, mode.clone()).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        let inner: Vec<ToolStatus> = turned.events.iter().filter_map(end_of_inner).collect();
        assert_eq!(inner, [expect], "{mode} {wanted}");
    }
}

/// How a call of an agent ended.
pub fn end_of_inner(event: &protocol::Event) -> Option<ToolStatus> {
    match &event.body {
        EventBody::ToolEnded(ended) if ended.tool_call_id.contains(':') => {
            Some(ended.status.clone())
        }
        _ => None,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_for_the_background_is_never_waited_for() {
    let project = Project::new("");
    own(&project, "pilot", "background: true", "You steer.");
    let script = one("pilot", "steer")
        .when("works in the background")
        .text("Under way.")
        .answer()
        .when("steer")
        .text("Steered.")
        .answer()
        .when("It says")
        .text("Heard.");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    while !stage.client.log.iter().any(|event| format!("{event:?}").contains("Heard.")) {
        stage.client.wait_for_anything("the report").await;
    }
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn its_window_may_be_smaller_than_the_sessions() {
    let project = Project::new("//- /a.txt\nalpha\n");
    own(&project, "pilot", "autoCompactWindow: 20000", "You steer.");
    let full = agent::Usage { input_tokens: 19_000, output_tokens: 10, ..Default::default() };
    let script = one("pilot", "steer")
        .when("steer")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .usage(full)
        .answer()
        .when("Write that summary now")
        .text("<analysis>hm</analysis><summary>It steers.</summary>")
        .answer()
        .when("It steers.")
        .text("Steered.")
        .answer()
        .when("Steered.")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_changed_counts_with_the_next_prompt() {
    let project = Project::new("");
    own(&project, "pilot", "", "You steer.");
    let script = Scenario::new()
        .when("first")
        .tool("Agent", agent("pilot", "steer", false))
        .answer()
        .when("steer")
        .text("Steered.")
        .answer()
        .when("second")
        .tool("Agent", agent("pilot", "again", false))
        .answer()
        .when("again")
        .text("Steered.")
        .answer()
        .forever()
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "first").await;
    own(&stage.project, "pilot", "tools: Read", "You steer with a sextant, by the stars.");
    stage.client.ask(&stage.session, "second").await;
    let request = request_with(&stage, "again");
    assert!(request["system"].to_string().contains("sextant"), "{request}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_is_named_in_a_prompt_is_wanted() {
    let project = Project::new("");
    own(&project, "pilot", "", "You steer.");
    let mut stage = Stage::set(project, Scenario::new().forever().text("ok"), Mode::Default).await;
    stage.client.ask(&stage.session, "let @agent-pilot steer, and @agent-nobody look").await;
    let said = stage.model.requests()[0].body["messages"][0]["content"].clone();
    assert_eq!(said[0]["text"], "let @agent-pilot steer, and @agent-nobody look");
    let note = said.to_string();
    assert!(note.contains("The user wants the agent pilot for this"), "{note}");
    assert!(!note.contains("wants the agent nobody"), "{note}");
}

/// Everything that holds when it leads: first words, skills, mode, effort, turns, who it may start;
/// and it goes on leading after a restart.
#[tokio::test(flavor = "multi_thread")]
async fn one_that_leads_brings_all_of_its_file_along() {
    let project = Project::new("//- /a.txt\nalpha\n");
    skill(&project, "charts", "Nine fathoms.");
    let head = "effort: low\npermissionMode: plan\nskills: [charts]\ninitialPrompt: Look at the sea.\n\
                tools: Read, Agent(Explore)\nmaxTurns: 3";
    own(&project, "captain", head, "You command.");
    project.user_settings(&json!({ "agent": "captain" }));
    let script = Scenario::new()
        .when("Look at the sea.")
        .tool("Agent", agent("Plan", "plan it", false))
        .answer()
        .when("There is no agent")
        .text("Only explorers.")
        .answer()
        .forever()
        .text("Aye.");
    let model = kit::model(script).await;
    let server = kit::Server::start(&project, Some(&model));
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    let session = client.session().await;
    let turned = client.ask(&session, "sail").await;
    assert_eq!(turned.text(), "Only explorers.", "{turned:?}");
    let first = model.requests()[0].body.clone();
    let said: Vec<&str> = texts(&first["messages"][0]).collect();
    assert_eq!(said[..2], ["Look at the sea.", "sail"], "{said:?}");
    assert!(said.iter().any(|text| text.contains("Nine fathoms.")), "{said:?}");
    assert!(said.iter().any(|text| text.contains("The permission mode is plan.")), "{said:?}");
    assert_eq!(first["output_config"]["effort"], "low", "{first}");
    client.ask(&session, "on").await;
    let later = model.requests().last().unwrap().body.to_string();
    assert_eq!(later.matches("Look at the sea.").count(), 1, "only once");
    client.close_session(&session).await;
    drop(client);
    // The setting is gone, and the session is still led by the same.
    project.user_settings(&json!({}));
    let server = kit::Server::start(&project, Some(&model));
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    client.attach(&session, None).await;
    client.ask(&session, "further").await;
    let body = model.requests().last().unwrap().body.clone();
    assert!(body["system"][0]["text"].as_str().unwrap().starts_with("You command."), "{body}");
}

fn texts(message: &Value) -> impl Iterator<Item = &str> {
    message["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str())
}

/// A link in the project could make anything a place for notes.
#[tokio::test(flavor = "multi_thread")]
async fn notes_do_not_leave_the_project_by_a_link() {
    let project = Project::new("");
    let elsewhere = project.home().join("private");
    files::write(&elsewhere.join("MEMORY.md"), "- Nobody is to know.\n");
    files::write(&project.path(".claude/agent-memory/other.md"), "");
    std::os::unix::fs::symlink(&elsewhere, project.path(".claude/agent-memory/pilot")).unwrap();
    own(&project, "pilot", "memory: project\npermissionMode: dontAsk", "You steer.");
    project.trust();
    let note = json!({ "file_path": elsewhere.join("reef.md"), "content": "x\n" });
    let script = one("pilot", "steer")
        .when("steer")
        .tool("Write", note)
        .answer()
        .text("tried")
        .answer()
        .when("tried")
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    assert!(!stage.project.home().join("private/reef.md").exists());
    let system = request_with(&stage, "steer")["system"].to_string();
    assert!(!system.contains("Nobody is to know."), "{system}");
}

/// Hooks of its file hold for its own calls, and for nobody else's.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_of_its_file_look_at_its_calls_alone() {
    let project = Project::new("");
    project.user_settings(&json!({ "permissions": { "allow": ["Bash(touch *)"] } }));
    let hook = json!({ "type": "command", "command": "echo not by this one >&2; exit 2" });
    let hooks = json!({ "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] });
    own(&project, "deckhand", &format!("hooks: {hooks}"), "You work on deck.");
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch before" }))
        .answer()
        .tool("Agent", agent("deckhand", "swab", false))
        .answer()
        .when("swab")
        .tool("Bash", json!({ "command": "touch within" }))
        .answer()
        .when("not by this one")
        .text("It may not be.")
        .answer()
        .when("It may not be.")
        .tool("Bash", json!({ "command": "touch after" }))
        .answer()
        .text("done");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.text(), "done", "{turned:?}");
    let made = ["before", "within", "after"].map(|name| stage.project.exists(name));
    assert_eq!(made, [true, false, true]);
}
