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
    /// What a shell or a program will take word for word: nothing that only looks like something
    /// else passes either.
    Literal,
}

/// So many blanks in a row push what follows out of sight, and are counted instead.
const LONG_GAP: usize = 40;
/// So many empty lines do the same.
const LONG_SPACE: usize = 4;

/// Prose from the model or a tool; newlines stay, tabs become spaces.
pub(crate) fn safe(text: &str) -> Cow<'_, str> {
    clean(text, Care::Prose)
}

/// A path or a title that the user decides about.
pub(crate) fn strict(text: &str) -> Cow<'_, str> {
    clean(text, Care::Strict)
}

/// A command or an address that the user decides about. Padding is named by its length, so that
/// no tail hides behind it.
pub(crate) fn literal(text: &str) -> String {
    let text = clean(text, Care::Literal);
    let mut out = String::with_capacity(text.len());
    let mut empty = 0;
    for line in text.trim_end_matches('\n').split('\n') {
        if line.trim().is_empty() {
            empty += 1;
            continue;
        }
        push_empty_lines(empty, &mut out);
        empty = 0;
        push_line(line, &mut out);
        out.push('\n');
    }
    push_empty_lines(empty, &mut out);
    out.truncate(out.trim_end_matches('\n').len());
    out
}

fn push_empty_lines(count: usize, out: &mut String) {
    if count < LONG_SPACE {
        (0..count).for_each(|_| out.push('\n'));
    } else {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "<{count} empty lines>");
    }
}

fn push_line(line: &str, out: &mut String) {
    let mut rest = line;
    while let Some(start) = rest.find(' ') {
        let (before, gap) = rest.split_at(start);
        let blanks = gap.len() - gap.trim_start_matches(' ').len();
        out.push_str(before);
        if blanks < LONG_GAP {
            out.push_str(&gap[..blanks]);
        } else {
            let _ = write!(out, "<{blanks} spaces>");
        }
        rest = &gap[blanks..];
    }
    out.push_str(rest);
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
            '\r' if care != Care::Literal && characters.peek() == Some(&'\n') => {}
            other if must_show(other, care) => show(other, &mut out),
            other => out.push(other),
        }
    }
    Cow::Owned(out)
}

fn must_show(character: char, care: Care) -> bool {
    match character {
        '\u{200c}' | '\u{200d}' | '\u{fe00}'..='\u{fe0f}' => care != Care::Prose,
        _ if care == Care::Literal && looks_like_another(character) => true,
        '\0'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        _ => false,
    }
}

/// Quotes, blanks and signs of the shell that are others than they seem.
fn looks_like_another(character: char) -> bool {
    matches!(character,
        // Quotes.
        '\u{b4}' | '\u{2b9}'..='\u{2bd}' | '\u{2c8}' | '\u{2ca}' | '\u{2cb}' | '\u{2018}'..='\u{201f}'
        | '\u{2032}'..='\u{2037}' | '\u{301d}'..='\u{301f}' | '\u{ff02}' | '\u{ff07}' | '\u{ff40}'
        // Blanks.
        | '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{2800}'
        | '\u{3000}'
        // ; | & < > $ / \ and the dot between the parts of a name.
        | '\u{37e}' | '\u{ff1b}' | '\u{ff5c}' | '\u{ff06}' | '\u{ff1c}' | '\u{ff1e}' | '\u{ff04}'
        | '\u{2044}' | '\u{2215}' | '\u{29f8}' | '\u{ff0f}' | '\u{2216}' | '\u{29f5}' | '\u{ff3c}'
        | '\u{2024}' | '\u{3002}' | '\u{ff0e}' | '\u{ff61}')
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
    fn nothing_hides_in_a_command() {
        let gap = " ".repeat(500);
        for (text, expect) in [
            ("ls -l  src", "ls -l  src"),
            ("ls\n\n  -l\n", "ls\n\n  -l"),
            (&format!("ls{gap}; rm -r ~"), "ls<500 spaces>; rm -r ~"),
            (&format!("ls{}; rm -r ~", "\t".repeat(20)), "ls<80 spaces>; rm -r ~"),
            (&format!("ls{}rm -r ~", "\n".repeat(30)), "ls\n<29 empty lines>\nrm -r ~"),
            ("echo \u{2018}a\u{2019} \u{ff1b}", "echo <U+2018>a<U+2019> <U+FF1B>"),
            ("echo a\u{a0}b", "echo a<U+00A0>b"),
            ("rm a\u{8}\u{8}b\r", "rm a^H^Hb^M"),
            ("git commit -m 'für 日本 — ok'", "git commit -m 'für 日本 — ok'"),
        ] {
            assert_eq!(literal(text), expect);
        }
        assert_eq!(strict("don\u{2019}t"), "don\u{2019}t");
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
