//! What servers ask of the user, and what the user asks of servers: forms, pages, sign-ins, resources
//! and prompts.

use super::{log, op, stage, stands};
use kit::{Doorway, Profile, Project, Quirks, Stage};
use model::Scenario;
use protocol::EventBody;
use protocol::ask::{Ask, AskParams};
use protocol::complete::{Complete, CompleteParams};
use protocol::mcp::{McpOp, McpStatus};
use protocol::permission::Subject;
use protocol::session::Mode;
use serde_json::{Value, json};

/// A call of this tool, which the user allows.
async fn calling(tool: &str) -> Stage {
    let name = format!("mcp__notes__{tool}");
    let script = Scenario::new().tool(&name, json!({})).answer().text("ok");
    let mut stage = stage(&[("notes", "")], script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    stage
}

async fn said(stage: &mut Stage) -> Value {
    let turned = stage.client.turn_ended(&stage.session).await;
    serde_json::from_str(&turned.call().text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_is_filled_in_checked_and_completed() {
    let mut stage = calling("form").await;
    let (asked, params) = stage.client.expect_request::<Ask>().await;
    let AskParams { message, form, .. } = params;
    assert!(message.unwrap().contains("notes asks: Who are you?"));
    assert_eq!(form.unwrap().schema["properties"]["age"]["type"], "integer");
    stage.client.answer(asked, json!({ "action": "accept", "content": { "age": 0 } }));
    // Nobody is so young: the form comes back.
    let (asked, params) = stage.client.expect_request::<Ask>().await;
    assert!(params.message.unwrap().contains("does not fit"));
    stage.client.answer(asked, json!({ "action": "accept", "content": { "age": "7" } }));
    let said = said(&mut stage).await;
    assert_eq!(said, json!({ "action": "accept", "content": { "age": 7, "name": "Ann" } }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_declined_and_a_page_is_opened() {
    let mut stage = calling("form").await;
    let (asked, _) = stage.client.expect_request::<Ask>().await;
    stage.client.answer(asked, json!({ "action": "decline" }));
    assert_eq!(said(&mut stage).await, json!({ "action": "decline" }));
    let mut stage = calling("page").await;
    let (asked, params) = stage.client.expect_request::<Ask>().await;
    assert_eq!(params.url.as_deref(), Some("https://example.com/a"));
    stage.client.answer(asked, json!({ "action": "accept" }));
    assert_eq!(said(&mut stage).await, json!({ "action": "accept" }));
}

#[tokio::test(flavor = "multi_thread")]
async fn models_are_not_lent_and_folders_are_known() {
    let mut stage = calling("sample").await;
    assert_eq!(said(&mut stage).await["code"], -32601);
    let mut stage = calling("roots").await;
    let root = stage.project.uri("").trim_end_matches('/').to_owned();
    assert_eq!(said(&mut stage).await["roots"][0]["uri"], root);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_client_gets_a_box_where_that_will_do() {
    let project = super::project(&[("notes", "")]);
    let script = Scenario::new()
        .tool("mcp__notes__sure", json!({}))
        .tool("mcp__notes__form", json!({}))
        .answer()
        .text("ok");
    let servers = json!({ "notes": super::server(&project, "") });
    project.user_settings(
        &json!({ "mcpServers": servers, "permissions": { "allow": ["mcp__notes"] } }),
    );
    let model = kit::model(script).await;
    let server = kit::Server::start(&project, Some(&model));
    let mut client = server.connect(Profile::HELIX).await;
    let session = client.session().await;
    stands(&mut client, &session, "notes", McpStatus::Connected).await;
    client.prompt(&session, "go").await;
    let (asked, params) = client.message_box().await;
    assert!(params["message"].as_str().unwrap().contains("Are you sure?"), "{params}");
    client.answer(asked, json!({ "title": "Yes" }));
    // It is not told of events; what came of it is in the next request.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while model.requests().len() < 2 {
        assert!(until > std::time::Instant::now(), "the model was asked once only");
        super::servers(&mut client, &session).await;
    }
    let last = model.requests().last().unwrap().body["messages"].to_string();
    let accepted = r#"{\"action\": \"accept\", \"content\": {\"sure\": true}}"#;
    assert!(last.contains(accepted) && last.contains(r#"{\"action\": \"decline\"}"#), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn resources_are_named_completed_listed_and_read() {
    let script = Scenario::new()
        .text("seen")
        .answer()
        .tool("ListMcpResourcesTool", json!({}))
        .tool("ReadMcpResourceTool", json!({ "server": "notes", "uri": "note://other" }))
        .answer()
        .text("ok");
    let mut stage = stage(&[("notes", "")], script).await;
    let text = "look at @notes:no".to_owned();
    let offset = text.len() as u32;
    let session_id = Some(stage.session.clone());
    let params = CompleteParams { text, offset, session_id };
    let items = stage.client.request::<Complete>(params).await.items;
    assert_eq!(items[0].insert_text, "@notes:note://one");
    stage.client.ask(&stage.session, "look at @notes:note://one, please").await;
    let first = stage.model.requests()[0].body["messages"].to_string();
    assert!(first.contains("the words of note://one"), "{first}");
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Mcp(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!(subject.input["uri"], "note://other");
    stage.client.allow(asked);
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    assert_eq!(calls[0].text, "notes: note://one (First note)");
    assert!(calls[1].text.contains("the words of note://other"), "{calls:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_of_a_server_is_a_command() {
    let mut stage = stage(&[("notes", "")], Scenario::new().text("hello")).await;
    let advertised = stage.client.log.iter().rev().find_map(|event| match &event.body {
        EventBody::CommandsUpdated(update) => {
            update.commands.iter().find(|it| it.name == "mcp__notes__greet").cloned()
        }
        _ => None,
    });
    let command = match advertised {
        Some(command) => command,
        None => {
            let event = stage.client.next_event("the command", |event| match &event.body {
                EventBody::CommandsUpdated(it) => {
                    it.commands.iter().any(|it| it.name == "mcp__notes__greet")
                }
                _ => false,
            });
            let EventBody::CommandsUpdated(update) = event.await.body else { unreachable!() };
            update.commands.into_iter().find(|it| it.name == "mcp__notes__greet").unwrap()
        }
    };
    assert_eq!(command.argument_hint.as_deref(), Some("who [how]"));
    stage.client.ask(&stage.session, "/mcp__notes__greet \"Ann Lee\" very warmly").await;
    let first = stage.model.requests()[0].body["messages"].to_string();
    assert!(first.contains("Greet Ann Lee very warmly."), "{first}");
    assert!(first.contains("/mcp__notes__greet"), "the user's own words stay: {first}");
    assert!(!log(&stage.project).contains("called"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_signs_in_from_a_session() {
    let door = Doorway::open(Quirks::default()).await;
    let project = Project::new("//- /a.txt\nalpha\n");
    project.user_settings(&json!({ "mcpServers": {
        "docs": { "type": "http", "url": door.url() } } }));
    let mut stage = Stage::set(project, Scenario::new(), Mode::Default).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    let row = stands(client, &session, "docs", McpStatus::NeedsAuth).await;
    assert!(row.error.unwrap().contains("sign in"));
    let rows = op(client, &session, McpOp::Authenticate, Some("docs")).await;
    door.agree(rows[0].auth_url.as_deref().unwrap()).await;
    client.notice_with("You are signed in to docs.").await;
    assert_eq!(door.log()[..2], ["registered Bowline", "signed in for files:read"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_needs_more_asks_for_it_and_goes_on() {
    let door = Doorway::open(Quirks::default()).await;
    let project = Project::new("//- /a.txt\nalpha\n");
    project.user_settings(&json!({ "permissions": { "allow": ["mcp__docs"] }, "mcpServers": {
        "docs": { "type": "http", "url": door.url() } } }));
    let script = Scenario::new()
        .tool("mcp__docs__look", json!({}))
        .tool("mcp__docs__change", json!({}))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    stands(client, &session, "docs", McpStatus::NeedsAuth).await;
    let rows = op(client, &session, McpOp::Authenticate, Some("docs")).await;
    door.agree(rows[0].auth_url.as_deref().unwrap()).await;
    stands(client, &session, "docs", McpStatus::Connected).await;
    client.prompt(&session, "go").await;
    let (asked, params) = client.expect_request::<Ask>().await;
    door.agree(params.url.as_deref().unwrap()).await;
    client.answer(asked, json!({ "action": "accept" }));
    let calls = client.turn_ended(&session).await.calls();
    let texts: Vec<&str> = calls.iter().map(|call| call.text.as_str()).collect();
    assert_eq!(texts, ["did look", "did change"], "{:?}", door.log());
}
