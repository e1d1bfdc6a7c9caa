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
        store.set(Path::new(folder), *decision).unwrap();
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
    store.set(&real, Decision::Trust).unwrap();
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
    second.set(Path::new("/work/b"), Decision::Trust).unwrap();
    first.set(Path::new("/work/c"), Decision::Deny).unwrap();
    assert!(first.is_trusted(Path::new("/work/b")));
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_linked_file_stays_linked() {
    let (temp, mut store) = store(&[]);
    let target = temp.path().join("elsewhere.json");
    fs::write(&target, r#"{"version":1,"folders":{}}"#).unwrap();
    symlink(&target, temp.path().join("trust.json")).unwrap();
    store.set(Path::new("/work/a"), Decision::Trust).unwrap();
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
        r#"{"version":3,"folders":{}}"#,
        "\u{fffd}",
    ] {
        let temp = tempfile::tempdir().unwrap();
        let file = temp.path().join("trust.json");
        fs::write(&file, text).unwrap();
        let (mut store, problem) = TrustStore::load(temp.path(), None);
        let problem = problem.unwrap().to_string();
        assert!(problem.contains("trust.json") && problem.contains("no folder"), "{problem}");
        assert!(!store.is_trusted(Path::new("/work/a")), "{text}");
        assert!(store.set(Path::new("/work/a"), Decision::Trust).is_err(), "{text}");
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
        assert!(store.set(folder, Decision::Trust).is_err(), "{folder:?}");
    }
    // Not readable as text, but below a folder that is trusted.
    store.set(Path::new("/work"), Decision::Trust).unwrap();
    assert!(store.is_trusted(odd));
}

#[test]
fn the_first_decision_makes_a_private_folder() {
    let temp = tempfile::tempdir().unwrap();
    let home = temp.path().join("home/.bowline");
    let (mut store, _) = TrustStore::load(&home, None);
    store.set(Path::new("/work"), Decision::Trust).unwrap();
    assert!(TrustStore::load(&home, None).0.is_trusted(Path::new("/work")));
    assert_eq!(fs::metadata(&home).unwrap().permissions().mode() & 0o777, 0o700);
}
