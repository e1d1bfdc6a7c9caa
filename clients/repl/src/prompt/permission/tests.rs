//! What the prompt shows, and what its keys do.

mod keys;

use expect_test::{Expect, expect};
use protocol::permission::{
    CommandPart, CommandSubject, EditSubject, PermissionOption, ReadSubject, TrustSubject,
};
use protocol::tool::{FileDiff, ToolCall, ToolKind};
use serde_json::json;

use super::super::tests::key;
use super::*;
use crate::render::line::plain_text;

fn option(id: &str, label: &str, kind: OptionKind, scope: OptionScope) -> PermissionOption {
    PermissionOption { id: id.into(), label: label.into(), kind, scope, rule: None }
}

fn request(subject: impl Into<Subject>) -> PermissionRequestParams {
    PermissionRequestParams {
        request_id: "r1".into(),
        session_id: "s1".into(),
        turn_id: None,
        tool_call: None,
        title: "Run a command".into(),
        reason: "No rule allows it.".into(),
        subject: subject.into(),
        options: vec![
            option("once", "Yes", OptionKind::Allow, OptionScope::Once),
            option("session", "Yes, in this session", OptionKind::Allow, OptionScope::Session),
            option("no", "No", OptionKind::Deny, OptionScope::Once),
        ],
        editable: None,
        agent: None,
    }
}

fn command_prompt(text: &str) -> Permission {
    let subject = CommandSubject {
        command: text.into(),
        cwd: "/w".into(),
        parts: None,
        more_parts: None,
        sandbox: None,
    };
    Permission::new(Origin::Pending, request(subject), "/w")
}

fn check(mut prompt: Permission, height: usize, expect: &Expect) {
    expect.assert_eq(&plain_text(&prompt.draw(40, height, 0).0));
}

#[test]
fn shows_the_command_whole() {
    check(
        command_prompt("cargo test\u{202e} --workspace"),
        20,
        &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              cargo test<U+202E> --workspace
              in /w
              nothing keeps it in: it can do what
              you can do
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
    );
}

#[test]
fn shows_the_change_and_says_what_is_out_of_sight() {
    let subject = EditSubject {
        uri: "file:///w/a.rs".into(),
        version: None,
        old_text: None,
        new_text: Some((1..=20).map(|n| format!("line {n}\n")).collect()),
        others: None,
        target: None,
    };
    check(
        Permission::new(Origin::Pending, request(subject), "/w"),
        12,
        &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              new file a.rs
              1 + line 1
              2 + line 2
              3 + line 3
            … 0 rows above, 17 below (PgUp, PgDn)
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
    );
}

#[test]
fn shows_every_file_of_one_change() {
    let change = |uri: &str| FileDiff {
        uri: uri.into(),
        version: None,
        old_text: Some("one\n".into()),
        new_text: Some("uno\n".into()),
    };
    let FileDiff { uri, version, old_text, new_text } = change("file:///w/a.rs");
    let others = Some(vec![change("file:///w/b.rs")]);
    let subject = EditSubject { uri, version, old_text, new_text, others, target: None };
    check(
        Permission::new(Origin::Pending, request(subject), "/w"),
        20,
        &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              a.rs
              1 - one
              1 + uno
              b.rs
              1 - one
              1 + uno
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
    );
}

#[test]
fn shows_what_a_command_consists_of_and_what_keeps_it_in() {
    let part = |words: &[&str], reads: &[&str], writes: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|&text| text.to_owned()).collect();
        CommandPart { words: owned(words), reads: owned(reads), writes: owned(writes) }
    };
    let subject = CommandSubject {
        command: "cat a.txt | tee out/b.txt 'two words'".into(),
        cwd: "/w/sub".into(),
        parts: Some(vec![
            part(&["cat", "a.txt"], &["/w/sub/a.txt"], &[]),
            part(&["tee", "out/b.txt", "two words"], &[], &["/w/sub/out/b.txt", "/etc/x"]),
        ]),
        more_parts: Some(2),
        sandbox: Some("bubblewrap, network off".into()),
    };
    check(
        Permission::new(Origin::Pending, request(subject), "/w"),
        20,
        &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              cat a.txt | tee out/b.txt 'two words'
              1. cat a.txt
                 reads a.txt
              2. tee out/b.txt 'two words'
                 writes out/b.txt, /etc/x
              … 2 more commands
              in /w/sub
              kept in by bubblewrap, network off
            ❯ 1. Yes (y)
              2. Yes, in this session (a)
              3. No (n, esc)
              e: deny and say why
        "#]],
    );
}

