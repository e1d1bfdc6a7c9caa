//! One request after another, and what is said about each.

use super::*;
use crate::message::{Block, Message};
use crate::request::Piece;

fn request(messages: &[&str]) -> ModelRequest {
    let piece = |text: &&str| Piece::new(&Message::user(vec![Block::text(*text)])).unwrap();
    ModelRequest {
        model: "claude-sonnet-5-5".to_owned(),
        max_tokens: 1,
        system: "[]".into(),
        tools: r#"[{"name":"Read","d":1},{"name":"Edit"}]"#.into(),
        messages: messages.iter().map(piece).collect(),
        thinking: Thinking::Default,
        effort: None,
        format: None,
        clear_above: None,
        session: String::new(),
    }
}

fn usage(read: u64, written: u64) -> Usage {
    Usage {
        input_tokens: 3,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: written,
        ..Usage::default()
    }
}

/// After a request with two messages and 50,000 cached tokens, another one a minute later.
fn second(now: &ModelRequest, read: u64, after_s: u64) -> Option<String> {
    let mut watch = CacheWatch::default();
    let five = CacheTtl::FiveMinutes;
    let first = Fingerprint::of(&request(&["a", "b"]));
    assert_eq!(watch.observe(first, &usage(20_000, 30_000), five, 0), None);
    watch.observe(Fingerprint::of(now), &usage(read, 100), five, after_s * 1000)
}

#[test]
fn what_changed_is_named() {
    let more = request(&["a", "b", "c"]);
    assert_eq!(second(&more, 50_000, 60), None);
    assert_eq!(second(&more, 49_000, 60), None);
    let said = |now: &ModelRequest| second(now, 0, 60).unwrap();
    let check = |now: &ModelRequest, words: &str| {
        let said = said(now);
        assert!(said.contains(words), "{said:?} lacks {words:?}");
        assert!(said.contains("50000 tokens"), "{said}");
    };
    check(&more, "the provider dropped it after 60 s");
    check(&ModelRequest { model: "claude-opus-5".into(), ..more.clone() }, "to claude-opus-5");
    check(&ModelRequest { system: "[1]".into(), ..more.clone() }, "the system prompt changed");
    check(&ModelRequest { thinking: Thinking::Disabled, ..more.clone() }, "thinking setting");
    check(&ModelRequest { effort: Some(Effort::Low), ..more.clone() }, "the effort");
    check(&ModelRequest { format: Some("{}".into()), ..more.clone() }, "format");
    check(&request(&["a", "x", "c"]), "message 2 of 2 changed");
    check(&request(&["a"]), "the last 1 messages are gone");
    let tools = |list: &str| ModelRequest { tools: list.into(), ..more.clone() };
    check(&tools(r#"[{"name":"Read","d":2},{"name":"X"}]"#), "added `X`; removed `Edit`");
    check(&tools(r#"[{"name":"Read","d":2},{"name":"Edit"}]"#), "different `Read`");
    check(&tools(r#"[{"name":"Edit"},{"name":"Read","d":1}]"#), "another order");
    check(&tools("nonsense"), "removed `Read`, `Edit`");
}

#[test]
fn expected_losses_are_not_told() {
    let more = request(&["a", "b", "c"]);
    assert_eq!(second(&more, 0, 300), None, "the time was over");
    let mut watch = CacheWatch::default();
    let print = || Fingerprint::of(&more);
    let hour = CacheTtl::Hour;
    assert_eq!(watch.observe(print(), &usage(0, 9_000), hour, 0), None);
    watch.reset();
    assert_eq!(watch.observe(print(), &usage(0, 9_000), hour, 1), None, "compaction");
    assert_eq!(watch.observe(print(), &Usage::default(), hour, 2), None, "a failed answer");
    assert_eq!(watch.observe(print(), &usage(8_000, 0), hour, 3), None, "a small loss");
    assert!(watch.observe(print(), &usage(0, 0), hour, 900_000).is_some());
    let mut off = CacheWatch::default();
    off.observe(print(), &usage(0, 9_000), CacheTtl::Off, 0);
    assert_eq!(off.observe(print(), &usage(0, 0), CacheTtl::Off, 1), None);
}
