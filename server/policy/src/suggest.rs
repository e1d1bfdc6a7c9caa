//! The rules that "don't ask again" would store: narrow, and none where a rule would open a door.

use std::path::{Path, PathBuf};

use crate::hosts::Host;
use crate::paths::glob::escape;
use crate::rule::Rule;
use crate::shell::program;
use crate::shell::programs::{NEVER_SUGGESTED, RUNNERS, SHELLS};

/// More than this in one answer is not a choice a person can read.
const MOST: usize = 5;

/// The suggestions of two questions asked together. If one of them cannot be silenced by a rule,
/// storing the rules of the other would be of no use.
pub(crate) fn both(one: &[Rule], other: &[Rule]) -> Vec<Rule> {
    if one.is_empty() || other.is_empty() {
        return Vec::new();
    }
    let mut all = one.to_vec();
    for rule in other {
        if !all.contains(rule) {
            all.push(rule.clone());
        }
    }
    all.truncate(MOST);
    all
}

pub(crate) fn read(path: &Path) -> Vec<Rule> {
    path.to_str().map(|path| Rule::scoped("Read", absolute(path))).into_iter().collect()
}

pub(crate) fn edit(path: &Path, roots: &[PathBuf]) -> Vec<Rule> {
    let relative = roots.first().and_then(|root| path.strip_prefix(root).ok());
    let spec = match relative.map(Path::to_str) {
        Some(Some(relative)) => Some(format!("/{}", escape(relative))),
        Some(None) => None,
        None => path.to_str().map(absolute),
    };
    spec.map(|spec| Rule::scoped("Edit", spec)).into_iter().collect()
}

fn absolute(path: &str) -> String {
    format!("/{}", escape(path))
}

pub(crate) fn domain(host: &Host) -> Vec<Rule> {
    vec![Rule::scoped("WebFetch", format!("domain:{host}"))]
}

/// A tool as a whole.
pub(crate) fn whole(name: &str) -> Vec<Rule> {
    // A server may have picked a name that no rule can spell.
    name.parse()
        .ok()
        .filter(|rule: &Rule| rule.spec().is_none() && !rule.has_tool_wildcard())
        .into_iter()
        .collect()
}

/// Programs whose first argument says what they do.
const WITH_SUBCOMMANDS: &[&str] = &[
    "git",
    "cargo",
    "npm",
    "pnpm",
    "yarn",
    "go",
    "docker",
    "podman",
    "kubectl",
    "gh",
    "pip",
    "pip3",
    "uv",
    "poetry",
    "rustup",
    "brew",
    "apt",
    "apt-get",
    "dotnet",
    "terraform",
    "helm",
    "aws",
    "gcloud",
    "az",
    "systemctl",
    "bazel",
    "gradle",
    "mvn",
    "mix",
    "composer",
    "conda",
    "hg",
    "svn",
    "just",
];

/// One rule for one part of a command: its program and subcommand, with any arguments. None for
/// whatever can run anything.
pub(crate) fn command(words: &[String]) -> Vec<Rule> {
    let Some(name) = words.first() else { return Vec::new() };
    let runs_anything =
        [&SHELLS[..], RUNNERS, NEVER_SUGGESTED].iter().any(|list| list.contains(&program(name)));
    if runs_anything || name.contains('/') {
        return Vec::new();
    }
    let spec = match (WITH_SUBCOMMANDS.contains(&name.as_str()), words.get(1), words.get(2)) {
        (true, Some(run), Some(script)) if runs_script(name, run) && plain(script) => {
            format!("{name} {run} {script}")
        }
        (true, Some(sub), _) if RUNS_ANYTHING.contains(&sub.as_str()) => return Vec::new(),
        (true, Some(sub), _) if plain(sub) => format!("{name} {sub} *"),
        (true, _, _) => return Vec::new(),
        (false, _, _) => format!("{name} *"),
    };
    if plain(name) { vec![Rule::scoped("Bash", spec)] } else { Vec::new() }
}

/// Subcommands that run whatever comes after them.
const RUNS_ANYTHING: [&str; 8] = ["run", "exec", "x", "dlx", "shell", "tool", "config", "ssh"];

/// `npm run test` names a script of the project, and that one may be allowed.
fn runs_script(name: &str, run: &str) -> bool {
    run == "run" && matches!(name, "npm" | "pnpm" | "yarn")
}

/// A word that means itself in a rule.
fn plain(word: &str) -> bool {
    !word.starts_with('-')
        && !word.is_empty()
        && word.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:+@".contains(c))
}
