//! Line mode against a led server.

use std::io::Write;
use std::sync::{Arc, Mutex};

use expect_test::expect;
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
        assert!(question.contains("any other line denies"), "{question}");
        Some("y".into())
    }
    let mut lines = lines("go\n", says).await;
    lines.server.accept_prompt("m1").await;
    lines.server.event(turn_started()).await;
    lines.server.send(&permission()).await;
    let answer = lines.server.receive().await;
    assert_eq!(answer["result"], json!({"optionId": "once"}));
}

#[tokio::test]
async fn changes_are_listed_and_decided_without_keys() {
    let mut lines = lines("/review\n/review reject\n/review undo\n", |_| None).await;
    let change = crate::state::changes::tests::hunk("h1", "a.rs", 4, "one\n", "1\n2\n");
    for _ in 0..2 {
        let (id, params) = lines.server.expect("agent/review/list").await;
        assert_eq!(params, json!({"sessionId": "s1"}));
        lines.server.answer(id, json!({"hunks": [change]})).await;
    }
    let (id, params) = lines.server.expect("agent/review/resolve").await;
    assert_eq!(params, json!({"sessionId": "s1", "action": "reject"}));
    let results = json!([{"hunkId": "h1", "state": "rejected"}]);
    lines.server.answer(id, json!({"results": results, "undoToken": "u1"})).await;
    let (id, params) = lines.server.expect("agent/session/unrewind").await;
    assert_eq!(params, json!({"undoToken": "u1"}));
    lines.server.answer(id, json!({})).await;
    let (id, _) = lines.server.expect("agent/review/list").await;
    lines.server.answer(id, json!({"hunks": [change]})).await;
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), false));
    expect![[r#"
        a.rs
          h1  5-6
          1 - one
          1 + 1
          2 + 2

        rejected: a.rs:5-6

        The last decision is undone (1 change).
    "#]]
    .assert_eq(&lines.out.text());
}

#[tokio::test]
async fn a_rewind_is_spelt_out() {
    let mut lines = lines("go\n/rewind\n/rewind m1\n/rewind m1 both\n", |_| None).await;
    lines.server.accept_prompt("m1").await;
    lines.server.event(turn_started()).await;
    lines.server.event(turn_ended("end_turn")).await;
    let (id, params) = lines.server.expect("agent/session/rewind").await;
    assert_eq!(params, json!({"sessionId": "s1", "toMessage": "m1", "what": "both"}));
    let conflicts = json!([{"uri": "file:///w/b.rs", "version": null, "reason": "you changed it"}]);
    let result = json!({"files": [], "hunks": [], "conflicts": conflicts, "undoToken": "u1"});
    lines.server.answer(id, result).await;
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), false));
    expect![[r#"
        m1  go  just now

        both  conversation and files
        conversation  conversation only
        files  files only

        — rewound to before: go

        Rewound: no file changes, 1 conflict. Undo with /rewind undo.
        b.rs: you changed it
    "#]]
    .assert_eq(&lines.out.text());
}

#[tokio::test]
async fn a_pipe_trusts_no_folder_in_passing() {
    let mut lines = lines("/trust yes\n", |_| Some("y".into())).await;
    let request = json!({
        "jsonrpc": "2.0", "id": "p3", "method": "agent/permission/request",
        "params": {
            "requestId": "r3", "sessionId": "s1", "title": "Trust this folder?", "reason": "",
            "subject": {"kind": "trust", "cwd": "/w", "what": ["hook: ./x.sh"]},
            "options": [{"id": "yes", "label": "Trust it", "kind": "allow", "scope": "user"}],
        },
    });
    // What the folder brings was approved before, so there is nothing to show first.
    let (id, _) = lines.server.expect("agent/trust/state").await;
    let state = json!({"cwd": "/w", "items": [], "more": 0, "problems": []});
    lines.server.answer(id, state).await;
    let (id, _) = lines.server.expect("agent/trust").await;
    lines.server.send(&request).await;
    let answer = lines.server.receive().await;
    assert_eq!(answer, json!({"jsonrpc": "2.0", "id": "p3", "result": null}));
    lines.server.answer(id, json!({})).await;
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), false));
    let text = lines.out.text();
    assert!(text.contains("what it brings is not used (hook: ./x.sh)"), "{text}");
    assert!(text.contains("/w is trusted"), "{text}");
}

#[tokio::test]
async fn memory_files_are_listed_and_shown() {
    let mut lines = lines("/memory\n/memory show /w/CLAUDE.md\n", |_| None).await;
    let (id, params) = lines.server.expect("agent/memory/list").await;
    assert_eq!(params, json!({"sessionId": "s1"}));
    let files = json!([
        {"path": "/w/CLAUDE.md", "scope": "project"},
        {"path": "/w/more.md", "scope": "project", "importedBy": "/w/CLAUDE.md"},
        {"path": "/n/MEMORY.md", "scope": "auto"},
    ]);
    lines.server.answer(id, json!({"files": files})).await;
    let (id, params) = lines.server.expect("agent/memory/list").await;
    assert_eq!(params, json!({"sessionId": "s1", "path": "/w/CLAUDE.md"}));
    let files = json!([{"path": "/w/CLAUDE.md", "scope": "project", "text": "Use tabs.\nAlways."}]);
    lines.server.answer(id, json!({"files": files})).await;
    assert_eq!(lines.ending.await.expect("no panic"), (Some(Ending::Quit), false));
    expect![[r#"
        /w/CLAUDE.md  CLAUDE.md  the project's
        /w/more.md  more.md  the project's, imported by CLAUDE.md
        /n/MEMORY.md  /n/MEMORY.md  notes of the agent

        /w/CLAUDE.md
        Use tabs.
        Always.
    "#]]
    .assert_eq(&lines.out.text());
}
