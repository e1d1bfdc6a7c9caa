//! The few lines of YAML that may stand at the head of a Markdown file.

use serde::de::DeserializeOwned;

/// More than this before the text is no head but a mistake.
const LONGEST: usize = 64 * 1024;

/// The head between its two lines of dashes, when there is one, and what follows it.
pub(crate) fn split(text: &str) -> (Option<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|line| line.trim_end() == "---") else {
        return (None, text);
    };
    let mut end = first.len();
    for line in lines {
        if line.trim_end() == "---" {
            let head = &text[first.len()..end];
            return (Some(head), &text[end + line.len()..]);
        }
        end += line.len();
        if end > LONGEST {
            break;
        }
    }
    (None, text)
}

/// What a head says. Many heads in the wild are not quite YAML (`description: Use when: …`), so a
/// head that cannot be read is tried once more with its plain values in quotes.
pub(crate) fn parse<T: DeserializeOwned>(head: &str) -> Result<T, String> {
    parse_at(head).map_err(|(_, why)| why)
}

/// The same, with the line of the head that is wrong, counted from 1.
pub(crate) fn parse_at<T: DeserializeOwned>(head: &str) -> Result<T, (usize, String)> {
    serde_saphyr::from_str(head).or_else(|error| {
        serde_saphyr::from_str(&quoted(head)).map_err(|_| {
            let line = error.location().map_or(1, |at| at.line());
            // What follows the first line shows the place once more.
            let why = error.to_string().lines().next().unwrap_or_default().to_owned();
            let why = why.strip_prefix("error: ").map(str::to_owned).unwrap_or(why);
            (usize::try_from(line).unwrap_or(1), why)
        })
    })
}

fn quoted(head: &str) -> String {
    let quote = |line: &str| -> String {
        let plain = || {
            let (key, value) = line.split_once(": ")?;
            let value = value.trim();
            let is_key =
                !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || "-_".contains(c));
            let is_plain = !value.starts_with(['"', '\'', '{', '|', '>', '&', '*', '!', '#'])
                && !is_list(value);
            (is_key && is_plain).then(|| format!("{key}: '{}'", value.replace('\'', "''")))
        };
        plain().unwrap_or_else(|| line.to_owned())
    };
    head.lines().map(quote).collect::<Vec<_>>().join("\n")
}

/// `[a, b]`, but not `[a] [b]`, which is how people write arguments.
fn is_list(value: &str) -> bool {
    let mut depth = 0_i32;
    let end = value.find(|c| {
        depth += i32::from(c == '[') - i32::from(c == ']');
        depth == 0
    });
    value.starts_with('[') && end.is_none_or(|end| value[end + 1..].trim().is_empty())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_head_is_between_two_lines_of_dashes() {
        let check =
            |text: &str, expect: (Option<&str>, &str)| assert_eq!(split(text), expect, "{text:?}");
        check("no head", (None, "no head"));
        check("---\na: 1\n---\nbody\n", (Some("a: 1\n"), "body\n"));
        check("\u{feff}---\r\na: 1\r\n---\r\nbody", (Some("a: 1\r\n"), "body"));
        check("---\n---\n", (Some(""), ""));
        check("---\na: 1\nnever closed", (None, "---\na: 1\nnever closed"));
        check("text\n---\na: 1\n---\n", (None, "text\n---\na: 1\n---\n"));
    }

    #[test]
    fn what_is_nearly_yaml_is_read_too() {
        let check = |head: &str, expect: Option<&str>| {
            let read = parse::<BTreeMap<String, String>>(head).ok();
            let found = read.and_then(|map| map.get("description").cloned());
            assert_eq!(found.as_deref(), expect, "{head:?}");
        };
        check("description: plain", Some("plain"));
        check("description: Use when: it's late", Some("Use when: it's late"));
        check("description: 'quoted: yes'", Some("quoted: yes"));
        check("description: [not, a, text]", None);
        check("description: [one] [two]", Some("[one] [two]"));
    }
}
