//! What a command consists of, for the person who is asked about it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::shell::destructive::loses_here;
use crate::shell::suspect::suspects;
use crate::shell::touch::{Use, touched_by};
use crate::shell::whereabouts::entered;
use crate::visible::visible;

/// One command among those a command line may run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct PartView {
    /// The folder it runs in, as far as the words before it tell.
    pub folder: PathBuf,
    /// The words as the program gets them, with nothing hidden in them.
    pub words: Vec<String>,
    /// Absolute paths that it reads or writes, as far as its words tell.
    pub reads: Vec<PathBuf>,
    pub writes: Vec<PathBuf>,
}

/// The commands in `command`, those inside substitutions and other commands too, in the order they
/// are written. May name more than really runs, so it is for showing and never for allowing.
pub fn explain(command: &str, cwd: &Path, home: Option<&Path>) -> Vec<PartView> {
    let mut cwd = cwd.to_path_buf();
    let mut parts: Vec<PartView> = Vec::new();
    let mut known = HashSet::new();
    for suspect in suspects(command, home.and_then(Path::to_str)).commands {
        let touched = touched_by(&suspect, &cwd, home);
        let paths = |wanted: Use| {
            let of_use = touched.iter().filter(|(_, usage)| *usage == wanted);
            of_use.map(|(path, _)| path.clone()).collect()
        };
        let words = suspect.words.iter().map(|word| visible(word).into_owned()).collect();
        let (reads, writes) = (paths(Use::Reads), paths(Use::Writes));
        let part = PartView { folder: cwd.clone(), words, reads, writes };
        if let Some(folder) = entered(&suspect, &cwd, home) {
            cwd = folder;
        }
        if known.insert(part.clone()) {
            parts.push(part);
        }
    }
    parts
}

/// The folders whose repositories a command may throw work away in: what was never committed,
/// branches, stashes.
pub fn loses_work_in(command: &str, cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let mut cwd = cwd.to_path_buf();
    let mut folders: Vec<PathBuf> = Vec::new();
    for suspect in suspects(command, home.and_then(Path::to_str)).commands {
        let folder = loses_here(&suspect.words, &cwd);
        folders.extend(folder.filter(|folder| !folders.contains(folder)));
        if let Some(folder) = entered(&suspect, &cwd, home) {
            cwd = folder;
        }
    }
    folders
}

/// Whether a command is proven to change nothing, so that whoever runs it need let it write nothing.
pub fn only_looks(command: &str, home: Option<&Path>) -> bool {
    crate::decide::only_looks(command, home)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_looks() {
        for command in ["ls", "cd a && git status | head -3", "rg x src 2>/dev/null", "cat a; wc b"]
        {
            assert!(only_looks(command, None), "{command}");
        }
        for command in ["make", "ls > f", "git stash", "X=1 ls", "$X", "ls; touch a", "sed -i x a"]
        {
            assert!(!only_looks(command, None), "{command}");
        }
        assert!(!only_looks(&"ls; ".repeat(5_000), None));
    }

    #[test]
    fn a_command_that_throws_work_away_says_where() {
        let check = |command: &str, expect: &[&str]| {
            let found = loses_work_in(command, Path::new("/w"), Some(Path::new("/h")));
            let expect: Vec<PathBuf> = expect.iter().map(PathBuf::from).collect();
            assert_eq!(found, expect, "{command}");
        };
        check("git reset --hard", &["/w"]);
        check("cd s && git clean -fd; git stash drop", &["/w/s"]);
        check("git -C a -C b branch -D x", &["/w/a/b"]);
        check("git checkout -- . && git restore x", &["/w"]);
        check("git push --force", &[]);
        check("git status; git commit -m 'git reset --hard'", &[]);
        check("ls", &[]);
    }

    #[test]
    fn every_part_is_shown_with_its_files() {
        let check = |command: &str, expect: &[&str]| {
            let parts = explain(command, Path::new("/w"), Some(Path::new("/h")));
            let shown: Vec<String> = parts
                .iter()
                .map(|part| {
                    let mut line = part.words.join(" ");
                    part.reads.iter().for_each(|path| line += &format!(" <{}", path.display()));
                    part.writes.iter().for_each(|path| line += &format!(" >{}", path.display()));
                    line
                })
                .collect();
            assert_eq!(shown, expect, "{command}");
        };
        check("cd s && cat a > b", &["cd s", "cat a </w/s/a >/w/s/b"]);
        check("rm -rf d/*.o", &["rm -rf d/*.o >/w/d/*.o"]);
        check("echo $(touch x)", &["echo $(touch x)", "touch x >/w/x"]);
        check("npm test\r", &["npm test\\r"]);
        check("> f", &[" >/w/f"]);
        check("", &[]);
    }
}
