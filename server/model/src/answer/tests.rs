//! Answers that stall, drip, break off, or arrive in any pieces: with a clock that the test moves.

use std::time::Duration;

use agent::{ModelErrorKind, StopReason, StreamEvent as E};
use futures::stream;
use tokio::time::Instant;

use super::*;
use crate::anthropic::Events;
use crate::patience::Patience;

const START: &str = "data: {\"type\":\"message_start\",\"message\":{\"model\":\"m\"}}\n\n";
const PING: &str = "event: ping\ndata: {\"type\": \"ping\"}\n\n";
const TEXT: &str = "data: {\"type\":\"content_block_start\",\"index\":0,\
     \"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";

/// One of everything the API streams, as it was heard: pings and comments between, CRLF for once.
const RECORDED: &str = include_str!("../../../../fixtures/model/recorded.sse");

fn origin() -> Origin {
    Origin {
        host: "h".to_owned(),
        model: "m".to_owned(),
        key_variable: "K",
        url_variable: "U",
        knows_models: true,
    }
}

fn answer(chunks: impl Stream<Item = Bytes> + Send + 'static) -> Answer<Events> {
    let watchdog = Watchdog::new(Patience::ANTHROPIC, Instant::now());
    Answer::new(sse_events(chunks.map(Ok).boxed()), watchdog, origin(), Events::new(origin()))
}

/// The first text, then `every` some bytes for ever.
fn dripping(
    first: &'static str,
    every: Duration,
    drip: &'static str,
) -> impl Stream<Item = Bytes> + Send {
    let drops = stream::unfold((), move |()| async move {
        tokio::time::sleep(every).await;
        Some((Bytes::from_static(drip.as_bytes()), ()))
    });
    stream::iter([Bytes::from_static(first.as_bytes())]).chain(drops)
}

/// When the answer failed, in seconds, and with which words.
async fn failure(chunks: impl Stream<Item = Bytes> + Send + 'static) -> (u64, String) {
    let begun = Instant::now();
    let mut answer = answer(chunks);
    loop {
        match answer.next().await {
            Some(Ok(_)) => {}
            Some(Err(error)) => {
                assert_eq!(error.kind, ModelErrorKind::TimedOut, "{error}");
                assert!(answer.next().await.is_none(), "an error is the end");
                return (begun.elapsed().as_secs(), error.message);
            }
            None => panic!("the answer ended"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_black_hole_is_given_up_after_two_minutes() {
    let (seconds, said) =
        failure(stream::iter([Bytes::from_static(START.as_bytes())]).chain(stream::pending()))
            .await;
    assert_eq!(seconds, 120);
    assert!(said.contains("said nothing for 120 s"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn a_byte_every_twenty_seconds_is_silence() {
    let (seconds, _) = failure(dripping(START, Duration::from_secs(20), "d")).await;
    assert_eq!(seconds, 120);
}

#[tokio::test(start_paused = true)]
async fn pings_alone_do_not_count_for_ever() {
    let (seconds, said) = failure(dripping(START, Duration::from_secs(15), PING)).await;
    assert_eq!(seconds, 600);
    assert!(said.contains("kept the connection"), "{said}");
}

#[tokio::test(start_paused = true)]
async fn words_without_end_meet_the_last_deadline() {
    const MORE: &str = "data: {\"type\":\"content_block_delta\",\"index\":0,\
         \"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}\n\n";
    let (seconds, said) = failure(dripping(TEXT, Duration::from_secs(100), MORE)).await;
    assert_eq!(seconds, 3600);
    assert!(said.contains("BOWLINE_REQUEST_TIMEOUT_MS"), "{said}");
}

async fn events(chunks: Vec<Bytes>) -> Vec<Result<E, ModelErrorKind>> {
    let told = answer(stream::iter(chunks)).map(|event| event.map_err(|error| error.kind));
    told.collect().await
}

/// What a recording says does not depend on where the network cut it.
#[tokio::test(start_paused = true)]
async fn a_recording_split_at_every_byte_says_the_same() {
    let whole = Bytes::from_static(RECORDED.as_bytes());
    let expected = events(vec![whole.clone()]).await;
    assert_eq!(expected.last(), Some(&Ok(E::Stopped { reason: StopReason::ToolUse })));
    assert!(expected.len() > 15 && expected.iter().all(Result::is_ok));
    for cut in 0..whole.len() {
        let halves = vec![whole.slice(..cut), whole.slice(cut..)];
        assert_eq!(events(halves).await, expected, "cut at {cut}");
    }
    let single = (0..whole.len()).map(|at| whole.slice(at..=at)).collect();
    assert_eq!(events(single).await, expected);
}

/// Cut off at any byte, an answer is a beginning of the whole one and then one error; it is whole
/// only where the reason to stop had arrived.
#[tokio::test(start_paused = true)]
async fn a_recording_cut_off_at_every_byte_is_a_beginning() {
    let whole = Bytes::from_static(RECORDED.as_bytes());
    let expected = events(vec![whole.clone()]).await;
    let stop = RECORDED.find("event: message_stop").unwrap();
    for end in 0..whole.len() {
        let mut heard = events(vec![whole.slice(..end)]).await;
        if end < stop {
            let last = heard.pop();
            assert_eq!(last, Some(Err(ModelErrorKind::BrokenStream)), "cut at {end}");
        }
        assert_eq!(heard, expected[..heard.len()], "cut at {end}");
    }
}
