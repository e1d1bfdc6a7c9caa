//! Going back: the agent's text goes, the user's stays, and all of it can come again.

use kit::{Client, Profile, Project, Server, Stage, model};
use model::Scenario;
use protocol::event::EventBody;
use protocol::session::{
    Mode, RewindChange, RewindWhat, SessionRewind, SessionRewindParams, SessionRewindResult,
    SessionUnrewind, SessionUnrewindParams,
};
use serde_json::{Value, json};

fn edit(old: &str, new: &str) -> Value {
    json!({ "file_path": "{{cwd}}/a.txt", "old_string": old, "new_string": new })
}

/// Two turns, each of which changes one line; the second makes a file as well.
fn two_turns() -> Scenario {
    Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool("Edit", edit("one", "agent one"))
        .answer()
        .text("first")
        .answer()
        .tool("Edit", edit("two", "agent two ☃"))
        .tool("Write", json!({ "file_path": "{{cwd}}/new.txt", "content": "made\n" }))
        .answer()
        .text("second")
        .answer()
        .text("third")
}

const FIXTURE: &str = "//- /a.txt\none\n-\ntwo\n-\nthree\n";
const TEXT: &str = "one\n-\ntwo\n-\nthree\n";

struct Story {
    stage: Stage,
    uri: String,
    first: String,
    second: String,
}

/// The user types before, between and after the turns.
async fn story() -> Story {
    let mut stage = Stage::in_mode(FIXTURE, two_turns(), Mode::AcceptEdits).await;
    let uri = stage.project.uri("a.txt");
    let client = &mut stage.client;
    client.open(&uri, TEXT);
    client.type_after(&uri, "three", " «before»");
    let first = client.prompt(&stage.session, "first").await.message_id;
    client.turn_ended(&stage.session).await;
    client.type_after(&uri, "agent one", "\n«between 𝄞»");
    let second = client.prompt(&stage.session, "second").await.message_id;
    client.turn_ended(&stage.session).await;
    client.type_after(&uri, "«before»", " «after»");
    assert_eq!(
        client.editor.text(&uri),
        "agent one\n«between 𝄞»\n-\nagent two ☃\n-\nthree «before» «after»\n"
    );
    Story { stage, uri, first, second }
}

async fn rewind(
    client: &mut Client,
    session: &str,
    to: &str,
    what: RewindWhat,
    preview: bool,
) -> SessionRewindResult {
    let (session_id, to_message) = (session.to_owned(), to.to_owned());
    let params = SessionRewindParams { session_id, to_message, what, preview: Some(preview) };
    client.request::<SessionRewind>(params).await
}

