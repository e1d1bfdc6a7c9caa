//! `bowline mcp`: servers are added, shown and taken out, and files keep their comments.

use kit::{Bowline, Finished, Project, files};

async fn mcp(project: &Project, args: &[&str]) -> Finished {
    // Nobody waits for servers that are not there.
    let bowline = Bowline::new(project).env("MCP_TIMEOUT", "1000");
    bowline.args(&["mcp"]).args(args).run().await
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_added_shown_and_taken_out() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let file = project.bowline_home().join("settings.json");
    files::write(&file, "{\n  // mine\n  \"model\": \"rehearsal\"\n}\n");
    let user = ["--scope", "user"];
    let args =
        ["add", "my.files", "-e", "KEY=canary", "-s", "user", "no-mcp", "--", "-y", "server"];
    let done = mcp(&project, &args).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let header = "Authorization: Bearer canary";
    let args =
        ["add", "-t", "http", "docs", "https://docs.example.com/mcp?key=canary", "-H", header];
    let done = mcp(&project, &[&args[..], &user].concat()).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    let json = r#"{"type": "ws", "url": "wss://x.example", "headersHelper": "get"}"#;
    let done = mcp(&project, &[&["add-json", "live", json][..], &user].concat()).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(files::read(&file).contains("// mine"), "{}", files::read(&file));

    let list = mcp(&project, &["list"]).await;
    let lines: Vec<_> = list.stdout.lines().collect();
    let expect = [
        "my.files: no-mcp (user) - ✗ Failed: It cannot be started",
        "docs: https://docs.example.com/mcp (http) (user) - ✗ ",
        "live: wss://x.example (ws) (user) - ✗ ",
    ];
    assert_eq!(lines.len(), expect.len(), "{list:?}");
    assert!(lines.iter().zip(expect).all(|(line, expect)| line.starts_with(expect)), "{list:?}");
    let got = mcp(&project, &["get", "docs"]).await;
    assert!(got.stdout.contains("headers: Authorization (values hidden)"), "{got:?}");
    let got = mcp(&project, &["get", "my.files"]).await;
    assert!(got.stdout.contains("args: -y server\n  env: KEY (values hidden)"), "{got:?}");
    for shown in [&list, &got] {
        assert!(!shown.stdout.contains("canary"), "{shown:?}");
    }

    let gone = mcp(&project, &["remove", "docs"]).await;
    assert_eq!(gone.code, Some(0), "{gone:?}");
    let gone = mcp(&project, &["remove", "docs"]).await;
    assert_eq!(gone.code, Some(1), "{gone:?}");
    assert!(!files::read(&file).contains("docs"), "{}", files::read(&file));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_makes_no_sense_is_not_written() {
    let project = Project::new("//- /a.txt\nalpha\n");
    for (args, expect) in [
        (&["add", "x", "https://x.example"][..], "--transport"),
        (&["add", "-t", "http", "x", "ftp://x.example"], "http://"),
        (&["add", "-t", "http", "x", "https://x.example", "-e", "A=b"], "no variables"),
        (&["add", "x", "npx", "-H", "A: b"], "--transport"),
        (&["add", "ide", "npx"], "reserved"),
        (&["add-json", "x", "{"], "not valid JSON"),
        (&["add-json", "x", "{}"], "command"),
    ] {
        let done = mcp(&project, args).await;
        assert_eq!(done.code, Some(2), "{args:?}: {done:?}");
        assert!(done.stderr.contains(expect), "{args:?}: {done:?}");
    }
    assert!(!project.exists(".bowline/settings.local.json"));
    assert!(!project.exists(".mcp.json"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_projects_server_waits_for_its_approval() {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.trust();
    let done = mcp(&project, &["add", "-s", "project", "tool", "tool-mcp"]).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stderr.contains("Not used until you approve it"), "{done:?}");
    assert!(project.read(".mcp.json").contains("\"tool\""));
    let list = mcp(&project, &["list"]).await;
    assert!(!list.stdout.contains("tool:"), "{list:?}");
    assert!(list.stderr.contains("Not used until you approve it"), "{list:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_list_says_how_servers_stand() {
    let project = Project::new("//- /a.txt\nalpha\n");
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/mcp/server.py");
    let good = serde_json::json!({ "command": "python3", "args": [script] });
    let bad = serde_json::json!({ "command": "python3", "args": [script, "/dev/null", "exits"] });
    project.user_settings(&serde_json::json!({ "mcpServers": { "good": good, "bad": bad } }));
    let list = Bowline::new(&project).args(&["mcp", "list"]).run().await;
    assert!(list.stdout.contains("good: python3 (user) - ✓ Connected, 17 tools"), "{list:?}");
    assert!(list.stdout.contains("bad: python3 (user) - ✗ Failed"), "{list:?}");
    assert!(list.stdout.contains("no configuration found"), "{list:?}");
}
