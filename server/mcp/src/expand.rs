//! `${VAR}` and `${VAR:-default}` in a configuration.

use std::collections::BTreeMap;

/// Puts variables in. What is not set and has no default stays as it is written, and its name is
/// added to `missing`. A value is never looked at again: it may hold `${…}` by chance.
pub(crate) fn expand(
    text: &str,
    env: &BTreeMap<String, String>,
    missing: &mut Vec<String>,
) -> String {
    let mut expanded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        expanded.push_str(&rest[..start]);
        let inner = &rest[start + 2..];
        let Some((end, name, default)) = variable(inner) else {
            expanded.push_str("${");
            rest = inner;
            continue;
        };
        match env.get(name).map(String::as_str).or(default) {
            Some(value) => expanded.push_str(value),
            None => {
                expanded.push_str(&rest[start..start + 2 + end + 1]);
                missing.push(name.to_owned());
            }
        }
        rest = &inner[end + 1..];
    }
    expanded + rest
}

/// Where the closing brace is, the variable's name and its default.
fn variable(inner: &str) -> Option<(usize, &str, Option<&str>)> {
    let end = inner.find('}')?;
    let (name, default) = match inner[..end].split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (&inner[..end], None),
    };
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let valid = name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit());
    valid.then_some((end, name, default))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_defaults_and_what_is_neither() {
        let env = [("HOME", "/home/ann"), ("EMPTY", ""), ("NEST", "${HOME}")];
        let env = env.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let check = |text: &str, expect: &str, expect_missing: &[&str]| {
            let mut missing = Vec::new();
            assert_eq!(expand(text, &env, &mut missing), expect, "{text}");
            assert_eq!(missing, expect_missing, "{text}");
        };
        check("", "", &[]);
        check("plain $HOME ~", "plain $HOME ~", &[]);
        check("${HOME}/x", "/home/ann/x", &[]);
        check("a${HOME}b${HOME}", "a/home/annb/home/ann", &[]);
        check("${EMPTY}", "", &[]);
        check("${EMPTY:-d}", "", &[]);
        check("${NOPE:-d e}", "d e", &[]);
        check("${NOPE:-}", "", &[]);
        check("${HOME:-d}", "/home/ann", &[]);
        check("${NOPE}/${HOME}", "${NOPE}//home/ann", &["NOPE"]);
        check("${NEST}", "${HOME}", &[]);
        check("${}", "${}", &[]);
        check("${1A}", "${1A}", &[]);
        check("${A B}", "${A B}", &[]);
        check("${HOME", "${HOME", &[]);
        check("${${HOME}}", "${/home/ann}", &[]);
        check("ü${NOPE:-ß}ü", "üßü", &[]);
    }
}
