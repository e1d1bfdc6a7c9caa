//! Paths that mean to deceive: each is decided about where it really leads, or refused at once.

use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;

use policy::{Behavior, Mode};
use serde_json::{Value, json};

use crate::pipeline::{Answer, CallStatus};
use crate::testing::Desk;

/// A workspace `w` with a file, a secret, and a world outside.
fn desk() -> Desk {
    let mut desk = Desk::new(&[
        ("w/a.txt", "inside\n"),
        ("w/.env", "KEY=canary\n"),
        ("outside/a.txt", "canary\n"),
        ("w_evil/a.txt", "canary\n"),
    ]);
    // Who is asked says no: what would be asked about must not happen.
    desk.user.answer = Answer::Deny { reason: "the user said no".to_owned(), feedback: None };
    desk
}

fn path(desk: &Desk, name: &str) -> String {
    match name.strip_prefix("$/") {
        Some(name) => desk.path(name).display().to_string(),
        None => name.to_owned(),
    }
}

fn read(desk: &Desk, name: &str) -> Value {
    json!({ "file_path": path(desk, name) })
}

fn write(desk: &Desk, name: &str) -> Value {
    json!({ "file_path": path(desk, name), "content": "x" })
}

fn link(desk: &Desk, target: &str, name: &str) {
    symlink(path(desk, target), desk.path(name)).unwrap();
}

#[tokio::test]
async fn what_leads_outside_is_asked_about() {
    let desk = desk();
    link(&desk, "$/outside/a.txt", "w/leaf");
    link(&desk, "$/outside", "w/way");
    link(&desk, "$/outside/not-yet", "w/dangling");
    desk.session.update_permissions(|permissions| permissions.mode = Mode::AcceptEdits);
    let check = async |tool: &str, input: Value| {
        let before = desk.user.asked().len();
        let report = desk.call(tool, input.clone()).await;
        assert_eq!(report.status, CallStatus::Denied, "{input}: {report:?}");
        assert_eq!(desk.user.asked().len(), before + 1, "{input}");
        assert!(!desk.words(&report).contains("canary"), "{report:?}");
    };
    // F-01, F-02, F-03, F-06.
    for name in [
        "$/w_evil/a.txt",
        "../outside/a.txt",
        "sub/../../outside/a.txt",
        "./././../outside/a.txt",
        "leaf",
        "way/a.txt",
        "way/../outside/a.txt",
    ] {
        check("Read", read(&desk, name)).await;
    }
    for name in ["way/new", "dangling", "way/deep/new", "../new"] {
        check("Write", write(&desk, name)).await;
    }
    check("Grep", json!({ "pattern": "canary", "path": "way" })).await;
    check("Glob", json!({ "pattern": "*", "path": "way" })).await;
    check("Glob", json!({ "pattern": "way/*" })).await;
    check("Glob", json!({ "pattern": "../outside/*" })).await;
    assert_eq!(workspace::kind(&desk.path("outside/not-yet")).unwrap(), None);
}

#[tokio::test]
async fn what_is_no_file_is_an_error_at_once() {
    let desk = desk();
    link(&desk, "loop", "w/loop");
    for n in 0..10_000 {
        link(&desk, &format!("c{}", n + 1), &format!("w/c{n}"));
    }
    let _socket = UnixListener::bind(desk.path("w/socket")).unwrap();
    desk.session.update_permissions(|permissions| permissions.mode = Mode::BypassPermissions);
    let check = async |name: &str, expect: &str| {
        for (tool, input) in [("Read", read(&desk, name)), ("Write", write(&desk, name))] {
            let words = desk.err(tool, input).await;
            assert!(words.contains(expect), "{tool} {name:?}: {words}");
        }
    };
    // F-07, F-11, F-15, F-21, F-29.
    check("loop", "goes in a circle").await;
    check("c0", "goes in a circle").await;
    check("socket", "is a socket").await;
    check("/dev/zero", "is a device").await;
    check("a\0b", "NUL byte").await;
    check(r"\\server\share\x", "network share").await;
    check(r"\\?\UNC\server\share\x", "network share").await;
    check(r"\??\C:\x", "network share").await;
    check(&"n".repeat(300), "File name too long").await;
    check(&"n/".repeat(100_000), "too long").await;
    check("a.txt/below", "is not a folder").await;
    check("a.txt/../a.txt", "is not a folder").await;
    check("  ", "The path is empty").await;
    let words = desk.err("Glob", json!({ "pattern": "*", "path": r"\\server\share" })).await;
    assert!(words.contains("network share"), "{words}");
    let words = desk.err("Grep", json!({ "pattern": "x", "path": r"\\server\share" })).await;
    assert!(words.contains("network share"), "{words}");
}

