//! Real MCP servers, and the official conformance suite, against the real thing. They are fetched by
//! `tests/run`; without them there is nothing to prove here.

#![expect(
    clippy::disallowed_methods,
    reason = "the peers are found by the environment and started"
)]

use std::path::{Path, PathBuf};
use std::process::Stdio;

use kit::{Project, Stage, within};
use model::Scenario;
use protocol::mcp::McpStatus;
use protocol::session::Mode;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::mcp_sessions::stands;

fn peers() -> Option<PathBuf> {
    std::env::var_os("BOWLINE_MCP_PEERS").map(PathBuf::from)
}

/// One that is written for Node.js, with the words after it.
fn of_node(peers: &Path, name: &str, args: &[&str]) -> Vec<String> {
    let program = [peers.join("bin/node"), peers.join("node_modules/.bin").join(name)];
    let program = program.iter().map(|path| path.display().to_string());
    program.chain(args.iter().map(ToString::to_string)).collect()
}

fn configured(words: &[String]) -> Value {
    json!({ "command": words[0], "args": words[1..] })
}

fn command(words: &[String]) -> Command {
    let mut command = Command::new(&words[0]);
    command.args(&words[1..]);
    command
}

/// A session with this server, whose tools are allowed, and a model that makes these calls.
async fn stage(server: Value, calls: &[(&str, Value)]) -> Stage {
    let project = Project::new("//- /a.txt\nalpha\n");
    stage_in(project, server, calls).await
}

