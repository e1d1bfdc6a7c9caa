//! Path patterns of `Read(…)` and `Edit(…)` rules: gitignore-like, with anchors.
//!
//! `//x` is absolute, `~/x` in the home folder, `/x` at the root of whoever set the rule, `x/y`
//! and `./x` at the working directory, and a bare name at any depth. Allow rules are read
//! narrowly; deny and ask rules widely, so that no spelling slips past them.

use std::path::{Path, PathBuf};

use super::glob::{Glob, alternatives, escape};
use super::normalize;
use crate::decide::Context;
use crate::rules::{Behavior, Entry, Source};

/// The files one rule speaks about.
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

    pub(crate) fn matches(&self, path: &Path) -> bool {
        match self {
            PathPattern::Every => true,
            PathPattern::Globs { globs, narrow } => {
                let path = normalize(path);
                globs.iter().any(|glob| hits(glob, &path, *narrow))
            }
        }
    }

    /// Whether a file below `folder` could match.
    pub(crate) fn reaches_below(&self, folder: &Path) -> bool {
        match self {
            PathPattern::Every => true,
            PathPattern::Globs { globs, .. } => {
                let folder = normalize(folder);
                globs.iter().any(|glob| glob.reaches_below(&folder))
            }
        }
    }
}

/// A plain name also stands for a folder's contents; in a deny any pattern does.
fn hits(glob: &Glob, path: &Path, narrow: bool) -> bool {
    glob.matches(path)
        || ((!narrow || glob.ends_in_a_name())
            && path.ancestors().skip(1).any(|ancestor| glob.matches(ancestor)))
}

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
