//! A home and a project, looked at.

#![expect(clippy::disallowed_methods, reason = "the test makes the disk that is looked at")]

use std::os::unix::fs::symlink;

use super::*;

fn own(paths: &[&str]) -> (tempfile::TempDir, PathBuf, Own) {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    for path in ["h/", "w/"].iter().chain(paths) {
        let full = top.join(path);
        fs::create_dir_all(if path.ends_with('/') { &full } else { full.parent().unwrap() })
            .unwrap();
        if !path.ends_with('/') {
            fs::write(full, "").unwrap();
        }
    }
    let own = Own {
        sandbox: Arc::new(Sandbox::none(String::new())),
        home: Some(top.join("h")),
        roots: vec![top.join("w")],
        locked: vec![top.join("state")],
        open: vec![top.join("state/data")],
        hidden: vec![top.join("state/keys")],
    };
    (folder, top, own)
}

#[test]
fn what_others_obey_stays_and_the_rest_is_open() {
    let (_folder, top, own) = own(&[
        "h/.bashrc",
        "h/.ssh/config",
        "h/.config/git/config",
        "h/.config/app/x",
        "h/.aws/config",
        "h/.aws/sso/cache/x",
        "h/.claude/settings.json",
        "h/.claude/projects/x",
        "h/code/other/.git/config",
        "w/.git/config",
        "w/.git/hooks/x",
        "w/src/a",
        "w/.mcp.json",
        "w/sub/.git/config",
        "state/data/x",
        "state/settings.json",
        "state/keys",
    ]);
    let layout = own.survey(true);
    let check = |path: &str, expect: bool| {
        assert_eq!(layout.may_write(&top.join(path)), expect, "{path}");
    };
    for path in ["h/x", "h/.npm/x", "h/.config/app/x", "h/.aws/sso/cache/x", "elsewhere"] {
        check(path, true);
    }
    for path in ["h/.claude/projects/x", "h/code/other/.git/config", "w/src/a", "w/.git/HEAD"] {
        check(path, true);
    }
    for path in ["h/.bashrc", "h/.ssh/config", "h/.ssh/new", "h/.config/git/config"] {
        check(path, false);
    }
    for path in ["h/.aws/config", "h/.claude/settings.json", "w/.git/config", "w/.git/hooks/new"] {
        check(path, false);
    }
    for path in ["w/.mcp.json", "w/sub/.git/config", "state/settings.json", "state/new"] {
        check(path, false);
    }
    check("state/data/x", true);
    assert!(!layout.may_read(&top.join("state/keys")));
    assert!(layout.places().all(|(_, place)| place.blank.is_none()), "nothing stands in for names");
    assert!(layout.at(&top.join("h/.config")).is_some(), "which cannot be moved away");
}

#[test]
fn what_a_link_leads_to_stays() {
    let (_folder, top, own) = own(&["h/dotfiles/bashrc", "h/dotfiles/other"]);
    symlink("dotfiles/bashrc", top.join("h/.bashrc")).unwrap();
    symlink("/nowhere/at/all", top.join("h/.zshrc")).unwrap();
    let layout = own.survey(true);
    assert!(!layout.may_write(&top.join("h/dotfiles/bashrc")));
    assert!(layout.may_write(&top.join("h/dotfiles/other")));
    assert!(layout.may_write(&top.join("h/new")));
}

#[test]
fn a_session_in_the_home_looks_at_the_home_only() {
    let (_folder, top, mut own) = own(&["h/.bashrc", "h/a/b/.git/config"]);
    own.roots = vec![top.join("h"), PathBuf::from("/"), top.join("missing")];
    let layout = own.survey(false);
    assert!(!layout.may_write(&top.join("h/.bashrc")));
    assert!(layout.may_write(&top.join("h/a/b/.git/config")));
}
