//! Text as a model reads it best: lines with numbers, and long things with the middle left out.

use std::fmt::Write;

use text::Text;

/// A longer line is cut: it is data, or minified, and its start tells what it is.
const LINE_CAP: usize = 2_000;

/// Lines of a text, each with its number in front.
pub(crate) struct Numbered {
    pub(crate) text: String,
    /// The number of the last line in `text`, counted from one.
    pub(crate) last: usize,
}

/// How many lines a text has for a reader: the empty one after the last end of line is none.
pub(crate) fn line_count(text: &Text) -> usize {
    let last = text.len_lines() - 1;
    if text.line_to_byte(last) == text.len_bytes() { last } else { last + 1 }
}

/// The lines from `first` on, counted from one, as many as fit into `lines` and `bytes`.
pub(crate) fn numbered(text: &Text, first: usize, lines: usize, bytes: usize) -> Numbered {
    let end = line_count(text).min(first.saturating_sub(1).saturating_add(lines));
    let mut out = String::new();
    let mut last = first.saturating_sub(1);
    for index in first.saturating_sub(1)..end {
        let Some(line) = text.line(index) else { break };
        let before = out.len();
        let number = index + 1;
        // Writing into a string cannot fail.
        let _ = writeln!(out, "{number:>6}\t{}", cut_line(line.trim_end_matches(['\r', '\n'])));
        if out.len() > bytes && before > 0 {
            out.truncate(before);
            break;
        }
        last = number;
    }
    Numbered { text: out, last }
}

/// The lines of a place and a few around it, with their numbers, for a model that has to look again.
pub fn excerpt(text: &Text, bytes: std::ops::Range<usize>) -> String {
    const AROUND: usize = 4;
    const LINES: usize = 40;
    let end = bytes.end.min(text.len_bytes());
    let first = text.byte_to_line(bytes.start.min(end)).saturating_sub(AROUND);
    let last = text.byte_to_line(end) + AROUND;
    numbered(text, first + 1, (last - first + 1).min(LINES), 8_000).text
}

fn cut_line(line: &str) -> String {
    if line.len() <= LINE_CAP {
        return line.to_owned();
    }
    let head = &line[..line.floor_char_boundary(LINE_CAP)];
    format!("{head}… ({} more bytes in this line)", line.len() - head.len())
}

/// A text of at most about `cap` bytes, whole at its start and end.
pub(crate) fn head_and_tail(text: &str, cap: usize) -> String {
    if text.len() <= cap {
        return text.to_owned();
    }
    let head = &text[..text.floor_char_boundary(cap / 2)];
    let tail = &text[text.ceil_char_boundary(text.len() - cap / 2)..];
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n… {left_out} bytes left out …\n{tail}")
}

/// A number with its noun: `1 file`, `2 files`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// A note from us, which the model must not take for part of a file or of an output.
pub fn reminder(note: &str) -> String {
    format!("<system-reminder>{note}</system-reminder>")
}

/// Whether a text is such a note, and nothing else.
pub fn is_reminder(text: &str) -> bool {
    text.starts_with("<system-reminder>") && text.ends_with("</system-reminder>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_lines() {
        let check = |text: &str, first: usize, lines: usize, expect: &str, last: usize| {
            let shown = numbered(&Text::from(text), first, lines, 1_000);
            assert_eq!((shown.text.as_str(), shown.last), (expect, last), "{text:?}");
        };
        check("a\nb\n", 1, 9, "     1\ta\n     2\tb\n", 2);
        check("a\r\nb", 2, 9, "     2\tb\n", 2);
        check("a\nb\nc", 2, 1, "     2\tb\n", 2);
        check("", 1, 9, "", 0);
        check("a", 5, 9, "", 4);
    }

    #[test]
    fn bounds() {
        let many = Text::from("0123456789\n".repeat(100));
        let shown = numbered(&many, 1, 1_000, 100);
        assert!(shown.text.len() <= 100 && shown.last == 5, "{}", shown.last);
        // One line is always shown, cut if it must be.
        let long = Text::from("é".repeat(5_000));
        let shown = numbered(&long, 1, 10, 100);
        assert_eq!(shown.last, 1);
        assert!(shown.text.ends_with("… (8000 more bytes in this line)\n"), "{}", shown.text);
        assert_eq!(head_and_tail("short", 9), "short");
        let cut = head_and_tail(&"é".repeat(100), 21);
        assert_eq!(cut, format!("{0}\n… 180 bytes left out …\n{0}", "é".repeat(5)));
    }
}
