//! What the editor's own language servers know reaches the model, and their renames reach every
//! file.

use kit::{Profile, Project, Server, Stage, model, session_in};
use model::Scenario;
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

const BRIDGE: &str = "agent/editor/languageServer";

fn ask(operation: &str, more: &Value) -> Value {
    let mut input = json!({ "operation": operation, "file_path": "{{cwd}}/a.rs" });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

/// An editor that has `a.rs` open, unsaved, and asks its servers when it is asked.
async fn stage(script: Scenario) -> Stage {
    let project = Project::new("//- /a.rs\nold\n//- /b.rs\n// 𝕏 one\n");
    let model = model(script).await;
    let server = Server::start(&project, Some(&model));
    let profile = Profile { language_servers: true, ..Profile::VS_CODE };
    let mut client = server.connect(profile).await;
    let session = client.session_with(session_in(Mode::Default)).await;
    client.held = vec![BRIDGE];
    client.open(&project.uri("a.rs"), "fn one() {}\nfn two() { one() }\n");
    Stage { client, session, server, model, project }
}

fn range(line: u32, characters: std::ops::Range<u32>) -> Value {
    let at = |character: u32| json!({ "line": line, "character": character });
    json!({ "start": at(characters.start), "end": at(characters.end) })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_editors_servers_answer_the_model() {
    let one = json!({ "line": 2, "symbol": "one" });
    let script = Scenario::new()
        .tool("LanguageServer", ask("definition", &one))
        .answer()
        .tool("LanguageServer", ask("symbols", &json!({})))
        .answer()
        .text("ok");
    let mut stage = stage(script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, params) = stage.client.expect::<Value>(BRIDGE).await;
    assert_eq!(params["method"], "textDocument/definition");
    assert_eq!(params["params"]["position"], json!({ "line": 1, "character": 11 }));
    let place = json!({ "uri": stage.project.uri("a.rs"), "range": range(0, 3..6) });
    stage.client.answer(asked, place);
    // An editor without a server for the file: the syntax has to do.
    let (asked, _) = stage.client.expect::<Value>(BRIDGE).await;
    stage.client.answer_error(asked, -32603);
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    assert_eq!(calls[0].text, "a.rs:1:4: fn one() {}");
    assert!(
        calls[1].text.contains("function one") && calls[1].text.contains("syntax"),
        "{calls:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_is_agreed_to_once_and_made_everywhere() {
    let uno = json!({ "line": 1, "symbol": "one", "new_name": "uno" });
    let script = Scenario::new().tool("LanguageServer", ask("rename", &uno)).answer().text("ok");
    let mut stage = stage(script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, params) = stage.client.expect::<Value>(BRIDGE).await;
    assert_eq!(params["method"], "textDocument/rename");
    let (a, b) = (stage.project.uri("a.rs"), stage.project.uri("b.rs"));
    let edit = |range: Value| json!({ "range": range, "newText": "uno" });
    let changes = json!({ "changes": {
        &a: [edit(range(0, 3..6)), edit(range(1, 11..14))],
        &b: [edit(range(0, 6..9))],
    }});
    stage.client.answer(asked, changes.clone());
    let (asked, request) = stage.client.permission().await;
    let Subject::Edit(subject) = &request.subject else { panic!("{request:?}") };
    let others = subject.others.as_deref().unwrap();
    assert_eq!((subject.uri.as_str(), others.len(), others[0].uri.as_str()), (&*a, 1, &*b));
    assert_eq!(others[0].new_text.as_deref(), Some("// 𝕏 uno\n"));
    stage.client.allow(asked);
    // Asked again just before it happens: the yes was for these places and no others.
    let (asked, _) = stage.client.expect::<Value>(BRIDGE).await;
    stage.client.answer(asked, changes);
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    assert_eq!(calls[0].status, ToolStatus::Completed, "{calls:?}");
    assert!(calls[0].text.starts_with("Renamed to uno: 3 places in 2 files."), "{calls:?}");
    assert_eq!(stage.client.editor.text(&a), "fn uno() {}\nfn two() { uno() }\n");
    assert_eq!(stage.project.read("a.rs"), "old\n", "what is open is changed there");
    assert_eq!(stage.project.read("b.rs"), "// 𝕏 uno\n");
}
