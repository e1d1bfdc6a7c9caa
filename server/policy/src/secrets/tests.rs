//! What is taken out, what stays, and that pieces make no difference.

use std::ffi::{OsStr, OsString};

use proptest::prelude::*;

use super::*;

const KEY: &str = "canary-5f1d3b7a9c";

fn redactor() -> Redactor {
    Redactor::new([KEY.to_owned(), "with \"quotes\" & spaces/9".to_owned()])
}

#[test]
fn secrets_become_a_mark_and_the_rest_stays() {
    let check = |text: &str, expect: &str| assert_eq!(redactor().redact(text), expect, "{text}");
    check("", "");
    check("nothing here\n", "nothing here\n");
    check(&format!("a {KEY} b{KEY}\n"), "a [secret] b[secret]\n");
    check(r#"{"k":"with \"quotes\" & spaces/9"}"#, r#"{"k":"[secret]"}"#);
    check("?k=with+%22quotes%22+%26+spaces%2F9&x", "?k=[secret]&x");
    check("sk-ant-api03-AbCdEf0123456789-_xyz", "[secret]");
    check("key: 'ghp_0123456789abcdefABCDEF0123456789abcd',", "key: '[secret]',");
    check("AKIAIOSFODNN7EXAMPLE and more", "[secret] and more");
    check("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27u.", "[secret].");
    check("Authorization: Bearer abcdef0123456789abcdef\r\n", "Authorization: Bearer [secret]\r\n");
    check("postgres://app:s3cretpass@db/x", "postgres://app:[secret]@db/x");
    check("DB_PASSWORD=hunterhunter\nA=b", "DB_PASSWORD=[secret]\nA=b");
    check("export MY_API_KEY=\"two words 1\"", "export MY_API_KEY=\"[secret]\"");
    check("run X_TOKEN=abcd1234efgh cmd", "run X_TOKEN=[secret] cmd");
}

#[test]
fn code_and_prose_are_left_alone() {
    for text in [
        "let token = self.token.clone();",
        "const API_KEY=process.env.API_KEY",
        "API_KEY=$OTHER_KEY",
        "TOKEN=<your-token>",
        "the sk-learn-style-of-naming-things-in-kebab-case",
        "postgres://postgres:postgres@localhost/test",
        "MAX_TOKENS=100000000",
        "npm_config_cache=/tmp/x",
        "AKIAIOSFODNN7EXAMPLEX",
        "Basic understanding of things",
        "eyJ is how JSON begins",
        "https://example.com/a?b=c@d",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
    ] {
        assert_eq!(redactor().redact(text), text);
    }
}

#[test]
fn a_private_key_goes_line_by_line() {
    let key =
        "a\n-----BEGIN RSA PRIVATE KEY-----\nMIIEow+/=\nabcd==\n-----END RSA PRIVATE KEY-----\nb\n";
    assert_eq!(redactor().redact(key), "a\n[secret]\n\n\n\nb\n");
    let numbered =
        "1\t-----BEGIN PRIVATE KEY-----\n2\tMIIEow\n3\t-----END PRIVATE KEY-----\n4\tx\n";
    assert_eq!(redactor().redact(numbered), "1\t[secret]\n2\t\n\n4\tx\n");
    let in_json = r#"{"key": "-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\n"}"#;
    assert_eq!(redactor().redact(in_json), r#"{"key": "[secret]\n"}"#);
    // Somebody only speaks of keys: what follows is not swallowed.
    let code = "if x.contains(\"-----BEGIN PRIVATE KEY-----\") {\n    return (1, 2);\n}\n";
    assert!(
        redactor().redact(code).ends_with(" {\n    return (1, 2);\n}\n"),
        "{:?}",
        redactor().redact(code)
    );
}

#[test]
fn names_say_what_they_hold() {
    for secret in [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "GITHUB_TOKEN",
        "GH_TOKEN",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_ACCESS_KEY_ID",
        "AWS_SESSION_TOKEN",
        "NPM_TOKEN",
        "PGPASSWORD_X_PASSWORD",
        "DB_PASS",
        "MY_SECRET",
        "apiKey",
        "npmAuthToken",
        "SENTRY_DSN",
        "STRIPE_KEY",
        "GOOGLE_APPLICATION_CREDENTIALS",
        "ANTHROPIC_CUSTOM_HEADERS",
        "AZURE_STORAGE_CONNECTION_STRING",
    ] {
        assert!(is_secret_name(secret), "{secret}");
    }
    for plain in [
        "PATH",
        "HOME",
        "PWD",
        "OLDPWD",
        "SSH_AUTH_SOCK",
        "XAUTHORITY",
        "KEYBOARD",
        "MAX_TOKENS",
        "TOKENIZERS_PARALLELISM",
        "SSH_KEY_PATH",
        "PUBLIC_KEY",
        "LANG",
        "KEY",
        "",
        "TOKEN_FILE",
        "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
        "BYPASS",
        "COMPASS_HOME",
        "API_KEY_HELPER",
    ] {
        assert!(!is_secret_name(plain), "{plain}");
    }
}

#[test]
fn variables_that_run_code_are_known() {
    let check = |name: &str, expect: bool| assert_eq!(is_injection_name(name), expect, "{name}");
    for name in ["BASH_ENV", "ENV", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "PS4", "IFS"]
    {
        check(name, true);
    }
    check("PROMPT_COMMAND", true);
    check("BASH_FUNC_ls%%", true);
    for name in ["PATH", "HOME", "TERM", "GIT_AUTHOR_NAME", "CARGO_HOME", "ENVIRONMENT", "LDAP"] {
        check(name, false);
    }
}

#[test]
fn a_child_gets_neither_secrets_nor_tricks() {
    let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
    let env = vec![
        pair("PATH", "/bin"),
        pair("ANTHROPIC_API_KEY", "x"),
        pair("LD_PRELOAD", "./x.so"),
        // By its looks, whatever the name.
        pair("HARMLESS", "ghp_0123456789abcdefABCDEF0123456789abcd"),
        pair("CERT", "-----BEGIN PRIVATE KEY-----\nMII\n-----END PRIVATE KEY-----"),
        pair("TERM", "xterm"),
    ];
    assert_eq!(scrub(env), [pair("PATH", "/bin"), pair("TERM", "xterm")]);
}

#[test]
fn what_the_user_has_set_on_purpose_stays() {
    let kept = [
        "LD_LIBRARY_PATH",
        "PYTHONPATH",
        "NODE_OPTIONS",
        "RUSTC_WRAPPER",
        "GIT_SSH_COMMAND",
        "GIT_CONFIG_GLOBAL",
        "JAVA_TOOL_OPTIONS",
        "MAKEFLAGS",
        "ZDOTDIR",
        "SSH_ASKPASS",
    ];
    let env = kept.map(|name| (OsString::from(name), OsString::from("value")));
    assert_eq!(scrub(env.clone()), env);
}

#[test]
fn only_values_that_could_be_secrets_are_looked_for() {
    let check = |name: &str, value: &str, expect: bool| {
        let values = secret_values([(OsStr::new(name), OsStr::new(value))]);
        assert_eq!(!values.is_empty(), expect, "{name}={value}");
    };
    check("ANTHROPIC_API_KEY", "canary-5f1d3b7a9c", true);
    check("DB_PASSWORD", "postgres", false);
    check("DB_PASSWORD", "a-long-password-of-words", true);
    check("SESSION_TOKEN", "1234567890", false);
    check("X_TOKEN", "short1", false);
    check("HARMLESS", "ghp_0123456789abcdefABCDEF0123456789abcd", true);
    check("HARMLESS", "just a value 1", false);
}

#[test]
fn very_long_lines_go_on_in_pieces() {
    let text = format!("{}\"{KEY}\"{}", "abc ".repeat(5_000), "x".repeat(40_000));
    let mut stream = redactor().stream();
    let early = stream.push(&text);
    assert!(early.len() > 40_000);
    assert!(!(early + &stream.finish()).contains(KEY));
}

#[test]
fn it_does_not_show_what_it_knows() {
    assert_eq!(format!("{:?}", Redactor::new([KEY.to_owned()])), "Redactor(1 values)");
}

/// Texts that are full of what is looked for, and of what only begins like it.
fn texts() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just(KEY.to_owned()),
        Just(KEY[..9].to_owned()),
        Just("sk-ant-api03-AbCdEf0123456789-_xyz".to_owned()),
        Just("ghp_0123456789abcdefABCDEF0123456789abcd".to_owned()),
        Just("-----BEGIN RSA PRIVATE KEY-----".to_owned()),
        Just("-----END RSA PRIVATE KEY-----".to_owned()),
        Just("MIIEowIBAAKCAQEA".to_owned()),
        Just("API_TOKEN=".to_owned()),
        Just("://a:b1234567@".to_owned()),
        Just("Bearer ".to_owned()),
        Just("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27u".to_owned()),
        Just(MARK.to_owned()),
        "[a-z0-9 \"'=:@/é\\[\\]-]{0,12}",
        Just("\n".to_owned()),
        Just("\r\n".to_owned()),
    ];
    proptest::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn redacting_twice_changes_nothing_more(text in texts()) {
        let once = redactor().redact(&text).into_owned();
        let twice = redactor().redact(&once).into_owned();
        prop_assert_eq!(&twice, &once);
        prop_assert!(once.len() <= text.len());
        prop_assert!(!once.contains(KEY));
    }

    #[test]
    fn pieces_make_no_difference(text in texts(), cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let whole = redactor().redact(&text).into_owned();
        let mut places: Vec<usize> =
            cuts.iter().map(|cut| text.floor_char_boundary(cut.index(text.len() + 1))).collect();
        places.sort_unstable();
        let mut stream = redactor().stream();
        let mut pieces = String::new();
        let mut from = 0;
        for place in places {
            pieces.push_str(&stream.push(&text[from..place]));
            from = place;
        }
        pieces.push_str(&stream.push(&text[from..]));
        pieces.push_str(&stream.finish());
        prop_assert_eq!(pieces, whole);
    }

    #[test]
    fn any_text_is_survived(text in any::<String>(), name in any::<String>()) {
        prop_assert!(redactor().redact(&text).len() <= text.len());
        let _ = is_secret_name(&name);
        let _ = is_injection_name(&name);
    }
}
