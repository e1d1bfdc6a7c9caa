//! Reading and changing files.

use std::path::{Component, Path};

use super::{Context, Decision, Why, because};
use crate::mode::Mode;
use crate::paths::names::Names;
use crate::paths::pattern::{Found, PathPattern};
use crate::paths::protected::protected;
use crate::paths::{forbidden, inside};
use crate::rules::{Behavior, EDITORS, Entry, READERS};
use crate::suggest;

/// A file under its two names: as given, and as it really is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) path: &'a Path,
    pub(crate) resolved: &'a Path,
    /// How many names the file has, where that is known and matters.
    pub(crate) links: u64,
}

impl<'a> Place<'a> {
    /// A place nobody could look up, such as a word of a command.
    pub(crate) fn by_name(path: &'a Path) -> Place<'a> {
        Place { path, resolved: path, links: 0 }
    }

    /// The names of both paths; of one where they are the same.
    fn names(&self) -> (Names, Option<Names>) {
        let real = (self.path != self.resolved).then(|| Names::of(self.resolved));
        (Names::of(self.path), real)
    }

    fn never_opened(&self) -> Option<&'static str> {
        if self.resolved.components().any(|part| part == Component::ParentDir) {
            return Some("its real path is not known");
        }
        forbidden(self.path).or_else(|| forbidden(self.resolved))
    }

    /// In the folder of the agent's own notes, or that folder.
    fn is_among_notes(&self, context: &Context<'_>) -> bool {
        context.rules.notes().is_some_and(|notes| self.resolved.starts_with(notes))
    }

    /// One of the agent's own notes: Markdown, right in their folder, and known by no other name.
    fn is_note(&self, context: &Context<'_>) -> bool {
        let in_folder = self
            .resolved
            .parent()
            .is_some_and(|folder| context.rules.notes().is_some_and(|notes| notes == folder));
        let is_text = self.resolved.extension().is_some_and(|extension| extension == "md");
        in_folder && is_text && self.links <= 1
    }

    /// The plan that is being made, known by no other name.
    fn is_plan(&self, context: &Context<'_>) -> bool {
        context.rules.plan() == Some(self.resolved) && self.links <= 1
    }

    fn protected(&self) -> Option<&'static str> {
        protected(self.path).or_else(|| protected(self.resolved))
    }
}

pub(crate) fn read(tool: &str, place: &Place<'_>, context: &Context<'_>) -> Decision {
    if let Some(entry) = hit(Behavior::Deny, Access::Read, tool, place, context) {
        return Decision::deny(Why::Rule, because(entry));
    }
    if let Some(why) = place.never_opened() {
        return Decision::deny(
            Why::Forbidden,
            format!("{} cannot be read: {why}.", place.path.display()),
        );
    }
    if let Some(decision) = kept_inside(Access::Read, place, context) {
        return decision;
    }
    if let Some(entry) = hit(Behavior::Ask, Access::Read, tool, place, context) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    if inside(place.resolved, context.roots) {
        return Decision::allow(Why::Workspace, "It reads a file of the workspace.");
    }
    if place.is_among_notes(context) || place.is_plan(context) {
        return Decision::allow(Why::Internal, "It reads the agent's own notes.");
    }
    if let Some(entry) = hit(Behavior::Allow, Access::Read, tool, place, context) {
        return Decision::allow(Why::Rule, because(entry));
    }
    Decision::ask(
        Why::Outside,
        format!("{} is outside the workspace.", shown(place)),
        suggest::read(place.resolved),
    )
}

