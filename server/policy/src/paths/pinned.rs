//! What stays as it is in a folder that a contained process may write: the protected names, and
//! inside a repository whatever makes git run something.
//!
//! The walls are built from these lists, so nothing here is a decision about one path: it says
//! which entries of a folder are guarded, and what stands in their place while they are missing.

use std::ffi::OsStr;
use std::path::Path;

use super::protected::{is_made_by_work, may_be_protected, protected};

/// Guarded at the top of a writable folder also while they are missing: many programs run or obey
/// them as soon as they are there.
pub const MISSING: [&str; 21] = [
    ".git",
    ".vscode",
    ".idea",
    ".husky",
    ".devcontainer",
    ".cargo",
    ".claude",
    ".bowline",
    ".agents",
    ".codex",
    ".mcp.json",
    ".envrc",
    ".exrc",
    ".vimrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
    ".helix",
    ".zed",
    ".cursor",
    ".lsp.json",
];

/// What is guarded inside the folder of a repository, and what stands for it while it is missing.
///
/// `commondir` would move the configuration and the hooks somewhere else; one that says "here"
/// changes nothing.
pub const IN_REPOSITORY: [(&str, Blank); 5] = [
    ("hooks", Blank::Folder),
    ("config", Blank::File("")),
    ("config.worktree", Blank::File("")),
    ("info/attributes", Blank::File("")),
    ("commondir", Blank::File(".\n")),
];

/// Guarded inside the folder of a repository where it exists: the other work trees' own folders.
pub const WORK_TREES: &str = "worktrees";

/// Where a repository keeps those of its submodules, each guarded like a repository.
pub const MODULES: &str = "modules";

/// Guarded in the folder that a repository keeps for one work tree.
pub const IN_WORK_TREE: [(&str, Blank); 3] = [
    ("gitdir", Blank::File("")),
    ("commondir", Blank::File(".\n")),
    ("config.worktree", Blank::File("")),
];

/// What a contained process in one work tree may write in the folder that all of them share.
pub const SHARED: [&str; 3] = ["objects", "refs", "logs"];

/// Folders of the home in which programs also keep what they fetched or remember, and what of them
/// other programs obey. The user's own programs may write the rest.
pub const PARTLY: [(&str, &[&str]); 6] = [
    (".aws", &["config", "credentials"]),
    (".cargo", &["config", "config.toml", "credentials", "credentials.toml", "bin", "env"]),
    (
        ".claude",
        &[
            "settings.json",
            "settings.local.json",
            "CLAUDE.md",
            "agents",
            "commands",
            "hooks",
            "output-styles",
            "plugins",
            "rules",
            "skills",
        ],
    ),
    (".codex", &["config.toml", "AGENTS.md", "hooks.json", "prompts", "rules", "skills"]),
    (".docker", &["config.json", "cli-plugins", "contexts"]),
    (
        ".gnupg",
        &[
            "gpg.conf",
            "gpg-agent.conf",
            "dirmngr.conf",
            "scdaemon.conf",
            "common.conf",
            "private-keys-v1.d",
        ],
    ),
];

/// What stands in the place of something that is missing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blank {
    Folder,
    File(&'static str),
}

/// How an entry of a folder is guarded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pin {
    /// Nothing in it may change.
    Whole,
    /// A repository (or a file that says where it is): work goes on in it, but for
    /// [`IN_REPOSITORY`].
    Repository,
    /// The agent's own folder: nothing in it may change but the work trees it keeps there.
    Agent,
}

/// Folders of work trees inside a [`Pin::Agent`].
pub const AGENT_WORK_TREES: &str = "worktrees";

/// How the entry `name` of the folder `parent` is guarded, if it is.
pub fn pin(parent: &Path, name: &OsStr) -> Option<Pin> {
    let folder = parent.file_name().unwrap_or_default();
    let is_candidate = |name: &OsStr| may_be_protected(name.as_encoded_bytes());
    if !is_candidate(name) && !is_candidate(folder) {
        return None;
    }
    let known = protected(Path::new(name));
    let known = known.or_else(|| protected(&Path::new(folder).join(name)).filter(is_pair))?;
    if is_made_by_work(known) {
        return None;
    }
    Some(match known {
        ".git" => Pin::Repository,
        ".claude" => Pin::Agent,
        _ => Pin::Whole,
    })
}

/// Protected by its own name and its parent's, and not by the parent's alone.
fn is_pair(known: &&'static str) -> bool {
    known.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_guarded_by_their_names() {
        let check = |parent: &str, name: &str, expect: Option<Pin>| {
            assert_eq!(pin(Path::new(parent), OsStr::new(name)), expect, "{parent}/{name}");
        };
        check("/w", ".git", Some(Pin::Repository));
        check("/w", ".GIT", Some(Pin::Repository));
        check("/w", ".claude", Some(Pin::Agent));
        check("/w", ".vscode", Some(Pin::Whole));
        check("/w", ".Mcp.json", Some(Pin::Whole));
        check("/w", ".npmrc", Some(Pin::Whole));
        check("/w", "lefthook.yml", Some(Pin::Whole));
        check("/w", "src", None);
        check("/w", ".gitignore", None);
        check("/w", "git", None);
        check("/h/.config", "git", Some(Pin::Whole));
        check("/h/.config", "other", None);
        check("/w/.vscode", "settings.json", None);
        check("/", "config", None);
        check("/w", ".zed", Some(Pin::Whole));
        check("/w", "CLAUDE.md", None);
        check("/w/node_modules", ".bin", None);
        check("/w/.venv", "bin", None);
    }

    #[test]
    fn what_is_guarded_while_missing_is_protected() {
        for name in MISSING {
            assert!(pin(Path::new("/w"), OsStr::new(name)).is_some(), "{name}");
        }
        for (name, obeyed) in PARTLY {
            assert!(pin(Path::new("/h"), OsStr::new(name)).is_some(), "{name}");
            assert!(!obeyed.is_empty(), "{name}");
        }
    }
}
