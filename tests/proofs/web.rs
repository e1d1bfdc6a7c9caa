//! Pages of the web, from the user's seat: asked about by host, read by the quick model.

use kit::{Project, Stage};
use model::Scenario;
use protocol::permission::Subject;
use protocol::session::Mode;
use protocol::tool::ToolStatus;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// A web of two pages on this machine. Gives its address.
async fn web() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut head = [0; 4096];
            let read = stream.read(&mut head).await.unwrap_or_default();
            let answer = if head[..read].starts_with(b"GET /away") {
                "HTTP/1.1 302 Found\r\nLocation: https://example.com/new\r\n"
            } else {
                "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n"
            };
            let page = "<html><title>Tides</title><script>no()</script><p>High at <b>six</b>";
            let answer = format!("{answer}Connection: close\r\n\r\n{page}");
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    url
}

fn fetch(url: &str) -> Value {
    json!({ "url": url, "prompt": "When is the tide high?" })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_fetched_after_a_question_and_read_by_the_quick_model() {
    let url = web().await;
    let script = Scenario::new()
        .tool("WebFetch", fetch(&format!("{url}/tides")))
        .answer()
        .when("The question: When is the tide high?")
        .text("At six.")
        .answer()
        .when("At six.")
        .text("The tide is high at six.");
    let mut stage = Stage::set(Project::new(""), script, Mode::Default).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, request) = stage.client.permission().await;
    let Subject::Fetch(subject) = &request.subject else { panic!("{request:?}") };
    assert_eq!(subject.url, format!("{url}/tides"));
    assert!(request.reason.contains("an address of this machine"), "{}", request.reason);
    stage.client.allow(asked);
    let turned = stage.client.turn_ended(&stage.session).await;
    assert_eq!(turned.call().text, "At six.");
    assert_eq!(turned.text(), "The tide is high at six.");
    let quick = stage.model.requests()[1].body.to_string();
    assert!(quick.contains("# Tides\\n\\nHigh at **six**") && !quick.contains("no()"), "{quick}");
    let helped = stage.project.journal().into_iter().any(|record| record["type"] == "helped");
    assert!(helped, "what it cost is in the journal");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_to_another_host_is_told_and_not_followed() {
    let url = web().await;
    let project = Project::new("");
    project.user_settings(&json!({ "permissions": { "allow": ["WebFetch(domain:127.0.0.1)"] } }));
    let script = Scenario::new()
        .tool("WebFetch", fetch(&format!("{url}/away")))
        .answer()
        .tool("WebFetch", fetch("http://169.254.169.254/latest/meta-data"))
        .answer()
        .text("ok");
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let calls = stage.client.ask(&stage.session, "go").await.calls();
    assert!(calls[0].text.contains("redirects to another host (302): https://example.com/new"));
    assert_eq!(calls[1].status, ToolStatus::Denied, "{calls:?}");
    assert_eq!(stage.model.requests().len(), 3, "no page was read by anybody");
}
