//! Texts in, texts out; and files with links, modes and many writers.

#![expect(clippy::disallowed_methods, reason = "the tests make the files that are written")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

fn rule(text: &str) -> Rule {
    text.parse().unwrap()
}

/// A user's file with this text, in a fresh folder.
fn file(text: &str) -> (tempfile::TempDir, Target) {
    let temp = tempfile::tempdir().unwrap();
    let target = Target::user(temp.path().canonicalize().unwrap().join("settings.json"));
    fs::write(&target.file, text).unwrap();
    (temp, target)
}

#[track_caller]
fn check(before: &str, how: impl FnOnce(&Target) -> Result<Written, EditError>, after: &str) {
    let (_temp, target) = file(before);
    let written = how(&target).unwrap();
    let text = fs::read_to_string(&target.file).unwrap();
    assert_eq!(text, after, "\n{text}");
    assert_eq!(written.changed, before != after);
    assert_eq!(written.stamp, files::stamp(&target.file));
}

#[track_caller]
fn refuse(before: &str, how: impl FnOnce(&Target) -> Result<Written, EditError>, why: &str) {
    let (_temp, target) = file(before);
    let error = how(&target).unwrap_err().to_string();
    let folder = format!("{}/", target.file.parent().unwrap().display());
    assert_eq!(error.replace(&folder, ""), why);
    assert_eq!(fs::read_to_string(&target.file).unwrap(), before);
}

const COMMENTED: &str = r#"// mine
{
  // what may run
  "permissions": {
    "allow": [
      "Bash(ls *)", // looking
      "Read"
    ]
  },
  "model": "m" /* the good one */
}
"#;

#[test]
fn rules_are_added_and_taken_out_and_comments_stay() {
    let ls = || rule("Bash(ls *)");
    check(
        COMMENTED,
        |target| add_rule(target, Behavior::Allow, &rule("Edit(src/**)")),
        &COMMENTED.replace("\"Read\"\n", "\"Read\",\n      \"Edit(src/**)\"\n"),
    );
    check(COMMENTED, |target| add_rule(target, Behavior::Allow, &ls()), COMMENTED);
    check(
        COMMENTED,
        |target| remove_rule(target, Behavior::Allow, &rule("Read")),
        &COMMENTED.replace(", // looking\n      \"Read\"\n", " // looking\n"),
    );
    check(COMMENTED, |target| remove_rule(target, Behavior::Deny, &ls()), COMMENTED);
    check("{}", |target| remove_rule(target, Behavior::Deny, &ls()), "{}");
    check(
        "{}\n",
        |target| add_rule(target, Behavior::Deny, &ls()),
        "{\n  \"permissions\": {\n    \"deny\": [\"Bash(ls *)\"]\n  }\n}\n",
    );
}

#[test]
fn values_are_set_and_taken_out() {
    let text = |value: &str| Value::from(value);
    check(
        COMMENTED,
        |target| set_value(target, "model", &text("n")),
        &COMMENTED.replace("\"m\"", "\"n\""),
    );
    check(COMMENTED, |target| set_value(target, "model", &text("m")), COMMENTED);
    check(
        "{\r\n  \"a\": 1\r\n}\r\n",
        |target| set_value(target, "permissions.defaultMode", &text("plan")),
        "{\r\n  \"a\": 1,\r\n  \"permissions\": {\r\n    \"defaultMode\": \"plan\"\r\n  }\r\n}\r\n",
    );
    check("\u{feff}{\"model\": \"m\"}", |target| remove_value(target, "model"), "\u{feff}{}");
    check("{}", |target| remove_value(target, "a.b.c"), "{}");
    check(
        "{\"model\": \"m\",}",
        |target| set_value(target, "maxTurns", &Value::from(3)),
        "{\n  \"model\": \"m\",\n  \"maxTurns\": 3,\n}",
    );
}

#[test]
fn what_is_not_understood_is_not_written() {
    let text = |value: &str| Value::from(value);
    refuse(
        "{ \"a\": ",
        |target| set_value(target, "model", &text("m")),
        "settings.json is not valid JSON (line 1: expected value after colon in object property), so it is not written; mend it first.",
    );
    refuse(
        "[]",
        |target| set_value(target, "model", &text("m")),
        "settings.json is not an object in braces, so it is not written; mend it first.",
    );
    refuse(
        "{}",
        |target| set_value(target, "model", &Value::from(1)),
        "`model` must be the name of a model in quotes, but it is a number; write it as one.",
    );
    refuse(
        "{}",
        |target| set_value(target, "modle", &text("m")),
        "There is no key `modle`, so it is ignored; write `model`.",
    );
    refuse(
        "{\"permissions\": []}",
        |target| add_rule(target, Behavior::Ask, &rule("Bash")),
        "`permissions` is not an object, so nothing can be put into it; remove it first.",
    );
    refuse(
        "{\"permissions\": {\"ask\": 1}}",
        |target| add_rule(target, Behavior::Ask, &rule("Bash")),
        "`permissions.ask` is not a list, so nothing can be added; mend it first.",
    );
    refuse(
        "{\"model\": \"a\", \"model\": \"b\"}",
        |target| set_value(target, "model", &text("c")),
        "The key `model` is there twice; keep one of them.",
    );
    for key in ["", ".", "a..b", "permissions.allow[0]"] {
        let (_temp, target) = file("{}");
        assert!(set_value(&target, key, &text("x")).is_err(), "{key}");
    }
}

