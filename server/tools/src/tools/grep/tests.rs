//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::testing::Desk;
use policy::Behavior;
use serde_json::{Value, json};

fn desk() -> Desk {
    let desk = Desk::new(&[
        ("w/a.rs", "fn one() {}\n// gap\n// gap\nfn One() {}\n"),
        ("w/b.txt", "one stale\n"),
        ("w/.env", "one secret\n"),
    ]);
    desk.rule(Behavior::Deny, "Read(.env)");
    desk.open("w/b.txt", "one in the editor\none\n");
    desk
}

#[tokio::test]
async fn what_to_show() {
    let desk = desk();
    let check = async |input: Value, expect: &str| {
        let text = desk.ok("Grep", input.clone()).await;
        assert_eq!(text, expect, "{input}");
    };
    check(json!({"pattern": "fn one"}), "1 file has a match:\na.rs").await;
    check(
        json!({"pattern": "one", "output_mode": "count"}),
        "a.rs:1\nb.txt:2\n3 matches in 2 files in all.",
    )
    .await;
    check(
        json!({"pattern": "one", "output_mode": "content"}),
        "a.rs:1:fn one() {}\nb.txt:1:one in the editor\nb.txt:2:one",
    )
    .await;
    check(
        json!({"pattern": "one", "output_mode": "content", "-n": false, "-i": true, "type": "rust"}),
        "a.rs:fn one() {}\na.rs:fn One() {}",
    )
    .await;
    check(
        json!({"pattern": "one", "output_mode": "content", "-i": true, "glob": "*.rs", "-A": 1}),
        "a.rs:1:fn one() {}\na.rs-2-// gap\n--\na.rs:4:fn One() {}",
    )
    .await;
    check(
        json!({"pattern": "o.e", "output_mode": "content", "-o": true, "path": "b.txt", "-C": 1}),
        "b.txt:1:one\nb.txt:2:one",
    )
    .await;
    check(json!({"pattern": "stale|secret"}), "No matches found.").await;
    check(
        json!({"pattern": "one.*gap", "multiline": true, "-o": true, "output_mode": "content"}),
        "a.rs:1:one() {}\na.rs:2:// gap\na.rs:3:// gap",
    )
    .await;
    assert!(desk.user.asked().is_empty());
}

#[tokio::test]
async fn a_page_of_a_long_result() {
    let desk = Desk::new(&[("w/a", &"x\n".repeat(400))]);
    let text = desk.ok("Grep", json!({"pattern": "x", "output_mode": "content"})).await;
    assert!(text.contains("a:250:x") && !text.contains("a:251:x"), "{text}");
    assert!(text.contains("go on with offset 250"), "{text}");
    let next = json!({"pattern": "x", "output_mode": "content", "offset": 250, "head_limit": 2});
    let text = desk.ok("Grep", next).await;
    assert!(text.starts_with("a:251:x\na:252:x\n<system-reminder>"), "{text}");
    let all = json!({"pattern": "x", "output_mode": "content", "head_limit": 0});
    let text = desk.ok("Grep", all).await;
    assert!(text.ends_with("a:400:x"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_searched() {
    let desk = desk();
    let check = async |input: Value, expect: &str| {
        let text = desk.err("Grep", input).await;
        assert!(text.contains(expect), "{text}");
    };
    check(json!({"pattern": "foo("}), "unclosed group at character 4").await;
    check(json!({"pattern": "x", "path": "none"}), "does not exist").await;
    check(json!({"pattern": "x", "type": "rsut"}), "no file type \"rsut\"").await;
    check(json!({"pattern": "x", "output_mode": "lines"}), "unknown variant `lines`").await;
}
