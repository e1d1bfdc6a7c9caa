//! The tool as a session calls it: through the pipeline, with a folder, an editor and a user.

use crate::testing::Desk;
use policy::Behavior;
use serde_json::json;

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[tokio::test]
async fn files_by_name() {
    let desk = Desk::new(&[
        ("w/.gitignore", "out/\n"),
        ("w/src/a.rs", ""),
        ("w/b.rs", ""),
        ("w/out/gen.d", ""),
        ("other/c.rs", ""),
    ]);
    desk.open("w/src/new.rs", "");
    let text = desk.ok("Glob", json!({"pattern": "**/*.rs"})).await;
    assert_eq!(sorted(&text), ["b.rs", "src/a.rs", "src/new.rs"]);
    let text = desk.ok("Glob", json!({"pattern": "*.rs", "path": "src"})).await;
    assert_eq!(sorted(&text), ["src/a.rs", "src/new.rs"]);
    // Named like this, an ignored file is meant.
    assert_eq!(desk.ok("Glob", json!({"pattern": "**/*.d"})).await, "out/gen.d");
    assert_eq!(desk.ok("Glob", json!({"pattern": "*.zig"})).await, "No files found.");
    assert!(desk.user.asked().is_empty());
    let text = desk.ok("Glob", json!({"pattern": "../other/*.rs"})).await;
    assert_eq!(text, "../other/c.rs");
    assert_eq!(desk.user.asked().len(), 1, "a pattern that leads outside is asked about");
}

#[tokio::test]
async fn what_it_does_not_show() {
    let desk = Desk::new(&[("w/.env", ""), ("w/a", "")]);
    desk.rule(Behavior::Deny, "Read(.env)");
    let text = desk.ok("Glob", json!({"pattern": "*"})).await;
    assert_eq!(sorted(&text), [".keep", "a"]);
    for n in 0..120 {
        desk.write(&format!("w/many/{n}.txt"), "");
    }
    let text = desk.ok("Glob", json!({"pattern": "*.txt"})).await;
    assert!(text.contains("These are 100 of 120 files."), "{text}");
    let text = desk.err("Glob", json!({"pattern": "a[", "path": "."})).await;
    assert!(text.contains("is not right"), "{text}");
    let text = desk.err("Glob", json!({"pattern": "*", "path": "nowhere"})).await;
    assert!(text.contains("is not a folder"), "{text}");
}
