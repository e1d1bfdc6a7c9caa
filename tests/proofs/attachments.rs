//! What the model is told unasked, as its provider gets it: where the work stands in git, the
//! permission mode, the list of steps. The system prompt never changes for it, and nobody who reads
//! the session takes it for words of the user.

use kit::{Project, Stage};
use model::{Scenario, TestServer};
use protocol::session::{ConfigChange, Mode, SessionConfig, SessionConfigParams};
use serde_json::{Value, json};

fn says(count: usize) -> Scenario {
    (1..count).fold(Scenario::new().text("ok"), |script, _| script.answer().text("ok"))
}

/// One part of each request.
fn parts(model: &TestServer, name: &str) -> Vec<String> {
    model.requests().iter().map(|request| request.body[name].to_string()).collect()
}

/// What the model was told with its last message, word for word.
fn last_message(model: &TestServer) -> String {
    let body: Value = model.requests().last().unwrap().body.clone();
    body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
}

async fn set_mode(stage: &mut Stage, mode: Mode) {
    let set = Some(ConfigChange { mode: Some(mode), ..ConfigChange::default() });
    let params = SessionConfigParams { session_id: stage.session.clone(), set };
    stage.client.request::<SessionConfig>(params).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_mode_is_told_and_leaves_the_system_prompt_alone() {
    let script = says(4).answer().tool("EnterPlanMode", json!({})).answer().text("ok");
    let mut stage = Stage::new("//- /a.txt\nold\n", script).await;
    let mut told = Vec::new();
    for mode in [Mode::Default, Mode::Plan, Mode::Plan, Mode::AcceptEdits] {
        set_mode(&mut stage, mode).await;
        stage.client.ask(&stage.session, "go").await;
        told.push(last_message(&stage.model));
    }
    assert!(!told[0].contains("mode"), "the usual mode is no news: {}", told[0]);
    assert!(told[1].contains("The permission mode is plan. Nothing may be changed"), "{}", told[1]);
    assert!(told[2].contains("Plan mode is still on") && !told[2].contains("is plan."));
    assert!(told[3].contains("Plan mode is over") && told[3].contains("mode is acceptEdits."));
    // The call's own result says what plan mode is; nothing is said twice.
    stage.client.ask(&stage.session, "go").await;
    let entered = last_message(&stage.model);
    assert!(entered.contains("Plan mode is on") && !entered.contains("system-reminder"));
    for name in ["system", "tools"] {
        let sent = parts(&stage.model, name);
        assert_eq!(sent.len(), 6);
        assert!(sent.iter().all(|part| *part == sent[0]), "the same bytes for the cache: {name}");
    }
    assert!(!parts(&stage.model, "system")[0].contains("Permission mode"));
    let session = stage.session.clone();
    let snapshot = stage.client.attach(&session, None).await.snapshot;
    let shown = serde_json::to_string(&snapshot).unwrap();
    assert!(!shown.contains("system-reminder"), "the notes are not for people: {shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_of_steps_that_is_left_alone_is_shown_again() {
    let todo =
        |status: &str| json!({ "content": "Reef", "status": status, "activeForm": "Reefing" });
    let list = json!({ "todos": [todo("in_progress")] });
    let look = |script: Scenario| script.tool("Read", json!({ "file_path": "a.txt" })).answer();
    let script =
        (0..12).fold(Scenario::new().tool("TodoWrite", list).answer(), |script, _| look(script));
    let mut stage = Stage::new("//- /a.txt\nold\n", script.text("ok")).await;
    stage.client.ask(&stage.session, "go").await;
    let reminded = |messages: &String| messages.contains("has not changed for a while");
    let sent = parts(&stage.model, "messages");
    assert_eq!(sent.iter().position(reminded), Some(11), "after ten rounds without a change");
    assert!(sent[11].contains("- [in progress] Reef"), "{}", sent[11]);
    let times = sent.last().unwrap().matches("has not changed for a while").count();
    assert_eq!(times, 1, "and once");
}

fn repository() -> Project {
    let project = Project::new("//- /a.txt\nold\n");
    project.git(&["init", "-q", "-b", "rig"]);
    project.git(&["add", "."]);
    project.git(&["commit", "-q", "-m", "Cast off"]);
    project.write("a.txt", "new\n");
    project
}

/// On a busy machine git answers later, and is told later: so many prompts wait for it.
const PROMPTS: usize = 20;

/// Everything the model was sent, once it was told about the branch.
async fn told_of_git(stage: &mut Stage) -> String {
    for _ in 0..PROMPTS {
        stage.client.ask(&stage.session, "go").await;
        let sent = stage.model.requests().last().unwrap().body.to_string();
        if sent.contains("Branch: rig") {
            return sent;
        }
    }
    panic!("nothing about the branch in {PROMPTS} prompts");
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_work_stands_in_git_is_known_in_a_trusted_folder() {
    for sandboxed in [false, true] {
        let project = repository();
        if sandboxed {
            project.user_settings(&json!({ "sandbox": {} }));
        }
        project.trust();
        let mut stage = Stage::set(project, says(PROMPTS), Mode::Default).await;
        let sent = told_of_git(&mut stage).await;
        assert!(sent.contains("Changes:\\n M a.txt"), "{sent}");
        assert!(sent.contains("Cast off"), "{sent}");
        stage.project.write("b.txt", "more\n");
        stage.client.ask(&stage.session, "go").await;
        let (before, after) = (parts(&stage.model, "system"), "?? b.txt");
        assert!(!before.last().unwrap().contains(after), "what was known at the start stays");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn git_does_not_run_in_a_folder_that_nobody_trusts() {
    let project = repository();
    let mut stage = Stage::set(project, says(PROMPTS), Mode::Default).await;
    let sent = told_of_git(&mut stage).await;
    assert!(!sent.contains("Cast off") && !sent.contains("Changes:"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_leaves_git_out() {
    let project = repository();
    project.user_settings(&json!({ "includeGitInstructions": false }));
    project.trust();
    let mut stage = Stage::set(project, says(1), Mode::Default).await;
    stage.client.ask(&stage.session, "go").await;
    let sent = stage.model.requests()[0].body.to_string();
    assert!(sent.contains("Git repository: yes") && !sent.contains("Branch:"), "{sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_changed_since_is_told_with_the_next_prompt() {
    let read =
        |script: Scenario, file: &str| script.tool("Read", json!({ "file_path": file })).answer();
    let script = ["a.txt", "b.txt", "secret.txt", "gone.txt"]
        .iter()
        .fold(Scenario::new(), |script, file| read(script, file));
    let edit = json!({ "file_path": "a.txt", "old_string": "two", "new_string": "2" });
    let script = script.text("ok").answer().text("ok").answer();
    let script = script.tool("Edit", edit).answer().text("ok").answer().text("ok");
    let files =
        "//- /a.txt\none\ntwo\nthree\n//- /b.txt\nold\n//- /secret.txt\nold\n//- /gone.txt\nold\n";
    let mut stage = Stage::in_mode(files, script, Mode::AcceptEdits).await;
    stage.client.ask(&stage.session, "go").await;
    // In the editor and not saved; on the disk; in a file that a rule has closed since; removed.
    let uri = stage.project.uri("a.txt");
    stage.client.open(&uri, "one\ntwo\nthree\n");
    stage.client.type_after(&uri, "one", " and a half");
    stage.project.write("b.txt", "new\n");
    stage.project.write("secret.txt", "hush\n");
    kit::files::remove(&stage.project.path("gone.txt"));
    stage.project.user_settings(&json!({ "permissions": { "deny": ["Read(//**/secret.txt)"] } }));
    stage.client.ask(&stage.session, "go").await;
    let told = last_message(&stage.model);
    assert!(told.contains("a.txt:\\n@@ -1,3 +1,3 @@\\n-one\\n+one and a half"), "{told}");
    assert!(told.contains("b.txt:\\n@@ -1,1 +1,1 @@\\n-old\\n+new"), "{told}");
    assert!(told.contains("Gone: gone.txt"), "{told}");
    assert!(!told.contains("hush"), "{told}");
    // Told once, and known: the edit needs no second look at the file.
    stage.client.ask(&stage.session, "go").await;
    assert!(stage.client.editor.text(&uri).starts_with("one and a half\n2\n"));
    stage.client.ask(&stage.session, "go").await;
    let told = last_message(&stage.model);
    assert!(!told.contains("@@"), "{told}");
}

fn look_at(stage: &Stage, uri: &str, piece: &str) {
    let range = stage.client.editor.range(uri, piece);
    let version = stage.client.editor.version(uri);
    let focus = json!({ "uri": uri, "version": version, "selections": [range] });
    stage.client.notify("agent/editor/focus", focus);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_selected_is_shared_by_those_who_want_it() {
    for shares in [true, false] {
        let project = Project::new("//- /a.txt\none\ntwo\n//- /secret.txt\nhush\n");
        let deny = json!({ "deny": ["Read(//**/secret.txt)"] });
        project.user_settings(&json!({ "shareEditorFocus": shares, "permissions": deny }));
        let mut stage = Stage::set(project, says(3), Mode::Default).await;
        let (open, secret) = (stage.project.uri("a.txt"), stage.project.uri("secret.txt"));
        stage.client.open(&open, "one\ntwo not saved\n");
        stage.client.open(&secret, "hush\n");
        look_at(&stage, &open, "two not saved");
        let turned = stage.client.ask(&stage.session, "go").await;
        let told = last_message(&stage.model);
        assert_eq!(told.contains("selected lines 2 to 2 of a.txt"), shares, "{told}");
        assert_eq!(told.contains("two not saved"), shares, "{told}");
        let shown = format!("{:?}", turned.events);
        assert_eq!(shown.contains("Shared with the model: lines 2 to 2 of a.txt"), shares);
        stage.client.ask(&stage.session, "go").await;
        assert!(!last_message(&stage.model).contains("selected"), "the same is told once");
        look_at(&stage, &secret, "hush");
        stage.client.ask(&stage.session, "go").await;
        let told = last_message(&stage.model);
        assert!(!told.contains("hush") && !told.contains("secret"), "{told}");
    }
}
