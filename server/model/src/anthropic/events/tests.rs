//! Recorded and broken streams through the state machine.

use agent::{ModelErrorKind, StreamEvent as E};
use serde_json::json;

use super::*;

fn origin() -> Origin {
    Origin {
        host: "h".to_owned(),
        model: "m".to_owned(),
        key_variable: "K",
        url_variable: "U",
        knows_models: true,
    }
}

fn run(events: &[Value]) -> (Vec<E>, Option<ModelErrorKind>) {
    let mut format = Events::new(origin());
    let mut out = VecDeque::new();
    for event in events {
        if let Err(error) = format.on(&event.to_string(), &mut out) {
            return (out.into(), Some(error.kind));
        }
    }
    let end = format.on_end(&mut out).err().map(|error| error.kind);
    (out.into(), end)
}

fn start() -> Value {
    json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 3}}})
}

fn block(index: usize, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

fn delta(index: usize, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

fn end(index: usize) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

fn stop(reason: &str) -> [Value; 2] {
    let usage = json!({"output_tokens": 9, "input_tokens": null});
    [
        json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}),
        json!({"type": "message_stop"}),
    ]
}

fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
    Usage { input_tokens, output_tokens, ..Usage::default() }
}

#[test]
fn a_whole_answer() {
    let [last, goodbye] = stop("tool_use");
    let (events, error) = run(&[
        start(),
        json!({"type": "ping"}),
        block(0, json!({"type": "thinking", "thinking": ""})),
        delta(0, json!({"type": "thinking_delta", "thinking": "hm"})),
        delta(0, json!({"type": "signature_delta", "signature": "sig"})),
        end(0),
        block(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text_delta", "text": "hi"})),
        delta(1, json!({"type": "citations_delta", "citation": {}})),
        end(1),
        block(2, json!({"type": "tool_use", "id": "t", "name": "Read", "input": {}})),
        delta(2, json!({"type": "input_json_delta", "partial_json": ""})),
        delta(2, json!({"type": "input_json_delta", "partial_json": "{\"a\":1}"})),
        end(2),
        json!({"type": "from_the_future", "delta": "text", "message": 1}),
        last,
        goodbye,
    ]);
    assert_eq!(error, None);
    let (id, name) = ("t".to_owned(), "Read".to_owned());
    assert_eq!(
        events,
        [
            E::Started { model: "m".to_owned(), usage: usage(3, 0) },
            E::ThinkingStarted { index: 0 },
            E::ThinkingDelta { index: 0, text: "hm".to_owned() },
            E::Signature { index: 0, signature: "sig".to_owned() },
            E::BlockEnded { index: 0 },
            E::TextStarted { index: 1 },
            E::TextDelta { index: 1, text: "hi".to_owned() },
            E::BlockEnded { index: 1 },
            E::ToolStarted { index: 2, id, name },
            E::InputDelta { index: 2, json: "{\"a\":1}".to_owned() },
            E::BlockEnded { index: 2 },
            E::Usage(usage(0, 9)),
            E::Stopped { reason: StopReason::ToolUse },
        ]
    );
}

#[test]
fn blocks_we_do_not_know_are_kept_whole() {
    let [last, goodbye] = stop("something_new");
    let (events, error) = run(&[
        start(),
        block(4, json!({"type": "redacted_thinking", "data": "xx"})),
        end(4),
        block(9, json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}})),
        delta(9, json!({"type": "input_json_delta", "partial_json": "{\"q\":2}"})),
        end(9),
        last,
        goodbye,
    ]);
    assert_eq!(error, None);
    let redacted = json!({"type": "redacted_thinking", "data": "xx"});
    let search =
        json!({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"q": 2}});
    assert_eq!(events[1], E::Opaque { index: 0, block: redacted });
    assert_eq!(events[3], E::Opaque { index: 1, block: search });
    let reason = StopReason::Other("something_new".to_owned());
    assert_eq!(events.last(), Some(&E::Stopped { reason }));
}

#[test]
fn gateways_that_send_the_whole_input_at_once() {
    let tool = json!({"type": "tool_use", "id": "t", "name": "X", "input": {"a": 1}});
    let (events, _) = run(&[start(), block(0, tool.clone()), end(0)]);
    assert_eq!(events[2], E::InputDelta { index: 0, json: "{\"a\":1}".to_owned() });
    let more = delta(0, json!({"type": "input_json_delta", "partial_json": "{\"b\":2}"}));
    let (events, _) = run(&[start(), block(0, tool), more, end(0)]);
    assert_eq!(events[2], E::InputDelta { index: 0, json: "{\"b\":2}".to_owned() });
    assert_eq!(events[3], E::BlockEnded { index: 0 });
}

#[test]
fn broken_and_refused_answers() {
    let check = |events: &[Value], expect| assert_eq!(run(events).1, Some(expect));
    check(&[], ModelErrorKind::BrokenStream);
    check(&[start(), block(0, json!({"type": "text"}))], ModelErrorKind::BrokenStream);
    let said = |kind: &str| json!({"type": "error", "error": {"type": kind, "message": "x"}});
    check(&[start(), said("overloaded_error")], ModelErrorKind::Overloaded);
    check(&[said("rate_limit_error")], ModelErrorKind::RateLimited);
    check(&[json!({"type": "message_start", "message": 3})], ModelErrorKind::BrokenStream);
    // The reason to stop has come, the goodbye has not: nothing is lost, so it counts.
    let [last, _] = stop("end_turn");
    let (events, error) = run(&[start(), block(0, json!({"type": "text", "text": "x"})), last]);
    assert_eq!(error, None);
    assert_eq!(events.last(), Some(&E::Stopped { reason: StopReason::EndTurn }));
    assert_eq!(events[3], E::Usage(usage(0, 9)));
    assert_eq!(events[4], E::BlockEnded { index: 0 });
}

/// Wherever the network cuts a stream, the events are the same.
#[test]
fn a_recorded_stream_may_be_cut_anywhere() {
    use bytes::Bytes;
    use futures::{FutureExt, StreamExt, stream};

    const RECORDED: &[u8] =
        "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":\
        {\"model\":\"m\",\"usage\":{\"input_tokens\":3}}}\r\n\r\n: keep-alive\n\n\
        event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\
        \"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\
        \"text\":\"grüße\\n🦀\"}}\n\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n"
            .as_bytes();
    let events = |chunks: Vec<Bytes>| {
        let chunks = stream::iter(chunks.into_iter().map(Ok::<_, std::convert::Infallible>));
        let parsed = crate::sse::events(chunks).collect::<Vec<_>>().now_or_never().unwrap();
        let mut format = Events::new(origin());
        let mut out = VecDeque::new();
        for event in parsed {
            format.on(event.unwrap().data(), &mut out).unwrap();
        }
        assert!(format.is_done());
        Vec::from(out)
    };
    let whole = Bytes::from_static(RECORDED);
    let expected = events(vec![whole.clone()]);
    assert_eq!(expected[2], E::TextDelta { index: 0, text: "grüße\n🦀".to_owned() });
    for cut in 1..whole.len() {
        assert_eq!(events(vec![whole.slice(..cut), whole.slice(cut..)]), expected, "cut at {cut}");
    }
    assert_eq!(events((0..whole.len()).map(|at| whole.slice(at..at + 1)).collect()), expected);
}