pub(crate) fn edit(tool: &str, place: &Place<'_>, context: &Context<'_>) -> Decision {
    if let Some(entry) = hit(Behavior::Deny, Access::Edit, tool, place, context) {
        return Decision::deny(Why::Rule, because(entry));
    }
    if let Some(why) = place.never_opened() {
        return Decision::deny(
            Why::Forbidden,
            format!("{} cannot be written: {why}.", place.path.display()),
        );
    }
    if let Some(decision) = kept_inside(Access::Edit, place, context) {
        return decision;
    }
    if place.is_plan(context) {
        return Decision::allow(Why::Internal, "It is the plan that is being made.");
    }
    if context.mode == Mode::Plan {
        return Decision::deny(
            Why::Mode,
            "Plan mode is on: nothing may be changed until the user approves the plan.",
        );
    }
    if let Some(entry) = hit(Behavior::Ask, Access::Edit, tool, place, context) {
        return Decision::always_ask(Why::Rule, because(entry));
    }
    // They lie where settings lie, so this comes before the question about those.
    if place.is_note(context) {
        return Decision::allow(Why::Internal, "It is one of the agent's own notes.");
    }
    if let Some(name) = place.protected() {
        return Decision::always_ask(
            Why::Protected,
            format!(
                "{} is protected (`{name}`): other programs run or obey what it says.",
                shown(place)
            ),
        );
    }
    if context.mode == Mode::BypassPermissions {
        return Decision::allow(Why::Mode, "The mode bypassPermissions allows this.");
    }
    // No rule can mean this: it speaks of one name, and the others may be anywhere.
    if place.links > 1 {
        return Decision::always_ask(
            Why::Protected,
            format!(
                "{} has {} names. This one would get a file of its own, and the others, which may be \
             outside the workspace, would keep the old text.",
                shown(place),
                place.links
            ),
        );
    }
    if let Some(entry) = hit(Behavior::Allow, Access::Edit, tool, place, context) {
        return Decision::allow(Why::Rule, because(entry));
    }
    let inside = inside(place.resolved, context.roots);
    if inside && context.mode.accepts_edits() {
        let mode = context.mode;
        return Decision::allow(
            Why::Mode,
            format!("The mode {mode} allows edits in the workspace."),
        );
    }
    let (kind, reason) = if inside {
        (Why::Changes, format!("{} would be changed.", shown(place)))
    } else {
        (Why::Outside, format!("{} is outside the workspace and would be changed.", shown(place)))
    };
    Decision::ask(kind, reason, suggest::edit(place.resolved, context.roots))
}

/// Settings may forbid to leave the roots at all.
pub(super) fn kept_inside(
    access: Access,
    place: &Place<'_>,
    context: &Context<'_>,
) -> Option<Decision> {
    let limits = context.rules.limits();
    let (kept, verb) = match access {
        Access::Read => (limits.reads_stay_inside, "read"),
        Access::Edit => (limits.writes_stay_inside, "written"),
    };
    (kept && !inside(place.resolved, context.roots)).then(|| {
        let text = format!(
            "{} is outside the workspace, and by the settings nothing there is {verb}.",
            shown(place)
        );
        Decision::deny(Why::Outside, text)
    })
}

/// The path, and where it really leads when that is somewhere else.
fn shown(place: &Place<'_>) -> String {
    if place.path == place.resolved {
        place.path.display().to_string()
    } else {
        format!("{} (really {})", place.path.display(), place.resolved.display())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Access {
    Read,
    Edit,
}

/// The first rule of `behavior` that speaks about the file.
fn hit<'a>(
    behavior: Behavior,
    access: Access,
    tool: &str,
    place: &Place<'_>,
    context: &Context<'a>,
) -> Option<&'a Entry> {
    let mut rules = context.rules.paths(behavior);
    let mut names = None;
    let hit = rules.find(|(entry, kept)| {
        speaks_of(entry, access, tool) && {
            let names = names.get_or_insert_with(|| place.names());
            covers(entry.behavior, &kept.of(entry, context), names)
        }
    });
    hit.map(|(entry, _)| entry)
}

/// The rules of one behaviour and access, ready to be held against many paths.
pub(super) struct PathRules<'a>(Vec<(&'a Entry, Found<'a>)>);

