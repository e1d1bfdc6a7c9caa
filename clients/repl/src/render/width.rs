//! How many columns a piece of text takes in a terminal.
//!
//! ASCII is the common case and costs a byte scan; everything else goes by grapheme, because a
//! family emoji is two columns and not eight.

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

/// The columns of one grapheme. Never more than two: terminals draw a joined emoji as one cell pair.
pub(crate) fn width_of_grapheme(grapheme: &str) -> usize {
    match grapheme.as_bytes() {
        [byte] if (0x20..0x7f).contains(byte) => 1,
        _ => grapheme.width().min(2),
    }
}

pub(crate) fn text_width(text: &str) -> usize {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.len();
    }
    text.graphemes(true).map(width_of_grapheme).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_columns() {
        for (text, columns) in
            [("", 0), ("abc", 3), ("é", 1), ("日本", 4), ("👨‍👩‍👧", 2), ("e\u{301}", 1)]
        {
            assert_eq!(text_width(text), columns, "{text:?}");
        }
    }
}
