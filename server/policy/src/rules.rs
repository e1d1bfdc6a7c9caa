//! The rules in force, each with its behaviour and who set it.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::paths::pattern::Kept;
use crate::rule::{Rule, current_name};
use crate::shell::pattern::CommandPattern;

/// What a rule does with the calls it matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Behavior {
    Allow,
    Ask,
    Deny,
}

/// Who set a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    CommandLine,
    Session,
    Turn,
    Project,
    ProjectLocal,
    User,
    Managed,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::CommandLine => "the command line",
            Source::Session => "this session",
            Source::Turn => "this turn",
            Source::Project => "the project settings",
            Source::ProjectLocal => "the local project settings",
            Source::User => "the user settings",
            Source::Managed => "the managed policy",
        })
    }
}

/// One rule in force.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Entry {
    pub behavior: Behavior,
    pub rule: Rule,
    pub source: Source,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.behavior {
            Behavior::Allow => "allows",
            Behavior::Ask => "asks about",
            Behavior::Deny => "denies",
        };
        write!(f, "the rule `{}` from {} {verb}", self.rule, self.source)
    }
}

/// What settings forbid or demand beyond single rules. Stricter values win over all sources.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Limits {
    /// What would be asked is denied, in every mode.
    pub deny_instead_of_asking: bool,
    /// Files outside the roots are never read.
    pub reads_stay_inside: bool,
    /// Files outside the roots are never written.
    pub writes_stay_inside: bool,
    /// In the mode auto a model judges every command, also one that a rule or the walls would let
    /// run.
    pub judge_all_commands: bool,
}

/// Every rule in force. Order and scope carry no weight: deny beats ask beats allow.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules {
    rules: Vec<Prepared>,
    limits: Limits,
    /// The folder of the agent's own notes, by its real path.
    notes: Option<PathBuf>,
    /// The file of the plan that is being made, by its real path.
    plan: Option<PathBuf>,
}

/// A rule with its pattern read once, since every decision holds it against every command.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Prepared {
    entry: Entry,
    pattern: Option<Arc<CommandPattern>>,
    /// The same for files; which it means depends on where the session is.
    paths: Kept,
}

impl Rules {
    /// Adds a rule; one that is already there is not repeated.
    pub fn add(&mut self, entry: Entry) {
        if !self.iter().any(|known| *known == entry) {
            let pattern = entry.rule.spec().map(|spec| Arc::new(CommandPattern::parse(spec)));
            self.rules.push(Prepared { entry, pattern, paths: Kept::default() });
        }
    }

    /// Takes a rule away and says whether it was there.
    pub fn remove(&mut self, entry: &Entry) -> bool {
        let before = self.rules.len();
        self.rules.retain(|kept| kept.entry != *entry);
        self.rules.len() != before
    }

    /// Drops everything one source had set, as when a turn ends or a settings file is read again.
    pub fn clear(&mut self, source: Source) {
        self.rules.retain(|kept| kept.entry.source != source);
    }

    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.rules.iter().map(|rule| &rule.entry)
    }

    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Sets the limits, in place of those before.
    pub fn limit(&mut self, limits: Limits) {
        self.limits = limits;
    }

    /// The folder where the agent may read, and write Markdown files, without a question.
    pub fn notes(&self) -> Option<&Path> {
        self.notes.as_deref()
    }

    pub fn set_notes(&mut self, folder: Option<PathBuf>) {
        self.notes = folder;
    }

    /// The one file that may be written while a plan is made.
    pub fn plan(&self) -> Option<&Path> {
        self.plan.as_deref()
    }

    pub fn set_plan(&mut self, file: Option<PathBuf>) {
        self.plan = file;
    }

    pub(crate) fn with(&self, behavior: Behavior) -> impl Iterator<Item = &Entry> {
        self.iter().filter(move |entry| entry.behavior == behavior)
    }

    /// The rules of one behaviour, each with the commands it means; a bare rule means all.
    pub(crate) fn patterns(
        &self,
        behavior: Behavior,
    ) -> impl Iterator<Item = (&Entry, Option<&CommandPattern>)> {
        let rules = self.rules.iter().filter(move |rule| rule.entry.behavior == behavior);
        rules.map(|rule| (&rule.entry, rule.pattern.as_deref()))
    }
}

