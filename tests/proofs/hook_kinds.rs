//! Every kind of hook, by what it is and what it says: an address, a question to a model, an agent, a
//! callback of the program that started us.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use host::session::{HookHost, HostedCall, HostedHooks, HostedMatcher, Limits};
use kit::{Profile, Project, Server, Stage, model, model_with};
use model::Scenario;
use protocol::event::StopReason;
use protocol::mcp::McpStatus;
use protocol::session::{Mode, SessionNewParams};
use protocol::tool::ToolStatus;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::hooks::{FILES, noticed, on, prints, specific};
use crate::mcp_sessions;

fn touch() -> Scenario {
    Scenario::new().tool("Bash", json!({ "command": "touch made" })).answer().text("ok")
}

async fn stage(settings: Value, script: Scenario) -> Stage {
    let project = Project::new(FILES);
    let mut settings = settings;
    settings["permissions"] = json!({ "allow": ["Bash(touch *)"] });
    project.user_settings(&settings);
    Stage::set(project, script, Mode::Default).await
}

/// A server that answers every request like this; what it got is kept.
pub async fn answering(status: &str, body: &str) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let got: Arc<Mutex<Vec<String>>> = Arc::default();
    let (kept, answer) = (
        got.clone(),
        format!(
            "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
         Connection: close\r\n\r\n{body}",
            body.len()
        ),
    );
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            let mut piece = [0; 4096];
            loop {
                let read = stream.read(&mut piece).await.unwrap_or(0);
                bytes.extend_from_slice(&piece[..read]);
                let text = String::from_utf8_lossy(&bytes).into_owned();
                if let Some((head, body)) = text.split_once("\r\n\r\n") {
                    let length = head.lines().find_map(|line| {
                        line.to_ascii_lowercase()
                            .strip_prefix("content-length:")?
                            .trim()
                            .parse()
                            .ok()
                    });
                    if read == 0 || body.len() >= length.unwrap_or(0) {
                        break;
                    }
                }
                if read == 0 {
                    break;
                }
            }
            kept.lock().unwrap().push(String::from_utf8_lossy(&bytes).into_owned());
            let _ = stream.write_all(answer.as_bytes()).await;
        }
    });
    (url, got)
}

