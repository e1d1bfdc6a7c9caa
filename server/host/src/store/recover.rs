//! Journals whose first line is damaged. The line says which folder the session works in; without it
//! that is found out from where the journal is: the name of a project's folder has a hash of the path.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::list::entries;
use super::project_dir;

/// Some programs put it in front of a file that they save.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// So much of a journal is searched for paths.
const PAGE: u64 = 64 * 1024;
/// So many other journals of the project are looked at.
const SIBLINGS: usize = 20;

/// A line without the mark that may precede the first one.
pub(super) fn without_mark(line: &[u8]) -> &[u8] {
    line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line)
}

/// The folder of a session: what its journal says, if that can be, else what can be found out.
/// Empty when nothing is known.
pub(super) fn working_directory(journal: &Path, said: PathBuf) -> PathBuf {
    if belongs(journal, &said) {
        return said;
    }
    let page = first_page(journal);
    let found = paths_in(&page)
        .find(|path| belongs(journal, path))
        .or_else(|| of_siblings(journal))
        .or_else(|| paths_in(&page).find_map(|path| ancestor(journal, &path)));
    found.unwrap_or(said)
}

/// Whether a journal of a session in this folder would be where this one is.
pub(super) fn belongs(journal: &Path, cwd: &Path) -> bool {
    !cwd.as_os_str().is_empty()
        && journal.parent().is_some_and(|project| {
            project.parent().is_some_and(|sessions| project_dir(sessions, cwd) == project)
        })
}

fn first_page(journal: &Path) -> Vec<u8> {
    let mut page = Vec::new();
    if let Ok(file) = File::open(journal) {
        // What was read before an error is all that there is.
        let _ = file.take(PAGE).read_to_end(&mut page);
    }
    page
}

/// Everything in quotes that begins like a path.
fn paths_in(page: &[u8]) -> impl Iterator<Item = PathBuf> {
    let begins = memchr::memmem::find_iter(page, b"\"/");
    begins.filter_map(|at| {
        let text = page.get(at..)?;
        let mut values = serde_json::Deserializer::from_slice(text).into_iter::<String>();
        values.next()?.ok().map(PathBuf::from)
    })
}

fn ancestor(journal: &Path, path: &Path) -> Option<PathBuf> {
    path.ancestors().find(|folder| belongs(journal, folder)).map(Path::to_owned)
}

/// Other sessions of the same project know its folder.
fn of_siblings(journal: &Path) -> Option<PathBuf> {
    #[derive(Deserialize)]
    struct Head {
        cwd: PathBuf,
    }
    let others = entries(journal.parent()?).into_iter();
    let others =
        others.filter(|path| path != journal && path.extension().is_some_and(|ext| ext == "jsonl"));
    let cwd = |path: PathBuf| {
        let page = first_page(&path);
        let line = page.split(|byte| *byte == b'\n').next()?;
        Some(serde_json::from_slice::<Head>(without_mark(line)).ok()?.cwd)
    };
    others.take(SIBLINGS).filter_map(cwd).find(|cwd| belongs(journal, cwd))
}
