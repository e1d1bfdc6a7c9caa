//! Everything that speaks against a command: rules, forbidden files, protected paths and
//! deletions nobody means, held against whatever the command is suspected to contain.

use std::path::{Path, PathBuf};

use super::speaks_of;
use crate::decide::file::{Access, PathRules};
use crate::decide::{Context, Decision, because};
use crate::paths::protected::protected;
use crate::paths::{forbidden, normalize};
use crate::rules::{Behavior, Entry};
use crate::shell::critical::critical;
use crate::shell::pattern::CommandPattern;
use crate::shell::program;
use crate::shell::programs::{READS_FILES, WRITES_FILES};
use crate::shell::suspect::{Suspect, Suspects, suspects};

/// Folders a command may have moved to; more are not told apart.
const MOST_FOLDERS: usize = 8;

pub(super) struct Objections<'a> {
    tool: &'a str,
    context: &'a Context<'a>,
    found: Suspects,
    /// Where the command may be when it names a relative path.
    cwds: Vec<PathBuf>,
}

/// What a suspected program does with a file it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    Reads,
    Writes,
    /// The program is not known, so it may do either.
    Unknown,
}

impl<'a> Objections<'a> {
    pub(super) fn new(
        tool: &'a str,
        command: &str,
        cwd: &Path,
        context: &'a Context<'a>,
    ) -> Objections<'a> {
        let found = suspects(command, context.home.and_then(Path::to_str));
        let mut cwds = vec![normalize(cwd)];
        for suspect in &found.commands {
            if let [name, folder] = suspect.words.as_slice()
                && matches!(name.as_str(), "cd" | "pushd")
            {
                let moved: Vec<PathBuf> =
                    cwds.iter().map(|cwd| place(cwd, folder, context)).collect();
                cwds.extend(moved);
                cwds.dedup();
                cwds.truncate(MOST_FOLDERS);
            }
        }
        Objections { tool, context, found, cwds }
    }

    /// Deny rules, for commands and for the files they touch, and files nobody may open.
    pub(super) fn denied(&self) -> Option<Decision> {
        if let Some(entry) = self.command_rule(Behavior::Deny) {
            return Some(Decision::deny(because(entry)));
        }
        let rules = self.path_rules(Behavior::Deny);
        for (path, usage) in self.touched() {
            let entry = match usage {
                Use::Reads => rules.0.find(&path),
                Use::Writes => rules.1.find(&path),
                Use::Unknown => None,
            };
            if let Some(entry) = entry {
                return Some(Decision::deny(because(entry)));
            }
            if usage == Use::Reads
                && let Some(why) = forbidden(&path)
            {
                return Some(Decision::deny(format!("{} cannot be read: {why}.", path.display())));
            }
        }
        None
    }

    /// Ask rules, and deny rules that might apply but cannot be checked.
    pub(super) fn asked(&self) -> Option<Decision> {
        if let Some(entry) = self.command_rule(Behavior::Ask) {
            return Some(Decision::always_ask(because(entry)));
        }
        let (asked, denied) = (self.path_rules(Behavior::Ask), self.path_rules(Behavior::Deny));
        for (path, usage) in self.touched() {
            let entry = match usage {
                Use::Reads => asked.0.find(&path),
                Use::Writes => asked.1.find(&path),
                Use::Unknown => denied.1.find(&path).or_else(|| asked.0.find(&path)),
            };
            if let Some(entry) = entry {
                return Some(Decision::always_ask(because(entry)));
            }
        }
        let strict = self.found.unseen.then(|| self.scoped_rule()).flatten();
        strict.map(|entry| {
            Decision::always_ask(format!(
                "Part of it is only known when it runs, so the rule `{}` from {} cannot be checked.",
                entry.rule, entry.source
            ))
        })
    }

    /// Deletions of irreplaceable folders and writes to protected paths: asked in every mode.
    pub(super) fn guarded(&self) -> Option<Decision> {
        let Context { roots, home, .. } = *self.context;
        let fatal =
            self.found.commands.iter().find_map(|one| critical(one, &self.cwds, roots, home));
        if let Some(operand) = fatal {
            return Some(Decision::always_ask(format!(
                "It would delete `{operand}`, which cannot be brought back."
            )));
        }
        let written = self.touched().into_iter().filter(|(_, usage)| *usage == Use::Writes);
        written.filter_map(|(path, _)| protected(&path).map(|name| (path, name))).next().map(
            |(path, name)| {
                Decision::always_ask(format!(
                    "{} is protected (`{name}`): other programs run or obey what it says.",
                    path.display()
                ))
            },
        )
    }

    fn command_rule(&self, behavior: Behavior) -> Option<&'a Entry> {
        self.context.rules.with(behavior).filter(|entry| speaks_of(entry, self.tool)).find(
            |entry| {
                let Some(spec) = entry.rule.spec() else { return true };
                let pattern = CommandPattern::parse(spec);
                self.found.commands.iter().any(|suspect| {
                    tails(suspect)
                        .any(|at| pattern.catches(suspect.words.get(at..).unwrap_or_default()))
                })
            },
        )
    }

    fn scoped_rule(&self) -> Option<&'a Entry> {
        let rules = self.context.rules;
        let strict = rules.with(Behavior::Deny).chain(rules.with(Behavior::Ask));
        strict.filter(|entry| speaks_of(entry, self.tool)).find(|entry| entry.rule.spec().is_some())
    }

    fn path_rules(&self, behavior: Behavior) -> (PathRules<'a>, PathRules<'a>) {
        (
            PathRules::new(behavior, Access::Read, self.context),
            PathRules::new(behavior, Access::Edit, self.context),
        )
    }

    /// Every path the suspects may touch, in every folder they may be in.
    fn touched(&self) -> Vec<(PathBuf, Use)> {
        let mut all = Vec::new();
        let mut add = |word: &str, usage: Use| {
            for cwd in &self.cwds {
                all.push((place(cwd, word, self.context), usage));
            }
        };
        for suspect in &self.found.commands {
            suspect.reads.iter().for_each(|word| add(word, Use::Reads));
            suspect.writes.iter().for_each(|word| add(word, Use::Writes));
            for at in tails(suspect) {
                let Some((name, arguments)) =
                    suspect.words.get(at..).and_then(<[String]>::split_first)
                else {
                    continue;
                };
                let Some(usage) = usage_of(program(name), arguments) else { continue };
                if usage == Use::Unknown && at > 0 {
                    continue;
                }
                arguments
                    .iter()
                    .flat_map(|word| path_readings(word))
                    .for_each(|word| add(word, usage));
            }
        }
        all
    }
}

