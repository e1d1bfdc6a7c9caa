//! Arguments as text.

use expect_test::{Expect, expect};
use policy::pinned::Blank;

use super::*;

const ALONE: Namespaces = Namespaces { user: true, network: true, sociable: false };

fn check(layout: &Layout, namespaces: Namespaces, expect: &Expect) {
    let arguments = arguments(layout, namespaces).unwrap();
    let text: Vec<&str> = arguments.iter().map(|word| word.to_str().unwrap()).collect();
    expect.assert_eq(&text.join(" ").replace(" --", "\n--"));
}

#[test]
fn a_workspace() {
    let mut layout = Layout::default();
    layout.set("/w", Access::Write);
    layout.set("/w/sub/.git/hooks", Access::Read);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    layout.set("/w/.env", Access::HiddenFile);
    layout.set("/h/.ssh", Access::HiddenFolder);
    layout.lend("/tmp", "/var/bowline/t");
    layout.anchor();
    check(
        &layout,
        ALONE,
        &expect![[r#"
            --unshare-pid
            --unshare-ipc
            --unshare-uts
            --unshare-cgroup-try
            --unshare-user
            --disable-userns
            --unshare-net
            --die-with-parent
            --new-session
            --clearenv
            --cap-drop ALL
            --ro-bind / /
            --dev /dev
            --proc /proc
            --tmpfs /h/.ssh
            --bind /var/bowline/t /tmp
            --bind /w /w
            --ro-bind /dev/null /w/.env
            --perms 0555
            --tmpfs /w/.vscode
            --bind /w/sub /w/sub
            --bind /w/sub/.git /w/sub/.git
            --ro-bind /w/sub/.git/hooks /w/sub/.git/hooks
            --remount-ro /h/.ssh
            --chdir /"#]],
    );
}

#[test]
fn an_open_network_and_no_user_namespace() {
    check(
        &Layout::default(),
        Namespaces { user: false, network: false, sociable: false },
        &expect![[r#"
            --unshare-pid
            --unshare-ipc
            --unshare-uts
            --unshare-cgroup-try
            --die-with-parent
            --new-session
            --clearenv
            --cap-drop ALL
            --ro-bind / /
            --dev /dev
            --proc /proc
            --chdir /"#]],
    );
}

#[test]
fn a_program_of_the_users_own() {
    let mut layout = Layout::default();
    layout.set("/", Access::Write);
    layout.set("/h/.bashrc", Access::Read);
    layout.set("/h/.config/git", Access::Read);
    layout.set("/h/keys", Access::HiddenFile);
    layout.anchor();
    check(
        &layout,
        Namespaces { user: true, network: false, sociable: true },
        &expect![[r#"
            --unshare-pid
            --unshare-user
            --die-with-parent
            --new-session
            --clearenv
            --cap-drop ALL
            --dev-bind / /
            --proc /proc
            --bind /h /h
            --ro-bind /h/.bashrc /h/.bashrc
            --bind /h/.config /h/.config
            --ro-bind /h/.config/git /h/.config/git
            --ro-bind /dev/null /h/keys
            --chdir /"#]],
    );
}

#[test]
fn many_places_fit_and_too_many_are_refused() {
    let many = |count: usize| {
        let mut layout = Layout::default();
        (0..count).for_each(|n| layout.set(format!("/w/{n}"), Access::Read));
        arguments(&layout, ALONE)
    };
    assert!(many(2_900).is_ok());
    let error = many(3_000).unwrap_err();
    assert!(error.contains("deny fewer paths"), "{error}");
}

#[test]
fn each_argument_ends_with_a_nul() {
    assert_eq!(as_file(&["--bind".into(), "/a b".into()]), b"--bind\0/a b\0");
    assert_eq!(as_file(&[]), b"");
}
