//! The files a command may touch, as far as its words tell.

use std::path::{Path, PathBuf};

use super::flags::has_letter;
use super::outputs::outputs;
use super::programs::{READS_FILES, WRITES_FILES};
use super::suspect::{Suspect, Suspects, suspects};
use super::whereabouts::whereabouts;
use super::{program, readonly};
use crate::paths::normalize;

/// A path among the words of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// With every `..` as it is written: behind a link it leads elsewhere than it seems to. Any `*`,
    /// `?` or `[` in it may stand for names.
    pub path: PathBuf,
    pub writes: bool,
}

impl Touched {
    /// Whether `real` is another place than the name says.
    pub fn is_elsewhere(&self, real: &Path) -> bool {
        normalize(&self.path) != real
    }
}

/// The paths that the file programs and redirections of a command name, links not followed.
///
/// `decide` sees names only. A caller that can look at the disk should resolve these, and for
/// each one that really lies elsewhere add a `Read` or `Edit` subject to the request, so that a
/// link in the workspace does not lead a harmless-looking command out of it.
pub fn touched_paths(command: &str, cwd: &Path, home: Option<&Path>) -> Vec<Touched> {
    let found = suspects(command, home.and_then(Path::to_str));
    let folders = whereabouts(&found, cwd, home).folders;
    let mut paths = Vec::new();
    for (path, usage) in touched(&found, &folders, home) {
        let one = Touched { path, writes: usage == Use::Writes };
        if usage != Use::Unknown && !paths.contains(&one) {
            paths.push(one);
        }
    }
    paths
}

/// What a suspected program does with a file it is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Reads,
    Writes,
    /// The program is not known, so it may do either.
    Unknown,
}

/// What one suspect may touch, when it runs in `cwd`.
pub(crate) fn touched_by(
    suspect: &Suspect,
    cwd: &Path,
    home: Option<&Path>,
) -> Vec<(PathBuf, Use)> {
    let words = files(suspect, |word| Some(word).filter(|word| !word.starts_with('-')));
    words.into_iter().map(|(word, usage)| (place(cwd, word, home), usage)).collect()
}

/// Every path the suspects may touch, in every folder they may be in, as it is written.
pub(crate) fn touched(
    found: &Suspects,
    cwds: &[PathBuf],
    home: Option<&Path>,
) -> Vec<(PathBuf, Use)> {
    let everywhere = |(word, usage): (&str, Use)| {
        cwds.iter().map(|cwd| (join(cwd, word, home), usage)).collect::<Vec<_>>()
    };
    let words = found.commands.iter().flat_map(|suspect| files(suspect, path_readings));
    words.flat_map(everywhere).collect()
}

