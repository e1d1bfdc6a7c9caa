//! An open file whose text on the disk is another one: what the tools say and do.

#![expect(clippy::disallowed_methods, reason = "somebody else changes the disk")]

use crate::testing::Desk;
use serde_json::{Value, json};

fn edit(old: &str, new: &str) -> Value {
    json!({"file_path": "a", "old_string": old, "new_string": new})
}

async fn read(desk: &Desk) -> String {
    desk.ok("Read", json!({"file_path": "a"})).await
}

#[tokio::test]
async fn the_disk_is_ahead_of_an_unchanged_buffer() {
    let desk = Desk::new(&[("w/a", "one\ntwo\n")]);
    desk.open_saved("w/a");
    desk.write("w/a", "one\nby git\n");
    assert_eq!(read(&desk).await, "     1\tone\n     2\tby git\n", "nothing to explain");
    desk.ok("Edit", edit("by git", "by us")).await;
    assert_eq!(desk.in_editor("w/a"), "one\nby us\n");
}

#[tokio::test]
async fn both_have_changed_in_different_places() {
    let desk = Desk::new(&[("w/a", "one\ntwo\nthree\nfour\n")]);
    desk.open_saved("w/a");
    desk.type_in("w/a", "ONE\ntwo\nthree\nfour\n");
    desk.write("w/a", "one\ntwo\nthree\nFOUR\n");
    let text = read(&desk).await;
    assert!(text.starts_with("     1\tONE\n     2\ttwo\n     3\tthree\n     4\tFOUR\n"), "{text}");
    assert!(text.contains("includes changes on the disk that the editor does not show"), "{text}");
    desk.ok("Edit", edit("two", "2")).await;
    assert_eq!(desk.in_editor("w/a"), "ONE\n2\nthree\nFOUR\n");
}

#[tokio::test]
async fn both_have_changed_the_same_line() {
    let desk = Desk::new(&[("w/a", "one\ntwo\nthree\n")]);
    desk.open_saved("w/a");
    desk.type_in("w/a", "one\nby the user\nthree\n");
    desk.write("w/a", "one\nby git\nthree\n");
    let text = read(&desk).await;
    assert!(text.starts_with("     1\tone\n     2\tby the user\n"), "{text}");
    let quoted = "differ at line 2 of the editor's text. Line 2 in the editor:\nby the user\nand on \
                  the disk:\nby git";
    assert!(text.contains("contradict the file on the disk") && text.contains(quoted), "{text}");
    for (tool, input) in
        [("Edit", edit("one", "1")), ("Write", json!({"file_path": "a", "content": "x\n"}))]
    {
        let text = desk.err(tool, input).await;
        assert!(text.starts_with("$/w/a was not changed: it has unsaved changes"), "{text}");
        assert!(text.contains(quoted), "{text}");
    }
    assert_eq!(desk.in_editor("w/a"), "one\nby the user\nthree\n");
    assert_eq!(desk.on_disk("w/a"), "one\nby git\nthree\n");
    assert!(desk.user.asked().is_empty());
}

#[tokio::test]
async fn deleted_on_the_disk_while_open() {
    let desk = Desk::new(&[("w/a", "one\n")]);
    desk.open_saved("w/a");
    desk.ok("Bash", json!({"command": "rm a"})).await;
    assert!(read(&desk).await.starts_with("     1\tone\n"));
    desk.ok("Edit", edit("one", "two")).await;
    assert_eq!(desk.in_editor("w/a"), "two\n");
}

/// The editor has the text, but its file is no file any more: that is told, and told to the user once.
#[tokio::test]
async fn an_open_file_that_is_gone_or_something_else_is_told() {
    type Replace = fn(&Desk);
    let cases: [(&str, Replace); 4] = [
        ("is no longer on the disk", |desk| {
            std::fs::remove_file(desk.path("w/a")).unwrap();
        }),
        ("is a folder now", |desk| {
            std::fs::remove_file(desk.path("w/a")).unwrap();
            std::fs::create_dir(desk.path("w/a")).unwrap();
        }),
        ("is a binary file now", |desk| {
            desk.write("w/a", b"\x7fELF\x02\x01\x01\x00\x00\x00\xff\xfe\x00");
        }),
        ("is a socket now", |desk| {
            std::fs::remove_file(desk.path("w/a")).unwrap();
            drop(std::os::unix::net::UnixListener::bind(desk.path("w/a")).unwrap());
        }),
    ];
    for (words, replace) in cases {
        let desk = Desk::new(&[("w/a", "one\ntwo\n")]);
        desk.open_saved("w/a");
        replace(&desk);
        assert!(read(&desk).await.contains(words), "{words}");
        for (old, new) in [("one", "1"), ("two", "2")] {
            let text = desk.ok("Edit", edit(old, new)).await;
            assert!(text.contains(words) && text.contains("in the editor only"), "{text}");
        }
        let text = desk.ok("Write", json!({"file_path": "a", "content": "x\n"})).await;
        assert!(text.contains(words), "{text}");
        assert_eq!(desk.in_editor("w/a"), "x\n");
        let notices = desk.editor.notices.lock().unwrap();
        assert!(notices.len() == 1 && notices[0].contains(words), "{notices:?}");
    }
}

#[tokio::test]
async fn a_change_of_a_file_with_hard_links_says_where_it_is_visible() {
    let desk = Desk::new(&[("w/a", "one\ntwo\n"), ("w/b", "one\n")]);
    std::fs::hard_link(desk.path("w/a"), desk.path("w/other")).unwrap();
    std::fs::hard_link(desk.path("w/b"), desk.path("w/c")).unwrap();
    desk.open_saved("w/b");
    read(&desk).await;
    let text = desk.ok("Edit", edit("one", "1")).await;
    assert!(text.contains("had 2 hard links") && text.contains("under this name only"), "{text}");
    assert_eq!(
        (desk.on_disk("w/a").as_str(), desk.on_disk("w/other").as_str()),
        ("1\ntwo\n", "one\ntwo\n")
    );
    let text = desk.ok("Edit", edit("two", "2")).await;
    assert!(!text.contains("hard links"), "{text}");
    desk.ok("Read", json!({"file_path": "b"})).await;
    let input = json!({"file_path": "b", "old_string": "one", "new_string": "1"});
    let text = desk.ok("Edit", input).await;
    assert!(text.contains("has 2 hard links") && text.contains("under all of them"), "{text}");
}
