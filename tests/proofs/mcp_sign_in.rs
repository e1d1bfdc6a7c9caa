//! Signing in to MCP servers, against a sign-in service that checks everything.

use kit::{Bowline, Doorway, Finished, Project, Quirks, files, finished, within};
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, BufReader};

fn project(door: &Doorway) -> Project {
    configured(&json!({ "type": "http", "url": door.url() }))
}

fn configured(server: &serde_json::Value) -> Project {
    let project = Project::new("//- /a.txt\nalpha\n");
    project.user_settings(&json!({ "mcpServers": { "docs": server } }));
    project
}

/// `bowline mcp login`, with a user who agrees to whatever page is shown.
async fn login(project: &Project, door: &Doorway) -> Finished {
    let mut child = Bowline::new(project).args(&["mcp", "login", "docs"]).spawn();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = String::new();
    while let Some(line) = within("a line of login", lines.next_line()).await.unwrap() {
        if line.starts_with("http") {
            door.agree(&line).await;
        }
        said.push_str(&format!("{line}\n"));
    }
    let done = finished(child).await;
    Finished { stdout: said, ..done }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_user_signs_in_and_out() {
    let door = Doorway::open(Quirks::default()).await;
    let project = project(&door);
    let done = login(&project, &door).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert!(done.stdout.contains("You are signed in to docs."), "{done:?}");
    assert_eq!(door.log(), ["registered Bowline", "signed in for files:read"]);
    let file = project.bowline_home().join("mcp-credentials.json");
    assert_eq!(files::mode(&file) & 0o777, 0o600);
    let kept = files::read(&file);
    assert!(door.secrets().iter().all(|secret| kept.contains(secret)), "{kept}");
    assert!(door.secrets().iter().all(|secret| !done.stdout.contains(secret)));
    let out = Bowline::new(&project).args(&["mcp", "logout", "docs"]).run().await;
    assert!(out.stdout.contains("is forgotten"), "{out:?}");
    assert!(!files::read(&file).contains("canary"), "{}", files::read(&file));
    let out = Bowline::new(&project).args(&["mcp", "logout", "docs"]).run().await;
    assert!(out.stdout.contains("Nobody was signed in"), "{out:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_registered_by_hand() {
    let door = Doorway::open(Quirks { no_registration: true, ..Quirks::default() }).await;
    let without = project(&door);
    let done = Bowline::new(&without).args(&["mcp", "login", "docs"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("oauth.clientId"), "{done:?}");
    let oauth = json!({ "clientId": "by-hand", "scopes": "files:read files:write" });
    let project = configured(&json!({ "type": "http", "url": door.url(), "oauth": oauth }));
    let done = login(&project, &door).await;
    assert_eq!(done.code, Some(0), "{done:?}");
    assert_eq!(door.log(), ["signed in for files:read files:write"]);
    // The address the browser came back to has the name that people register.
    assert!(done.stdout.contains("redirect_uri=http%3A%2F%2Flocalhost%3A"), "{done:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_lies_gets_nowhere() {
    let elsewhere = |text: &str| Some(text.to_owned());
    let endpoint =
        |text: &str| Quirks { authorization_endpoint: elsewhere(text), ..Quirks::default() };
    let cases = [
        (endpoint("file:///etc/passwd"), "authorization_endpoint"),
        (endpoint("javascript:alert(1)"), "authorization_endpoint"),
        (endpoint("http://login.example.com/authorize"), "is not HTTPS"),
        (endpoint("https://169.254.169.254/authorize"), "which only this machine reaches"),
        (endpoint("x$(touch made)"), "is no address"),
        (
            Quirks { issuer: elsewhere("https://bank.example"), ..Quirks::default() },
            "issuer mismatch",
        ),
        (
            Quirks {
                metadata_redirect: elsewhere("http://169.254.169.254/x"),
                ..Quirks::default()
            },
            "non-same-origin",
        ),
        (Quirks { padding: 300_000, ..Quirks::default() }, "more than"),
    ];
    for (quirks, expect) in cases {
        let door = Doorway::open(quirks).await;
        let project = project(&door);
        let done = Bowline::new(&project).args(&["mcp", "login", "docs"]).run().await;
        assert_eq!(done.code, Some(1), "{done:?}");
        assert!(done.stderr.contains(expect), "{expect}: {done:?}");
        assert!(!done.stdout.contains("Open this page"), "{done:?}");
        assert!(door.log().is_empty(), "{:?}", door.log());
    }
    // A code that another service gave is not shown to this one.
    let quirks = Quirks { callback_issuer: elsewhere("https://bank.example"), ..Quirks::default() };
    let door = Doorway::open(quirks).await;
    let project = project(&door);
    let done = login(&project, &door).await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("issuer mismatch"), "{done:?}");
    assert!(door.secrets().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_signs_in_in_the_clear() {
    let project = configured(&json!({ "type": "http", "url": "http://mcp.example.com/mcp" }));
    let done = Bowline::new(&project).args(&["mcp", "login", "docs"]).run().await;
    assert_eq!(done.code, Some(1), "{done:?}");
    assert!(done.stderr.contains("use HTTPS"), "{done:?}");
}
