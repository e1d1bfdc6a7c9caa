//! Receipts: whatever an editor does with an edit, the server's text is the editor's afterwards,
//! and the model learns what is really there.

use kit::{Client, Fault, Profile, Project, Server, model, session_in};
use model::Scenario;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

const TEXT: &str = "first ☃\nspot a b\nthird 𝄞\nspot c d\nfifth\nsixth\n";

/// One call with two parts, and a look at the text afterwards.
fn script() -> Scenario {
    let path = "{{cwd}}/a.txt";
    let parts = json!([
        { "old_string": "spot a b", "new_string": "agent a b" },
        { "old_string": "spot c d", "new_string": "agent c d" },
    ]);
    Scenario::new()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .tool("Edit", json!({ "file_path": path, "edits": parts }))
        .answer()
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .text("done")
}

struct Outcome {
    status: ToolStatus,
    /// What the model was told of the edit.
    told: String,
    /// What it reads afterwards.
    read: String,
    text: String,
}

async fn with_fault(profile: Profile, fault: Fault) -> Outcome {
    let project = Project::new(&format!("//- /a.txt\n{TEXT}"));
    let model = model(script()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile).await;
    let uri = project.uri("a.txt");
    client.open(&uri, TEXT);
    client.editor.fault = Some(fault);
    let session = client.session_with(session_in(Mode::AcceptEdits)).await;
    let turned = client.ask(&session, "go").await;
    let calls = turned.calls();
    let text = client.editor.text(&uri).to_owned();
    let (status, told) = (calls[1].status.clone(), calls[1].text.clone());
    let read = calls[2].text.clone();
    client.leave().await;
    Outcome { status, told, read, text }
}

/// The lines of a text are all in what the model reads.
fn assert_reads(outcome: &Outcome) {
    for line in outcome.text.lines() {
        assert!(outcome.read.contains(line), "{line:?} in {}", outcome.read);
    }
}

async fn check(fault: Fault, status: ToolStatus, words: &str) {
    for profile in [Profile::VS_CODE, Profile::NEOVIM] {
        let outcome = with_fault(profile, fault).await;
        assert_eq!(outcome.status, status, "{fault:?}: {}", outcome.told);
        assert!(outcome.told.contains(words), "{fault:?}: {}", outcome.told);
        assert_reads(&outcome);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dropped_edit_is_noticed() {
    check(Fault::Drops, ToolStatus::Failed, "its text has not changed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misplaced_edit_is_noticed() {
    check(Fault::Misplaces(1), ToolStatus::Completed, "at another place").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reformatted_edit_is_noticed() {
    check(Fault::Reformats, ToolStatus::Completed, "reformatted").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn half_an_edit_is_noticed() {
    check(Fault::Halves, ToolStatus::Completed, "only 1 of the 2 parts").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_garbled_edit_is_noticed() {
    check(Fault::Garbles, ToolStatus::Completed, "changed again at the same moment").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_edit_is_told_with_its_reason() {
    check(Fault::Refuses, ToolStatus::Failed, "Refuses").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_says_no_and_does_it_is_seen_through() {
    check(Fault::Lies, ToolStatus::Completed, "Changed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answer_and_change_may_come_in_any_order() {
    check(Fault::ChangesFirst, ToolStatus::Completed, "Changed").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_in_the_same_message_is_the_users() {
    let outcome = with_fault(Profile::VS_CODE, Fault::Mixes).await;
    assert_eq!(outcome.status, ToolStatus::Completed, "{}", outcome.told);
    assert!(!outcome.told.contains("The editor"), "{}", outcome.told);
    assert!(outcome.text.starts_with("«typed»first") && outcome.text.contains("agent a b"));
    assert_reads(&outcome);
}

/// What is only inserted has no old text to collide with: sent twice, it would be there twice.
#[tokio::test(flavor = "multi_thread")]
async fn an_insertion_that_is_reformatted_is_not_sent_again() {
    for fault in [Fault::Reformats, Fault::ChangesFirst, Fault::Mixes] {
        let path = "{{cwd}}/a.txt";
        let edit =
            json!({ "file_path": path, "old_string": "third", "new_string": "third\ninserted" });
        let script = Scenario::new()
            .tool("Read", json!({ "file_path": path }))
            .answer()
            .tool("Edit", edit)
            .answer()
            .text("done");
        let project = Project::new(&format!("//- /a.txt\n{TEXT}"));
        let model = model(script).await;
        let server = Server::start(&project, Some(&model));
        let mut client = server.connect(Profile::VS_CODE).await;
        let uri = project.uri("a.txt");
        client.open(&uri, TEXT);
        client.editor.fault = Some(fault);
        let session = client.session_with(session_in(Mode::AcceptEdits)).await;
        let turned = client.ask(&session, "go").await;
        let told = &turned.calls()[1];
        assert_eq!(told.status, ToolStatus::Completed, "{fault:?}: {}", told.text);
        let now = client.editor.text(&uri);
        assert_eq!(now.matches("inserted").count(), 1, "{fault:?}: {now}");
        assert_eq!(told.text.contains("reformatted"), fault == Fault::Reformats, "{}", told.text);
        client.leave().await;
    }
}

/// Somebody types at the very place: the user's text stays, and the model is shown it.
#[tokio::test(flavor = "multi_thread")]
async fn text_typed_at_the_same_place_wins_and_is_shown() {
    for profile in [Profile::VS_CODE, Profile::NEOVIM] {
        let project = Project::new(&format!("//- /a.txt\n{TEXT}"));
        let model = model(script()).await;
        let server = Server::start(&project, Some(&model));
        let mut client: Client = server.connect(profile).await;
        let uri = project.uri("a.txt");
        client.open(&uri, TEXT);
        client.editor.type_before_next_edit(&uri, "spot c", "the user's c");
        let session = client.session_with(session_in(Mode::AcceptEdits)).await;
        let turned = client.ask(&session, "go").await;
        let edit = &turned.calls()[1];
        assert_eq!(edit.status, ToolStatus::Failed, "{}", edit.text);
        assert!(edit.text.contains("the user's c d"), "{}", edit.text);
        assert!(client.editor.text(&uri).contains("the user's c d"));
        assert!(client.editor.text(&uri).contains("spot a b"), "all of it or nothing");
        client.leave().await;
    }
}
