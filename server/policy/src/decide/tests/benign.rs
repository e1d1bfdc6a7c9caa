//! How often honest work is interrupted.

#![expect(clippy::disallowed_methods, reason = "the commands are data on disk")]
#![expect(
    clippy::disallowed_macros,
    reason = "the figures are of interest even when they are good"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::decide::*;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Group {
    plain: Vec<String>,
    online: Vec<Online>,
}

/// A command and the hosts it reaches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Online {
    run: String,
    hosts: Vec<String>,
}

fn groups() -> BTreeMap<String, Group> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/policy/benign.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The commands that would be asked about, with the reason.
fn asked(commands: &[&str], run: Run) -> Vec<String> {
    let rules = Rules::default();
    let roots = [PathBuf::from("/w/proj"), PathBuf::from("/tmp")];
    let home = Some(Path::new("/home/u"));
    let context = Context { mode: Mode::Default, rules: &rules, roots: &roots, home };
    let ask = |command: &&str| {
        let command = (*command).to_owned();
        let subjects = [Subject::Command { command: command.clone(), cwd: roots[0].clone(), run }];
        let decision =
            decide(&Request { tool: "Bash", subjects: &subjects, params: &[] }, &context);
        (decision.verdict != Verdict::Allow).then(|| format!("{command}: {}", decision.reason))
    };
    commands.iter().filter_map(ask).collect()
}

#[test]
fn honest_work_is_hardly_interrupted_in_the_sandbox() {
    let groups = groups();
    let commands: Vec<&str> = groups
        .values()
        .flat_map(|group| {
            let online = group.online.iter().map(|online| online.run.as_str());
            group.plain.iter().map(String::as_str).chain(online)
        })
        .collect();
    let hosts: BTreeSet<&str> = groups
        .values()
        .flat_map(|group| group.online.iter().flat_map(|online| &online.hosts))
        .map(String::as_str)
        .collect();
    assert!(commands.len() >= 200, "only {} commands", commands.len());
    let contained = asked(&commands, Run::Contained);
    let questions = contained.len() + hosts.len();
    println!("{} commands, {} hosts", commands.len(), hosts.len());
    println!("in the sandbox: {questions} questions\n{}", contained.join("\n"));
    println!("without a sandbox: {} questions", asked(&commands, Run::Open).len());
    let most = commands.len() * 5 / 100;
    assert!(questions <= most, "{questions} questions, {most} at most:\n{}", contained.join("\n"));
}
