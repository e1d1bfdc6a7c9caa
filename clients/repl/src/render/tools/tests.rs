//! Calls and todo lists as they are drawn.

use expect_test::{Expect, expect};
use protocol::tool::OutputPart;

use super::super::line::plain_text;
use super::*;

fn call(title: &str, kind: ToolKind, status: ToolStatus, content: Vec<ContentPart>) -> ToolView {
    ToolView::new(ToolCallState {
        tool_call_id: "t1".into(),
        name: title.split(' ').next().unwrap_or("").into(),
        title: title.into(),
        kind,
        status,
        input: None,
        content,
        diff: None,
        locations: None,
        parent_tool_call_id: None,
    })
}

fn check(view: &ToolView, expect: &Expect) {
    expect.assert_eq(&plain_text(&view.draw("/w", 40)));
}

#[test]
fn reading_is_one_line_and_a_count() {
    let content = vec![ContentPart::text("a\nb\nc\n")];
    check(
        &call("Read src/main.rs", ToolKind::Read, ToolStatus::Completed, content),
        &expect![[r#"
            ● Read src/main.rs
              ⎿ 3 lines
        "#]],
    );
}

#[test]
fn commands_show_the_end_and_the_exit_code() {
    let text = (1..=9).map(|n| format!("\u{1b}[1mline {n}\u{1b}[0m\n")).collect();
    let part = OutputPart { text, exit_code: Some(2), truncated_bytes: None };
    let content = vec![ContentPart::Output(part)];
    check(
        &call("Bash cargo test", ToolKind::Execute, ToolStatus::Completed, content),
        &expect![[r#"
            ● Bash cargo test
              ⎿ … 3 lines before
                line 4
                line 5
                line 6
                line 7
                line 8
                line 9
              ⎿ exit code 2
        "#]],
    );
}

#[test]
fn what_the_sandbox_refused_is_told() {
    let output = |text: &str| {
        let (text, exit_code) = (text.into(), Some(1));
        ContentPart::Output(OutputPart { text, exit_code, truncated_bytes: None })
    };
    let refused = "<system-reminder>The sandbox refused: write /etc/x. Ask for more.\
                   </system-reminder>";
    let long: String = (1..=20).map(|n| format!("line {n}\n")).collect();
    let content = vec![output(&long), output(refused)];
    for status in [ToolStatus::Completed, ToolStatus::Failed] {
        let view = call("Run make", ToolKind::Execute, status, content.clone());
        let text = plain_text(&view.draw("/w", 60));
        assert!(text.ends_with("⎿ The sandbox refused: write /etc/x.\n"), "{text}");
        assert!(!text.contains("system-reminder"), "{text}");
    }
}

#[test]
fn edits_show_the_change() {
    let mut view = call("Edit src/a.rs", ToolKind::Edit, ToolStatus::Completed, Vec::new());
    view.call.diff = Some(FileDiff {
        uri: "file:///w/src/a.rs".into(),
        version: None,
        old_text: Some("one\ntwo\n".into()),
        new_text: Some("one\n2\n".into()),
    });
    check(
        &view,
        &expect![[r#"
            ● Edit src/a.rs
              ⎿ src/a.rs +1 -1
                  1   one
                  2 - two
                  2 + 2
        "#]],
    );
}

#[test]
fn failures_and_waiting() {
    let content = vec![ContentPart::text("no such file: \u{1b}[2Jx")];
    check(
        &call("Read gone.rs", ToolKind::Read, ToolStatus::Failed, content),
        &expect![[r#"
            ● Read gone.rs
              ⎿ no such file: ^[[2Jx
        "#]],
    );
    check(
        &call("Bash rm -r x", ToolKind::Execute, ToolStatus::Waiting, Vec::new()),
        &expect![[r#"
            ● Bash rm -r x
              ⎿ waits for your answer
        "#]],
    );
}

#[test]
fn a_running_command_shows_its_tail() {
    let mut view = call("Bash make", ToolKind::Execute, ToolStatus::Running, Vec::new());
    for number in 0..3000 {
        let output = Some(format!("step {number}\n"));
        view.progress(ToolProgress { output, ..ToolProgress::default() });
    }
    assert!(view.tail.len() <= 2 * TAIL_BYTES);
    let text = plain_text(&view.draw("/w", 40));
    assert!(text.ends_with("    step 2999\n"), "{text}");
}

#[test]
fn todo_lists() {
    let todo = |content: &str, status| Todo {
        content: content.into(),
        active_form: Some(format!("{content} …")),
        status,
    };
    let items = [
        todo("read", TodoStatus::Completed),
        todo("write", TodoStatus::InProgress),
        todo("test", TodoStatus::Pending),
    ];
    expect![[r#"
        Todos
          ☑ read
          ▶ write …
          ☐ test
    "#]]
    .assert_eq(&plain_text(&todos(&items, 40)));
}