#[test]
fn one_part_that_names_no_file_is_not_said_twice() {
    let words = vec!["cargo".to_owned(), "test".to_owned()];
    let parts = Some(vec![CommandPart { words, reads: Vec::new(), writes: Vec::new() }]);
    let command = "cargo test".to_owned();
    let subject =
        CommandSubject { command, cwd: "/w".into(), parts, more_parts: None, sandbox: None };
    let mut prompt = Permission::new(Origin::Pending, request(subject), "/w");
    let text = plain_text(&prompt.draw(60, 20, 0).0);
    assert_eq!(text.matches("cargo test").count(), 1, "{text}");
}

/// However it is padded, the end of a command is in sight, and so is how much is not.
#[test]
fn the_end_of_a_command_cannot_be_pushed_away() {
    let rows = |text: &str| format!("ls {} rm -rf ~/x", text);
    for (command, expect) in [
        (rows(&" ".repeat(3000)), "<3002 spaces>"),
        (rows(&"\t".repeat(3000)), "spaces>"),
        (rows(&"\n".repeat(3000)), "<2999 empty lines>"),
        (rows(&"# x\n".repeat(3000)), "rows above"),
        (rows(&"a ".repeat(30_000)), "rows above"),
        (rows(&"日本".repeat(3000)), "rows above"),
    ] {
        let mut prompt = command_prompt(&command);
        let text = plain_text(&prompt.draw(40, 14, 0).0);
        assert!(text.contains(expect), "{expect}: {text}");
        assert!(text.replace("\n  ", "").contains("rm -rf ~/x"), "{text}");
        assert!(text.lines().count() <= 14, "{text}");
    }
}

#[test]
fn a_very_long_command_says_how_much_is_left_out() {
    let mut prompt = command_prompt(&"x".repeat(100_000));
    let mut text = String::new();
    for _ in 0..200 {
        text = plain_text(&prompt.draw(100, 30, 0).0);
        if text.contains("more characters") {
            break;
        }
        prompt.on_key(key("pagedown"));
    }
    assert!(text.contains("… 82000 more characters, and at the end:"), "{text}");
}

#[test]
fn nothing_of_a_command_reaches_the_terminal_unseen() {
    let mut prompt = command_prompt("echo \u{1b}]0;x\u{7}\u{8}\r\u{202e} \u{200b}\u{2019}");
    let text = plain_text(&prompt.draw(80, 20, 0).0);
    assert!(text.contains("echo ^[]0;x^G^H^M<U+202E> <U+200B><U+2019>"), "{text}");
    assert!(!text.chars().any(|c| c != '\n' && c.is_control()), "{text:?}");
}

#[test]
fn shows_where_a_link_leads() {
    let target = Some("/etc/hosts".to_owned());
    let read = ReadSubject { uri: "file:///w/notes".into(), target: target.clone() };
    let edit = EditSubject {
        uri: "file:///w/notes".into(),
        version: None,
        old_text: Some("a\n".into()),
        new_text: Some("b\n".into()),
        others: None,
        target,
    };
    for request in [request(read), request(edit)] {
        let mut prompt = Permission::new(Origin::Pending, request, "/w");
        let text = plain_text(&prompt.draw(60, 20, 0).0);
        assert!(text.contains("  notes\n  a link: the file is /etc/hosts\n"), "{text}");
    }
}