async fn take_back(client: &mut Client, result: SessionRewindResult) {
    let undo_token = result.undo_token.unwrap();
    client.request::<SessionUnrewind>(SessionUnrewindParams { undo_token }).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewind_keeps_what_the_user_typed_and_can_be_taken_back() {
    let Story { mut stage, uri, first, .. } = story().await;
    let (client, session) = (&mut stage.client, &stage.session);
    let typed = client.editor.text(&uri).to_owned();

    let preview = rewind(client, session, &first, RewindWhat::Both, true).await;
    assert_eq!(preview.files.len(), 2, "{preview:#?}");
    assert!(preview.files.iter().any(|file| file.change == RewindChange::Deleted));
    assert_eq!((preview.hunks.len(), preview.undo_token.clone()), (3, None));
    assert_eq!(client.editor.text(&uri), typed, "a preview changes nothing");
    assert!(stage.project.exists("new.txt"));

    let version = client.editor.version(&uri);
    let result = rewind(client, session, &first, RewindWhat::Both, false).await;
    let expect = "one\n«between 𝄞»\n-\ntwo\n-\nthree «before» «after»\n";
    assert_eq!(client.editor.text(&uri), expect);
    assert_eq!(client.editor.version(&uri), version + 1, "one step of undo");
    assert!(!stage.project.exists("new.txt"), "what the agent made goes as it came");

    take_back(client, result).await;
    assert_eq!(client.editor.text(&uri), typed);
    assert_eq!(stage.project.read("new.txt"), "made\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_came_after_the_message_goes() {
    let Story { mut stage, uri, second, .. } = story().await;
    let (client, session) = (&mut stage.client, &stage.session);
    rewind(client, session, &second, RewindWhat::Files, false).await;
    assert_eq!(
        client.editor.text(&uri),
        "agent one\n«between 𝄞»\n-\ntwo\n-\nthree «before» «after»\n"
    );
    // Files only: the conversation is whole.
    client.ask(session, "third").await;
    let asked = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("second") && asked.contains("third"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conversation_goes_back_and_stays_so_after_a_restart() {
    let Story { mut stage, second, .. } = story().await;
    let session = stage.session.clone();
    let typed = stage.client.editor.text(&stage.project.uri("a.txt")).to_owned();
    rewind(&mut stage.client, &session, &second, RewindWhat::Conversation, false).await;
    let event = stage
        .client
        .next_event("session.rewound", |event| event.body.name() == "session.rewound")
        .await;
    let EventBody::SessionRewound(rewound) = event.body else { unreachable!() };
    assert_eq!(rewound.to_message, second);
    assert_eq!(stage.client.editor.text(&stage.project.uri("a.txt")), typed, "files stay");
    stage.client.leave().await;

    let script = model(Scenario::new().text("third")).await;
    let server = Server::start(&stage.project, Some(&script));
    let mut client = server.connect(Profile::VS_CODE).await;
    let attached = client.attach(&session, None).await;
    let snapshot = serde_json::to_string(&attached.snapshot.unwrap()).unwrap();
    assert!(snapshot.contains("first") && !snapshot.contains("second"), "{snapshot}");
    client.ask(&session, "third").await;
    let asked = script.requests().last().unwrap().body["messages"].to_string();
    assert!(asked.contains("first") && !asked.contains("second"), "{asked}");
    client.leave().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_the_agent_made_and_the_user_wrote_in_is_kept() {
    let Story { mut stage, second, .. } = story().await;
    let (client, session) = (&mut stage.client, &stage.session);
    let made = stage.project.uri("new.txt");
    client.open(&made, "made\n");
    client.type_after(&made, "made\n", "mine\n");
    let result = rewind(client, session, &second, RewindWhat::Files, false).await;
    assert_eq!(client.editor.text(&made), "mine\n");
    assert!(stage.project.exists("new.txt"));
    assert!(result.files.iter().all(|file| file.change == RewindChange::Restored), "{result:#?}");
    assert!(!result.conflicts.is_empty(), "the user is told: {result:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_command_changed_goes_back_too() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool("Bash", json!({ "command": "tr a-z A-Z < a.txt > b && mv b a.txt" }))
        .answer()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .text("formatted");
    let project = Project::new("//- /a.txt\nlower\n");
    project.user_settings(&json!({ "permissions": { "allow": ["Bash"] } }));
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let message = stage.client.prompt(&stage.session, "go").await.message_id;
    let turned = stage.client.turn_ended(&stage.session).await;
    assert!(turned.calls()[2].text.contains("LOWER"), "the next Read sees it");
    assert_eq!(stage.project.read("a.txt"), "LOWER\n");
    rewind(&mut stage.client, &stage.session, &message, RewindWhat::Files, false).await;
    assert_eq!(stage.project.read("a.txt"), "lower\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn there_is_no_going_back_to_what_never_was() {
    let mut stage = Stage::new("", Scenario::new().text("hi")).await;
    let (session_id, to_message) = (stage.session.clone(), "nonsense".to_owned());
    let params =
        SessionRewindParams { session_id, to_message, what: RewindWhat::Both, preview: None };
    let refused = stage.client.try_request::<SessionRewind>(params).await.unwrap_err();
    assert!(refused.message.contains("no such message"), "{refused:?}");
}

/// A formatter runs over what the agent wrote: both go, and nothing of either stays behind.
#[tokio::test(flavor = "multi_thread")]
async fn an_edit_and_the_formatter_after_it_go_back_together() {
    let script = Scenario::new()
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .tool("Edit", edit("lower", "agent text"))
        .answer()
        .tool("Bash", json!({ "command": "tr a-z A-Z < a.txt > b && mv b a.txt" }))
        .answer()
        .text("formatted");
    let project = Project::new("//- /a.txt\nlower\nother\n");
    project.user_settings(&json!({ "permissions": { "allow": ["Bash"] } }));
    let mut stage = Stage::set(project, script, Mode::AcceptEdits).await;
    let message = stage.client.prompt(&stage.session, "go").await.message_id;
    stage.client.turn_ended(&stage.session).await;
    assert_eq!(stage.project.read("a.txt"), "AGENT TEXT\nOTHER\n");
    let result =
        rewind(&mut stage.client, &stage.session, &message, RewindWhat::Files, false).await;
    assert_eq!(stage.project.read("a.txt"), "lower\nother\n");
    take_back(&mut stage.client, result).await;
    assert_eq!(stage.project.read("a.txt"), "AGENT TEXT\nOTHER\n");
}
