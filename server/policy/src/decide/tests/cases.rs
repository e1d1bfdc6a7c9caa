//! Runs every case of `fixtures/policy`, and looks that no row of the security tables is left out.

#![expect(clippy::disallowed_methods, reason = "the cases are data on disk, shared by every door")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::decide::*;
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
    bash: Option<Texts>,
    read: Option<Texts>,
    edit: Option<Texts>,
    fetch: Option<String>,
    /// The command so many times, and something behind it.
    repeat: Option<usize>,
    then: Option<String>,
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
    /// How many names the file of `edit` has.
    #[serde(default)]
    links: u64,
    /// The command runs in the sandbox, or wants out of it.
    #[serde(default)]
    contained: bool,
    #[serde(default)]
    escaping: bool,
    /// It runs in the sandbox and is asked about all the same.
    #[serde(default)]
    watched: bool,
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

/// One spelling, or several that must get the same answer.
#[derive(Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Texts {
    fn list(&self) -> &[String] {
        match self {
            Texts::One(text) => std::slice::from_ref(text),
            Texts::Many(texts) => texts,
        }
    }
}

impl Case {
    /// What is asked about, in each of its spellings.
    fn inputs(&self) -> Vec<String> {
        let texts = [&self.bash, &self.read, &self.edit].into_iter().flatten().next();
        let texts = texts.map_or(vec![String::new()], |texts| texts.list().to_vec());
        let end = self.then.as_deref().unwrap_or_default();
        let whole = |text: String| text.repeat(self.repeat.unwrap_or(1)) + end;
        texts.into_iter().map(whole).collect()
    }

    fn run(&self) -> Run {
        match (self.contained, self.escaping) {
            (_, true) => Run::Escaping,
            (true, _) => Run::Contained,
            _ if self.watched => Run::Watched,
            _ => Run::Open,
        }
    }

    fn subject(&self, input: &str) -> (&str, Subject) {
        let file = || {
            let path = PathBuf::from(input);
            let resolved = self.resolved.as_ref().map_or_else(|| path.clone(), PathBuf::from);
            (path, resolved)
        };
        let cwd = self.cwd.clone().unwrap_or_else(|| self.roots[0].clone());
        match (&self.bash, &self.read, &self.edit, &self.fetch, &self.mcp) {
            (Some(_), ..) => {
                ("Bash", Subject::Command { command: input.to_owned(), cwd, run: self.run() })
            }
            (_, Some(_), ..) => {
                let (path, resolved) = file();
                ("Read", Subject::Read { path, resolved })
            }
            (_, _, Some(_), ..) => {
                let (path, resolved) = file();
                ("Edit", Subject::Edit { path, resolved, links: self.links })
            }
            (.., Some(url), _) => ("WebFetch", Subject::Fetch { url: url.clone() }),
            (.., Some(name)) => {
                let (server, tool) = name.split_once('/').unwrap();
                ("", Subject::Mcp { server: server.into(), tool: tool.into(), only_a_person: None })
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

    fn decide(&self, input: &str) -> Decision {
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
        let (tool, subject) = self.subject(input);
        let mcp = self.mcp.as_ref().map(|name| format!("mcp__{}", name.replace('/', "__")));
        let tool = self.tool.as_deref().or(mcp.as_deref()).unwrap_or(tool);
        decide(&Request { tool, subjects: &[subject], params: &params }, &context)
    }

    fn failures(&self) -> Vec<String> {
        self.inputs().iter().filter_map(|input| self.failure(input)).collect()
    }

    fn failure(&self, input: &str) -> Option<String> {
        let decision = self.decide(input);
        let verdict = format!("{:?}", decision.verdict).to_lowercase();
        let kind = format!("{:?}", decision.kind).to_lowercase();
        let kind = self.kind.as_ref().is_none_or(|wanted| *wanted == kind);
        let reason = self.because.as_ref().is_none_or(|part| decision.reason.contains(part));
        let suggest = self.suggest.as_ref().is_none_or(|rules| *rules == decision.suggestions);
        let shown: String = input.chars().take(200).collect();
        (verdict != self.verdict || !kind || !reason || !suggest)
            .then(|| format!("{} {shown:?}: expected {}, got {decision:?}", self.id, self.verdict))
    }
}

/// The tables of cases; the folder holds other data too.
fn tables() -> Vec<(String, Vec<Case>)> {
    let names = ["shell", "git", "environment", "contained", "paths", "rules", "modes", "hosts"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/policy");
    let tables = names.iter().filter_map(|name| {
        let text = std::fs::read_to_string(folder.join(format!("{name}.toml"))).ok()?;
        let cases: Cases = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        Some(((*name).to_owned(), cases.case))
    });
    tables.collect()
}

#[test]
fn every_case_of_the_fixtures_holds() {
    let mut failures = Vec::new();
    let mut count = 0;
    for (name, cases) in tables() {
        count += cases.iter().map(|case| case.inputs().len()).sum::<usize>();
        let failed = cases.iter().flat_map(Case::failures);
        failures.extend(failed.map(|text| format!("{name}: {text}")));
    }
    let failed = failures.len();
    assert!(failures.is_empty(), "{failed} of {count} cases fail:\n{}", failures.join("\n"));
    assert!(count >= 1000, "only {count} cases were found");
}

/// The rows of the security tables, by the numbers that exist.
const ROWS: [(char, &[u32]); 14] = [
    (
        'P',
        &[
            1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30,
            31, 33, 34, 35, 37, 38, 39, 41, 42, 43, 45, 46, 47, 49, 50, 51, 53, 54, 55, 57, 58, 59,
        ],
    ),
    (
        'R',
        &[
            1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30,
            31, 33, 34, 35, 37, 38, 39, 41,
        ],
    ),
    ('G', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25]),
    ('E', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23]),
    ('W', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19]),
    (
        'F',
        &[
            1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30,
            31, 33, 34, 35,
        ],
    ),
    ('U', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14]),
    ('K', &[1, 2, 3, 5, 6, 7, 9, 10, 11]),
    (
        'S',
        &[
            1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27, 29, 30,
            31, 33, 34,
        ],
    ),
    ('N', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23, 25, 26, 27]),
    ('T', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21, 22, 23]),
    ('M', &[1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15]),
    ('I', &[1, 2, 3, 5, 6, 7, 9]),
    ('J', &[1, 2, 3, 5, 6, 7, 9, 10, 11]),
];

