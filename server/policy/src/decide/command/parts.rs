//! The parts of a proven command, judged one after the other in the folders they may run in.

use std::path::{Path, PathBuf};

use super::{Judged, allow_speaks_of};
use crate::decide::file::{Place, edit, read};
use crate::decide::{Context, Decision, Run, Verdict, Why, because};
use crate::paths::{inside, normalize, strictly_inside};
use crate::rules::{Behavior, Entry};
use crate::shell::danger::{dangers, has_sharp_options};
use crate::shell::pattern::CommandPattern;
use crate::shell::programs::is_harmless;
use crate::shell::prove::{Literal, Redirect, Simple};
use crate::shell::readonly::{Looks, looks};
use crate::shell::touch::is_sink;
use crate::shell::wrappers::{Unwrapped, unwrap};
use crate::shell::{accept, program};
use crate::suggest;

/// Folders a command may have moved to; with more it is asked about.
const MOST_FOLDERS: usize = 8;

pub(super) struct Parts<'a> {
    tool: &'a str,
    context: &'a Context<'a>,
    /// A `cd` may fail, so the old folders stay possible.
    cwds: Vec<PathBuf>,
    moved: bool,
    /// A `cd` went somewhere that is not known.
    lost: bool,
    /// Nothing keeps in what git starts by itself.
    open: bool,
}

