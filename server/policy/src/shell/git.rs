//! The git commands that only look, with the options known not to write or run anything.

use super::flags::{Flags, sort};
use super::prove::Literal;
use super::readonly::{Looks, with_flags, without_flags};

const SHOWN: Flags = Flags {
    // `U` takes its number attached or not at all.
    short: "psuwbzMDRiacqtmU0123456789",
    valued: "nSGL",
    long: &[
        "oneline",
        "stat",
        "numstat",
        "shortstat",
        "name-only",
        "name-status",
        "graph",
        "decorate",
        "no-decorate",
        "all",
        "branches",
        "tags",
        "remotes",
        "patch",
        "no-patch",
        "format",
        "pretty",
        "abbrev-commit",
        "author",
        "grep",
        "since",
        "until",
        "after",
        "before",
        "date",
        "reverse",
        "merges",
        "no-merges",
        "first-parent",
        "follow",
        "max-count",
        "skip",
        "word-diff",
        "color",
        "no-color",
        "cached",
        "staged",
        "minimal",
        "histogram",
        "patience",
        "ignore-all-space",
        "ignore-space-change",
        "ignore-blank-lines",
        "summary",
        "unified",
        "raw",
        "no-ext-diff",
        "no-textconv",
        "no-renames",
        "find-renames",
        "check",
        "full-history",
        "cc",
        "merge-base",
        "diff-filter",
        "left-right",
        "cherry-pick",
        "committer",
        "no-walk",
        "topo-order",
        "relative",
        "exit-code",
        "quiet",
        "invert-grep",
        "regexp-ignore-case",
        "ancestry-path",
        "count",
    ],
};

const STATUS: Flags = Flags {
    short: "sbuzv",
    valued: "",
    long: &[
        "short",
        "branch",
        "porcelain",
        "long",
        "untracked-files",
        "ignored",
        "show-stash",
        "ahead-behind",
        "no-renames",
        "column",
        "no-column",
        "verbose",
    ],
};

const BRANCH: Flags = Flags {
    short: "arvl",
    valued: "",
    long: &[
        "all",
        "remotes",
        "list",
        "verbose",
        "show-current",
        "sort",
        "format",
        "contains",
        "no-contains",
        "merged",
        "no-merged",
        "color",
        "no-color",
        "column",
        "no-column",
        "abbrev",
        "no-abbrev",
        "points-at",
    ],
};

const REV_PARSE: Flags = Flags {
    short: "q",
    valued: "",
    long: &[
        "show-toplevel",
        "abbrev-ref",
        "short",
        "verify",
        "git-dir",
        "is-inside-work-tree",
        "show-prefix",
        "quiet",
        "symbolic-full-name",
        "show-cdup",
        "git-common-dir",
        "absolute-git-dir",
        "is-bare-repository",
        "symbolic",
    ],
};

const LS_FILES: Flags = Flags {
    short: "cdmoisuktvz",
    valued: "x",
    long: &[
        "cached",
        "deleted",
        "modified",
        "others",
        "ignored",
        "stage",
        "unmerged",
        "exclude-standard",
        "error-unmatch",
        "full-name",
        "exclude",
        "directory",
        "eol",
    ],
};

const LS_TREE: Flags = Flags {
    short: "drtlz",
    valued: "",
    long: &["name-only", "name-status", "full-name", "full-tree", "long", "abbrev"],
};

const BLAME: Flags = Flags {
    short: "lstfnpewMC",
    valued: "L",
    long: &[
        "porcelain",
        "line-porcelain",
        "date",
        "since",
        "abbrev",
        "root",
        "show-email",
        "show-name",
    ],
};

const DESCRIBE: Flags = Flags {
    short: "",
    valued: "",
    long: &[
        "tags",
        "all",
        "always",
        "abbrev",
        "long",
        "exact-match",
        "match",
        "contains",
        "first-parent",
        "dirty",
    ],
};

const TAG: Flags = Flags {
    short: "ln0123456789",
    valued: "",
    long: &["list", "sort", "format", "contains", "merged"],
};

const CAT_FILE: Flags = Flags { short: "ptse", valued: "", long: &[] };

/// The options that leave a command harmless which only looks.
pub(super) fn flags_of(command: &str) -> Option<&'static Flags> {
    Some(match command {
        "log" | "show" | "diff" | "rev-list" | "shortlog" => &SHOWN,
        "status" => &STATUS,
        "rev-parse" => &REV_PARSE,
        "ls-files" => &LS_FILES,
        "ls-tree" => &LS_TREE,
        "blame" => &BLAME,
        "describe" => &DESCRIBE,
        "cat-file" => &CAT_FILE,
        _ => return None,
    })
}

