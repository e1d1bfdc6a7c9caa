//! Everything that speaks against a command: rules, forbidden files, protected paths and
//! deletions nobody means, held against whatever the command is suspected to contain.

use std::path::{Path, PathBuf};

use super::{Judged, speaks_of};
use crate::decide::file::{Access, PathRules, Place, kept_inside};
use crate::decide::{Context, Decision, Run, Why, because};
use crate::paths::names::Names;
use crate::paths::protected::protected;
use crate::paths::{forbidden, normalize};
use crate::rules::{Behavior, Entry};
use crate::shell::critical::critical;
use crate::shell::destructive::{Loss, loss};
use crate::shell::suspect::{Suspects, suspects_in};
use crate::shell::touch::{
    Use, is_sink, place, searched, tails, touched, touches_unknown, works_on_files,
};
use crate::shell::whereabouts::{Whereabouts, whereabouts};

/// Whether the sandbox keeps denied files from the command.
fn is_walled(run: Run) -> bool {
    matches!(run, Run::Contained | Run::Watched)
}

/// A file the command may touch.
struct Touched {
    path: PathBuf,
    names: Names,
    usage: Use,
}

pub(super) struct Objections<'a> {
    tool: &'a str,
    context: &'a Context<'a>,
    found: Suspects,
    /// Where the command may be when it names a relative path.
    cwds: Vec<PathBuf>,
    /// It may be somewhere else, too.
    lost: bool,
    touched: Vec<Touched>,
    /// The rules about reading and about changing files.
    denied: (PathRules<'a>, PathRules<'a>),
    asked: (PathRules<'a>, PathRules<'a>),
}