/// F-10: what the kernel keeps for processes is refused in every mode.
#[tokio::test]
async fn no_way_through_the_kernel() {
    let desk = desk();
    link(&desk, "/proc/self/root", "w/root");
    link(&desk, "/proc/self/cwd/a.txt", "w/cwd");
    desk.session.update_permissions(|permissions| permissions.mode = Mode::BypassPermissions);
    for name in [
        "/proc/self/root/etc/passwd",
        "/proc/self/environ",
        "/proc/self/fd/0",
        "/dev/fd/0",
        "root/etc/passwd",
        "cwd",
    ] {
        let report = desk.call("Read", read(&desk, name)).await;
        assert!(report.outcome.is_error, "{name}: {report:?}");
    }
    let report = desk.call("Bash", json!({ "command": "cat root/etc/passwd" })).await;
    assert_eq!(report.status, CallStatus::Denied, "{report:?}");
}

/// F-05: a rule hides a file by whatever name, and whatever looks for it.
#[tokio::test]
async fn what_a_rule_hides_is_hidden_behind_links_too() {
    let desk = desk();
    link(&desk, "$/w/.env", "w/innocent");
    link(&desk, "$/w/sub", "w/alias");
    desk.write("w/sub/b.txt", "canary\n");
    desk.write("w/sub/c.txt", "plain\n");
    desk.rule(Behavior::Deny, "Read(.env)");
    desk.rule(Behavior::Deny, "Read(/alias/b.txt)");
    for name in ["innocent", ".env", "alias/b.txt"] {
        let report = desk.call("Read", read(&desk, name)).await;
        assert_eq!(report.status, CallStatus::Denied, "{name}: {report:?}");
    }
    let glob = |pattern: &str| json!({ "pattern": pattern });
    let found = desk.ok("Glob", glob("*")).await;
    assert!(found.contains("a.txt") && !found.contains("env") && !found.contains("innocent"));
    let grep = |at: &str| json!({ "pattern": "canary|plain|KEY", "path": at });
    assert!(!desk.ok("Grep", grep(".")).await.contains("env"));
    assert!(desk.ok("Grep", grep("alias")).await.contains("alias/c.txt"));
    assert!(!desk.ok("Grep", grep("alias")).await.contains("b.txt"));
    let found = desk.ok("Glob", glob("alias/*")).await;
    assert!(found.contains("c.txt") && !found.contains("b.txt"), "{found}");
    let report = desk.call("Grep", grep("innocent")).await;
    assert_eq!(report.status, CallStatus::Denied, "{report:?}");
}

/// F-09: a second name is asked about, and the other name keeps its text.
#[tokio::test]
async fn a_file_with_two_names() {
    let mut desk = desk();
    std::fs::hard_link(desk.path("outside/a.txt"), desk.path("w/twin")).unwrap();
    desk.session.update_permissions(|permissions| permissions.mode = Mode::AcceptEdits);
    desk.ok("Read", read(&desk, "twin")).await;
    let report = desk.call("Write", write(&desk, "twin")).await;
    assert_eq!(report.status, CallStatus::Denied, "{report:?}");
    desk.user.answer = Answer::Allow { reason: "yes".to_owned(), edited_input: None };
    desk.ok("Write", write(&desk, "twin")).await;
    assert_eq!(desk.on_disk("w/twin"), "x");
    assert_eq!(desk.on_disk("outside/a.txt"), "canary\n");
}
