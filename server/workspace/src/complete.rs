//! File names while somebody types `@`: fuzzy, and fast enough for every key.
//!
//! The names are collected once and kept for a few seconds, which is as long as it takes to type
//! one.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use frizbee::{Config, Matcher};
use ignore::DirEntry;

use crate::resolve::real_path;
use crate::walk::{Filter, Ignored, Limits, lock};

/// How long a collection of names is good for.
const FRESH: Duration = Duration::from_secs(5);
/// The most folders whose names are kept: one user types in one session at a time, which may work in
/// several.
const MAX_FOLDERS: usize = 8;
/// The most names kept of one folder.
const MAX_NAMES: usize = 200_000;

/// Completes file names below a folder.
#[derive(Debug, Default)]
pub struct Completer {
    /// The folders last asked about, the latest last.
    kept: Mutex<Vec<Collected>>,
}

#[derive(Debug, Clone)]
struct Collected {
    root: PathBuf,
    at: Instant,
    /// Relative to the root, folders with a slash at the end, the shallow ones first.
    names: Arc<[String]>,
}

impl Completer {
    /// The best names for what was typed, at most `limit` of them. A folder ends with a slash.
    pub fn files(
        &self,
        root: &Path,
        query: &str,
        limit: usize,
        limits: &Limits<'_>,
    ) -> Vec<String> {
        let names = self.names(root, limits);
        let query = query.trim_start_matches("./");
        if query.is_empty() {
            return names.iter().take(limit).cloned().collect();
        }
        // A long query may have a slip in it; in a short one every letter counts.
        let typos = u16::from(query.chars().count() > 4);
        let config = Config::default().max_typos(Some(typos));
        let mut matches = Matcher::new(query, &config).match_list(&names);
        matches.truncate(limit);
        let name = |index: u32| names.get(index as usize).cloned();
        matches.into_iter().filter_map(|found| name(found.index)).collect()
    }

    fn names(&self, root: &Path, limits: &Limits<'_>) -> Arc<[String]> {
        // Held while collecting, so that the next key waits for this walk instead of starting one.
        let mut all = lock(&self.kept);
        all.retain(|kept| kept.at.elapsed() < FRESH);
        if let Some(kept) = all.iter().find(|kept| kept.root == root) {
            return Arc::clone(&kept.names);
        }
        let names: Arc<[String]> = collect(root, limits).into();
        if all.len() >= MAX_FOLDERS {
            all.remove(0);
        }
        let names_of = Arc::clone(&names);
        all.push(Collected { root: root.to_path_buf(), at: Instant::now(), names });
        names_of
    }
}

/// The names below a folder; none of a folder that cannot be looked at.
fn collect(root: &Path, limits: &Limits<'_>) -> Vec<String> {
    let Ok(root) = real_path(root) else { return Vec::new() };
    let Ok(filter) = Filter::new(&root, Ignored::Skip, &[], None) else { return Vec::new() };
    let limits = Limits { max_files: limits.max_files.min(MAX_NAMES), ..*limits };
    let found: Mutex<Vec<String>> = Mutex::default();
    filter.walk(&limits, || {
        |entry: DirEntry| {
            if let Some(name) = name_of(&root, &entry)
                && (limits.admits)(entry.path())
            {
                lock(&found).push(name);
            }
        }
    });
    let mut names = found.into_inner().unwrap_or_default();
    let depth = |name: &str| name.trim_end_matches('/').matches('/').count();
    names.sort_by(|a, b| (depth(a), a).cmp(&(depth(b), b)));
    names
}

/// A name that is no Unicode cannot be typed, so it is not offered.
fn name_of(root: &Path, entry: &DirEntry) -> Option<String> {
    let relative = entry.path().strip_prefix(root).ok()?.to_str()?;
    let slash = if entry.file_type()?.is_dir() { "/" } else { "" };
    (!relative.is_empty()).then(|| format!("{relative}{slash}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::test::write;

    #[test]
    fn names_for_what_was_typed() {
        let folder = tempfile::tempdir().unwrap();
        let files = [
            ".gitignore",
            "src/main.rs",
            "src/lib.rs",
            "src/deep/main_loop.rs",
            "README.md",
            "target/debug/main",
            ".git/config",
        ];
        for name in files {
            let content: &[u8] = if name == ".gitignore" { b"target/\n" } else { b"" };
            write(&folder.path().join(name), content);
        }
        let completer = Completer::default();
        let check = |query: &str, limit: usize, expect: &[&str]| {
            let found = completer.files(folder.path(), query, limit, &Limits::NONE);
            assert_eq!(found, expect, "{query:?}");
        };
        check("", 3, &[".gitignore", "README.md", "src/"]);
        check("main", 9, &["src/main.rs", "src/deep/main_loop.rs"]);
        check("./main", 1, &["src/main.rs"]);
        check("srclib", 9, &["src/lib.rs"]);
        check("readme", 9, &["README.md"]);
        check("raedme", 9, &["README.md"]);
        check("zzz", 9, &[]);
        check("target", 9, &[]);
        check("config", 9, &[]);
        assert!(completer.files(Path::new("/nowhere/at/all"), "", 9, &Limits::NONE).is_empty());
    }
}
