//! What a long answer and a key cost. Run for the numbers in release with
//! `cargo test -p repl --release speed -- --nocapture --ignored --test-threads=1`; nothing is
//! asserted about time.
#![expect(clippy::disallowed_methods, reason = "the kernel tells the CPU time in a file")]

use std::time::Duration;
use std::time::Instant as Clock;

use super::flows::{delta, turn_started};
use super::*;
use crate::connection::Incoming;

/// An answer of prose, lists, tables and small fences, cut into 50-byte deltas.
fn long_answer(bytes: usize) -> String {
    let part = "## Section\nSome prose with **bold** words, `code` and a [link](https://example.org) \
                that goes on for a while so that it must be wrapped at eighty columns.\n\n\
                - an item of a list\n- another item with more words in it\n\n\
                | a | b |\n|---|---|\n| 1 | two |\n\n```rust\nfn main() {\n    let x = 1;\n}\n```\n\n";
    part.repeat(bytes / part.len() + 1)
}

/// CPU time of this thread: the wall clock of a busy machine says little.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or(0))
}

/// The same text as frames of the wire, as the reader task sees them.
fn wire(text: &str, piece: usize) -> Vec<Vec<u8>> {
    let pieces = text.as_bytes().chunks(piece);
    let frame = |(at, piece): (usize, &[u8])| {
        let event = protocol::Event::new(
            "s1",
            at as u64 + 1,
            0,
            delta(std::str::from_utf8(piece).expect("ASCII")),
        );
        let event = serde_json::to_string(&event).expect("plain data");
        format!(r#"{{"jsonrpc":"2.0","method":"agent/event","params":{event}}}"#).into_bytes()
    };
    pieces.enumerate().map(frame).collect()
}

fn app_in_a_turn() -> App {
    let mut app = App::new(start(Look::Rich(Highlighting::loaded()), Resume::New));
    let config = crate::testing::server::config(Mode::Default);
    app.session = Some(Session::new("s1".into(), config, Vec::new()));
    app.on_event(turn_started(), Instant::now());
    app
}

#[test]
#[ignore = "a measurement, not a test"]
fn five_megabytes_in_a_hundred_thousand_deltas() {
    let frames = wire(&long_answer(5_000_000), 50);
    let mut app = app_in_a_turn();
    let mut screen = Screen::new(std::io::sink(), 80, Theme::Terminal);
    let now = Instant::now();
    let started = cpu();
    for (at, frame) in frames.iter().enumerate() {
        let incoming: Incoming = crate::connection::parse(frame).expect("an event");
        app.on(Event::Server(Box::new(incoming)), now);
        // A server that fills the pipe gives some hundred deltas for each frame drawn.
        if at % 500 == 0 {
            let frame = app.frame(80, 24, now);
            screen.draw(&frame).expect("sink");
        }
    }
    let frame = app.last_frame(80);
    screen.draw(&frame).expect("sink");
    eprintln!("{} deltas: {:?} of CPU", frames.len(), cpu() - started);
}

#[test]
#[ignore = "a measurement, not a test"]
fn a_key_to_the_screen() {
    let mut app = app_in_a_turn();
    let mut screen = Screen::new(std::io::sink(), 120, Theme::Terminal);
    let text = long_answer(6_000);
    app.on_event(delta(&text), Instant::now());
    let mut times = Vec::new();
    for at in 0..2000 {
        let key = if at % 40 == 39 { KeyCode::Backspace } else { KeyCode::Char('x') };
        let started = Clock::now();
        app.on(Event::Key(KeyEvent::new(key, KeyModifiers::NONE)), Instant::now());
        let frame = app.frame(120, 50, Instant::now());
        screen.draw(&frame).expect("sink");
        times.push(started.elapsed());
    }
    times.sort();
    eprintln!("key to bytes: p50 {:?}, p99 {:?}", times[1000], times[1980]);
}

/// The whole conversation on its page: opened, scrolled, and while an answer streams.
#[test]
#[ignore = "a measurement, not a test"]
fn a_page_of_a_long_conversation() {
    let mut app = app_in_a_turn();
    let mut screen = Screen::new(std::io::sink(), 120, Theme::Terminal);
    let now = Instant::now();
    for at in 0..2000 {
        app.transcript.user(&format!("prompt {at}"));
        let id = format!("a{at}");
        app.transcript.answer(&id, &long_answer(1_000));
        app.transcript.end_text(&id, false, None);
    }
    let frame = app.frame(120, 50, now);
    screen.draw(&frame).expect("sink");
    let mut timed = |app: &mut App, what: &str| {
        let started = cpu();
        let frame = app.frame(120, 50, now);
        screen.draw(&frame).expect("sink");
        eprintln!("{what}: {:?} of CPU", cpu() - started);
    };
    app.open_transcript();
    timed(&mut app, "4,000 messages opened");
    app.on(Event::Key(KeyEvent::from(KeyCode::PageUp)), now);
    timed(&mut app, "a page back");
    app.on_event(delta(&long_answer(100_000)), now);
    timed(&mut app, "100 kB of a new answer");
    app.on_event(delta("some more words of it "), now);
    timed(&mut app, "a few words more");
}
