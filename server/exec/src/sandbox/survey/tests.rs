//! Real folders, looked at.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::Arc;

use super::*;
use crate::sandbox::{Limits, Nearby, Network, Sandbox};

struct Disk {
    top: PathBuf,
    confinement: Confinement,
    _folder: tempfile::TempDir,
}

/// Folders end with a slash; everything is below `w`, the root.
fn disk(paths: &[&str]) -> Disk {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let temp = top.join("t");
    for path in ["t/", "w/"].iter().chain(paths) {
        let full = top.join(path);
        fs::create_dir_all(if path.ends_with('/') { &full } else { full.parent().unwrap() })
            .unwrap();
        if !path.ends_with('/') {
            fs::write(full, "").unwrap();
        }
    }
    fs::set_permissions(&temp, fs::Permissions::from_mode(0o700)).unwrap();
    let confinement = Confinement {
        sandbox: Arc::new(Sandbox::none(String::new())),
        roots: vec![top.join("w")],
        temp,
        aside: top.join("aside"),
        cache: None,
        allow_write: Vec::new(),
        deny_write: Vec::new(),
        deny_read: Vec::new(),
        shown: Vec::new(),
        network: Network::Off,
        nearby: Nearby::default(),
        disk: Default::default(),
        limits: Limits::default(),
    };
    Disk { top, confinement, _folder: folder }
}

impl Disk {
    fn layout(&self) -> Layout {
        survey(&self.confinement, false).unwrap().0
    }

    fn may_write(&self, path: &str) -> bool {
        self.layout().may_write(&self.top.join(path))
    }

    fn write(&self, path: &str, text: &str) {
        fs::write(self.top.join(path), text).unwrap();
    }
}

#[test]
fn protected_names_are_guarded_existing_or_not() {
    let disk = disk(&["w/.git/hooks/", "w/.git/config", "w/.git/HEAD", "w/.npmrc", "w/src/a.rs"]);
    let check = |path: &str, expect: bool| assert_eq!(disk.may_write(path), expect, "{path}");
    check("w/src/a.rs", true);
    check("w/new", true);
    check("w/.npmrc", false);
    check("w/.vscode/tasks.json", false);
    check("w/.mcp.json", false);
    check("w/.git/index.lock", true);
    check("w/.git/HEAD", true);
    check("w/.git/hooks/pre-commit", false);
    check("w/.git/config", false);
    check("w/.git/config.worktree", false);
    check("w/.git/info/attributes", false);
    check("w/.git/commondir", false);
    check("t/x", true);
    check("elsewhere", false);
    let blank = |path: &str| disk.layout().at(&disk.top.join(path)).and_then(|place| place.blank);
    assert_eq!(blank("w/.vscode"), Some(Blank::Folder));
    assert_eq!(blank("w/.git/commondir"), Some(Blank::File(".\n")));
    assert_eq!(blank("w/.git/info"), Some(Blank::Folder));
    assert_eq!(blank("w/.npmrc"), None);
}

#[test]
fn repositories_further_down_are_found() {
    let disk = disk(&[
        "w/a/b/c/.git/hooks/",
        "w/a/b/c/.git/config",
        "w/x/.envrc",
        "w/node_modules/p/.npmrc",
        "w/1/2/3/4/.npmrc",
        "w/.git/modules/sub/hooks/",
        "w/.git/modules/sub/HEAD",
        "w/.git/worktrees/other/HEAD",
    ]);
    let check = |path: &str, expect: bool| assert_eq!(disk.may_write(path), expect, "{path}");
    check("w/a/b/c/.git/hooks/x", false);
    check("w/a/b/c/.git/index", true);
    check("w/x/.envrc", false);
    check("w/node_modules/p/.npmrc", true);
    check("w/1/2/3/4/.npmrc", true);
    check("w/.git/modules/sub/hooks/x", false);
    check("w/.git/modules/sub/config", false);
    check("w/.git/modules/sub/index", true);
    check("w/.git/worktrees/other/commondir", false);
    let layout = disk.layout();
    for anchor in ["w/a", "w/a/b", "w/a/b/c", "w/a/b/c/.git", "w/x", "w/.git/modules/sub"] {
        assert!(layout.at(&disk.top.join(anchor)).is_some(), "{anchor} can be moved away");
    }
}

