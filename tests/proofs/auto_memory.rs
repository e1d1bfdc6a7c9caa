//! Notes that the agent keeps for itself: written without a question, shown to later sessions of the
//! project and to nobody else, without secrets, and listed for the user.

use std::path::PathBuf;

use host::session::Limits;
use kit::{Profile, Project, Server, Stage, files, model};
use model::{Scenario, TestServer};
use protocol::memory::{MemoryList, MemoryListParams, MemoryScope};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

fn system(model: &TestServer, at: usize) -> String {
    model.requests()[at].body["system"].to_string()
}

/// The folder that the model is told of.
fn folder(system: &str) -> PathBuf {
    let (_, rest) = system.split_once("folder for notes, ").unwrap();
    PathBuf::from(rest.split_once(", which later").unwrap().0)
}

/// The system prompt of a new session.
async fn first_prompt(project: &Project, env: &[(&'static str, &str)]) -> String {
    let model = model(Scenario::new().text("ok")).await;
    let more = env.iter().map(|(name, value)| (*name, (*value).to_owned()));
    let env = kit::model_with(&model).into_iter().chain(more);
    let server = Server::start_with(project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "go").await;
    system(&model, 0)
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_written_unasked_and_known_to_the_next_session() {
    let project = Project::new("//- /a.txt\nold\n");
    let notes = folder(&first_prompt(&project, &[]).await);
    assert!(notes.starts_with(project.bowline_home().join("memory")), "{notes:?}");
    let write = |name: &str, content: &str| json!({ "file_path": notes.join(name).display().to_string(), "content": content });
    let script = Scenario::new()
        .tool("Write", write("MEMORY.md", "- The boat is called Juno; see boat.md\n"))
        .answer()
        .tool("Write", write("boat.md", "Two masts.\n"))
        .answer()
        .tool("Read", json!({ "file_path": notes.join("boat.md").display().to_string() }))
        .answer()
        .tool("Write", write("keys.md", "ghp_0123456789abcdefABCDEF0123456789abcd"))
        .answer()
        .text("ok")
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    let statuses: Vec<_> = calls.iter().map(|call| call.status.clone()).collect();
    let done = ToolStatus::Completed;
    assert_eq!(statuses, [done.clone(), done.clone(), done, ToolStatus::Failed], "{calls:?}");
    assert!(calls[3].text.contains("secret into your notes"), "{calls:?}");
    assert_eq!(files::read(&notes.join("boat.md")), "Two masts.\n");
    // What it wrote itself does not change the prompt it works with.
    stage.client.ask(&stage.session, "go").await;
    assert_eq!(system(&stage.model, 0), system(&stage.model, 5));
    let params =
        |path: Option<String>| MemoryListParams { session_id: stage.session.clone(), path };
    let (all, one) = (params(None), params(Some(notes.join("boat.md").display().to_string())));
    let listed = stage.client.request::<MemoryList>(all).await.files;
    let names: Vec<_> = listed.iter().map(|file| file.path.rsplit('/').next().unwrap()).collect();
    assert_eq!(names, ["MEMORY.md", "boat.md"]);
    assert!(listed.iter().all(|file| file.scope == MemoryScope::Auto && file.text.is_none()));
    let shown = stage.client.request::<MemoryList>(one).await.files;
    assert_eq!(shown[1].text.as_deref(), Some("Two masts.\n"));
    let next = first_prompt(&stage.project, &[]).await;
    assert!(next.contains("The boat is called Juno"), "{next}");
    assert!(!next.contains("Two masts"), "topics are read when they matter");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_beside_the_notes_is_asked_about() {
    let project = Project::new("//- /a.txt\nold\n");
    let settings = project.bowline_home().join("settings.json").display().to_string();
    let write = json!({ "file_path": settings, "content": "{}" });
    let script = Scenario::new().tool("Write", write).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_are_left_out_by_setting_and_by_variable() {
    let project = Project::new("//- /a.txt\nold\n");
    let off = [("BOWLINE_DISABLE_AUTO_MEMORY", "1")];
    assert!(!first_prompt(&project, &off).await.contains("folder for notes"));
    project.user_settings(&json!({ "autoMemoryEnabled": false }));
    assert!(!first_prompt(&project, &[]).await.contains("folder for notes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_of_another_agent_are_read_and_secrets_in_them_hidden() {
    let project = Project::new("//- /a.txt\nold\n");
    let name =
        project.root().display().to_string().replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let index = project.home().join(".claude/projects").join(name).join("memory/MEMORY.md");
    files::write(&index, "- Mind the boom\n- ghp_0123456789abcdefABCDEF0123456789abcd\n");
    let prompt = first_prompt(&project, &[]).await;
    assert!(prompt.contains("Mind the boom") && !prompt.contains("ghp_0123"), "{prompt}");
}
