//! Every effective value with its file and line, and what it stands in front of.

use super::*;

#[track_caller]
fn check_explained(files: &[(&str, &str)], standing: &Standing, expect: &[&str]) {
    let machine = Machine::new(files);
    let settings = load(&machine.locations(), &machine.path("work"), standing, &Given::default());
    let shorter = |origin: &Origin| {
        let file = origin.file.strip_prefix(machine.path("")).unwrap_or(&origin.file);
        format!("{}:{}", file.display(), origin.line)
    };
    let shown: Vec<_> = settings
        .explain()
        .iter()
        .map(|each| {
            let hidden = each.shadowed.iter();
            let hidden: String =
                hidden.map(|(value, origin)| format!(" < {value} {}", shorter(origin))).collect();
            format!("{} = {} {}{hidden}", each.key, each.value, shorter(&each.origin))
        })
        .collect();
    assert_eq!(shown, expect, "\n{}\n", shown.join("\n"));
}

#[test]
fn lists_add_up_and_single_values_are_shadowed() {
    check_explained(
        &[
            (MANAGED, "{\"permissions\": {\n\"deny\": [\"A\",\n\"B\"]}}"),
            (PROJECT, "{\"model\": \"p\",\n\"permissions\": {\"deny\": [\"B\", \"C\"]}}"),
            (USER, "{\"model\": \"u\", \"maxTurns\": 5, \"env\": {\n\"X\": \"1\"}}"),
            (
                "work/.lsp.json",
                "{\"a\": {\"command\": \"x\",\n\"extensionToLanguage\": {\".a\": \"a\"}}}",
            ),
        ],
        &Standing::vouched(),
        &[
            "permissions.deny[0] = \"A\" etc/bowline/managed-settings.json:2",
            "permissions.deny[1] = \"B\" etc/bowline/managed-settings.json:3 < \"B\" work/.bowline/settings.json:2",
            "model = \"p\" work/.bowline/settings.json:1 < \"u\" bowline/settings.json:1",
            "permissions.deny[2] = \"C\" work/.bowline/settings.json:2",
            "languageServers.a.command = \"x\" work/.lsp.json:1",
            "languageServers.a.extensionToLanguage.\".a\" = \"a\" work/.lsp.json:2",
            "maxTurns = 5 bowline/settings.json:1",
            "env.X = \"1\" bowline/settings.json:2",
        ],
    );
}

#[test]
fn what_does_not_count_is_not_explained() {
    // Refused from a project.
    check_explained(
        &[(
            PROJECT,
            r#"{"env": {"A": "1"}, "sandbox": {"enabled": false, "excludedCommands": ["x"],
                "filesystem": {"allowWrite": ["//x"]}},
                "permissions": {"defaultMode": "auto", "allow": ["Bash", "Edit"]}}"#,
        )],
        &Standing::vouched(),
        &["permissions.allow[0] = \"Edit\" work/.bowline/settings.json:3"],
    );
    // Broken: what it allows is gone, here and elsewhere what is loose.
    check_explained(
        &[
            (USER, r#"{"permissions": {"allow": ["Edit"], "deny": ["A", 1]}}"#),
            (PROJECT, r#"{"permissions": {"defaultMode": "acceptEdits"}}"#),
        ],
        &Standing::vouched(),
        &[
            "permissions.deny[0] = \"A\" bowline/settings.json:1",
            "permissions.deny[1] = 1 bowline/settings.json:1",
        ],
    );
    // Not approved, or not trusted.
    let files = [(PROJECT, r#"{"permissions": {"allow": ["Edit"], "deny": ["A"]}}"#)];
    let temp = tempfile::tempdir().unwrap();
    let (mut store, _) = crate::TrustStore::load(temp.path(), None);
    check_explained(&files, &store.standing(Path::new("/x")), &[]);
    store.set(Path::new("/x"), crate::Decision::Trust, 7).unwrap();
    check_explained(
        &files,
        &store.standing(Path::new("/x")),
        &["permissions.deny[0] = \"A\" work/.bowline/settings.json:1"],
    );
}

#[test]
fn the_stricter_switch_is_the_one_explained() {
    let switch =
        |on: bool| format!(r#"{{"permissions": {{"blockReadsOutsideWorkingDirectories": {on}}}}}"#);
    check_explained(
        &[(MANAGED, &switch(false)), (USER, &switch(true))],
        &Standing::vouched(),
        &[
            "permissions.blockReadsOutsideWorkingDirectories = true bowline/settings.json:1 < false etc/bowline/managed-settings.json:1",
        ],
    );
}