impl<'a> Objections<'a> {
    pub(super) fn new(judged: &Judged<'a>) -> Objections<'a> {
        let Judged { tool, reading, cwd, context, .. } = *judged;
        let found = suspects_in(reading, context.home.and_then(Path::to_str));
        let Whereabouts { folders: cwds, lost } = whereabouts(&found, cwd, context.home);
        let touched = touched(&found, &cwds, context.home);
        let touched = touched.into_iter().map(|(path, usage)| {
            let path = normalize(&path);
            Touched { names: Names::of(&path), path, usage }
        });
        let touched = touched.collect();
        let rules = |behavior| {
            let of = |access| PathRules::new(behavior, access, context);
            (of(Access::Read), of(Access::Edit))
        };
        let (denied, asked) = (rules(Behavior::Deny), rules(Behavior::Ask));
        Objections { tool, context, found, cwds, lost, touched, denied, asked }
    }

    /// Deny rules, for commands and for the files they touch, and files nobody may open.
    pub(super) fn denied(&self) -> Option<Decision> {
        if let Some(entry) = self.command_rule(Behavior::Deny) {
            return Some(Decision::deny(Why::Rule, because(entry)));
        }
        let rules = &self.denied;
        for Touched { path, names, usage } in &self.touched {
            let entry = match usage {
                Use::Reads => rules.0.find(names),
                Use::Writes => rules.1.find(names),
                Use::Unknown => None,
            };
            if let Some(entry) = entry {
                return Some(Decision::deny(Why::Rule, because(entry)));
            }
            let place = Place::by_name(path);
            let limited = match usage {
                Use::Reads => kept_inside(Access::Read, &place, self.context),
                Use::Writes if is_sink(path) => None,
                Use::Writes => kept_inside(Access::Edit, &place, self.context),
                Use::Unknown => None,
            };
            if limited.is_some() {
                return limited;
            }
            if *usage == Use::Reads
                && let Some(why) = forbidden(path)
            {
                return Some(Decision::deny(
                    Why::Forbidden,
                    format!("{} cannot be read: {why}.", path.display()),
                ));
            }
        }
        None
    }

    /// Ask rules, and deny rules that might apply but cannot be checked.
    pub(super) fn asked(&self, run: Run) -> Option<Decision> {
        if let Some(entry) = self.command_rule(Behavior::Ask) {
            return Some(Decision::always_ask(Why::Rule, because(entry)));
        }
        let (asked, denied) = (&self.asked, &self.denied);
        for Touched { names, usage, .. } in &self.touched {
            let entry = match usage {
                Use::Reads => asked.0.find(names),
                Use::Writes => asked.1.find(names),
                Use::Unknown => denied.1.find(names).or_else(|| asked.0.find(names)),
            };
            if let Some(entry) = entry {
                return Some(Decision::always_ask(Why::Rule, because(entry)));
            }
        }
        // The sandbox keeps denied files from whatever searches a folder.
        if !is_walled(run)
            && let Some(entry) = self.searched(&[&denied.0, &asked.0])
        {
            return Some(Decision::always_ask(
                Why::Rule,
                format!(
                    "It shows whatever files it finds, and the rule `{}` from {} is about some of them.",
                    entry.rule, entry.source
                ),
            ));
        }
        if !is_walled(run)
            && let Some(entry) = self.unknown_files()
        {
            return Some(Decision::always_ask(
                Why::Rule,
                format!(
                    "Which files it works on is only known when it runs, so the rule `{}` from {} cannot be checked.",
                    entry.rule, entry.source
                ),
            ));
        }
        let strict = self.found.unseen.then(|| self.scoped_rule()).flatten();
        let strict = strict.or_else(|| self.named_by_a_pattern());
        strict.map(|entry| {
            Decision::always_ask(Why::Rule, format!(
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
            return Some(Decision::always_ask(
                Why::Critical,
                format!("It would delete {operand}, which cannot be brought back."),
            ));
        }
        let written = self.touched.iter().filter(|one| one.usage == Use::Writes);
        let written = written.map(|one| &one.path);
        written.filter_map(|path| protected(path).map(|name| (path, name))).next().map(
            |(path, name)| {
                Decision::always_ask(
                    Why::Protected,
                    format!(
                        "{} is protected (`{name}`): other programs run or obey what it says.",
                        path.display()
                    ),
                )
            },
        )
    }

    /// A rule about files in a folder that is read as a whole.
    fn searched(&self, rules: &[&PathRules<'a>]) -> Option<&'a Entry> {
        if rules.iter().all(|rules| rules.is_empty()) {
            return None;
        }
        let folders = self.found.commands.iter().flat_map(searched);
        let home = self.context.home;
        let folders =
            folders.flat_map(|folder| self.cwds.iter().map(move |cwd| place(cwd, folder, home)));
        let mut folders = folders.map(|folder| Names::of(&folder));
        folders.find_map(|folder| rules.iter().find_map(|rules| rules.below(&folder)))
    }

    /// A rule about files, where some of them are only known when the command runs.
    fn unknown_files(&self) -> Option<&'a Entry> {
        let (denied, asked) = (&self.denied, &self.asked);
        let entry =
            [&denied.0, &denied.1, &asked.0, &asked.1].into_iter().find_map(PathRules::first)?;
        let relative = || self.found.commands.iter().any(works_on_files);
        let unknown = self.found.commands.iter().any(touches_unknown);
        (unknown || (self.lost && relative())).then_some(entry)
    }

    /// A rule about a program that a pattern for file names may turn into: `env /usr/bin/touc?`.
    fn named_by_a_pattern(&self) -> Option<&'a Entry> {
        let rules = self.context.rules;
        let strict = rules.patterns(Behavior::Deny).chain(rules.patterns(Behavior::Ask));
        let mut strict = strict.filter(|(entry, _)| speaks_of(entry, self.tool));
        let globs = self.found.commands.iter().filter(|one| one.runs_its_words);
        let globs: Vec<&String> = globs.flat_map(|one| &one.globs).collect();
        let hit = strict.find(|(_, pattern)| {
            pattern.is_some_and(|pattern| globs.iter().any(|glob| pattern.may_be_named_by(glob)))
        });
        hit.map(|(entry, _)| entry)
    }

    /// The commands that would throw work away, and what they would lose.
    pub(super) fn losses(&self) -> Vec<(&[String], Loss<'_>)> {
        let tails = self
            .found
            .commands
            .iter()
            .flat_map(|suspect| tails(suspect).filter_map(|at| suspect.words.get(at..)));
        tails.filter_map(|words| Some((words, loss(words)?))).collect()
    }

    fn command_rule(&self, behavior: Behavior) -> Option<&'a Entry> {
        let rules = self.context.rules.patterns(behavior);
        let mut spoken = rules.filter(|(entry, _)| speaks_of(entry, self.tool));
        let hit = spoken.find(|(_, pattern)| {
            let Some(pattern) = pattern else { return true };
            self.found.commands.iter().any(|suspect| {
                tails(suspect)
                    .any(|at| pattern.catches(suspect.words.get(at..).unwrap_or_default()))
            })
        });
        hit.map(|(entry, _)| entry)
    }

    fn scoped_rule(&self) -> Option<&'a Entry> {
        let rules = self.context.rules;
        let strict = rules.with(Behavior::Deny).chain(rules.with(Behavior::Ask));
        strict.filter(|entry| speaks_of(entry, self.tool)).find(|entry| entry.rule.spec().is_some())
    }
}
