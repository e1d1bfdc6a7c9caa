//! Every other event: told where it happens, with what it says, and heeded where it can be.

use kit::{Project, Stage, model_with};
use model::Scenario;
use protocol::event::{EventBody, StopReason};
use protocol::session::{
    ConfigChange, Mode, SessionCompact, SessionCompactParams, SessionConfig, SessionConfigParams,
};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

use crate::agents::agent;
use crate::hooks::{FILES, on, prints, specific, stage, tells, told};

/// A stage with hooks that write down what these events tell.
async fn listening(events: &[&str], project: Project, script: Scenario) -> Stage {
    let mut hooks = json!({});
    for event in events {
        hooks[*event] = on(event, &tells(event))[*event].clone();
    }
    project.user_settings(&json!({
        "hooks": hooks, "permissions": { "allow": ["Bash(touch *)", "Bash(cd *)"] },
    }));
    Stage::set(project, script, Mode::Default).await
}

fn switch(session: &str, model: &str) -> SessionConfigParams {
    let model = Some(model.to_owned());
    let set = Some(ConfigChange { model, ..ConfigChange::default() });
    SessionConfigParams { session_id: session.to_owned(), set }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_a_session_is_told() {
    let mut stage =
        listening(&["SessionEnd"], Project::new(FILES), Scenario::new().text("aye")).await;
    stage.client.ask(&stage.session, "go").await;
    let session = stage.session.clone();
    stage.client.close_session(&session).await;
    let told = told(&stage.project, "SessionEnd").await;
    assert_eq!((&told[0]["reason"], &told[0]["session_id"]), (&json!("other"), &json!(session)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_is_cleared_ends_and_begins() {
    let events = ["SessionEnd", "SessionStart"];
    let mut stage = listening(&events, Project::new(FILES), Scenario::new().text("aye")).await;
    stage.client.ask(&stage.session, "go").await;
    stage.client.prompt(&stage.session, "/clear").await;
    assert_eq!(told(&stage.project, "SessionEnd").await[0]["reason"], "clear");
    kit::within("the new beginning", async {
        while told(&stage.project, "SessionStart").await.len() < 2 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await;
    assert_eq!(told(&stage.project, "SessionStart").await[1]["source"], "clear");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_a_notification() {
    let script = Scenario::new().tool("Bash", json!({ "command": "rm a.txt" })).answer().text("ok");
    let mut stage = listening(&["Notification"], Project::new(FILES), script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    let told = told(&stage.project, "Notification").await;
    assert_eq!(told[0]["notification_type"], "permission_prompt");
    assert!(told[0]["message"].is_string());
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn summing_up_is_told_and_may_be_refused() {
    let script = || Scenario::new().text("aye").answer().text("<summary>all is well</summary>");
    let events = ["PreCompact", "PostCompact", "SessionStart"];
    let mut first = listening(&events, Project::new(FILES), script()).await;
    first.client.ask(&first.session, "go").await;
    let params = SessionCompactParams {
        session_id: first.session.clone(),
        instructions: Some("mind the masts".to_owned()),
    };
    first.client.request::<SessionCompact>(params).await;
    let before = &told(&first.project, "PreCompact").await[0];
    assert_eq!(
        (&before["trigger"], &before["custom_instructions"]),
        (&json!("manual"), &json!("mind the masts"))
    );
    let after = &told(&first.project, "PostCompact").await[0];
    assert!(after["compact_summary"].as_str().unwrap().contains("all is well"), "{after}");
    let mut second = stage(on("PreCompact", "echo not now >&2; exit 2"), script()).await;
    second.client.ask(&second.session, "go").await;
    let params = SessionCompactParams { session_id: second.session.clone(), instructions: None };
    second.client.request::<SessionCompact>(params).await;
    let ended = second
        .client
        .next_event("the end", |event| matches!(event.body, EventBody::CompactionEnded(_)))
        .await;
    let EventBody::CompactionEnded(ended) = ended.body else { unreachable!() };
    assert!(ended.error.unwrap().message.contains("not now"));
    assert_eq!(second.model.requests().len(), 1, "no summary was asked for");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_is_told_and_may_be_refused() {
    let events = ["PreModelSwitch", "PostModelSwitch"];
    let mut first = listening(&events, Project::new(FILES), Scenario::new().text("aye")).await;
    let params = switch(&first.session, "claude-haiku-4-5");
    let config = first.client.request::<SessionConfig>(params).await.config;
    assert!(config.model.contains("haiku"), "{config:?}");
    let before = &told(&first.project, "PreModelSwitch").await[0];
    assert!(before["to_model"].as_str().unwrap().contains("haiku"));
    let after = &told(&first.project, "PostModelSwitch").await[0];
    assert_eq!(after["from_model"], before["from_model"]);
    let deny = specific(
        "PreModelSwitch",
        json!({ "permissionDecision": "deny", "permissionDecisionReason": "too small" }),
    );
    let mut second = stage(on("PreModelSwitch", &prints(&deny)), Scenario::new().text("aye")).await;
    let params = switch(&second.session, "claude-haiku-4-5");
    let refused = second.client.try_request::<SessionConfig>(params).await;
    assert!(format!("{refused:?}").contains("too small"), "{refused:?}");
}

fn with_skill() -> Project {
    let project = Project::new(FILES);
    let skill = "---\nname: sail\ndescription: Sails.\n---\nHoist $ARGUMENTS.\n";
    project.write("../home/.claude/skills/sail/SKILL.md", skill);
    project
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_is_told_before_it_becomes_a_prompt() {
    let project = with_skill();
    let path = project.home().join(".claude/skills/sail");
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(
        path.join("SKILL.md"),
        "---\nname: sail\ndescription: Sails.\n---\nHoist $ARGUMENTS.\n",
    )
    .unwrap();
    let mut stage =
        listening(&["UserPromptExpansion"], project, Scenario::new().text("hoisted")).await;
    stage.client.ask(&stage.session, "/sail the jib").await;
    let told = &told(&stage.project, "UserPromptExpansion").await[0];
    assert_eq!(told["command_name"], "sail");
    assert_eq!(told["command_args"], "the jib");
    assert_eq!(told["expansion_type"], "slash_command");
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_begin_and_end() {
    let script = Scenario::new()
        .tool("Agent", agent("Explore", "count the masts", false))
        .answer()
        .when("count the masts")
        .text("three")
        .answer()
        .when("three")
        .text("ok");
    let output = specific("SubagentStart", json!({ "additionalContext": "the mizzen is gone" }));
    let begin = format!("{}; echo '{output}'", tells("SubagentStart"));
    let hooks = json!({
        "SubagentStart": on("SubagentStart", &begin)["SubagentStart"],
        "SubagentStop": on("SubagentStop", &tells("SubagentStop"))["SubagentStop"],
    });
    let mut stage = stage(hooks, script).await;
    stage.client.ask(&stage.session, "how many?").await;
    let begun = &told(&stage.project, "SubagentStart").await[0];
    assert_eq!(begun["agent_type"], "Explore");
    let request = stage.model.requests()[1].body["messages"].to_string();
    assert!(request.contains("the mizzen is gone"), "{request}");
    let ended = &told(&stage.project, "SubagentStop").await[0];
    assert_eq!((&ended["agent_type"], &ended["agent_id"]), (&json!("Explore"), &begun["agent_id"]));
    assert_eq!(ended["session_id"], stage.session);
    assert_eq!(ended["last_assistant_message"], "three");
    assert!(ended["agent_transcript_path"].as_str().unwrap().contains("agents"));
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_are_told_and_may_be_refused() {
    let script = || {
        Scenario::new()
            .tool("TaskCreate", json!({ "subject": "Caulk", "description": "the hull" }))
            .answer()
            .tool("TaskUpdate", json!({ "taskId": "1", "status": "completed" }))
            .answer()
            .text("ok")
    };
    let refuse = format!("{}; echo not dry yet >&2; exit 2", tells("TaskCompleted"));
    let hooks = json!({
        "TaskCreated": on("TaskCreated", &tells("TaskCreated"))["TaskCreated"],
        "TaskCompleted": on("TaskCompleted", &refuse)["TaskCompleted"],
    });
    let project = Project::new(FILES);
    project.user_settings(&json!({ "hooks": hooks, "taskTools": true }));
    let mut stage = Stage::set(project, script(), Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let created = &told(&stage.project, "TaskCreated").await[0];
    assert_eq!((&created["task_id"], &created["task_subject"]), (&json!("1"), &json!("Caulk")));
    assert_eq!(created["task_description"], "the hull");
    let completed = &told(&stage.project, "TaskCompleted").await[0];
    assert_eq!((&completed["task_id"], &completed["task_subject"]), (&json!("1"), &json!("Caulk")));
    let calls = turned.calls();
    assert_eq!(calls[0].status, ToolStatus::Completed, "{calls:?}");
    assert_eq!(calls[1].status, ToolStatus::Denied, "{calls:?}");
    assert!(calls[1].text.contains("not dry yet"), "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn instructions_settings_folders_and_files() {
    let project = Project::new("//- /a.txt\nold\n//- /CLAUDE.md\nSay ahoy.\n//- /deck/x\n\n");
    project.trust();
    let events = ["InstructionsLoaded", "CwdChanged", "DirectoryAdded", "FileChanged"];
    let mut hooks = json!({});
    for event in events {
        hooks[event] = on(event, &tells(event))[event].clone();
    }
    hooks["FileChanged"][0]["matcher"] = json!(".env|a.txt");
    project.user_settings(&json!({ "hooks": hooks, "permissions": { "allow": ["Bash(cd *)"] } }));
    let script = Scenario::new().tool("Bash", json!({ "command": "cd deck" })).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let loaded = told(&stage.project, "InstructionsLoaded").await;
    let loaded = loaded.iter().find(|it| it["file_path"].as_str().unwrap().ends_with("CLAUDE.md"));
    let loaded = loaded.unwrap();
    assert_eq!(
        (&loaded["memory_type"], &loaded["load_reason"]),
        (&json!("Project"), &json!("session_start"))
    );
    stage.client.ask(&stage.session, "go").await;
    let moved = &told(&stage.project, "CwdChanged").await[0];
    assert!(moved["new_cwd"].as_str().unwrap().ends_with("deck"), "{moved}");
    let more = stage.project.home().display().to_string();
    stage.client.prompt(&stage.session, &format!("/add-dir {more}")).await;
    let added = &told(&stage.project, "DirectoryAdded").await[0];
    assert_eq!(added["source"], "command");
    stage.project.write(".env", "A=1\n");
    let changed = &told(&stage.project, "FileChanged").await[0];
    assert!(changed["file_path"].as_str().unwrap().ends_with(".env"), "{changed}");
    assert_eq!(changed["event"], "add");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_that_change_are_told_and_may_be_kept_out() {
    let settings = |command: &str, more: Value| {
        let mut settings = json!({ "hooks": on("ConfigChange", command) });
        settings["permissions"] = more;
        settings
    };
    let command = format!("{}; echo keep it >&2; exit 2", tells("ConfigChange"));
    let project = Project::new(FILES);
    project.user_settings(&settings(&command, json!({})));
    let mut stage = Stage::set(project, Scenario::new().text("aye"), Mode::Default).await;
    stage.project.user_settings(&settings(&command, json!({ "deny": ["Bash"] })));
    stage.client.ask(&stage.session, "go").await;
    let told = &told(&stage.project, "ConfigChange").await[0];
    assert_eq!(told["source"], "user_settings");
    stage.client.notice_with("a hook keeps the old ones: keep it").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_is_told() {
    let script = Scenario::new().error(401, "authentication_error", "no such key");
    let mut stage = listening(&["StopFailure"], Project::new(FILES), script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_ne!(turned.ended.stop_reason, StopReason::EndTurn);
    let told = &told(&stage.project, "StopFailure").await[0];
    assert_eq!(told["error"], "authentication_failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_set_up_first() {
    let project = Project::new(FILES);
    let order = |word: &str| format!("cat > /dev/null; echo {word} >> order");
    let hooks = json!({
        "Setup": on("Setup", &order("setup"))["Setup"],
        "SessionStart": on("SessionStart", &order("start"))["SessionStart"],
    });
    project.user_settings(&json!({ "hooks": hooks }));
    let model = kit::model(Scenario::new().text("aye")).await;
    let setup = Some(host::session::SetupTrigger::Init);
    let limits = host::session::Limits { setup, ..host::session::Limits::default() };
    let server = kit::Server::start_with(&project, model_with(&model), limits);
    let mut client = server.connect(kit::Profile::VS_CODE).await;
    let session = client.session_with(Default::default()).await;
    client.ask(&session, "go").await;
    assert_eq!(project.read("order"), "setup\nstart\n");
}

/// Nothing but the administrator's, or nothing at all.
#[tokio::test(flavor = "multi_thread")]
async fn hooks_are_switched_off() {
    let hook = |word: &str| on("UserPromptSubmit", &format!("echo {word} >> ran"));
    for (managed, user, expect) in [
        (json!({ "hooks": hook("managed") }), json!({ "disableAllHooks": true }), "managed"),
        (json!({ "hooks": hook("managed"), "allowManagedHooksOnly": true }), json!({}), "managed"),
        (json!({ "hooks": hook("managed"), "disableAllHooks": true }), json!({}), ""),
    ] {
        let project = Project::new(FILES);
        project.managed_settings(&managed);
        let mut user = user.clone();
        user["hooks"] = hook("user");
        project.user_settings(&user);
        let mut stage = Stage::set(project, Scenario::new().text("aye"), Mode::Default).await;
        stage.client.ask(&stage.session, "go").await;
        let ran =
            if stage.project.exists("ran") { stage.project.read("ran") } else { String::new() };
        assert_eq!(ran.trim(), expect, "{managed}");
    }
}
