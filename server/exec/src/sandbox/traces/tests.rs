//! What is found after a command, on a real disk.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::sandbox::layout::Access;

struct Disk {
    top: PathBuf,
    layout: Layout,
    _folder: tempfile::TempDir,
}

impl Disk {
    fn new(paths: &[(&str, &str)]) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let mut layout = Layout::default();
        layout.mounts = true;
        layout.set(top.join("w"), Access::Write);
        let disk = Disk { top, layout, _folder: folder };
        disk.write(&[("w/src/a", "")]);
        disk.write(paths);
        disk
    }

    fn write(&self, paths: &[(&str, &str)]) {
        for (path, text) in paths {
            let path = self.top.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, text).unwrap();
            if path.parent().unwrap().ends_with("hooks") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
    }

    /// As a survey would say it.
    fn before(&self, known: &[&str]) -> Before {
        // What was there is older than any tick.
        std::thread::sleep(2 * TICK);
        let mut before = Before::now(&self.top.join("aside"));
        before.known = known.iter().map(|path| self.top.join(path)).collect();
        before.looked_through(&self.top.join("w"), true);
        before
    }

    /// What is told: `-` for what was moved, `!` for what was left.
    fn clear(&self, before: &Before) -> Vec<String> {
        let told = clear(before, &self.layout).into_iter().map(|denial| match denial {
            Denial::Obeyed { path, why, aside } => {
                assert_eq!(aside.is_none(), path.symlink_metadata().is_ok(), "{path:?}");
                assert!(aside.as_ref().is_none_or(|aside| aside.symlink_metadata().is_ok()));
                let path = path.strip_prefix(self.top.join("w")).unwrap().display().to_string();
                format!("{}{path} {why}", if aside.is_some() { '-' } else { '!' })
            }
            other => panic!("{other:?}"),
        });
        let mut told: Vec<String> = told.collect();
        told.sort();
        told
    }
}

const PLAIN: &str = "[core]\n\tbare = false\n";
const EVIL: &str = "[core]\n\tfsmonitor = ./x\n";

#[test]
fn new_names_are_moved_and_old_ones_stay() {
    let disk = Disk::new(&[("w/.npmrc", "old"), ("w/a/b/c/d/e/.envrc", "old")]);
    let before = disk.before(&["w/.npmrc"]);
    disk.write(&[
        ("w/.npmrc", "new"),
        ("w/.yarnrc.yml", ""),
        ("w/src/.vscode/tasks.json", "{}"),
        ("w/a/b/c/d/e/f/.npmrc", ""),
        ("w/src/npmrc", ""),
        ("w/node_modules/x/.npmrc", ""),
    ]);
    symlink("/etc", disk.top.join("w/.idea")).unwrap();
    let told = disk.clear(&before);
    assert_eq!(told, ["-.idea ", "-.yarnrc.yml ", "-a/b/c/d/e/f/.npmrc ", "-src/.vscode "]);
    assert_eq!(disk.clear(&before), [""; 0], "moved once");
}

#[test]
fn what_lies_deeper_than_the_walls_is_told_when_it_changed() {
    let disk = Disk::new(&[("w/a/b/c/d/e/.envrc", "old"), ("w/a/b/c/d/e/x", "")]);
    let before = disk.before(&[]);
    disk.write(&[("w/a/b/c/d/e/.envrc", "new")]);
    let told = disk.clear(&before);
    assert!(told == ["!a/b/c/d/e/.envrc "] || told == ["-a/b/c/d/e/.envrc "], "{told:?}");
}

#[test]
fn repositories_keep_all_but_what_runs() {
    let disk = Disk::new(&[("w/old/.git/config", EVIL), ("w/old/.git/hooks/x", "")]);
    let before = disk.before(&["w/old/.git"]);
    disk.write(&[
        ("w/plain/.git/config", PLAIN),
        ("w/plain/.git/hooks/pre-commit.sample", ""),
        ("w/evil/.git/config", EVIL),
        ("w/evil/.git/HEAD", ""),
        ("w/evil/.git/hooks/pre-commit", ""),
        ("w/evil/.git/modules/a/b/HEAD", ""),
        ("w/evil/.git/modules/a/b/config", EVIL),
        ("w/node_modules/@s/p/.git/config", EVIL),
        ("w/bare/HEAD", ""),
        ("w/bare/refs/x", ""),
        ("w/bare/objects/x", ""),
        ("w/bare/config", EVIL),
        ("w/elsewhere/config", EVIL),
        ("w/linked/.git", "gitdir: ../elsewhere\n"),
    ]);
    assert_eq!(
        disk.clear(&before),
        [
            "-bare/config core.fsmonitor",
            "-elsewhere/config core.fsmonitor",
            "-evil/.git/config core.fsmonitor",
            "-evil/.git/hooks/pre-commit a hook",
            "-evil/.git/modules/a/b/config core.fsmonitor",
            "-node_modules/@s/p/.git/config core.fsmonitor",
        ]
    );
    assert!(disk.top.join("w/evil/.git/HEAD").exists());
}

#[test]
fn a_fresh_clone_keeps_what_it_brought_and_that_is_told() {
    let disk = Disk::new(&[]);
    let before = disk.before(&[]);
    disk.write(&[
        ("w/clone/.git/config", PLAIN),
        ("w/clone/.gitmodules", ""),
        ("w/clone/a/.npmrc", ""),
    ]);
    disk.write(&[("w/src/.git/config", PLAIN), ("w/src/.npmrc", "")]);
    let told = disk.clear(&before);
    // A folder that was there is no clone.
    assert_eq!(told, ["!clone/.gitmodules ", "!clone/a/.npmrc ", "-src/.npmrc "]);
}