fn http(event: &str, url: &str) -> Value {
    json!({ event: [{ "hooks": [{
        "type": "http", "url": url,
        "headers": { "X-Ship": "$SHIP", "X-Secret": "$SECRET" }, "allowedEnvVars": ["SHIP"],
    }]}]})
}

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_told_and_answers() {
    let deny = specific(
        "PreToolUse",
        json!({ "permissionDecision": "deny", "permissionDecisionReason": "not that one" }),
    );
    for (status, body, expect, words) in [
        ("200 OK", String::new(), ToolStatus::Completed, ""),
        ("200 OK", deny.to_string(), ToolStatus::Denied, "not that one"),
        ("204 No Content", String::new(), ToolStatus::Completed, ""),
        // A guard that fails says no.
        ("500 Oops", String::new(), ToolStatus::Denied, "the status 500"),
        ("302 Found", String::new(), ToolStatus::Denied, "the status 302"),
        ("200 OK", "yes".to_owned(), ToolStatus::Denied, "something else than a JSON object"),
        ("200 OK", "{ broken".to_owned(), ToolStatus::Denied, "cannot be understood"),
    ] {
        let (url, got) = answering(status, &body).await;
        let mut stage = stage(json!({ "hooks": http("PreToolUse", &url) }), touch()).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        assert_eq!(turned.call().status, expect, "{status} {body}: {:?}", turned.call());
        assert!(turned.call().text.contains(words), "{status} {body}: {:?}", turned.call());
        let got = got.lock().unwrap().clone();
        assert!(got[0].starts_with("POST /hook"), "{got:?}");
        assert!(got[0].contains("\"tool_name\":\"Bash\""), "{got:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_of_addresses_hold() {
    let (url, got) = answering("200 OK", "").await;
    let settings = json!({
        "hooks": http("PostToolUse", &url),
        "allowedHttpHookUrls": ["https://hooks.test/*"],
    });
    let mut stage = stage(settings, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Completed);
    noticed(&mut stage, &turned, "allowedHttpHookUrls").await;
    assert!(got.lock().unwrap().is_empty(), "nothing was sent");
}

#[tokio::test(flavor = "multi_thread")]
async fn headers_have_only_what_may_be_sent() {
    let (url, got) = answering("200 OK", "").await;
    let project = Project::new(FILES);
    project.user_settings(&json!({
        "hooks": http("UserPromptSubmit", &url), "permissions": { "allow": [] },
    }));
    let model = model(Scenario::new().text("aye")).await;
    let env = model_with(&model)
        .into_iter()
        .chain([("SHIP", "Argo".to_owned()), ("SECRET", "do-not-tell".to_owned())]);
    let server = Server::start_with(&project, env, Limits::default());
    let mut client = server.connect(Profile::VS_CODE).await;
    let session = client.session_with(SessionNewParams::default()).await;
    client.ask(&session, "go").await;
    let got = got.lock().unwrap().clone();
    let head = got[0].to_ascii_lowercase();
    assert!(head.contains("x-ship: argo"), "{head}");
    assert!(!head.contains("do-not-tell"), "{head}");
}

/// Only the question to the one who judges says this.
const JUDGE: &str = "Were the sails mended?";

#[tokio::test(flavor = "multi_thread")]
async fn a_model_says_whether_the_work_is_done() {
    let hook = json!({ "type": "prompt", "prompt": "Were the sails mended? $ARGUMENTS" });
    let settings = json!({ "hooks": { "Stop": [{ "hooks": [hook] }] } });
    let no = json!({ "ok": false, "reason": "the jib is torn" }).to_string();
    let script = Scenario::new()
        .text("done")
        .answer()
        .when(JUDGE)
        .text(&no)
        .answer()
        .when("the jib is torn")
        .text("mended")
        .answer()
        .when(JUDGE)
        .text("{\"ok\": true}");
    let mut stage = stage(settings, script).await;
    let turned = stage.client.ask(&stage.session, "mend the sails").await;
    assert_eq!(turned.ended.stop_reason, StopReason::EndTurn);
    assert!(turned.text().contains("mended"), "{}", turned.text());
    let asked = stage.model.requests()[1].body.to_string();
    assert!(asked.contains("Were the sails mended?"), "{asked}");
    assert!(asked.contains("last_assistant_message"), "{asked}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_answer_is_a_guard_that_fails() {
    let hook = json!({ "type": "prompt", "prompt": JUDGE });
    let settings = json!({ "hooks": { "PreToolUse": [{ "hooks": [hook] }] } });
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .when(JUDGE)
        .text("perhaps")
        .answer()
        .text("ok");
    let mut stage = stage(settings, script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied);
    assert!(turned.call().text.contains("did not answer with a verdict"), "{:?}", turned.call());
    assert!(!stage.project.exists("made"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_looks_for_itself() {
    let hook = json!({ "type": "agent", "prompt": "Is the word in a.txt old?" });
    let settings = json!({ "hooks": { "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] } });
    let script = Scenario::new()
        .tool("Bash", json!({ "command": "touch made" }))
        .answer()
        .when("Is the word in a.txt old?")
        .tool("Read", json!({ "file_path": "{{cwd}}/a.txt" }))
        .answer()
        .text("I read it. {\"ok\": false, \"reason\": \"it says old\"}")
        .answer()
        .text("ok");
    let mut stage = stage(settings, script).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    let bash = turned.calls().into_iter().find(|call| call.name == "Bash").unwrap();
    assert_eq!(bash.status, ToolStatus::Denied, "{bash:?}");
    assert!(bash.text.contains("it says old"), "{bash:?}");
    assert!(!stage.project.exists("made"));
}

/// A program that started us, and keeps its hooks itself.
struct Host {
    matchers: Vec<HostedMatcher>,
    answer: Option<Value>,
    asked: Mutex<Vec<HostedCall>>,
}

impl HookHost for Host {
    fn registered(&self) -> Vec<HostedMatcher> {
        self.matchers.clone()
    }

    fn call(&self, call: HostedCall) -> BoxFuture<'static, Result<Value, String>> {
        self.asked.lock().unwrap().push(call);
        match self.answer.clone() {
            Some(answer) => std::future::ready(Ok(answer)).boxed(),
            None => std::future::pending().boxed(),
        }
    }
}

fn hosted(event: &str, failure_blocks: Option<bool>, answer: Option<Value>) -> Arc<Host> {
    let matcher = HostedMatcher {
        event: event.to_owned(),
        matcher: Some("Bash".to_owned()),
        callbacks: vec!["hook_0".to_owned()],
        timeout: Some(Duration::from_millis(200)),
        failure_blocks,
    };
    Arc::new(Host { matchers: vec![matcher], answer, asked: Mutex::default() })
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_of_the_host_are_hooks_like_any_other() {
    let deny = specific(
        "PreToolUse",
        json!({ "permissionDecision": "deny", "permissionDecisionReason": "says the host" }),
    );
    for (blocks, answer, expect, words) in [
        (None, Some(json!({})), ToolStatus::Completed, ""),
        (None, Some(deny), ToolStatus::Denied, "says the host"),
        (None, Some(json!([1])), ToolStatus::Denied, "something else than a JSON object"),
        // Late: a guard that fails says no, unless it is wanted otherwise.
        (None, None, ToolStatus::Denied, "in time"),
        (Some(true), None, ToolStatus::Denied, "in time"),
        (Some(false), None, ToolStatus::Completed, ""),
    ] {
        let project = Project::new(FILES);
        project.user_settings(&json!({ "permissions": { "allow": ["Bash(touch *)"] } }));
        let host = hosted("PreToolUse", blocks, answer.clone());
        let model = model(touch()).await;
        let hooks = Some(HostedHooks(host.clone()));
        let limits = Limits { hooks, ..Limits::default() };
        let server = Server::start_with(&project, model_with(&model), limits);
        let mut client = server.connect(Profile::VS_CODE).await;
        let session = client.session_with(SessionNewParams::default()).await;
        let turned = client.ask(&session, "go").await;
        assert_eq!(turned.call().status, expect, "{answer:?} {:?}", turned.call());
        assert!(turned.call().text.contains(words), "{answer:?} {:?}", turned.call());
        let asked = host.asked.lock().unwrap().clone();
        assert_eq!(asked[0].callback, "hook_0");
        assert_eq!(asked[0].input["tool_input"]["command"], "touch made");
        assert_eq!(asked[0].input["hook_event_name"], "PreToolUse");
        assert!(asked[0].tool_use_id.is_some());
    }
}

/// A stage with the server `notes`, and these hooks.
async fn with_server(hooks: Value, script: Scenario) -> Stage {
    let project = Project::new(FILES);
    let servers = json!({ "notes": mcp_sessions::server(&project, "") });
    let allow = json!(["Bash(touch *)", "mcp__notes"]);
    project.user_settings(&json!({
        "hooks": hooks, "mcpServers": servers, "permissions": { "allow": allow },
    }));
    let mut stage = Stage::set(project, script, Mode::Default).await;
    let status = McpStatus::Connected;
    mcp_sessions::stands(&mut stage.client, &stage.session, "notes", status).await;
    stage
}

#[tokio::test(flavor = "multi_thread")]
async fn a_tool_of_a_server_is_asked() {
    let says = specific(
        "PreToolUse",
        json!({
            "permissionDecision": "deny",
            "permissionDecisionReason": "the notes say no to ${tool_input.command}",
        }),
    );
    let hook = json!({
        "type": "mcp_tool", "server": "notes", "tool": "echo", "input": { "text": says.to_string() },
    });
    let hooks = json!({ "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] });
    let mut stage = with_server(hooks, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied, "{:?}", turned.call());
    assert!(turned.call().text.contains("the notes say no to touch made"), "{:?}", turned.call());
    assert!(!stage.project.exists("made"));
    // One that is not there is a guard that fails.
    let hook = json!({ "type": "mcp_tool", "server": "notes", "tool": "none" });
    let hooks = json!({ "PreToolUse": [{ "matcher": "Bash", "hooks": [hook] }] });
    let mut stage = with_server(hooks, touch()).await;
    let turned = stage.client.ask(&stage.session, "go").await;
    assert_eq!(turned.call().status, ToolStatus::Denied, "{:?}", turned.call());
    assert!(turned.call().text.contains("could not call its tool"), "{:?}", turned.call());
}

/// What a server wants to know is answered in the user's place, or turned down.
#[tokio::test(flavor = "multi_thread")]
async fn a_hook_answers_a_server() {
    let script = || Scenario::new().tool("mcp__notes__form", json!({})).answer().text("ok");
    let filled = json!({ "action": "accept", "content": { "age": 7 } });
    let too_young = json!({ "action": "accept", "content": { "age": 0 } });
    let said = json!({ "action": "accept", "content": { "age": 7, "name": "Ann" } });
    let no = json!({ "action": "decline" });
    for (command, expect) in [
        (prints(&specific("Elicitation", filled)), said),
        (prints(&specific("Elicitation", no.clone())), no.clone()),
        ("exit 2".to_owned(), no),
    ] {
        let command =
            format!("cat > told-Elicitation; {}", command.replace("cat > /dev/null; ", ""));
        let mut stage = with_server(on("Elicitation", &command), script()).await;
        let turned = stage.client.ask(&stage.session, "go").await;
        let answer: Value = serde_json::from_str(&turned.call().text).unwrap();
        assert_eq!(answer, expect, "{command}");
        let told: Value = serde_json::from_str(&stage.project.read("told-Elicitation")).unwrap();
        assert_eq!((&told["mcp_server_name"], &told["mode"]), (&json!("notes"), &json!("form")));
        assert_eq!(told["requested_schema"]["properties"]["age"]["type"], "integer");
    }
    // What does not fit the form is no answer: the user is asked, and another hook sees what is said.
    let hooks = json!({
        "Elicitation": on("Elicitation", &prints(&specific("Elicitation", too_young)))["Elicitation"],
        "ElicitationResult": on("ElicitationResult", "cat > told-result")["ElicitationResult"],
    });
    let mut stage = with_server(hooks, script()).await;
    stage.client.prompt(&stage.session, "go").await;
    let (asked, _) = stage.client.expect_request::<protocol::ask::Ask>().await;
    stage.client.answer(asked, json!({ "action": "accept", "content": { "age": 9 } }));
    stage.client.turn_ended(&stage.session).await;
    let told: Value = serde_json::from_str(&stage.project.read("told-result")).unwrap();
    assert_eq!((&told["action"], &told["content"]["age"]), (&json!("accept"), &json!(9)));
}
