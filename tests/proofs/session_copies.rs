//! Sessions copied, written out and found again.

use kit::{Bowline, Client, Profile, Project, Server, Stage, files, model};
use model::Scenario;
use protocol::session::{
    ExportFormat, Mode, SessionExport, SessionExportParams, SessionFork, SessionForkParams,
    SessionList, SessionListParams, SessionRewind, SessionRewindParams,
};
use protocol::snapshot::{Snapshot, SnapshotBlock};
use serde_json::{Value, json};

fn texts(snapshot: &Snapshot) -> Vec<&str> {
    let blocks = snapshot.messages.iter().flat_map(|message| &message.blocks);
    let texts = blocks.filter_map(|block| match block {
        SnapshotBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

async fn fork(client: &mut Client, session: &str, at: Option<&str>) -> String {
    let at_message = at.map(str::to_owned);
    let params = SessionForkParams { session_id: session.to_owned(), at_message };
    client.request::<SessionFork>(params).await.session_id
}

async fn export(client: &mut Client, session: &str, format: ExportFormat) -> String {
    let params = SessionExportParams {
        session_id: session.to_owned(),
        agent_id: None,
        format,
        path: None,
        tail: None,
    };
    client.request::<SessionExport>(params).await.content.unwrap()
}

fn counting() -> Scenario {
    Scenario::new().text("one").answer().text("two").answer().text("three").answer().text("four")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_goes_its_own_way() {
    let mut stage = Stage::new("", counting()).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    client.ask(&session, "first").await;
    client.ask(&session, "second").await;
    let before = files::read(&stage.project.journals()[0]);

    let whole = fork(client, &session, None).await;
    let snapshot = client.attach(&whole, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot), ["first", "one", "second", "two"]);
    assert_eq!(snapshot.title.as_deref(), Some("first (fork)"));
    assert!(snapshot.usage.cost_usd.abs() < f64::EPSILON, "the original paid");
    assert_eq!(client.ask(&whole, "on").await.text(), "three");
    let sent = stage.model.requests().pop().unwrap().body;
    assert_eq!(sent["messages"].as_array().unwrap().len(), 5, "{sent}");

    let answer = &snapshot.messages[1].message_id;
    let half = fork(client, &session, Some(answer)).await;
    let snapshot = client.attach(&half, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot), ["first", "one"]);
    assert!(snapshot.turn_id.is_none());
    assert_eq!(client.ask(&half, "else").await.text(), "four");

    let original = stage
        .project
        .journals()
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy() == session));
    assert_eq!(files::read(&original.unwrap()), before);
    let head = stage
        .project
        .journals()
        .into_iter()
        .find(|path| path.file_stem().is_some_and(|stem| stem.to_string_lossy() == half));
    let head: Value =
        serde_json::from_str(files::read(&head.unwrap()).lines().next().unwrap()).unwrap();
    assert_eq!(head["forked_from"], json!({ "session": session, "message": answer }));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_rewound_or_is_not_there_is_not_copied() {
    let mut stage = Stage::new("", counting()).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    let params = SessionForkParams { session_id: session.clone(), at_message: None };
    let error = client.try_request::<SessionFork>(params).await.unwrap_err();
    assert!(error.message.contains("say something first"), "{error:?}");
    client.ask(&session, "first").await;
    let second = client.prompt(&session, "second").await.message_id;
    client.turn_ended(&session).await;
    let rewind = SessionRewindParams {
        session_id: session.clone(),
        to_message: second.clone(),
        what: "conversation".into(),
        preview: None,
    };
    client.request::<SessionRewind>(rewind).await;
    let copy = fork(client, &session, None).await;
    let snapshot = client.attach(&copy, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot), ["first", "one"]);
    let params = SessionForkParams { session_id: session, at_message: Some(second) };
    let error = client.try_request::<SessionFork>(params).await.unwrap_err();
    assert!(error.message.contains("There is no message"), "{error:?}");
}