/// Where commands may start among the words of a suspect.
fn tails(suspect: &Suspect) -> std::ops::Range<usize> {
    0..if suspect.runs_its_words { suspect.words.len() } else { suspect.words.len().min(1) }
}

/// `None` for programs that only print their arguments.
fn usage_of(name: &str, arguments: &[String]) -> Option<Use> {
    let in_place = |word: &String| {
        word.starts_with("--i")
            || (word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
    };
    match name {
        "echo" | "printf" | "true" | "false" | ":" | "cd" => None,
        "sed" | "perl" if arguments.iter().any(in_place) => Some(Use::Writes),
        name if WRITES_FILES.contains(&name) => Some(Use::Writes),
        name if READS_FILES.contains(&name) => Some(Use::Reads),
        _ => Some(Use::Unknown),
    }
}

/// The parts of an argument that may be a path: all of it, a value after `=`, a value attached to
/// a short option.
fn path_readings(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let attached = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| {
        let mut letters = rest.chars();
        letters.next().map(|_| letters.as_str())
    });
    let url = word.strip_prefix("file://").or_else(|| word.strip_prefix('@'));
    let readings = [Some(word), value, attached, url];
    readings.into_iter().flatten().filter(|reading| !reading.is_empty())
}

/// A word as a path of the folder `cwd`.
fn place(cwd: &Path, word: &str, context: &Context<'_>) -> PathBuf {
    let below_home = word.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (below_home, context.home) {
        (Some(rest), Some(home)) => normalize(&home.join(rest.trim_start_matches('/'))),
        _ => normalize(&cwd.join(word)),
    }
}
