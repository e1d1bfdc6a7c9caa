//! MCP servers in sessions: their tools reach the model, and every call goes by the user's rules.

mod asked;
mod changed;
mod faults;
mod scopes;

use kit::{Bowline, Client, Project, Stage, files};
use model::Scenario;
use protocol::EventBody;
use protocol::mcp::{Mcp, McpOp, McpParams, McpServer, McpStatus};
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};

/// `fixtures/mcp/server.py`, which writes what it is told to `log` in the project.
pub fn server(project: &Project, fault: &str) -> Value {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcp/server.py");
    json!({ "command": "python3", "args": [script, project.path("log"), fault] })
}

/// What the server was told so far.
pub fn log(project: &Project) -> String {
    if project.exists("log") { project.read("log") } else { String::new() }
}

/// Waits until the server has been told this.
pub async fn told(client: &mut Client, session: &str, project: &Project, line: &str) {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while !log(project).lines().any(|known| known == line) {
        assert!(until > std::time::Instant::now(), "never told {line}: {}", log(project));
        servers(client, session).await;
        pause().await;
    }
}

/// A project with these servers in the user's settings.
pub fn project(servers: &[(&str, &str)]) -> Project {
    let project = Project::new("//- /a.txt\nalpha\n");
    let named = servers.iter().map(|(name, fault)| ((*name).to_owned(), server(&project, fault)));
    let named: serde_json::Map<String, Value> = named.collect();
    project.user_settings(&json!({ "mcpServers": named }));
    project
}

pub async fn stage(servers: &[(&str, &str)], script: Scenario) -> Stage {
    let mut stage = Stage::set(project(servers), script, Mode::Default).await;
    for (name, fault) in servers {
        if !matches!(*fault, "silent" | "exits") {
            stands(&mut stage.client, &stage.session, name, McpStatus::Connected).await;
        }
    }
    stage
}

pub async fn servers(client: &mut Client, session: &str) -> Vec<McpServer> {
    op(client, session, McpOp::List, None).await
}

pub async fn op(
    client: &mut Client,
    session: &str,
    op: McpOp,
    server: Option<&str>,
) -> Vec<McpServer> {
    let (session_id, server) = (Some(session.to_owned()), server.map(str::to_owned));
    client.request::<Mcp>(McpParams { op, server, session_id, servers: None }).await.servers
}

/// Waits until a server stands so.
pub async fn stands(
    client: &mut Client,
    session: &str,
    name: &str,
    status: McpStatus,
) -> McpServer {
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let now = servers(client, session).await;
        let fits = |server: &&McpServer| server.name == name && server.status == status;
        if let Some(found) = now.iter().find(fits) {
            return found.clone();
        }
        assert!(until > std::time::Instant::now(), "{name} is never {status}: {now:?}");
        pause().await;
    }
}

/// Between two looks: whoever asks without a pause keeps the machine from answering.
pub async fn pause() {
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
}

