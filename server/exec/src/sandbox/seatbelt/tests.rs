//! Profiles as text.

use expect_test::expect;
use policy::pinned::Blank;

use super::*;

fn layout() -> Layout {
    let mut layout = Layout::default();
    layout.set("/private/t", Access::Write);
    layout.set("/w", Access::Write);
    layout.set("/w/sub/.git/hooks", Access::Read);
    layout.keep_missing("/w/.vscode", Blank::Folder);
    layout.set("/w/a \"b\"\\c", Access::HiddenFile);
    layout.anchor();
    layout
}

#[test]
fn a_workspace_with_doors() {
    let profile = profile(&layout(), Reach::Doors([3128, 1080]), &Nearby::default());
    let own = profile.strip_prefix(START).unwrap();
    expect![[r#"
        (allow file-write* (subpath "/private/t"))
        (allow file-write* (subpath "/w"))
        (deny file-write* (subpath "/w/.vscode"))
        (deny file-read* file-write* (subpath "/w/a \"b\"\\c"))
        (allow file-write* (subpath "/w/sub"))
        (allow file-write* (subpath "/w/sub/.git"))
        (deny file-write* (subpath "/w/sub/.git/hooks"))
        (deny file-write-unlink (literal "/private/t"))
        (deny file-write-unlink (literal "/w"))
        (deny file-write-unlink (literal "/w/sub"))
        (deny file-write-unlink (literal "/w/sub/.git"))
        (allow network-outbound (remote ip "localhost:3128"))
        (allow network-outbound (remote ip "localhost:1080"))
    "#]]
    .assert_eq(own);
}

#[test]
fn a_program_of_the_users_own() {
    let mut layout = Layout::default();
    layout.set("/", Access::Write);
    layout.set("/h/.ssh", Access::Read);
    layout.set("/h/.bowline", Access::Read);
    layout.set("/h/.bowline/plugins/data", Access::Write);
    layout.set("/h/.bowline/credentials.json", Access::HiddenFile);
    layout.anchor();
    expect![[r#"
        (version 1)
        (allow default)
        (allow file-write* (subpath "/"))
        (allow file-write* (subpath "/h"))
        (deny file-write* (subpath "/h/.bowline"))
        (deny file-read* file-write* (subpath "/h/.bowline/credentials.json"))
        (allow file-write* (subpath "/h/.bowline/plugins/data"))
        (deny file-write* (subpath "/h/.ssh"))
        (deny file-write-unlink (literal "/"))
        (deny file-write-unlink (literal "/h"))
        (deny file-write-unlink (literal "/h/.bowline/plugins/data"))
    "#]]
    .assert_eq(&profile_of_own(&layout));
}

#[test]
fn services_and_ports_of_the_machine_need_the_users_word() {
    let own = |nearby: &Nearby| {
        let with = profile(&layout(), Reach::Nothing, nearby);
        let without = profile(&layout(), Reach::Nothing, &Nearby::default());
        with.strip_prefix(&without).unwrap().to_owned()
    };
    let these = Nearby { unix_sockets: vec!["/run/a \"b\"".into()], ..Nearby::default() };
    expect![[r#"
        (allow network-outbound (remote unix-socket (path-literal "/run/a \"b\"")))
    "#]]
    .assert_eq(&own(&these));
    let all = Nearby { all_unix_sockets: true, local_binding: true, ..these };
    expect![[r#"
        (allow system-socket (socket-domain AF_UNIX))
        (allow network-outbound (remote unix-socket))
        (allow network-bind network-inbound (local ip "localhost:*"))
    "#]]
    .assert_eq(&own(&all));
}

#[test]
fn the_network_is_closed_unless_it_is_open() {
    assert!(!profile(&layout(), Reach::Nothing, &Nearby::default()).contains("network"));
    assert!(
        profile(&layout(), Reach::Everything, &Nearby::default())
            .ends_with("(allow network* system-socket)\n")
    );
}

#[test]
fn other_programs_cannot_be_asked() {
    let profile = profile(&layout(), Reach::Everything, &Nearby::default());
    for way_out in ["appleevent", "lsopen", "launchservices", "job-creation", "pasteboard"] {
        assert!(!profile.contains(way_out), "{way_out}");
    }
    assert!(profile.starts_with("(version 1)\n(deny default)\n"));
}