/// `None` unless the command only looks. `arguments` come after `git` itself.
pub(super) fn looks(arguments: &[Literal]) -> Option<Looks> {
    let harmless =
        |word: &&Literal| matches!(word.text.as_str(), "--no-pager" | "-P" | "--no-optional-locks");
    let skipped = arguments.iter().take_while(harmless).count();
    let (command, rest) = arguments.get(skipped..)?.split_first()?;
    // Signature placeholders start the signing program of the repository's choice.
    if rest.iter().any(|word| ["%G", "%(sig", "%(*sig"].iter().any(|it| word.text.contains(it))) {
        return None;
    }
    match command.text.as_str() {
        "log" | "show" | "diff" | "rev-list" | "shortlog" => with_flags(rest, &SHOWN),
        "status" => with_flags(rest, &STATUS),
        "branch" => listing(
            rest,
            &BRANCH,
            &[
                "-l",
                "--list",
                "--contains",
                "--no-contains",
                "--merged",
                "--no-merged",
                "--points-at",
            ],
        ),
        "tag" => listing(rest, &TAG, &["-l", "--list", "--contains", "--merged"]),
        "rev-parse" => with_flags(rest, &REV_PARSE),
        "ls-files" => with_flags(rest, &LS_FILES),
        "ls-tree" => with_flags(rest, &LS_TREE),
        "blame" => with_flags(rest, &BLAME),
        "describe" => with_flags(rest, &DESCRIBE),
        "cat-file" => with_flags(rest, &CAT_FILE),
        "merge-base" => without_flags(rest),
        "remote" => remote(rest),
        "stash" | "worktree" => exactly(rest, &["list"]),
        "config" => config(rest),
        "reflog" if rest.is_empty() => without_flags(rest),
        _ => None,
    }
}

/// Without an option that lists, a name would be created.
fn listing(arguments: &[Literal], flags: &Flags, listers: &[&str]) -> Option<Looks> {
    let sorted = sort(arguments, flags)?;
    if sorted.operands.is_empty() || sorted.has(listers) {
        with_flags(arguments, flags)
    } else {
        None
    }
}

fn remote(arguments: &[Literal]) -> Option<Looks> {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        [] | ["-v" | "--verbose"] => without_flags(&[]),
        ["get-url", name] if !name.starts_with('-') => without_flags(&[]),
        _ => None,
    }
}

/// Asking for a setting.
fn config(arguments: &[Literal]) -> Option<Looks> {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    match words.as_slice() {
        ["--list" | "-l"] => without_flags(&[]),
        ["--get" | "get" | "--get-all", name] if !name.starts_with('-') => without_flags(&[]),
        _ => None,
    }
}

fn exactly(arguments: &[Literal], expected: &[&str]) -> Option<Looks> {
    let same = arguments.len() == expected.len()
        && arguments.iter().zip(expected).all(|(word, expected)| word.text == *expected);
    if same { without_flags(&[]) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shell::prove::prove;

    #[test]
    fn only_looking_counts() {
        let check = |text: &str, expect: bool| {
            let commands = prove(text, None).unwrap();
            assert_eq!(looks(&commands[0].words[1..]).is_some(), expect, "{text}");
        };
        for text in [
            "git status",
            "git status -sb",
            "git --no-pager log --oneline -5",
            "git log -n 3 --stat -- src",
            "git diff --cached",
            "git show HEAD:src/a.rs",
            "git branch",
            "git branch -a",
            "git branch -vv",
            "git branch --list 'x*'",
            "git rev-parse --show-toplevel",
            "git ls-files -m",
            "git blame -L 1,5 a",
            "git describe --tags --always",
            "git remote -v",
            "git remote get-url origin",
            "git stash list",
            "git tag -l",
            "git config --get user.name",
            "git config --list",
        ] {
            check(text, true);
        }
        for text in [
            "git",
            "git commit -m x",
            "git branch new",
            "git branch -D x",
            "git branch -dr x",
            "git branch -m a b",
            "git branch -v new",
            "git log --output=f",
            "git diff --output=f",
            "git diff --ext-diff",
            "git diff --no-index a b",
            "git log --show-signature",
            "git log --format=%G?",
            "git branch --format='%(signature:grade)'",
            "git tag --format='%(*signature)'",
            "git -c core.pager=x log",
            "git -C /x status",
            "git -p log",
            "git remote add a b",
            "git remote show origin",
            "git tag v1",
            "git stash",
            "git stash pop",
            "git fetch",
            "git grep -Ox p",
            "git ls-remote x",
            "git config core.hooksPath x",
            "git checkout .",
            "git rev-parse --parseopt",
            "git cat-file --textconv x",
            "git blame --contents f a",
            "git log --outp=f",
            "git show --textconv",
            "git worktree add x",
        ] {
            check(text, false);
        }
    }
}
