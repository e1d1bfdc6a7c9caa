//! Where a command may be when it names a relative path.

use std::path::{Path, PathBuf};

use super::program;
use super::suspect::{Suspect, Suspects};
use super::touch::{join, place, tails};
use crate::paths::normalize;

/// Folders a command may have moved to; with more it is lost.
const MOST_FOLDERS: usize = 32;

pub(crate) struct Whereabouts {
    /// Where it started, too: going somewhere may fail.
    pub(crate) folders: Vec<PathBuf>,
    /// It may be somewhere else altogether.
    pub(crate) lost: bool,
}

/// Everywhere the suspects may be.
pub(crate) fn whereabouts(found: &Suspects, cwd: &Path, home: Option<&Path>) -> Whereabouts {
    let mut all = Whereabouts { folders: vec![normalize(cwd)], lost: false };
    for suspect in &found.commands {
        for step in steps(suspect) {
            all.take(&step, home);
        }
    }
    all
}

/// The folder a command goes to from `cwd`.
pub(crate) fn entered(suspect: &Suspect, cwd: &Path, home: Option<&Path>) -> Option<PathBuf> {
    steps(suspect).into_iter().find_map(|step| match step {
        Step::Enter(folder) => Some(place(cwd, folder, home)),
        Step::Within(_) | Step::Somewhere => None,
    })
}

enum Step<'a> {
    /// The shell goes there, by name: `link/..` is where the link is.
    Enter(&'a str),
    /// A program runs there, as the system finds it.
    Within(&'a str),
    Somewhere,
}

impl Whereabouts {
    fn take(&mut self, step: &Step<'_>, home: Option<&Path>) {
        let reached: Vec<PathBuf> = match step {
            Step::Enter(to) => self.folders.iter().map(|from| place(from, to, home)).collect(),
            Step::Within(to) => self.folders.iter().map(|from| join(from, to, home)).collect(),
            Step::Somewhere => {
                self.lost = true;
                return;
            }
        };
        for folder in reached {
            if self.folders.contains(&folder) {
                continue;
            }
            if self.folders.len() == MOST_FOLDERS {
                self.lost = true;
                return;
            }
            self.folders.push(folder);
        }
    }
}

fn steps(suspect: &Suspect) -> Vec<Step<'_>> {
    let mut found = Vec::new();
    for at in tails(suspect) {
        let Some((name, rest)) = suspect.words.get(at..).and_then(<[String]>::split_first) else {
            continue;
        };
        let is_unknown = |word: &str| suspect.unknown.iter().any(|unknown| unknown == word);
        let name = program(name);
        if matches!(name, "cd" | "pushd") {
            let operand = rest.iter().find(|word| !is_option(word));
            let is_back = |word: &String| word.starts_with(['-', '+']);
            match operand {
                Some(folder) if is_unknown(folder) => found.push(Step::Somewhere),
                Some(folder) if is_back(folder) => {}
                Some(folder) => found.push(Step::Enter(folder)),
                None if name == "cd" => found.push(Step::Enter("~")),
                None => {}
            }
        }
        for folder in told_to_run_in(name, rest) {
            found.push(if is_unknown(folder) { Step::Somewhere } else { Step::Within(folder) });
        }
    }
    found
}

fn is_option(word: &str) -> bool {
    word.len() > 1 && word.starts_with('-')
}

/// Folders that a program is told to work in: `git -C x`, `env --chdir=x`.
fn told_to_run_in<'a>(name: &str, arguments: &'a [String]) -> Vec<&'a str> {
    const LONG: [&str; 7] = [
        "--chdir",
        "--directory",
        "--cwd",
        "--prefix",
        "--dir",
        "--work-tree",
        "--working-directory",
    ];
    let short = match name {
        "env" | "genv" | "git" | "make" | "gmake" | "tar" | "ninja" | "pnpm" | "poetry"
        | "cargo" => "-C",
        "sudo" => "-D",
        _ => "\0",
    };
    let mut found = Vec::new();
    for (at, word) in arguments.iter().enumerate() {
        let (flag, value) = match word.split_once('=') {
            Some((flag, value)) => (flag, Some(value)),
            None => (word.as_str(), None),
        };
        if flag == short || LONG.contains(&flag) {
            found.extend(value.or_else(|| arguments.get(at + 1).map(String::as_str)));
        } else if let Some(glued) = word.strip_prefix(short) {
            found.push(glued);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::suspect::suspects;

    #[test]
    fn every_way_to_another_folder_is_followed() {
        let check = |text: &str, expect: &[&str], lost: bool| {
            let found = suspects(text, Some("/h"));
            let all = whereabouts(&found, Path::new("/w"), Some(Path::new("/h")));
            let folders: Vec<&str> = all.folders.iter().filter_map(|it| it.to_str()).collect();
            assert_eq!((folders.as_slice(), all.lost), (expect, lost), "{text}");
        };
        check("ls", &["/w"], false);
        for text in [
            "cd s",
            "cd -- s",
            "cd -P s",
            "builtin cd s",
            "command cd -L s",
            "pushd s",
            "env -C s ls",
            "env --chdir=s ls",
            "git -C s log",
            "git -Cs log",
            "make -C s",
            "bash -c 'cd s'",
        ] {
            check(text, &["/w", "/w/s"], false);
        }
        check("cd", &["/w", "/h"], false);
        check("cd ~/x", &["/w", "/h/x"], false);
        check("cd -", &["/w"], false);
        check("cd a; cd ..", &["/w", "/w/a", "/"], false);
        check("cd link/..", &["/w"], false);
        check("git -C link/.. log", &["/w", "/w/link/.."], false);
        check("cd $X", &["/w"], true);
        check("cd ~u", &["/w"], true);
        check("cd \"$(x)\"; ls", &["/w"], true);
        let many: Vec<String> = (0..6).map(|at| format!("cd f{at}")).collect();
        let found = suspects(&many.join("; "), None);
        assert!(whereabouts(&found, Path::new("/w"), None).lost);
    }
}
