//! Frames in any pieces, and frames that are none.

use futures::stream;

use super::*;

/// One frame, as the service writes it.
pub(in crate::bedrock) fn frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut head = Vec::new();
    for (name, value) in headers {
        head.push(name.len() as u8);
        head.extend(name.bytes());
        head.push(7);
        head.extend((value.len() as u16).to_be_bytes());
        head.extend(value.bytes());
    }
    let total = (PRELUDE + head.len() + payload.len() + CHECKSUM) as u32;
    let mut bytes = total.to_be_bytes().to_vec();
    bytes.extend((head.len() as u32).to_be_bytes());
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes.extend(head);
    bytes.extend(payload);
    bytes.extend(crc32fast::hash(&bytes).to_be_bytes());
    bytes
}

pub(in crate::bedrock) fn chunk(json: &str) -> Vec<u8> {
    let payload = json!({"bytes": STANDARD.encode(json), "p": "abc"}).to_string();
    frame(&[(":event-type", "chunk"), (":message-type", "event")], payload.as_bytes())
}

async fn read(chunks: Vec<Bytes>) -> Vec<String> {
    let chunks = stream::iter(chunks.into_iter().map(Ok)).boxed();
    let told = events(chunks).map(|event| match event {
        Ok(event) => event.data().to_owned(),
        Err(SseError::BadFrame) => "<bad frame>".to_owned(),
        Err(_) => "<error>".to_owned(),
    });
    told.collect().await
}

#[tokio::test]
async fn frames_cut_at_every_byte_say_the_same() {
    let exception = [(":message-type", "exception"), (":exception-type", "throttlingException")];
    let all = [
        chunk(r#"{"type":"ping"}"#),
        chunk(r#"{"type":"message_stop"}"#),
        frame(&exception, br#"{"message":"slow down"}"#),
    ]
    .concat();
    let whole = Bytes::from(all);
    let expected = read(vec![whole.clone()]).await;
    assert_eq!(expected[..2], [r#"{"type":"ping"}"#, r#"{"type":"message_stop"}"#]);
    assert!(expected[2].contains("rate_limit_error") && expected[2].contains("slow down"));
    for cut in 0..whole.len() {
        let halves = vec![whole.slice(..cut), whole.slice(cut..)];
        assert_eq!(read(halves).await, expected, "cut at {cut}");
    }
}

#[tokio::test]
async fn a_frame_with_any_wrong_byte_is_refused() {
    let good = chunk(r#"{"type":"ping"}"#);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 0x40;
        let told = read(vec![Bytes::from(bad)]).await;
        assert!(told.is_empty() || told == ["<bad frame>"], "{at}: {told:?}");
    }
    assert_eq!(read(vec![Bytes::from_static(&[0; 64])]).await, ["<bad frame>"]);
}
