//! Where servers come from, and when they count: a project's once they are approved as they are, a
//! client's for its session, an agent's for its work.

use super::{log, server, stands, tools};
use host::core::{ClientServers, Door, SdkLine, client_line, request};
use kit::{Project, Server, Stage};
use model::Scenario;
use protocol::mcp::{Mcp, McpOp, McpParams, McpServer, McpStatus};
use protocol::session::{Mode, SessionNew, SessionNewParams, SessionPrompt, SessionPromptParams};
use serde_json::{Value, json};

fn with_mcp_json(servers: &Value) -> Project {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.write(".mcp.json", json!({ "mcpServers": servers }).to_string());
    project
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projects_server_waits_for_trust_and_for_its_own_approval() {
    let project = with_mcp_json(&json!({}));
    let notes = server(&project, "");
    project.write(".mcp.json", json!({ "mcpServers": { "notes": notes } }).to_string());
    let mut stage =
        Stage::set(project, Scenario::new().text("ok").answer().text("ok"), Mode::Default).await;
    let (asked, request) = stage.client.permission().await;
    assert!(format!("{request:?}").contains("starts the MCP server notes"), "{request:?}");
    assert_eq!(log(&stage.project), "", "nothing runs before the answer");
    stage.client.allow_first(asked, &request);
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    // Another command under the same name is another server.
    let mut other = server(&stage.project, "");
    other["env"] = json!({ "SOMETHING": "else" });
    stage.project.write(".mcp.json", json!({ "mcpServers": { "notes": other } }).to_string());
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage
        .client
        .expect::<protocol::permission::PermissionRequestParams>("agent/permission/request")
        .await;
    assert!(format!("{request:?}").contains("SOMETHING"), "{request:?}");
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Untrusted).await;
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    while stage.model.requests().is_empty() {
        assert!(until > std::time::Instant::now(), "the turn does not go on");
        super::pause().await;
    }
    assert!(!tools(&stage).iter().any(|name| name.starts_with("mcp__")), "{:?}", tools(&stage));
    stage.client.allow_first(asked, &request);
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_gives_its_session_servers() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let script = Scenario::new().text("ok");
    let model = kit::model(script).await;
    let host = Server::start(&project, Some(&model));
    let mut client = host.connect(kit::Profile::VS_CODE).await;
    let given = [("mine".to_owned(), server(&project, ""))].into();
    let params = SessionNewParams { mcp_servers: Some(given), ..SessionNewParams::default() };
    let session = client.session_with(params).await;
    let row = stands(&mut client, &session, "mine", McpStatus::Connected).await;
    assert_eq!(row.scope.as_deref(), Some("session"));
    let other = client.session().await;
    assert!(super::servers(&mut client, &other).await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_administrator_says_which_servers_may_be_there() {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.managed_settings(&json!({ "deniedMcpServers": [{ "serverName": "mine" }] }));
    let model = kit::model(Scenario::new()).await;
    let host = Server::start(&project, Some(&model));
    let mut client = host.connect(kit::Profile::VS_CODE).await;
    let given = [("mine".to_owned(), server(&project, ""))].into();
    let params = SessionNewParams { mcp_servers: Some(given), ..SessionNewParams::default() };
    let session = client.session_with(params).await;
    let row = stands(&mut client, &session, "mine", McpStatus::Disabled).await;
    assert!(row.error.unwrap().contains("administrator"));
    assert_eq!(log(&project), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_gets_no_keys_and_a_person_is_asked_where_it_wants_one() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let mut notes = server(&project, "person");
    notes["env"] = json!({ "GIVEN": "${HOME}" });
    project.user_settings(&json!({ "mcpServers": { "notes": notes },
        "permissions": { "allow": ["mcp__notes"] } }));
    let script = Scenario::new()
        .tool("mcp__notes__environment", json!({}))
        .tool("mcp__notes__echo", json!({ "text": "hi" }))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert!(request.reason.contains("wants a person to agree"), "{request:?}");
    stage.client.allow(asked);
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    let names: Vec<&str> = calls[0].text.split_whitespace().collect();
    assert!(names.contains(&"GIVEN") && names.contains(&"CLAUDE_PROJECT_DIR"), "{names:?}");
    assert!(!names.iter().any(|name| name.starts_with("ANTHROPIC")), "{names:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_brings_its_own_server_and_does_without_others() {
    let project = super::project(&[("notes", "")]);
    let own = json!([{ "own": server(&project, "") }]);
    let text = format!(
        "---\nname: helper\ndescription: helps\ntools: Read\nmcpServers: {own}\n---\nYou help.\n"
    );
    kit::files::write(&project.bowline_home().join("agents/helper.md"), text);
    let wish = json!({ "subagent_type": "helper", "description": "d", "prompt": "look",
        "run_in_background": false });
    let script = Scenario::new()
        .tool("Agent", wish)
        .answer()
        .tool("mcp__own__echo", json!({ "text": "of its own" }))
        .answer()
        .text("done")
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    assert_eq!(request.agent.as_deref(), Some("helper"), "{request:?}");
    stage.client.allow(asked);
    stage.client.turn_ended(&stage.session).await;
    let requests = stage.model.requests();
    let of_agent = requests.iter().find(|it| it.body["system"].to_string().contains("You help."));
    let names = of_agent.unwrap().body["tools"].to_string();
    assert!(names.contains("mcp__own__echo"), "it waits for its own server");
    assert!(!names.contains("mcp__notes__"), "its file does not name those");
    let rows = super::servers(&mut stage.client, &stage.session).await;
    assert!(rows.iter().all(|row| row.name != "own"), "{rows:?}");
}

/// A server in the client: it answers what the hub asks.
struct InClient;

impl ClientServers for InClient {
    fn names(&self) -> Vec<String> {
        vec!["inside".to_owned()]
    }

    fn line(&self, server: &str) -> Option<SdkLine> {
        let (line, mut end) = client_line();
        (server == "inside").then_some(())?;
        tokio::spawn(async move {
            while let Some(message) = end.from_hub.recv().await {
                let result = match message["method"].as_str() {
                    Some("initialize") => json!({ "capabilities": { "tools": {} },
                        "protocolVersion": message["params"]["protocolVersion"],
                        "serverInfo": { "name": "inside", "version": "1" } }),
                    Some("tools/list") => json!({ "tools": [
                        { "name": "hi", "inputSchema": { "type": "object" } }] }),
                    Some("tools/call") => {
                        json!({ "content": [{ "type": "text", "text": "from inside" }] })
                    }
                    _ => continue,
                };
                let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
                if end.to_hub.send(answer).await.is_err() {
                    return;
                }
            }
        });
        Some(line)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_in_the_client_is_spoken_to_by_its_door() {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.user_settings(&json!({ "permissions": { "allow": ["mcp__inside"] } }));
    let script = Scenario::new().tool("mcp__inside__hi", json!({})).answer().text("ok");
    let model = kit::model(script).await;
    let server = Server::start(&project, Some(&model));
    // A door of another kind: it speaks for a program that has servers in it.
    let (core, door) = (server.core(), Door::new());
    door.offer_servers(std::sync::Arc::new(InClient));
    let cwd = project.root().display().to_string();
    let params = SessionNewParams { cwd, ..SessionNewParams::default() };
    let session_id = request::<SessionNew>(core, &door, &params).await.unwrap().session_id;
    let list = McpParams {
        op: McpOp::List,
        server: None,
        session_id: Some(session_id.clone()),
        servers: None,
    };
    let until = std::time::Instant::now() + std::time::Duration::from_secs(30);
    loop {
        let servers = request::<Mcp>(core, &door, &list).await.unwrap().servers;
        if servers.iter().any(|it| it.status == McpStatus::Connected) {
            break;
        }
        assert!(until > std::time::Instant::now(), "{servers:?}");
    }
    let prompt = SessionPromptParams {
        session_id,
        content: vec![protocol::prompt::Block::text("go")],
        delivery: None,
        client_message_id: None,
    };
    request::<SessionPrompt>(core, &door, &prompt).await.unwrap();
    while model.requests().len() < 2 {
        assert!(until > std::time::Instant::now(), "the model was asked once only");
        tokio::task::yield_now().await;
    }
    let last = model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("from inside"), "{last}");
}

/// Who is kept in as a command is sees another `/tmp`, where this checkout may be; but the project in any case.
fn with_script_inside(project: &Project, notes: &mut Value) {
    let script = notes["args"][0].as_str().unwrap();
    let text = kit::files::read(script.as_ref());
    project.write("bin/server.py", text);
    notes["args"][0] = json!(project.path("bin/server.py"));
}

/// A project's file, and what a server of these settings says when it is asked to write each of these.
async fn attempts(sandbox: Value, server_says: &Value) -> (String, McpServer, String) {
    // Who is kept in as a command is and stays makes nothing new at the top.
    let project = Project::new("//- /a.txt\nalpha\n//- /log\n//- /.git/config\n[core]\n");
    let home = project.home().to_owned();
    kit::files::write(&home.join(".bashrc"), "mine\n");
    kit::files::make_folder(&home.join(".cache"));
    let mut notes = server(&project, "");
    with_script_inside(&project, &mut notes);
    if !server_says.is_null() {
        notes["sandbox"] = server_says.clone();
    }
    project.user_settings(&json!({ "mcpServers": { "notes": notes }, "sandbox": sandbox,
        "permissions": { "allow": ["mcp__notes"] } }));
    let paths = [home.join(".bashrc"), project.path(".git/config"), home.join(".cache/x")];
    let script =
        Scenario::new().tool("mcp__notes__attempt", json!({ "paths": paths })).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let row = stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    stage.client.prompt(&stage.session, "go").await;
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    let rest = if home.join(".cache/x").exists() { "and more" } else { "" };
    let now = kit::files::read(&home.join(".bashrc")) + rest;
    (calls[0].text.clone(), row, now)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_users_own_server_leaves_alone_what_other_programs_obey() {
    let (said, row, rc) = attempts(json!({}), &Value::Null).await;
    assert_eq!((said.as_str(), rc.as_str()), ("OSError 30, OSError 30, written", "mine\nand more"));
    assert_eq!(row.sandbox.as_deref(), Some("user"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_tightens_the_walls_of_a_server_or_does_without() {
    // The home of this proof lies in `/tmp`, of which such a program has another.
    let (said, row, rc) = attempts(json!({}), &json!("strict")).await;
    assert_eq!((said.as_str(), rc.as_str()), ("written, OSError 30, written", "mine\n"));
    assert_eq!(row.sandbox.as_deref(), Some("strict"));
    let (said, row, rc) = attempts(json!({}), &json!(false)).await;
    assert_eq!(
        (said.as_str(), rc.as_str()),
        ("written, written, written", "mine\ntamperedand more")
    );
    assert_eq!(row.sandbox.as_deref(), Some("off"));
    let (said, row, _) = attempts(json!({ "enabled": false }), &Value::Null).await;
    assert_eq!(
        (said.as_str(), row.sandbox.as_deref()),
        ("written, written, written", Some("none"))
    );
}

/// What lies in the project's folder can be anybody's.
#[tokio::test(flavor = "multi_thread")]
async fn a_project_does_not_take_a_server_out_of_the_sandbox() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let mut notes = server(&project, "");
    notes["sandbox"] = json!(false);
    project.user_settings(&json!({ "sandbox": {} }));
    let local = json!({ "mcpServers": { "notes": notes } }).to_string();
    project.write(".bowline/settings.local.json", local);
    let mut stage = Stage::set(project, Scenario::new(), Mode::Default).await;
    let (asked, request) = stage.client.permission().await;
    stage.client.allow_first(asked, &request);
    let row = stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    assert_eq!(row.sandbox.as_deref(), Some("user"));
    stage.client.notice_with("notes: A file of a project cannot take a server out").await;
}

/// Who stays has nothing stand in for missing names: the folder is as it was, and so it stays.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_kept_in_leaves_nothing_in_the_folder_while_it_runs() {
    let project = Project::new("//- /a.txt\nalpha\n//- /src/b.txt\nbeta\n");
    let mut notes = server(&project, "");
    notes["sandbox"] = json!("strict");
    with_script_inside(&project, &mut notes);
    notes["args"][1] = json!(project.path("src/log"));
    project.user_settings(&json!({ "mcpServers": { "notes": notes }, "sandbox": {},
        "permissions": { "allow": ["mcp__notes"] } }));
    let names = ["src/new", "a.txt", ".mcp.json", ".envrc", "new"];
    let paths: Vec<_> = names.iter().map(|name| project.path(name)).collect();
    let script =
        Scenario::new().tool("mcp__notes__attempt", json!({ "paths": paths })).answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "notes", McpStatus::Connected).await;
    for name in [".vscode", ".mcp.json", ".git"] {
        assert!(!stage.project.exists(name), "{name}");
    }
    stage.client.prompt(&stage.session, "go").await;
    let calls = stage.client.turn_ended(&stage.session).await.calls();
    assert_eq!(calls[0].text, "written, written, OSError 30, OSError 30, OSError 30");
}
