//! What a program says when it begins to drive us: with `initialize`, and with flags that only such programs
//! have. All of it is carried out, and what cannot be is an error that it sees.

use kit::{Bowline, Project, SdkHost, files, model};
use model::{Scenario, TestServer};
use serde_json::{Value, json};

fn start(project: &Project, model: &TestServer, args: &[&str]) -> SdkHost {
    Bowline::new(project).model(model).sdk_host(args)
}

fn fixture(name: &str) -> String {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcp").join(name);
    path.display().to_string()
}

async fn refused(host: &mut SdkHost, request: Value) -> String {
    let told = host.request(request.clone()).await;
    assert_eq!(told["subtype"], "error", "{request}: {told:#}");
    told["error"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_host_announces_is_carried_out() {
    let skill = |name: &str| {
        format!(
            "//- /.claude/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: does {name}\n---\nGo.\n"
        )
    };
    let project = Project::new(&format!("//- /a.txt\nalpha\n{}{}", skill("sail"), skill("row")));
    project.trust();
    let read = json!({ "file_path": "{{cwd}}/a.txt" });
    let model = model(Scenario::new().tool("View", read).answer().text("done")).await;
    let mut host = start(&project, &model, &["--permission-mode", "plan"]);
    host.initialize(json!({
        "skills": ["sail"],
        "toolAliases": { "View": "Read" },
        "planModeInstructions": "Draw a chart first.",
    }))
    .await;
    host.prompt("go").await;
    host.result().await;
    let requests = model.requests();
    let first = requests[0].body.to_string();
    assert!(first.contains("does sail") && !first.contains("does row"), "only the skills it wants");
    assert!(first.contains("Draw a chart first."), "{first}");
    assert!(requests[1].body.to_string().contains("alpha"), "the alias leads to Read");
    for wrong in [json!({ "toolAliases": [] }), json!({ "plugins": [5] })] {
        let mut request = json!({ "subtype": "initialize" });
        request.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        refused(&mut host, request).await;
    }
    assert_eq!(host.end().await.0.code, Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_the_host_are_asked_about_and_known_beforehand() {
    let project = Project::new("");
    let add = |a: i32| json!({ "a": a });
    let script = Scenario::new().tool("mcp__calc__add", add(1)).answer().text("one").answer();
    let script = script.tool("mcp__calc__sub", add(2)).answer().text("two");
    let model = model(script).await;
    let args =
        ["--permission-prompt-tool", "stdio", "--allowedTools", "mcp__calc__add,mcp__calc__sub"];
    let mut host = start(&project, &model, &args);
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    let version = "2025-11-25";
    let manifest = json!({
        "initializeResult": { "protocolVersion": version, "capabilities": { "tools": {} },
            "serverInfo": { "name": "calc", "version": "1" } },
        "toolsListResult": { "tools": [tool("add"), tool("sub")] },
    });
    let configs = json!({ "calc": { "timeout": 60000, "tools": [
        { "name": "add", "permission_policy": "always_ask" },
        { "name": "sub", "permission_policy": "always_deny" },
    ] } });
    let begun = host
        .initialize(json!({ "sdkMcpServers": ["calc"], "sdkMcpServerConfigs": configs,
            "sdkMcpServerManifests": { "calc": manifest } }))
        .await;
    assert_eq!(begun["sdk_mcp_manifests_parked"], json!({ "calc": "parked" }), "{begun:#}");
    host.prompt("go").await;
    // A rule allows it, and still it is asked about.
    let asked = host.asked("can_use_tool").await;
    assert_eq!(asked["request"]["tool_name"], "mcp__calc__add");
    host.answer(&asked, json!({ "behavior": "allow", "updatedInput": { "a": 1 } })).await;
    let called =
        host.until("a call", |line| line["request"]["message"]["method"] == "tools/call").await;
    let result = json!({ "content": [{ "type": "text", "text": "sum" }] });
    let reply =
        json!({ "jsonrpc": "2.0", "id": called["request"]["message"]["id"], "result": result });
    host.answer(&called, json!({ "mcp_response": reply })).await;
    host.result().await;
    let greeted = host.seen.iter().any(|line| {
        line["request"]["server_name"] == "calc"
            && line["request"]["message"]["method"] == "initialize"
    });
    assert!(!greeted, "what the host has heard already is not asked again");
    host.prompt("again").await;
    host.result().await;
    let calls =
        host.seen.iter().filter(|line| line["request"]["message"]["method"] == "tools/call");
    assert_eq!(calls.count(), 1, "what is always denied is never called");
    let told = model.requests().last().unwrap().body["messages"].to_string();
    assert!(told.contains("mcp__calc__sub") && told.contains("\"is_error\":true"), "{told}");
    host.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_decides_in_the_hosts_place() {
    let project = Project::new("");
    let log = project.path("judge.log");
    let config = json!({ "mcpServers": { "judge": { "command": "python3",
        "args": [fixture("permission.py"), log] } } });
    let bash = |command: &str| json!({ "command": command });
    let script = Scenario::new()
        .tool("Bash", bash("touch yes"))
        .answer()
        .tool("Bash", bash("touch no"))
        .answer()
        .tool("Bash", bash("touch mumble"))
        .answer()
        .text("done");
    let model = model(script).await;
    let args =
        ["--mcp-config", &config.to_string(), "--permission-prompt-tool", "mcp__judge__decide"];
    let mut host = start(&project, &model, &args);
    host.initialize(json!({})).await;
    host.prompt("go").await;
    let result = host.result().await;
    assert!(project.exists("judged") && !project.exists("yes"), "its input counts");
    assert!(!project.exists("no") && !project.exists("mumble"));
    assert_eq!(result["permission_denials"].as_array().unwrap().len(), 2, "{result:#}");
    let told = model.requests().last().unwrap().body.to_string();
    assert!(
        told.contains("The judge says no.") && told.contains("did not answer with JSON"),
        "{told}"
    );
    let first: Value = serde_json::from_str(files::read(&log).lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["tool_name"], &first["input"]["command"]),
        (&json!("Bash"), &json!("touch yes"))
    );
    assert!(first["tool_use_id"].is_string());
    assert_eq!(host.end().await.0.code, Some(0));
    let wrong =
        Bowline::new(&project).model(&model).sdk_host(&["--permission-prompt-tool", "Judge"]);
    let (done, _) = wrong.end().await;
    assert_eq!(done.code, Some(2), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_can_forbid_and_nothing_more() {
    let project = Project::new("");
    let bash = |command: &str| json!({ "command": command });
    let script = Scenario::new().tool("Bash", bash("touch made")).answer().text("done");
    let model = model(script).await;
    let policy = json!({ "permissions": { "deny": ["Bash(touch *)"], "allow": ["Bash"] } });
    let args = ["--managed-settings", &policy.to_string(), "--allowedTools", "Bash"];
    let mut host = start(&project, &model, &args);
    host.initialize(json!({})).await;
    host.prompt("go").await;
    host.result().await;
    assert!(!project.exists("made"));
    let (done, _) = host.end().await;
    assert!(done.stderr.contains("`permissions.allow` does not forbid"), "{done:?}");
    let broken = Bowline::new(&project).model(&model).sdk_host(&["--managed-settings", "{"]);
    assert_eq!(broken.end().await.0.code, Some(2));
}
