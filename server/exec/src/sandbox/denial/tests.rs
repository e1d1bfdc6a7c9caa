//! Messages of real programs.

use policy::pinned::Blank;

use super::*;
use crate::sandbox::layout::Access;

fn layout() -> Layout {
    let mut layout = Layout::default();
    layout.lend("/tmp", "/t");
    layout.set("/t", Access::Write);
    layout.set("/w", Access::Write);
    layout.set("/w/.git/hooks", Access::Read);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    layout.set("/w/.env", Access::HiddenFile);
    layout.anchor();
    layout
}

fn check(output: &str, expect: &[Denial]) {
    assert_eq!(paths(output, Path::new("/w/src"), &layout(), false), expect, "{output}");
}

#[test]
fn a_command_that_ended_well_may_have_been_refused_something() {
    let check = |output: &str, expect: &[Denial]| {
        assert_eq!(paths(output, Path::new("/w/src"), &layout(), true), expect, "{output}");
    };
    check("touch: cannot touch '/etc/x': Read-only file system\na b\n", &[write("/etc/x")]);
    check(
        "error: unable to unlink old '../.git/hooks/a': Read-only file system.",
        &[write("/w/.git/hooks/a")],
    );
    check("the log says '/etc/x': Read-only file system was the reason\n", &[]);
}

fn write(path: &str) -> Denial {
    Denial::Write(path.into())
}

#[test]
fn messages_name_what_was_refused() {
    check("touch: cannot touch '/etc/x': Read-only file system", &[write("/etc/x")]);
    check("bash: line 1: /usr/x: Read-only file system", &[write("/usr/x")]);
    check(
        "bash: ../.git/hooks/pre-commit: Read-only file system",
        &[write("/w/.git/hooks/pre-commit")],
    );
    check(
        "mkdir: cannot create directory ‘../.vscode/a b’: Read-only file system",
        &[write("/w/.vscode/a b")],
    );
    check("touch: cannot touch '../.vscode/x': Permission denied", &[write("/w/.vscode/x")]);
    check("mv: cannot move '../.git' to '../x': Device or resource busy", &[]);
    check("OSError: [Errno 30] Read-only file system: '/opt/lib/x.py'", &[write("/opt/lib/x.py")]);
    check(
        "Error: EROFS: read-only file system, open '/home/u/.npm/_logs/a.log'",
        &[write("/home/u/.npm/_logs/a.log")],
    );
    check("cat: ../.env: Permission denied", &[Denial::Read("/w/.env".into())]);
    check(
        "a\nerror: failed to open: /home/u/.cargo/registry/.lock\n\nCaused by:\n  Read-only file system (os error 30)",
        &[],
    );
}

#[test]
fn the_program_that_complains_is_not_what_it_complains_about() {
    check("/usr/bin/bash: line 1: /usr/x: Read-only file system", &[write("/usr/x")]);
    check("/usr/bin/python3: can't open file /opt/a b: Read-only file system", &[write("/opt/a")]);
}

#[test]
fn what_the_walls_allow_is_not_blamed_on_them() {
    check("touch: cannot touch '/w/x': Permission denied", &[]);
    check("cat: /etc/shadow: Permission denied", &[]);
    check("touch: cannot touch '/etc/x'", &[]);
    check("touch: cannot touch 'x.txt': Read-only file system", &[]);
    check("/etc/passwd was read without any trouble", &[]);
    check("https://example.com/x: Permission denied", &[]);
    check("", &[]);
}

#[test]
fn without_mounts_a_refusal_looks_like_any_other() {
    let mut layout = Layout::default();
    layout.set("/w", Access::Write);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    let check = |output: &str, expect: &[Denial]| {
        assert_eq!(paths(output, Path::new("/w"), &layout, false), expect, "{output}");
    };
    check("touch: cannot touch '/etc/x': Permission denied", &[write("/etc/x")]);
    check("touch: cannot touch './new': Permission denied", &[write("/w/new")]);
    check("touch: cannot touch 'src/new': Permission denied", &[]);
}

#[test]
fn a_flood_is_bounded() {
    let flood: String = (0..10_000)
        .map(|n| format!("touch: cannot touch '/etc/{n}': Read-only file system\n"))
        .collect();
    assert_eq!(paths(&flood, Path::new("/w"), &layout(), false).len(), MOST);
    check(&format!("'/etc/x': Read-only file system{}", "x".repeat(3_000)), &[]);
}

#[test]
fn a_missing_socket_is_told_by_what_programs_say() {
    let check = |output: &str, expect: bool| assert_eq!(wanted_socket(output), expect, "{output}");
    check("Could not open a connection to your authentication agent.", true);
    check("Error connecting to agent: Operation not permitted", true);
    check("dial unix /var/run/docker.sock: socket: operation not permitted", true);
    check("psql: error: could not create socket: Operation not permitted", true);
    check("Error: listen EPERM: operation not permitted /tmp/x.sock", true);
    check("rm: cannot remove 'a': Operation not permitted", false);
    check("socket hang up", false);
}
