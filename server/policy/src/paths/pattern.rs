//! Path patterns of `Read(…)` and `Edit(…)` rules: gitignore-like, with anchors.
//!
//! `//x` is absolute, `~/x` in the home folder, `/x` at the root of whoever set the rule, `x/y`
//! and `./x` at the working directory, and a bare name at any depth. Allow rules are read
//! narrowly; deny and ask rules widely, so that no spelling slips past them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::glob::{Glob, alternatives, escape};
use super::names::Names;
use crate::decide::Context;
use crate::rules::{Behavior, Entry, Source};

/// The files one rule speaks about.
#[derive(Debug)]
pub(crate) enum PathPattern {
    Every,
    Globs { globs: Vec<Glob>, narrow: bool },
}

impl PathPattern {
    pub(crate) fn new(entry: &Entry, context: &Context<'_>) -> PathPattern {
        let Some(spec) = entry.rule.spec() else { return PathPattern::Every };
        let narrow = entry.behavior == Behavior::Allow;
        // gitignore knows no `{a,b}`; people who deny with it mean the alternatives.
        let specs = if narrow { vec![spec.to_owned()] } else { alternatives(spec) };
        let globs = specs.iter().flat_map(|spec| globs(spec, entry.source, narrow, context));
        let parsed: Vec<Option<Glob>> = globs.map(|glob| Glob::parse(&glob, !narrow)).collect();
        // A pattern nobody can read protects everything rather than nothing.
        if !narrow && parsed.iter().any(Option::is_none) {
            return PathPattern::Every;
        }
        PathPattern::Globs { globs: parsed.into_iter().flatten().collect(), narrow }
    }

    pub(crate) fn matches(&self, names: &Names) -> bool {
        match self {
            PathPattern::Every => true,
            PathPattern::Globs { globs, narrow } => globs.iter().any(|glob| {
                // A plain name also stands for a folder's contents; in a deny any pattern does.
                glob.matches(names, !narrow || glob.ends_in_a_name())
            }),
        }
    }

    /// Whether a file below the folder could match.
    pub(crate) fn reaches_below(&self, folder: &Names) -> bool {
        match self {
            PathPattern::Every => true,
            PathPattern::Globs { globs, .. } => globs.iter().any(|glob| glob.reaches_below(folder)),
        }
    }
}

/// A pattern that is read once and kept, for as long as it is asked about from the same place.
#[derive(Debug, Clone, Default)]
pub(crate) struct Kept(Arc<OnceLock<Placed>>);

/// What a pattern depends on besides its rule, and the pattern.
#[derive(Debug)]
struct Placed {
    roots: Vec<PathBuf>,
    home: Option<PathBuf>,
    pattern: PathPattern,
}

/// A pattern that is kept, or was made for somebody who asks from elsewhere.
#[derive(Debug)]
pub(crate) enum Found<'a> {
    Kept(&'a PathPattern),
    Made(PathPattern),
}

impl Kept {
    pub(crate) fn of(&self, entry: &Entry, context: &Context<'_>) -> Found<'_> {
        let placed = self.0.get_or_init(|| Placed {
            roots: context.roots.to_vec(),
            home: context.home.map(Path::to_owned),
            pattern: PathPattern::new(entry, context),
        });
        match placed.roots == context.roots && placed.home.as_deref() == context.home {
            true => Found::Kept(&placed.pattern),
            false => Found::Made(PathPattern::new(entry, context)),
        }
    }
}

impl std::ops::Deref for Found<'_> {
    type Target = PathPattern;

    fn deref(&self) -> &PathPattern {
        match self {
            Found::Kept(pattern) => pattern,
            Found::Made(pattern) => pattern,
        }
    }
}

/// Rules are compared by what they say, not by what was worked out of it.
impl PartialEq for Kept {
    fn eq(&self, _: &Kept) -> bool {
        true
    }
}

impl Eq for Kept {}

/// The absolute globs one pattern stands for.
fn globs(spec: &str, source: Source, narrow: bool, context: &Context<'_>) -> Vec<String> {
    if let Some(absolute) = spec.strip_prefix("//") {
        return vec![format!("/{}", tidy(absolute))];
    }
    if let Some(rest) = home_relative(spec) {
        return match context.home {
            Some(home) => vec![below(home, rest)],
            None if narrow => Vec::new(),
            None => vec![format!("/**/{}", tidy(rest))],
        };
    }
    if let Some(rest) = spec.strip_prefix('/') {
        return anchors(source, narrow, context).iter().map(|base| below(base, rest)).collect();
    }
    let rest = spec.strip_prefix("./").unwrap_or(spec);
    let bare = !spec.starts_with("./") && !rest.trim_end_matches('/').contains('/');
    if !narrow {
        let mut found = vec![format!("/**/{}", tidy(rest))];
        found.extend(context.roots.first().map(|cwd| below(cwd, rest)));
        return found;
    }
    if bare {
        return context.roots.iter().map(|root| below(root, &format!("**/{rest}"))).collect();
    }
    context.roots.first().map(|cwd| below(cwd, rest)).into_iter().collect()
}

fn home_relative(spec: &str) -> Option<&str> {
    if spec == "~" { Some("") } else { spec.strip_prefix("~/") }
}

/// Where `/x` starts. For deny and ask rules every reading of the anchor counts.
fn anchors(source: Source, narrow: bool, context: &Context<'_>) -> Vec<PathBuf> {
    let project = context.roots.first().cloned();
    let own = match source {
        Source::User => context.home.map(|home| home.join(".claude")),
        Source::Managed => Some(PathBuf::from("/")),
        _ => project.clone(),
    };
    if narrow { own.into_iter().collect() } else { own.into_iter().chain(project).collect() }
}

/// `rest` under `base`, where `base` is literal text.
fn below(base: &Path, rest: &str) -> String {
    let mut base = base.to_path_buf();
    let mut rest = rest;
    loop {
        rest = rest.trim_start_matches('/');
        if let Some(up) = rest.strip_prefix("../") {
            base.pop();
            rest = up;
        } else if let Some(here) = rest.strip_prefix("./") {
            rest = here;
        } else {
            break;
        }
    }
    let base = escape(&base.to_string_lossy());
    let rest = tidy(rest);
    match (base.trim_end_matches('/'), rest.as_str()) {
        (base, "") => base.to_owned(),
        (base, rest) => format!("{base}/{rest}"),
    }
}

/// A trailing slash marks a folder, which stands for what is in it.
fn tidy(rest: &str) -> String {
    let rest = rest.trim_start_matches('/');
    match rest.strip_suffix('/') {
        Some(folder) => folder.trim_end_matches('/').to_owned(),
        None => rest.to_owned(),
    }
}
