//! `rules/**/*.md`: instructions, some of which are only about certain paths.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::Deserialize;

use super::MemoryFile;
use crate::{files, frontmatter};

/// Patterns of one file; more is a mistake.
const MOST_PATTERNS: usize = 200;
const LONGEST_PATTERN: usize = 1_000;
/// Folders of rules are shallow and small.
const DEEPEST: usize = 8;
const MOST_FILES: usize = 500;

/// Patterns on absolute paths; a relative one is relative to the base.
#[derive(Debug)]
pub(crate) struct Patterns(GlobSet);

impl Patterns {
    /// A pattern that cannot be read is told and left out.
    pub(crate) fn new(written: &[String], base: &Path) -> (Patterns, Vec<String>) {
        let mut set = GlobSetBuilder::new();
        let mut problems = Vec::new();
        for pattern in written.iter().take(MOST_PATTERNS) {
            match glob(pattern, base) {
                Ok(glob) => drop(set.add(glob)),
                Err(problem) => problems.push(problem),
            }
        }
        let set = set.build().unwrap_or_else(|error| {
            problems.push(error.to_string());
            GlobSet::empty()
        });
        (Patterns(set), problems)
    }

    pub(crate) fn matches(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

fn glob(pattern: &str, base: &Path) -> Result<globset::Glob, String> {
    if pattern.len() > LONGEST_PATTERN {
        return Err("a pattern is too long".to_owned());
    }
    let pattern = pattern.trim().trim_start_matches("./");
    // A name without a slash is meant at any depth.
    let pattern = match pattern.contains('/') {
        true => pattern.to_owned(),
        false => format!("**/{pattern}"),
    };
    let whole = match pattern.starts_with('/') || pattern.starts_with("**") {
        true => pattern,
        false => format!("{}/{pattern}", globset::escape(&base.display().to_string())),
    };
    let built = GlobBuilder::new(&whole).literal_separator(true).build();
    built.map_err(|error| error.to_string())
}

/// A rule that waits for a file it is about.
#[derive(Debug)]
pub(super) struct PathRule {
    pub(super) file: MemoryFile,
    base: PathBuf,
    patterns: Patterns,
}

#[derive(Deserialize)]
struct Head {
    paths: Option<Paths>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Paths {
    One(String),
    Many(Vec<String>),
}

/// What a file of rules is, once its head is read.
pub(super) enum Rule {
    Waits(PathRule),
    /// It always counts; with what is wrong with its head.
    Always(MemoryFile, Option<String>),
}

impl PathRule {
    pub(super) fn of(file: MemoryFile, base: &Path) -> Rule {
        let (head, _) = frontmatter::split(&file.text);
        let paths = match head.map(frontmatter::parse::<Head>) {
            None => None,
            Some(Err(problem)) => return Rule::Always(file, Some(problem)),
            Some(Ok(head)) => head.paths,
        };
        let written = match paths {
            None => return Rule::Always(file, None),
            // Commas within braces belong to the pattern.
            Some(Paths::One(list)) => split_list(&list),
            Some(Paths::Many(list)) => list,
        };
        let (patterns, problems) = Patterns::new(&written, base);
        match problems.into_iter().next() {
            Some(problem) => Rule::Always(file, Some(problem)),
            None => Rule::Waits(PathRule { file, base: base.to_owned(), patterns }),
        }
    }

    pub(super) fn is_about(&self, path: &Path) -> bool {
        path.starts_with(&self.base) && self.patterns.matches(path)
    }
}

pub(crate) fn split_list(list: &str) -> Vec<String> {
    let (mut parts, mut depth) = (vec![String::new()], 0_usize);
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = parts.last_mut() {
            last.push(c);
        }
    }
    let parts = parts.into_iter().map(|part| part.trim().to_owned());
    parts.filter(|part| !part.is_empty()).collect()
}

/// The Markdown files below a folder, in the order of their names. Links are followed, but not in
/// circles.
pub(crate) fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entered = std::collections::BTreeSet::new();
    walk(folder, 0, &mut entered, &mut found);
    found.sort();
    found
}

fn walk(
    folder: &Path,
    depth: usize,
    entered: &mut std::collections::BTreeSet<PathBuf>,
    found: &mut Vec<PathBuf>,
) {
    if depth > DEEPEST || !files::is_dir(folder) || !entered.insert(files::real(folder)) {
        return;
    }
    let mut entries = files::list(folder);
    entries.sort();
    for path in entries {
        if found.len() >= MOST_FILES {
            return;
        }
        if files::is_dir(&path) {
            walk(&path, depth + 1, entered, found);
        } else if path.extension().is_some_and(|ending| ending == "md") {
            found.push(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_relative_to_their_folder() {
        let check = |pattern: &str, path: &str, expect: bool| {
            let (patterns, problems) = Patterns::new(&[pattern.to_owned()], Path::new("/w/p"));
            assert!(problems.is_empty(), "{problems:?}");
            assert_eq!(patterns.matches(Path::new(path)), expect, "{pattern} {path}");
        };
        check("src/**/*.ts", "/w/p/src/a/b.ts", true);
        check("src/**/*.ts", "/w/p/src/b.ts", true);
        check("src/*.ts", "/w/p/src/a/b.ts", false);
        check("*.{ts,tsx}", "/w/p/a/b.tsx", true);
        check("./docs/*", "/w/p/docs/a.md", true);
        check("/w/p/x", "/w/p/x", true);
        check("**/test/**", "/w/p/a/test/b", true);
        check("src/**", "/elsewhere/src/a", false);
    }

    #[test]
    fn a_list_may_be_one_text() {
        assert_eq!(split_list("a, {b,c}/*.rs ,, d"), ["a", "{b,c}/*.rs", "d"]);
    }
}
