//! What `decide` answers: cases from tables, and laws that hold for any command.

mod benign;
mod cases;
mod fuzz;
mod notes;
mod spellings;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::rules::Source;

fn decide_command(command: &str, mode: Mode, deny: &str, allow: &str) -> Verdict {
    decide_run(command, Run::Open, mode, deny, allow)
}

fn decide_run(command: &str, run: Run, mode: Mode, deny: &str, allow: &str) -> Verdict {
    let entry = |behavior, rule: &str| Entry {
        behavior,
        rule: rule.parse().unwrap(),
        source: Source::User,
    };
    let rules: Rules =
        [entry(Behavior::Deny, deny), entry(Behavior::Allow, allow)].into_iter().collect();
    let roots = [PathBuf::from("/w/proj")];
    let context = Context { mode, rules: &rules, roots: &roots, home: Some(Path::new("/home/u")) };
    let subjects = [Subject::Command { command: command.into(), cwd: roots[0].clone(), run }];
    decide(&Request { tool: "Bash", subjects: &subjects, params: &[] }, &context).verdict
}

#[test]
fn a_command_that_cannot_run_is_not_read() {
    let command = "echo a; ".repeat(40_000);
    assert_eq!(
        decide_command(&command, Mode::BypassPermissions, "Bash(rm)", "Bash"),
        Verdict::Deny
    );
}

#[test]
fn a_call_is_as_free_as_its_strictest_subject() {
    let rules = Rules::default();
    let roots = [PathBuf::from("/w/proj")];
    let context = Context { mode: Mode::Default, rules: &rules, roots: &roots, home: None };
    let read = |path: &str| Subject::Read { path: path.into(), resolved: path.into() };
    let check = |subjects: &[Subject], expect: Verdict, suggestions: usize| {
        let decision = decide(&Request { tool: "X", subjects, params: &[] }, &context);
        assert_eq!(
            (decision.verdict, decision.suggestions.len()),
            (expect, suggestions),
            "{subjects:?}"
        );
    };
    check(&[], Verdict::Ask, 0);
    check(&[read("/w/proj/a"), Subject::Internal], Verdict::Allow, 0);
    check(&[read("/w/proj/a"), read("/etc/a"), read("/etc/b")], Verdict::Ask, 2);
    check(&[read("/etc/a"), read("/proc/self/environ")], Verdict::Deny, 0);
    let git = PathBuf::from("/w/proj/.git/config");
    let protected = Subject::Edit { path: git.clone(), resolved: git, links: 1 };
    check(&[read("/etc/a"), protected], Verdict::Ask, 0);
}

proptest! {
    #[test]
    fn deciding_never_panics(command in any::<String>(), mode in prop::sample::select(Mode::ALL.to_vec())) {
        decide_command(&command, mode, "Bash(rm *)", "Bash(git *)");
    }
}