/// A fork of a fork of a fork holds the conversation once.
#[tokio::test(flavor = "multi_thread")]
async fn copies_of_copies_do_not_grow() {
    let mut stage = Stage::new("", Scenario::new().forever().text("hi")).await;
    let (client, mut session) = (&mut stage.client, stage.session.clone());
    client.ask(&session, "first").await;
    for _ in 0..10 {
        session = fork(client, &session, None).await;
    }
    let longest =
        stage.project.journals().iter().map(|path| files::read(path).lines().count()).max();
    assert!(longest.unwrap() <= 6, "{longest:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_as_a_document() {
    let script = Scenario::new()
        .text("I will look.")
        .tool("Bash", json!({ "command": "echo '```'; seq 100" }))
        .answer()
        .tool("Write", json!({ "file_path": "{{cwd}}/b.txt", "content": "new\n" }))
        .answer()
        .text("All done.");
    let mut stage = Stage::in_mode("", script, Mode::BypassPermissions).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    client.ask(&session, "do it").await;
    let text = export(client, &session, ExportFormat::Markdown).await;
    for part in [
        "# do it\n",
        "## User\n\ndo it\n",
        "## Assistant\n\nI will look.\n\n**Bash**\n\n````sh\necho '```'; seq 100\n````",
        "more lines)",
        "```diff\n+new\n```",
        "All done.\n",
    ] {
        assert!(text.contains(part), "{part}\n---\n{text}");
    }
    assert!(!text.contains("system-reminder"), "{text}");
    let records = export(client, &session, ExportFormat::Jsonl).await;
    assert_eq!(records, files::read(&stage.project.journals()[0]));

    let path = stage.project.path("out.md");
    let params = SessionExportParams {
        agent_id: None,
        session_id: session,
        format: ExportFormat::Markdown,
        path: Some(path.display().to_string()),
        tail: None,
    };
    client.request::<SessionExport>(params.clone()).await;
    assert_eq!(files::read(&path), text);
    files::write(&path, "mine");
    assert!(client.try_request::<SessionExport>(params).await.is_err());
    assert_eq!(files::read(&path), "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_prompts_find_a_session_in_any_project() {
    let mut stage = Stage::new("", Scenario::new().forever().text("goodbye")).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    client.ask(&session, "hello").await;
    client.ask(&session, "why is the Flaky test red?").await;
    let other = client.session().await;
    client.ask(&other, "something else").await;
    for (query, expect) in [
        ("flaky RED", vec![&session]),
        ("hello flaky", vec![&session]),
        ("goodbye", vec![]),
        ("nothing like it", vec![]),
        ("e", vec![&other, &session]),
    ] {
        let params =
            SessionListParams { query: Some(query.to_owned()), ..SessionListParams::default() };
        let found = client.request::<SessionList>(params).await.sessions;
        let found: Vec<_> = found.iter().map(|session| &session.session_id).collect();
        assert_eq!(found, expect, "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn from_the_command_line() {
    let project = Project::new("");
    let model = model(Scenario::new().forever().text("Hello.")).await;
    let run = |args: &'static [&'static str]| Bowline::new(&project).model(&model).args(args).run();
    assert_eq!(run(&["-p", "remember AKIA"]).await.code, Some(0));
    let listed = run(&["sessions"]).await;
    assert!(listed.stdout.contains("remember AKIA"), "{listed:?}");
    let id = project.journals()[0].file_stem().unwrap().to_string_lossy().into_owned();
    let first = project.journal();
    let answer = first.iter().find(|record| record["type"] == "assistant").unwrap();
    let answer = answer["id"].as_str().unwrap().to_owned();

    let done = run(&["-p", "more", "--continue", "--fork-session"]).await;
    assert_eq!((done.code, done.stdout.as_str()), (Some(0), "Hello.\n"), "{done:?}");
    assert_eq!(project.journals().len(), 2);
    let args = ["-p", "x", "--resume", &id, "--resume-session-at", &answer];
    let done = Bowline::new(&project).model(&model).args(&args).run().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let sent = model.requests().pop().unwrap().body;
    assert_eq!(sent["messages"].as_array().unwrap().len(), 3, "{sent}");
    let done = run(&["-p", "x", "--fork-session"]).await;
    assert_eq!(done.code, Some(2), "{done:?}");

    let shown = Bowline::new(&project).args(&["sessions", "show", &id]).run().await;
    assert!(shown.stdout.contains("## User\n\nremember AKIA"), "{shown:?}");
    let short = &id[..10];
    let done = Bowline::new(&project).args(&["sessions", "delete", short]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    let done = Bowline::new(&project).args(&["sessions", "delete", &id]).run().await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(project.journals().len(), 2);
    let done = Bowline::new(&project).args(&["sessions", "show", &id]).run().await;
    assert!(done.code == Some(1) && done.stderr.contains("There is no session"), "{done:?}");
}

/// The folder was moved away since: the session says so, and goes on where it is told to.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_outlives_its_folder() {
    let project = Project::new("//- /gone/a\n//- /here/b\n");
    let model = model(Scenario::new().forever().text("hi")).await;
    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    let cwd = project.path("gone").display().to_string();
    let made = client.call("agent/session/new", json!({ "cwd": cwd })).await.unwrap();
    let session = made["sessionId"].as_str().unwrap().to_owned();
    client.ask(&session, "one").await;
    client.leave().await;
    files::remove(&project.path("gone/a"));
    std::fs::remove_dir(project.path("gone")).unwrap();
    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    let error = client.call("agent/session/attach", json!({ "sessionId": session })).await;
    let error = error.unwrap_err();
    assert!(error.message.contains("name a folder to go on in"), "{error:?}");
    let here = project.path("here").display().to_string();
    let params = json!({ "sessionId": session, "cwd": here });
    client.call("agent/session/attach", params).await.unwrap();
    client.notice_with("goes on in").await;
    assert_eq!(client.ask(&session, "two").await.text(), "hi");
}
