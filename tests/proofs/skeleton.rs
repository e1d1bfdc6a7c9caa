//! The story: a prompt typed in an editor becomes an approved edit in its buffer, and the
//! conversation is there again tomorrow.

use kit::{Client, Profile, Project, Server, model};
use model::Scenario;
use protocol::permission::Subject;
use protocol::snapshot::{Role, SnapshotBlock};
use protocol::tool::ToolStatus;
use serde_json::json;

const SAVED: &str = "fn main() {\n    println!(\"saved\");\n}\n";
const FIXTURE: &str = "//- /main.rs\nfn main() {\n    println!(\"saved\");\n}\n";
const UNSAVED: &str = "fn main() {\n    println!(\"unsaved – ☃ 𝄞\"); // here\n}\n";
const EDITED: &str = "fn main() {\n    println!(\"unsaved – ☃ 𝄞\"); // there\n}\n";

fn script() -> Scenario {
    let path = "{{cwd}}/main.rs";
    let edit = json!({ "file_path": path, "old_string": "// here", "new_string": "// there" });
    Scenario::new()
        .text("Let me look.")
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .when("unsaved – ☃ 𝄞")
        .tool("Edit", edit)
        .answer()
        .text("Done.")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit_in_vs_code() {
    with_extension(Profile::VS_CODE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit_in_neovim() {
    with_extension(Profile::NEOVIM).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit_in_helix() {
    plain(Profile::HELIX).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit_in_kate() {
    plain(Profile::KATE).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit_in_eglot() {
    plain(Profile::EGLOT).await;
}

async fn with_extension(profile: Profile) {
    let project = Project::new(FIXTURE);
    let model = model(script()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile.clone()).await;
    let uri = project.uri("main.rs");
    client.open(&uri, SAVED);
    client.replace(&uri, "saved\");", "unsaved – ☃ 𝄞\"); // here");
    assert_eq!(client.editor.text(&uri), UNSAVED);

    let session = client.session().await;
    client.prompt(&session, "Change the comment.").await;

    let (asked, request) = client.permission().await;
    let Subject::Edit(edit) = &request.subject else { panic!("{request:?}") };
    assert_eq!(edit.uri, uri);
    assert_eq!(edit.version, Some(2));
    assert_eq!(edit.old_text.as_deref(), Some(UNSAVED));
    assert_eq!(edit.new_text.as_deref(), Some(EDITED));
    assert_eq!(client.editor.text(&uri), UNSAVED, "nothing changes before the answer");
    client.allow(asked);

    let turned = client.turn_ended(&session).await;
    assert_eq!(turned.ended.stop_reason.as_str(), "end_turn");
    assert_eq!(turned.text(), "Let me look.Done.");
    let calls = turned.calls();
    assert_eq!((calls[0].name.as_str(), calls[1].name.as_str()), ("Read", "Edit"));
    assert!(calls.iter().all(|call| call.status == ToolStatus::Completed), "{calls:?}");
    assert!(calls[0].text.contains("unsaved – ☃ 𝄞"), "{}", calls[0].text);
    assert_eq!(client.editor.text(&uri), EDITED);
    assert_eq!(client.editor.version(&uri), 3, "one step of undo");
    assert_eq!(project.read("main.rs"), SAVED, "the disk is the user's to change");

    client.leave().await;
    resumed(&project, &session, profile).await;
}

/// Another process, another day.
async fn resumed(project: &Project, session: &str, profile: Profile) {
    let server = Server::start(project, None);
    let mut client = server.connect(profile).await;
    let attached = client.attach(session, None).await;
    let snapshot = attached.snapshot.unwrap();
    assert_eq!(snapshot.title.as_deref(), Some("Change the comment."));
    let texts: Vec<_> = snapshot
        .messages
        .iter()
        .flat_map(|message| message.blocks.iter().map(move |block| (message.role.clone(), block)))
        .filter_map(|(role, block)| match block {
            SnapshotBlock::Text(text) => Some((role, text.text.as_str())),
            SnapshotBlock::ToolCall(call) => Some((role, call.call.title.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(
        texts,
        [
            (Role::User, "Change the comment."),
            (Role::Assistant, "Let me look."),
            (Role::Assistant, "Read main.rs"),
            (Role::Assistant, "Edit main.rs"),
            (Role::Assistant, "Done."),
        ]
    );
    client.leave().await;
}

async fn plain(profile: Profile) {
    let project = Project::new(FIXTURE);
    let model = model(script()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(profile).await;
    let uri = project.uri("main.rs");
    client.open(&uri, SAVED);
    client.replace(&uri, "saved\");", "unsaved – ☃ 𝄞\"); // here");

    let accepted = client.command("bowline.ask", json!(["Change the comment."])).await;
    assert_eq!(accepted["disposition"], "started");

    if client.profile().as_kate {
        allow_in_the_text(&mut client, &uri).await;
    } else {
        let (asked, question) = client.message_box().await;
        shows_the_change(question["message"].as_str().unwrap());
        let allow = question["actions"][0].clone();
        assert_eq!(allow["title"], "Allow once");
        client.answer(asked, allow);
    }

    answered(&mut client, "Done.").await;
    assert_eq!(client.editor.text(&uri), EDITED);
    assert_eq!(project.read("main.rs"), SAVED, "the disk is the user's to change");
    client.leave().await;

    let sessions = project.journals();
    let session = sessions[0].file_stem().unwrap().to_str().unwrap();
    resumed(&project, session, Profile::VS_CODE).await;
}

fn shows_the_change(message: &str) {
    assert!(message.contains("-    println!(\"unsaved – ☃ 𝄞\"); // here"), "{message}");
    assert!(message.contains("+    println!(\"unsaved – ☃ 𝄞\"); // there"), "{message}");
}

/// Kate takes an edit only right after a code action, so it is asked by a diagnostic and answered by one.
async fn allow_in_the_text(client: &mut Client, uri: &str) {
    let shown = client.notification("textDocument/publishDiagnostics").await;
    shows_the_change(shown["diagnostics"][0]["message"].as_str().unwrap());
    let place = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": uri }, "range": { "start": place, "end": place },
        "context": { "diagnostics": [] },
    });
    let actions = client.call("textDocument/codeAction", params).await.unwrap();
    let allow = &actions[0];
    assert_eq!(allow["title"], "Allow once: Edit main.rs?");
    let command = allow["command"]["command"].as_str().unwrap();
    client.command(command, allow["command"]["arguments"].clone()).await;
}

/// A plain client reads the answer in a message.
async fn answered(client: &mut Client, text: &str) {
    let message = client.notification("window/showMessage").await;
    assert_eq!((&message["type"], &message["message"]), (&json!(3), &json!(text)));
    if client.profile().progress {
        let values: Vec<_> = client.notifications("$/progress");
        assert_eq!(values.first().unwrap()["value"]["kind"], "begin");
        assert_eq!(values.last().unwrap()["value"]["kind"], "end");
    }
}
