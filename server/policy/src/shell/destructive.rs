//! Commands that throw work away: what was never committed, or what others have pushed. They are
//! asked about in every mode, sandbox or not, unless an allow rule spells out what makes them so.

use std::path::{Path, PathBuf};

use super::flags::has_letter;
use super::program;

/// What a command would lose, or change for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Loss<'a> {
    /// `what` completes "It …"; `word` is the one that makes the command so.
    Work { what: &'static str, word: &'a str },
    /// Settings of git, which decide what git runs. No rule allows this.
    Settings,
}

const UNCOMMITTED: &str = "throws away changes that were never committed";
const AWAY: &str = "takes changes out of the working tree";
const UNKNOWN: &str = "deletes files that git does not know";
const NAMES: &str = "removes or moves branches or tags";
const PUSHED: &str = "rewrites or removes what others may have";
const KEPT: &str = "removes what git keeps for going back";

/// What running `words` would lose.
pub(crate) fn loss(words: &[String]) -> Option<Loss<'_>> {
    let (name, rest) = words.split_first()?;
    if program(name) != "git" {
        return None;
    }
    let (command, rest) = subcommand(rest)?;
    let find =
        |test: &dyn Fn(&str) -> bool| rest.iter().map(String::as_str).find(|word| test(word));
    let flag = |starts: &[&str], letters: &[char]| {
        find(&|word| {
            starts.iter().any(|start| word.starts_with(start)) || has_letter(word, letters)
        })
    };
    let word = |words: &[&str]| find(&|word| words.contains(&word));
    let unless = |excused: bool| (!excused).then_some(command);
    let (what, word) = match command {
        "config" => return changes_settings(rest).then_some(Loss::Settings),
        "reset" => (UNCOMMITTED, flag(&["--h", "--me", "--k"], &[])),
        "clean" => (UNKNOWN, unless(flag(&["--d"], &['n']).is_some())),
        "restore" => (UNCOMMITTED, unless(!restores_files(rest))),
        "checkout" => (UNCOMMITTED, overwrites_files(rest)),
        "switch" => (UNCOMMITTED, flag(&["--f", "--di"], &['f', 'C'])),
        "stash" => (AWAY, unless(!stashes(rest))),
        "push" => {
            let flagged = flag(&["--forc", "--de", "--m", "--pru"], &['f', 'd']);
            (PUSHED, flagged.or_else(|| find(&|word| word.starts_with(['+', ':']))))
        }
        "branch" => {
            let long = &["--d", "--mo", "--forc", "--cop"];
            (NAMES, flag(long, &['d', 'D', 'm', 'M', 'f', 'C']))
        }
        "tag" => (NAMES, flag(&["--d", "--forc"], &['d', 'f'])),
        "rm" => (UNCOMMITTED, flag(&["--f"], &['f'])),
        "worktree" => (UNCOMMITTED, word(&["remove"])),
        "reflog" => (KEPT, word(&["expire", "delete"])),
        "gc" => (KEPT, flag(&["--prune"], &[])),
        "update-ref" => (NAMES, Some(command)),
        "prune" | "filter-branch" | "filter-repo" => (KEPT, Some(command)),
        _ => return None,
    };
    word.map(|word| Loss::Work { what, word })
}

/// The folder in which `words` would throw away what is on this machine.
pub(crate) fn loses_here(words: &[String], cwd: &Path) -> Option<PathBuf> {
    let local = matches!(loss(words), Some(Loss::Work { what, .. }) if what != PUSHED);
    let options = words.get(1..).unwrap_or_default();
    let mut folder = cwd.to_owned();
    let mut at = 0;
    while let Some(word) = options.get(at).filter(|word| word.starts_with('-')) {
        if word == "-C" {
            folder.extend(options.get(at + 1));
        }
        at += width(word);
    }
    local.then_some(folder)
}

/// The git command behind the options of git itself, and its arguments.
fn subcommand(words: &[String]) -> Option<(&str, &[String])> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') {
            return Some((word, words.get(at + 1..).unwrap_or_default()));
        }
        at += width(word);
    }
    None
}

/// How many words an option of git itself takes up.
pub(crate) fn width(option: &str) -> usize {
    let valued = ["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--exec-path"];
    if valued.contains(&option) { 2 } else { 1 }
}

/// Everything but asking for a value.
fn changes_settings(arguments: &[String]) -> bool {
    const ASKS: [&str; 11] = [
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "--get-color",
        "--list",
        "-l",
        "--name-only",
        "--show-origin",
        "--show-scope",
        "get",
    ];
    const PLACES: [&str; 5] = ["--global", "--local", "--system", "--worktree", "--includes"];
    let asks = |word: &String| ASKS.contains(&word.as_str()) || word == "list";
    let places = |word: &&String| !PLACES.contains(&word.as_str());
    let rest: Vec<&String> = arguments.iter().filter(places).collect();
    match rest.as_slice() {
        [] => false,
        [one] if !one.starts_with('-') => false,
        [first, more @ ..] => {
            let edits = |word: &&String| {
                word.starts_with("--") && !asks(word) && !word.starts_with("--type")
            };
            !asks(first) || more.iter().any(edits)
        }
    }
}

