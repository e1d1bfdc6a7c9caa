//! Patterns and what they find.

use super::*;
use crate::disk::test::{set_modified, write};
use crate::documents::Documents;
use crate::uri::DocumentUri;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;

struct World {
    _keep: tempfile::TempDir,
    root: PathBuf,
    documents: Documents,
}

impl World {
    /// The files are made in order, each newer than the one before.
    fn new(names: &[&str]) -> World {
        let keep = tempfile::tempdir().unwrap();
        let root = keep.path().canonicalize().unwrap();
        for (age, name) in (1_000..).zip(names) {
            write(&root.join(name), b"");
            set_modified(&root.join(name), age);
        }
        World { _keep: keep, root, documents: Documents::default() }
    }

    fn find(&self, pattern: &str, folder: &str, ignored: Ignored) -> Vec<String> {
        let glob = Glob::new(pattern, &self.root.join(folder)).unwrap();
        let snapshot = self.documents.snapshot();
        let root = real_path(&glob.root).unwrap();
        let result = glob.find(&root, &snapshot, ignored, 100, &Limits::NONE).unwrap();
        assert_eq!((result.total, result.stopped), (result.paths.len(), None));
        let names = result.paths.iter().map(|path| match path.strip_prefix(&self.root) {
            Ok(relative) => relative.to_string_lossy().into_owned(),
            Err(_) => path.to_string_lossy().into_owned(),
        });
        names.collect()
    }
}

#[test]
fn patterns() {
    let world = World::new(&[
        "top.rs",
        "src/main.rs",
        "src/deep/mod.rs",
        "src/deep/er/x.ts",
        "README.md",
        "a[1].txt",
    ]);
    let check = |pattern: &str, folder: &str, expect: &str| {
        let found = world.find(pattern, folder, Ignored::Skip);
        assert_eq!(found.join(" "), expect, "{pattern} in {folder:?}");
    };
    check("*.rs", "", "src/deep/mod.rs src/main.rs top.rs");
    check("./*.rs", "", "top.rs");
    check("**/*.rs", "", "src/deep/mod.rs src/main.rs top.rs");
    check("src/*.rs", "", "src/main.rs");
    check("src/**/*.rs", "", "src/deep/mod.rs src/main.rs");
    check("src/*/*.rs", "", "src/deep/mod.rs");
    check("src/{main,deep/mod}.rs", "", "src/deep/mod.rs src/main.rs");
    check("**/*.{rs,ts}", "src/deep", "src/deep/er/x.ts src/deep/mod.rs");
    check("src/", "", "src/deep/er/x.ts src/deep/mod.rs src/main.rs");
    check("src/deep/**", "", "src/deep/er/x.ts src/deep/mod.rs");
    check("main.rs", "", "src/main.rs");
    check("src/main.rs", "", "src/main.rs");
    check("a\\[1\\].txt", "", "a[1].txt");
    check("readme.md", "", "");
    let absolute = format!("{}/src/*.rs", world.root.display());
    check(&absolute, "src/deep", "src/main.rs");
    assert_eq!(world.find("../*.rs", "src/deep", Ignored::Skip), ["src/deep/../main.rs"]);
}

#[test]
fn patterns_that_make_no_sense() {
    let folder = Path::new("/");
    let error = |pattern: &str| Glob::new(pattern, folder).unwrap_err();
    assert!(matches!(error("  "), GlobError::Empty));
    assert!(matches!(error("*/../x"), GlobError::Upwards { .. }));
    assert!(matches!(error("a[b"), GlobError::Pattern { .. }));
    let nowhere = Glob::new("not-there-at-all/*.rs", folder).unwrap();
    let outcome =
        nowhere.find(&nowhere.root, &Snapshot::default(), Ignored::Skip, 9, &Limits::NONE);
    assert!(matches!(outcome, Err(GlobError::NoFolder { .. })));
}

#[test]
fn the_newest_first_and_not_too_many() {
    let names: Vec<String> = (0..150).map(|n| format!("f{n}.txt")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let world = World::new(&names);
    let glob = Glob::new("*.txt", &world.root).unwrap();
    let found = glob.find(&world.root, &Snapshot::default(), Ignored::Skip, 100, &Limits::NONE);
    let result = found.unwrap();
    assert_eq!((result.paths.len(), result.total, result.truncated()), (100, 150, true));
    assert_eq!(result.paths[0], world.root.join("f149.txt"));
    assert_eq!(result.paths[99], world.root.join("f50.txt"));
}

#[test]
fn ignored_files_on_request() {
    let world = World::new(&["a.rs", "out/b.rs", ".git/c.rs"]);
    write(&world.root.join(".gitignore"), b"out\n");
    assert_eq!(world.find("**/*.rs", "", Ignored::Skip), ["a.rs"]);
    assert_eq!(world.find("**/*.rs", "", Ignored::Include), ["out/b.rs", "a.rs"]);
}

#[test]
fn open_files_that_were_never_saved() {
    let mut world = World::new(&["a.rs"]);
    write(&world.root.join(".gitignore"), b"out\n");
    for name in ["new/b.rs", "a.rs", "out/c.rs", "new/d.txt"] {
        let uri = DocumentUri::from_path(&world.root.join(name)).unwrap();
        world.documents.open(uri, String::new(), 1, "");
    }
    assert_eq!(world.find("**/*.rs", "", Ignored::Skip), ["new/b.rs", "a.rs"]);
}

#[test]
fn links_are_listed_when_their_target_may_be_seen() {
    let world = World::new(&["secret", "plain"]);
    symlink("secret", world.root.join("to-secret.x")).unwrap();
    symlink("plain", world.root.join("to-plain.x")).unwrap();
    symlink("nowhere", world.root.join("dangling.x")).unwrap();
    symlink(".", world.root.join("circle.x")).unwrap();
    let glob = Glob::new("*", &world.root).unwrap();
    let hidden = world.root.join("secret");
    let limits = Limits { admits: &|path| path != hidden, ..Limits::NONE };
    let found = glob.find(&world.root, &Snapshot::default(), Ignored::Skip, 9, &limits);
    let result = found.unwrap();
    assert_eq!(result.paths, [world.root.join("plain"), world.root.join("to-plain.x")]);
}

#[test]
fn names_that_are_no_text_and_folders_reached_by_a_link() {
    let world = World::new(&["real/a.rs"]);
    let odd = world.root.join("real").join(OsStr::from_bytes(b"\xff.rs"));
    write(&odd, b"");
    set_modified(&odd, 1);
    symlink("real", world.root.join("link")).unwrap();
    let glob = Glob::new("link/*.rs", &world.root).unwrap();
    let find = |root: &Path| glob.find(root, &Snapshot::default(), Ignored::Skip, 9, &Limits::NONE);
    let link = world.root.join("link");
    let result = find(&world.root.join("real")).unwrap();
    assert!(matches!(find(&link), Err(GlobError::Moved { .. })), "a link is no real path");
    assert_eq!(result.paths, [link.join("a.rs"), link.join(OsStr::from_bytes(b"\xff.rs"))]);
}
