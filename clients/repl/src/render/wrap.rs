//! Breaks styled text into rows of a given width.

use anstyle::Style;
use unicode_segmentation::UnicodeSegmentation as _;

use super::line::{Line, Span};
use super::width::{text_width, width_of_grapheme};

/// What stands before the first row and before the following ones.
#[derive(Debug, Clone, Default)]
pub(crate) struct Margin {
    pub first: Line,
    pub rest: Line,
}

impl Margin {
    pub fn new(first: Line, rest: Line) -> Self {
        Self { first, rest }
    }

    /// The same number of spaces before every row.
    pub fn indent(columns: usize) -> Self {
        if columns == 0 {
            return Self::default();
        }
        let spaces = Line::plain(" ".repeat(columns));
        Self { first: spaces.clone(), rest: spaces }
    }
}

/// Wraps at spaces; a word longer than a row is cut. A newline in the text starts a new row.
pub(crate) fn wrap(spans: &[Span], width: usize, margin: &Margin) -> Vec<Line> {
    if let Some(line) = one_row(spans, width, margin) {
        return vec![line];
    }
    let mut wrapper = Wrapper::new(width, margin);
    for span in spans {
        wrapper.feed(&span.text, span.style);
    }
    wrapper.finish()
}

/// The common case: everything fits into one row.
fn one_row(spans: &[Span], width: usize, margin: &Margin) -> Option<Line> {
    let mut left = width.checked_sub(margin.first.width())?;
    for span in spans {
        if span.text.contains('\n') {
            return None;
        }
        left = left.checked_sub(text_width(&span.text))?;
    }
    let mut line = margin.first.clone();
    for span in spans {
        line.push(&span.text, span.style);
    }
    Some(line)
}

/// Wraps exactly at the edge and keeps every space: for code and for command output.
pub(crate) fn wrap_exact(line: &Line, width: usize, margin: &Margin) -> Vec<Line> {
    if margin.first.width() + line.width() <= width {
        let mut whole = margin.first.clone();
        whole.extend(line);
        return vec![whole];
    }
    let mut wrapper = Wrapper::new(width, margin);
    for span in &line.spans {
        wrapper.cut(&span.text, span.style);
    }
    wrapper.finish()
}

struct Wrapper<'a> {
    width: usize,
    margin: &'a Margin,
    lines: Vec<Line>,
    /// The row being filled, margin included.
    row: Line,
    /// Columns used and the columns of the row's margin.
    used: usize,
    start: usize,
    /// Spaces that are written only if a word follows on the same row.
    gap: usize,
    gap_style: Style,
    /// The word being collected; it may run over several spans.
    word: Vec<(&'a str, Style)>,
    word_width: usize,
}

impl<'a> Wrapper<'a> {
    fn new(width: usize, margin: &'a Margin) -> Self {
        let start = margin.first.width();
        Self {
            // A row must take at least a wide character, however narrow the terminal.
            width: width.max(start.max(margin.rest.width()) + 2),
            margin,
            lines: Vec::new(),
            row: margin.first.clone(),
            used: start,
            start,
            gap: 0,
            gap_style: Style::new(),
            word: Vec::new(),
            word_width: 0,
        }
    }

    fn feed(&mut self, text: &'a str, style: Style) {
        let mut rest = text;
        while let Some(at) = rest.find([' ', '\n']) {
            self.add_to_word(&rest[..at], style);
            self.place_word();
            if rest.as_bytes()[at] == b'\n' {
                self.break_row();
            } else {
                self.gap += 1;
                self.gap_style = style;
            }
            rest = &rest[at + 1..];
        }
        self.add_to_word(rest, style);
    }

    fn add_to_word(&mut self, text: &'a str, style: Style) {
        if !text.is_empty() {
            self.word_width += text_width(text);
            self.word.push((text, style));
        }
    }

    fn place_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let fresh = self.used == self.start;
        if !fresh && self.used + self.gap + self.word_width > self.width {
            self.break_row();
        } else if self.gap > 0 {
            let gap = " ".repeat(self.gap.min(self.width - self.used));
            self.row.push(&gap, self.gap_style);
            self.used += gap.len();
        }
        self.gap = 0;
        let fits = self.used + self.word_width <= self.width;
        self.word_width = 0;
        for (text, style) in std::mem::take(&mut self.word) {
            if fits {
                self.used += text_width(text);
                self.row.push(text, style);
            } else {
                self.cut(text, style);
            }
        }
    }

    /// Fills rows to the edge, grapheme by grapheme.
    fn cut(&mut self, text: &str, style: Style) {
        for grapheme in text.graphemes(true) {
            if grapheme == "\n" {
                self.break_row();
                continue;
            }
            let columns = width_of_grapheme(grapheme);
            if self.used + columns > self.width {
                self.break_row();
            }
            self.row.push(grapheme, style);
            self.used += columns;
        }
    }

    fn break_row(&mut self) {
        self.lines.push(std::mem::replace(&mut self.row, self.margin.rest.clone()));
        self.start = self.margin.rest.width();
        self.used = self.start;
        self.gap = 0;
    }

    fn finish(mut self) -> Vec<Line> {
        self.place_word();
        self.lines.push(self.row);
        self.lines
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::plain_text;
    use super::*;

    fn check(text: &str, width: usize, expect: &[&str]) {
        let margin = Margin::new(Line::plain("- "), Line::plain("  "));
        let lines = wrap(&[Span::new(text, Style::new())], width, &margin);
        assert_eq!(plain_text(&lines).lines().collect::<Vec<_>>(), expect, "{text:?}");
    }

    #[test]
    fn breaks_at_spaces() {
        check("one two three", 9, &["- one two", "  three"]);
        check("one  two", 20, &["- one  two"]);
        check("a\nb", 20, &["- a", "  b"]);
        check("", 20, &["- "]);
    }

    #[test]
    fn cuts_what_is_too_long() {
        check("abcdefghij", 6, &["- abcd", "  efgh", "  ij"]);
        check("x abcdefghij", 6, &["- x", "  abcd", "  efgh", "  ij"]);
        check("日本語", 6, &["- 日本", "  語"]);
        check("日本", 1, &["- 日", "  本"]);
    }

    #[test]
    fn a_word_over_two_styles_stays_whole() {
        let spans = [Span::new("aa b", Style::new()), Span::new("bb", Style::new().bold())];
        let lines = wrap(&spans, 5, &Margin::default());
        assert_eq!(plain_text(&lines), "aa\nbbb\n");
    }

    #[test]
    fn exact_wrapping_keeps_spaces() {
        let lines = wrap_exact(&Line::plain("a   b  c"), 5, &Margin::indent(1));
        assert_eq!(plain_text(&lines), " a   \n b  c\n");
    }
}