/// A prompt with every scope there is.
fn scoped() -> Permission {
    let mut prompt = command_prompt("cargo test --all");
    let rule = |mut option: PermissionOption| {
        option.rule = Some("Bash(cargo test:*)".into());
        option
    };
    use OptionKind::{Allow, Deny};
    prompt.request.options = vec![
        option("once", "Allow once", Allow, OptionScope::Once),
        rule(option("turn", "Allow until this turn ends", Allow, OptionScope::Turn)),
        rule(option("session", "Allow in this session", Allow, OptionScope::Session)),
        rule(option("project", "Always allow", Allow, OptionScope::Project)),
        rule(option("user", "Always allow", Allow, OptionScope::User)),
        option("no", "Deny", Deny, OptionScope::Once),
        rule(option("never", "Never", Deny, OptionScope::Project)),
    ];
    let input = Some(json!({"command": "cargo test --all", "timeout": 5}));
    prompt.request.editable = Some(true);
    prompt.request.tool_call = Some(ToolCall {
        tool_call_id: "c1".into(),
        name: "Bash".into(),
        kind: ToolKind::Execute,
        input,
        parent_tool_call_id: None,
    });
    prompt
}

#[test]
fn answers_say_how_long_they_hold_and_what_they_store() {
    check(
        scoped(),
        30,
        &expect![[r#"
            ────────────────────────────────────────
            Run a command
            No rule allows it.
              cargo test --all
              in /w
              nothing keeps it in: it can do what
              you can do
            ❯ 1. Allow once (y)
              2. Allow until this turn ends (t) ·
                 Bash(cargo test:*)
              3. Allow in this session (a) ·
                 Bash(cargo test:*)
              4. Always allow (p) · in this project
                 · Bash(cargo test:*)
              5. Always allow (u) · in all your
                 projects · Bash(cargo test:*)
              6. Deny (n, esc)
              7. Never · in this project ·
                 Bash(cargo test:*)
              e: deny and say why · i: change the
              command
        "#]],
    );
}

#[test]
fn keys_are_named_only_while_they_count() {
    let mut prompt = scoped();
    prompt.hears = Hears::Nothing;
    let text = plain_text(&prompt.draw(80, 30, 0).0);
    assert!(!text.contains("(y)") && !text.contains("e: deny"), "{text}");
    assert_eq!(prompt.draw(80, 30, 0).0.len(), scoped().draw(80, 30, 0).0.len());
}

fn trust(what: &[&str]) -> Permission {
    let what = what.iter().map(|&text| text.to_owned()).collect();
    let mut request = request(TrustSubject { cwd: "/w".into(), what });
    request.title = "Trust this folder?".into();
    request.reason = "It has settings of its own.".into();
    request.options = vec![
        option("trust", "Trust it", OptionKind::Allow, OptionScope::User),
        option("never", "Do not trust it", OptionKind::Deny, OptionScope::User),
    ];
    Permission::new(Origin::Pending, request, "/w")
}

#[test]
fn trust_shows_what_it_would_switch_on() {
    let what =
        ["hook PreToolUse: ./check.sh \u{1b}[2K", "MCP server db: npx db-server", "env: PATH"];
    check(
        trust(&what),
        20,
        &expect![[r#"
            ────────────────────────────────────────
            Trust this folder?
            It has settings of its own.
              /w
              If you trust it, it switches on:
              • hook PreToolUse: ./check.sh ^[[2K
              • MCP server db: npx db-server
              • env: PATH
              1. Trust it (y)
            ❯ 2. Do not trust it (n)
              esc: not now; /trust decides about it
              later
        "#]],
    );
    let many: Vec<String> = (1..=90).map(|n| format!("hook {n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let text = plain_text(&trust(&many).draw(40, 12, 0).0);
    assert!(text.contains("rows above, "), "{text}");
    assert!(text.contains("1. Trust it (y)"), "{text}");
}
