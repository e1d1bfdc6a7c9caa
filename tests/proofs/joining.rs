//! Many clients on one session: who joins hears all of it, what one answers is closed at the others,
//! and who is cut off comes back without having missed or heard twice a single event.

use std::os::unix::fs::PermissionsExt as _;

use kit::{Bowline, Profile, Project, Serving, files, finished, model};
use model::{Scenario, TestServer};
use protocol::ask::{AskAction, AskRespond, AskRespondParams};
use protocol::permission::{OptionKind, PermissionRespond, PermissionRespondParams};
use protocol::session::{SessionAttach, SessionAttachParams};
use protocol::snapshot::Pending;
use serde_json::json;

fn asks() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().long_text(
        "One word after the other. ",
        8,
        20,
    )
}

async fn serve(project: &Project, model: &TestServer, args: &[&str]) -> Serving {
    let args = [&["serve"], args].concat();
    let mut first = Bowline::new(project).model(model).serve_with(&args, Profile::VS_CODE);
    first.client.initialize().await;
    first
}

/// A second editor, once the server can be joined.
async fn join(project: &Project) -> Serving {
    let run = project.bowline_home().join("run");
    kit::within("a socket", async {
        while !run.is_dir() || files::all(&run).is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let mut other = Bowline::new(project).serve_with(&["serve", "--attach"], Profile::VS_CODE);
    other.client.initialize().await;
    other
}

/// Says goodbye and gives the exit code.
async fn leave(serving: Serving) -> Option<i32> {
    let Serving { client, child } = serving;
    client.leave().await;
    finished(child).await.code
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_answers_is_closed_at_the_others() {
    let project = Project::new("");
    let model = model(asks()).await;
    let mut first = serve(&project, &model, &[]).await;
    let session = first.client.session().await;
    let mut second = join(&project).await;
    second.client.attach(&session, None).await;
    first.client.prompt(&session, "go").await;
    let (here, question) = first.client.permission().await;
    let (there, same) = second.client.permission().await;
    assert_eq!(question.request_id, same.request_id);
    second.client.allow(there);
    let resolved = first.client.notification("agent/request/resolved").await;
    assert_eq!(resolved["requestId"], question.request_id);
    first.client.was_withdrawn(here).await;
    let turn = first.client.turn_ended(&session).await;
    assert_eq!(turn.text(), second.client.turn_ended(&session).await.text());
    assert!(project.exists("made"));
    // A guest that says goodbye takes nothing along.
    assert_eq!(leave(second).await, Some(0));
    first.client.attach(&session, None).await;
    assert_eq!(leave(first).await, Some(0));
    assert!(files::all(&project.bowline_home().join("run")).is_empty(), "its socket is gone");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_killed_comes_back_without_a_gap() {
    let project = Project::new("");
    let model = model(asks()).await;
    let mut first = serve(&project, &model, &[]).await;
    let session = first.client.session().await;
    let mut second = join(&project).await;
    let joined = second.client.attach(&session, None).await.seq;
    first.client.prompt(&session, "go").await;
    let (unanswered, _) = second.client.permission().await;
    let heard: Vec<u64> = second.client.log.iter().map(|event| event.seq).collect();
    let last = heard.last().copied().unwrap_or(joined);
    drop(unanswered);
    second.kill().await;
    let (asked, _) = first.client.permission().await;
    first.client.allow(asked);
    first.client.turn_ended(&session).await;
    let mut third = join(&project).await;
    // Not as a client that knows the session: what it is told is all there is to look at.
    let params = SessionAttachParams { session_id: session, since: Some(last), cwd: None };
    let missed = third.client.request::<SessionAttach>(params).await;
    assert!(missed.snapshot.is_none());
    let since = missed.events.iter().map(|event| event.seq);
    let all: Vec<u64> = heard.into_iter().chain(since).collect();
    let gapless: Vec<u64> = (joined + 1..=missed.seq).collect();
    assert_eq!(all, gapless);
    assert_eq!(leave(third).await, Some(0));
    assert_eq!(leave(first).await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_turn_goes_on_while_somebody_is_there() {
    let project = Project::new("");
    let model = model(asks()).await;
    let mut first = serve(&project, &model, &[]).await;
    let session = first.client.session().await;
    first.client.prompt(&session, "go").await;
    let (unanswered, _) = first.client.permission().await;
    // Joins late: what is asked is told along, and can be answered.
    let mut second = join(&project).await;
    let joined = second.client.attach(&session, None).await;
    let [Pending::Permission(pending)] = joined.pending.as_slice() else { panic!("{joined:?}") };
    // The editor dies.
    drop(unanswered);
    let Serving { client, child } = first;
    client.hang_up().await;
    let yes = pending.request.options.iter().find(|option| option.kind == OptionKind::Allow);
    let answer = PermissionRespondParams {
        request_id: pending.request.request_id.clone(),
        option_id: yes.unwrap().id.clone(),
        edited_input: None,
        feedback: None,
    };
    second.client.request::<PermissionRespond>(answer).await;
    second.client.turn_ended(&session).await;
    assert!(project.exists("made"));
    // The last one to leave ends the server.
    assert_eq!(leave(second).await, Some(0));
    assert_eq!(finished(child).await.code, Some(0));
    assert_eq!(project.journals().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_can_be_answered_by_who_joins_later() {
    let project = Project::new("");
    let question = json!({ "questions": [{ "question": "Which colour?", "header": "Colour",
        "multiSelect": false, "options": [
            { "label": "Red", "description": "warm" }, { "label": "Blue", "description": "cold" },
        ] }] });
    let model = model(Scenario::new().tool("AskUserQuestion", question).answer().text("ok")).await;
    let mut first = serve(&project, &model, &[]).await;
    let session = first.client.session().await;
    first.client.prompt(&session, "go").await;
    let (unanswered, _) = first.client.expect_request::<protocol::ask::Ask>().await;
    let mut second = join(&project).await;
    let mut third = join(&project).await;
    third.client.attach(&session, None).await;
    let joined = second.client.attach(&session, None).await;
    let [Pending::Ask(pending)] = joined.pending.as_slice() else { panic!("{joined:?}") };
    let asked = &pending.request;
    assert_eq!(asked.questions.as_ref().unwrap()[0].text, "Which colour?");
    // The editor dies with the question on its screen; nobody has answered for it.
    drop(unanswered);
    let Serving { client, child } = first;
    client.hang_up().await;
    let answer = |label: &str| AskRespondParams {
        request_id: asked.request_id.clone(),
        action: AskAction::Accept,
        content: Some([("q1".to_owned(), json!(label))].into()),
    };
    second.client.request::<AskRespond>(answer("Blue")).await;
    let resolved = third.client.notification("agent/request/resolved").await;
    assert_eq!(resolved["requestId"], asked.request_id.as_str());
    second.client.turn_ended(&session).await;
    let journal = files::read(&project.journals()[0]);
    assert!(journal.contains("→ Blue"), "{journal}");
    // Who is late is told so.
    let late = serde_json::to_value(answer("Red")).unwrap();
    let late = second.client.call("agent/ask/respond", late).await.unwrap_err();
    assert!(late.message.contains("was answered already"), "{late:?}");
    assert_eq!(leave(third).await, Some(0));
    assert_eq!(leave(second).await, Some(0));
    assert_eq!(finished(child).await.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_editors_text_counts_until_it_closes_the_file() {
    let project = Project::new("//- /a.txt\non the disk\n");
    let read = || json!({ "file_path": "{{cwd}}/a.txt" });
    let script = Scenario::new()
        .tool("Read", read())
        .answer()
        .text("One.")
        .answer()
        .tool("Read", read())
        .answer()
        .text("Two.");
    let model = model(script).await;
    let mut first = serve(&project, &model, &[]).await;
    let session = first.client.session().await;
    let mut second = join(&project).await;
    let uri = project.uri("a.txt");
    first.client.open(&uri, "of the first\n");
    assert!(second.client.call("agent/status", json!({})).await.is_ok());
    second.client.open(&uri, "of the second\n");
    assert!(second.client.call("agent/status", json!({})).await.is_ok());
    let said = first.client.ask(&session, "look").await.call().text;
    assert!(said.contains("of the first"), "{said}");
    first.client.close_document(&uri);
    let said = first.client.ask(&session, "look again").await.call().text;
    assert!(said.contains("of the second"), "{said}");
    assert_eq!(leave(second).await, Some(0));
    assert_eq!(leave(first).await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_that_is_kept_running_ends_by_itself() {
    let project = Project::new("");
    let script = Scenario::new().delay_ms(1_500).text("Here is the answer.");
    let model = model(script).await;
    let mut first = serve(&project, &model, &["--keep-running"]).await;
    let session = first.client.session().await;
    first.client.prompt(&session, "go").await;
    let Serving { client, child } = first;
    client.hang_up().await;
    assert_eq!(finished(child).await.code, Some(0));
    let journal = files::read(&project.journals()[0]);
    assert!(journal.contains("Here is the answer."), "{journal}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_way_in_is_private() {
    let project = Project::new("");
    let model = model(asks()).await;
    let run = project.bowline_home().join("run");
    files::make_folder(&run);
    files::write(&run.join("notes.txt"), "not a socket");
    drop(std::os::unix::net::UnixListener::bind(run.join("1.sock")).unwrap());
    let mut first = serve(&project, &model, &[]).await;
    first.client.session().await;
    let socket = run.join(format!("{}.sock", first.pid()));
    kit::within("its socket", async {
        while !socket.exists() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(!run.join("1.sock").exists(), "what nobody listens at is swept away");
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&run), 0o700);
    kit::within("its mode", async {
        while mode(&socket) != 0o600 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(!listens(first.pid()), "no port is open unless somebody asks for one");
    // Nothing runs in it yet, and a name that nobody has is said so.
    let attach = |args: &[&str]| Bowline::new(&project).args(args).run();
    let done = attach(&["attach", "ffff"]).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("begins with ffff"), "{done:?}");
    assert_eq!(leave(first).await, Some(0));
    let done = attach(&["attach"]).await;
    assert!(done.stderr.contains("No server runs"), "{done:?}");
    let private = Bowline::new(&project).model(&model);
    let mut private = private.serve_with(&["serve", "--no-join"], Profile::VS_CODE);
    private.client.initialize().await;
    private.client.session().await;
    let done = finished(Bowline::new(&project).args(&["serve", "--attach"]).spawn()).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert_eq!(leave(private).await, Some(0));
}

/// Whether a process has a port that others may connect to.
#[expect(clippy::disallowed_methods, reason = "the kernel says who listens")]
fn listens(pid: u32) -> bool {
    let open = std::fs::read_dir(format!("/proc/{pid}/fd")).unwrap().flatten();
    let open: Vec<String> = open
        .filter_map(|entry| std::fs::read_link(entry.path()).ok())
        .map(|link| link.display().to_string())
        .collect();
    ["tcp", "tcp6"].iter().any(|kind| {
        let table = std::fs::read_to_string(format!("/proc/{pid}/net/{kind}")).unwrap_or_default();
        table.lines().skip(1).any(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            words.get(3) == Some(&"0A")
                && words.get(9).is_some_and(|inode| open.contains(&format!("socket:[{inode}]")))
        })
    })
}
