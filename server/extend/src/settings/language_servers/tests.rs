//! One text in, servers and problems out.

use super::*;

const ENDINGS: &str = r#""extensionToLanguage": {".py": "python"}"#;

fn show(text: &str) -> Vec<String> {
    let found = file(text);
    let servers = found.servers.iter().map(|server| {
        let LanguageServerSetting { name, command, args, env, extensions, .. } = server;
        format!(
            "{name}: {command} {args:?} {env:?} {extensions:?} {} {} {:?} {}",
            server.initialization_options,
            server.settings,
            server.startup_timeout,
            server.diagnostics
        )
    });
    let problems = found.problems.iter();
    let problems = problems.map(|(at, message)| format!("{}:{} {message}", at.line, at.column));
    servers.chain(problems).collect()
}

#[test]
fn a_server_is_read_whole() {
    assert_eq!(
        show(
            r#"// mine
            {"ruff": {"command": "/bin/ruff", "args": ["server"], "env": {"A": "1"},
              "extensionToLanguage": {".py": "python", "pyi": "python"}, "transport": "stdio",
              "initializationOptions": {"x": [1]}, "settings": {"ruff": {"y": 2}},
              "startupTimeout": 2500, "diagnostics": false, "maxRestarts": 9,},}"#
        ),
        [
            r#"ruff: /bin/ruff ["server"] {"A": "1"} {".py": "python", ".pyi": "python"} {"x":[1]} {"ruff":{"y":2}} Some(2.5s) false"#
        ]
    );
    assert_eq!(
        show(&format!("{{\"a\": {{\"command\": \"b\", {ENDINGS}}}}}")),
        [r#"a: b [] {} {".py": "python"} null null None true"#]
    );
    assert!(show("{}").is_empty());
}

#[test]
fn what_cannot_be_used_is_a_problem_and_the_rest_counts() {
    let check = |server: &str, expect: &str| {
        let good = format!(r#""good": {{"command": "g", {ENDINGS}}}"#);
        let shown = show(&format!("{{\n\"bad\": {server}, {good}}}"));
        assert_eq!(shown.len(), 2, "{shown:?}");
        assert!(shown[0].starts_with("good: g"), "{shown:?}");
        assert_eq!(shown[1], format!("2:1 The language server `bad` {expect}."));
    };
    let with = |rest: &str| format!(r#"{{"command": "c", {ENDINGS}, {rest}}}"#);
    let no_command = "needs a `command`; write the program's name or path in quotes";
    check("[]", "must be an object, such as {\"command\": \"…\"}");
    check("{}", no_command);
    check(r#"{"command": " "}"#, no_command);
    check(r#"{"command": 1}"#, no_command);
    check(r#"{"command": "c"}"#, "needs `extensionToLanguage`, such as {\".py\": \"python\"}");
    check(
        r#"{"command": "c", "extensionToLanguage": [".py"]}"#,
        "needs `extensionToLanguage` that is an object of strings",
    );
    let endings = "needs `extensionToLanguage` with endings such as \".py\" and names of languages";
    check(r#"{"command": "c", "extensionToLanguage": {"": "python"}}"#, endings);
    check(r#"{"command": "c", "extensionToLanguage": {"a/b": "python"}}"#, endings);
    check(r#"{"command": "c", "extensionToLanguage": {".py": ""}}"#, endings);
    check(&with(r#""args": "x""#), "needs `args` that are a list of strings");
    check(&with(r#""args": [1]"#), "needs `args` that are a list of strings");
    check(&with(r#""env": {"A": 1}"#), "needs `env` that is an object of strings");
    check(
        &with(r#""env": {"A=B": "1"}"#),
        "cannot have the variable `A=B`: a name must not be empty or hold `=`, and nothing may \
         hold a NUL; rename it",
    );
    let timeout = "needs a `startupTimeout` in milliseconds, from 1 to 600000 (ten minutes)";
    for bad in ["0", "-1", "1.5", "600001", "\"1\""] {
        check(&with(&format!("\"startupTimeout\": {bad}")), timeout);
    }
    check(&with(r#""diagnostics": 1"#), "needs `diagnostics` that are true or false");
    check(
        &with(r#""transport": "socket""#),
        "can only be spoken to by `stdio`; remove `transport`",
    );
}

#[test]
fn slips_and_texts_that_are_no_object() {
    let slip = format!(r#"{{"a": {{"command": "b", {ENDINGS}, "setings": 1, "x": 2}}}}"#);
    assert_eq!(show(&slip)[1], "1:2 There is no key `setings` here; write `settings`.");
    assert_eq!(show("[]"), ["1:1 The file must be an object of servers by their names."]);
    assert_eq!(show(""), ["1:1 The file is empty; write `{}` or delete it."]);
    assert_eq!(
        show("{\n]"),
        [
            "2:1 This is not valid JSON (unexpected token in object); mend it here, until then no language server of this file is known."
        ]
    );
    let unnamed = format!(r#"{{" ": {{"command": "b", {ENDINGS}}}}}"#);
    assert_eq!(
        show(&unnamed),
        ["1:2 The language server ` ` needs a name that can be shown; rename it."]
    );
}

/// Arguments and options may hold keys.
#[test]
fn nothing_secret_is_shown_for_debugging() {
    let text = format!(
        r#"{{"a": {{"command": "b", {ENDINGS}, "args": ["hidden"], "env": {{"K": "hidden"}}}}}}"#
    );
    assert_eq!(format!("{:?}", file(&text).servers), "[a (b)]");
}
