//! Sessions: kept, listed, joined, renamed, deleted; and there after the worst.

use kit::{Bowline, Client, Profile, Project, RpcError, Server, Stage, files, model};
use model::Scenario;
use protocol::session::{
    SessionAttach, SessionAttachParams, SessionDelete, SessionDetach, SessionList,
    SessionListParams, SessionNewParams, SessionPrompt, SessionPromptParams, SessionRef,
    SessionRename, SessionRenameParams,
};
use protocol::snapshot::{Snapshot, SnapshotBlock};
use serde_json::json;

fn named(session: &str) -> SessionRef {
    SessionRef { session_id: session.to_owned() }
}

fn texts(snapshot: &Snapshot) -> Vec<&str> {
    let blocks = snapshot.messages.iter().flat_map(|message| &message.blocks);
    let texts = blocks.filter_map(|block| match block {
        SnapshotBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect()
}

async fn try_attach(client: &mut Client, session: &str) -> Result<(), RpcError> {
    let params = SessionAttachParams { session_id: session.to_owned(), since: None, cwd: None };
    client.try_request::<SessionAttach>(params).await.map(|_| ())
}

fn forever(text: &str) -> Scenario {
    Scenario::new().forever().text(text)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_that_was_never_used_leaves_nothing() {
    let stage = Stage::new("", forever("hi")).await;
    let project = stage.project;
    stage.client.leave().await;
    assert!(files::all(project.home()).is_empty(), "{:?}", files::all(project.home()));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_ephemeral_session_leaves_nothing() {
    let mut stage = Stage::new("", forever("hi")).await;
    let params = SessionNewParams { ephemeral: Some(true), ..SessionNewParams::default() };
    let session = stage.client.session_with(params).await;
    assert_eq!(stage.client.ask(&session, "one").await.text(), "hi");
    assert_eq!(stage.client.ask(&session, "two").await.text(), "hi");
    let project = stage.project;
    stage.client.leave().await;
    assert!(files::all(project.home()).is_empty(), "{:?}", files::all(project.home()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_life_of_a_session() {
    let mut stage = Stage::new("", forever("hi")).await;
    let first = stage.session.clone();
    stage.client.ask(&first, "the first prompt").await;
    let second = stage.client.session().await;
    stage.client.ask(&second, "the second prompt").await;
    let client = &mut stage.client;

    let list = |query: Option<&str>| SessionListParams {
        query: query.map(str::to_owned),
        ..SessionListParams::default()
    };
    let listed = client.request::<SessionList>(list(None)).await.sessions;
    let titles: Vec<_> = listed.iter().map(|session| session.title.as_str()).collect();
    assert_eq!(titles, ["the second prompt", "the first prompt"]);
    assert!(listed.iter().all(|session| session.live && session.messages == 2), "{listed:?}");

    let title = "A better name".to_owned();
    let rename = SessionRenameParams { session_id: first.clone(), title };
    client.request::<SessionRename>(rename).await;
    let found = client.request::<SessionList>(list(Some("better"))).await.sessions;
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].session_id, first);

    client.close_session(&first).await;
    let params = SessionPromptParams {
        session_id: first.clone(),
        content: vec![protocol::prompt::Block::text("anyone?")],
        delivery: None,
        client_message_id: None,
    };
    assert!(client.try_request::<SessionPrompt>(params).await.is_err());
    let found = client.request::<SessionList>(list(Some("better"))).await.sessions;
    assert!(!found[0].live);
    let snapshot = client.attach(&first, None).await.snapshot.unwrap();
    assert_eq!(snapshot.title.as_deref(), Some("A better name"));
    assert_eq!(texts(&snapshot), ["the first prompt", "hi"]);
    assert_eq!(client.ask(&first, "more").await.text(), "hi");

    client.request::<SessionDelete>(named(&first)).await;
    assert_eq!(stage.project.journals().len(), 1);
    let error = try_attach(client, &first).await.unwrap_err();
    assert!(error.message.contains("There is no session"), "{error:?}");
    let error = client.try_request::<SessionDelete>(named(&first)).await.unwrap_err();
    assert!(error.message.contains("There is no session"), "{error:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_can_be_opened_the_moment_it_is_closed() {
    let mut stage = Stage::new("", forever("hi")).await;
    stage.client.ask(&stage.session, "one").await;
    for _ in 0..50 {
        stage.client.close_session(&stage.session).await;
        stage.client.attach(&stage.session, None).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn who_missed_something_gets_exactly_that() {
    let mut stage = Stage::new("", forever("hi")).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    client.ask(&session, "one").await;
    client.request::<SessionDetach>(named(&session)).await;
    let seen = client.log.last().unwrap().seq;
    let params = SessionPromptParams {
        session_id: session.clone(),
        content: vec![protocol::prompt::Block::text("two")],
        delivery: None,
        client_message_id: None,
    };
    client.request::<SessionPrompt>(params).await;
    // Nobody tells a client that has left; it comes back until the turn is over.
    let mut missed = Vec::new();
    while !missed.iter().any(|event: &protocol::Event| event.body.name() == "turn.ended") {
        let since = missed.last().map_or(seen, |event: &protocol::Event| event.seq);
        let attached = client.attach(&session, Some(since)).await;
        assert!(attached.snapshot.is_none());
        client.request::<SessionDetach>(named(&session)).await;
        missed = client.log.iter().filter(|event| event.seq > seen).cloned().collect();
    }
    let numbers: Vec<_> = missed.iter().map(|event| event.seq).collect();
    let expect: Vec<_> = (seen + 1..).take(numbers.len()).collect();
    assert_eq!(numbers, expect);
}

/// The prompt was acknowledged; then the power went.
#[tokio::test(flavor = "multi_thread")]
async fn an_acknowledged_prompt_survives_kill_9() {
    let project = Project::new("");
    let script = Scenario::new()
        .when("do not forget me")
        .text("half an")
        .hang()
        .answer()
        .when("go on")
        .text("recovered");
    let model = model(script).await;
    let mut serving = Bowline::new(&project).model(&model).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let session = serving.client.session().await;
    serving.client.prompt(&session, "do not forget me").await;
    serving.kill().await;

    let mut serving = Bowline::new(&project).model(&model).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let snapshot = serving.client.attach(&session, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot)[0], "do not forget me");
    assert!(snapshot.turn_id.is_none());
    assert_eq!(serving.client.ask(&session, "go on").await.text(), "recovered");
    serving.client.leave().await;
}

/// A call was running when the process died: its result is missing, and the model must not mind.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_died_with_the_process_is_no_obstacle() {
    let project = Project::new("");
    project.agree_to_bypass();
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch begun; sleep 2" }))
        .answer()
        .text("recovered");
    let model = model(script).await;
    let flags = ["serve", "--permission-mode", "bypassPermissions"];
    let mut serving = Bowline::new(&project).model(&model).serve_with(&flags, Profile::VS_CODE);
    serving.client.initialize().await;
    let session = serving.client.session().await;
    serving.client.prompt(&session, "run it").await;
    let runs = |event: &protocol::Event| format!("{:?}", event.body).contains("Running");
    serving.client.next_event("the command to run", runs).await;
    serving.client.next_event("the command to run", runs).await;
    serving.kill().await;

    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    client.attach(&session, None).await;
    assert_eq!(client.ask(&session, "what happened?").await.text(), "recovered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_torn_last_line_costs_only_itself() {
    let mut stage = Stage::new("", forever("hi")).await;
    stage.client.ask(&stage.session, "kept").await;
    let (project, session, model) = (stage.project, stage.session, stage.model);
    stage.client.leave().await;
    let journal = &project.journals()[0];
    let whole = files::read(journal);
    files::write(journal, format!("{whole}{{\"at\":1,\"type\":\"user\",\"id\":\"x\",\"con"));

    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot), ["kept", "hi"]);
    assert_eq!(client.ask(&session, "and on").await.text(), "hi");
    client.leave().await;
    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    let snapshot = client.attach(&session, None).await.snapshot.unwrap();
    assert_eq!(texts(&snapshot), ["kept", "hi", "and on", "hi"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_has_one_writer() {
    let mut stage = Stage::new("", forever("hi")).await;
    stage.client.ask(&stage.session, "mine").await;
    let mut serving = Bowline::new(&stage.project).model(&stage.model).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let error = try_attach(&mut serving.client, &stage.session).await.unwrap_err();
    assert!(error.message.contains("open in another Bowline"), "{error:?}");
    stage.client.leave().await;
    try_attach(&mut serving.client, &stage.session).await.unwrap();
    serving.client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_beginning_of_an_id_will_do() {
    let mut stage = Stage::new("", forever("hi")).await;
    stage.client.ask(&stage.session, "one").await;
    stage.client.close_session(&stage.session).await;
    let attached = stage.client.attach(&stage.session[..20], None).await;
    assert_eq!(attached.session_id, stage.session);
    for wrong in ["", "../../etc/passwd", "ffffffff", "01"] {
        let error = try_attach(&mut stage.client, wrong).await.unwrap_err();
        assert!(error.message.contains("There is no session"), "{wrong:?}: {error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_is_not_there_is_said() {
    let mut stage = Stage::new("//- /file\n", forever("hi")).await;
    for (cwd, words) in [("missing", "does not exist"), ("file", "is not a folder")] {
        let cwd = stage.project.path(cwd).display().to_string();
        let params = json!({ "cwd": cwd });
        let error = stage.client.call("agent/session/new", params).await.unwrap_err();
        assert!(error.message.contains(words), "{error:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_home_that_cannot_be_written_is_said_before_anything_is_done() {
    let project = Project::new("");
    files::write(&project.home().join(".bowline"), "a file in the way");
    let model = model(forever("hi")).await;
    let mut client = Server::start(&project, Some(&model)).connect(Profile::VS_CODE).await;
    let session = client.session().await;
    let params = SessionPromptParams {
        session_id: session,
        content: vec![protocol::prompt::Block::text("hello")],
        delivery: None,
        client_message_id: None,
    };
    let error = client.try_request::<SessionPrompt>(params).await.unwrap_err();
    assert!(error.message.contains("cannot be written"), "{error:?}");
    assert!(model.requests().is_empty());
}
