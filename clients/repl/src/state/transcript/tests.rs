//! What is final leaves in order; what is open stays.

use expect_test::{Expect, expect};
use protocol::tool::{ContentPart, ToolKind};

use super::*;
use crate::render::line::plain_text;

fn transcript() -> Transcript {
    Transcript::new(Look::Rich(Highlighting::off()), "/w".into())
}

fn tool(id: &str, title: &str) -> ToolCallState {
    ToolCallState {
        tool_call_id: id.into(),
        name: "Read".into(),
        title: title.into(),
        kind: ToolKind::Read,
        status: ToolStatus::Running,
        input: None,
        content: Vec::new(),
        diff: None,
        locations: None,
        parent_tool_call_id: None,
    }
}

fn check(transcript: &mut Transcript, finished: &Expect, live: &Expect) {
    finished.assert_eq(&plain_text(&transcript.take_finished(40)));
    live.assert_eq(&plain_text(&transcript.live(40, 20)));
}

#[test]
fn an_answer_leaves_block_by_block() {
    let mut transcript = transcript();
    transcript.user("hello");
    transcript.answer("m1", "One.\n\nTw");
    check(
        &mut transcript,
        &expect![[r#"
            › hello

            One.
        "#]],
        &expect![[r#"

            Tw
        "#]],
    );
    transcript.answer("m1", "o.");
    transcript.end_text("m1", false, None);
    check(
        &mut transcript,
        &expect![[r#"

            Two.
        "#]],
        &expect![[""]],
    );
}

#[test]
fn what_stands_behind_an_open_call_waits() {
    let mut transcript = transcript();
    transcript.tool_started(tool("a", "Read a.rs"));
    transcript.tool_started(tool("b", "Read b.rs"));
    if let Some(view) = transcript.tool("b") {
        view.call.status = ToolStatus::Completed;
        view.call.content = vec![ContentPart::text("1\n2\n")];
    }
    check(
        &mut transcript,
        &expect![[""]],
        &expect![[r#"
            ● Read a.rs
            ● Read b.rs
              ⎿ 2 lines
        "#]],
    );
    transcript.end_all();
    check(
        &mut transcript,
        &expect![[r#"
            ● Read a.rs
              ⎿ stopped
            ● Read b.rs
              ⎿ 2 lines
        "#]],
        &expect![[""]],
    );
}

#[test]
fn thoughts_and_answers_of_one_message_are_two_things() {
    let mut transcript = transcript();
    transcript.thought("m1", "Hm.\nWell");
    transcript.answer("m1", "Answer.");
    transcript.end_text("m1", true, None);
    transcript.end_text("m1", false, None);
    check(
        &mut transcript,
        &expect![[r#"
            Hm.
            Well

            Answer.
        "#]],
        &expect![[""]],
    );
}

#[test]
fn a_text_that_never_streamed_is_shown_whole() {
    let mut transcript = transcript();
    transcript.end_text("m1", false, Some("All at once."));
    check(
        &mut transcript,
        &expect![[r#"
            All at once.
        "#]],
        &expect![[""]],
    );
}

#[test]
fn plain_text_stays_as_it_came() {
    let mut transcript = Transcript::new(Look::Plain, "/w".into());
    transcript.answer("m1", "# Title\n**bold**");
    transcript.end_text("m1", false, None);
    check(
        &mut transcript,
        &expect![[r#"
            # Title
            **bold**
        "#]],
        &expect![[""]],
    );
}

#[test]
fn text_before_and_after_a_call_stays_in_its_place() {
    let mut transcript = transcript();
    transcript.answer("m1", "Before.");
    transcript.tool_started(tool("a", "Read a.rs"));
    transcript.answer("m1", "After.");
    transcript.end_text("m1", false, Some("Before.After."));
    transcript.end_all();
    check(
        &mut transcript,
        &expect![[r#"
            Before.

            ● Read a.rs
              ⎿ stopped

            After.
        "#]],
        &expect![[""]],
    );
}

/// What was laid out bit by bit is what is laid out at once, also while a page is in front.
#[test]
fn the_whole_conversation_grows_as_it_would_be_drawn_anew() {
    let mut transcript = transcript();
    let mut grown = Whole::new();
    let mut page = false;
    let mut step = |transcript: &mut Transcript| {
        page = !page;
        if page {
            transcript.settle();
        } else {
            transcript.take_finished(40);
        }
        grown.update(transcript, 40, true);
        let mut anew = Whole::new();
        anew.update(transcript, 40, true);
        assert_eq!(plain_text(grown.rows()), plain_text(anew.rows()));
    };
    transcript.user("hello");
    step(&mut transcript);
    for piece in ["# He", "ading\n\nSome *pro", "se*\n\n```rust\nfn ma", "in() {}\n```\n\n- a\n- b"]
    {
        transcript.answer("m1", piece);
        step(&mut transcript);
    }
    transcript.end_text("m1", false, None);
    step(&mut transcript);
    transcript.tool_started(tool("c1", "Read a.rs"));
    transcript.thought("m2", "Hm.\nWell");
    step(&mut transcript);
    if let Some(view) = transcript.tool("c1") {
        view.call.status = ToolStatus::Completed;
        view.call.content = vec![ContentPart::text("one\ntwo")];
    }
    step(&mut transcript);
    transcript.end_all();
    step(&mut transcript);
    step(&mut transcript);
    let text = plain_text(grown.rows());
    assert!(text.contains("● Read a.rs\n  ⎿ one\n    two\n"), "{text}");
    let answer = transcript.last_answer().expect("it answered");
    assert!(answer.starts_with("# Heading\n") && answer.ends_with("- b"), "{answer}");
}

#[test]
fn what_was_put_aside_is_drawn_once() {
    let mut transcript = transcript();
    transcript.answer("m1", "One.\n\nTwo.");
    assert_eq!(plain_text(&transcript.take_finished(40)), "One.\n");
    transcript.end_text("m1", false, None);
    transcript.user("and?");
    transcript.settle();
    transcript.notice(Severity::Info, "later");
    assert_eq!(plain_text(&transcript.take_finished(40)), "\nTwo.\n\n› and?\n\n▪ later\n");
    assert_eq!(plain_text(&transcript.take_finished(40)), "");
}

#[test]
fn what_goes_on_of_an_indented_row_stands_further_in() {
    let mut transcript = transcript();
    transcript.rows(vec![
        Line::plain("  /keys  all the keys there are, and how to change them"),
        Line::plain("  /exit  leave"),
    ]);
    let text = plain_text(&transcript.take_finished(40));
    assert_eq!(
        text,
        "  /keys  all the keys there are, and how\n    to change them\n  /exit  leave\n"
    );
}
