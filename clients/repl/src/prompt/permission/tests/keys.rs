//! What the keys of the prompt do.

use expect_test::expect;
use protocol::permission::ReadSubject;
use serde_json::json;

use super::*;

fn press(prompt: &mut Permission, keys: &str) -> Step<Decision> {
    let mut answer = Step::Open;
    for name in keys.split(' ') {
        assert_eq!(answer, Step::Open, "{keys}");
        answer = prompt.on_key(key(name));
    }
    answer
}

#[test]
fn one_key_answers() {
    for (keys, option, feedback) in [
        ("y", "once", None),
        ("t", "turn", None),
        ("a", "session", None),
        ("p", "project", None),
        ("u", "user", None),
        ("n", "no", None),
        ("7", "never", None),
        ("esc", "no", None),
        ("ctrl-c", "no", None),
        ("2", "turn", None),
        ("down enter", "turn", None),
        ("enter", "once", None),
        ("up enter", "never", None),
        ("e u s e enter", "no", Some("use")),
        ("e backtab y enter", "no", Some("y")),
        ("e x esc y", "once", None),
        ("9 q backtab tab alt-y ctrl-y pagedown y", "once", None),
    ] {
        let expect = Decision { feedback: feedback.map(Into::into), ..Decision::choose(option) };
        assert_eq!(press(&mut scoped(), keys), Step::Answered(expect), "{keys}");
    }
}

#[test]
fn keys_without_an_answer_do_nothing() {
    let mut prompt = command_prompt("ls");
    for name in ["t", "p", "u", "i", "E", "4", "x"] {
        assert_eq!(prompt.on_key(key(name)), Step::Open, "{name}");
    }
    assert_eq!(prompt.on_key(key("y")), Step::Answered(Decision::choose("once")));
}

#[test]
fn the_command_can_be_changed_before_it_is_allowed() {
    let changed = |command: &str| Some(json!({"command": command, "timeout": 5}));
    for (keys, expect) in [
        ("i space - q enter", changed("cargo test --all -q")),
        ("E ctrl-u l s ctrl-j p w d enter", changed("ls\npwd")),
        // Nothing changed: it is allowed as it is.
        ("i enter", None),
        ("i x backspace enter", None),
        ("i x esc y", None),
        ("i ctrl-u enter l s enter", changed("ls")),
        ("i backtab tab ctrl-r x enter", changed("cargo test --allx")),
        ("i x ctrl-c i y enter", changed("cargo test --ally")),
    ] {
        let expect = Decision { edited_input: expect, ..Decision::choose("once") };
        assert_eq!(press(&mut scoped(), keys), Step::Answered(expect), "{keys}");
    }
}

#[test]
fn any_other_input_is_changed_as_json() {
    let mut prompt = scoped();
    prompt.request.subject = Subject::from(ReadSubject { uri: "file:///x".into(), target: None });
    assert_eq!(press(&mut prompt, "i ctrl-u backspace enter"), Step::Open);
    let (rows, caret) = prompt.draw(60, 12, 0);
    let text = plain_text(&rows);
    assert!(text.contains("This is not JSON"), "{text}");
    assert!(caret.is_some());
    prompt.paste("}");
    let expect = Decision::choose("once");
    assert_eq!(press(&mut prompt, "enter"), Step::Answered(expect));
}

#[test]
fn the_input_being_changed() {
    let mut prompt = scoped();
    prompt.on_key(key("i"));
    check(
        prompt,
        12,
        &expect![[r#"
        ────────────────────────────────────────
        Run a command
        Change the command (enter: allow it like
        this, once; ctrl+j: new line; esc: back)
        › cargo test --all
    "#]],
    );
}

#[test]
fn a_folder_is_trusted_only_on_purpose() {
    for (keys, option) in [
        ("y", Some("trust")),
        ("1", Some("trust")),
        ("n", Some("never")),
        ("enter", Some("never")),
        // Not now: nothing is remembered.
        ("esc", None),
        ("e a u esc", None),
    ] {
        let expect = Decision { option: option.map(Into::into), ..Decision::default() };
        assert_eq!(press(&mut trust(&["hook: x"]), keys), Step::Answered(expect), "{keys}");
    }
}
