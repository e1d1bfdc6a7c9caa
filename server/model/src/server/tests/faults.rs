//! `fixtures/model/faults.toml`, one by one: what the client makes of each, and that the next
//! request is answered as if nothing had happened.

use super::*;

const FAULTS: &str = include_str!("../../../../../fixtures/model/faults.toml");

async fn faulty() -> (TestServer, Provider) {
    let server = server(Scenario::parse(FAULTS).unwrap()).await;
    let provider = anthropic(server.url(), "k");
    (server, provider)
}

/// A client that has no patience in one way, and all in the others.
fn impatient(server: &TestServer, variable: &str) -> Provider {
    let env = Env::from([
        ("ANTHROPIC_BASE_URL", server.url()),
        ("ANTHROPIC_API_KEY", "k"),
        (variable, "200"),
    ]);
    provider_for(&env, None).unwrap().0
}

async fn goes_on(provider: &Provider) {
    let (events, error) = ask(provider, prompt("go on")).await;
    assert_eq!((text_of(&events).as_str(), error), ("All is well.", None));
}

#[tokio::test]
async fn every_fault_is_named_and_none_lasts() {
    use ModelErrorKind as Kind;
    let (_server, provider) = faulty().await;
    for (word, kind, words) in [
        ("limited-0", Kind::RateLimited, "wait 0 s"),
        ("limited-hour", Kind::RateLimited, "wait 3600 s"),
        ("limited-date", Kind::RateLimited, "wait 60 s"),
        ("limited-plain", Kind::RateLimited, "slow down"),
        ("spend-cap", Kind::SpendLimit, "monthly spend limit"),
        ("gateway-502", Kind::Server, "`Bad gateway`"),
        ("timeout-504", Kind::Server, "too slow"),
        ("portal", Kind::Network, "`Welcome to the Wi-Fi`"),
        ("too-large", Kind::RequestTooLarge, "larger than"),
        ("too-long", Kind::PromptTooLong, "210000"),
        ("bad-image", Kind::MediaTooLarge, "image exceeds 5 MB"),
        ("cut-off", Kind::BrokenStream, "broke off"),
        ("cut-connection", Kind::BrokenStream, "broke off"),
        ("error-after-text", Kind::Overloaded, "overloaded"),
        ("error-after-call", Kind::Server, "oops"),
        ("surrogate", Kind::BrokenStream, "broke off"),
        ("goes-away", Kind::Network, "before it answered"),
    ] {
        let error = fails(&provider, word).await;
        assert_eq!(error.kind, kind, "{word}: {error}");
        assert!(error.message.contains(words), "{word}: {error}");
        goes_on(&provider).await;
    }
}

#[tokio::test]
async fn each_patience_ends_by_itself() {
    let (server, provider) = faulty().await;
    for (word, variable, words) in [
        ("no-head", "BOWLINE_FIRST_BYTE_TIMEOUT_MS", "said nothing for 200 ms"),
        ("black-hole", "BOWLINE_STREAM_IDLE_TIMEOUT_MS", "said nothing for 200 ms"),
        ("drip", "BOWLINE_STREAM_IDLE_TIMEOUT_MS", "said nothing for 200 ms"),
        ("only-pings", "BOWLINE_STREAM_PING_TIMEOUT_MS", "kept the connection for 200 ms"),
        ("only-pings", "BOWLINE_REQUEST_TIMEOUT_MS", "not complete after 200 ms"),
    ] {
        let error = fails(&impatient(&server, variable), word).await;
        assert_eq!(error.kind, ModelErrorKind::TimedOut, "{word}: {error}");
        assert!(error.message.contains(words), "{word}: {error}");
        goes_on(&provider).await;
    }
}

#[tokio::test]
async fn what_was_said_before_the_fault_is_kept() {
    let (_server, provider) = faulty().await;
    let said = async |word: &str| text_of(&ask(&provider, prompt(word)).await.0);
    assert_eq!(said("error-after-text").await, "so far");
    assert_eq!(said("surrogate").await, "\u{FFFD}");
    assert!(said("cut-off").await.starts_with("some words"));
    let (events, _) = ask(&provider, prompt("error-after-call")).await;
    assert!(events.contains(&E::BlockEnded { index: 0 }), "the call was complete");
}