impl<'a> Parts<'a> {
    pub(super) fn new(judged: &Judged<'a>) -> Parts<'a> {
        let cwds = vec![normalize(judged.cwd)];
        let open = !matches!(judged.run, Run::Contained | Run::Watched);
        let Judged { tool, context, .. } = *judged;
        Parts { tool, context, cwds, moved: false, lost: false, open }
    }

    /// The commands behind their wrappers that an allow rule covers.
    pub(super) fn named(&self, commands: &[Simple]) -> Vec<Vec<String>> {
        let covered = |command: &&Simple| {
            let inner = unwrap(&command.words);
            self.allowed(&command.words, &inner).is_some()
        };
        let covered = commands.iter().filter(covered);
        covered.map(|command| texts(unwrap(&command.words).words)).collect()
    }

    /// Whether every part is known to change nothing, wherever it reads.
    pub(super) fn only_look(commands: &[Simple]) -> bool {
        commands.iter().all(|command| {
            let inner = unwrap(&command.words);
            let quiet = command.redirects.iter().all(|redirect| match redirect {
                Redirect::Write(target) => is_sink(Path::new(&target.text)),
                Redirect::Read(_) => true,
            });
            quiet
                && !inner.open
                && command.assignments.iter().all(|one| is_harmless(one))
                && looks(inner.words).is_some()
        })
    }

    pub(super) fn judge(mut self, commands: &[Simple]) -> Decision {
        let decisions: Vec<Decision> = commands.iter().map(|command| self.part(command)).collect();
        decisions
            .into_iter()
            .reduce(Decision::and)
            .unwrap_or_else(|| Decision::always_ask(Why::Unproven, "It holds no command."))
    }

    fn part(&mut self, command: &Simple) -> Decision {
        let mut decision = match command.assignments.iter().find(|one| !is_harmless(one)) {
            Some(assignment) => Decision::always_ask(
                Why::Unproven,
                format!("It sets `{assignment}`, which may change what runs."),
            ),
            None => Decision::allow(Why::ReadOnly, "It only looks."),
        };
        for redirect in &command.redirects {
            decision = decision.and(self.redirect(redirect));
        }
        if command.words.is_empty() { decision } else { self.words(&command.words).and(decision) }
    }

    fn redirect(&self, redirect: &Redirect) -> Decision {
        let (target, writes) = match redirect {
            Redirect::Write(target) if is_sink(Path::new(&target.text)) => {
                return Decision::allow(Why::ReadOnly, "Its output is dropped.");
            }
            Redirect::Write(target) => (target, true),
            Redirect::Read(target) => (target, false),
        };
        if target.glob {
            return Decision::always_ask(
                Why::Unproven,
                "It redirects to a file chosen by a pattern.",
            );
        }
        if self.moved && writes {
            return Decision::always_ask(
                Why::Unproven,
                "It changes the folder and then writes a file.",
            );
        }
        self.everywhere(&target.text, |place| {
            if writes {
                edit("Edit", place, self.context)
            } else {
                read("Read", place, self.context)
            }
        })
    }

    /// The strictest answer about a path in all folders the command may be in.
    fn everywhere(&self, path: &str, judge: impl Fn(&Place<'_>) -> Decision) -> Decision {
        if self.lost && !Path::new(path).is_absolute() {
            return Decision::always_ask(
                Why::Unproven,
                "It changes to a folder that is not known.",
            );
        }
        let judged =
            self.cwds.iter().map(|cwd| judge(&Place::by_name(&normalize(&cwd.join(path)))));
        judged
            .reduce(Decision::and)
            .unwrap_or_else(|| Decision::always_ask(Why::Unproven, "Its folder is not known."))
    }

    fn words(&mut self, words: &[Literal]) -> Decision {
        let inner = unwrap(words);
        let looking = if inner.open { None } else { looks(inner.words) };
        let allowed = self.allowed(words, &inner);
        if let Some(entry) = allowed {
            self.follow(inner.words, looking.as_ref());
            return Decision::allow(Why::Rule, because(entry));
        }
        if let Some(looking) = looking {
            let decision = self.look(&looking);
            if looking.is_git && self.open {
                let reason = "Git runs what the configuration of a repository tells it to, and no \
                              sandbox keeps that in.";
                let suggestions = suggest::command(&texts(inner.words));
                return decision.and(Decision::ask(Why::Unproven, reason, suggestions));
            }
            return decision;
        }
        let accepted = if inner.open { None } else { self.accepted(inner.words) };
        accepted.unwrap_or_else(|| {
            let texts = texts(inner.words);
            if let Some(doomed) = self.doomed(&texts) {
                return Decision::always_ask(Why::Changes, format!("It would delete {doomed}."));
            }
            let suggestions = if inner.open || !dangers(&texts).is_empty() {
                Vec::new()
            } else {
                suggest::command(&texts)
            };
            Decision::ask(
                Why::Changes,
                format!("`{}` may change something.", texts.join(" ")),
                suggestions,
            )
        })
    }

    /// An allowed `cd` still moves the rest of the command.
    fn follow(&mut self, words: &[Literal], looking: Option<&Looks>) {
        match looking.and_then(|looking| looking.enters.as_deref()) {
            Some(folder) => self.enter(folder),
            None => {
                let name = words.first().map(|word| word.text.as_str());
                self.lost |= matches!(name, Some("cd" | "pushd" | "popd"));
            }
        }
    }

    fn enter(&mut self, folder: &str) {
        let moved: Vec<PathBuf> =
            self.cwds.iter().map(|cwd| normalize(&cwd.join(folder))).collect();
        for cwd in moved {
            if !self.cwds.contains(&cwd) {
                self.cwds.push(cwd);
                self.moved = true;
            }
        }
        self.lost |= self.cwds.len() > MOST_FOLDERS;
    }

    fn look(&mut self, looking: &Looks) -> Decision {
        if looking.is_git && (self.moved || self.lost) {
            return Decision::always_ask(
                Why::Unproven,
                "It runs git in another folder, whose configuration git would obey.",
            );
        }
        let judge =
            |path: &String| self.everywhere(path, |place| read("Read", place, self.context));
        let decision = looking.paths.iter().chain(&looking.enters).map(judge).reduce(Decision::and);
        if let Some(folder) = &looking.enters {
            self.enter(folder);
        }
        decision.unwrap_or_else(|| Decision::allow(Why::ReadOnly, "It only looks."))
    }

    /// In acceptEdits: plain file commands whose every path lies inside the workspace.
    fn accepted(&self, words: &[Literal]) -> Option<Decision> {
        if !self.context.mode.accepts_edits() || self.moved || self.lost {
            return None;
        }
        let paths = accept::works_on(words)?;
        let fits = |place: &Place<'_>| {
            strictly_inside(place.resolved, self.context.roots)
                && edit("Edit", place, self.context).verdict == Verdict::Allow
        };
        let all = paths.iter().all(|path| {
            self.cwds.iter().all(|cwd| fits(&Place::by_name(&normalize(&cwd.join(path)))))
        });
        let mode = self.context.mode;
        all.then(|| {
            Decision::allow(
                Why::Mode,
                format!("The mode {mode} allows file commands in the workspace."),
            )
        })
    }

    fn allowed(&self, words: &[Literal], inner: &Unwrapped<'_>) -> Option<&'a Entry> {
        let (outer, bare) = (texts(words), texts(inner.words));
        let loose = may_become_options(words);
        let rules = self.context.rules.patterns(Behavior::Allow);
        let mut spoken = rules.filter(|(entry, _)| allow_speaks_of(entry, self.tool));
        let hit = spoken.find(|(_, pattern)| {
            let pattern = pattern.filter(|pattern| !loose || pattern.is_exact());
            pattern.is_some_and(|pattern| {
                self.covers(pattern, &outer, false) || self.covers(pattern, &bare, inner.open)
            })
        });
        hit.map(|(entry, _)| entry)
    }

    fn covers(&self, pattern: &CommandPattern, words: &[String], open: bool) -> bool {
        if !pattern.allows(words) || (open && !pattern.is_open()) {
            return false;
        }
        let meant =
            pattern.is_exact() || dangers(words).into_iter().all(|word| pattern.spells(word));
        meant && (pattern.is_exact() || !self.deletes_outside(words))
    }

    fn deletes_outside(&self, words: &[String]) -> bool {
        let deleted = deleted(words);
        let outside =
            |word: &&str| self.cwds.iter().any(|cwd| !inside(&cwd.join(word), self.context.roots));
        !deleted.is_empty() && (self.lost || deleted.iter().any(outside))
    }

    /// Every path that would be deleted, in full: the folder may not be the one the model thinks.
    fn doomed(&self, words: &[String]) -> Option<String> {
        const SHOWN: usize = 20;
        let paths: Vec<String> = deleted(words)
            .iter()
            .flat_map(|word| self.cwds.iter().map(move |cwd| normalize(&cwd.join(word))))
            .map(|path| path.display().to_string())
            .collect();
        let more = paths.len().saturating_sub(SHOWN);
        let mut text = paths.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        if more > 0 {
            text += &format!(" and {more} more");
        }
        (!paths.is_empty()).then_some(text)
    }
}

fn texts(words: &[Literal]) -> Vec<String> {
    words.iter().map(|word| word.text.clone()).collect()
}

/// What a command deletes.
fn deleted(words: &[String]) -> Vec<&str> {
    match words.split_first() {
        Some((name, rest)) if matches!(program(name), "rm" | "rmdir" | "shred" | "unlink") => {
            rest.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a pattern for file names may turn into an option nobody wrote: `find . -del*`, or
/// `rg x *` beside a file called `--pre=sh`.
fn may_become_options(words: &[Literal]) -> bool {
    let sharp = words.iter().any(|word| has_sharp_options(&word.text));
    words.iter().any(|word| {
        word.glob
            && (word.text.starts_with('-') || (sharp && word.text.starts_with(['*', '?', '['])))
    })
}
