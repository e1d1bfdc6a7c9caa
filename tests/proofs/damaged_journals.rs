//! A journal whose first line is damaged: the session is listed, opens, and goes on with what is left.

use kit::{Bowline, Profile, Project, Server, files, model};
use model::Scenario;
use serde_json::json;

fn hello() -> Scenario {
    Scenario::new().forever().text("You said: {{prompt}}")
}

/// The first line is gone but for half of it.
fn damage(project: &Project) -> Vec<u8> {
    let path = project.journals().remove(0);
    let bytes = files::bytes(&path);
    let end = bytes.iter().position(|byte| *byte == b'\n').unwrap();
    let damaged = [b"\xef\xbb\xbf\x00", &bytes[end / 2..]].concat();
    files::write(&path, &damaged);
    damaged
}

#[tokio::test(flavor = "multi_thread")]
async fn session_with_a_damaged_first_line_is_attached_and_goes_on() {
    let project = Project::new("");
    let script = model(hello()).await;
    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    client.ask(&session, "remember the first prompt").await;
    client.leave().await;
    let damaged = damage(&project);

    let server = Server::start(&project, Some(&script));
    let mut client = server.connect(Profile::VS_CODE).await;
    let listed = client.call("agent/session/list", json!({})).await.unwrap();
    assert_eq!(listed["sessions"][0]["sessionId"], session.as_str(), "{listed}");
    client.attach(&session, None).await;
    client.notice_with("The beginning of the session's journal is damaged.").await;
    client.ask(&session, "go on").await;
    let asked = script.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("remember the first prompt") && asked.contains("go on"), "{asked}");
    let after = files::bytes(&project.journals()[0]);
    assert!(after.starts_with(&damaged), "the journal only grows");
}

#[tokio::test(flavor = "multi_thread")]
async fn session_with_a_damaged_first_line_is_listed_and_continued() {
    let project = Project::new("");
    let script = model(hello()).await;
    let run = async |args: &[&str]| {
        let done = Bowline::new(&project).model(&script).args(args).run().await;
        assert_eq!(done.code, Some(0), "{done:?}");
        done.stdout
    };
    run(&["-p", "remember the first prompt"]).await;
    let id = project.journals()[0].file_stem().unwrap().to_string_lossy().into_owned();
    damage(&project);
    let listed = run(&["sessions"]).await;
    assert!(listed.contains(&id) && listed.contains("remember the first prompt"), "{listed}");
    run(&["-p", "go on", "--continue"]).await;
    assert_eq!(project.journals().len(), 1);
    let asked = script.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("remember the first prompt") && asked.contains("go on"), "{asked}");
    let exported = run(&["sessions", "export", &id]).await;
    assert!(exported.contains("remember the first prompt"), "{exported}");
}
