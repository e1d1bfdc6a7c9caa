//! Where settings come from: the administrator's parts, the command line, and what is left out.

use super::*;

#[test]
fn the_administrators_parts_are_stronger_the_later_their_name() {
    let model =
        |name: &str| format!(r#"{{"model": "{name}", "permissions": {{"deny": ["{name}"]}}}}"#);
    check(
        &[
            ("etc/bowline/managed-settings.json", &model("Base")),
            ("etc/bowline/managed-settings.d/10-a.json", &model("Ten")),
            ("etc/bowline/managed-settings.d/20-b.json", &model("Twenty")),
            ("etc/bowline/managed-settings.d/.hidden.json", "{ broken"),
            ("etc/bowline/managed-settings.d/readme.txt", "{ broken"),
            ("etc/claude-code/managed-settings.d/x.json", &model("Other")),
        ],
        &[
            "Deny Twenty (Managed)",
            "Deny Ten (Managed)",
            "Deny Base (Managed)",
            "Deny Other (Managed)",
            "model Twenty",
        ],
    );
}

#[test]
fn the_command_line_is_weaker_than_the_administrator_only() {
    let machine = Machine::new(&[
        (MANAGED, r#"{"maxTurns": 1}"#),
        ("work/mine.json", r#"{"maxTurns": 2, "model": "file", "env": {"A": "1"}}"#),
        (LOCAL, r#"{"model": "local", "fastModel": "local"}"#),
    ]);
    let show = |settings: &str| {
        let given = Given::new(Some(settings), None, &machine.path("work")).unwrap();
        let work = machine.path("work");
        machine.show(&load(&machine.locations(), &work, &Standing::vouched(), &given))
    };
    assert_eq!(show("mine.json"), "model file\nmaxTurns 1\nfastModel local\nenv A=1");
    assert_eq!(show(r#" {"model": "text"}"#), "model text\nmaxTurns 1\nfastModel local");
    assert_eq!(
        show(r#"{"model": 1}"#),
        "model local\nmaxTurns 1\nfastModel local\n! --settings:1:11: `model` must be the name of \
         a model in quotes, but it is a number; write it as one."
    );
    let refused = |settings: &str| Given::new(Some(settings), None, Path::new("/")).unwrap_err();
    assert_eq!(
        refused("nowhere\u{1b}.json"),
        "--settings: There is no file nowhere\\u{1b}.json; name one, or write JSON in braces."
    );
    assert!(refused(&format!("{{{}", " ".repeat(2 * 1024 * 1024))).contains("2 MiB"));
}

#[test]
fn sources_can_be_left_out() {
    let machine = Machine::new(&[
        (MANAGED, r#"{"model": "managed"}"#),
        (LOCAL, r#"{"fastModel": "local"}"#),
        (PROJECT, r#"{"maxTurns": 3}"#),
        (USER, r#"{"env": {"A": "1"}}"#),
    ]);
    let check = |sources: Option<&str>, expect: &str| {
        let given = Given::new(None, sources, Path::new("/")).unwrap();
        let work = machine.path("work");
        let settings = load(&machine.locations(), &work, &Standing::vouched(), &given);
        assert_eq!(machine.show(&settings).replace('\n', ", "), expect, "{sources:?}");
    };
    check(None, "model managed, maxTurns 3, fastModel local, env A=1");
    check(Some(""), "model managed");
    check(Some("user"), "model managed, env A=1");
    check(Some("project, local"), "model managed, maxTurns 3, fastModel local");
    let error = Given::new(None, Some("user,projects"), Path::new("/")).unwrap_err();
    assert_eq!(
        error,
        "--setting-sources: There is no source `projects`; use user, project and local."
    );
}

#[test]
fn keys_of_others_are_known_by_their_shape() {
    check(
        &[(
            USER,
            r#"{"theme": "dark", "cleanupPeriodDays": 30, "statusLine": {"type": "command"},
                "sandbox": {"ripgrep": {}, "network": {"httpProxyPort": 1}}, "someone": {"else": 1},
                "worktree": {"anything": true}, "editorMode": "vim"}"#,
        )],
        &[],
    );
    check(
        &[(
            USER,
            "{\"theme\": 1,\n\"cleanupPeriodDays\": \"30\",\n\"statusLine\": \"x\",\n\
             \"editorMode\": \"vi\",\n\"clenupPeriodDays\": 1,\n\"companyAnnouncements\": [1]}",
        )],
        &[
            "! bowline/settings.json:1:11: `theme` must be a string in quotes, but it is a number; write it as one.",
            "! bowline/settings.json:2:22: `cleanupPeriodDays` must be a number, but it is a string; write it as one.",
            "! bowline/settings.json:3:15: `statusLine` must be an object, but it is a string; write it as one.",
            "! bowline/settings.json:4:15: `editorMode` cannot be `vi` (did you mean `vim`?); write one of normal, vim.",
            "! bowline/settings.json:5:1: There is no key `clenupPeriodDays`, so it is ignored; write `cleanupPeriodDays`.",
            "! bowline/settings.json:6:26: `companyAnnouncements` must be a list of nothing but strings, but it is a number; write it as one.",
        ],
    );
}

#[test]
fn a_key_that_is_there_twice_is_broken() {
    let text = r#"{"permissions": {"allow": ["Edit"], "deny": ["Bash"], "deny": []}}"#;
    check(
        &[(USER, text)],
        &[
            "Deny Bash (User)",
            &format!("! {USER}:1:55: The key `deny` is there twice; keep one of them, {UNTIL}."),
        ],
    );
}

#[test]
fn a_dotted_name_is_not_a_path() {
    let nested = "must be written as objects in each other";
    check(
        &[(USER, r#"{"permissions.deny": ["Bash"], "permissions.allow": ["Edit"]}"#)],
        &[
            &format!("! {USER}:1:2: `permissions.deny` {nested}, {UNTIL}."),
            &format!("! {USER}:1:32: `permissions.allow` {nested}."),
        ],
    );
    let settings =
        Machine::new(&[(PROJECT, r#"{"sandbox.enabled": false}"#)]).load_in("work", true);
    assert_eq!((settings.sandbox.enabled, settings.problems.len()), (None, 1));
}