#[test]
fn a_guarded_link_is_held_and_so_is_what_it_leads_to() {
    let disk = disk(&["w/shared/vscode/", "w/README", "outside/"]);
    symlink("shared/vscode", disk.top.join("w/.vscode")).unwrap();
    symlink("../outside", disk.top.join("w/.idea")).unwrap();
    let check = |path: &str, expect: bool| assert_eq!(disk.may_write(path), expect, "{path}");
    check("w/shared/vscode/tasks.json", false);
    check("w/shared/other", true);
    check("w/.vscode", false);
    check("w/README", true);
    check("w/new", false);
    check("outside/x", false);
}

#[test]
fn roots_are_what_they_lead_to() {
    let mut disk = disk(&["real/"]);
    symlink("real", disk.top.join("link")).unwrap();
    disk.confinement.roots = vec![disk.top.join("link")];
    assert!(disk.may_write("real/x") && !disk.may_write("w/x"));
    disk.confinement.roots = vec![PathBuf::from("/")];
    assert!(survey(&disk.confinement, true).is_err());
    disk.confinement.roots = vec![disk.top.join("none")];
    assert!(survey(&disk.confinement, true).is_err());
}

#[test]
fn a_temporary_folder_that_others_may_enter_is_refused() {
    let disk = disk(&[]);
    fs::set_permissions(&disk.confinement.temp, fs::Permissions::from_mode(0o755)).unwrap();
    let error = survey(&disk.confinement, true).unwrap_err();
    assert!(error.contains("only we may enter"), "{error}");
}

#[test]
fn what_is_denied_beats_what_is_allowed() {
    let mut disk = disk(&["w/a/b", "w/secret/x", "w/.env", "more/x"]);
    let at = |path: &str| disk.top.join(path);
    disk.confinement.allow_write = vec![at("more"), at("none")];
    disk.confinement.deny_write = vec![at("w/a"), at("w/new/deep"), at("elsewhere/x")];
    disk.confinement.deny_read = vec![at("w/secret"), at("w/.env"), at("none")];
    let check = |path: &str, expect: bool| assert_eq!(disk.may_write(path), expect, "{path}");
    check("more/x", true);
    check("w/a/b", false);
    check("w/new", false);
    check("w/other", true);
    check("w/.env", false);
    let layout = disk.layout();
    assert!(!layout.may_read(&disk.top.join("w/secret/x")));
    assert!(!layout.may_read(&disk.top.join("w/.env")));
}

#[test]
fn what_is_shown_lies_open_in_what_is_hidden() {
    let mut disk = disk(&["home/key", "home/plugins/a/run.sh", "home/data/x", "home/file", "w/x"]);
    let at = |path: &str| disk.top.join(path);
    disk.confinement.deny_read = vec![at("home")];
    let shown =
        [("home/plugins/a", false), ("home/data", true), ("none", true), ("home/file", true)];
    disk.confinement.shown = shown.map(|(path, writable)| (at(path), writable)).to_vec();
    let layout = disk.layout();
    let check = |path: &str, read: bool, write: bool| {
        let path = disk.top.join(path);
        assert_eq!((layout.may_read(&path), layout.may_write(&path)), (read, write), "{path:?}");
    };
    check("home/key", false, false);
    check("home/plugins/b", false, false);
    check("home/plugins/a/run.sh", true, false);
    check("home/data/x", true, true);
    check("home/file", false, false);
    check("w/x", true, true);
    // What only looks writes nothing, there either.
    disk.confinement.disk = crate::sandbox::Disk::Closed;
    let layout = disk.layout();
    let data = disk.top.join("home/data/x");
    assert!(layout.may_read(&data) && !layout.may_write(&data));
}

