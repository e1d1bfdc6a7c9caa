//! Where a path really leads, for a file that exists and for one that does not yet.
//!
//! Permission is decided on what comes out here. So links are followed by hand, one part at a time:
//! a dangling link leads to where a write through it would land, and what cannot be looked at is an
//! error. The raw string is never used instead.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::disk::{self, Step};

/// Linux gives up after as many.
const MAX_LINKS: usize = 40;

/// A path whose real place cannot be found out, and so may not be used.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    #[error("{} is not an absolute path; give the full path", path.display())]
    Relative { path: PathBuf },
    #[error("{} goes in a circle of symbolic links; remove one of them", path.display())]
    TooManyLinks { path: PathBuf },
    #[error("{} cannot be looked at ({source}); check the permissions of its folder", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{} is not a folder, so {} cannot be in it; correct the path", file.display(), path.display())]
    UnderFile { file: PathBuf, path: PathBuf },
}

/// A part of a path that still has to be walked.
enum Part {
    Root,
    Up,
    Name(OsString),
}

/// The real path of a file. Links are followed as far as something exists; behind that, `..` takes
/// back one name.
pub fn real_path(path: &Path) -> Result<PathBuf, ResolveError> {
    if !path.is_absolute() {
        return Err(ResolveError::Relative { path: path.to_path_buf() });
    }
    let mut ahead = Vec::new();
    push_parts(&mut ahead, path);
    let mut real = PathBuf::new();
    let mut links = 0;
    // How many names at the end of `real` do not exist.
    let mut missing = 0_usize;
    while let Some(part) = ahead.pop() {
        match part {
            Part::Root => real = PathBuf::from("/"),
            Part::Up => {
                real.pop();
                missing = missing.saturating_sub(1);
            }
            Part::Name(name) => {
                let next = real.join(name);
                if missing > 0 {
                    missing += 1;
                    real = next;
                    continue;
                }
                match look(&real, &next, path)? {
                    Step::Missing => {
                        missing = 1;
                        real = next;
                    }
                    Step::Other => real = next,
                    Step::Link(target) => {
                        links += 1;
                        if links > MAX_LINKS {
                            return Err(ResolveError::TooManyLinks { path: path.to_path_buf() });
                        }
                        push_parts(&mut ahead, &target);
                    }
                }
            }
        }
    }
    Ok(real)
}

fn look(folder: &Path, next: &Path, path: &Path) -> Result<Step, ResolveError> {
    disk::step(next).map_err(|source| match source.kind() {
        io::ErrorKind::NotADirectory => {
            ResolveError::UnderFile { file: folder.to_path_buf(), path: path.to_path_buf() }
        }
        _ => ResolveError::Unreadable { path: next.to_path_buf(), source },
    })
}

/// The parts go on a stack, so the first comes last.
fn push_parts(ahead: &mut Vec<Part>, path: &Path) {
    let parts = path.components().filter_map(|component| match component {
        Component::RootDir | Component::Prefix(_) => Some(Part::Root),
        Component::CurDir => None,
        Component::ParentDir => Some(Part::Up),
        Component::Normal(name) => Some(Part::Name(name.to_owned())),
    });
    let parts: Vec<Part> = parts.collect();
    ahead.extend(parts.into_iter().rev());
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// A folder with a file, links of every kind, and nothing else.
    fn fixture() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        disk::test::create_folder(&root.join("dir/inner"));
        disk::test::write(&root.join("dir/file"), b"x");
        for (link, target) in [
            ("link-to-file", "dir/file"),
            ("link-to-dir", "dir"),
            ("dir/inner/up", "../.."),
            ("dangling", "dir/not-yet/new"),
            ("chain", "dangling"),
            ("loop-a", "loop-b"),
            ("loop-b", "loop-a"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        symlink(root.join("dir"), root.join("absolute")).unwrap();
        (folder, root)
    }

    #[test]
    fn where_paths_lead() {
        let (_folder, root) = fixture();
        let check = |path: &str, expect: &str| {
            let real = real_path(&root.join(path)).unwrap();
            assert_eq!(real, root.join(expect), "{path}");
        };
        check("dir/file", "dir/file");
        check("./dir/./file", "dir/file");
        check("link-to-file", "dir/file");
        check("link-to-dir/file", "dir/file");
        check("link-to-dir/../dir/file", "dir/file");
        check("absolute/file", "dir/file");
        check("dir/inner/up/dir/file", "dir/file");
        // `..` after a link leaves the folder the link leads to, not the one it stands in.
        let outside = real_path(&root.join("dir/inner/up/..")).unwrap();
        assert_eq!(Some(outside.as_path()), root.parent());
        check("new", "new");
        check("dir/a/b/c", "dir/a/b/c");
        check("dir/a/../b", "dir/b");
        check("dir/a/../../link-to-file", "dir/file");
        check("dangling", "dir/not-yet/new");
        check("chain", "dir/not-yet/new");
        check("link-to-dir/new", "dir/new");
    }

    #[test]
    fn what_cannot_be_found_out_is_an_error() {
        let (_folder, root) = fixture();
        let error = |path: &Path| real_path(path).unwrap_err();
        assert!(matches!(error(&root.join("loop-a")), ResolveError::TooManyLinks { .. }));
        assert!(matches!(error(&root.join("dir/file/x")), ResolveError::UnderFile { .. }));
        assert!(matches!(error(Path::new("dir/file")), ResolveError::Relative { .. }));
        let long = root.join("n".repeat(300));
        assert!(matches!(error(&long), ResolveError::Unreadable { .. }));
        assert!(matches!(error(&root.join("a\0b")), ResolveError::Unreadable { .. }));
    }

    #[test]
    fn the_root_has_no_parent() {
        assert_eq!(real_path(Path::new("/../..")).unwrap(), Path::new("/"));
    }
}
