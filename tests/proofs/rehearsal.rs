//! No key, no network: the model in the binary does real work with the real tools.

use kit::{Client, Profile, Project, Server, Turned};
use protocol::EventBody;
use protocol::tool::ToolStatus;

const FILES: &str = "//- /main.rs\nfn main() {\n    greet(\"world\");\n}\n\nfn greet(name: &str) {}\n//- /notes.md\nTODO: greet\n";

async fn start() -> (Project, Client, String) {
    let project = Project::new(FILES);
    let mut client = Server::start(&project, None).connect(Profile::VS_CODE).await;
    let session = client.session().await;
    (project, client, session)
}

/// Whatever is asked about is allowed.
async fn allowing(client: &mut Client, session: &str, prompt: &str, questions: usize) -> Turned {
    client.prompt(session, prompt).await;
    for _ in 0..questions {
        let (asked, _) = client.permission().await;
        client.allow(asked);
    }
    client.turn_ended(session).await
}

#[tokio::test(flavor = "multi_thread")]
async fn it_says_what_it_is() {
    let (_project, mut client, session) = start().await;
    let is_notice = |event: &protocol::Event| matches!(event.body, EventBody::Notice(_));
    let notice = client.next_event("a notice", is_notice).await;
    let EventBody::Notice(notice) = notice.body else { panic!() };
    assert!(notice.text.contains("rehearsal model"), "{notice:?}");
    assert!(notice.text.contains("ANTHROPIC_API_KEY"), "{notice:?}");
    let turned = client.ask(&session, "help").await;
    assert!(turned.text().contains("replace"), "{}", turned.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_reads_what_the_user_sees() {
    let (project, mut client, session) = start().await;
    client.open(&project.uri("notes.md"), "unsaved ☃\n");
    let turned = client.ask(&session, "read notes.md").await;
    assert_eq!(turned.call().name, "Read");
    assert!(turned.text().contains("unsaved ☃"), "{}", turned.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_searches() {
    let (_project, mut client, session) = start().await;
    let turned = client.ask(&session, "search greet").await;
    assert_eq!(turned.calls()[0].name, "Grep");
    assert!(turned.text().contains("main.rs"), "{}", turned.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_replaces_in_the_buffer() {
    let (project, mut client, session) = start().await;
    let uri = project.uri("notes.md");
    client.open(&uri, "TODO: greet everybody\n");
    let prompt = "replace \"everybody\" with \"them all\" in notes.md";
    let turned = allowing(&mut client, &session, prompt, 1).await;
    let last = turned.calls().pop().unwrap();
    assert_eq!((last.name.as_str(), last.status), ("Edit", ToolStatus::Completed));
    assert_eq!(client.editor.text(&uri), "TODO: greet them all\n");
    assert_eq!(project.read("notes.md"), "TODO: greet\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_renames_a_symbol() {
    let (project, mut client, session) = start().await;
    let turned = allowing(&mut client, &session, "rename greet to welcome in main.rs", 1).await;
    assert!(turned.ended.error.is_none(), "{turned:?}");
    let expect = "fn main() {\n    welcome(\"world\");\n}\n\nfn welcome(name: &str) {}\n";
    assert_eq!(project.read("main.rs"), expect, "{}", turned.text());
    assert_eq!(project.read("notes.md"), "TODO: greet\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn it_runs_commands() {
    let (project, mut client, session) = start().await;
    let turned = allowing(&mut client, &session, "run touch made && echo ready", 1).await;
    assert_eq!(turned.call().name, "Bash");
    assert!(project.exists("made"));
    assert!(turned.text().contains("ready"), "{}", turned.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_takes_no_for_an_answer() {
    let (project, mut client, session) = start().await;
    client.prompt(&session, "run touch made").await;
    let (asked, _) = client.permission().await;
    client.deny(asked, None);
    let turned = client.turn_ended(&session).await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    assert!(!project.exists("made"));
    assert!(!turned.text().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn it_keeps_a_list() {
    let (_project, mut client, session) = start().await;
    let turned = client.ask(&session, "todo: look; think; write").await;
    let items = turned.events.iter().find_map(|event| match &event.body {
        EventBody::TodosUpdated(updated) => Some(updated.items.len()),
        _ => None,
    });
    assert_eq!(items, Some(3));
}
