//! A folder sets no policy and runs nothing before the user trusts it, and what changes in it is
//! asked about again.

use kit::{Bowline, Profile, Project, Server, model};
use model::{Scenario, TestServer};
use protocol::permission::Subject;
use protocol::tool::ToolStatus;
use protocol::trust::{Trust, TrustDecision, TrustParams, TrustState, TrustStateParams};
use serde_json::json;

const SETTINGS: &str = ".claude/settings.json";

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("ok")
}

fn project() -> Project {
    let project = Project::new("//- /a.txt\nold\n");
    project.write(SETTINGS, r#"{"permissions": {"allow": ["Bash(touch *)"]}}"#);
    project
}

struct Room {
    client: kit::Client,
    session: String,
    _server: Server,
    _model: TestServer,
}

async fn enter(project: &Project) -> Room {
    let model = model(touch()).await;
    let server = Server::start(project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session().await;
    Room { client, session, _server: server, _model: model }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_is_asked_about_once_and_counts_from_then_on() {
    let project = project();
    let mut room = enter(&project).await;
    let (asked, request) = room.client.permission().await;
    let Subject::Trust(trust) = &request.subject else { panic!("{request:?}") };
    assert_eq!(trust.cwd, project.root().display().to_string());
    assert!(trust.what.iter().any(|line| line.contains("Bash(touch *)")), "{:?}", trust.what);
    room.client.allow_first(asked, &request);
    room.client.notice_with("read again").await;
    room.client.prompt(&room.session, "go").await;
    let turned = room.client.turn_ended(&room.session).await;
    assert_eq!(turned.call().status, ToolStatus::Completed, "its rule counts now");
    room.client.leave().await;
    let mut room = enter(&project).await;
    room.client.prompt(&room.session, "go").await;
    room.client.turn_ended(&room.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn not_now_means_that_nothing_of_it_counts() {
    let project = project();
    let mut room = enter(&project).await;
    let (asked, _) = room.client.permission().await;
    room.client.deny(asked, None);
    room.client.prompt(&room.session, "go").await;
    let (asked, request) = room.client.permission().await;
    assert!(matches!(request.subject, Subject::Command(_)), "its rule does not count");
    room.client.deny(asked, None);
    room.client.turn_ended(&room.session).await;
    room.client.leave().await;
    let mut room = enter(&project).await;
    let (asked, request) = room.client.permission().await;
    assert!(matches!(request.subject, Subject::Trust(_)), "the next session asks again");
    room.client.deny(asked, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_new_in_a_trusted_folder_is_asked_about() {
    let project = project();
    let mut room = enter(&project).await;
    let (asked, request) = room.client.permission().await;
    room.client.allow_first(asked, &request);
    room.client.notice_with("read again").await;
    let more = r#"{"permissions": {"allow": ["Bash(touch *)", "Bash(make *)"], "deny": ["Read(./a.txt)"]}}"#;
    project.write(SETTINGS, more);
    room.client.prompt(&room.session, "go").await;
    let (asked, request) = room.client.permission().await;
    let Subject::Trust(trust) = &request.subject else { panic!("{request:?}") };
    assert!(trust.what.iter().any(|line| line.contains("Bash(make *)")), "{:?}", trust.what);
    assert!(!trust.what.iter().any(|line| line.contains("touch")), "{:?}", trust.what);
    room.client.deny(asked, None);
    room.client.turn_ended(&room.session).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn headless_ignores_a_folder_that_is_not_trusted() {
    let project = project();
    let run = |args: &'static [&'static str]| async {
        let model = model(touch()).await;
        let finished = Bowline::new(&project).model(&model).args(args).run().await;
        (finished, project.exists("made"))
    };
    let (_, made) = run(&["-p", "go"]).await;
    assert!(!made, "the folder allowed itself something");
    let (finished, made) = run(&["-p", "go", "--trust-workspace"]).await;
    assert!(made, "{finished:?}");
    assert!(!project.bowline_home().join("trust.json").exists(), "one run is one run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_is_for_what_was_shown() {
    let project = project();
    let server = Server::start(&project, None);
    let mut client = server.connect(Profile::VS_CODE).await;
    let cwd = project.root().display().to_string();
    let ask = TrustStateParams { cwd: cwd.clone() };
    let before = client.request::<TrustState>(ask.clone()).await;
    assert_eq!((before.decision, before.since), (None, None));
    assert!(before.items[0].what.contains("Bash(touch *)") && !before.items[0].approved);
    let shown: Vec<String> = before.items.iter().map(|item| item.hash.clone()).collect();
    let yes = |shown| TrustParams {
        cwd: cwd.clone(),
        decision: TrustDecision::Trust,
        shown: Some(shown),
    };

    project.write(SETTINGS, r#"{"permissions": {"allow": ["Bash(rm *)"]}}"#);
    let refused = client.try_request::<Trust>(yes(shown)).await.unwrap_err();
    assert!(refused.message.contains("changed or came since it was shown"), "{refused:?}");
    assert_eq!(client.request::<TrustState>(ask.clone()).await.decision, None);

    let unseen = TrustParams { cwd: cwd.clone(), decision: TrustDecision::Trust, shown: None };
    assert!(client.try_request::<Trust>(unseen).await.is_err(), "nothing was shown");
    client.trust(&cwd).await;
    let after = client.request::<TrustState>(ask.clone()).await;
    assert_eq!(after.decision, Some(TrustDecision::Trust));
    assert_eq!(after.decided_for, Some(cwd));
    assert!(after.since.is_some() && after.items.iter().all(|item| item.approved), "{after:?}");

    project.write(SETTINGS, r#"{"permissions": {"allow": ["Bash(rm *)", "Bash(mv *)"]}}"#);
    let now = client.request::<TrustState>(ask).await;
    let waiting: Vec<_> = now.items.iter().filter(|item| !item.approved).collect();
    assert!(waiting.len() == 1 && waiting[0].what.contains("mv"), "{now:?}");
}
