//! What is read of damaged streams.

use super::*;

fn frame(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn message(body: &str) -> Frame {
    Frame::Message(body.as_bytes().to_vec())
}

/// All frames of a stream that comes in pieces of this size.
fn decode(bytes: &[u8], piece: usize) -> Vec<Frame> {
    let mut decoder = FrameDecoder::default();
    let mut frames = Vec::new();
    for piece in bytes.chunks(piece) {
        decoder.push(piece);
        frames.extend(std::iter::from_fn(|| decoder.next()));
    }
    frames
}

fn request(id: usize) -> String {
    format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"agent/status\",\"params\":{{\"text\":\"a}} cC\"}}}}"
    )
}

#[test]
fn a_bad_frame_costs_only_itself() {
    let stream = b"Content-Length: 2\r\n\r\n{}Content-Length: x\r\n\r\n\r\nNonsense\r\nContent-Length: 3\r\n\r\nabc\
        Content-Type: utf-8\r\ncontent-length: 1\r\n\r\n7Content-Length: 9\r\n\r\nshort";
    for piece in [1, 7, 1000] {
        let got = decode(stream, piece);
        assert_eq!(got.len(), 4, "{got:?}");
        assert_eq!(got[0], message("{}"));
        assert!(matches!(got[1], Frame::Malformed(_)));
        assert_eq!((&got[2], &got[3]), (&message("abc"), &message("7")));
    }
}

/// Whatever one frame's header says, those that follow are heard, and the damage is reported.
#[test]
fn frames_after_a_wrong_header_are_read() {
    let body = request(1);
    let len = body.len();
    let good = [request(2), request(3), request(4)];
    let mut headers: Vec<String> = (1..140)
        .flat_map(|off| [len.checked_sub(off), Some(len + off)])
        .flatten()
        .map(|length| format!("Content-Length: {length}\r\n\r\n"))
        .collect();
    headers.extend([
        "Content-Length: -7\r\n\r\n".to_owned(),
        "Content-Length: seven\r\n\r\n".to_owned(),
        "Content-Length:\r\n\r\n".to_owned(),
        "Content-Length: 99999999999999999999999999\r\n\r\n".to_owned(),
        "Content-Length: 4000000000\r\n\r\n".to_owned(),
        format!("Content-Length: {len}\r\nContent-Length: {}\r\n\r\n", len + 9),
        format!("Xontent-Length: {len}\r\n\r\n"),
        format!("\u{1}\u{2}\u{ff}Content-Length {len}\r\n\r\n"),
        "\r\n\r\n".to_owned(),
        String::new(),
    ]);
    for header in headers {
        let stream =
            format!("{header}{body}{}", good.iter().map(|body| frame(body)).collect::<String>());
        for piece in [1, 50, 4096] {
            let got = decode(stream.as_bytes(), piece);
            let said = |frame: &Frame| matches!(frame, Frame::Malformed(_) | Frame::TooLong(_));
            let bad = |frame: &Frame| matches!(frame, Frame::Message(body) if serde_json::from_slice::<serde_json::Value>(body).is_err());
            assert!(got.iter().any(|frame| said(frame) || bad(frame)), "{header:?}: {got:?}");
            let tail: Vec<_> = got.iter().rev().take(3).rev().collect();
            let expected: Vec<_> = good.iter().map(|body| message(body)).collect();
            assert_eq!(tail, expected.iter().collect::<Vec<_>>(), "{header:?} in {piece}: {got:?}");
        }
    }
}

/// One byte of a frame is changed, added or missing. Of those that follow at most the next is lost,
/// and never without a report.
#[test]
fn frames_after_random_damage_are_read() {
    let mut seed = 0x5eed_u64;
    let mut roll = |limit: usize| {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 33) as usize % limit
    };
    for round in 0..20_000 {
        let mut damaged = frame(&request(round)).into_bytes();
        let at = roll(damaged.len());
        match roll(3) {
            0 => damaged[at] = roll(256) as u8,
            1 => damaged.insert(at, roll(256) as u8),
            _ => drop(damaged.remove(at)),
        }
        let later: Vec<_> = (1..=4).map(request).collect();
        let mut stream = damaged.clone();
        later.iter().for_each(|body| stream.extend_from_slice(frame(body).as_bytes()));
        let got = decode(&stream, 1 + roll(300));
        let expected: Vec<_> = later.iter().skip(1).map(|body| message(body)).collect();
        let tail = got.get(got.len().saturating_sub(3)..).unwrap();
        let shown = String::from_utf8_lossy(&damaged);
        assert_eq!(tail, expected, "round {round}: {shown:?}: {got:?}");
        let first = got.contains(&message(&later[0]));
        let reported = |frame: &Frame| matches!(frame, Frame::Malformed(_) | Frame::TooLong(_));
        let reported = got.iter().any(reported);
        assert!(first || reported, "round {round}: {shown:?}: {got:?}");
    }
}

#[test]
fn a_message_that_is_too_long_is_skipped_and_described() {
    let body = format!("{{\"a\":\"{}\",\"z\":1}}", "x".repeat(100_000));
    let stream = format!("{}{}", frame(&body), frame("{}"));
    for piece in [1000, 1 << 20] {
        let mut decoder = FrameDecoder { max_length: 50_000, ..FrameDecoder::default() };
        let mut got = Vec::new();
        for piece in stream.as_bytes().chunks(piece) {
            decoder.push(piece);
            got.extend(std::iter::from_fn(|| decoder.next()));
        }
        let [Frame::TooLong(_), Frame::Skipped { start, end }, last] = got.as_slice() else {
            panic!("{got:?}");
        };
        assert_eq!((start.len(), end.len()), (KEPT, KEPT));
        assert!(start.starts_with(b"{\"a\":\"x") && end.ends_with(b"\",\"z\":1}"));
        assert_eq!(*last, message("{}"));
    }
}

#[test]
fn a_whole_message_with_too_great_a_length_ends_when_nothing_follows() {
    let mut decoder = FrameDecoder::default();
    decoder.push(b"Content-Length: 9\r\n\r\n{\"a\":");
    assert_eq!(decoder.next(), None);
    assert_eq!(decoder.on_idle(), None, "the rest of it may still come");
    decoder.push(b"1}");
    assert_eq!(decoder.next(), None);
    assert!(decoder.is_inside_body());
    assert!(matches!(decoder.on_idle(), Some(Frame::Malformed(_))));
    decoder.push(frame("{}").as_bytes());
    assert_eq!(decoder.next(), Some(message("{}")));
}

#[test]
fn text_that_looks_like_a_header_is_text() {
    let body = "{\"text\":\"Content-Length: 5\\r\\n\\r\\n} Content-Length: 5\"}";
    for piece in [1, 1000] {
        assert_eq!(decode(frame(body).as_bytes(), piece), [message(body)]);
    }
}
