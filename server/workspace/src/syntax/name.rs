//! Names as an outline shows them: one line, not too long.

/// A longer name is cut.
const CHARS: usize = 100;

/// The name on one line and without quotes; nothing when there is nothing to see.
pub(super) fn tidy(name: &str) -> Option<String> {
    let words = unquoted(name).split(|c: char| c.is_whitespace() || c.is_control());
    let mut tidy = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        if !tidy.is_empty() {
            tidy.push(' ');
        }
        tidy.push_str(word);
        if let Some((end, _)) = tidy.char_indices().nth(CHARS) {
            tidy.truncate(end);
            tidy.push('…');
            break;
        }
    }
    (!tidy.is_empty()).then_some(tidy)
}

/// A string of a program without its quotes.
fn unquoted(text: &str) -> &str {
    let quoted = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    ['"', '\'', '`'].into_iter().find_map(quoted).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_of_bounded_length() {
        let check = |name: &str, expect: Option<&str>| {
            assert_eq!(tidy(name).as_deref(), expect, "{name:?}");
        };
        check("a", Some("a"));
        check("  a\r\n\t b ", Some("a b"));
        check("'a b'", Some("a b"));
        check("\"\"", None);
        check("a\u{7}b", Some("a b"));
        check(" \n", None);
        check("", None);
        let long = "é".repeat(500);
        assert_eq!(tidy(&long), Some("é".repeat(CHARS) + "…"));
    }

    #[test]
    fn quotes() {
        let check = |text: &str, expect: &str| assert_eq!(unquoted(text), expect, "{text}");
        check("\"a\"", "a");
        check("'a'", "a");
        check("\"", "\"");
        check("\"\"", "");
        check("'a\"", "'a\"");
        check("a", "a");
    }
}
