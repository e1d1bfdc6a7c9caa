//! What `decide` answers: cases from tables, and laws that hold for any command.

mod cases;

use std::path::{Path, PathBuf};

use proptest::prelude::*;

use super::*;
use crate::rules::Source;

fn decide_command(command: &str, mode: Mode, deny: &str, allow: &str) -> Verdict {
    let entry = |behavior, rule: &str| Entry {
        behavior,
        rule: rule.parse().unwrap(),
        source: Source::User,
    };
    let rules: Rules =
        [entry(Behavior::Deny, deny), entry(Behavior::Allow, allow)].into_iter().collect();
    let roots = [PathBuf::from("/w/proj")];
    let context = Context { mode, rules: &rules, roots: &roots, home: Some(Path::new("/home/u")) };
    let subjects =
        [Subject::Command { command: command.into(), cwd: roots[0].clone(), run: Run::Open }];
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
    let protected = Subject::Edit { path: git.clone(), resolved: git };
    check(&[read("/etc/a"), protected], Verdict::Ask, 0);
}

/// One way to write a program name.
fn spelled(name: &str, how: usize) -> String {
    let (start, end) = name.split_at(2);
    match how {
        0 => name.to_owned(),
        1 => format!("{start}''{end}"),
        2 => format!("{start}\"{end}\""),
        3 => format!("{start}\\{end}"),
        4 => format!("{start}\\\n{end}"),
        5 => format!("'{name}'"),
        6 => format!("/usr/bin/{name}"),
        7 => format!("\\{name}"),
        8 => format!("$'\\x{:x}'{}", name.as_bytes()[0], &name[1..]),
        _ => format!("/usr/../bin/{start}''{end}"),
    }
}

/// One place to put a command.
fn placed(command: &str, how: usize) -> String {
    match how {
        0 => command.to_owned(),
        1 => format!("A=b C=d {command}"),
        2 => format!("env -i A=b {command}"),
        3 => format!("timeout 5 {command}"),
        4 => format!("nice -n 3 nohup {command}"),
        5 => format!("true\n{command}"),
        6 => format!("({command})"),
        7 => format!("{{ {command}; }}"),
        8 => format!("echo $({command})"),
        9 => format!("echo \"`{}`\"", command.replace('`', "")),
        10 => format!("true && {command}"),
        11 => format!("false || {command}"),
        12 => format!("ls | {command}"),
        13 => format!("if true; then {command}; fi"),
        14 => format!("for i in 1 2; do {command}; done"),
        15 => format!("while true; do {command}; done"),
        16 => format!("case a in a) {command};; esac"),
        17 => format!("f() {{ {command}; }}; f"),
        18 => format!("! {command}"),
        19 => format!("sudo -u x {command}"),
        20 => format!("echo a | xargs {command}"),
        21 => format!("{command} &"),
        22 => format!("> /dev/null {command}"),
        23 => format!("cat <({command})"),
        24 => format!("# note\n{command}"),
        25 => format!("time -p {command}"),
        26 => format!("{}{command}", "true && ".repeat(60)),
        27 => format!("exec {command}"),
        28 => format!("strace -o /dev/null {command}"),
        29 => format!("echo ${{A:-$({command})}}"),
        _ => format!("echo {}; {command}", "x".repeat(11_000)),
    }
}

proptest! {
    /// However it is written and wherever it stands, a denied program stays denied in every mode,
    /// even beside a rule that allows everything.
    #[test]
    fn a_denied_program_is_denied_in_every_spelling(
        name in prop::sample::select(vec!["touch", "curl", "rm", "terraform"]),
        spelling in 0usize..10,
        place in 0usize..31,
        outer in 0usize..31,
        mode in prop::sample::select(Mode::ALL.to_vec()),
    ) {
        let inner = placed(&format!("{} x y", spelled(name, spelling)), place);
        // Backslashes inside backticks need more quoting than a table can carry.
        let outer = if outer == 9 || place == 9 { 0 } else { outer };
        prop_assume!(!(place == 9 && (3..=8).contains(&spelling)));
        let command = placed(&inner, outer);
        let verdict = decide_command(&command, mode, &format!("Bash({name} *)"), "Bash");
        prop_assert_eq!(verdict, Verdict::Deny, "{}", command);
    }

    #[test]
    fn deciding_never_panics(command in any::<String>(), mode in prop::sample::select(Mode::ALL.to_vec())) {
        decide_command(&command, mode, "Bash(rm *)", "Bash(git *)");
    }

    /// Without any rule, a command that writes through a redirection is never simply run.
    #[test]
    fn redirections_are_never_free(
        op in prop::sample::select(vec![">", ">>", ">|", "&>", "&>>", ">&", "1>", "2>>"]),
        target in "[a-z]{1,8}",
        place in 0usize..19,
    ) {
        let command = placed(&format!("echo x {op} {target}"), place);
        let verdict = decide_command(&command, Mode::Default, "Bash(zzz)", "Bash(echo *)");
        prop_assert_ne!(verdict, Verdict::Allow, "{}", command);
    }
}
