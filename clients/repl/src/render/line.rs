//! Styled text: the only thing the rest of the client hands to the screen.
//!
//! A line holds no control characters of its own; colour becomes bytes in [`Line::encode`] alone.

use std::fmt::Write as _;

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation as _;

use super::theme::Theme;
use super::width::{text_width, width_of_grapheme};

/// A run of text in one style.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Span {
    pub text: String,
    pub style: Style,
}

impl Span {
    pub fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }
}

/// One row of the terminal, or one row of the scrollback.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Line {
    pub spans: Vec<Span>,
}

impl Line {
    pub fn plain(text: impl Into<String>) -> Self {
        Self::styled(text, Style::new())
    }

    pub fn styled(text: impl Into<String>, style: Style) -> Self {
        let span = Span::new(text, style);
        Self { spans: if span.text.is_empty() { Vec::new() } else { vec![span] } }
    }

    /// Appends text, joining it to the last run when the style is the same.
    pub fn push(&mut self, text: &str, style: Style) {
        if text.is_empty() {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.style == style => last.text.push_str(text),
            _ => self.spans.push(Span::new(text, style)),
        }
    }

    /// The same as [`Line::push`], for building a line in one expression.
    pub fn with(mut self, text: impl AsRef<str>, style: Style) -> Self {
        self.push(text.as_ref(), style);
        self
    }

    pub fn extend(&mut self, other: &Line) {
        for span in &other.spans {
            self.push(&span.text, span.style);
        }
    }

    pub fn width(&self) -> usize {
        self.spans.iter().map(|span| text_width(&span.text)).sum()
    }

    /// The text without its styles.
    pub fn text(&self) -> String {
        self.spans.iter().map(|span| span.text.as_str()).collect()
    }

    /// Cuts the line to `width` columns; a cut line ends in `…`.
    pub fn truncated(self, width: usize) -> Self {
        if self.width() <= width {
            return self;
        }
        let mut kept = Line::default();
        let mut left = width.saturating_sub(1);
        'spans: for span in &self.spans {
            for grapheme in span.text.graphemes(true) {
                let columns = width_of_grapheme(grapheme);
                if columns > left {
                    kept.push("…", span.style);
                    break 'spans;
                }
                left -= columns;
                kept.push(grapheme, span.style);
            }
        }
        kept
    }

    /// Writes the line as terminal bytes, as the theme wants it.
    pub fn encode(&self, out: &mut String, theme: Theme) {
        for span in &self.spans {
            let style = theme.paint(span.style);
            if style != Style::new() {
                // Writing to a String cannot fail.
                let _ = write!(out, "{style}{}{style:#}", span.text);
            } else {
                out.push_str(&span.text);
            }
        }
    }
}

/// The texts of many lines, for tests and for plain mode.
#[cfg(test)]
pub(crate) fn plain_text(lines: &[Line]) -> String {
    lines.iter().map(|line| line.text() + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joins_runs_of_the_same_style() {
        let bold = Style::new().bold();
        let line = Line::plain("a").with("b", Style::new()).with("c", bold);
        assert_eq!(line.spans.len(), 2);
        assert_eq!(line.text(), "abc");
    }

    #[test]
    fn truncates_by_columns_not_by_characters() {
        let check = |text: &str, width: usize, expect: &str| {
            assert_eq!(Line::plain(text).truncated(width).text(), expect, "{text} at {width}");
        };
        check("hello", 5, "hello");
        check("hello!", 5, "hell…");
        check("日本語", 6, "日本語");
        check("日本語", 5, "日本…");
        check("日本語", 4, "日…");
    }

    #[test]
    fn colour_is_written_only_when_asked_for() {
        let line = Line::styled("x", Style::new().bold());
        let mut plain = String::new();
        line.encode(&mut plain, Theme::Plain);
        assert_eq!(plain, "x");
        let mut styled = String::new();
        line.encode(&mut styled, Theme::Terminal);
        assert_eq!(styled, "\u{1b}[1mx\u{1b}[0m");
    }
}