/// The names of the tools in the last request to the model.
pub fn tools(stage: &Stage) -> Vec<String> {
    let requests = stage.model.requests();
    let tools = requests.last().unwrap().body["tools"].as_array().unwrap().clone();
    tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_tool_is_shown_asked_about_and_called() {
    let input = json!({ "text": "hello" });
    let script = Scenario::new().tool("mcp__notes__write_note", input.clone()).answer().text("ok");
    let mut stage = stage(&[("notes", "")], script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Mcp(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!((subject.server.as_str(), subject.tool.as_str()), ("notes", "write_note"));
    assert_eq!(subject.input, input);
    let rules: Vec<_> = request.options.iter().filter_map(|option| option.rule.clone()).collect();
    assert!(rules.contains(&"mcp__notes__write_note".to_owned()), "{rules:?}");
    assert!(!log(&stage.project).contains("called"), "nothing runs before the answer");
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    let call = turned.call();
    assert_eq!((call.status, call.text.as_str()), (ToolStatus::Completed, "written"));
    assert!(log(&stage.project).contains("wrote hello"), "{}", log(&stage.project));
    assert!(tools(&stage).contains(&"mcp__notes__write_note".to_owned()));
    // How the server wants to be used is told, as its own words.
    let first = stage.model.requests()[0].body["messages"].to_string();
    assert!(first.contains("Call echo when in doubt.") && first.contains("server's words"));
}

/// M-06: it may say of a tool that it only reads, and nobody believes it.
#[tokio::test(flavor = "multi_thread")]
async fn what_a_server_says_of_a_tool_answers_no_question() {
    let input = json!({ "text": "hello", "requires_approval": false });
    let script = Scenario::new().tool("mcp__notes__echo", input).answer().text("ok");
    let mut stage = stage(&[("notes", "")], script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(matches!(&request.subject, Subject::Mcp(subject) if subject.tool == "echo"));
    stage.client.deny(asked, None);
    stage.client.turn_ended(&stage.session).await;
    assert!(!log(&stage.project).contains("called echo"), "{}", log(&stage.project));
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_speak_of_servers_and_of_their_tools() {
    let project = project(&[("notes", "")]);
    let servers = json!({ "notes": server(&project, "") });
    project.user_settings(&json!({ "mcpServers": servers, "permissions": {
        "allow": ["mcp__notes"], "ask": ["mcp__notes__structured"],
        "deny": ["mcp__notes__write_note"],
    } }));
    let script = Scenario::new()
        .tool("mcp__notes__echo", json!({ "text": "quiet" }))
        .tool("mcp__notes__write_note", json!({ "text": "no" }))
        .tool("mcp__notes__structured", json!({}))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Mcp(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!(subject.tool, "structured", "an ask rule is stronger than an allow rule");
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    let calls = turned.calls();
    assert_eq!(calls[0].text, "quiet");
    assert_ne!(calls[1].status, ToolStatus::Completed, "{calls:?}");
    assert!(calls[2].text.contains("42"), "{calls:?}");
    assert!(!log(&stage.project).contains("write_note"));
    let names = tools(&stage);
    assert!(names.contains(&"mcp__notes__echo".to_owned()));
    assert!(!names.contains(&"mcp__notes__write_note".to_owned()), "it is not even shown");
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_links_recordings_and_long_answers() {
    let script = Scenario::new()
        .tool("mcp__notes__picture", json!({}))
        .tool("mcp__notes__long", json!({ "size": 400_000 }))
        .answer()
        .text("ok");
    let project = project(&[("notes", "")]);
    let servers = json!({ "notes": server(&project, "") });
    project.user_settings(
        &json!({ "mcpServers": servers, "permissions": { "allow": ["mcp__notes"] } }),
    );
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    assert!(calls[0].text.contains("note://one"), "{}", calls[0].text);
    let last = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("\"type\":\"image\"") && last.contains("image/png"), "a picture arrived");
    let written = |text: &str, ending: &str| {
        let mut words = text.split_whitespace().map(|word| word.trim_end_matches('.'));
        let found = words.rfind(|word| word.ends_with(ending)).map(str::to_owned);
        found.unwrap_or_else(|| panic!("no {ending} in {text}"))
    };
    assert_eq!(files::read(written(&calls[0].text, ".wav").as_ref()), "RIFF");
    let kept = files::read(written(&calls[1].text, ".txt").as_ref());
    assert_eq!(kept.len(), 400_000);
    assert!(calls[1].text.len() < 5_000 && calls[1].text.contains("400000 bytes"));
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_shown_and_a_cancel_reaches_the_server() {
    let script = Scenario::new().tool("mcp__notes__slow", json!({})).answer().text("ok");
    let mut stage = stage(&[("notes", "")], script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    let update = stage.client.next_event(
        "progress",
        |event| matches!(&event.body, EventBody::ToolUpdated(update) if update.progress.is_some()),
    );
    let EventBody::ToolUpdated(update) = update.await.body else { unreachable!() };
    let progress = update.progress.unwrap();
    assert_eq!((progress.done, progress.total), (Some(1), Some(3)));
    assert_eq!(progress.message.as_deref(), Some("one of three"));
    stage.client.cancel(&stage.session).await;
    stage.client.turn_ended(&stage.session).await;
    told(&mut stage.client, &stage.session, &stage.project, "cancelled").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_that_come_later_are_in_the_next_request() {
    let script = Scenario::new()
        .tool("mcp__notes__grow", json!({}))
        .answer()
        .text("grown")
        .answer()
        .text("second");
    let mut stage = stage(&[("notes", "")], script).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.permission().await;
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    let of = "mcp__notes__grown";
    let grown = |event: &protocol::Event| match &event.body {
        EventBody::McpUpdated(it) => it.servers[0].tools.iter().any(|name| name == of),
        _ => false,
    };
    if !stage.client.log.iter().any(grown) {
        stage.client.next_event("a new tool", grown).await;
    }
    stage.client.ask(&stage.session, "again").await;
    assert!(tools(&stage).contains(&of.to_owned()));
    let last = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("You have more tools now: mcp__notes__grown."), "{last}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_without_a_screen_waits_for_the_servers_it_is_given() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let script = Scenario::new()
        .tool("mcp__notes__echo", json!({ "text": "from a server" }))
        .tool("mcp__notes__form", json!({}))
        .answer()
        .text("done");
    let model = kit::model(script).await;
    let config = json!({ "mcpServers": { "notes": server(&project, "") } }).to_string();
    let args = ["-p", "go", "--mcp-config", &config, "--allowedTools", "mcp__notes"];
    let done = Bowline::new(&project).model(&model).args(&args).run().await;
    assert_eq!((done.code, done.stdout.trim()), (Some(0), "done"), "{done:?}");
    let last = model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("from a server"), "{last}");
    // Nobody could fill the form in.
    assert!(last.contains(r#"{\"action\": \"decline\"}"#), "{last}");
    assert!(!last.contains("still connecting") && !last.contains("more tools now"), "{last}");
    let tools = model.requests()[0].body["tools"].to_string();
    assert!(tools.contains("mcp__notes__echo"), "they are there from the first request on");
}
