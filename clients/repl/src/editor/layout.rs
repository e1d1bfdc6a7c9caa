//! Where the text being written stands on the screen: rows of a given width, and the caret.

use unicode_segmentation::UnicodeSegmentation as _;

use super::buffer::Buffer;
use crate::render::safe::safe;
use crate::render::width::width_of_grapheme;

/// The rows around the caret.
#[derive(Debug, PartialEq)]
pub(crate) struct View {
    pub rows: Vec<String>,
    pub caret_row: usize,
    pub caret_column: usize,
    /// Text above or below that is not shown.
    pub more_above: bool,
    pub more_below: bool,
}

/// Lays out at most `height` rows of `width` columns so that the caret is among them. Only the
/// lines near the caret are looked at, so that a key stays fast in a long text.
pub(crate) fn view(buffer: &Buffer, width: usize, height: usize) -> View {
    let (text, caret) = (buffer.text(), buffer.caret());
    let (width, height) = (width.max(2), height.max(1));
    let start = lines_before(text, caret, height);
    let end = lines_after(text, caret, height);
    let mut rows = vec![String::new()];
    let (mut column, mut place) = (0, (0, 0));
    for (offset, grapheme) in text[start..end].grapheme_indices(true) {
        let shown = safe(grapheme);
        let columns: usize = shown.graphemes(true).map(width_of_grapheme).sum();
        if column + columns > width && grapheme != "\n" {
            rows.push(String::new());
            column = 0;
        }
        if start + offset == caret {
            place = (rows.len() - 1, column);
        }
        if grapheme == "\n" {
            rows.push(String::new());
            column = 0;
            continue;
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(&shown);
        }
        column += columns;
    }
    if caret == end {
        if column >= width {
            rows.push(String::new());
            column = 0;
        }
        place = (rows.len() - 1, column);
    }
    window(rows, place, height, (start > 0, end < text.len()))
}

/// The start of the line `count` lines above the caret's.
fn lines_before(text: &str, caret: usize, count: usize) -> usize {
    text[..caret].rmatch_indices('\n').nth(count).map_or(0, |(at, _)| at + 1)
}

fn lines_after(text: &str, caret: usize, count: usize) -> usize {
    text[caret..].match_indices('\n').nth(count).map_or(text.len(), |(at, _)| caret + at)
}

fn window(rows: Vec<String>, caret: (usize, usize), height: usize, cut: (bool, bool)) -> View {
    let total = rows.len();
    let top = if total <= height {
        0
    } else {
        (caret.0 + 1).saturating_sub(height.div_ceil(2)).min(total - height)
    };
    View {
        rows: rows.into_iter().skip(top).take(height).collect(),
        caret_row: caret.0 - top,
        caret_column: caret.1,
        more_above: top > 0 || cut.0,
        more_below: top + height < total || cut.1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, width: usize, height: usize, rows: &[&str], caret: (usize, usize)) {
        let mut buffer = Buffer::default();
        buffer.insert(&text.replace('|', ""));
        let target = text.find('|').expect("the caret is marked");
        while buffer.caret() > target {
            buffer.move_left();
        }
        let view = view(&buffer, width, height);
        assert_eq!(view.rows, rows, "{text:?}");
        assert_eq!((view.caret_row, view.caret_column), caret, "{text:?}");
    }

    #[test]
    fn wraps_and_finds_the_caret() {
        check("|", 10, 5, &[""], (0, 0));
        check("abc|", 10, 5, &["abc"], (0, 3));
        check("abcd|", 4, 5, &["abcd", ""], (1, 0));
        check("ab|cde", 4, 5, &["abcd", "e"], (0, 2));
        check("abcd|e", 4, 5, &["abcd", "e"], (1, 0));
        check("a\n|b", 4, 5, &["a", "b"], (1, 0));
        check("日本|語", 5, 5, &["日本", "語"], (1, 0));
        check("a\t|b", 9, 5, &["a    b"], (0, 5));
    }

    #[test]
    fn shows_the_rows_around_the_caret() {
        check("1\n2\n3\n4\n5|", 9, 3, &["3", "4", "5"], (2, 1));
        check("1|\n2\n3\n4\n5", 9, 3, &["1", "2", "3"], (0, 1));
        check("1\n2\n3|\n4\n5", 9, 3, &["2", "3", "4"], (1, 1));
    }
}
