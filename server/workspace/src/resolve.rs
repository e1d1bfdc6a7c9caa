//! Where a path really leads, for a file that exists and for one that does not yet.
//!
//! Permission is decided on what comes out here. So links are followed by hand, one part at a time:
//! a dangling link leads to where a write through it would land, and what cannot be looked at is an
//! error. The raw string is never used instead.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::disk::{self, Stamp, Step};

/// Linux gives up after as many.
const MAX_LINKS: usize = 40;
/// No system opens a longer path, and joining one part by part takes its length squared.
const MAX_BYTES: usize = 4096;

/// A path whose real place cannot be found out, and so may not be used.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    #[error("{} is not an absolute path; give the full path", path.display())]
    Relative { path: PathBuf },
    #[error("{} goes in a circle of symbolic links; remove one of them", path.display())]
    TooManyLinks { path: PathBuf },
    #[error("a path of {length} bytes is too long to be opened; give a shorter one")]
    TooLong { length: usize },
    #[error(
        "{} leads through {}, which the kernel keeps for a running process; name the file itself",
        path.display(), link.display()
    )]
    Magic { link: PathBuf, path: PathBuf },
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

/// Where a path leads, and what was there then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located {
    /// The real path: none of its parts was a link.
    pub path: PathBuf,
    /// The state of what stands there; nothing where nothing does.
    pub stamp: Option<Stamp>,
}

/// The real path of a file. Links are followed as far as something exists; behind that, `..` takes
/// back one name.
pub fn real_path(path: &Path) -> Result<PathBuf, ResolveError> {
    locate(path).map(|located| located.path)
}

/// The same, with what is there.
pub fn locate(path: &Path) -> Result<Located, ResolveError> {
    if !path.is_absolute() {
        return Err(ResolveError::Relative { path: path.to_path_buf() });
    }
    check_length(path)?;
    let is_plain = path.components().all(|part| part != Component::ParentDir);
    // Most paths have no links, and the kernel sees that in one look.
    if is_plain && let Some(stamp) = disk::glance(path) {
        return Ok(Located { path: path.components().collect(), stamp: Some(stamp) });
    }
    follow(path)
}

/// Goes along a path part by part.
fn follow(path: &Path) -> Result<Located, ResolveError> {
    let mut ahead = Vec::new();
    push_parts(&mut ahead, path);
    let mut at = Located { path: PathBuf::new(), stamp: None };
    let mut links = 0;
    // How many names at the end of the path do not exist.
    let mut missing = 0_usize;
    // What is no folder has nothing in it, and nothing above it either.
    let mut in_folder = true;
    while let Some(part) = ahead.pop() {
        let name = match part {
            Part::Root => {
                in_folder = true;
                at = Located { path: PathBuf::from("/"), stamp: None };
                continue;
            }
            Part::Up if !in_folder => {
                let (file, path) = (at.path, path.to_path_buf());
                return Err(ResolveError::UnderFile { file, path });
            }
            Part::Up => {
                at.path.pop();
                at.stamp = None;
                missing = missing.saturating_sub(1);
                continue;
            }
            Part::Name(name) => name,
        };
        let next = at.path.join(name);
        check_length(&next)?;
        let step = if missing > 0 { Step::Missing } else { look(&at.path, &next, path)? };
        match step {
            Step::Missing => {
                missing += 1;
                at = Located { path: next, stamp: None };
            }
            Step::Folder(stamp) => at = Located { path: next, stamp: Some(stamp) },
            Step::Other(stamp) => {
                in_folder = false;
                at = Located { path: next, stamp: Some(stamp) };
            }
            Step::Magic => {
                return Err(ResolveError::Magic { link: next, path: path.to_path_buf() });
            }
            Step::Link(target) => {
                links += 1;
                if links > MAX_LINKS {
                    return Err(ResolveError::TooManyLinks { path: path.to_path_buf() });
                }
                push_parts(&mut ahead, &target);
            }
        }
    }
    Ok(at)
}

fn check_length(path: &Path) -> Result<(), ResolveError> {
    match path.as_os_str().len() {
        length if length >= MAX_BYTES => Err(ResolveError::TooLong { length }),
        _ => Ok(()),
    }
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
mod tests;
