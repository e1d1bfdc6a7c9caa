//! What a watcher says, line by line.

use super::*;
use crate::testing::Desk;
use serde_json::json;

#[tokio::test]
async fn every_line_is_told_and_kept() {
    let desk = Desk::new(&[]);
    let command = "echo one; printf 'two\\n\\nthree\\n'";
    let text = desk.ok("Monitor", json!({"command": command, "description": "Watch"})).await;
    assert!(text.starts_with("Watching as task t1, for 300 seconds at most."), "{text}");
    let end = desk.editor.errands.end_of("t1").await;
    assert_eq!((end.state, end.exit_code), (TaskState::Completed, Some(0)));
    assert_eq!(*desk.editor.errands.told.lock().unwrap(), ["one", "two", "three"]);
    assert_eq!(desk.on_disk("tasks/t1.output"), "one\ntwo\n\nthree\n");
}

#[test]
fn lines_come_whole_and_endless_ones_in_pieces() {
    let redact = policy::Secrets::new(Vec::new()).redactor().stream();
    let mut lines = Lines { redact, rest: String::new() };
    let mut told = Vec::new();
    for piece in ["a", "b\nc", "\n", "\n\nd\n"] {
        lines.push(piece, |line| told.push(line.to_owned()));
    }
    assert_eq!(told, ["ab", "c", "d"]);
}
