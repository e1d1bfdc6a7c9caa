//! Makes foreign text harmless for a terminal.
//!
//! Everything that a model, a file, a command or a server wrote passes through here before it
//! becomes a [`super::line::Line`]: control characters, direction overrides and invisible
//! characters are shown, never interpreted.

use std::borrow::Cow;
use std::fmt::Write as _;

/// How much invisible text is acceptable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Care {
    /// Prose: the joiners that emoji and several scripts need are kept.
    Prose,
    /// What the user is asked to approve: nothing invisible passes.
    Strict,
}

/// Prose from the model or a tool; newlines stay, tabs become spaces.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    clean(text, Care::Prose)
}

/// A command, a path or a title that the user decides about.
pub(crate) fn strict(text: &str) -> Cow<'_, str> {
    clean(text, Care::Strict)
}

fn clean(text: &str, care: Care) -> Cow<'_, str> {
    if text.bytes().all(|byte| byte == b'\n' || (0x20..0x7f).contains(&byte)) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(|character| character != '\n' && must_show(character, care)) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' => out.push('\n'),
            '\t' => out.push_str("    "),
            '\r' if characters.peek() == Some(&'\n') => {}
            other if must_show(other, care) => show(other, &mut out),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

fn must_show(character: char, care: Care) -> bool {
    match character {
        '\u{200c}' | '\u{200d}' => care == Care::Strict,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => true,
        _ => false,
    }
}

fn show(character: char, out: &mut String) {
    match u32::from(character) {
        // The caret notation people know from `cat -v`: ESC is ^[.
        code @ 0..=0x1f => {
            out.push('^');
            out.push(char::from_u32(code + 0x40).unwrap_or('?'));
        }
        // Writing to a String cannot fail.
        code => drop(write!(out, "<U+{code:04X}>")),
    }
}

/// A command's output: colour codes are dropped, and of a line that a progress bar rewrote with
/// carriage returns only the last state is kept.
pub(crate) fn output(text: &str) -> String {
    let text = strip_escapes(text);
    let lines: Vec<Cow<'_, str>> = text
        .lines()
        .map(|line| safe(line.rsplit('\r').find(|part| !part.is_empty()).unwrap_or("")))
        .collect();
    lines.join("\n")
}

/// Removes terminal escape sequences (CSI, OSC and two-character ones) as a whole.
fn strip_escapes(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\u{1b}' {
            out.push(character);
            continue;
        }
        match characters.next() {
            Some('[') => {
                while characters.next().is_some_and(|next| !('@'..='~').contains(&next)) {}
            }
            Some(']') => {
                while let Some(next) = characters.next() {
                    if next == '\u{7}' || (next == '\u{1b}' && characters.next().is_some()) {
                        break;
                    }
                }
            }
            _ => {}
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_a_terminal_would_obey() {
        for (text, expect) in [
            ("plain\ntext", "plain\ntext"),
            ("a\tb", "a    b"),
            ("red \u{1b}[31m", "red ^[[31m"),
            ("bell\u{7}", "bell^G"),
            ("win\r\nline", "win\nline"),
            ("over\rwrite", "over^Mwrite"),
            ("\u{202e}gpj.exe", "<U+202E>gpj.exe"),
            ("zero\u{200b}width", "zero<U+200B>width"),
            ("c1 \u{9b}31m", "c1 <U+009B>31m"),
            ("é 日本 👨‍👩‍👧", "é 日本 👨‍👩‍👧"),
        ] {
            assert_eq!(safe(text), expect);
        }
        assert_eq!(strict("a\u{200d}b"), "a<U+200D>b");
    }

    #[test]
    fn output_keeps_the_last_state_of_a_line() {
        for (text, expect) in [
            ("\u{1b}[32mok\u{1b}[0m", "ok"),
            ("10%\r50%\r100%\n", "100%"),
            ("title\u{1b}]0;evil\u{7} text", "title text"),
            ("win\r\nline\r\n", "win\nline"),
        ] {
            assert_eq!(output(text), expect);
        }
    }
}
