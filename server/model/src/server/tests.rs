//! Both providers against this server, over real sockets.

mod faults;
mod keys;
mod proxies;

use agent::{
    Block, Message, ModelError, ModelErrorKind, ModelRequest, Piece, ResultPart, StopReason,
    StreamEvent as E, Thinking, Usage,
};
use futures::StreamExt;
use serde_json::json;

use super::*;
use crate::env::Env;
use crate::provider::{Provider, provider_for};

fn request(messages: &[Message]) -> ModelRequest {
    let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
    let tools: Vec<_> = ["Read", "Edit", "Bash"].map(tool).to_vec();
    ModelRequest {
        model: "claude-sonnet-5-5".to_owned(),
        max_tokens: 1000,
        system: json!([{"type": "text", "text": "Hi.\nWorking directory: /w"}]).to_string().into(),
        tools: json!(tools).to_string().into(),
        messages: messages.iter().map(|message| Piece::new(message).unwrap()).collect(),
        thinking: Thinking::Default,
        effort: None,
        format: None,
        clear_above: None,
        session: "s".to_owned(),
    }
}

fn prompt(text: &str) -> ModelRequest {
    request(&[Message::user(vec![Block::text(text)])])
}

fn anthropic(url: &str, key: &str) -> Provider {
    let env = Env::from([("ANTHROPIC_BASE_URL", url), ("ANTHROPIC_API_KEY", key)]);
    provider_for(&env, None).unwrap().0
}

fn openai(url: &str, key: &str) -> Provider {
    let env = Env::from([("OPENAI_BASE_URL", url), ("OPENAI_API_KEY", key)]);
    provider_for(&env, Some("openai:m")).unwrap().0
}

fn both(url: &str) -> [Provider; 2] {
    [anthropic(url, "k"), openai(url, "k")]
}

async fn server(scenario: Scenario) -> TestServer {
    TestServer::spawn(Brain::Scenario(scenario)).await.unwrap()
}

