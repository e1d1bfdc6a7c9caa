//! What the walls refused.
//!
//! Hosts are known for certain, from the proxy. Paths are not: the kernel tells the process alone,
//! and the process may say it or not. So what a failed command says next to a refusal is only a
//! hint where to look; reported is what the walls do refuse.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use super::layout::Layout;

/// Something a contained process tried and was not allowed to do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Denial {
    Write(PathBuf),
    Read(PathBuf),
    Host {
        host: String,
        port: u16,
    },
    /// By which services of this machine are asked.
    UnixSocket,
    /// It made something that other programs obey. `why`: what in it, if not all of it. It was moved
    /// to `aside`, or left where it is.
    Obeyed {
        path: PathBuf,
        why: String,
        aside: Option<PathBuf>,
    },
}

/// What the system says when somebody writes where nothing can be written.
const NOT_WRITABLE: [&str; 4] =
    ["Read-only file system", "EROFS", "Device or resource busy", "EBUSY"];
/// What it says when something is not allowed, by the walls or by plain permissions.
const NOT_ALLOWED: [&str; 4] = ["Permission denied", "EACCES", "Operation not permitted", "EPERM"];
/// The most lines that are looked at, from the end.
const LINES: usize = 400;
/// Longer lines are no messages.
const LONGEST_LINE: usize = 2_000;
/// More would help nobody.
const MOST: usize = 20;

/// What of the disk was refused to a command that ran in `cwd` and said `output`. One that ended
/// `well` may have been refused something on the way; but what it prints may also be a text about
/// something else, so then only lines count that say nothing more after the refusal.
pub(crate) fn paths(output: &str, cwd: &Path, layout: &Layout, well: bool) -> Vec<Denial> {
    let mut found = BTreeSet::new();
    for line in output.lines().rev().take(LINES).filter(|line| line.len() <= LONGEST_LINE) {
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        let not_writable = says(&NOT_WRITABLE);
        if !not_writable && !says(&NOT_ALLOWED) || well && !ends_with_refusal(line) {
            continue;
        }
        for path in candidates(line).into_iter().filter_map(|candidate| resolve(candidate, cwd)) {
            let denial = if !layout.may_read(&path) {
                Denial::Read(path)
            } else if layout.refuses_write(&path)
                && (not_writable || !layout.has_mounts() || layout.is_kept_missing(&path))
            {
                Denial::Write(path)
            } else {
                continue;
            };
            found.insert(denial);
        }
        if found.len() >= MOST {
            break;
        }
    }
    found.into_iter().take(MOST).collect()
}

/// What programs say that wanted a Unix socket and got none.
const SOCKET_REFUSED: [&str; 2] = ["operation not permitted", "eperm"];
const SOCKET_NAMED: [&str; 5] = ["socket", ".sock", "unix:", "dial unix", "connecting to agent"];
const NO_AGENT: &str = "could not open a connection to your authentication agent";

/// Whether a command that failed seems to have wanted a Unix socket.
pub(crate) fn wanted_socket(output: &str) -> bool {
    output.lines().rev().take(LINES).filter(|line| line.len() <= LONGEST_LINE).any(|line| {
        let line = line.to_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        (says(&SOCKET_REFUSED) && says(&SOCKET_NAMED)) || line.contains(NO_AGENT)
    })
}

/// The parts of a message that could be the path it is about: what is quoted, if anything is, else
/// what stands just before the refusal.
fn candidates(line: &str) -> Vec<&str> {
    let quoted: Vec<&str> = quoted(line).filter(|part| looks_like_a_path(part)).collect();
    if !quoted.is_empty() {
        return quoted;
    }
    let clauses: Vec<&str> = line.split(": ").map(str::trim).collect();
    let refusal = clauses.iter().position(|clause| is_refusal(clause));
    let before = refusal.and_then(|at| clauses.get(at.checked_sub(1)?)).copied();
    match before {
        Some(clause) if looks_like_a_path(clause) && !clause.contains(' ') => vec![clause],
        Some(clause) if !words(clause).is_empty() => {
            // The clause may be a path with a blank in it, or end with one.
            words(clause).into_iter().chain([clause]).collect()
        }
        _ => words(line),
    }
}

/// What stands in quotation marks. One inside a word is an apostrophe.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    const MARKS: [(char, char); 4] =
        [('\'', '\''), ('"', '"'), ('`', '`'), ('\u{2018}', '\u{2019}')];
    let in_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    line.char_indices().filter_map(move |(at, opening)| {
        let (_, closing) = MARKS.iter().find(|(mark, _)| *mark == opening)?;
        let (before, rest) = (&line[..at], &line[at + opening.len_utf8()..]);
        if in_word(before.chars().next_back()) {
            return None;
        }
        let mut ends = rest.match_indices(*closing);
        let end = ends.find(|(at, _)| !in_word(rest[at + closing.len_utf8()..].chars().next()))?.0;
        Some(&rest[..end])
    })
}

fn words(text: &str) -> Vec<&str> {
    const AROUND: [char; 9] = [':', ',', ';', '(', ')', '[', ']', '<', '>'];
    let words = text.split_whitespace().map(|word| word.trim_matches(AROUND));
    words.filter(|word| looks_like_a_path(word)).collect()
}

fn is_refusal(text: &str) -> bool {
    NOT_WRITABLE.iter().chain(&NOT_ALLOWED).any(|word| text.contains(word))
}

fn ends_with_refusal(line: &str) -> bool {
    let line = line.trim_end_matches(|c: char| !c.is_alphanumeric());
    NOT_WRITABLE.iter().chain(&NOT_ALLOWED).any(|word| line.ends_with(word))
}

/// A single word without a slash or a dot could be anything.
fn looks_like_a_path(part: &str) -> bool {
    let named =
        part.contains('/') || part.trim_start_matches('.').contains('.') || part.starts_with('.');
    named && part.len() > 1 && !part.contains("://") && !part.contains('\0')
}

fn resolve(candidate: &str, cwd: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for component in cwd.join(candidate).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                path.pop();
            }
            other => path.push(other),
        }
    }
    path.is_absolute().then_some(path)
}
