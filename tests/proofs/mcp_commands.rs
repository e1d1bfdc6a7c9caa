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
    assert!(list.stdout.contains("good: python3 (user) - ✓ Connected, 18 tools"), "{list:?}");
    assert!(list.stdout.contains("bad: python3 (user) - ✗ Failed"), "{list:?}");
    assert!(list.stdout.contains("no configuration found"), "{list:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_of_other_programs_are_taken_over() {
    let project = Project::new("");
    let none = mcp(&project, &["import"]).await;
    assert_eq!(
        (none.code, none.stdout.as_str()),
        (Some(0), "No other program here has MCP servers.\n")
    );
    let home = |file: &str| project.home().join(file);
    let desktop = r#"{"mcpServers": {"files": {"command": "npx", "args": ["--key", "canary"]}}}"#;
    files::write(&home(".config/Claude/claude_desktop_config.json"), desktop);
    let cursor = r#"{"mcpServers": {"docs": {"url": "https://docs.example.com/mcp?k=canary",
        "headers": {"K": "${env:DOCS}"}}, "files": {"command": "other"},
        "asks": {"command": "c", "args": ["${input:key}"]}}}"#;
    files::write(&home(".cursor/mcp.json"), cursor);
    files::write(&home(".codex/config.toml"), "[mcp_servers.db]\ncommand = \"db-mcp\"\n");
    files::write(&home(".gemini/settings.json"), "{");

    // Without a word about whose, nothing is changed.
    let list = mcp(&project, &["import"]).await;
    for line in ["files: npx (claude-desktop, ", "docs: https://docs.example.com/mcp (cursor, "] {
        assert!(list.stdout.contains(line), "{list:?}");
    }
    assert!(list.stdout.contains("db: db-mcp (codex, ") && !list.stdout.contains("canary"));
    assert!(list.stderr.contains(".gemini/settings.json: It is not valid JSON"), "{list:?}");
    assert!(list.stderr.contains("bowline mcp import --from claude-desktop"), "{list:?}");
    let settings = project.bowline_home().join("settings.json");
    assert!(!files::read(&settings).contains("mcpServers"));

    let taken = mcp(&project, &["import", "--from", "claude-desktop"]).await;
    assert_eq!(taken.code, Some(0), "{taken:?}");
    assert!(taken.stdout.contains("- taken over"), "{taken:?}");
    let trial = mcp(&project, &["import", "--from", "cursor", "docs", "--dry-run"]).await;
    assert!(trial.stdout.contains("would be taken over"), "{trial:?}");
    assert!(!files::read(&settings).contains("docs"));

    // One is there, one cannot be had: both are said, and the rest is taken.
    let partly = mcp(&project, &["import", "--from", "cursor", "--from", "codex"]).await;
    assert_eq!(partly.code, Some(1), "{partly:?}");
    assert!(partly.stdout.contains("is there already; --force replaces it"), "{partly:?}");
    assert!(partly.stdout.contains("${input:key}"), "{partly:?}");
    let now: serde_json::Value = serde_json::from_str(&files::read(&settings)).unwrap();
    let servers = &now["mcpServers"];
    assert_eq!(servers["files"]["command"], "npx", "nothing was overwritten");
    assert_eq!(servers["docs"]["type"], "http");
    assert_eq!(servers["docs"]["headers"]["K"], "${DOCS}");
    assert_eq!(servers["db"]["command"], "db-mcp");
    let forced = mcp(&project, &["import", "--from", "cursor", "files", "--force", "--json"]).await;
    let told: serde_json::Value = serde_json::from_str(&forced.stdout).unwrap();
    assert_eq!((&told[0]["state"], forced.code), (&"taken".into(), Some(0)), "{forced:?}");
    assert!(files::read(&settings).contains("\"other\""));

    for (args, expect, code) in [
        (&["import", "files"][..], "--from", 2),
        (&["import", "--from", "windsurf"], "No configuration of windsurf", 1),
        (&["import", "--from", "cursor", "nobody"], "No server `nobody`", 1),
        (&["import", "--file", "not-there.json"], "There is no file", 1),
        (&["import", "--from", "emacs"], "possible values", 2),
    ] {
        let done = mcp(&project, args).await;
        assert_eq!(done.code, Some(code), "{args:?}: {done:?}");
        assert!(done.stderr.contains(expect), "{args:?}: {done:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_can_be_read_by_scripts() {
    let project = Project::new("");
    project.user_settings(&serde_json::json!({ "mcpServers": { "gone": {
        "command": "no-mcp", "env": { "KEY": "canary" } } } }));
    let list = mcp(&project, &["list", "--json"]).await;
    let rows: serde_json::Value = serde_json::from_str(&list.stdout).unwrap();
    assert_eq!(
        (&rows[0]["name"], &rows[0]["status"]),
        (&"gone".into(), &"failed".into()),
        "{rows}"
    );
    let got = mcp(&project, &["get", "gone", "--json"]).await;
    let server: serde_json::Value = serde_json::from_str(&got.stdout).unwrap();
    assert_eq!(server["env"], serde_json::json!(["KEY"]));
    assert!(!got.stdout.contains("canary"));
    let auth = Bowline::new(&project).args(&["auth", "status", "--json"]).run().await;
    let keys: serde_json::Value = serde_json::from_str(&auth.stdout).unwrap();
    assert_eq!(keys[0]["provider"], "anthropic");
}
