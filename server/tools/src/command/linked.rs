//! The files a command names that really lie elsewhere. The policy judges a command by the names in
//! it; a link must not lead a harmless-looking one out of the workspace.

use std::path::{Component, Path, PathBuf};

use policy::{Subject, Touched};
use workspace::{Entry, Kind, ResolveError};

use crate::context::Context;
use crate::place::blocking;
use crate::tool::Problem;

/// Names that are looked at to find out what the patterns of one command stand for.
const MOST_NAMES: usize = 50_000;
/// Paths that one pattern may stand for.
const MOST_PATHS: usize = 5_000;

/// What the policy has to know beside the command itself. What a pattern stands for is looked up
/// only where no walls keep the command `inside`.
pub(super) async fn elsewhere(
    command: &str,
    cwd: &Path,
    inside: bool,
    cx: &Context,
) -> Result<Vec<Subject>, Problem> {
    let home = cx.session.permissions().home;
    let touched = policy::touched_paths(command, cwd, home.as_deref());
    blocking(move || {
        let mut names = MOST_NAMES;
        let mut subjects = Vec::new();
        for touched in touched {
            subjects.extend(subject(&touched));
            if inside || !is_pattern(&touched.path) {
                continue;
            }
            let paths = expanded(&touched.path, &mut names).ok_or_else(|| {
                let pattern = touched.path.display();
                Problem::new(format!("{pattern} stands for too many files. Name fewer."))
            })?;
            let found = paths.into_iter().map(|path| Touched { path, writes: touched.writes });
            subjects.extend(found.filter_map(|touched| subject(&touched)));
        }
        Ok(subjects)
    })
    .await?
}

fn subject(touched: &Touched) -> Option<Subject> {
    let path = touched.path.clone();
    let resolved = match workspace::real_path(&path) {
        // The command would open whatever the kernel keeps there. No such path is decided
        // about, and the policy knows that by its spelling.
        Err(ResolveError::Magic { .. }) => path.join(".."),
        // What else cannot be resolved does not exist, or the command cannot open it.
        resolved => resolved.ok().filter(|resolved| touched.is_elsewhere(resolved))?,
    };
    Some(if touched.writes {
        Subject::Edit { path, resolved, links: 0 }
    } else {
        Subject::Read { path, resolved }
    })
}

fn is_pattern(path: &Path) -> bool {
    path.to_string_lossy().contains(['*', '?', '['])
}

/// The paths that a pattern stands for, without those that can be no link and lead through none;
/// `None` if there is too much to look at.
fn expanded(pattern: &Path, names: &mut usize) -> Option<Vec<PathBuf>> {
    let mut found = vec![PathBuf::new()];
    let mut parts = pattern.components().peekable();
    while let Some(part) = parts.next() {
        let text = part.as_os_str().to_string_lossy();
        if !matches!(part, Component::Normal(_)) || !is_pattern(Path::new(text.as_ref())) {
            found.iter_mut().for_each(|path| path.push(part));
            continue;
        }
        let is_last = parts.peek().is_none();
        let mut next = Vec::new();
        for folder in found {
            let Ok(listing) = workspace::list(&folder, *names) else { continue };
            *names -= listing.entries.len();
            if listing.truncated {
                return None;
            }
            let through_a_link = is_last && leads_elsewhere(&folder);
            let matters = |kind: Kind| match kind {
                Kind::Link => true,
                Kind::Folder => !is_last || through_a_link,
                _ => through_a_link,
            };
            let fits = |entry: &Entry| policy::may_name(&text, &entry.name.to_string_lossy());
            let entries = listing.entries.into_iter().filter(|it| matters(it.kind) && fits(it));
            next.extend(entries.map(|entry| folder.join(entry.name)));
        }
        if next.len() > MOST_PATHS {
            return None;
        }
        found = next;
    }
    Some(found)
}

fn leads_elsewhere(folder: &Path) -> bool {
    let named = Touched { path: folder.to_owned(), writes: false };
    workspace::real_path(folder).is_ok_and(|real| named.is_elsewhere(&real))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the folder of a test is made by hand")]
    fn patterns_are_followed_through_links() {
        let base = tempfile::tempdir().unwrap();
        let base = base.path().canonicalize().unwrap();
        let make = |path: &str| std::fs::create_dir_all(base.join(path)).unwrap();
        make("out");
        make("w/a");
        make("w/b");
        std::fs::write(base.join("out/secret"), "x").unwrap();
        std::fs::write(base.join("w/a/plain"), "x").unwrap();
        std::os::unix::fs::symlink(base.join("out"), base.join("w/link")).unwrap();
        std::os::unix::fs::symlink(base.join("out"), base.join("w/a/in")).unwrap();
        let check = |pattern: &str, expect: &[&str]| {
            let path = base.join("w").join(pattern);
            let found = expanded(&path, &mut 100).unwrap();
            let elsewhere = found.into_iter().map(|path| Touched { path, writes: false });
            let mut elsewhere: Vec<PathBuf> = elsewhere
                .filter_map(|touched| match subject(&touched)? {
                    Subject::Read { resolved, .. } => Some(resolved),
                    _ => None,
                })
                .collect();
            elsewhere.sort();
            let expect: Vec<PathBuf> = expect.iter().map(|path| base.join(path)).collect();
            assert_eq!(elsewhere, expect, "{pattern}");
        };
        check("*/secret", &["out/secret"]);
        check("l?nk/secret", &["out/secret"]);
        check("*", &["out"]);
        check("a/*", &["out"]);
        // What a name would lead to counts, be it there or not.
        check("*/in/secret", &["out/in/secret", "out/secret"]);
        check("*/in/*", &["out/secret"]);
        check("[ab]/plain", &[]);
        check("*.rs", &[]);
        assert_eq!(expanded(&base.join("w/*"), &mut 2), None);
    }
}
