//! Variables: which names promise a secret, which make a shell run something else, and what is
//! left for a child process without them.

use std::ffi::{OsStr, OsString};

use super::{SHORTEST, shapes};

/// A value of a secret's name counts as one only if it is longer than a word, or looks like no word.
const LONGER_THAN_A_WORD: usize = 16;

/// Parts of a name that promise a secret.
const SECRET_WORDS: &[&str] = &[
    "APIKEY",
    "AUTH",
    "BEARER",
    "COOKIE",
    "CREDENTIAL",
    "CREDENTIALS",
    "CREDS",
    "JWT",
    "PASS",
    "PASSPHRASE",
    "PASSWD",
    "PASSWORD",
    "PAT",
    "PRIVATEKEY",
    "PW",
    "PWD",
    "SECRET",
    "SECRETKEY",
    "SECRETS",
    "TOKEN",
];

/// Last parts of a name that say it holds no secret itself, but where one is or what it is for.
const HARMLESS_ENDS: &[&str] = &[
    "COMMAND",
    "DIR",
    "DIRECTORY",
    "ENABLED",
    "FILE",
    "HELPER",
    "HOST",
    "LENGTH",
    "LIMIT",
    "NAME",
    "PATH",
    "PORT",
    "PUBLIC",
    "SIZE",
    "SOCK",
    "SOCKET",
    "TIMEOUT",
    "TTL",
    "TYPE",
    "USER",
];

/// Names that no rule would find.
const SECRET_NAMES: &[&str] = &["ANTHROPIC_CUSTOM_HEADERS"];

/// Whether a variable of this name holds a secret, in capitals or in camel case.
pub fn is_secret_name(name: &str) -> bool {
    if matches!(name, "PWD" | "OLDPWD") {
        return false;
    }
    if SECRET_NAMES.contains(&name) {
        return true;
    }
    let words = words(name);
    let Some(last) = words.last().map(String::as_str) else { return false };
    if HARMLESS_ENDS.contains(&last) {
        return false;
    }
    let has = |word: &str| words.iter().any(|mine| mine == word);
    let key = last == "KEY" && words.len() > 1 && !has("PUBLIC");
    let key_id = words.windows(2).any(|two| two == ["ACCESS", "KEY"]);
    let connection = last == "DSN" || words.ends_with(&["CONNECTION".into(), "STRING".into()]);
    key || key_id || connection || SECRET_WORDS.iter().any(|word| has(word))
}

/// `AWS_secretKey` is AWS, SECRET, KEY.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (lower && c.is_uppercase()) {
            words.push(String::new());
        }
        lower = c.is_lowercase();
        if c.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(c.to_uppercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Variables by which a shell, or every program there is, is made to run something first. Nobody
/// needs them for a build, and they make the words of a command mean something else.
const INJECTION_NAMES: &[&str] = &[
    "BASHOPTS",
    "BASH_ENV",
    "CDPATH",
    "ENV",
    "EXECIGNORE",
    "GLOBIGNORE",
    "IFS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "PROMPT_COMMAND",
    "PS0",
    "PS4",
    "SHELLOPTS",
];

const INJECTION_STARTS: &[&str] = &["BASH_FUNC_", "DYLD_INSERT_"];

/// Whether a variable of this name makes a shell run something that no command says.
pub fn is_injection_name(name: &str) -> bool {
    INJECTION_NAMES.contains(&name) || INJECTION_STARTS.iter().any(|start| name.starts_with(start))
}

/// The user's environment for a child process: without secrets, by name or by their looks, and
/// without what makes a shell run something else. Whatever else the user has set is there on purpose
/// (`PYTHONPATH`, `NODE_OPTIONS`, `GIT_SSH_COMMAND`); a project's files set no variables at all.
pub fn scrub(env: impl IntoIterator<Item = (OsString, OsString)>) -> Vec<(OsString, OsString)> {
    let keeps = |(name, value): &(OsString, OsString)| {
        let name = name.to_string_lossy();
        !is_secret_name(&name) && !is_injection_name(&name) && !looks_secret(value)
    };
    env.into_iter().filter(keeps).collect()
}

/// The values of an environment that must not be shown.
pub fn secret_values<'a>(env: impl IntoIterator<Item = (&'a OsStr, &'a OsStr)>) -> Vec<String> {
    let secret = |name: &OsStr, value: &OsStr| {
        let text = value.to_string_lossy();
        let text = text.trim();
        let plain = text.len() < LONGER_THAN_A_WORD && !text.bytes().any(|b| b.is_ascii_digit());
        let named = is_secret_name(&name.to_string_lossy()) && !plain && !is_number(text);
        (text.len() >= SHORTEST && (named || looks_secret(value))).then(|| text.to_owned())
    };
    env.into_iter().filter_map(|(name, value)| secret(name, value)).collect()
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn looks_secret(value: &OsStr) -> bool {
    let text = value.to_string_lossy();
    text.contains("PRIVATE KEY-----") || text.lines().any(|line| !shapes::find(line).is_empty())
}
