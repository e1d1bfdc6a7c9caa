//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::testing::Desk;
use crate::tool::Preview;
use policy::Behavior;
use serde_json::json;

fn edit(old: &str, new: &str) -> serde_json::Value {
    json!({"file_path": "a.rs", "old_string": old, "new_string": new})
}

#[tokio::test]
async fn one_text_for_another() {
    let desk = Desk::new(&[("w/a.rs", "fn one() {}\r\nfn two() {}\r\n")]);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let report = desk.call("Edit", edit("one() {}\nfn two", "uno() {}\nfn due")).await;
    assert_eq!(
        desk.words(&report),
        "Changed $/w/a.rs (+2 −2 lines). It now reads:\n     1\tfn uno() {}\n     2\tfn due() {}\n"
    );
    assert_eq!(desk.on_disk("w/a.rs"), "fn uno() {}\r\nfn due() {}\r\n");
    let asked = desk.user.asked();
    assert_eq!(asked[0].title, "Edit a.rs");
    let Preview::Edit { old, new, version, .. } = &asked[0].preview else { panic!("{asked:?}") };
    assert_eq!(old.as_deref(), Some("fn one() {}\r\nfn two() {}\r\n"));
    assert_eq!((new.as_str(), *version), ("fn uno() {}\r\nfn due() {}\r\n", None));
}

#[tokio::test]
async fn an_open_file_changes_in_the_editor_only() {
    let desk = Desk::new(&[("w/a.rs", "disk")]);
    desk.open("w/a.rs", "unsaved text\n");
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    desk.ok("Edit", edit("unsaved", "edited")).await;
    assert_eq!(desk.in_editor("w/a.rs"), "edited text\n");
    assert_eq!(desk.on_disk("w/a.rs"), "disk");
    desk.lose_step("w/a.rs");
    let text = desk.err("Edit", edit("edited", "x")).await;
    assert!(text.contains("disagree about $/w/a.rs"), "{text}");
}

#[tokio::test]
async fn what_does_not_fit_says_why() {
    let desk = Desk::new(&[("w/a.rs", "let x = 1;\nlet x = 1;\nlet yes = 2;\n")]);
    let text = desk.err("Edit", edit("let", "const")).await;
    assert_eq!(text, "You have not read $/w/a.rs yet. Read it first.");
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let check = async |old: &str, new: &str, expect: &str| {
        let text = desk.err("Edit", edit(old, new)).await;
        assert!(text.contains(expect), "{text}");
    };
    check("let x", "const x", "found 2 times (lines 1, 2)").await;
    check("let yse = 2;", "", "let yes = 2;").await;
    check("let yes", "let yes", "are the same").await;
    check("", "x", "is empty").await;
    assert_eq!(desk.on_disk("w/a.rs"), "let x = 1;\nlet x = 1;\nlet yes = 2;\n");
    let all =
        json!({"file_path": "a.rs", "old_string": "x", "new_string": "z", "replace_all": true});
    let text = desk.ok("Edit", all).await;
    assert!(text.starts_with("Changed $/w/a.rs (+2 −2 lines, 2 places)"), "{text}");
}

#[tokio::test]
async fn several_edits_are_all_made_or_none() {
    let desk = Desk::new(&[("w/a.rs", "one\ntwo\nthree\n")]);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let edits = |list: serde_json::Value| json!({"file_path": "a.rs", "edits": list});
    let check = async |input: serde_json::Value, expect: &str| {
        let text = desk.err("Edit", input).await;
        assert!(text.contains(expect), "{text}");
    };
    let one = json!({"old_string": "one", "new_string": "1"});
    let four = json!({"old_string": "four", "new_string": "4"});
    let edit_2 = "None of the 2 edits was made, because of edit 2: The text to replace was not";
    check(edits(json!([one, four])), edit_2).await;
    check(edits(json!([])), "edits is empty").await;
    let there_and_back = json!([one, {"old_string": "1", "new_string": "one"}]);
    check(edits(there_and_back), "one edit undoes the other").await;
    check(json!({"file_path": "a.rs"}), "old_string is missing").await;
    check(json!({"file_path": "a.rs", "old_string": "one"}), "new_string is missing").await;
    check(json!({"file_path": "a.rs", "old_string": "x", "edits": [one]}), "and not both").await;
    check(json!({"file_path": "a.rs", "edits": [{"old_string": "x"}]}), "`new_string`").await;
    assert_eq!(desk.on_disk("w/a.rs"), "one\ntwo\nthree\n");
    // Each is made in what the one before left.
    let all = json!([one, {"old_string": "1\ntwo", "new_string": "1\n2"},
                     {"old_string": "e", "new_string": "E", "replace_all": true}]);
    let report = desk.call("Edit", edits(all)).await;
    let text = desk.words(&report);
    assert!(text.starts_with("Changed $/w/a.rs (+3 −3 lines, 4 places)."), "{text}");
    assert_eq!(desk.on_disk("w/a.rs"), "1\n2\nthrEE\n");
    assert_eq!(desk.user.asked().len(), 1, "one question for all of them");
}

