//! The format's corners, each in every chunking.

use std::convert::Infallible;

use futures::{FutureExt, stream};

use super::*;

fn parse(chunks: Vec<Bytes>, cap: usize) -> Vec<String> {
    let chunks = stream::iter(chunks.into_iter().map(Ok::<_, Infallible>));
    let events = capped(chunks, cap).collect::<Vec<_>>().now_or_never().unwrap();
    let show = |event: Result<Event, _>| match event {
        Ok(event) => event.data().to_owned(),
        Err(SseError::NotUtf8) => "<not utf-8>".to_owned(),
        Err(SseError::TooLarge) => "<too large>".to_owned(),
        #[cfg(feature = "bedrock")]
        Err(SseError::BadFrame) => "<bad frame>".to_owned(),
        Err(SseError::Transport(never)) => match never {},
    };
    events.into_iter().map(show).collect()
}

/// Whole, byte by byte, and cut once at every place.
fn check(input: &[u8], expect: &[&str]) {
    let whole = Bytes::copy_from_slice(input);
    assert_eq!(parse(vec![whole.clone()], MAX_EVENT_BYTES), expect, "{}", input.escape_ascii());
    let single = (0..whole.len()).map(|at| whole.slice(at..at + 1)).collect();
    assert_eq!(parse(single, MAX_EVENT_BYTES), expect, "bytes of {}", input.escape_ascii());
    for cut in 0..whole.len() {
        let halves = vec![whole.slice(..cut), whole.slice(cut..)];
        assert_eq!(parse(halves, MAX_EVENT_BYTES), expect, "{} at {cut}", input.escape_ascii());
    }
}

#[test]
fn sixteen_corners_of_the_format() {
    check(b"data: a\n\ndata: b\n\n", &["a", "b"]);
    check(b"event: x\ndata: a\n\n", &["a"]);
    check(b"data: a\ndata: b\n\n", &["a\nb"]);
    check(b"data: a\r\n\r\ndata: b\r\n\r\n", &["a", "b"]);
    check(b"data: a\r\rdata: b\r\r", &["a", "b"]);
    check(b"\xEF\xBB\xBFdata: a\n\n", &["a"]);
    check(b": ping\n\ndata: a\n\n: pong\n\n", &["a"]);
    check(b"data:a\n\n", &["a"]);
    check(b"data:  a\n\n", &[" a"]);
    check(b"data\n\n", &[""]);
    check(b"data:\n\n", &[""]);
    check(b"color: red\nnonsense\ndata: a\n\n", &["a"]);
    check(b"event: lonely\n\ndata: a\n\n", &["a"]);
    check(b"id: 1\nretry: 5\ndata: a\n\n", &["a"]);
    check("data: grüße 🦀\n\n".as_bytes(), &["grüße 🦀"]);
    check(b"data: a\n\ndata: unfinished", &["a"]);
    check(b"data: \xFF\n\ndata: b\n\n", &["<not utf-8>", "b"]);
    check(b"", &[]);
}

#[test]
fn an_event_without_end_is_cut_off() {
    let chunk = Bytes::from(vec![b'x'; 60]);
    let first = Bytes::from_static(b"data: ");
    let parsed = parse(vec![first.clone(), chunk.clone(), chunk.clone()], 100);
    assert_eq!(parsed, ["<too large>"]);
    // Many small events may be larger together.
    let end = Bytes::from_static(b"\n\n");
    let event = [first, chunk, end];
    let parsed = parse([event.clone(), event.clone(), event].concat(), 100);
    assert_eq!(parsed.len(), 3);
}
