//! Servers that crash, hang, flood and lie cost only themselves.

use super::{op, server, stage, stands, told, tools};
use kit::{Bowline, Profile, Project, Stage, files};
use model::Scenario;
use protocol::mcp::{McpOp, McpStatus};
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::json;

/// A project with a good server and a bad one, both allowed.
fn beside(fault: &str) -> Project {
    let project = Project::new("//- /a.txt\nalpha\n");
    let servers = json!({ "good": server(&project, ""), "bad": server(&project, fault) });
    project.user_settings(&json!({ "mcpServers": servers,
        "permissions": { "allow": ["mcp__good", "mcp__bad"] } }));
    project
}

fn echo(server: &str) -> Scenario {
    let name = format!("mcp__{server}__echo");
    Scenario::new().tool(&name, json!({ "text": "still here" })).answer().text("ok")
}

async fn works(stage: &mut Stage, server: &str) {
    stands(&mut stage.client, &stage.session, server, McpStatus::Connected).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().text, "still here");
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_does_not_start_stands_in_nobodys_way() {
    for (fault, status) in [("exits", McpStatus::Failed), ("silent", McpStatus::Connecting)] {
        let mut stage = Stage::set(beside(fault), echo("good"), Mode::Default).await;
        works(&mut stage, "good").await;
        let bad = stands(&mut stage.client, &stage.session, "bad", status).await;
        if fault == "exits" {
            let error = bad.error.unwrap();
            assert!(error.contains("no configuration found"), "{error}");
            assert!(!tools(&stage).iter().any(|name| name.starts_with("mcp__bad")));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_talks_nonsense_or_too_much_is_still_of_use() {
    for fault in ["garbage", "twice", "lies", "many"] {
        let mut stage = Stage::set(beside(fault), echo("bad"), Mode::Default).await;
        works(&mut stage, "bad").await;
        let rows = op(&mut stage.client, &stage.session, McpOp::List, Some("bad")).await;
        let log = rows[0].log.clone().unwrap().join("\n");
        match fault {
            "garbage" => assert!(log.contains("Not a message"), "{log}"),
            "lies" => assert!(log.contains("far: its schema cannot be used"), "{log}"),
            "many" => {
                assert!(rows[0].tools.len() <= 500, "{}", rows[0].tools.len());
                assert!(log.contains("too many tools"), "{log}");
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_crashes_fails_its_call_and_comes_back() {
    let script = Scenario::new()
        .tool("mcp__bad__crash", json!({}))
        .answer()
        .tool("mcp__bad__echo", json!({ "text": "back again" }))
        .answer()
        .text("ok");
    let mut stage = Stage::set(beside(""), script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "bad", McpStatus::Connected).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let calls = turned.calls();
    assert_eq!(calls[0].status, ToolStatus::Failed, "{calls:?}");
    assert_eq!((&calls[1].status, calls[1].text.as_str()), (&ToolStatus::Completed, "back again"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_line_without_end_ends_the_connection_and_nothing_else() {
    let script = Scenario::new()
        .tool("mcp__bad__huge", json!({}))
        .tool("mcp__good__echo", json!({ "text": "fine" }))
        .answer()
        .text("ok");
    let mut stage = Stage::set(beside(""), script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "bad", McpStatus::Connected).await;
    stands(&mut stage.client, &stage.session, "good", McpStatus::Connected).await;
    let calls = stage.client.ask(&stage.session, "go").await.calls();
    assert_eq!(calls[0].status, ToolStatus::Failed, "{calls:?}");
    assert_eq!(calls[1].text, "fine");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_hangs_ends_when_its_time_is_over() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let mut slow = server(&project, "");
    slow["timeout"] = json!(1000);
    project.user_settings(&json!({ "mcpServers": { "bad": slow },
        "permissions": { "allow": ["mcp__bad"] } }));
    let script = Scenario::new().tool("mcp__bad__hang", json!({})).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "bad", McpStatus::Connected).await;
    let call = stage.client.ask(&stage.session, "go").await.call();
    assert_eq!(call.status, ToolStatus::Failed);
    assert!(call.text.contains("no sign of life") || call.text.contains("time"), "{}", call.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_ends_with_its_session_and_so_does_what_it_started() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let script = "sleep 600 & echo $! > child; echo $$ > own; wait";
    project.user_settings(&json!({ "mcpServers": {
        "sleeper": { "command": "sh", "args": ["-c", script] } } }));
    let mut serving = Bowline::new(&project).serve(Profile::VS_CODE);
    serving.client.initialize().await;
    let session = serving.client.session().await;
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    let pid = |name: &str| {
        let text = if project.exists(name) { project.read(name) } else { String::new() };
        text.trim().parse::<u32>().ok()
    };
    while pid("own").is_none() || pid("child").is_none() {
        assert!(until > std::time::Instant::now(), "it never started");
        super::servers(&mut serving.client, &session).await;
    }
    let (own, child) = (pid("own").unwrap(), pid("child").unwrap());
    assert!(alive(own) && alive(child));
    serving.client.close_session(&session).await;
    while alive(own) || alive(child) {
        assert!(until > std::time::Instant::now(), "it outlived its session");
        tokio::task::yield_now().await;
    }
    // With the process, too.
    let [own, child] = ["own", "child"].map(|name| project.path(name));
    files::remove(&own);
    files::remove(&child);
    let session = serving.client.session().await;
    while pid("own").is_none() || pid("child").is_none() {
        assert!(until > std::time::Instant::now(), "it never started");
        super::servers(&mut serving.client, &session).await;
    }
    let (own, child) = (pid("own").unwrap(), pid("child").unwrap());
    serving.client.leave().await;
    while alive(own) || alive(child) {
        assert!(until > std::time::Instant::now(), "it outlived us");
        tokio::task::yield_now().await;
    }
}

fn alive(pid: u32) -> bool {
    // One that waits to be reaped by somebody else is dead.
    let stat = files::read_if_there(format!("/proc/{pid}/stat").as_ref());
    stat.is_some_and(|stat| !stat.contains(") Z "))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_can_be_switched_off_and_on_and_called_again() {
    let mut stage = stage(&[("notes", "")], Scenario::new().text("one").answer().text("two")).await;
    let (client, session) = (&mut stage.client, stage.session.clone());
    let said = say(client, &session, "/add-dir /usr").await;
    assert!(said.contains("as well"), "{said}");
    told(client, &session, &stage.project, "notifications/roots/list_changed").await;
    op(client, &session, McpOp::Disable, Some("notes")).await;
    stands(client, &session, "notes", McpStatus::Disabled).await;
    client.ask(&session, "go").await;
    assert!(!tools(&stage).iter().any(|name| name.starts_with("mcp__")));
    let client = &mut stage.client;
    op(client, &session, McpOp::Enable, Some("notes")).await;
    stands(client, &session, "notes", McpStatus::Connected).await;
    op(client, &session, McpOp::Reconnect, Some("notes")).await;
    // At first, switched on, and called again.
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while super::log(&stage.project).matches("started").count() < 3 {
        assert!(until > std::time::Instant::now(), "{}", super::log(&stage.project));
        super::servers(client, &session).await;
    }
    stands(client, &session, "notes", McpStatus::Connected).await;
    client.ask(&session, "go").await;
    assert!(tools(&stage).contains(&"mcp__notes__echo".to_owned()));
    let client = &mut stage.client;
    let said = say(client, &session, "/mcp").await;
    assert!(
        said.contains("notes  connected, 18 tools, 1 prompt, 1 resource (stdio, user, no sandbox)"),
        "{said}"
    );
    let said = say(client, &session, "/mcp notes").await;
    assert!(said.contains("  mcp__notes__echo") && said.contains("mcp__notes__greet"), "{said}");
    let said = say(client, &session, "/mcp nothing").await;
    assert!(said.contains("There is no MCP server"), "{said}");
}

async fn say(client: &mut kit::Client, session: &str, command: &str) -> String {
    client.prompt(session, command).await;
    let event = client.next_event(command, |event| match &event.body {
        protocol::EventBody::CommandOutput(output) => output.command == command,
        _ => false,
    });
    let protocol::EventBody::CommandOutput(output) = event.await.body else { unreachable!() };
    output.text
}

/// However often somebody asks how servers stand, they come, and not much later than they would.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_asks_all_the_time_keeps_no_server_from_connecting() {
    let project = super::project(&[("notes", "")]);
    let mut stage = Stage::set(project, Scenario::new().text("ok"), Mode::Default).await;
    let (since, mut asked) = (std::time::Instant::now(), 0);
    loop {
        let rows = super::servers(&mut stage.client, &stage.session).await;
        asked += 1;
        if rows.iter().any(|row| row.status == McpStatus::Connected) {
            break;
        }
        let late = since.elapsed() > std::time::Duration::from_secs(20);
        assert!(!late, "asked {asked} times, and it never came: {rows:?}");
    }
}