#[test]
fn files_and_folders_are_made_with_their_modes_and_keep_them() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let locations =
        Locations { bowline_home: base.join("b/home"), home: None, managed: base.join("etc") };
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let cwd = base.join("work");
    fs::create_dir(&cwd).unwrap();
    for (scope, expect) in [(Scope::User, 0o600), (Scope::Project, 0o644), (Scope::Local, 0o644)] {
        let target = Target::new(scope, &locations, &cwd);
        assert!(add_rule(&target, Behavior::Allow, &rule("Read(x)")).unwrap().changed);
        assert_eq!(mode(&target.file), expect, "{scope:?}");
        fs::set_permissions(&target.file, PermissionsExt::from_mode(0o640)).unwrap();
        add_rule(&target, Behavior::Allow, &rule("Read(y)")).unwrap();
        assert_eq!(mode(&target.file), 0o640, "{scope:?}");
        let folder = target.file.parent().unwrap();
        assert_eq!(
            fs::read_dir(folder)
                .unwrap()
                .filter(|each| each.as_ref().unwrap().path().is_file())
                .count(),
            if scope == Scope::Local { 2 } else { 1 },
            "nothing is left behind"
        );
    }
    assert_eq!(mode(&locations.bowline_home), 0o700);
    // Taking something out makes nothing.
    let empty = Target::new(Scope::Local, &locations, &base);
    assert!(!remove_value(&empty, "model").unwrap().changed);
    assert!(!remove_rule(&empty, Behavior::Ask, &rule("Bash")).unwrap().changed);
    assert!(!base.join(".bowline").exists());
}

#[test]
fn links_are_followed_but_not_out_of_a_project() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let real = base.join("dotfiles.json");
    fs::write(&real, "{}").unwrap();
    symlink("dotfiles.json", base.join("settings.json")).unwrap();
    let target = Target::user(base.join("settings.json"));
    let written = add_rule(&target, Behavior::Ask, &rule("Bash")).unwrap();
    assert!(target.file.is_symlink() && written.file == real);
    assert!(fs::read_to_string(&real).unwrap().contains("Bash"));

    fs::remove_file(&real).unwrap();
    let error = add_rule(&target, Behavior::Ask, &rule("Bash")).unwrap_err();
    assert!(matches!(error, EditError::Nowhere { .. }), "{error}");

    // A project whose file, or whose folder, leads to the user's own settings.
    let locations =
        Locations { bowline_home: base.join("home"), home: None, managed: base.join("etc") };
    let own = Target::new(Scope::User, &locations, &base);
    add_rule(&own, Behavior::Ask, &rule("Bash")).unwrap();
    let text = fs::read_to_string(&own.file).unwrap();
    for (number, link) in [".bowline/settings.local.json", ".bowline"].iter().enumerate() {
        let cwd = base.join(format!("work{number}"));
        fs::create_dir_all(cwd.join(link).parent().unwrap()).unwrap();
        let to = if number == 0 { own.file.clone() } else { locations.bowline_home.clone() };
        symlink(to, cwd.join(link)).unwrap();
        let target = Target::new(Scope::Local, &locations, &cwd);
        let error = add_rule(&target, Behavior::Allow, &rule("Read(x)")).unwrap_err();
        assert!(matches!(error, EditError::Outside { .. }), "{error}");
    }
    assert_eq!(fs::read_to_string(&own.file).unwrap(), text);
}

#[test]
fn a_project_is_not_given_what_it_may_not_say() {
    let temp = tempfile::tempdir().unwrap();
    let base = temp.path().canonicalize().unwrap();
    let locations =
        Locations { bowline_home: base.join("home"), home: None, managed: base.join("etc") };
    let target = Target::new(Scope::Local, &locations, &base);
    for (key, value) in [
        ("sandbox.enabled", Value::from(false)),
        ("permissions.defaultMode", Value::from("bypassPermissions")),
        ("apiKeyHelper", Value::from("print-key")),
    ] {
        let error = set_value(&target, key, &value).unwrap_err().to_string();
        assert!(error.starts_with("A project cannot"), "{error}");
        set_value(&Target::new(Scope::User, &locations, &base), key, &value).unwrap();
    }
    assert!(!target.file.exists());
}

#[test]
fn fifty_writers_lose_nothing() {
    let (_temp, target) = file("{ // mine\n}");
    let writers: Vec<_> = (0..50)
        .map(|number| {
            let target = target.clone();
            std::thread::spawn(move || {
                add_rule(&target, Behavior::Allow, &rule(&format!("Read(f{number})"))).unwrap();
                // Whoever reads meanwhile sees a whole file.
                let text = fs::read_to_string(&target.file).unwrap();
                assert_eq!(settings::problems_of(&text, false), [""; 0]);
            })
        })
        .collect();
    writers.into_iter().for_each(|writer| writer.join().unwrap());
    let text = fs::read_to_string(&target.file).unwrap();
    assert!((0..50).all(|number| text.contains(&format!("\"Read(f{number})\""))), "{text}");
    assert!(text.starts_with("{ // mine"));
}

mod property;
