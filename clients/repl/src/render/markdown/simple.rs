//! The short way for blocks without any markup inside: most paragraphs, items and headings of a
//! long answer. Whatever it is not sure about goes to the parser.

use pulldown_cmark::HeadingLevel;

use super::inline::{Drawn, Text, heading_style};
use crate::render::line::{Line, Span};
use crate::render::theme;
use crate::render::wrap::{Margin, wrap};

pub(super) fn draw(block: &Text<'_>) -> Option<Drawn> {
    let source = block.source.trim_end_matches('\n');
    let special = |byte: u8| {
        matches!(byte, b'*' | b'_' | b'`' | b'[' | b']' | b'<' | b'&' | b'\\' | b'~' | b'|' | b'\t')
    };
    if source.contains("  \n") || !source.lines().skip(1).all(begins) {
        return None;
    }
    let indent = " ".repeat(block.indent);
    if let Some(text) = source.strip_prefix("- ") {
        if text.bytes().any(special) || text.contains('\n') || !begins(text) {
            return None;
        }
        let first = Line::plain(indent.as_str()).with("• ", theme::ACCENT);
        let margin = Margin::new(first, Line::plain(format!("{indent}  ")));
        let lines = wrap(&[Span::new(text, theme::PLAIN)], block.width, &margin);
        return Some(Drawn { lines, is_item: true, next_number: None });
    }
    if source.bytes().any(special) {
        return None;
    }
    let margin = Margin::indent(block.indent);
    let (text, style) = match heading(source) {
        Some((text, level)) => (text.to_owned(), heading_style(level)),
        None if begins(source) => (source.replace('\n', " "), theme::PLAIN),
        None => return None,
    };
    let lines = wrap(&[Span::new(text, style)], block.width, &margin);
    Some(Drawn { lines, is_item: false, next_number: None })
}

fn heading(source: &str) -> Option<(&str, HeadingLevel)> {
    let text = source.trim_start_matches('#');
    let level = HeadingLevel::try_from(source.len() - text.len()).ok()?;
    let text = text.strip_prefix(' ')?.trim();
    let plain = !text.is_empty() && !text.ends_with('#') && !text.contains('\n');
    plain.then_some((text, level))
}

/// A line of a paragraph begins with a letter; anything else may be a marker of some block.
fn begins(line: &str) -> bool {
    line.starts_with(char::is_alphabetic)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::line::plain_text;

    /// What the short way draws; it must be what the parser would have drawn.
    fn drawn(source: &str) -> Option<String> {
        let text = Text { source, indent: 0, width: 20 };
        let drawn = draw(&text)?;
        let parsed = text.parse(None);
        assert_eq!(drawn.lines, parsed.lines, "{source:?}");
        assert_eq!(drawn.is_item, parsed.is_item, "{source:?}");
        Some(plain_text(&drawn.lines))
    }

    #[test]
    fn takes_the_short_way_only_for_plain_text() {
        for (source, expect) in [
            ("one\ntwo\n", Some("one two\n")),
            ("- an item that is wrapped\n", Some("• an item that is\n  wrapped\n")),
            ("## Head\n", Some("Head\n")),
            ("some *markup*\n", None),
            ("- [ ] task\n", None),
            ("- a\n  more\n", None),
            ("Title\n===\n", None),
            ("one  \ntwo\n", None),
            ("1. one\n", None),
            ("    code\n", None),
            ("> quote\n", None),
            ("####### seven\n", None),
            ("a | b\n", None),
            ("---\n", None),
            ("Strong < weak\n", None),
        ] {
            assert_eq!(drawn(source).as_deref(), expect, "{source:?}");
        }
    }
}
