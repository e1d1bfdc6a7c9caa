//! The options of git's everyday commands that neither run nor fetch anything else.

use crate::shell::destructive::{Loss, loss, width};
use crate::shell::flags::{Flags, unknown};
use crate::shell::git;

#[rustfmt::skip]
const CHANGING: &[(&[&str], Flags)] = &[
    (&["add"], flags("AupvnfiN", "", &["all", "update", "patch", "verbose", "dry-run", "force", "intent-to-add", "ignore-errors", "no-all"])),
    (&["commit"], flags("avqsnepz", "mFCctS", &["message", "all", "amend", "no-edit", "edit", "signoff", "no-verify", "verbose", "quiet", "allow-empty", "allow-empty-message", "author", "date", "fixup", "squash", "reset-author", "file", "only", "include", "patch", "dry-run", "porcelain", "short", "trailer", "cleanup", "gpg-sign", "no-gpg-sign", "reuse-message"])),
    (&["push"], flags("uvqn46", "", &["set-upstream", "tags", "follow-tags", "dry-run", "verbose", "quiet", "progress", "no-progress", "all", "branches", "porcelain", "atomic", "no-verify", "thin", "no-thin"])),
    (&["fetch", "pull"], flags("avqptkn46r", "jX", &["all", "rebase", "no-rebase", "ff", "ff-only", "no-ff", "tags", "no-tags", "prune", "prune-tags", "depth", "deepen", "unshallow", "shallow-since", "verbose", "quiet", "progress", "autostash", "no-autostash", "dry-run", "jobs", "squash", "no-commit", "no-edit", "stat", "no-stat", "filter", "no-recurse-submodules", "set-upstream", "allow-unrelated-histories"])),
    (&["clone"], flags("qvnls", "bo", &["depth", "branch", "single-branch", "no-single-branch", "quiet", "verbose", "progress", "no-checkout", "filter", "sparse", "shallow-since", "no-tags", "origin", "bare", "mirror", "jobs"])),
    (&["ls-remote"], flags("htqb", "", &["heads", "branches", "tags", "refs", "quiet", "exit-code", "get-url", "sort", "symref"])),
    (&["checkout"], flags("qtdl", "b", &["track", "no-track", "detach", "quiet", "orphan", "guess", "no-guess", "progress"])),
    (&["switch"], flags("qtd", "c", &["create", "track", "no-track", "detach", "quiet", "orphan", "guess", "no-guess", "progress"])),
    (&["merge"], flags("nqve", "mX", &["ff", "ff-only", "no-ff", "squash", "no-commit", "commit", "edit", "no-edit", "message", "abort", "continue", "quit", "stat", "no-stat", "verbose", "quiet", "autostash", "signoff", "allow-unrelated-histories", "strategy-option"])),
    (&["rebase"], flags("iqvrf", "X", &["interactive", "continue", "abort", "skip", "quit", "onto", "autosquash", "no-autosquash", "autostash", "root", "keep-base", "no-ff", "rebase-merges", "update-refs", "quiet", "verbose", "stat", "fork-point", "signoff", "merge", "committer-date-is-author-date", "strategy-option"])),
    (&["cherry-pick", "revert"], flags("nxes", "mX", &["continue", "abort", "skip", "quit", "no-commit", "edit", "no-edit", "mainline", "signoff", "allow-empty", "ff"])),
    (&["reset"], flags("qpN", "", &["soft", "mixed", "quiet", "patch", "intent-to-add"])),
    (&["stash"], flags("kuaqpS", "m", &["include-untracked", "all", "keep-index", "no-keep-index", "quiet", "patch", "message", "staged", "index", "stat"])),
    (&["tag"], flags("alns0123456789", "mFu", &["annotate", "list", "sign", "message", "sort", "contains", "no-contains", "merged", "no-merged", "points-at", "column", "file"])),
    (&["branch"], flags("arvlqt", "u", &["all", "remotes", "list", "verbose", "show-current", "sort", "contains", "no-contains", "merged", "no-merged", "color", "no-color", "column", "no-column", "abbrev", "points-at", "set-upstream-to", "unset-upstream", "track", "no-track", "quiet"])),
    (&["rm"], flags("rqn", "", &["cached", "dry-run", "quiet", "ignore-unmatch"])),
    (&["mv"], flags("vkn", "", &["verbose", "dry-run"])),
    (&["init"], flags("q", "b", &["bare", "quiet", "initial-branch"])),
    (&["worktree"], flags("qd", "b", &["detach", "track", "checkout", "no-checkout", "porcelain", "lock", "reason", "quiet", "verbose"])),
    (&["remote"], flags("v", "", &["verbose", "all", "push"])),
    (&["grep"], flags("inlcwvIEFGPaqhHLoprWz0123456789", "eABCm", &["line-number", "count", "files-with-matches", "name-only", "ignore-case", "word-regexp", "extended-regexp", "fixed-strings", "perl-regexp", "untracked", "cached", "and", "or", "not", "all-match", "heading", "break", "show-function", "function-context", "max-depth", "context", "after-context", "before-context", "color", "only-matching", "column", "max-count", "quiet"])),
    (&["archive"], flags("lv0123456789", "", &["format", "prefix", "list", "verbose"])),
    (&["apply"], flags("vR3N", "pC", &["check", "stat", "numstat", "summary", "index", "cached", "3way", "reverse", "verbose", "whitespace", "include", "exclude", "recount"])),
    (&["reflog", "merge-base", "show-ref", "count-objects", "gc", "fsck"], flags("vqHaA0123456789", "n", &["all", "verbose", "quiet", "auto", "heads", "tags", "verify", "hash", "dereference", "oneline", "date", "is-ancestor", "octopus", "independent", "fork-point", "full", "strict"])),
];

const fn flags(short: &'static str, valued: &'static str, long: &'static [&'static str]) -> Flags {
    Flags { short, valued, long }
}

/// What loses work, and what makes git run or fetch something else.
pub(super) fn dangers(words: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at).filter(|word| word.starts_with('-')) {
        if !matches!(word.as_str(), "--no-pager" | "-P" | "--no-optional-locks" | "--version") {
            found.push(word.as_str());
        }
        at += width(word);
    }
    let Some((command, rest)) = words.get(at..).and_then(<[String]>::split_first) else {
        return found;
    };
    if let Some(Loss::Work { word, .. }) = loss(words) {
        found.push(word);
    }
    let changing = CHANGING.iter().find(|(names, _)| names.contains(&command.as_str()));
    match changing.map(|(_, flags)| flags).or_else(|| git::flags_of(command)) {
        Some(flags) => found.extend(unknown(rest, flags)),
        // What is not known may do anything: `config`, `submodule`, an alias.
        None => found.push(command),
    }
    let rest = rest.iter().map(String::as_str);
    match command.as_str() {
        "remote" => found.extend(
            rest.filter(|word| matches!(*word, "add" | "set-url" | "remove" | "rm" | "rename")),
        ),
        // A helper of that name would be run.
        "fetch" | "pull" | "clone" | "ls-remote" | "push" => {
            found.extend(rest.filter(|word| word.contains("::")));
        }
        _ => {}
    }
    found
}
