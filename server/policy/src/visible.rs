//! Text as a person should see it: what would steer a terminal or hide from the eye is spelled out.

use std::borrow::Cow;

/// `text` with control bytes, direction marks, invisible and look-alike blanks written as escapes.
/// Line ends and tabs are escaped too, so that the result is one line.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(|c| is_hidden(c) || c == '\n' || c == '\t') {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' | '\t' | '\r' => shown.extend(c.escape_default()),
            c if is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Characters that look like something else or like nothing; bash and the reader of a prompt may
/// see different commands.
pub(crate) fn is_hidden(c: char) -> bool {
    let blank = c.is_whitespace() && !matches!(c, ' ' | '\n' | '\t');
    let invisible = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e01ef}');
    (c.is_control() && c != '\n' && c != '\t') || blank || invisible
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_stays_hidden() {
        let check = |text: &str, expect: &str| assert_eq!(visible(text), expect);
        check("git log --oneline", "git log --oneline");
        check("größe 日本", "größe 日本");
        check("echo hi\rtouch x", "echo hi\\rtouch x");
        check("a\u{1b}[2Kb", "a\\u{1b}[2Kb");
        check("a\u{202e}b\u{200b}c", "a\\u{202e}b\\u{200b}c");
        check("a\u{a0}b", "a\\u{a0}b");
        check("a\nb\tc", "a\\nb\\tc");
        check("x\u{8}y\u{e0041}", "x\\u{8}y\\u{e0041}");
    }
}
