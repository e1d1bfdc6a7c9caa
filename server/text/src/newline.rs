//! How the lines of a text end, and text with the ends another text uses.

use std::borrow::Cow;

use crate::edit::{Edit, Splice};
use crate::text::Text;

/// How the lines of a text end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Newline {
    Lf,
    CrLf,
    Cr,
    /// More than one kind.
    Mixed,
    /// There is only one line.
    None,
}

impl Newline {
    /// What a text uses.
    pub fn of(text: &str) -> Newline {
        Newline::of_chunks([text])
    }

    /// What a text in pieces uses. A `\r\n` may be torn between two of them.
    pub fn of_chunks<'a>(chunks: impl IntoIterator<Item = &'a str>) -> Newline {
        let mut found = Newline::None;
        let mut after_cr = false;
        for chunk in chunks {
            for byte in chunk.as_bytes() {
                let ended = match byte {
                    b'\n' if after_cr => Newline::CrLf,
                    b'\n' => Newline::Lf,
                    _ if after_cr => Newline::Cr,
                    _ => Newline::None,
                };
                after_cr = *byte == b'\r';
                found = found.and(ended);
                if found == Newline::Mixed {
                    return Newline::Mixed;
                }
            }
        }
        if after_cr { found.and(Newline::Cr) } else { found }
    }

    fn and(self, other: Newline) -> Newline {
        match (self, other) {
            (one, Newline::None) | (Newline::None, one) => one,
            (one, other) if one == other => one,
            _ => Newline::Mixed,
        }
    }

    /// The terminator itself, where there is one answer.
    pub fn as_str(self) -> Option<&'static str> {
        match self {
            Newline::Lf => Some("\n"),
            Newline::CrLf => Some("\r\n"),
            Newline::Cr => Some("\r"),
            Newline::Mixed | Newline::None => None,
        }
    }

    /// The same lines, each ended this way. `Mixed` and `None` have no way, so nothing changes.
    pub fn convert(self, text: &str) -> Cow<'_, str> {
        let Some(end) = self.as_str() else { return Cow::Borrowed(text) };
        let found = Newline::of(text);
        if found == Newline::None || found == self {
            return Cow::Borrowed(text);
        }
        let mut converted = String::with_capacity(text.len() + text.len() / 16);
        let mut rest = text;
        while let Some(at) = rest.find(['\r', '\n']) {
            converted.push_str(&rest[..at]);
            converted.push_str(end);
            rest = &rest[at..];
            rest = rest.strip_prefix("\r\n").unwrap_or_else(|| &rest[1..]);
        }
        converted.push_str(rest);
        Cow::Owned(converted)
    }
}

/// Whether a cut here would tear a `\r\n` apart. No editor can name such a place.
pub(crate) fn tears_crlf(text: &str, offset: usize) -> bool {
    let bytes = text.as_bytes();
    offset > 0 && bytes.get(offset - 1) == Some(&b'\r') && bytes.get(offset) == Some(&b'\n')
}

/// The ends of lines in a text. A `\r\n` counts once; neither end of `text` tears one apart.
pub(crate) fn line_breaks(text: &str) -> usize {
    let bytes = text.as_bytes();
    (0..bytes.len()).filter(|at| ends_line(bytes, *at)).count()
}

/// Whether a line ends with this byte.
pub(crate) fn ends_line(bytes: &[u8], at: usize) -> bool {
    match bytes[at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}

/// The same edit without a cut inside a `\r\n` of the old text, so that an editor can express it.
/// Its splices do not touch.
pub(crate) fn whole_line_ends(text: &Text, edit: Edit) -> Edit {
    let torn = |at: usize| at > 0 && text.slice(at - 1..at + 1).is_some_and(|pair| pair == "\r\n");
    if !edit.splices().iter().any(|splice| torn(splice.range.start) || torn(splice.range.end)) {
        return edit;
    }
    let whole = |splice: &Splice| {
        let Splice { mut range, mut text } = splice.clone();
        if torn(splice.range.start) {
            range.start -= 1;
            text.insert(0, '\r');
        }
        if torn(splice.range.end) {
            range.end += 1;
            text.push('\n');
        }
        Splice { range, text }
    };
    Edit::from_sorted(edit.len_before(), edit.splices().iter().map(whole).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nasty;
    use proptest::prelude::*;

    #[test]
    fn what_a_text_uses() {
        let check = |text: &str, expect: Newline| assert_eq!(Newline::of(text), expect, "{text:?}");
        check("", Newline::None);
        check("one line", Newline::None);
        check("a\nb", Newline::Lf);
        check("a\r\nb\r\n", Newline::CrLf);
        check("a\rb\r", Newline::Cr);
        check("a\r", Newline::Cr);
        check("a\r\nb\n", Newline::Mixed);
        check("a\r\rb\r\n", Newline::Mixed);
        check("a\n\r", Newline::Mixed);
        check("a\u{2028}b\u{85}c\u{b}d\u{c}e", Newline::None);
        assert_eq!(Newline::of_chunks(["a\r", "", "\nb\r", "\n"]), Newline::CrLf);
        assert_eq!(Newline::of_chunks(["a\r", "b\n"]), Newline::Mixed);
        assert_eq!(Newline::of_chunks([]), Newline::None);
    }

    #[test]
    fn other_ends() {
        let check = |newline: Newline, text: &str, expect: &str| {
            assert_eq!(newline.convert(text), expect, "{text:?}");
        };
        check(Newline::CrLf, "a\nb\r\nc\rd", "a\r\nb\r\nc\r\nd");
        check(Newline::Lf, "a\r\n\rb\n", "a\n\nb\n");
        check(Newline::Cr, "\n\n", "\r\r");
        check(Newline::Mixed, "a\nb\r\n", "a\nb\r\n");
        check(Newline::None, "a\nb", "a\nb");
        check(Newline::Lf, "é😀\r\n", "é😀\n");
    }

    proptest! {
        #[test]
        fn conversion_keeps_the_lines(text in nasty::text()) {
            let crlf = Newline::CrLf.convert(&text);
            prop_assert_eq!(Newline::Lf.convert(&crlf), Newline::Lf.convert(&text));
            prop_assert!(matches!(Newline::of(&crlf), Newline::CrLf | Newline::None));
        }
    }
}
