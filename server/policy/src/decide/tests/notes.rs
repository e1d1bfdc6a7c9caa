//! The agent's own notes need no question; what lies beside them does, and rules count for both.

use std::path::{Path, PathBuf};

use super::*;

const NOTES: &str = "/home/u/.bowline/memory/ship";

fn decide_with(deny: Option<&str>, mode: Mode, subject: Subject) -> Verdict {
    let rule = |text: &str| Entry {
        behavior: Behavior::Deny,
        rule: text.parse().expect("a rule"),
        source: Source::User,
    };
    let mut rules: Rules = deny.map(rule).into_iter().collect();
    rules.set_notes(Some(PathBuf::from(NOTES)));
    let roots = [PathBuf::from("/w")];
    let context = Context { mode, rules: &rules, roots: &roots, home: Some(Path::new("/home/u")) };
    decide(&Request { tool: "Write", subjects: &[subject], params: &[] }, &context).verdict
}

fn edit(path: &str, links: u64) -> Subject {
    Subject::Edit { path: path.into(), resolved: path.into(), links }
}

#[test]
fn a_note_is_written_without_a_question() {
    let check = |path: &str, links: u64, expect: Verdict| {
        let verdict = decide_with(None, Mode::Default, edit(path, links));
        assert_eq!(verdict, expect, "{path}");
    };
    check(&format!("{NOTES}/MEMORY.md"), 0, Verdict::Allow);
    check(&format!("{NOTES}/topic.md"), 1, Verdict::Allow);
    check(&format!("{NOTES}/topic.md"), 2, Verdict::Ask);
    check(&format!("{NOTES}/.envrc"), 0, Verdict::Ask);
    check(&format!("{NOTES}/run.sh"), 0, Verdict::Ask);
    check(&format!("{NOTES}/below/topic.md"), 0, Verdict::Ask);
    check(&format!("{NOTES}/.git/x.md"), 0, Verdict::Ask);
    check("/home/u/.bowline/memory/other/MEMORY.md", 0, Verdict::Ask);
    check("/home/u/.bowline/settings.json", 0, Verdict::Ask);
    // By its name a note, but really a file of somebody else.
    let link = Subject::Edit {
        path: format!("{NOTES}/topic.md").into(),
        resolved: "/home/u/diary.md".into(),
        links: 1,
    };
    assert_eq!(decide_with(None, Mode::Default, link), Verdict::Ask);
}

#[test]
fn rules_and_modes_count_for_notes_too() {
    let note = || edit(&format!("{NOTES}/MEMORY.md"), 0);
    assert_eq!(decide_with(None, Mode::Plan, note()), Verdict::Deny);
    assert_eq!(decide_with(None, Mode::DontAsk, note()), Verdict::Allow);
    let closed = Some("Edit(~/.bowline/**)");
    assert_eq!(decide_with(closed, Mode::Default, note()), Verdict::Deny);
    let read = |path: &str| Subject::Read { path: path.into(), resolved: path.into() };
    let among = read(&format!("{NOTES}/topic.md"));
    assert_eq!(decide_with(None, Mode::Default, among.clone()), Verdict::Allow);
    assert_eq!(decide_with(Some("Read(~/.bowline/**)"), Mode::Default, among), Verdict::Deny);
    let beside = read("/home/u/.bowline/credentials.json");
    assert_eq!(decide_with(None, Mode::Default, beside), Verdict::Ask);
}
