//! Line mode against a led server.

use std::io::Write;
use std::sync::{Arc, Mutex};

use serde_json::json;

use super::flows::{delta, message_ended, permission, turn_ended, turn_started};
use super::*;

/// A pipe that remembers.
#[derive(Clone, Default)]
struct Out(Arc<Mutex<Vec<u8>>>);

impl Out {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().expect("no panic").clone()).expect("UTF-8")
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

struct Lines {
    server: FakeServer,
    out: Out,
    ending: tokio::task::JoinHandle<(Option<Ending>, bool)>,
}

async fn lines(input: &'static str, ask: crate::plain::AskTerminal) -> Lines {
    let (mut connection, mut server) = connect();
    let out = Out::default();
    let writer = out.clone();
    let ending = tokio::spawn(async move {
        let mut app = App::new(start(Look::Plain, Resume::New));
        crate::plain::run(&mut app, &mut connection, input.as_bytes(), writer, ask)
            .await
            .expect("memory takes everything");
        (app.ending().cloned(), app.failed)
    });
    server.start().await;
    Lines { server, out, ending }
}

#[tokio::test]
async fn one_prompt_after_the_other_and_no_colours() {
    let mut lines = lines("first\n\nsecond", |_| None).await;
    for prompt in ["first", "second"] {
        assert_eq!(lines.server.accept_prompt(prompt).await, prompt);
        lines.server.event(turn_started()).await;
        lines.server.event(delta("# Raw **text**\nof an answer")).await;
        lines.server.event(message_ended()).await;
        lines.server.event(turn_ended("end_turn")).await;
    }
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), false));
    let answer = "# Raw **text**\nof an answer\n";
    assert_eq!(lines.out.text(), format!("{answer}\n{answer}"));
}

#[tokio::test]
async fn without_a_terminal_the_answer_is_no() {
    let mut lines = lines("go\n", |_| None).await;
    lines.server.accept_prompt("m1").await;
    lines.server.event(turn_started()).await;
    lines.server.send(&permission()).await;
    let answer = lines.server.receive().await;
    assert_eq!(answer["result"], json!({"optionId": "no"}));
    lines.server.event(turn_ended("model_error")).await;
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), true));
    assert!(lines.out.text().contains("Denied, nobody to ask: Edit a.rs"), "{}", lines.out.text());
}

#[tokio::test]
async fn with_a_terminal_it_is_asked_there() {
    fn says(question: &str) -> Option<String> {
        assert!(question.contains("1 + two"), "{question}");
        Some("y".into())
    }
    let mut lines = lines("go\n", says).await;
    lines.server.accept_prompt("m1").await;
    lines.server.event(turn_started()).await;
    lines.server.send(&permission()).await;
    let answer = lines.server.receive().await;
    assert_eq!(answer["result"], json!({"optionId": "once"}));
}
