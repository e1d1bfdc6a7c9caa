//! The same turn through the other wire: any server that speaks OpenAI's chat completions.

use host::session::Limits;
use kit::{Profile, Project, Server, model};
use model::{Scenario, TestServer};
use protocol::event::StopReason;
use protocol::permission::Subject;
use serde_json::json;

fn environment(model: &TestServer, name: &str) -> [(&'static str, String); 3] {
    [
        ("OPENAI_BASE_URL", format!("{}/v1", model.url())),
        ("OPENAI_API_KEY", "test".to_owned()),
        ("OPENAI_MODEL", name.to_owned()),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_becomes_an_approved_edit() {
    let project = Project::new("//- /a.txt\nold\n");
    let path = "{{cwd}}/a.txt";
    let edit = json!({ "file_path": path, "old_string": "unsaved", "new_string": "edited" });
    let script = Scenario::new()
        .text("Let me look.")
        .tool("Read", json!({ "file_path": path }))
        .answer()
        .when("unsaved ☃")
        .tool("Edit", edit)
        .answer()
        .text("Done.");
    let model = model(script).await;
    let server = Server::start_with(&project, environment(&model, "local"), Limits::default());
    let mut client = server.connect(Profile::NEOVIM).await;
    let uri = project.uri("a.txt");
    client.open(&uri, "unsaved ☃\n");
    let session = client.session().await;
    client.prompt(&session, "go").await;
    let (asked, request) = client.permission().await;
    assert!(matches!(&request.subject, Subject::Edit(edit) if edit.uri == uri));
    client.allow(asked);
    let turned = client.turn_ended(&session).await;
    assert_eq!(turned.text(), "Let me look.Done.");
    assert_eq!(client.editor.text(&uri), "edited ☃\n");
    assert_eq!(project.read("a.txt"), "old\n");

    let requests = model.requests();
    assert_eq!(requests.len(), 3);
    assert!(requests.iter().all(|request| request.path == "/v1/chat/completions"), "{requests:?}");
    assert!(requests.iter().all(|request| request.body["model"] == "local"));
    let last = requests[2].body["messages"].as_array().unwrap();
    let roles: Vec<_> = last.iter().map(|message| message["role"].as_str().unwrap()).collect();
    assert_eq!(roles, ["system", "user", "assistant", "tool", "assistant", "tool"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn its_errors_say_what_to_do() {
    let project = Project::new("");
    let model = model(Scenario::new().forever().text("hi")).await;
    let check = [
        (("OPENAI_API_KEY", "wrong".to_owned()), "OPENAI_API_KEY"),
        (("OPENAI_MODEL", "no-such-model".to_owned()), "no-such-model"),
        (("OPENAI_BASE_URL", "http://127.0.0.1:9/v1".to_owned()), "OPENAI_BASE_URL"),
    ];
    for (variable, words) in check {
        let mut env = environment(&model, "local").to_vec();
        env.push(variable);
        let server = Server::start_with(&project, env, Limits::default());
        let mut client = server.connect(Profile::VS_CODE).await;
        let session = client.session().await;
        let turned = client.ask(&session, "hi").await;
        assert_eq!(turned.ended.stop_reason, StopReason::ModelError);
        let message = turned.ended.error.unwrap().message;
        assert!(message.contains(words), "{message}");
    }
}