#[derive(Deserialize)]
struct Elsewhere {
    rows: BTreeMap<String, String>,
}

#[test]
fn every_row_of_the_security_tables_has_a_case_or_an_owner() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/policy");
    let text = std::fs::read_to_string(folder.join("elsewhere.toml")).unwrap();
    let elsewhere: Elsewhere = toml::from_str(&text).unwrap();
    let tables = tables();
    let cases: BTreeSet<&str> = tables
        .iter()
        .flat_map(|(_, cases)| cases)
        .filter_map(|case| case.id.split(' ').next())
        .collect();
    let rows = ROWS.iter().flat_map(|(letter, numbers)| {
        numbers.iter().map(move |number| format!("{letter}-{number:02}"))
    });
    let rows: BTreeSet<String> = rows.collect();
    let open: Vec<&String> = rows
        .iter()
        .filter(|id| !cases.contains(id.as_str()) && !elsewhere.rows.contains_key(*id))
        .collect();
    assert!(open.is_empty(), "rows without a case: {open:?}");
    let twice: Vec<&String> =
        elsewhere.rows.keys().filter(|id| cases.contains(id.as_str())).collect();
    assert!(twice.is_empty(), "rows with a case and another owner: {twice:?}");
}

#[test]
fn every_owner_names_a_test_that_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join("fixtures/policy/elsewhere.toml")).unwrap();
    let elsewhere: Elsewhere = toml::from_str(&text).unwrap();
    let mut sources = String::new();
    let mut ahead = ["server", "clients", "tests"].map(|name| root.join(name)).to_vec();
    while let Some(folder) = ahead.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
                ahead.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                sources.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    for (id, owner) in &elsewhere.rows {
        let quoted = owner.split('`').skip(1).step_by(2);
        let mut tests = quoted.filter(|name| name.contains('_') && !name.contains('.'));
        let exists = |name: &str| sources.contains(&format!("fn {name}("));
        let named = tests.next();
        assert!(named.is_some() || owner.contains("later issue"), "{id} names no test: {owner}");
        assert!(named.into_iter().chain(tests).all(exists), "{id} names no such test: {owner}");
    }
}