async fn stage_in(project: Project, server: Value, calls: &[(&str, Value)]) -> Stage {
    project.user_settings(&json!({ "mcpServers": { "peer": server },
        "permissions": { "allow": ["mcp__peer"] } }));
    let mut script = Scenario::new();
    for (name, input) in calls {
        script = script.tool(&format!("mcp__peer__{name}"), input.clone());
    }
    let script = script.answer().text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    stands(&mut stage.client, &stage.session, "peer", McpStatus::Connected).await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_standard_output() {
    let Some(peers) = peers() else { return };
    let server = configured(&of_node(&peers, "mcp-server-everything", &["stdio"]));
    let calls = [("echo", json!({ "message": "ahoy" })), ("get-tiny-image", json!({}))];
    let mut stage = stage(server, &calls).await;
    let called = stage.client.ask(&stage.session, "go").await.calls();
    assert!(called[0].text.contains("ahoy"), "{called:?}");
    let last = stage.model.requests().last().unwrap().body["messages"].to_string();
    assert!(last.contains("\"type\":\"image\""), "the picture arrived");
    let rows = crate::mcp_sessions::servers(&mut stage.client, &stage.session).await;
    assert!(rows[0].prompts.is_some() && rows[0].resources.is_some(), "{rows:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_everything_over_http() {
    let Some(peers) = peers() else { return };
    let port = free_port().await;
    let mut command = command(&of_node(&peers, "mcp-server-everything", &["streamableHttp"]));
    command.env("PORT", port.to_string());
    let _server = started(command, port).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let calls = [("echo", json!({ "message": "over http" }))];
    let mut stage = stage(json!({ "type": "http", "url": url }), &calls).await;
    let called = stage.client.ask(&stage.session, "go").await.call();
    assert!(called.text.contains("over http"), "{called:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn server_filesystem_reads_the_folders_of_the_session() {
    let Some(peers) = peers() else { return };
    let project = Project::new("//- /a.txt\nalpha\n");
    let (root, file) = (project.root().display().to_string(), project.path("a.txt"));
    let server = configured(&of_node(&peers, "mcp-server-filesystem", &[&root]));
    let calls = [("read_text_file", json!({ "path": file }))];
    let mut stage = stage_in(project, server, &calls).await;
    let called = stage.client.ask(&stage.session, "go").await.call();
    assert!(called.text.contains("alpha"), "{called:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn mcp_server_git_tells_of_the_repository() {
    let Some(peers) = peers() else { return };
    let project = Project::new("//- /a.txt\nalpha\n");
    project.git(&["init", "-q"]);
    let root = project.root().to_owned();
    let server = json!({ "command": peers.join("bin/mcp-server-git") });
    let calls = [("git_status", json!({ "repo_path": root }))];
    let mut stage = stage_in(project, server, &calls).await;
    let called = stage.client.ask(&stage.session, "go").await.call();
    assert!(called.text.contains("a.txt"), "{called:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn fastmcp_over_http() {
    let Some(peers) = peers() else { return };
    let port = free_port().await;
    let code = format!(
        "from fastmcp import FastMCP\nserver = FastMCP('sums')\n@server.tool\n\
         def add(a: int, b: int) -> int:\n    return a + b\n\
         server.run(transport='http', host='127.0.0.1', port={port})\n"
    );
    let mut command = Command::new(peers.join("bin/python"));
    command.args(["-c", &code]);
    let _server = started(command, port).await;
    let url = format!("http://127.0.0.1:{port}/mcp");
    let calls = [("add", json!({ "a": 40, "b": 2 }))];
    let mut stage = stage(json!({ "type": "http", "url": url }), &calls).await;
    let called = stage.client.ask(&stage.session, "go").await.call();
    assert!(called.text.contains("42"), "{called:?}");
}

async fn free_port() -> u16 {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap().port()
}

/// The process, once somebody listens there.
async fn started(mut command: Command, port: u16) -> Child {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    let listening = async {
        loop {
            if tokio::net::TcpStream::connect(("127.0.0.1", port)).await.is_ok() {
                return;
            }
            // It says something when it is there; until then there is no point in knocking.
            if said.next_line().await.ok().flatten().is_none() {
                tokio::task::yield_now().await;
            }
        }
    };
    within("a server to listen", listening).await;
    tokio::spawn(async move { while let Ok(Some(_)) = said.next_line().await {} });
    child
}

/// The client scenarios that are about what a client like ours does. Not among them: a client whose
/// description is on the web (`basic-cimd`), machines that sign in without a person
/// (`client-credentials-…`), and a service that calls itself something else than its address
/// (`2025-03-26-oauth-metadata-backcompat`), which we do not believe.
const SCENARIOS: &[&str] = &[
    "initialize",
    "tools_call",
    "elicitation-sep1034-client-defaults",
    "sse-retry",
    "auth/metadata-default",
    "auth/metadata-var1",
    "auth/metadata-var2",
    "auth/metadata-var3",
    "auth/scope-from-www-authenticate",
    "auth/scope-from-scopes-supported",
    "auth/scope-omitted-when-undefined",
    "auth/scope-step-up",
    "auth/token-endpoint-auth-basic",
    "auth/token-endpoint-auth-post",
    "auth/token-endpoint-auth-none",
    "auth/scope-retry-limit",
    "auth/pre-registration",
    "auth/2025-03-26-oauth-endpoint-fallback",
    "auth/resource-mismatch",
    "auth/offline-access-scope",
    "auth/offline-access-not-supported",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_conformance_suite_is_content_with_the_client() {
    let Some(peers) = peers() else { return };
    let client = Path::new(env!("CARGO_MANIFEST_DIR")).join("peers/conformance_client.py");
    let mut failed = Vec::new();
    for scenario in SCENARIOS {
        let folder = tempfile::tempdir().unwrap();
        let python = format!("python3 {}", client.display());
        let words = ["client", "--command", &python, "--scenario", scenario];
        let mut command = command(&of_node(&peers, "conformance", &words));
        command.env("BOWLINE_BIN", kit::program()).current_dir(folder.path());
        command.stdin(Stdio::null()).kill_on_drop(true);
        let done = tokio::time::timeout(std::time::Duration::from_secs(120), command.output());
        match done.await {
            Ok(Ok(output)) if output.status.success() => {}
            Ok(Ok(output)) => {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                failed.push(format!("{scenario}: {said}"));
            }
            other => failed.push(format!("{scenario}: {other:?}")),
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
}
