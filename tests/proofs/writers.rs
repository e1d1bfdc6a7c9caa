//! Many writers on one file: all of them land, each under its own name, and nobody overwrites
//! anybody.

use kit::{Profile, Project, Server, model, session_in};
use model::Scenario;
use protocol::review::{ReviewList, ReviewListParams};
use protocol::session::Mode;
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