#[tokio::test]
async fn what_was_overlooked_is_said() {
    let desk = Desk::new(&[("w/a.rs", "mod a {\n    fn one() {\n        1\n    }\n}\n")]);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let text = desk.ok("Edit", edit("fn one() {\n    1\n}\n", "fn uno() {\n    2\n}\n")).await;
    assert_eq!(desk.on_disk("w/a.rs"), "mod a {\n    fn uno() {\n        2\n    }\n}\n");
    assert!(text.contains("nearly so: the text in the file is indented in another way"), "{text}");
}

#[tokio::test]
async fn a_notebook_is_changed_by_its_cells() {
    let desk = Desk::new(&[("w/a.ipynb", "{}")]);
    desk.ok("Read", json!({"file_path": "a.ipynb"})).await;
    let edit = json!({"file_path": "a.ipynb", "old_string": "print(1)", "new_string": ""});
    let text = desk.err("Edit", edit).await;
    assert!(text.contains(" The cells of a notebook are changed with NotebookEdit."), "{text}");
}

#[tokio::test]
async fn a_file_that_changed_meanwhile() {
    let desk = Desk::new(&[("w/a.rs", "one\ntwo\n")]);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    desk.write("w/a.rs", "one\ntwo\nthree by somebody else\n");
    let text = desk.ok("Edit", edit("one", "uno")).await;
    assert!(text.contains("Somebody else changed this file"), "{text}");
    assert_eq!(desk.on_disk("w/a.rs"), "uno\ntwo\nthree by somebody else\n");
    desk.write("w/a.rs", "all new\n");
    let text = desk.err("Edit", edit("two", "due")).await;
    assert!(text.contains("has changed since you read it"), "{text}");
}

#[tokio::test]
async fn files_that_are_new_or_empty() {
    let desk = Desk::new(&[("w/empty", "")]);
    let text = desk.err("Edit", edit("x", "y")).await;
    assert!(text.contains("does not exist") && text.contains("Write"), "{text}");
    desk.ok("Edit", edit("", "made\n")).await;
    assert_eq!(desk.on_disk("w/a.rs"), "made\n");
    desk.ok("Read", json!({"file_path": "empty"})).await;
    let fill = json!({"file_path": "empty", "old_string": "", "new_string": "full"});
    desk.ok("Edit", fill).await;
    assert_eq!(desk.on_disk("w/empty"), "full");
}

#[tokio::test]
async fn nothing_is_told_about_a_file_that_may_not_be_seen() {
    let desk = Desk::new(&[("w/a.rs", "the secret\n")]);
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    desk.rule(Behavior::Deny, "Read(./a.rs)");
    let text = desk.err("Edit", edit("the sceret", "x")).await;
    assert!(text.contains("not allowed") && !text.contains("secret\n"), "{text}");
    assert!(desk.user.asked().is_empty());
}

#[tokio::test]
async fn a_link_keeps_leading_to_its_file() {
    let desk = Desk::new(&[("w/real", "x"), ("outside", "x")]);
    std::os::unix::fs::symlink("real", desk.path("w/a.rs")).unwrap();
    desk.ok("Read", json!({"file_path": "a.rs"})).await;
    let text = desk.ok("Edit", edit("x", "y")).await;
    assert!(text.starts_with("Changed $/w/a.rs"), "{text}");
    assert_eq!(desk.on_disk("w/real"), "y");
}