#[tokio::test]
async fn three_overloads_and_then_an_answer() {
    let (server, provider) = faulty().await;
    for _ in 0..3 {
        assert_eq!(fails(&provider, "overloaded").await.kind, ModelErrorKind::Overloaded);
    }
    assert_eq!(text_of(&ask(&provider, prompt("overloaded")).await.0), "There you are.");
    assert_eq!(server.requests().len(), 4, "nobody but the turn asks again");
}

/// Strange answers that are no errors of the wire: the turn has to cope.
#[tokio::test]
async fn strange_answers_arrive_as_they_are() {
    let (_server, provider) = faulty().await;
    let ask = async |word: &str| {
        let (events, error) = ask(&provider, prompt(word)).await;
        assert_eq!(error, None, "{word}");
        events
    };
    let input = |events: &[E]| -> String {
        let deltas = events.iter().filter_map(|event| match event {
            E::InputDelta { json, .. } => Some(json.as_str()),
            _ => None,
        });
        deltas.collect()
    };
    assert_eq!(input(&ask("bad-json").await), r#"{"file_path": "/w/a", oops"#);
    let full = ask("full-in-call").await;
    assert_eq!(full.last(), Some(&E::Stopped { reason: StopReason::MaxTokens }));
    assert_eq!(input(&full), r#"{"file_path": "/w/a.t"#);
    let same = ask("twice-the-same").await;
    let ids = same
        .iter()
        .filter(|event| matches!(event, E::ToolStarted { id, .. } if id == "toolu_same"));
    assert_eq!(ids.count(), 2);
    assert_eq!(ask("wrong-types").await.last(), Some(&E::Stopped { reason: StopReason::ToolUse }));
    assert_eq!(ask("empty").await.len(), 3, "a beginning, a count and an end");
    assert_eq!(text_of(&ask("blank").await), " \n");
    for word in ["no-content-type", "renamed"] {
        assert_eq!(text_of(&ask(word).await), "still a stream");
    }
}

#[tokio::test]
async fn advice_for_the_turn_comes_with_the_error() {
    let (_server, provider) = faulty().await;
    assert_eq!(fails(&provider, "limited-hour").await.retry_after_ms, Some(3_600_000));
    assert_eq!(fails(&provider, "limited-date").await.retry_after_ms, Some(60_000));
    assert_eq!(fails(&provider, "limited-plain").await.retry_after_ms, None);
    assert_eq!(fails(&provider, "spend-cap").await.may_retry, Some(false));
    assert_eq!(fails(&provider, "too-long").await.too_long_by, Some(10_000));
}

/// What the provider's own tools leave in an answer goes back to the byte.
#[tokio::test]
async fn blocks_of_the_providers_tools_are_replayed_as_they_came() {
    let (server, provider) = faulty().await;
    let (events, error) = ask(&provider, prompt("search")).await;
    assert_eq!(error, None);
    let opaque: Vec<_> = events
        .iter()
        .filter_map(|event| match event {
            E::Opaque { block, .. } => Some(block.clone()),
            _ => None,
        })
        .collect();
    assert_eq!(opaque.len(), 2);
    let usage = events.iter().rev().find_map(|event| match event {
        E::Usage(usage) => Some(*usage),
        _ => None,
    });
    let usage = usage.unwrap();
    assert_eq!((usage.cache_creation_1h_tokens, usage.web_search_requests), (30, 1));
    let mut content: Vec<Block> = opaque.iter().cloned().map(Block::Other).collect();
    content.push(Block::text("Crabs have ten legs."));
    let history = [
        Message::user(vec![Block::text("search")]),
        Message::assistant(content),
        Message::user(vec![Block::text("go on")]),
    ];
    assert_eq!(ask(&provider, request(&history)).await.1, None);
    let sent = server.requests().pop().unwrap().body;
    for (at, block) in opaque.iter().enumerate() {
        assert_eq!(sent["messages"][1]["content"][at].to_string(), block.to_string());
    }
}

#[tokio::test]
async fn tokens_are_counted_by_who_can() {
    let (server, provider) = faulty().await;
    assert_eq!(provider.count_tokens(&prompt("how long is this?")).await, Some(4321));
    assert_eq!(server.requests()[0].path, "/v1/messages/count_tokens");
    assert_eq!(openai(server.url(), "k").count_tokens(&prompt("x")).await, None);
    assert_eq!(anthropic(server.url(), "wrong").count_tokens(&prompt("x")).await, None);
    assert_eq!(Provider::rehearsal().count_tokens(&prompt("x")).await, None);
}