/// The words of a suspect that may name files.
fn files<'a, I: IntoIterator<Item = &'a str>>(
    suspect: &'a Suspect,
    readings: impl Fn(&'a str) -> I,
) -> Vec<(&'a str, Use)> {
    let mut all: Vec<(&str, Use)> = Vec::new();
    for at in tails(suspect) {
        let words = suspect.words.get(at..).and_then(<[String]>::split_first);
        let Some((name, arguments)) = words else { continue };
        let Some(usage) = usage_of(program(name), arguments) else { continue };
        if usage == Use::Unknown && at > 0 {
            continue;
        }
        let sources = sources(program(name), arguments);
        for (at, word) in arguments.iter().enumerate() {
            let usage = if at < sources { Use::Reads } else { usage };
            all.extend(readings(word).into_iter().map(|word| (word, usage)));
        }
        let made = outputs(program(name), arguments);
        all.extend(made.into_iter().map(|word| (word, Use::Writes)));
    }
    all.extend(suspect.reads.iter().map(|word| (word.as_str(), Use::Reads)));
    all.extend(suspect.writes.iter().map(|word| (word.as_str(), Use::Writes)));
    all
}

/// The folders whose files a suspect shows or copies without naming them.
pub(crate) fn searched(suspect: &Suspect) -> Vec<&str> {
    let mut folders = Vec::new();
    for at in tails(suspect) {
        let words = suspect.words.get(at..).and_then(<[String]>::split_first);
        let Some((name, rest)) = words else { continue };
        let name = program(name);
        // A lone dot among arguments is a folder.
        if at > 0 && name == "." {
            continue;
        }
        let recursive = |letters: &[char]| {
            let long =
                |word: &str| word.starts_with("--rec") || word.starts_with("--dereference-r");
            rest.iter().any(|word| has_letter(word, letters) || long(word))
        };
        let reads = READS_FILES.contains(&name);
        let all = match name {
            "rg" | "ag" | "ack" | "tar" | "rsync" | "zip" | "7z" => true,
            "grep" | "egrep" | "fgrep" => {
                recursive(&['r', 'R']) || rest.iter().any(|word| word.ends_with("recurse"))
            }
            "diff" => recursive(&['r']),
            "cp" | "scp" => recursive(&['r', 'R', 'a']) || rest.iter().any(|w| w == "--archive"),
            "git" => rest.iter().any(|word| word == "grep"),
            // Its files come from somewhere else: `xargs cat`, `find -exec cat`.
            name => at > 0 && reads && !LISTS.contains(&name),
        };
        let operands = || rest.iter().map(String::as_str).filter(|word| !word.starts_with('-'));
        if all {
            folders.extend(operands().chain(["."]));
        } else if reads && !LISTS.contains(&name) {
            folders.extend(suspect.globs.iter().filter_map(|word| before_wildcard(word)));
        }
    }
    folders
}

/// Programs that show names, not contents.
const LISTS: [&str; 9] = ["ls", "find", "fd", "tree", "du", "stat", "realpath", "readlink", "date"];

/// The folder in which a pattern looks for files.
fn before_wildcard(word: &str) -> Option<&str> {
    let at = word.find(['*', '?', '['])?;
    Some(word[..at].rsplit_once('/').map_or(".", |(folder, _)| folder))
}

/// Writing there leaves nothing behind.
pub(crate) fn is_sink(path: &Path) -> bool {
    matches!(path.to_str(), Some("/dev/null" | "/dev/stderr" | "/dev/stdout"))
}

/// Where commands may start among the words of a suspect.
pub(crate) fn tails(suspect: &Suspect) -> std::ops::Range<usize> {
    0..if suspect.runs_its_words { suspect.words.len() } else { suspect.words.len().min(1) }
}

/// How many of the leading arguments a copying program only reads: all but the last, unless an
/// option names the target.
fn sources(name: &str, arguments: &[String]) -> usize {
    let copies = matches!(name, "cp" | "scp" | "rsync" | "install" | "ln");
    let target = |word: &String| word.starts_with("--t") || has_letter(word, &['t', 'd']);
    let last = arguments.iter().rposition(|word| !word.starts_with('-'));
    if copies && !arguments.iter().any(target) { last.unwrap_or(0) } else { 0 }
}

/// `None` for programs that only print their arguments.
fn usage_of(name: &str, arguments: &[String]) -> Option<Use> {
    let in_place = |word: &String| {
        word.starts_with("--i")
            || (word.starts_with('-') && !word.starts_with("--") && word.contains('i'))
    };
    match name {
        "echo" | "printf" | "true" | "false" | ":" | "cd" => None,
        "sed" | "perl" | "yq" | "awk" | "gawk" if arguments.iter().any(in_place) => {
            Some(Use::Writes)
        }
        name if WRITES_FILES.contains(&name) => Some(Use::Writes),
        name if READS_FILES.contains(&name) || readonly::is_listed(name) => Some(Use::Reads),
        _ => Some(Use::Unknown),
    }
}

/// The parts of an argument that may be a path: all of it, a value after `=`, a value attached to
/// a short option.
fn path_readings(word: &str) -> impl Iterator<Item = &str> {
    let value = word.split_once('=').map(|(_, value)| value);
    let attached = word.strip_prefix('-').filter(|rest| !rest.starts_with('-')).and_then(|rest| {
        let mut letters = rest.chars();
        letters.next().map(|_| letters.as_str())
    });
    let url = word.strip_prefix("file://").or_else(|| word.strip_prefix('@'));
    let readings = [Some(word), value, attached, url];
    readings.into_iter().flatten().filter(|reading| !reading.is_empty())
}

/// Whether a file program works on files that are only known when it runs.
pub(crate) fn touches_unknown(suspect: &Suspect) -> bool {
    let is_unknown = |word: &String| suspect.unknown.contains(word);
    suspect.writes.iter().chain(&suspect.reads).any(is_unknown)
        || file_programs(suspect).any(|(name, rest)| {
            // What is looked for is no file.
            let pattern =
                matches!(name, "grep" | "egrep" | "fgrep" | "rg" | "sed" | "awk" | "jq" | "tr");
            let operands = rest.iter().filter(|word| !word.starts_with('-'));
            operands.skip(usize::from(pattern)).any(is_unknown)
        })
}

/// Whether it reads or writes files, whichever.
pub(crate) fn works_on_files(suspect: &Suspect) -> bool {
    !suspect.writes.is_empty()
        || !suspect.reads.is_empty()
        || file_programs(suspect).next().is_some()
}

/// The file programs among the words of a suspect, with what follows each.
fn file_programs(suspect: &Suspect) -> impl Iterator<Item = (&str, &[String])> {
    tails(suspect).filter_map(|at| {
        let (name, rest) = suspect.words.get(at..)?.split_first()?;
        let name = program(name);
        let works_on_files = WRITES_FILES.contains(&name)
            || (READS_FILES.contains(&name) && !LISTS.contains(&name) && name != "git");
        works_on_files.then_some((name, rest))
    })
}

/// A word as a path of the folder `cwd`.
pub(crate) fn place(cwd: &Path, word: &str, home: Option<&Path>) -> PathBuf {
    normalize(&join(cwd, word, home))
}

/// The same with every `..` as it is written.
pub(crate) fn join(cwd: &Path, word: &str, home: Option<&Path>) -> PathBuf {
    let below_home = word.strip_prefix('~').filter(|rest| rest.is_empty() || rest.starts_with('/'));
    match (below_home, home) {
        (Some(rest), Some(home)) => home.join(rest.trim_start_matches('/')),
        _ => cwd.join(word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_found_with_what_happens_to_them() {
        let check = |command: &str, expect: &[&str]| {
            let found = touched_paths(command, Path::new("/w"), Some(Path::new("/h")));
            let found: Vec<String> = found
                .iter()
                .map(|one| format!("{}{}", if one.writes { "+" } else { "" }, one.path.display()))
                .collect();
            assert_eq!(found, expect, "{command}");
        };
        check("cat docs/a ~/b", &["/w/docs/a", "/h/b"]);
        check("echo x > out", &["+/w/out"]);
        check("cp a b", &["/w/a", "+/w/b"]);
        check("cp -t b a", &["+/w/-t", "+/w/b", "+/w/a"]);
        check("mv a b", &["+/w/a", "+/w/b"]);
        check("npm test a", &[]);
        check("cd s && cat a", &["/w/a", "/w/s/a"]);
        check("wc -l < in", &["/w/-l", "/w/in"]);
        check("cat l/../a", &["/w/l/../a"]);
        check("expand a", &["/w/a"]);
        check("sort -uo out in", &["/w/-uo", "/w/o", "/w/out", "/w/in", "+/w/out"]);
    }
}