/// `--staged` alone leaves the files as they are.
fn restores_files(arguments: &[String]) -> bool {
    let has = |long: &str, letter: char| {
        arguments.iter().any(|word| word.starts_with(long) || has_letter(word, &[letter]))
    };
    has("--w", 'W') || !has("--st", 'S')
}

/// The word that makes `git checkout` overwrite files; of branches it refuses to lose anything,
/// unless it is forced.
fn overwrites_files(arguments: &[String]) -> Option<&str> {
    let operands: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|word| !word.starts_with('-')).collect();
    let creates = arguments.iter().any(|word| has_letter(word, &['b']) || word == "--orphan");
    let is_file = |word: &&str| {
        let ending = program(word).rsplit_once('.').map(|(_, ending)| ending);
        word.starts_with('.')
            || word.contains('*')
            || ending.is_some_and(|ending| ending.starts_with(|c: char| c.is_ascii_alphabetic()))
    };
    let forced = arguments.iter().map(String::as_str).find(|word| {
        *word == "--"
            || ["--f", "--pa", "--ou", "--th"].iter().any(|start| word.starts_with(start))
            || has_letter(word, &['f', 'B', 'p'])
    });
    forced.or_else(|| {
        let file = operands.iter().copied().find(is_file);
        if creates { None } else { operands.get(1).copied().or(file) }
    })
}

/// Stashing moves changes away; bringing them back or looking at them does not.
fn stashes(arguments: &[String]) -> bool {
    let quiet = ["list", "show", "apply", "pop", "branch", "create"];
    !arguments.first().is_some_and(|word| quiet.contains(&word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: Option<bool>) {
        let words: Vec<String> = text.split(' ').map(str::to_owned).collect();
        let found = loss(&words).map(|loss| matches!(loss, Loss::Work { .. }));
        assert_eq!(found, expect, "{text}");
    }

    #[test]
    fn lost_work_is_recognised() {
        for text in [
            "git reset --hard",
            "git reset --hard HEAD~1",
            "git reset --merge",
            "git -C sub reset --hard",
            "/usr/bin/git reset --hard",
            "git clean -fdx",
            "git clean -fd",
            "git restore .",
            "git restore src/a.rs",
            "git restore --staged --worktree a",
            "git restore -SW a",
            "git checkout -- .",
            "git checkout .",
            "git checkout -f main",
            "git checkout HEAD src/a.rs",
            "git checkout src/a.rs",
            "git checkout -B main",
            "git switch -f main",
            "git switch --discard-changes main",
            "git stash",
            "git stash push -u",
            "git stash -u",
            "git stash drop",
            "git stash clear",
            "git push --force",
            "git push -f",
            "git push -uf origin x",
            "git push --force-with-lease",
            "git push origin +main",
            "git push origin :old",
            "git push --delete origin x",
            "git push -d origin x",
            "git push --mirror",
            "git branch -D x",
            "git branch -d x",
            "git branch -dr x",
            "git branch -vD x",
            "git branch --delete x",
            "git branch --format=x --delete y",
            "git branch -f main HEAD~3",
            "git branch -M main",
            "git tag -d v1",
            "git tag -f v1",
            "git rm -rf src",
            "git worktree remove x",
            "git reflog expire --all",
            "git update-ref -d refs/heads/x",
            "git gc --prune=now",
            "git filter-branch --all",
        ] {
            check(text, Some(true));
        }
    }

    #[test]
    fn settings_are_told_apart_from_asking_for_them() {
        for text in [
            "git config core.hooksPath /tmp/x",
            "git config --global user.name x",
            "git config --unset a.b",
            "git config --add a.b c",
            "git config -e",
            "git config set a.b c",
            "git config unset a.b",
            "git config --get a.b --unset",
            "git config --global -e",
        ] {
            check(text, Some(false));
        }
        for text in [
            "git config --get user.name",
            "git config user.name",
            "git config --list",
            "git config --global --list",
            "git config --global user.email",
            "git config -l --show-origin",
            "git config get user.name",
            "git config",
        ] {
            check(text, None);
        }
    }

    #[test]
    fn everyday_work_is_not_in_the_way() {
        for text in [
            "git status",
            "git commit -m x",
            "git commit --amend --no-edit",
            "git push",
            "git push -u origin feature/x",
            "git push --follow-tags",
            "git reset --mixed HEAD~1",
            "git pull --rebase",
            "git branch",
            "git branch -a",
            "git branch new",
            "git branch --merged main",
            "git branch --format=x",
            "git checkout main",
            "git checkout -b feature/x",
            "git checkout -b feature/x origin/main",
            "git checkout v1.2",
            "git switch main",
            "git switch -c feature/x",
            "git switch --detach v1",
            "git restore --staged a",
            "git reset HEAD a",
            "git reset --soft HEAD~1",
            "git stash list",
            "git stash pop",
            "git stash show -p",
            "git tag v1",
            "git tag -l",
            "git rm --cached a",
            "git clean -n",
            "git clean -nfd",
            "git rebase main",
            "git merge x",
            "git worktree add x",
            "git gc",
            "git log -d",
            "git",
            "ls -f",
        ] {
            check(text, None);
        }
    }
}
