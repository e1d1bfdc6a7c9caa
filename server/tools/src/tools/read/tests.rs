//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

mod media;

use crate::testing::Desk;
use crate::tool::Preview;
use policy::Behavior;
use serde_json::json;
use std::fmt::Write;

#[tokio::test]
async fn lines_with_numbers() {
    let desk = Desk::new(&[("w/a.txt", "one\r\n\ttwo\nthree")]);
    let text = desk.ok("Read", json!({"file_path": "a.txt"})).await;
    assert_eq!(text, "     1\tone\n     2\t\ttwo\n     3\tthree\n");
    let absolute = desk.path("w/a.txt");
    let text = desk.ok("Read", json!({"file_path": absolute, "offset": 2, "limit": 1})).await;
    assert_eq!(text, "     2\t\ttwo\n");
    assert!(desk.user.asked().is_empty(), "files in the workspace are read without a question");
}

#[tokio::test]
async fn the_text_in_the_editor() {
    let desk = Desk::new(&[("w/a.txt", "on the disk\n")]);
    desk.open("w/a.txt", "in the editor\n");
    desk.open("w/new.txt", "never saved\n");
    assert_eq!(desk.ok("Read", json!({"file_path": "a.txt"})).await, "     1\tin the editor\n");
    assert_eq!(desk.ok("Read", json!({"file_path": "new.txt"})).await, "     1\tnever saved\n");
    desk.lose_step("w/a.txt");
    let text = desk.ok("Read", json!({"file_path": "a.txt"})).await;
    assert!(text.contains("<system-reminder>") && text.contains("out of date"), "{text}");
}

#[tokio::test]
async fn parts_of_a_large_file() {
    let mut long = String::new();
    for line in 1..=5_000 {
        writeln!(long, "line {line}").unwrap();
    }
    let desk = Desk::new(&[("w/long", &long), ("w/wide", &"x".repeat(1_000).add_lines(200))]);
    let text = desk.ok("Read", json!({"file_path": "long"})).await;
    assert!(text.contains("  2000\tline 2000\n") && !text.contains("line 2001"), "{text}");
    assert!(text.contains("PARTIAL: these are lines 1 to 2000 of 5000. Read on with offset 2001"));
    let text = desk.ok("Read", json!({"file_path": "long", "offset": 4999})).await;
    assert_eq!(text, "  4999\tline 4999\n  5000\tline 5000\n");
    let text = desk.ok("Read", json!({"file_path": "wide"})).await;
    assert!(text.len() < 90_000 && text.contains("PARTIAL"), "{}", text.len());
    let text = desk.err("Read", json!({"file_path": "wide", "limit": 200})).await;
    assert!(text.contains("too much for one call. Lines 1 to 79 would fit."), "{text}");
}

#[tokio::test]
async fn a_large_file_comes_with_an_outline_of_the_rest() {
    let text = "// one\n".repeat(1_999) + "fn shown() {}\n\nmod unseen {\n    fn here() {}\n}\n";
    let desk = Desk::new(&[("w/long.rs", &text), ("w/short.rs", "fn a() {}\n")]);
    let outline = "\nOutline of lines 2001 to 2004:\n2002-2004\tmodule unseen\n\
                   2003-2003\t  function here\n<system-reminder>PARTIAL";
    let read = desk.ok("Read", json!({"file_path": "long.rs"})).await;
    assert!(read.contains(outline), "{}", &read[read.len() - 500..]);
    for input in [
        json!({"file_path": "short.rs"}),
        json!({"file_path": "long.rs", "offset": 1}),
        json!({"file_path": "long.rs", "limit": 100}),
    ] {
        let read = desk.ok("Read", input).await;
        assert!(!read.contains("Outline"), "{read}");
    }
}

trait AddLines {
    fn add_lines(self, count: usize) -> String;
}

impl AddLines for String {
    fn add_lines(self, count: usize) -> String {
        (self + "\n").repeat(count)
    }
}

#[tokio::test]
async fn what_cannot_be_read() {
    let desk = Desk::new(&[("w/main.rs", "x"), ("w/empty", ""), ("w/image", "\u{0}")]);
    let check = async |input: serde_json::Value, expect: &str| {
        let text = desk.err("Read", input).await;
        assert!(text.contains(expect), "{text}");
    };
    check(json!({"file_path": "mian.rs"}), "$/w/mian.rs does not exist; did you mean main.rs?")
        .await;
    check(json!({"file_path": "."}), "is a folder; name a file in it").await;
    check(json!({"file_path": "image"}), "is binary data, not text").await;
    check(json!({"file_path": ""}), "The path is empty").await;
    check(json!({"file_path": "/dev/zero"}), "is a device, not a file").await;
    check(json!({"file_path": "main.rs", "offset": 9}), "has 1 lines, and line 9 is past").await;
    check(json!({"path": "main.rs"}), "missing field `file_path`").await;
    let text = desk.ok("Read", json!({"file_path": "empty"})).await;
    assert_eq!(text, "<system-reminder>The file exists, and it is empty.</system-reminder>");
}

#[tokio::test]
async fn outside_of_the_workspace_the_user_is_asked() {
    let desk = Desk::new(&[("outside.txt", "o"), ("home/notes", "n"), ("home/.env", "secret")]);
    std::os::unix::fs::symlink("../home/.env", desk.path("w/innocent")).unwrap();
    desk.ok("Read", json!({"file_path": "../outside.txt"})).await;
    assert_eq!(desk.ok("Read", json!({"file_path": "~/notes"})).await, "     1\tn\n");
    let asked = desk.user.asked();
    assert_eq!(asked.len(), 2);
    assert!(
        matches!(&asked[1].preview, Preview::Read { path } if *path == desk.path("home/notes"))
    );
    desk.rule(Behavior::Deny, "Read(~/.env)");
    let text = desk.err("Read", json!({"file_path": "innocent"})).await;
    assert!(text.contains("not allowed") && !text.contains("secret"), "{text}");
}
