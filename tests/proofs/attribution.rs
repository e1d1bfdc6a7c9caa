//! Who wrote what, when an editor tells of the agent's edit and of the user's typing in one
//! message: rejecting and rewinding take the agent's text and leave the user's.

use kit::{Batch, Client, Editor, Profile, Project, Server, Turned, model, session_in};
use model::{Scenario, TestServer};
use protocol::edit::ReviewAction;
use protocol::review::{
    Hunk, HunkState, ReviewList, ReviewListParams, ReviewResolve, ReviewResolveParams,
};
use protocol::session::{Mode, RewindWhat, SessionRewind, SessionRewindParams};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const TEXT: &str = "alpha\nbeta gamma delta\nepsilon\nzeta\neta\ntheta\n";
const APPLY: &str = "agent/editor/apply";

struct Fixture {
    client: Client,
    session: String,
    uri: String,
    project: Project,
    _server: Server,
    _model: TestServer,
}

/// The model reads the file and replaces `gamma` by `GAMMA GAMMA`; the editor's edit is held.
async fn edit_under_way(profile: Profile) -> Fixture {
    edit_to("GAMMA GAMMA", profile).await
}

async fn edit_to(new: &str, profile: Profile) -> Fixture {
    let path = "{{cwd}}/a.txt";
    let edit = json!({ "file_path": path, "old_string": "gamma", "new_string": new });
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", edit)
        .answer()
        .text("done");
    let project = Project::new(&format!("//- /a.txt\n{TEXT}"));
    project.user_settings(&json!({ "permissions": { "defaultMode": "acceptEdits" } }));
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile.clone()).await;
    let uri = project.uri("a.txt");
    client.open(&uri, TEXT);
    client.held = vec![APPLY, "workspace/applyEdit"];
    let mut session = String::new();
    if profile.extension {
        session = client.session_with(session_in(Mode::AcceptEdits)).await;
        client.prompt(&session, "go").await;
    } else {
        client.command("bowline.ask", json!(["go"])).await;
    }
    Fixture { client, session, uri, project, _server: server, _model: model }
}

fn insert(editor: &mut Editor, uri: &str, after: &str, typed: &str) -> Value {
    let at = editor.text(uri).find(after).expect("a place to type at") + after.len();
    editor.splice(uri, at..at, typed)
}

async fn hunks(client: &mut Client, session: &str) -> Vec<Hunk> {
    let session_id = Some(session.to_owned());
    let params = ReviewListParams { session_id, ..ReviewListParams::default() };
    client.request::<ReviewList>(params).await.hunks
}

async fn reject_all(client: &mut Client, uri: &str) {
    let params = ReviewResolveParams {
        uri: Some(uri.to_owned()),
        ..serde_json::from_value(json!({ "action": "reject" })).unwrap()
    };
    assert_eq!(params.action, ReviewAction::Reject);
    let result = client.request::<ReviewResolve>(params).await;
    assert!(result.results.iter().all(|one| one.state == HunkState::Rejected), "{result:?}");
}

async fn rewind_files(client: &mut Client, session: &str, to: &str) {
    let (session_id, to_message) = (session.to_owned(), to.to_owned());
    let what = RewindWhat::Files;
    let params = SessionRewindParams { session_id, to_message, what, preview: None };
    client.request::<SessionRewind>(params).await;
}

impl Fixture {
    async fn end(&mut self) -> Turned {
        self.client.held.clear();
        self.client.turn_ended(&self.session).await
    }

    fn text(&self) -> &str {
        self.client.editor.text(&self.uri)
    }

    /// Rejects everything, and expects the text from before with what the user typed.
    async fn reject_leaves(mut self, expected: &str) {
        reject_all(&mut self.client, &self.uri).await;
        assert_eq!(self.text(), expected);
        self.client.leave().await;
    }
}

