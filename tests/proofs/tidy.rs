//! The house rules that a compiler does not check: who may depend on whom, what every file says
//! about itself, and what must never be committed.

#![expect(clippy::disallowed_methods, reason = "the tree itself is looked at, with cargo and git")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use kit::files;
use serde_json::Value;

/// Who may use whom, of our own crates. Architecture is this table.
const MAY_USE: &[(&str, &[&str])] = &[
    ("protocol", &[]),
    ("text", &[]),
    ("policy", &[]),
    ("agent", &["policy", "text"]),
    ("exec", &["policy"]),
    ("extend", &["agent", "policy"]),
    ("language", &["exec", "text", "workspace"]),
    ("mcp", &["exec", "policy"]),
    ("media", &[]),
    ("model", &["agent"]),
    ("web", &["policy"]),
    ("workspace", &["policy", "text"]),
    ("tools", &["agent", "exec", "language", "mcp", "media", "policy", "text", "web", "workspace"]),
    ("repl", &["protocol"]),
    (
        "host",
        &[
            "agent",
            "exec",
            "extend",
            "language",
            "mcp",
            "model",
            "policy",
            "protocol",
            "repl",
            "text",
            "tools",
            "web",
            "workspace",
        ],
    ),
    (
        "e2e",
        &[
            "agent", "exec", "extend", "host", "language", "media", "model", "policy", "protocol",
            "text",
        ],
    ),
];

/// Crates that belong to one room.
const ONLY: &[(&str, &[&str])] = &[
    ("ropey", &["text"]),
    ("reqwest", &["mcp", "model", "web"]),
    ("rmcp", &["mcp"]),
    ("tower-lsp-server", &["host"]),
    ("agent-client-protocol-schema", &["host"]),
    ("grep-searcher", &["workspace"]),
    ("tree-sitter", &["policy", "workspace"]),
    ("crossterm", &["repl"]),
    ("image", &["media"]),
    ("lopdf", &["media"]),
];