impl Rules {
    /// The rules of one behaviour, each with the files it means.
    pub(crate) fn paths(&self, behavior: Behavior) -> impl Iterator<Item = (&Entry, &Kept)> {
        let rules = self.rules.iter().filter(move |rule| rule.entry.behavior == behavior);
        rules.map(|rule| (&rule.entry, &rule.paths))
    }
}

impl FromIterator<Entry> for Rules {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Rules {
        let mut rules = Rules::default();
        entries.into_iter().for_each(|entry| rules.add(entry));
        rules
    }
}

impl Extend<Entry> for Rules {
    fn extend<I: IntoIterator<Item = Entry>>(&mut self, entries: I) {
        entries.into_iter().for_each(|entry| self.add(entry));
    }
}

/// Tools that change files; a rule for `Edit` speaks for all of them.
pub(crate) const EDITORS: [&str; 4] = ["Edit", "Write", "NotebookEdit", "MultiEdit"];
/// Tools that show file contents or names; a rule for `Read` speaks for all of them.
pub(crate) const READERS: [&str; 4] = ["Read", "Grep", "Glob", "LSP"];

/// The tools that bare deny rules take away from the model.
#[derive(Debug, Clone)]
pub struct RemovedTools<'a>(Vec<&'a Entry>);

/// Which tools the model should not even be shown.
pub fn removed_tools(rules: &Rules) -> RemovedTools<'_> {
    RemovedTools(rules.with(Behavior::Deny).filter(|entry| entry.rule.spec().is_none()).collect())
}

impl<'a> RemovedTools<'a> {
    pub fn contains(&self, tool: &str) -> bool {
        self.by(tool).is_some()
    }

    /// The rule that removes `tool`.
    pub fn by(&self, tool: &str) -> Option<&'a Entry> {
        self.0.iter().copied().find(|entry| removes(&entry.rule, tool))
    }
}

/// A tool is removed exactly when `decide` would deny its every call.
fn removes(rule: &Rule, tool: &str) -> bool {
    let tool = current_name(tool);
    rule.names(tool)
        || tool
            .strip_prefix(rule.tool())
            .is_some_and(|rest| rule.tool().starts_with("mcp__") && rest.starts_with("__"))
        || (EDITORS.contains(&tool) && (rule.names("Edit") || rule.names("Read")))
        || (READERS.contains(&tool) && rule.names("Read"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deny(rule: &str) -> Rules {
        [Entry { behavior: Behavior::Deny, rule: rule.parse().unwrap(), source: Source::User }]
            .into_iter()
            .collect()
    }

    #[test]
    fn bare_denies_remove_the_tool() {
        let check = |rule: &str, tool: &str, expect: bool| {
            assert_eq!(removed_tools(&deny(rule)).contains(tool), expect, "{rule} {tool}");
        };
        check("Bash", "Bash", true);
        check("Bash(rm *)", "Bash", false);
        check("Bash(*)", "Bash", true);
        check("Edit", "Write", true);
        check("Read", "Grep", true);
        check("Read", "Edit", true);
        check("Write", "Edit", false);
        check("Task", "Agent", true);
        check("Agent", "Task", true);
        check("*", "Bash", true);
        check("mcp__*", "mcp__git__log", true);
        check("mcp__git", "mcp__git__log", true);
        check("mcp__git", "mcp__gitlab__log", false);
        check("mcp__git__*", "mcp__git__log", true);
        check("mcp__git__log", "mcp__git__logs", false);
    }

    #[test]
    fn rules_are_kept_once_and_taken_away_by_value_or_source() {
        let mut rules = deny("Bash");
        let entry = rules.iter().next().unwrap().clone();
        rules.add(entry.clone());
        assert_eq!(rules.iter().count(), 1);
        assert!(rules.remove(&entry));
        assert!(!rules.remove(&entry));
        rules.add(entry);
        rules.clear(Source::Turn);
        assert_eq!(rules.iter().count(), 1);
        rules.clear(Source::User);
        assert_eq!(rules.iter().count(), 0);
    }
}
