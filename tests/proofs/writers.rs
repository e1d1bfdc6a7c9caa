//! Many writers on one file: all of them land, each under its own name, and nobody overwrites
//! anybody.

use kit::{Profile, Project, Server, model, session_in};
use model::Scenario;
use protocol::permission::Subject;
use protocol::review::{ReviewList, ReviewListParams};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

const WRITERS: usize = 8;

fn function(number: usize, body: &str) -> String {
    format!("fn f{number}() {{\n    {body}\n}}\n\n")
}

fn text(body: impl Fn(usize) -> String) -> String {
    (0..WRITERS).map(|number| function(number, &body(number))).collect()
}

/// Every session reads the file, and then changes its own function.
async fn eight_writers(open: bool) {
    let old = |number: usize| format!("old({number});");
    let new = |number: usize| format!("new({number}); // ☃");
    let project = Project::new(&format!("//- /a.rs\n{}", text(old)));
    let mut servers = Vec::new();
    let path = "{{cwd}}/a.rs";
    let mut script = Scenario::new();
    for number in 0..WRITERS {
        let (old, new) = (old(number), new(number));
        let edit = json!({ "file_path": path, "old_string": old, "new_string": new });
        script = script
            .when(&format!("writer {number}"))
            .tool("Read", json!({ "file_path": path }))
            .tool("Edit", edit)
            .answer();
    }
    let model = model(script.text("done").forever()).await;
    let server = Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::VS_CODE).await;
    let uri = project.uri("a.rs");
    if open {
        client.open(&uri, &text(old));
    }
    for _ in 0..WRITERS {
        servers.push(client.session_with(session_in(Mode::AcceptEdits)).await);
    }
    for (number, session) in servers.iter().enumerate() {
        client.prompt(session, &format!("writer {number}")).await;
    }
    for _ in &servers {
        client.next_event("the end of a turn", |event| event.body.name() == "turn.ended").await;
    }
    let now = if open { client.editor.text(&uri).to_owned() } else { project.read("a.rs") };
    assert_eq!(now, text(new));
    for (number, session) in servers.iter().enumerate() {
        let session_id = Some(session.clone());
        let params = ReviewListParams { session_id, ..ReviewListParams::default() };
        let hunks = client.request::<ReviewList>(params).await.hunks;
        assert_eq!(hunks.len(), 1, "{hunks:#?}");
        assert_eq!(hunks[0].new_text, format!("    {}\n", new(number)));
        assert_eq!(hunks[0].old_text, format!("    {}\n", old(number)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_sessions_change_eight_functions_of_an_open_file() {
    eight_writers(true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn eight_sessions_change_eight_functions_of_a_closed_file() {
    eight_writers(false).await;
}

/// Both were asked about before either was made: the second does not know what the first meant.
#[tokio::test(flavor = "multi_thread")]
async fn two_on_one_line_ask_the_second_again() {
    for open in [true, false] {
        let project = Project::new("//- /a.rs\nlet left = right;\n");
        let path = "{{cwd}}/a.rs";
        let edit = |old: &str, new: &str| json!({ "file_path": path, "old_string": old, "new_string": new });
        let script = Scenario::new()
            .when("writer 1")
            .tool("Read", json!({ "file_path": path }))
            .tool("Edit", edit("left", "first"))
            .answer()
            .when("writer 2")
            .tool("Read", json!({ "file_path": path }))
            .tool("Edit", edit("right", "second"))
            .answer()
            .text("done")
            .forever();
        let model = model(script).await;
        let server = Server::start(&project, Some(&model));
        let mut client = server.connect(Profile::VS_CODE).await;
        let uri = project.uri("a.rs");
        if open {
            client.open(&uri, "let left = right;\n");
        }
        let sessions = [client.session().await, client.session().await];
        client.prompt(&sessions[0], "writer 1").await;
        let (first, _) = client.permission().await;
        client.prompt(&sessions[1], "writer 2").await;
        let (second, _) = client.permission().await;
        client.allow(first);
        client.turn_ended(&sessions[0]).await;
        client.allow(second);
        // The yes was for a line that is not there any more.
        let (again, request) = client.permission().await;
        let Subject::Edit(edit) = &request.subject else { panic!("{request:?}") };
        assert_eq!(edit.old_text.as_deref(), Some("let first = right;\n"), "what is there");
        client.deny(again, None);
        let turned = client.turn_ended(&sessions[1]).await;
        assert_eq!(turned.calls()[1].status, ToolStatus::Denied, "{:?}", turned.calls());
        let now = if open { client.editor.text(&uri).to_owned() } else { project.read("a.rs") };
        assert_eq!(now, "let first = right;\n");
        client.leave().await;
    }
}