/// `main` is the repository and `w` a work tree of it.
fn with_work_tree() -> Disk {
    let disk = disk(&[
        "main/.git/objects/",
        "main/.git/refs/",
        "main/.git/logs/",
        "main/.git/hooks/",
        "main/.git/config",
        "main/.git/worktrees/w/HEAD",
        "main/src",
    ]);
    let own = disk.top.join("main/.git/worktrees/w");
    disk.write("w/.git", &format!("gitdir: {}\n", own.display()));
    disk.write("main/.git/worktrees/w/commondir", "../..\n");
    let back = disk.top.join("w/.git").display().to_string();
    disk.write("main/.git/worktrees/w/gitdir", &back);
    disk
}

#[test]
fn a_work_tree_may_commit_and_no_more() {
    let disk = with_work_tree();
    let check = |path: &str, expect: bool| assert_eq!(disk.may_write(path), expect, "{path}");
    check("w/src", true);
    check("w/.git", false);
    check("main/.git/worktrees/w/index.lock", true);
    check("main/.git/worktrees/w/commondir", false);
    check("main/.git/worktrees/w/gitdir", false);
    check("main/.git/worktrees/w/config.worktree", false);
    check("main/.git/objects/aa", true);
    check("main/.git/refs/heads/x", true);
    check("main/.git/logs/x", true);
    check("main/.git/hooks/x", false);
    check("main/.git/config", false);
    check("main/.git/packed-refs", false);
    check("main/src", false);
}

#[test]
fn a_repository_that_does_not_know_the_work_tree_is_not_opened() {
    let disk = with_work_tree();
    disk.write("main/.git/worktrees/w/gitdir", "/somewhere/else/.git");
    assert!(!disk.may_write("main/.git/worktrees/w/index.lock"));
    assert!(!disk.may_write("main/.git/objects/aa"));
}

#[test]
fn work_trees_of_our_own_are_worked_in() {
    let disk = disk(&[
        "w/.claude/settings.json",
        "w/.claude/worktrees/a/src/x",
        "w/.claude/worktrees/a/.npmrc",
    ]);
    assert!(!disk.may_write("w/.claude/settings.json"));
    assert!(!disk.may_write("w/.claude/new"));
    assert!(disk.may_write("w/.claude/worktrees/a/src/x"));
    assert!(!disk.may_write("w/.claude/worktrees/a/.npmrc"));
}

#[test]
fn what_stood_in_for_a_missing_name_is_still_missing() {
    let disk = disk(&[]);
    let held = stubs::Stub::hold(&disk.top.join("w/.vscode"), Blank::Folder).unwrap();
    let layout = disk.layout();
    let place = layout.at(&disk.top.join("w/.vscode")).unwrap();
    assert_eq!(place.blank, Some(Blank::Folder));
    drop(held);
}

#[test]
fn who_stays_writes_what_is_there_and_makes_nothing_new_at_the_top() {
    let mut disk =
        disk(&["w/src/a.rs", "w/b", "w/.git/config", "w/.vscode/x", "w/src/.git/config"]);
    disk.confinement.disk = crate::sandbox::Disk::Entries;
    let (layout, before) = survey(&disk.confinement, true).unwrap();
    let check = |path: &str, expect: bool| {
        assert_eq!(layout.may_write(&disk.top.join(path)), expect, "{path}");
    };
    check("w/src/a.rs", true);
    check("w/src/new", true);
    check("w/b", true);
    check("t/x", true);
    for path in ["w/new", "w/.mcp.json", "w/.envrc", "w/.git/config", "w/.git/HEAD", "w/.vscode/x"]
    {
        check(path, false);
    }
    check("w/src/.git/config", false);
    assert!(layout.places().all(|(_, place)| place.blank.is_none()), "nothing stands in");
    assert!(before.is_none());
}
