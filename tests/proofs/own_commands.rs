//! Commands of the user's own: the agent's rules, the agent's walls, shown as a call, told to the model. And
//! what a page of sessions asks for: long lists, the end of one, a title for one that is only stored.

use kit::{Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::event::ToolEnded;
use protocol::session::{
    CancelState, ExportFormat, SessionCancel, SessionCancelParams, SessionExport,
    SessionExportParams, SessionList, SessionListParams, SessionRename, SessionRenameParams,
    SessionShell, SessionShellParams,
};
use protocol::tool::ToolStatus;

fn forever(text: &str) -> Scenario {
    Scenario::new().forever().text(text)
}

async fn run(stage: &mut Stage, command: &str) -> String {
    let params =
        SessionShellParams { session_id: stage.session.clone(), command: command.to_owned() };
    stage.client.request::<SessionShell>(params).await.tool_call_id
}

async fn ended(stage: &mut Stage, call: &str) -> ToolEnded {
    let is_it = |event: &protocol::Event| matches!(&event.body, EventBody::ToolEnded(ended) if ended.tool_call_id == call);
    match stage.client.next_event("the end of the command", is_it).await.body {
        EventBody::ToolEnded(ended) => ended,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_user_runs_is_shown_and_told_with_the_next_prompt() {
    let mut stage = Stage::new("//- /a.txt\nahoy 日本\n", forever("hi")).await;
    let call = run(&mut stage, "cat a.txt").await;
    let ended = ended(&mut stage, &call).await;
    assert_eq!(ended.status, ToolStatus::Completed);
    assert!(format!("{:?}", ended.content).contains("ahoy 日本"), "{ended:?}");
    assert!(stage.model.requests().is_empty(), "no model was asked for it");
    stage.client.ask(&stage.session, "what was that?").await;
    let body = stage.model.requests()[0].body["messages"].to_string();
    assert!(body.contains("cat a.txt") && body.contains("ahoy 日本"), "{body}");
    assert!(body.contains("what was that?"), "{body}");
    // It is told once.
    stage.client.ask(&stage.session, "and now?").await;
    let body = stage.model.requests()[1].body["messages"].to_string();
    assert_eq!(body.matches("<command>").count(), 1, "{body}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_rules_hold_for_the_user_s_own_commands() {
    let mut stage = Stage::new("", forever("hi")).await;
    // What no rule allows is asked about, and a no is a no.
    let call = run(&mut stage, "touch made.txt").await;
    let (asked, request) = stage.client.permission().await;
    assert!(request.title.contains("touch made.txt"), "{request:?}");
    stage.client.deny(asked, None);
    assert_eq!(ended(&mut stage, &call).await.status, ToolStatus::Denied);
    assert!(!stage.project.path("made.txt").exists());
    let call = run(&mut stage, "touch made.txt").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    assert_eq!(ended(&mut stage, &call).await.status, ToolStatus::Completed);
    assert!(stage.project.path("made.txt").exists());
    let empty = SessionShellParams { session_id: stage.session.clone(), command: " ".to_owned() };
    assert!(stage.client.try_request::<SessionShell>(empty).await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_of_the_user_is_stopped_by_its_call() {
    let mut stage = Stage::new("", forever("hi")).await;
    let call = run(&mut stage, "sleep 600").await;
    let runs = |event: &protocol::Event| matches!(&event.body, EventBody::ToolUpdated(update) if update.status == ToolStatus::Running);
    stage.client.next_event("that it runs", runs).await;
    let params = SessionCancelParams {
        session_id: stage.session.clone(),
        turn_id: None,
        tool_call_id: Some(call.clone()),
        task_id: None,
    };
    let state = stage.client.request::<SessionCancel>(params).await.state;
    assert_eq!(state, CancelState::Cancelled);
    assert_eq!(ended(&mut stage, &call).await.status, ToolStatus::Cancelled);
}

#[tokio::test(flavor = "multi_thread")]
async fn long_lists_ends_and_titles_of_what_is_stored() {
    let mut stage = Stage::new("", forever("hi")).await;
    for at in 0..3 {
        let session = stage.client.session().await;
        stage.client.ask(&session, &format!("tale {at}")).await;
        stage.client.close_session(&session).await;
    }
    let list = |limit| SessionListParams { limit, ..SessionListParams::default() };
    let page = stage.client.request::<SessionList>(list(Some(2))).await;
    assert_eq!((page.sessions.len(), page.next.as_deref()), (2, Some("2")));
    let all = stage.client.request::<SessionList>(list(None)).await.sessions;
    assert_eq!(all.len(), 3);

    let oldest = all[2].clone();
    let rename = |title: &str| SessionRenameParams {
        session_id: oldest.session_id.clone(),
        title: title.to_owned(),
    };
    stage.client.request::<SessionRename>(rename(" a better name ")).await;
    assert!(stage.client.try_request::<SessionRename>(rename("  ")).await.is_err());
    let again = stage.client.request::<SessionList>(list(None)).await.sessions;
    assert_eq!(again[2].title, "a better name", "it keeps its place: {again:?}");
    assert_eq!(again[2].updated_at, oldest.updated_at);
    let snapshot = stage.client.attach(&oldest.session_id, None).await.snapshot.unwrap();
    assert_eq!(snapshot.title.as_deref(), Some("a better name"));

    let before = files::all(stage.project.home()).len();
    let params = SessionExportParams {
        session_id: oldest.session_id.clone(),
        agent_id: None,
        format: ExportFormat::Markdown,
        path: None,
        tail: Some(8),
    };
    let end = stage.client.request::<SessionExport>(params).await.content.unwrap();
    assert!(end.len() <= 8 && end.contains("hi"), "{end:?}");
    assert_eq!(files::all(stage.project.home()).len(), before, "no file is left for it");
}
