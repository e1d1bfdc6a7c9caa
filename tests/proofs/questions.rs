//! What a question shows of where it really leads, and that one answer closes it everywhere.

use std::os::unix::fs::symlink;

use kit::{Profile, Project, Stage};
use model::Scenario;
use protocol::permission::Subject;
use protocol::session::Mode;
use serde_json::json;

#[tokio::test(flavor = "multi_thread")]
async fn a_question_about_a_link_shows_where_it_leads() {
    let project = Project::new("//- /a.txt\nold\n");
    let outside = project.home().join("elsewhere.txt");
    kit::files::write(&outside, "outside\n");
    symlink(&outside, project.path("link.txt")).unwrap();
    let input = json!({ "file_path": project.path("link.txt") });
    let script = Scenario::new().tool("Read", input).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Read(subject) = &request.subject else { panic!("{request:?}") };
    let real = outside.canonicalize().unwrap().display().to_string();
    assert_eq!(subject.target.as_deref(), Some(real.as_str()));
    assert!(subject.uri.ends_with("link.txt"), "{}", subject.uri);
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_answered_at_one_door_closes_at_the_other() {
    let command = json!({ "command": "touch made" });
    let script = Scenario::new().tool("Bash", command).answer().text("ok");
    let mut stage = Stage::new("//- /a.txt\nold\n", script).await;
    let mut other = stage.server.connect(Profile::NEOVIM).await;
    other.attach(&stage.session, None).await;
    stage.client.prompt(&stage.session, "go").await;
    let (here, request) = stage.client.permission().await;
    let (there, same) = other.permission().await;
    assert_eq!(request.request_id, same.request_id);
    other.allow(there);
    stage.client.was_withdrawn(here).await;
    let resolved = stage.client.notification("agent/request/resolved").await;
    assert_eq!(resolved["requestId"], json!(request.request_id));
    stage.client.turn_ended(&stage.session).await;
    other.turn_ended(&stage.session).await;
    assert!(stage.project.exists("made"));
}