/// Longer than the rest, each for a reason.
const LONG_FILES: &[(&str, &str)] = &[];
const LONGEST: usize = 500;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn output(program: &str, args: &[&str]) -> String {
    let output = Command::new(program).args(args).current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{program} {args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// Files in git's care, and those that will be.
fn tracked() -> Vec<PathBuf> {
    let args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = output("git", &args);
    let names = listed.split('\0').filter(|name| !name.is_empty());
    names.map(PathBuf::from).filter(|name| root().join(name).is_file()).collect()
}

fn rust_files() -> Vec<(PathBuf, String)> {
    let rust = tracked().into_iter().filter(|name| name.extension().is_some_and(|e| e == "rs"));
    rust.map(|name| (name.clone(), files::read(&root().join(name)))).collect()
}

/// Crate → what it uses when it is built for users.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let metadata = output("cargo", &["metadata", "--format-version=1", "--no-deps", "--offline"]);
    let metadata: Value = serde_json::from_str(&metadata).unwrap();
    let packages = metadata["packages"].as_array().unwrap().iter();
    let named = |value: &Value| value["name"].as_str().unwrap().to_owned();
    packages
        .map(|package| {
            let used = package["dependencies"].as_array().unwrap().iter();
            let used = used.filter(|dependency| dependency["kind"] != "dev");
            (named(package), used.map(named).collect())
        })
        .collect()
}

#[test]
fn dependencies_go_down_only() {
    let all = dependencies();
    let ours: BTreeSet<_> = MAY_USE.iter().map(|(name, _)| (*name).to_owned()).collect();
    let found: BTreeSet<_> = all.keys().cloned().collect();
    assert_eq!(found, ours, "a new crate needs a place in the table");
    for (name, allowed) in MAY_USE {
        let used = all[*name].intersection(&ours).filter(|used| !allowed.contains(&used.as_str()));
        let used: Vec<_> = used.collect();
        assert!(used.is_empty(), "{name} must not use {used:?}");
    }
}

#[test]
fn a_library_has_one_room() {
    for (library, rooms) in ONLY {
        let users = dependencies().into_iter().filter(|(_, used)| used.contains(*library));
        let users: Vec<_> = users.map(|(name, _)| name).collect();
        assert_eq!(users, *rooms, "{library}");
    }
    // Within `host`, only one door may name the library behind it.
    for (name, text) in rust_files() {
        let name = name.display().to_string();
        let door = name.starts_with("server/host/src/doors/lsp");
        let elsewhere = name.starts_with("server/host/") && !door;
        assert!(!elsewhere || !text.contains("tower_lsp"), "{name}");
    }
}

#[test]
fn every_file_says_what_it_is_for() {
    for (name, text) in rust_files() {
        assert!(text.starts_with("//!"), "{} does not open with `//!`", name.display());
    }
}

/// Whoever starts a process says which walls it has. These are all the places that may say "none": where
/// the user said so, where there is no sandbox, and where nothing but a program of the system runs.
const MAY_BE_OPEN: [(&str, usize); 8] = [
    ("server/host/src/cli/mcp/look.rs", 1),
    ("server/host/src/git.rs", 1),
    ("server/host/src/keys/keychain.rs", 2),
    ("server/host/src/own.rs", 2),
    ("server/host/src/servers/around.rs", 1),
    ("server/host/src/session/shelter.rs", 2),
    ("server/host/src/worktree.rs", 1),
    ("server/tools/src/command.rs", 1),
];

#[test]
fn walls_are_left_open_only_where_it_is_meant() {
    let mut found = Vec::new();
    for (path, text) in rust_files() {
        let shown = path.display().to_string();
        let is_code = shown.starts_with("server/") && !shown.starts_with("server/exec/");
        if !is_code || shown.contains("/tests") {
            continue;
        }
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        // A pattern only looks.
        let uses = code.lines().filter(|line| line.contains("Walls::Open"));
        let uses = uses.filter(|line| !line.contains("Walls::Open =>")).count();
        if uses > 0 {
            found.push((shown, uses));
        }
    }
    found.sort();
    let expect: Vec<(String, usize)> =
        MAY_BE_OPEN.iter().map(|(path, uses)| ((*path).to_owned(), *uses)).collect();
    assert_eq!(found, expect);
}

#[test]
fn no_mod_rs() {
    let found: Vec<_> = tracked().into_iter().filter(|name| name.ends_with("mod.rs")).collect();
    assert!(found.is_empty(), "use `foo.rs` beside `foo/`: {found:?}");
}

#[test]
fn files_stay_readable() {
    for (name, text) in rust_files() {
        let shown = name.display().to_string();
        let is_test = shown.contains("/tests/") || shown.ends_with("/tests.rs");
        let excused = LONG_FILES.iter().any(|(long, _)| *long == shown);
        // Tests at the end of a file do not count.
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let lines = code.lines().count();
        assert!(is_test || excused || lines <= LONGEST, "{shown} has {lines} lines");
    }
}

#[test]
fn every_folder_of_fixtures_is_explained() {
    let readme = files::read(&root().join("fixtures/README.md"));
    let folders: BTreeSet<_> = tracked()
        .into_iter()
        .filter_map(|name| {
            let mut parts = name.strip_prefix("fixtures").ok()?.components();
            let first = parts.next()?.as_os_str().to_str()?.to_owned();
            parts.next().map(|_| first)
        })
        .collect();
    assert!(!folders.is_empty());
    for folder in folders {
        assert!(readme.contains(&format!("`{folder}/`")), "{folder}/ is not explained");
    }
}

#[test]
fn the_readme_has_exactly_two_commands() {
    let readme = files::read(&root().join("README.md"));
    let block = readme.split("```").nth(1).unwrap();
    let commands = block.lines().filter(|line| !line.trim().is_empty());
    let commands: Vec<_> =
        commands.map(|line| line.split('#').next().unwrap().trim().to_owned()).collect();
    assert_eq!(commands, ["cargo run --release", "tests/run"]);
    assert!(root().join("tests/run").is_file());
}

/// What belongs to one machine has no place in the tree. Spelled in pieces, because this file is
/// part of it.
#[test]
fn nothing_of_one_machine_is_committed() {
    let words = [
        ["/wo", "rk/main"].concat(),
        ["/wo", "rk/shared"].concat(),
        ["/ro", "ot/.cargo"].concat(),
        ["/tmp/bow", "line"].concat(),
        ["index.crates", ".io-"].concat(),
        ["/far", "m/"].concat(),
    ];
    for name in tracked() {
        let bytes = files::bytes(&root().join(&name));
        let text = String::from_utf8_lossy(&bytes);
        for word in &words {
            assert!(!text.contains(word.as_str()), "{} names {word}", name.display());
        }
    }
    let lock = files::read(&root().join("Cargo.lock"));
    let sources = lock.lines().filter_map(|line| line.strip_prefix("source = "));
    let foreign: BTreeSet<_> = sources
        .filter(|source| !source.contains("registry+https://github.com/rust-lang/crates.io-index"))
        .collect();
    assert!(foreign.is_empty(), "{foreign:?}");
}

#[test]
fn licence_and_rules_are_there() {
    for name in
        ["LICENSE", "CONTRIBUTING.md", "README.md", "clippy.toml", "rustfmt.toml", ".ci/run"]
    {
        assert!(root().join(name).is_file(), "{name} is missing");
    }
    for (name, _) in MAY_USE {
        let folders = ["server", "clients", "."];
        let manifest = folders.iter().map(|at| root().join(at).join(name).join("Cargo.toml"));
        let manifest =
            manifest.chain([root().join("tests/Cargo.toml")]).find(|path| path.is_file());
        let text = files::read(&manifest.unwrap());
        assert!(
            text.contains("[lints]\nworkspace = true"),
            "{name} does not take part in the lints"
        );
        let versions = text.lines().filter(|line| line.contains("version = \""));
        assert_eq!(versions.count(), 0, "{name}: versions are written in the root manifest");
    }
}
