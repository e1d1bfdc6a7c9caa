//! Tables of what is read and what is refused.

use super::*;

fn faults(text: &str) -> Vec<String> {
    read(text).err().unwrap_or_default()
}

#[test]
fn the_smallest_manifest_is_a_name() {
    let found = read("{ \"name\": \"lint\" } // fine").unwrap();
    assert_eq!(found.manifest, Manifest { name: "lint".into(), ..Manifest::default() });
    assert!(found.notes.is_empty());
}

#[test]
fn a_field_of_the_wrong_type_fails_the_plugin() {
    let check = |text: &str, expect: &str| assert_eq!(faults(text), [expect], "{text}");
    check("[]", "The manifest must be an object in braces.");
    check("{\n\"name\": }", "The manifest is not valid JSON (line 2: unexpected close brace).");
    check(
        r#"{"name": "../x"}"#,
        "`name`: `../x` is no name; use letters, digits, `-`, `_` and `.`, at most 64 of them.",
    );
    check(r#"{"name": "a", "version": 1}"#, "`version` must be a string in quotes.");
    check(r#"{"name": "a", "keywords": "x"}"#, "`keywords` must be a list of strings.");
    check(r#"{"name": "a", "author": 1}"#, "`author` must be an object such as {\"name\": \"…\"}.");
    check(r#"{"name": "a", "defaultEnabled": "no"}"#, "`defaultEnabled` must be true or false.");
    let path = "must be a path that begins with ./ and stays inside the plugin, or a list of such.";
    for written in ["\"skills\"", "\"./../x\"", "\"/etc\"", "[\"./a\", 1]", "{}"] {
        check(&format!(r#"{{"name": "a", "skills": {written}}}"#), &format!("`skills` {path}"));
    }
    check(
        r#"{"name": "a", "hooks": 1}"#,
        "`hooks` must be an object, a path that begins with ./, or a list of these.",
    );
    check(
        r#"{"name": "a", "userConfig": {"k": {"type": "colour"}}}"#,
        "`userConfig` must be an object of options, each with a `type` and a `title`.",
    );
    check(
        r#"{"name": "a", "dependencies": [{"name": "../b"}]}"#,
        "`dependencies` must be a list such as [{\"name\": \"…\", \"version\": \"^1.0\"}].",
    );
}

#[test]
fn everything_wrong_is_told_at_once() {
    assert_eq!(faults(r#"{"name": 1, "version": 2, "agents": 3}"#).len(), 4);
}

#[test]
fn what_is_not_known_is_noted() {
    let notes = |text: &str| read(text).unwrap().notes;
    assert_eq!(
        notes(r#"{"name": "a", "skils": "./x", "colour": 1, "channels": []}"#),
        [
            "`skils` is not known (did you mean `skills`?).",
            "`colour` is not known.",
            "`channels` is not used by Bowline."
        ]
    );
}

#[test]
fn parts_may_be_named_or_written_out() {
    let text = r#"{
        "name": "a",
        "skills": ["./more", "./even/more/"],
        "commands": "./cmd",
        "agents": ["./agents/x.md"],
        "hooks": ["./h.json", {"Stop": []}],
        "mcpServers": {"s": {"command": "x"}},
        "dependencies": ["b", "c@other", {"name": "d", "version": "^1"}],
        "userConfig": {"port": {"type": "number", "title": "Port", "default": 80, "required": true}}
    }"#;
    let manifest = read(text).unwrap().manifest;
    assert_eq!(manifest.skills, [PathBuf::from("more"), PathBuf::from("even/more")]);
    assert_eq!(manifest.commands, Some(vec![PathBuf::from("cmd")]));
    assert_eq!(manifest.agents, Some(vec![PathBuf::from("agents/x.md")]));
    assert_eq!(manifest.hooks.len(), 2);
    assert_eq!(manifest.hooks[0], Written::File("h.json".into()));
    assert!(matches!(&manifest.mcp_servers[..], [Written::Here(_)]));
    let names: Vec<_> = manifest
        .dependencies
        .iter()
        .map(|d| (d.name.as_str(), d.marketplace.as_deref(), d.version.as_deref()))
        .collect();
    assert_eq!(names, [("b", None, None), ("c", Some("other"), None), ("d", None, Some("^1"))]);
    let [option] = &manifest.options[..] else { panic!("{:?}", manifest.options) };
    assert_eq!((option.default.as_deref(), option.required), (Some("80"), true));
}