impl<'a> PathRules<'a> {
    pub(super) fn new(behavior: Behavior, access: Access, context: &Context<'a>) -> PathRules<'a> {
        let tool = if access == Access::Read { "Read" } else { "Edit" };
        let rules = context.rules.paths(behavior);
        let rules = rules.filter(|(entry, _)| speaks_of(entry, access, tool));
        PathRules(rules.map(|(entry, kept)| (entry, kept.of(entry, context))).collect())
    }

    pub(super) fn find(&self, names: &Names) -> Option<&'a Entry> {
        self.0.iter().find(|(_, pattern)| pattern.matches(names)).map(|(entry, _)| *entry)
    }

    /// The first rule that may speak about something below `folder`.
    pub(super) fn below(&self, folder: &Names) -> Option<&'a Entry> {
        self.0.iter().find(|(_, pattern)| pattern.reaches_below(folder)).map(|(entry, _)| *entry)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn first(&self) -> Option<&'a Entry> {
        self.0.first().map(|(entry, _)| *entry)
    }
}

/// The files that deny rules close, ready to be held against very many.
pub struct DeniedPaths(Vec<PathPattern>);

impl DeniedPaths {
    pub fn to_reading(context: &Context<'_>) -> DeniedPaths {
        DeniedPaths::new(Access::Read, context)
    }

    pub fn to_writing(context: &Context<'_>) -> DeniedPaths {
        DeniedPaths::new(Access::Edit, context)
    }

    fn new(access: Access, context: &Context<'_>) -> DeniedPaths {
        let tool = if access == Access::Read { "Read" } else { "Edit" };
        let rules = context.rules.with(Behavior::Deny);
        let rules = rules.filter(|entry| speaks_of(entry, access, tool));
        DeniedPaths(rules.map(|entry| PathPattern::new(entry, context)).collect())
    }

    pub fn close(&self, path: &Path) -> bool {
        let names = Names::of(path);
        self.0.iter().any(|pattern| pattern.matches(&names))
    }

    /// Whether something below `folder` may be closed.
    pub fn reach_below(&self, folder: &Path) -> bool {
        let names = Names::of(folder);
        self.0.iter().any(|pattern| pattern.reaches_below(&names))
    }
}

fn speaks_of(entry: &Entry, access: Access, tool: &str) -> bool {
    let rule = &entry.rule;
    if rule.has_tool_wildcard() && entry.behavior == Behavior::Allow {
        return false;
    }
    // The tool itself; but `Write(path)` and its like only ever tighten, as they were never a
    // documented way to allow.
    let own = rule.names(tool)
        && (entry.behavior != Behavior::Allow
            || rule.spec().is_none()
            || is_path_rule(rule.tool()));
    let family = match (access, entry.behavior) {
        (Access::Read, Behavior::Allow) => rule.names("Read") || rule.names("Edit"),
        (Access::Read, _) => rule.names("Read") || scoped_for(entry, &READERS),
        (Access::Edit, Behavior::Allow) => rule.names("Edit"),
        (Access::Edit, Behavior::Ask) => rule.names("Edit") || scoped_for(entry, &EDITORS),
        (Access::Edit, Behavior::Deny) => {
            rule.names("Edit")
                || rule.names("Read")
                || scoped_for(entry, &EDITORS)
                || scoped_for(entry, &READERS)
        }
    };
    own || family
}

fn is_path_rule(tool: &str) -> bool {
    tool == "Read" || tool == "Edit"
}

/// `Write(secrets/**)` as a deny is meant for the files, whichever tool of the family comes.
fn scoped_for(entry: &Entry, family: &[&str]) -> bool {
    entry.rule.spec().is_some() && family.iter().any(|tool| entry.rule.names(tool))
}

/// Allow needs both names of the file to match, deny and ask need either.
fn covers(
    behavior: Behavior,
    pattern: &PathPattern,
    (path, real): &(Names, Option<Names>),
) -> bool {
    let real = real.as_ref().unwrap_or(path);
    match behavior {
        Behavior::Allow => pattern.matches(path) && pattern.matches(real),
        Behavior::Ask | Behavior::Deny => pattern.matches(path) || pattern.matches(real),
    }
}
