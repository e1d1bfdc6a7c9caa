//! Stubs in a folder of their own.

use super::*;

fn count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn nothing_is_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = [".vscode", "commondir"].map(|name| folder.path().join(name));
    let held =
        [Stub::hold(&one, Blank::Folder).unwrap(), Stub::hold(&two, Blank::File(".\n")).unwrap()];
    assert!(is_ours(&one) && is_ours(&two));
    assert_eq!(fs::read_to_string(&two).unwrap(), ".\n");
    drop(held);
    assert_eq!(count(folder.path()), 0);
}

#[test]
fn the_last_one_to_leave_takes_it_away() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".git");
    let first = Stub::hold(&path, Blank::Folder).unwrap();
    let second = Stub::hold(&path, Blank::Folder).unwrap();
    drop(first);
    assert!(path.is_dir());
    drop(second);
    assert_eq!(count(folder.path()), 0);
}

#[test]
fn what_somebody_put_there_is_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two] = [".vscode", "attributes"].map(|name| folder.path().join(name));
    let held =
        [Stub::hold(&one, Blank::Folder).unwrap(), Stub::hold(&two, Blank::File("")).unwrap()];
    fs::write(one.join("settings.json"), "{}").unwrap();
    fs::write(&two, "* text").unwrap();
    drop(held);
    assert_eq!(fs::read_to_string(one.join("settings.json")).unwrap(), "{}");
    assert_eq!(fs::read_to_string(&two).unwrap(), "* text");
    assert!(!is_ours(&one) && !is_ours(&two));
}

#[test]
fn one_that_a_killed_process_left_is_taken_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".idea");
    make(&path, Blank::Folder).unwrap();
    drop(Stub::hold(&path, Blank::Folder).unwrap());
    assert_eq!(count(folder.path()), 0);
}

#[test]
fn what_is_not_ours_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".husky");
    fs::create_dir(&path).unwrap();
    assert!(!is_ours(&path));
    assert!(Stub::hold(&path, Blank::Folder).is_err());
    assert!(path.is_dir());
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    assert!(!is_ours(&link));
    assert!(Stub::hold(&link, Blank::Folder).is_err());
}

#[test]
fn many_come_and_go_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".claude");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..200 {
                    let held = Stub::hold(&path, Blank::Folder).unwrap();
                    assert!(is_same(&held.file, &path), "nobody takes away what is held");
                }
            });
        }
    });
    assert_eq!(count(folder.path()), 0);
}

#[test]
fn what_a_killed_process_left_is_swept_away_and_the_rest_stays() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let path = |name: &str| root.join(name);
    fs::create_dir_all(path(".git")).unwrap();
    for name in [".vscode", ".mcp.json", ".git/info"] {
        make(&path(name), Blank::Folder).unwrap();
    }
    make(&path(".git/commondir"), Blank::File(".\n")).unwrap();
    fs::create_dir(path(".idea")).unwrap();
    make(&path(".zed"), Blank::Folder).unwrap();
    fs::write(path(".zed/tasks.json"), "[]").unwrap();
    let held = Stub::hold(&path(".husky"), Blank::Folder).unwrap();
    sweep(root);
    for name in [".vscode", ".mcp.json", ".git/info", ".git/commondir"] {
        assert!(!path(name).exists(), "{name}");
    }
    for name in [".git", ".idea", ".zed/tasks.json", ".husky"] {
        assert!(path(name).exists(), "{name}");
    }
    drop(held);
    assert!(!path(".husky").exists());
}

#[test]
fn commands_of_one_process_share_the_descriptor_of_a_stub() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(".vscode");
    let first = Stub::hold(&path, Blank::Folder).unwrap();
    let second = Stub::hold(&path, Blank::Folder).unwrap();
    assert!(Arc::ptr_eq(&first, &second));
    // What somebody made use of is not shared any further.
    fs::write(path.join("settings.json"), "{}").unwrap();
    assert!(Stub::hold(&path, Blank::Folder).is_err());
    fs::remove_file(path.join("settings.json")).unwrap();
    drop((first, second));
    assert_eq!(count(folder.path()), 0);
}
