//! What tokens and keys look like, whoever they belong to.

use std::ops::Range;

use super::environment::is_secret_name;
use super::{MARK, SHORTEST};

/// How a token of a well-known issuer begins, and how many characters follow at least.
const PREFIXES: &[(&str, usize)] = &[
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-or-", 16),
    ("sk-svcacct-", 16),
    ("sk-", 32),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("whsec_", 16),
    ("ghp_", 30),
    ("gho_", 30),
    ("ghu_", 30),
    ("ghs_", 30),
    ("ghr_", 30),
    ("github_pat_", 22),
    ("glpat-", 16),
    ("gldt-", 16),
    ("xoxa-", 10),
    ("xoxb-", 10),
    ("xoxe-", 10),
    ("xoxp-", 10),
    ("xoxr-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AIza", 30),
    ("npm_", 30),
    ("pypi-", 32),
    ("hf_", 30),
    ("dop_v1_", 32),
    ("shpat_", 24),
    ("lin_api_", 24),
    ("figd_", 24),
    ("gsk_", 32),
    ("xai-", 32),
    ("tvly-", 20),
    ("AGE-SECRET-KEY-1", 40),
];

/// Key ids of AWS: these and sixteen capitals and digits.
const AWS: [&str; 2] = ["AKIA", "ASIA"];

/// Every secret in a line, in order and without overlap.
pub(super) fn find(line: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let first = at == 0 || !is_word(bytes[at - 1]);
        let span = match bytes[at] {
            b':' => login(&line[at..]),
            byte if first && byte < 0x80 && is_word(byte) => introduced(line, at),
            _ => None,
        };
        match span.map(|span| at + span.start..at + span.end) {
            Some(span) => {
                at = span.end;
                found.push(span);
            }
            None => at += 1,
        }
    }
    found
}

/// Part of a name or a token.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// The secret that a word begins with or introduces, as seen from there.
fn introduced(line: &str, at: usize) -> Option<Range<usize>> {
    let text = &line[at..];
    let whole = token(text).or_else(|| aws(text)).or_else(|| jwt(text));
    whole.map(|length| 0..length).or_else(|| bearer(text)).or_else(|| assigned(line, at))
}

fn run(text: &str, part: impl Fn(u8) -> bool) -> usize {
    text.bytes().take_while(|byte| part(*byte)).count()
}

fn token(text: &str) -> Option<usize> {
    PREFIXES.iter().find_map(|(prefix, least)| {
        let rest = text.strip_prefix(prefix)?;
        let length = run(rest, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
        let body = rest[..length].trim_end_matches('.');
        // A name in kebab case may begin like a token; it has no digits.
        let mixed = body.bytes().any(|byte| byte.is_ascii_digit());
        (body.len() >= *least && mixed).then_some(prefix.len() + body.len())
    })
}

fn aws(text: &str) -> Option<usize> {
    let rest = AWS.iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let length = run(rest, is_word);
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit();
    (length == 16 && rest.bytes().take(16).all(plain)).then_some(20)
}

/// `eyJ….eyJ….…`, as in JSON Web Tokens.
fn jwt(text: &str) -> Option<usize> {
    if !text.starts_with("eyJ") {
        return None;
    }
    let length = run(text, |byte| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte));
    let whole = text[..length].trim_end_matches('.');
    let mut parts = whole.split('.');
    let long = |part: Option<&str>| part.is_some_and(|part| part.len() >= 10);
    let sound = long(parts.next())
        && parts.next().is_some_and(|claims| claims.starts_with("eyJ") && claims.len() >= 10)
        && long(parts.next());
    sound.then_some(whole.len())
}

/// `Bearer …` and `Basic …`, as in HTTP headers.
fn bearer(text: &str) -> Option<Range<usize>> {
    let start = ["bearer ", "basic "].iter().find_map(|scheme| {
        let head = text.get(..scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then_some(scheme.len())
    })?;
    let length = run(&text[start..], |b| b.is_ascii_alphanumeric() || b"_-.~+/=".contains(&b));
    let mixed = text[start..start + length].bytes().any(|byte| byte.is_ascii_digit());
    (length >= 16 && mixed).then_some(start..start + length)
}

/// The password in `://user:password@`.
fn login(text: &str) -> Option<Range<usize>> {
    let rest = text.strip_prefix("://")?;
    let end = rest.find(|c: char| c.is_whitespace() || "/\"'`<>".contains(c));
    let (login, _) = rest[..end.unwrap_or(rest.len())].rsplit_once('@')?;
    let (user, password) = login.split_once(':')?;
    let mixed = password.bytes().any(|byte| byte.is_ascii_digit());
    let start = "://".len() + user.len() + 1;
    (password.len() >= SHORTEST && mixed).then_some(start..start + password.len())
}

/// The value in `SOME_TOKEN=value`, as in environment files and the output of `env`.
fn assigned(line: &str, at: usize) -> Option<Range<usize>> {
    let text = &line[at..];
    let name = run(text, |byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    let rest = text[name..].strip_prefix('=')?;
    if !is_secret_name(&text[..name]) {
        return None;
    }
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
    let start = name + 1 + usize::from(quote.is_some());
    let end = text[start..].find(|c: char| match quote {
        Some(quote) => c == quote || c == '\n' || c == '\r',
        None => c.is_whitespace() || "\"'`;&|)".contains(c),
    });
    let value = &text[start..end.map_or(text.len(), |end| start + end)];
    // In the middle of a line it may be code, whose values are names.
    let before = line[..at].trim();
    let leads = before.is_empty() || ["export", "declare -x", "set"].contains(&before);
    let mixed = value.bytes().any(|byte| byte.is_ascii_digit());
    let real = !value.starts_with(['$', '<', '{', '(', '%']) && !value.starts_with(MARK);
    (value.len() >= SHORTEST && real && (leads || mixed)).then_some(start..start + value.len())
}
