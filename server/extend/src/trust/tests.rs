//! Trust over temporary folders.

#![expect(clippy::disallowed_methods, reason = "the tests make the folders that are read")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

/// A store with these decisions, in a fresh folder; the home directory is `/home/ann`.
fn store(decisions: &[(&str, Decision)]) -> (tempfile::TempDir, TrustStore) {
    let temp = tempfile::tempdir().unwrap();
    let (mut store, problem) = TrustStore::load(temp.path(), Some(Path::new("/home/ann")));
    assert!(problem.is_none());
    for (folder, decision) in decisions {
        store.set(Path::new(folder), *decision, 7).unwrap();
    }
    (temp, store)
}

#[test]
fn the_nearest_decision_counts() {
    use Decision::{Deny, Trust};
    let check = |decisions: &[(&str, Decision)], folder: &str, expect: bool| {
        let (_temp, store) = store(decisions);
        assert_eq!(store.is_trusted(Path::new(folder)), expect, "{decisions:?} {folder}");
    };
    check(&[], "/work/a", false);
    check(&[("/work/a", Trust)], "/work/a", true);
    check(&[("/work/a", Trust)], "/work/a/", true);
    check(&[("/work/a/", Trust)], "/work/a", true);
    check(&[("/work/a", Trust)], "/work/a/b/c", true);
    check(&[("/work/a", Trust)], "/work", false);
    check(&[("/work/a", Trust)], "/work/ab", false);
    check(&[("/work/a", Trust)], "/work/A", false);
    check(&[("/work/a", Trust)], "/work/a/../b", false);
    check(&[("/work/a", Trust)], "work/a", false);
    check(&[("/work/a", Trust)], "", false);
    check(&[("/work", Trust), ("/work/a", Deny)], "/work/a/b", false);
    check(&[("/work", Trust), ("/work/a", Deny)], "/work/a/", false);
    check(&[("/work", Trust), ("/work/a", Deny)], "/work/./a", false);
    check(&[("/work", Trust), ("/work/a", Deny)], "/work/b", true);
    check(&[("/work", Deny), ("/work/a", Trust)], "/work/a", true);
    check(&[("/work/a", Trust), ("/work/a", Deny)], "/work/a", false);
}

#[test]
fn wide_folders_speak_for_themselves_alone() {
    use Decision::{Deny, Trust};
    let check = |wide: &str, decision: Decision, folder: &str, expect: bool| {
        let (_temp, store) = store(&[(wide, decision)]);
        assert_eq!(store.is_trusted(Path::new(folder)), expect, "{wide} {folder}");
    };
    check("/", Trust, "/", true);
    check("/", Trust, "/work", false);
    check("/home", Trust, "/home/ben/x", false);
    check("/home/ann", Trust, "/home/ann", true);
    check("/home/ann", Trust, "/home/ann/x", false);
    check("/home/ann/x", Trust, "/home/ann/x/y", true);
    check("/home/ben", Trust, "/home/ben/x", true);
    let (_temp, store) = store(&[("/home/ann", Deny), ("/home/ann/x", Trust)]);
    assert!(store.is_trusted(Path::new("/home/ann/x")));
    assert!(!store.is_trusted(Path::new("/home/ann/y")));
}

#[test]
fn a_linked_home_is_as_wide_as_the_real_one() {
    let temp = tempfile::tempdir().unwrap();
    let real = temp.path().canonicalize().unwrap().join("real");
    fs::create_dir(&real).unwrap();
    let link = temp.path().join("link");
    symlink(&real, &link).unwrap();
    let (mut store, _) = TrustStore::load(temp.path(), Some(&link));
    store.set(&real, Decision::Trust, 7).unwrap();
    assert!(!store.is_trusted(&real.join("project")));
}

