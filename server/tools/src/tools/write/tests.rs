//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::pipeline::Answer;
use crate::testing::Desk;
use crate::tool::Preview;
use serde_json::json;

#[tokio::test]
async fn a_new_file() {
    let desk = Desk::new(&[]);
    let report = desk.call("Write", json!({"file_path": "a/b/new.txt", "content": "hi\n"})).await;
    assert_eq!(desk.words(&report), "Created $/w/a/b/new.txt (3 bytes).");
    assert_eq!(desk.on_disk("w/a/b/new.txt"), "hi\n");
    let diff = &report.diffs[0];
    assert_eq!((diff.old.as_deref(), diff.new.as_str(), diff.version), (None, "hi\n", None));
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "Write a/b/new.txt");
    assert!(matches!(&asked[0].preview, Preview::Edit { old: None, .. }));
    // What it wrote, it knows.
    desk.ok("Write", json!({"file_path": "a/b/new.txt", "content": "again\n"})).await;
}

#[tokio::test]
async fn an_old_file_must_be_known() {
    let desk = Desk::new(&[("w/a", "one\r\ntwo\r\n")]);
    let write = json!({"file_path": "a", "content": "one\nthree\n"});
    let text = desk.err("Write", write.clone()).await;
    assert!(text.contains("you have not read it"), "{text}");
    desk.ok("Read", json!({"file_path": "a"})).await;
    desk.write("w/a", "one\r\nchanged\r\n");
    let text = desk.err("Write", write.clone()).await;
    assert!(text.contains("has changed since you read it"), "{text}");
    desk.ok("Read", json!({"file_path": "a"})).await;
    let text = desk.ok("Write", write.clone()).await;
    assert_eq!(text, "Changed $/w/a (+1 −1 lines). It now reads:\n     1\tone\n     2\tthree\n");
    assert_eq!(desk.on_disk("w/a"), "one\r\nthree\r\n", "the ends of lines stay");
    let text = desk.err("Write", write).await;
    assert!(text.contains("already says exactly this"), "{text}");
}

#[tokio::test]
async fn an_open_file_changes_in_the_editor_only() {
    let desk = Desk::new(&[("w/a", "disk\n")]);
    desk.open("w/a", "editor\n");
    desk.ok("Read", json!({"file_path": "a"})).await;
    let report = desk.call("Write", json!({"file_path": "a", "content": "new\n"})).await;
    assert_eq!(report.diffs[0].version, Some(2));
    assert_eq!(report.diffs[0].old.as_deref(), Some("editor\n"));
    assert_eq!((desk.in_editor("w/a").as_str(), desk.on_disk("w/a").as_str()), ("new\n", "disk\n"));
}

#[tokio::test]
async fn no_means_no() {
    let mut desk = Desk::new(&[]);
    let reason = "the user said no".to_owned();
    desk.user.answer = Answer::Deny { reason, feedback: Some("call it other.txt".to_owned()) };
    let text = desk.err("Write", json!({"file_path": "new.txt", "content": ""})).await;
    assert!(text.contains("The user says: call it other.txt"), "{text}");
    assert_eq!(workspace::kind(&desk.path("w/new.txt")).unwrap(), None);
    assert_eq!(*desk.user.recorded.lock().unwrap(), [false]);
}

#[tokio::test]
async fn what_cannot_be_written() {
    let desk = Desk::new(&[("w/dir/x", "")]);
    let check = async |path: &str, expect: &str| {
        let text = desk.err("Write", json!({"file_path": path, "content": "x"})).await;
        assert!(text.contains(expect), "{text}");
    };
    check("dir", "is a folder").await;
    check("/dev/null", "is a device").await;
    check("dir/x/y", "is not a folder").await;
}

#[tokio::test]
async fn what_was_read_in_part_is_not_replaced() {
    let desk = Desk::new(&[("w/a.txt", "one\ntwo\nthree\n")]);
    let write = || json!({"file_path": "a.txt", "content": "all new\n"});
    desk.ok("Read", json!({"file_path": "a.txt", "limit": 1})).await;
    let text = desk.err("Write", write()).await;
    assert!(text.starts_with("You have read only a part of $/w/a.txt."), "{text}");
    // A look at the end does not make up for the middle; reading on does.
    desk.ok("Read", json!({"file_path": "a.txt", "offset": 3})).await;
    desk.err("Write", write()).await;
    desk.ok("Read", json!({"file_path": "a.txt", "offset": 2})).await;
    desk.ok("Write", write()).await;
    assert_eq!(desk.on_disk("w/a.txt"), "all new\n");
}

#[tokio::test]
async fn a_read_of_the_same_answer_does_not_allow_a_write() {
    let desk = Desk::new(&[("w/a", "old\n"), ("w/b.ipynb", NOTEBOOK)]);
    let write = |content: &str| json!({ "file_path": "a", "content": content });
    desk.ok("Read", json!({ "file_path": "a" })).await;
    let report = desk.call_in_same_answer("Write", write("new\n")).await;
    assert!(desk.words(&report).contains("was read in the same response"), "{report:?}");
    assert_eq!(desk.on_disk("w/a"), "old\n");
    // An exact edit fits or does not; it does not make the rest of the file known.
    let edit = json!({ "file_path": "a", "old_string": "old", "new_string": "edited" });
    assert!(!desk.call_in_same_answer("Edit", edit).await.outcome.is_error);
    let report = desk.call_in_same_answer("Write", write("new\n")).await;
    assert!(desk.words(&report).contains("was read in the same response"), "{report:?}");
    desk.ok("Write", write("new\n")).await;
    // What it wrote itself, it knows at once.
    let report = desk.call_in_same_answer("Write", write("newer\n")).await;
    assert!(!report.outcome.is_error, "{report:?}");

    desk.ok("Read", json!({ "file_path": "b.ipynb" })).await;
    let edit = json!({ "notebook_path": "b.ipynb", "cell_id": "cell-0", "new_source": "2" });
    let report = desk.call_in_same_answer("NotebookEdit", edit.clone()).await;
    assert!(desk.words(&report).contains("was read in the same response"), "{report:?}");
    desk.ok("NotebookEdit", edit).await;
}

const NOTEBOOK: &str = r#"{
 "cells": [
  { "cell_type": "markdown", "metadata": {}, "source": ["1"] }
 ],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 4
}
"#;
