//! Runs every case of `fixtures/policy`, and holds denies against every spelling we can think of.

#![expect(clippy::disallowed_methods, reason = "the cases are data on disk, shared by every door")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use serde::Deserialize;

use super::*;
use crate::rule::Rule;
use crate::rules::{Limits, Source};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Cases {
    case: Vec<Case>,
}

/// Exactly one of `bash`, `read`, `edit`, `fetch`, `mcp` and `internal` is given.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    #[serde(default)]
    id: String,
    tool: Option<String>,
    bash: Option<String>,
    read: Option<String>,
    edit: Option<String>,
    fetch: Option<String>,
    /// `server/tool`
    mcp: Option<String>,
    #[serde(default)]
    internal: bool,
    /// The name an agent or a skill is called up by.
    agent: Option<String>,
    skill: Option<String>,
    /// Arguments of the call that rules may name.
    #[serde(default)]
    params: BTreeMap<String, String>,
    #[serde(default)]
    limits: Limits,
    /// Where `read` or `edit` really leads; the same path if absent.
    resolved: Option<String>,
    /// The command runs in the sandbox, or wants out of it.
    #[serde(default)]
    contained: bool,
    #[serde(default)]
    escaping: bool,
    #[serde(default)]
    mode: Mode,
    #[serde(default)]
    allow: Vec<Rule>,
    #[serde(default)]
    ask: Vec<Rule>,
    #[serde(default)]
    deny: Vec<Rule>,
    #[serde(default = "project")]
    source: Source,
    #[serde(default = "proj")]
    roots: Vec<PathBuf>,
    cwd: Option<PathBuf>,
    /// Empty for an unknown home folder.
    #[serde(default = "home")]
    home: PathBuf,
    verdict: String,
    kind: Option<String>,
    /// A part of the reason.
    because: Option<String>,
    suggest: Option<Vec<Rule>>,
}

fn project() -> Source {
    Source::Project
}

fn proj() -> Vec<PathBuf> {
    vec![PathBuf::from("/w/proj")]
}

fn home() -> PathBuf {
    PathBuf::from("/home/u")
}

impl Case {
    fn run(&self) -> Run {
        match (self.contained, self.escaping) {
            (_, true) => Run::Escaping,
            (true, _) => Run::Contained,
            _ => Run::Open,
        }
    }

    fn subject(&self) -> (&str, Subject) {
        let file = |path: &str| {
            let path = PathBuf::from(path);
            let resolved = self.resolved.as_ref().map_or_else(|| path.clone(), PathBuf::from);
            (path, resolved)
        };
        let cwd = self.cwd.clone().unwrap_or_else(|| self.roots[0].clone());
        match (&self.bash, &self.read, &self.edit, &self.fetch, &self.mcp) {
            (Some(command), ..) => {
                ("Bash", Subject::Command { command: command.clone(), cwd, run: self.run() })
            }
            (_, Some(path), ..) => {
                let (path, resolved) = file(path);
                ("Read", Subject::Read { path, resolved })
            }
            (_, _, Some(path), ..) => {
                let (path, resolved) = file(path);
                ("Edit", Subject::Edit { path, resolved })
            }
            (.., Some(url), _) => ("WebFetch", Subject::Fetch { url: url.clone() }),
            (.., Some(name)) => {
                let (server, tool) = name.split_once('/').unwrap();
                ("", Subject::Mcp { server: server.into(), tool: tool.into() })
            }
            _ if self.agent.is_some() || self.skill.is_some() => self.called_up(),
            _ => {
                assert!(self.internal, "{}: the case has no subject", self.id);
                ("TodoWrite", Subject::Internal)
            }
        }
    }

    fn called_up(&self) -> (&str, Subject) {
        match (&self.agent, &self.skill) {
            (Some(name), _) => ("Agent", Subject::Agent { name: name.clone() }),
            (_, name) => ("Skill", Subject::Skill { name: name.clone().unwrap_or_default() }),
        }
    }

    fn decide(&self) -> Decision {
        let lists = [
            (Behavior::Allow, &self.allow),
            (Behavior::Ask, &self.ask),
            (Behavior::Deny, &self.deny),
        ];
        let mut rules: Rules = lists
            .into_iter()
            .flat_map(|(behavior, rules)| rules.iter().map(move |rule| (behavior, rule.clone())))
            .map(|(behavior, rule)| Entry { behavior, rule, source: self.source })
            .collect();
        rules.limit(self.limits);
        let params: Vec<(String, String)> = self.params.clone().into_iter().collect();
        let home = Some(self.home.as_path()).filter(|home| !home.as_os_str().is_empty());
        let context = Context { mode: self.mode, rules: &rules, roots: &self.roots, home };
        let (tool, subject) = self.subject();
        let mcp = self.mcp.as_ref().map(|name| format!("mcp__{}", name.replace('/', "__")));
        let tool = self.tool.as_deref().or(mcp.as_deref()).unwrap_or(tool);
        decide(&Request { tool, subjects: &[subject], params: &params }, &context)
    }

    fn failure(&self) -> Option<String> {
        let decision = self.decide();
        let verdict = format!("{:?}", decision.verdict).to_lowercase();
        let kind = format!("{:?}", decision.kind).to_lowercase();
        let kind = self.kind.as_ref().is_none_or(|wanted| *wanted == kind);
        let reason = self.because.as_ref().is_none_or(|part| decision.reason.contains(part));
        let suggest = self.suggest.as_ref().is_none_or(|rules| *rules == decision.suggestions);
        let input = [&self.bash, &self.read, &self.edit, &self.fetch, &self.mcp];
        let input = input.into_iter().flatten().next();
        (verdict != self.verdict || !kind || !reason || !suggest)
            .then(|| format!("{} {input:?}: expected {}, got {decision:?}", self.id, self.verdict))
    }
}

#[test]
fn every_case_of_the_fixtures_holds() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/policy");
    let mut failures = Vec::new();
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ext| ext != "toml") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        let cases: Cases =
            toml::from_str(&text).unwrap_or_else(|error| panic!("{path:?}: {error}"));
        count += cases.case.len();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        failures.extend(
            cases.case.iter().filter_map(Case::failure).map(|text| format!("{name}: {text}")),
        );
    }
    assert!(
        failures.is_empty(),
        "{} of {count} cases fail:\n{}",
        failures.len(),
        failures.join("\n")
    );
    assert!(count >= 150, "only {count} cases were found");
}

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