#[test]
fn decisions_are_kept_privately_and_survive() {
    let (temp, mut first) = store(&[("/work/a", Decision::Trust)]);
    let file = temp.path().join("trust.json");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);

    // Another window decides in between; neither loses the other's decision.
    let (mut second, problem) = TrustStore::load(temp.path(), None);
    assert!(problem.is_none());
    assert!(second.is_trusted(Path::new("/work/a")));
    second.set(Path::new("/work/b"), Decision::Trust, 7).unwrap();
    first.set(Path::new("/work/c"), Decision::Deny, 7).unwrap();
    assert!(first.is_trusted(Path::new("/work/b")));
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_linked_file_stays_linked() {
    let (temp, mut store) = store(&[]);
    let target = temp.path().join("elsewhere.json");
    fs::write(&target, r#"{"version":1,"folders":{}}"#).unwrap();
    symlink(&target, temp.path().join("trust.json")).unwrap();
    store.set(Path::new("/work/a"), Decision::Trust, 7).unwrap();
    assert!(temp.path().join("trust.json").is_symlink());
    assert!(fs::read_to_string(target).unwrap().contains("/work/a"));
}

#[test]
fn a_corrupt_file_trusts_nothing_and_is_not_overwritten() {
    for text in [
        "",
        "{",
        "[]",
        r#"{"folders":{"/work/a":"trust"}}"#,
        r#"{"version":1,"folders":{"/work/a":"maybe"}}"#,
        r#"{"version":1,"folders":{"/work/a":"trust"},"more":1}"#,
        r#"{"version":2,"folders":{"/work/a":"trust"}}"#,
        r#"{"version":2,"folders":{"/work/a":{"decision":"trust","more":1}}}"#,
        r#"{"version":4,"folders":{}}"#,
        "\u{fffd}",
    ] {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("trust.json");
        fs::write(&file, text).unwrap();
        let (mut store, problem) = TrustStore::load(temp.path(), None);
        let problem = problem.unwrap().to_string();
        assert!(problem.contains("trust.json") && problem.contains("no folder"), "{problem}");
        assert!(!store.is_trusted(Path::new("/work/a")), "{text}");
        assert!(store.set(Path::new("/work/a"), Decision::Trust, 7).is_err(), "{text}");
        assert!(!store.is_trusted(Path::new("/work/a")), "{text}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
    }
}

#[test]
fn paths_that_cannot_be_told_apart_are_refused() {
    use std::os::unix::ffi::OsStrExt;
    let (_temp, mut store) = store(&[]);
    let odd = Path::new(std::ffi::OsStr::from_bytes(b"/work/\xff"));
    for folder in [odd, Path::new("relative"), Path::new("/work/../x")] {
        assert!(store.set(folder, Decision::Trust, 7).is_err(), "{folder:?}");
    }
    // Not readable as text, but below a folder that is trusted.
    store.set(Path::new("/work"), Decision::Trust, 7).unwrap();
    assert!(store.is_trusted(odd));
}

#[test]
fn the_first_decision_makes_a_private_folder() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home/.bowline");
    let (mut store, _) = TrustStore::load(&home, None);
    store.set(Path::new("/work"), Decision::Trust, 7).unwrap();
    assert!(TrustStore::load(&home, None).0.is_trusted(Path::new("/work")));
    assert_eq!(fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn the_first_format_is_still_read() {
    let temp = tempfile::tempdir().unwrap();
    let folder = temp.path().canonicalize().unwrap();
    let text =
        format!(r#"{{"version":1,"folders":{{"{}":"trust","/work/b":"deny"}}}}"#, folder.display());
    fs::write(temp.path().join("trust.json"), text).unwrap();
    let (mut store, problem) = TrustStore::load(temp.path(), None);
    assert!(problem.is_none());
    assert!(store.is_trusted(&folder) && !store.is_trusted(Path::new("/work/b")));
    assert!(!store.approved(&folder, "sha256:x"), "nothing was approved then");
    store.approve(&folder, ["sha256:x".to_owned()]).unwrap();
    let (store, problem) = TrustStore::load(temp.path(), None);
    assert!(problem.is_none() && store.approved(&folder, "sha256:x"));
    assert_eq!(store.decision(Path::new("/work/b")), Some(Decision::Deny));
}

/// A folder with these folders and files in it, the store beside it.
fn tree(entries: &[&str]) -> (tempfile::TempDir, PathBuf, TrustStore) {
    let temp = tempfile::tempdir().unwrap();
    let root = temp.path().canonicalize().unwrap().join("projects");
    fs::create_dir(&root).unwrap();
    for entry in entries {
        let path = root.join(entry);
        match entry.ends_with('/') {
            true => fs::create_dir_all(path).unwrap(),
            false => {
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
        }
    }
    let (store, _) = TrustStore::load(temp.path(), None);
    (temp, root, store)
}

#[test]
fn another_folder_in_its_place_is_asked_about_again() {
    let (_temp, root, mut store) = tree(&["a/"]);
    let (folder, aside) = (root.join("a"), root.join("aside"));
    store.set(&folder, Decision::Trust, 7).unwrap();
    store.approve(&folder, ["sha256:x".to_owned()]).unwrap();
    assert!(store.is_trusted(&folder) && store.approved(&folder, "sha256:x"));
    fs::rename(&folder, &aside).unwrap();
    fs::create_dir_all(folder.join("inner")).unwrap();
    assert_eq!(store.decision(&folder), None);
    assert_eq!(store.decision(&folder.join("inner")), None);
    assert!(!store.approved(&folder, "sha256:x"));
    // Trusting the new one does not approve what the old one had.
    store.set(&folder, Decision::Trust, 7).unwrap();
    assert!(store.is_trusted(&folder) && !store.approved(&folder, "sha256:x"));
    // A refusal of a folder that is gone does not let the one above speak.
    store.set(&root, Decision::Trust, 7).unwrap();
    store.set(&folder, Decision::Deny, 7).unwrap();
    fs::remove_dir_all(&folder).unwrap();
    fs::rename(&aside, &folder).unwrap();
    assert_eq!(store.decision(&folder), None);
}

#[test]
fn trust_from_above_ends_at_other_peoples_repositories() {
    let check = |entries: &[&str], folder: &str, expect: bool| {
        let (_temp, root, mut store) = tree(entries);
        store.set(&root, Decision::Trust, 7).unwrap();
        let folder = root.join(folder);
        fs::create_dir_all(&folder).unwrap();
        assert_eq!(store.is_trusted(&folder), expect, "{entries:?} {}", folder.display());
        // A decision of its own always counts.
        store.set(&folder, Decision::Trust, 7).unwrap();
        assert!(store.is_trusted(&folder));
    };
    check(&["a/"], "a", true);
    check(&["a/.bowline/"], "a", true);
    check(&["a/.git/"], "a", true);
    check(&["a/.git/"], "a/b", true);
    check(&[".git/", "a/.bowline/"], "a", true);
    // A repository of its own with its own configuration.
    check(&["a/.git/", "a/.bowline/"], "a", false);
    check(&["a/.git/", "a/.claude/"], "a/b", false);
    check(&["a/.git/", "a/.mcp.json"], "a", false);
    check(&["a/.git/", "a/b/.lsp.json"], "a/b", false);
    // A worktree, a forged one, and a repository inside out.
    check(&["a/.git"], "a", false);
    check(&["a/.git"], "a/b/c", false);
    check(&["a/.git/commondir"], "a", false);
    check(&["a/HEAD", "a/objects/", "a/refs/"], "a", false);
    let (_temp, root, mut store) = tree(&["a/", "real/.git/"]);
    symlink(root.join("real/.git"), root.join("a/.git")).unwrap();
    store.set(&root, Decision::Trust, 7).unwrap();
    assert!(!store.is_trusted(&root.join("a")));
}

#[test]
fn approvals_belong_to_one_folder() {
    let (_temp, root, mut store) = tree(&["a/", "b/"]);
    let (a, b, hash) = (root.join("a"), root.join("b"), "sha256:x");
    store.approve(&a, [hash.to_owned()]).unwrap();
    assert!(!store.approved(&a, hash), "the folder itself is not trusted");
    store.set(&root, Decision::Trust, 7).unwrap();
    assert!(store.approved(&a, hash) && !store.approved(&a, "sha256:y"));
    assert!(!store.approved(&b, hash) && !store.approved(&root, hash));
    store.set(&a, Decision::Deny, 7).unwrap();
    assert!(!store.approved(&a, hash));
    store.set(&a, Decision::Trust, 7).unwrap();
    assert!(!store.approved(&a, hash), "a refusal forgets");
    assert!(Standing::vouched().has_approved(hash) && !Standing::untrusted().has_approved(hash));
}
