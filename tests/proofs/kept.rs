//! What is kept of sessions and for how long, what is taken over, and where each was at work.

use std::time::{Duration, SystemTime};

use kit::{Bowline, Profile, Project, Server, Stage, files, model};
use model::Scenario;
use protocol::session::{SessionList, SessionListParams};
use protocol::snapshot::SnapshotBlock;
use serde_json::json;

fn forever(text: &str) -> Scenario {
    Scenario::new().forever().text(text)
}

/// So many days ago.
fn age(path: &std::path::Path, days: u64) {
    #[expect(clippy::disallowed_methods, reason = "a file gets the age that the proof is about")]
    let (now, file) =
        (SystemTime::now(), std::fs::File::options().append(true).open(path).unwrap());
    file.set_modified(now - Duration::from_secs(days * 24 * 60 * 60)).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_session_is_put_aside_told_and_fetched_back() {
    let mut stage = Stage::new("", forever("hi")).await;
    stage.client.ask(&stage.session, "long ago").await;
    let (project, session, model) = (stage.project, stage.session, stage.model);
    stage.client.leave().await;
    let journal = project.journals()[0].clone();
    let listed = Bowline::new(&project).args(&["sessions"]).run().await;
    assert!(listed.stdout.contains("0.0 MB") && listed.stdout.contains("long ago"), "{listed:?}");
    age(&journal, 31);

    // The sweep goes on beside the work, and the next one who comes is told.
    let ran = Bowline::new(&project).model(&model).args(&["-p", "new"]).run().await;
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mut told = ran.stderr;
    while journal.exists() || !told.contains("Put aside") {
        let ran = Bowline::new(&project).model(&model).args(&["-p", "new"]).run().await;
        told.push_str(&ran.stderr);
    }
    assert!(told.contains(&session) && told.contains("long ago"), "{told}");
    assert!(told.contains("30 days") && told.contains("sessions restore"), "{told}");

    let aside = Bowline::new(&project).args(&["sessions", "restore"]).run().await;
    assert!(aside.stdout.contains(&session), "{aside:?}");
    let back = Bowline::new(&project).args(&["sessions", "restore", &session]).run().await;
    assert_eq!(back.code, Some(0), "{back:?}");
    let script = Bowline::new(&project).model(&model);
    let ran = script.args(&["-p", "go on", "--resume", &session]).run().await;
    assert_eq!((ran.code, ran.stdout.trim()), (Some(0), "hi"), "{ran:?}");
}

const TRANSCRIPT: &str = "0b9f3f6a-1111-4222-8333-944455556666";

/// Two calls at once, each with a line of its own, as Claude Code writes it down.
fn transcript(cwd: &str) -> String {
    let line = |uuid: &str, parent: Option<&str>, kind: &str, message: serde_json::Value| {
        let line = json!({"type": kind, "uuid": uuid, "parentUuid": parent, "cwd": cwd,
            "sessionId": TRANSCRIPT, "timestamp": "2026-01-02T03:04:05.000Z",
            "isSidechain": false, "message": message});
        format!("{line}\n")
    };
    let part = |block: serde_json::Value| json!({"id": "msg_1", "role": "assistant", "model": "claude-sonnet-4-5", "content": [block]});
    let call = |id: &str| {
        part(json!({"type": "tool_use", "id": id, "name": "Read", "input": {"file_path": "/a"}}))
    };
    let result = |id: &str, text: &str| {
        json!({"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]})
    };
    let done = json!({"id": "msg_2", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": [{"type": "text", "text": "Both are fine."}]});
    [
        line("u1", None, "user", json!({"role": "user", "content": "look at both"})),
        line("a1", Some("u1"), "assistant", call("c1")),
        line("a2", Some("a1"), "assistant", call("c2")),
        line("r1", Some("a1"), "user", result("c1", "the first")),
        line("r2", Some("a2"), "user", result("c2", "the second")),
        line("a3", Some("r2"), "assistant", done),
        r#"{"type":"user","uuid":"torn"#.to_owned(),
    ]
    .concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_transcript_of_claude_code_goes_on_here() {
    let project = Project::new("");
    let model = model(forever("going on")).await;
    let place = project.home().join(format!(".claude/projects/-p/{TRANSCRIPT}.jsonl"));
    files::make_folder(place.parent().unwrap());
    let text = transcript(&project.root().display().to_string());
    files::write(&place, &text);

    let listed = Bowline::new(&project).args(&["sessions", "import"]).run().await;
    assert!(listed.stdout.contains("look at both"), "{listed:?}");
    let taken = Bowline::new(&project).args(&["sessions", "import", "--all"]).run().await;
    assert_eq!(taken.code, Some(0), "{taken:?}");
    assert!(taken.stdout.contains("1 damaged lines left out"), "{taken:?}");
    let again = Bowline::new(&project).args(&["sessions", "import", "--all"]).run().await;
    assert!(again.stderr.contains("nothing to take over"), "{again:?}");
    assert_eq!(files::read(&place), text, "only read");

    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let snapshot = client.attach(TRANSCRIPT, None).await.snapshot.unwrap();
    assert_eq!(snapshot.title.as_deref(), Some("look at both"));
    let blocks = snapshot.messages.iter().flat_map(|message| &message.blocks);
    let calls = blocks.filter(|block| matches!(block, SnapshotBlock::ToolCall(_)));
    assert_eq!(calls.count(), 2);
    // The scripted model refuses a request that the real one would refuse.
    assert_eq!(client.ask(TRANSCRIPT, "and now?").await.text(), "going on");
    let sent = model.requests()[0].body["messages"].to_string();
    assert!(sent.contains("the first") && sent.contains("the second"), "{sent}");
    assert!(!sent.contains("unknown"), "every call has its result: {sent}");
}

#[tokio::test(flavor = "multi_thread")]
async fn worktrees_of_a_repository_are_listed_together() {
    let project = Project::new(
        "//- /main/.git/HEAD\nref: refs/heads/trunk\n\
         //- /main/.git/worktrees/w/HEAD\nref: refs/heads/feature\n\
         //- /main/.git/worktrees/w/commondir\n../..\n",
    );
    let tree = project.path("tree");
    files::make_folder(&tree);
    let own = project.path("main/.git/worktrees/w");
    files::write(&own.join("gitdir"), format!("{}/.git\n", tree.display()));
    files::write(&tree.join(".git"), format!("gitdir: {}\n", own.display()));
    let model = model(forever("hi")).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    for folder in ["main", "tree"] {
        let cwd = project.path(folder).display().to_string();
        let params = protocol::session::SessionNewParams { cwd, ..Default::default() };
        let session = client.session_with(params).await;
        client.ask(&session, &format!("work in {folder}")).await;
    }
    let list = |worktrees: bool| SessionListParams {
        cwd: Some(project.path("main").display().to_string()),
        worktrees: Some(worktrees),
        ..SessionListParams::default()
    };
    let mut found = Vec::new();
    for worktrees in [false, true] {
        let listed = client.request::<SessionList>(list(worktrees)).await.sessions;
        let mut shown: Vec<_> = listed
            .into_iter()
            .map(|session| (session.title, session.branch.unwrap_or_default()))
            .collect();
        shown.sort();
        found.push(shown);
    }
    let pair = |title: &str, branch: &str| (title.to_owned(), branch.to_owned());
    let (main, tree) = (pair("work in main", "trunk"), pair("work in tree", "feature"));
    assert_eq!(found, [vec![main.clone()], vec![main, tree]]);
}
