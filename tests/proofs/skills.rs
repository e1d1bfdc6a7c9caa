//! Skills and commands that people write: called by the user and by the model, with what they bring
//! along for the turn.

use kit::{Bowline, Project, RpcError, Stage, files, model};
use model::{Scenario, TestServer};
use protocol::prompt::Block;
use protocol::session::{Mode, SessionPrompt, SessionPromptParams};
use serde_json::{Value, json};

fn says(count: usize) -> Scenario {
    (1..count).fold(Scenario::new().text("ok"), |script, _| script.answer().text("ok"))
}

/// What the model was sent with its last request.
fn last(model: &TestServer) -> Value {
    model.requests().last().unwrap().body.clone()
}

fn messages(model: &TestServer) -> String {
    last(model)["messages"].to_string()
}

fn skill(project: &Project, name: &str, text: &str) {
    files::write(&project.home().join(format!(".claude/skills/{name}/SKILL.md")), text);
}

async fn refused(stage: &mut Stage, prompt: &str) -> RpcError {
    let params = SessionPromptParams {
        session_id: stage.session.clone(),
        content: vec![Block::text(prompt)],
        delivery: None,
        client_message_id: None,
    };
    stage.client.try_request::<SessionPrompt>(params).await.unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_calls_a_skill_and_the_model_reads_it_once() {
    let project = Project::new("");
    let text = "---\ndescription: Bring it out\narguments: stage\n---\nDeploy to $stage ($0).";
    skill(&project, "deploy", text);
    let mut stage = Stage::set(project, says(4), Mode::Default).await;
    stage.client.ask(&stage.session, "/deploy sea").await;
    let content = last(&stage.model)["messages"][0]["content"].clone();
    assert_eq!(content[0]["text"], "/deploy sea");
    let note = content[1]["text"].as_str().unwrap();
    assert!(note.contains("<skill name=\"deploy\">"), "{note}");
    assert!(note.contains("Deploy to sea (sea).") && note.contains("/skills/deploy"), "{note}");
    // The same again is a note; other words are another text.
    stage.client.ask(&stage.session, "/deploy sea").await;
    let all = messages(&stage.model);
    assert_eq!(all.matches("Deploy to sea").count(), 1, "{all}");
    assert!(all.contains("called again"), "{all}");
    stage.client.ask(&stage.session, "/deploy harbour").await;
    assert!(messages(&stage.model).contains("Deploy to harbour (harbour)."));
    let error = refused(&mut stage, "/deplyo sea").await;
    assert!(error.message.contains("Did you mean /deploy?"), "{error:?}");
    // After a summary it is still there.
    stage.client.prompt(&stage.session, "/compact").await;
    let ended = |event: &protocol::Event| event.body.name() == "compaction.ended";
    stage.client.next_event("the summary", ended).await;
    let journal = stage.project.journal();
    let kept = journal.iter().find(|record| record["type"] == "compacted").unwrap();
    let kept = kept["content"].to_string();
    assert!(kept.contains("Deploy to harbour") && !kept.contains("Deploy to sea"), "{kept}");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_in_a_skill_run_by_the_rules_or_it_is_not_used() {
    let project = Project::new("//- /notes.md\nThe mast is oak.\n");
    project.user_settings(&json!({ "permissions": { "deny": ["Bash(hostname)"] } }));
    skill(&project, "tide", "Words: !`echo high-water` for $ARGUMENTS. See @notes.md, @x.");
    skill(&project, "denied", "Words: !`hostname`");
    skill(&project, "asked", "Words: !`touch made`");
    let own = "---\nallowed-tools: Bash(touch *)\n---\n```!\ntouch made\necho done\n```\n";
    skill(&project, "allowed", own);
    skill(&project, "fails", "Words: !`false`");
    let mut stage = Stage::set(project, says(2), Mode::Default).await;
    stage.client.ask(&stage.session, "/tide '!`id`'").await;
    let said = messages(&stage.model);
    assert!(said.contains("Words: high-water for '!`id`'."), "{said}");
    assert!(said.contains("The mast is oak.") && !said.contains("uid="), "{said}");
    for (prompt, why) in
        [("/denied", "may not run"), ("/asked", "not asked about"), ("/fails", "failed")]
    {
        let error = refused(&mut stage, prompt).await;
        assert!(error.message.contains(why), "{prompt}: {error:?}");
    }
    assert!(!stage.project.exists("made"));
    assert_eq!(stage.model.requests().len(), 1, "nothing of it reached the model");
    stage.client.ask(&stage.session, "/allowed").await;
    assert!(messages(&stage.model).contains("done"));
    assert!(stage.project.exists("made"));
    let allowed = stage.project.journal().into_iter().any(|record| {
        record["type"] == "permission" && record["tool"] == "Bash" && record["allowed"] == true
    });
    assert!(allowed, "what ran was written down first");
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_can_be_switched_off() {
    let project = Project::new("");
    project.user_settings(&json!({ "disableSkillShellExecution": true }));
    skill(&project, "tide", "Words: !`echo high-water`");
    let mut stage = Stage::set(project, says(1), Mode::Default).await;
    stage.client.ask(&stage.session, "/tide").await;
    let said = messages(&stage.model);
    assert!(said.contains("Words: [shell command execution disabled by policy]"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_skill_allows_ends_with_the_turn_and_never_beats_a_no() {
    let project = Project::new("");
    project.user_settings(&json!({ "permissions": { "deny": ["Bash(touch secret)"] } }));
    let text = "---\nallowed-tools: Bash(touch *)\ndisallowed-tools: Glob\n---\nMark it.";
    skill(&project, "mark", text);
    let touch = |name: &str| json!({ "command": format!("touch {name}") });
    let script = Scenario::new()
        .tool("Bash", touch("a"))
        .answer()
        .tool("Bash", touch("secret"))
        .answer()
        .tool("Glob", json!({ "pattern": "*" }))
        .answer()
        .text("ok")
        .answer()
        .tool("Bash", touch("b"))
        .answer()
        .tool("Glob", json!({ "pattern": "*" }))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "/mark").await;
    assert_eq!(turned.text(), "ok");
    assert!(stage.project.exists("a") && !stage.project.exists("secret"));
    let all = messages(&stage.model);
    assert!(all.contains("from this turn denies"), "{all}");
    // The next turn asks again.
    stage.client.prompt(&stage.session, "once more").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
    assert!(!stage.project.exists("b"));
    assert_eq!(messages(&stage.model).matches("from this turn denies").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_model_calls_a_skill_with_its_model_effort_and_files() {
    let project = Project::new("");
    let text = "---\ndescription: Knows the tides\nmodel: haiku\neffort: low\n---\n\
                Tides of $ARGUMENTS: read ${CLAUDE_SKILL_DIR}/table.md.";
    skill(&project, "tides", text);
    let table = project.home().join(".claude/skills/tides/table.md");
    files::write(&table, "High water at noon.\n");
    let script = Scenario::new()
        .tool("Skill", json!({ "skill": "tides", "args": "Juno" }))
        .answer()
        .tool("Read", json!({ "file_path": table.display().to_string() }))
        .answer()
        .text("Noon.")
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "when is high water?").await;
    assert_eq!(turned.text(), "Noon.");
    let requests = stage.model.requests();
    let system = requests[0].body["system"].to_string();
    assert!(system.contains("- tides: Knows the tides"), "{system}");
    let own = requests[0].body["model"].clone();
    assert!(requests[1].body["model"].as_str().unwrap().contains("haiku"));
    assert_eq!(requests[1].body["output_config"]["effort"], "low");
    let second = requests[1].body["messages"].to_string();
    assert!(second.contains("Tides of Juno: read") && second.contains("The skill tides follows"));
    let third = requests[2].body["messages"].to_string();
    assert!(third.contains("High water at noon."), "its files need no question: {third}");
    stage.client.ask(&stage.session, "thanks").await;
    assert_eq!(last(&stage.model)["model"], own);
    assert_ne!(last(&stage.model)["output_config"]["effort"], "low");
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_speak_of_skills_by_name() {
    let project = Project::new("");
    project.user_settings(&json!({
        "permissions": { "deny": ["Skill(sink)"], "ask": ["Skill(hoist *)"] }
    }));
    skill(&project, "sink", "Sink it.");
    skill(&project, "hoist", "Hoist $ARGUMENTS.");
    skill(&project, "mine", "---\ndisable-model-invocation: true\n---\nOnly people.");
    skill(&project, "yours", "---\nuser-invocable: false\n---\nOnly the model.");
    let call = |name: &str| json!({ "skill": name, "args": "the flag" });
    let script = Scenario::new()
        .tool("Skill", call("sink"))
        .answer()
        .tool("Skill", call("mine"))
        .answer()
        .tool("Skill", call("nothing"))
        .answer()
        .tool("Skill", call("/hoist"))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(request.title.contains("hoist the flag"), "{}", request.title);
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    let all = messages(&stage.model);
    assert!(all.contains("`Skill(sink)`") && !all.contains("Sink it."), "{all}");
    assert!(all.contains("Only the user may call the skill mine"), "{all}");
    assert!(all.contains("There is no skill") && all.contains("Hoist the flag."), "{all}");
    let error = refused(&mut stage, "/yours").await;
    assert!(error.message.contains("for the agent to use"), "{error:?}");
    let system = stage.model.requests()[0].body["system"].to_string();
    assert!(system.contains("- yours") && !system.contains("- mine"), "{system}");
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_work_in_scripts() {
    let project = Project::new("");
    skill(&project, "tide", "Water: !`echo high` for $ARGUMENTS.");
    let model = model(says(1)).await;
    let run = async |args: &[&str]| Bowline::new(&project).model(&model).args(args).run().await;
    let done = run(&["-p", "/tide Juno"]).await;
    assert_eq!((done.code, done.stdout.trim()), (Some(0), "ok"), "{done:?}");
    assert!(messages(&model).contains("Water: high for Juno."));
    let done = run(&["-p", "/tied"]).await;
    assert!(done.stderr.contains("Did you mean /tide?"), "{done:?}");
    let done = run(&["-p", "/exit"]).await;
    assert!(done.stdout.contains("Close this client"), "{done:?}");
    let done = run(&["-p", "/review"]).await;
    assert!(done.stdout.contains("nothing that waits"), "{done:?}");
    let listed = run(&["-p", "/skills"]).await.stdout;
    assert!(listed.contains("tide") && listed.contains("simplify"), "{listed}");
    let bare = Bowline::new(&project).model(&model).env("CLAUDE_CODE_DISABLE_BUNDLED_SKILLS", "1");
    let listed = bare.args(&["-p", "/skills"]).run().await.stdout;
    assert!(listed.contains("tide") && !listed.contains("simplify"), "{listed}");
}