/// The example of the issue: four texts typed, the first of them right after the new text.
async fn typing_after_the_new_text(batch: Batch, rewinds: bool) {
    let mut run = edit_under_way(Profile::VS_CODE).await;
    let (asked, params): (_, Value) = run.client.expect(APPLY).await;
    run.client.apply_while_typing(asked, &params, batch, |editor, uri| {
        vec![insert(editor, uri, "GAMMA GAMMA", "USER1")]
    });
    for number in 2..5 {
        run.client.type_after(&run.uri, "theta\n", &format!("USER{number}\n"));
    }
    let turned = run.end().await;
    let edit = &turned.calls()[1];
    assert_eq!(edit.status, ToolStatus::Completed, "{}", edit.text);
    assert!(edit.text.contains("beta GAMMA GAMMAUSER1 delta"), "{}", edit.text);
    let found = hunks(&mut run.client, &run.session).await;
    assert_eq!(found.len(), 1, "{batch:?}: {found:#?}");
    let expected = "alpha\nbeta gammaUSER1 delta\nepsilon\nzeta\neta\ntheta\nUSER4\nUSER3\nUSER2\n";
    if rewinds {
        let message = run.client.first_message();
        rewind_files(&mut run.client, &run.session, &message).await;
        assert_eq!(run.text(), expected, "{batch:?}");
        run.client.leave().await;
    } else {
        run.reject_leaves(expected).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reject_keeps_text_typed_after_the_new_text_in_the_same_did_change() {
    for batch in Batch::ALL {
        typing_after_the_new_text(batch, false).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rewind_keeps_text_typed_after_the_new_text_in_the_same_did_change() {
    for batch in Batch::ALL {
        typing_after_the_new_text(batch, true).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_whose_new_text_is_typed_in_at_once_is_reported_as_made() {
    for batch in Batch::ALL {
        let mut run = edit_under_way(Profile::NEOVIM).await;
        let (asked, params): (_, Value) = run.client.expect(APPLY).await;
        run.client.apply_while_typing(asked, &params, batch, |editor, uri| {
            vec![insert(editor, uri, "GAMMA G", "«inside»")]
        });
        let turned = run.end().await;
        let edit = &turned.calls()[1];
        assert_eq!(edit.status, ToolStatus::Completed, "{batch:?}: {}", edit.text);
        assert!(edit.text.contains("GAMMA G«inside»AMMA"), "{batch:?}: {}", edit.text);
        let found = hunks(&mut run.client, &run.session).await;
        assert_eq!(found.len(), 1, "{batch:?}: {found:#?}");
        reject_all(&mut run.client, &run.uri).await;
        let text = run.text().to_owned();
        assert_eq!(text.replace("«inside»", ""), TEXT, "{batch:?}");
        assert!(text.contains("«inside»"), "{batch:?}");
        run.client.leave().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_the_new_text_at_once_leaves_a_change_that_can_be_rejected() {
    for batch in Batch::ALL {
        let mut run = edit_under_way(Profile::VS_CODE).await;
        let (asked, params): (_, Value) = run.client.expect(APPLY).await;
        run.client.apply_while_typing(asked, &params, batch, |editor, uri| {
            let at = editor.text(uri).find("GAMMA GAMMA").unwrap();
            vec![editor.splice(uri, at..at + 10, "")]
        });
        let turned = run.end().await;
        assert_eq!(turned.calls()[1].status, ToolStatus::Completed, "{batch:?}");
        run.reject_leaves(TEXT).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_in_the_same_message_as_the_edit_is_recognised() {
    let mut run = edit_under_way(Profile::VS_CODE).await;
    let (asked, params): (_, Value) = run.client.expect(APPLY).await;
    run.client.apply_while_typing(asked, &params, Batch::Steps, |editor, uri| {
        let at = editor.text(uri).find("GAMMA GAMMA").unwrap();
        let undo = editor.splice(uri, at..at + "GAMMA GAMMA".len(), "gamma");
        vec![undo, insert(editor, uri, "theta\n", "typed\n")]
    });
    run.end().await;
    let found = hunks(&mut run.client, &run.session).await;
    assert!(found.iter().all(|hunk| hunk.state == HunkState::Rejected), "{found:#?}");
    run.reject_leaves(&format!("{TEXT}typed\n")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_told_together_with_typing_elsewhere_is_recognised() {
    for batch in [Batch::Steps, Batch::Coalesced] {
        let mut run = edit_to("a long new text of the agent", Profile::VS_CODE).await;
        let (asked, params): (_, Value) = run.client.expect(APPLY).await;
        run.client.carry_out(asked, &params);
        run.end().await;
        let before = run.text().to_owned();
        let at = before.find("a long new text of the agent").unwrap();
        let end = at + "a long new text of the agent".len();
        let undo = run.client.editor.splice(&run.uri, at..end, "gamma");
        let typed = insert(&mut run.client.editor, &run.uri, "theta\n", "typed\n");
        let change = run.client.editor.batch(batch, &run.uri, &before, &[undo, typed]);
        run.client.notify("textDocument/didChange", change);
        let found = hunks(&mut run.client, &run.session).await;
        assert!(found.iter().all(|hunk| hunk.state == HunkState::Rejected), "{batch:?} {found:#?}");
        run.reject_leaves(&format!("{TEXT}typed\n")).await;
    }
}

/// The editor answers, the user saves and closes; no `didChange` ever comes.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_saved_and_closed_before_the_receipt_has_a_hunk() {
    let mut run = edit_under_way(Profile::VS_CODE).await;
    let (asked, params): (_, Value) = run.client.expect(APPLY).await;
    let done = run.client.editor.apply(&params["edit"]);
    insert(&mut run.client.editor, &run.uri, "theta\n", "typed\n");
    run.project.write("a.txt", run.text());
    run.client.answer_edit(&asked, &done);
    let uri = run.uri.clone();
    run.client.close_document(&uri);
    let turned = run.end().await;
    let edit = &turned.calls()[1];
    assert_eq!(edit.status, ToolStatus::Completed, "{}", edit.text);
    assert_eq!(hunks(&mut run.client, &run.session).await.len(), 1);
    let message = run.client.first_message();
    rewind_files(&mut run.client, &run.session, &message).await;
    assert_eq!(run.project.read("a.txt"), format!("{TEXT}typed\n"));
    run.client.leave().await;
}

/// Closed without saving: the agent's change went with the buffer, and nobody says otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_closed_unsaved_before_the_receipt_has_no_hunk() {
    let mut run = edit_under_way(Profile::VS_CODE).await;
    let (asked, params): (_, Value) = run.client.expect(APPLY).await;
    let done = run.client.editor.apply(&params["edit"]);
    run.client.answer_edit(&asked, &done);
    let uri = run.uri.clone();
    run.client.close_document(&uri);
    let turned = run.end().await;
    assert_eq!(turned.calls()[1].status, ToolStatus::Failed);
    assert_eq!(hunks(&mut run.client, &run.session).await, []);
    assert_eq!(run.project.read("a.txt"), TEXT);
    run.client.leave().await;
}

/// An editor without versioned edits makes the edit where it was computed, over what the user has
/// typed since: the user's text comes back, and both are told.
#[tokio::test(flavor = "multi_thread")]
async fn text_overwritten_by_an_editor_without_versions_is_restored() {
    for together in [false, true] {
        let mut run = edit_under_way(Profile::BARE).await;
        let (asked, params): (_, Value) = run.client.expect("workspace/applyEdit").await;
        let typed = insert(&mut run.client.editor, &run.uri, "beta ", "«typed here» ");
        let done = run.client.editor.apply(&params["edit"]);
        assert!(!run.text().contains("«typed here»"), "the editor overwrote it");
        let mut changes = vec![typed];
        changes.extend(done.changes.clone());
        if together {
            let change = run.client.editor.batch(Batch::Steps, &run.uri, TEXT, &changes);
            changes = vec![change];
        }
        for change in changes {
            run.client.notify("textDocument/didChange", change);
        }
        run.client.answer_edit(&asked, &done);
        run.client.held.clear();
        let told = loop {
            let shown = run.client.notification("window/showMessage").await;
            let shown = shown["message"].as_str().unwrap().to_owned();
            if shown.contains("outdated position") {
                break shown;
            }
            assert_ne!(shown, "done", "the user is told before the turn ends");
        };
        assert!(told.contains("restored your text"), "{told}");
        while run.client.notification("window/showMessage").await["message"] != "done" {}
        let expected = TEXT.replace("gamma", "«typed here» GAMMA GAMMA");
        assert_eq!(run.text(), expected, "together: {together}");
        let request = run._model.requests().last().unwrap().body.to_string();
        assert!(request.contains("Bowline restored that text"), "{request}");
        run.client.leave().await;
    }
}