/// All events, and the error if one ended them.
async fn ask(provider: &Provider, request: ModelRequest) -> (Vec<E>, Option<ModelError>) {
    let mut events = Vec::new();
    let mut stream = provider.stream(request);
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert_eq!(stream.next().await, None, "an error is the end");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

async fn fails(provider: &Provider, text: &str) -> ModelError {
    ask(provider, prompt(text)).await.1.unwrap_or_else(|| panic!("{text}: no error"))
}

fn text_of(events: &[E]) -> String {
    let texts = events.iter().filter_map(|event| match event {
        E::TextDelta { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

#[tokio::test]
async fn text_thinking_and_parallel_calls_arrive_whole() {
    let usage = Usage { input_tokens: 7, output_tokens: 9, ..Usage::default() };
    let scenario = Scenario::new()
        .forever()
        .usage(usage)
        .thinking("hm", "sig")
        .long_text("grüße", 3, 2)
        .tool("Read", json!({"file_path": "{{cwd}}/a"}))
        .tool("Bash", json!({"command": "ls"}));
    let server = server(scenario).await;
    for provider in both(server.url()) {
        let (events, error) = ask(&provider, prompt("hi")).await;
        assert_eq!(error, None);
        let is_anthropic = provider.name() == "anthropic";
        let signed = E::Signature { index: 0, signature: "sig".to_owned() };
        assert_eq!(events.contains(&signed), is_anthropic);
        assert!(events.contains(&E::ThinkingDelta { index: 0, text: "hm".to_owned() }));
        assert_eq!(text_of(&events), "grüßegrüße");
        let deltas = events.iter().filter(|event| matches!(event, E::TextDelta { .. })).count();
        assert_eq!(deltas, 6);
        let (id, name) = ("toolu_scenario_2".to_owned(), "Bash".to_owned());
        assert!(events.contains(&E::ToolStarted { index: 3, id, name }));
        let input: String = events
            .iter()
            .filter_map(|event| match event {
                E::InputDelta { index: 2, json } => Some(json.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(input, r#"{"file_path":"/w/a"}"#);
        let ends = events.iter().filter(|event| matches!(event, E::BlockEnded { .. })).count();
        assert_eq!(ends, 4);
        assert!(events.contains(&E::Usage(usage)));
        assert_eq!(events.last(), Some(&E::Stopped { reason: StopReason::ToolUse }));
    }
}

#[tokio::test]
async fn a_request_carries_what_the_api_wants() {
    let server = server(Scenario::new().forever().text("ok")).await;
    let (_, error) = ask(&anthropic(server.url(), "k1"), prompt("hi")).await;
    assert_eq!(error, None);
    let token = Env::from([("ANTHROPIC_BASE_URL", server.url()), ("ANTHROPIC_AUTH_TOKEN", "t")]);
    ask(&provider_for(&token, None).unwrap().0, prompt("hi")).await;
    let requests = server.requests();
    assert_eq!(requests[0].path, "/v1/messages");
    let header = |at: usize, name: &str| requests[at].headers.get(name).map(String::as_str);
    assert_eq!(header(0, "x-api-key"), Some("k1"));
    assert_eq!(header(0, "anthropic-version"), Some("2023-06-01"));
    assert_eq!(header(0, "content-type"), Some("application/json"));
    assert_eq!(header(1, "authorization"), Some("Bearer t"));
    assert_eq!(header(1, "x-api-key"), None);
    assert_eq!(requests[0].body["stream"], true);
    assert_eq!(requests[0].body["system"][0]["cache_control"]["type"], "ephemeral");
}

#[tokio::test]
async fn refusals_become_sentences() {
    use ModelErrorKind as Kind;
    let scenario = Scenario::new()
        .when("rate")
        .refuse(429, &error_body("rate_limit_error", "slow"), &[("retry-after", "3")])
        .forever()
        .answer()
        .when("busy")
        .error(529, "overloaded_error", "Overloaded")
        .forever()
        .answer()
        .when("broken")
        .error(500, "api_error", "Internal")
        .forever()
        .answer()
        .when("long")
        .error(400, "invalid_request_error", "prompt is too long: 9 > 8")
        .forever()
        .answer()
        .when("large")
        .error(413, "request_too_large", "too large")
        .forever()
        .answer()
        .when("money")
        .error(402, "billing_error", "no credit")
        .forever()
        .answer()
        .when("page")
        .refuse(502, "<html>Bad Gateway</html>", &[])
        .forever()
        .answer()
        .when("once")
        .text("only once");
    let server = server(scenario).await;
    for provider in both(server.url()) {
        for (words, kind, status) in [
            ("rate", Kind::RateLimited, 429),
            ("busy", Kind::Overloaded, 529),
            ("broken", Kind::Server, 500),
            ("long", Kind::PromptTooLong, 400),
            ("large", Kind::RequestTooLarge, 413),
            ("money", Kind::SpendLimit, 402),
            ("page", Kind::Server, 502),
            ("nothing left", Kind::Server, 500),
        ] {
            let error = fails(&provider, words).await;
            assert_eq!((error.kind, error.status), (kind, Some(status)), "{words}: {error}");
            assert_eq!(error.retry_after_ms, (words == "rate").then_some(3000));
            assert_eq!(error.request_id.as_deref(), Some("req_loopback"));
            assert!(!error.message.contains('\n'), "{error}");
        }
    }
    let error = fails(&anthropic(server.url(), "wrong"), "hi").await;
    assert_eq!(error.kind, Kind::Authentication);
    assert!(error.message.contains("ANTHROPIC_API_KEY"), "{error}");
    let error = fails(&openai(server.url(), "wrong"), "hi").await;
    assert!(error.message.contains("OPENAI_API_KEY"), "{error}");
    for provider in both(server.url()) {
        let unknown = ModelRequest { model: "no-such-model".to_owned(), ..prompt("hi") };
        let error = ask(&provider, unknown).await.1.unwrap();
        assert_eq!(error.kind, Kind::UnknownModel, "{error}");
        assert!(error.message.contains("`no-such-model`"), "{error}");
    }
}

#[tokio::test]
async fn our_own_mistakes_are_caught() {
    let server = server(Scenario::new().forever().text("ok")).await;
    let call = Block::ToolUse { id: "a".into(), name: "Read".into(), input: json!({}) };
    let unanswered = [Message::user(vec![Block::text("x")]), Message::assistant(vec![call])];
    for provider in both(server.url()) {
        let error = ask(&provider, request(&unanswered)).await.1.unwrap();
        assert_eq!(error.kind, ModelErrorKind::InvalidRequest, "{error}");
    }
}

#[tokio::test]
async fn broken_answers_keep_what_came_and_say_why() {
    use ModelErrorKind as Kind;
    let start = "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\"}}\n\n";
    let scenario = Scenario::new()
        .when("reset")
        .text("so far")
        .reset()
        .forever()
        .answer()
        .when("truncate")
        .text("so far")
        .truncate()
        .forever()
        .answer()
        .when("event")
        .text("so far")
        .error_event("overloaded_error", "busy")
        .forever()
        .answer()
        .when("letters")
        .raw(b"data: \xFF\xFE\n\n".as_slice())
        .forever()
        .answer()
        .when("json")
        .raw("data: {oops\n\n")
        .forever()
        .answer()
        .when("empty")
        .raw("")
        .forever()
        .answer()
        .when("ping")
        .raw(format!("{start}: ping\n\n"))
        .forever();
    let server = server(scenario).await;
    for provider in both(server.url()) {
        for (words, kind, said) in [
            ("reset", Kind::BrokenStream, "so far"),
            ("truncate", Kind::BrokenStream, "so far"),
            ("event", Kind::Overloaded, "so far"),
            ("letters", Kind::BrokenStream, ""),
            ("json", Kind::BrokenStream, ""),
            ("empty", Kind::BrokenStream, ""),
            ("ping", Kind::BrokenStream, ""),
        ] {
            let (events, error) = ask(&provider, prompt(words)).await;
            let error = error.unwrap_or_else(|| panic!("{words}: no error"));
            assert_eq!(error.kind, kind, "{words}: {error}");
            assert_eq!(text_of(&events), said, "{words}");
            assert!(!events.iter().any(|event| matches!(event, E::Stopped { .. })));
        }
    }
}

#[tokio::test]
async fn dropping_the_stream_closes_the_request() {
    let server = server(Scenario::new().forever().text("one").hang()).await;
    for (number, provider) in both(server.url()).into_iter().enumerate() {
        let mut stream = provider.stream(prompt("hi"));
        loop {
            if let Some(Ok(E::TextDelta { .. })) = stream.next().await {
                break;
            }
        }
        drop(stream);
        server.hung_up(number + 1).await;
    }
}

#[tokio::test]
async fn a_finished_answer_leaves_its_connection_for_the_next() {
    let server = server(Scenario::new().forever().text("ok")).await;
    let provider = anthropic(server.url(), "k");
    for _ in 0..5 {
        assert_eq!(ask(&provider, prompt("hi")).await.1, None);
    }
    // The second request may overtake the end of the first answer; the others never do.
    assert!(server.connections() <= 2, "{}", server.connections());
}

#[tokio::test]
async fn no_network_is_said_with_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    for provider in both(&format!("http://{address}")) {
        let error = fails(&provider, "hi").await;
        assert_eq!(error.kind, ModelErrorKind::Network);
        assert!(error.message.contains(&address.to_string()), "{error}");
        assert!(error.message.contains("Nothing listens"), "{error}");
    }
    let error = fails(&anthropic("http://no-such-host.invalid", "k"), "hi").await;
    assert_eq!(error.kind, ModelErrorKind::Network);
    assert!(error.message.contains("no-such-host.invalid"), "{error}");
}

/// A whole turn in process and over both wires: the brain must not be able to tell.
#[tokio::test]
async fn rehearsal_is_the_same_over_every_wire() {
    let server = TestServer::spawn(Brain::Rehearsal).await.unwrap();
    let call = |id: &str| Block::ToolUse {
        id: id.to_owned(),
        name: "Read".to_owned(),
        input: json!({"file_path": "/w/a"}),
    };
    let result = |id: &str, text: &str, is_error| Block::ToolResult {
        tool_use_id: id.to_owned(),
        content: vec![ResultPart::Text { text: text.to_owned() }],
        is_error,
    };
    let asked = Message::user(vec![Block::text("replace \"x\" with \"y\" in a")]);
    let read = Message::assistant(vec![Block::text("I read."), call("toolu_rehearsal_1")]);
    let conversations = [
        vec![Message::user(vec![Block::text("help")])],
        vec![asked.clone()],
        vec![
            asked.clone(),
            read.clone(),
            Message::user(vec![result("toolu_rehearsal_1", "     1\tx", false)]),
        ],
        vec![asked, read, Message::user(vec![result("toolu_rehearsal_1", "No file.", true)])],
    ];
    // Token counts are of each wire's own bytes.
    let without_counts = |events: Vec<E>| -> Vec<E> {
        let told = events.into_iter().filter(|event| !matches!(event, E::Usage(_)));
        told.map(|event| match event {
            E::Started { .. } => E::Started { model: String::new(), usage: Usage::default() },
            other => other,
        })
        .collect()
    };
    for conversation in conversations {
        let (expected, error) = ask(&Provider::rehearsal(), request(&conversation)).await;
        assert_eq!(error, None);
        let expected = without_counts(expected);
        for provider in both(server.url()) {
            let (events, error) = ask(&provider, request(&conversation)).await;
            assert_eq!(error, None);
            let texts = text_of(&events);
            let events = without_counts(events);
            assert_eq!(events, expected, "{}: {texts}", provider.name());
        }
    }
}

#[tokio::test]
async fn plain_answers_models_and_counts() {
    let scenario = Scenario::new().forever().text("hi").tool("Read", json!({"a": 1}));
    let server = server(scenario).await;
    let client = reqwest::Client::builder().no_proxy();
    let client = client.tls_certs_only([]).build().unwrap();
    let post = |path: &str, body: serde_json::Value| {
        let request = client.post(format!("{}{path}", server.url())).body(body.to_string());
        async move {
            let text = request.send().await.unwrap().text().await.unwrap();
            serde_json::from_str::<serde_json::Value>(&text).unwrap()
        }
    };
    let body =
        json!({"model": "m", "max_tokens": 5, "messages": [{"role": "user", "content": "x"}]});
    let whole = post("/v1/messages", body.clone()).await;
    assert_eq!(whole["content"][0], json!({"type": "text", "text": "hi"}));
    assert_eq!(whole["content"][1]["input"], json!({"a": 1}));
    assert_eq!(whole["stop_reason"], "tool_use");
    let whole = post("/v1/chat/completions", body.clone()).await;
    assert_eq!(
        whole["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"],
        "{\"a\":1}"
    );
    assert_eq!(whole["choices"][0]["finish_reason"], "tool_calls");
    let counted = post("/v1/messages/count_tokens", body.clone()).await;
    assert!(counted["input_tokens"].as_u64().unwrap() > 1);
    assert_eq!(post("/v1/nothing", body).await["error"]["type"], "not_found_error");
    let models = client.get(format!("{}/v1/models", server.url())).send().await.unwrap();
    let models: serde_json::Value = serde_json::from_str(&models.text().await.unwrap()).unwrap();
    assert!(models["data"].as_array().unwrap().iter().any(|model| model["id"] == "rehearsal"));
}

#[tokio::test]
async fn other_machines_are_not_served() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let error = serve(listener, Brain::Rehearsal, std::future::pending()).await.unwrap_err();
    assert!(error.to_string().contains("this machine only"));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    serve(listener, Brain::Rehearsal, std::future::ready(())).await.unwrap();
}
