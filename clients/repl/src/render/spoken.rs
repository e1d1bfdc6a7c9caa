//! Rows in words, for a screen reader: what signs and colours say to the eye is said to the ear.

use super::line::Line;

/// What a row says; none for one that only divides.
pub(crate) fn words(row: &Line, is_change: bool) -> Option<String> {
    let text = row.text();
    let text = text.trim_end();
    let drawn = |letter: char| ('\u{2500}'..='\u{259f}').contains(&letter);
    if !text.trim().is_empty() && text.chars().all(|letter| drawn(letter) || letter == ' ') {
        return None;
    }
    if let Some(change) = is_change.then(|| change(text)).flatten() {
        return Some(change);
    }
    let mut said = text.trim_start().to_owned();
    for (sign, word) in SIGNS {
        if let Some(rest) = said.strip_prefix(sign) {
            said = format!("{word}{rest}");
        }
    }
    Some(said.replace(" · ", ", ").replace('⋮', "further on"))
}

const SIGNS: [(&str, &str); 9] = [
    ("❯ ", ""),
    ("⎿ ", ""),
    ("● ", ""),
    ("▪ ", ""),
    ("› ", "You: "),
    ("☑ ", "Done: "),
    ("▶ ", "Now: "),
    ("☐ ", "To do: "),
    ("… ", "Left out: "),
];

/// A row of a diff: its number, its sign, and the text.
fn change(text: &str) -> Option<String> {
    let (number, rest) = text.trim_start().split_once(' ')?;
    number.parse::<usize>().ok()?;
    let sign = rest.get(..2).unwrap_or(rest);
    let line = rest.get(2..).unwrap_or("");
    let what = match sign {
        "- " | "-" => "Removed line",
        "+ " | "+" => "Added line",
        "  " | "" => "Line",
        _ => return None,
    };
    Some(format!("{what} {number}: {line}").trim_end().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_become_words() {
        for (row, expect) in [
            ("────────", None),
            ("  ⎿ 3 lines", Some("3 lines")),
            ("❯ 1. Allow once (y) · in this session", Some("1. Allow once (y), in this session")),
            ("  ☐ write it", Some("To do: write it")),
            ("  6 - old", Some("Removed line 6: old")),
            ("  6 + new", Some("Added line 6: new")),
            ("  7   same", Some("Line 7: same")),
            ("", Some("")),
        ] {
            assert_eq!(words(&Line::plain(row), true).as_deref(), expect, "{row}");
        }
        let sum = words(&Line::plain("12 + 3"), false);
        assert_eq!(sum.as_deref(), Some("12 + 3"), "not everything is a diff");
    }
}
