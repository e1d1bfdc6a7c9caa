//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::testing::Desk;
use crate::tool::Preview;
use policy::Behavior;
use serde_json::{Value, json};

const BOOK: &str = r#"{
  "cells": [
    { "cell_type": "code", "execution_count": 1, "id": "a", "metadata": {}, "outputs": [2],
      "source": ["1 + 1"] }
  ],
  "nbformat": 4,
  "nbformat_minor": 5
}"#;

fn input(more: Value) -> Value {
    let mut input = json!({"notebook_path": "n.ipynb"});
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    input
}

async fn read() -> Desk {
    let desk = Desk::new(&[("w/n.ipynb", BOOK)]);
    let text = desk.ok("Read", json!({"file_path": "n.ipynb"})).await;
    assert!(text.ends_with("<cell id=\"a\" type=\"code\">\n1 + 1\n</cell>\n"), "{text}");
    desk
}

#[tokio::test]
async fn cells_are_replaced_inserted_and_deleted() {
    let desk = read().await;
    let text = desk.ok("NotebookEdit", input(json!({"cell_id": "a", "new_source": "2"}))).await;
    assert_eq!(text, "Replaced the source of cell a of $/w/n.ipynb.");
    let replaced = BOOK
        .replace("[\"1 + 1\"]", "[\n        \"2\"\n      ]")
        .replace("\"execution_count\": 1", "\"execution_count\": null")
        .replace("[2]", "[]");
    assert_eq!(desk.on_disk("w/n.ipynb"), replaced);
    let insert = json!({"cell_id": "cell-0", "new_source": "# x", "cell_type": "markdown",
                        "edit_mode": "insert"});
    let text = desk.ok("NotebookEdit", input(insert)).await;
    assert!(text.ends_with(" into $/w/n.ipynb, behind cell a."), "{text}");
    let text = desk.ok("Read", json!({"file_path": "n.ipynb"})).await;
    assert!(text.contains("with 2 cells") && text.contains("# x"), "{text}");
    let delete = json!({"cell_id": "cell-1", "edit_mode": "delete"});
    desk.ok("NotebookEdit", input(delete)).await;
    assert_eq!(desk.on_disk("w/n.ipynb"), replaced);
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "Edit cell a of n.ipynb");
    let Preview::Edit { old, new, .. } = &asked[0].preview else { panic!("{asked:?}") };
    assert_eq!((old.as_deref(), new), (Some(BOOK), &replaced));
}

#[tokio::test]
async fn an_open_notebook_changes_in_the_editor_only() {
    let desk = Desk::new(&[("w/n.ipynb", "{}")]);
    desk.open("w/n.ipynb", BOOK);
    desk.ok("Read", json!({"file_path": "n.ipynb"})).await;
    desk.ok("NotebookEdit", input(json!({"cell_id": "a", "new_source": "2"}))).await;
    assert!(desk.in_editor("w/n.ipynb").contains("\"2\""));
    assert_eq!(desk.on_disk("w/n.ipynb"), "{}");
}

#[tokio::test]
async fn what_does_not_fit_says_why() {
    let desk = Desk::new(&[("w/n.ipynb", BOOK), ("w/bad.ipynb", "{\"cells\": [}"), ("w/a.py", "")]);
    let source = json!({"cell_id": "a", "new_source": "2"});
    let text = desk.err("NotebookEdit", input(source.clone())).await;
    assert!(text.contains("you have not read it"), "{text}");
    let bad = desk.ok("Read", json!({"file_path": "bad.ipynb"})).await;
    assert!(bad.starts_with("     1\t{\"cells\": [}\n<system-reminder>This is not a"), "{bad}");
    desk.ok("Read", json!({"file_path": "n.ipynb"})).await;
    let check = async |more: Value, expect: &str| {
        let text = desk.err("NotebookEdit", input(more)).await;
        assert!(text.contains(expect), "{text}");
    };
    check(json!({"cell_id": "b", "new_source": "2"}), "no cell \"b\". There are: a.").await;
    check(json!({"cell_id": "cell-1", "new_source": "2"}), "no cell \"cell-1\"").await;
    check(json!({"new_source": "2"}), "cell_id is missing").await;
    check(json!({"cell_id": "a"}), "new_source is missing").await;
    check(json!({"new_source": "", "edit_mode": "insert"}), "cell_type is missing").await;
    check(json!({"cell_id": "a", "new_source": "x", "edit_mode": "drop"}), "`drop`").await;
    check(json!({"notebook_path": "a.py", "new_source": ""}), "is not a notebook").await;
    check(json!({"notebook_path": "no.ipynb", "new_source": ""}), "does not exist").await;
    let broken = json!({"notebook_path": "bad.ipynb", "cell_id": "a", "new_source": ""});
    check(broken, "expected value at line 1 column 12").await;
    desk.write("w/n.ipynb", BOOK.replace("1 + 1", "by somebody else"));
    check(source, "has changed since you read it").await;
    assert!(desk.user.asked().is_empty());
}

#[tokio::test]
async fn a_rule_for_edit_speaks_for_notebooks() {
    let desk = read().await;
    desk.rule(Behavior::Deny, "Edit(*.ipynb)");
    let text = desk.err("NotebookEdit", input(json!({"cell_id": "a", "new_source": "2"}))).await;
    assert!(text.contains("not allowed"), "{text}");
    assert_eq!(desk.on_disk("w/n.ipynb"), BOOK);
}
