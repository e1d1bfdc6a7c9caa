//! Quotes, variables and substitutions: the part of a word that is not what it looks like.

use super::{DEEPEST, Inside, Lexer};

impl Lexer<'_> {
    pub(super) fn single_quoted(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.word().push(c, false),
                None => return self.out.unfinished = true,
            }
        }
    }

    pub(super) fn double_quoted(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('"') => return,
                Some('\\') => match self.next() {
                    Some('\n') => {}
                    Some(c @ ('$' | '`' | '"' | '\\')) => self.word().push(c, false),
                    Some(c) => {
                        self.word().push('\\', false);
                        self.word().push(c, false);
                    }
                    None => return self.out.unfinished = true,
                },
                Some('`') => self.backticks(),
                Some('$') => self.dollar(true),
                Some(c) => self.word().push(c, false),
                None => return self.out.unfinished = true,
            }
        }
    }

    pub(super) fn backticks(&mut self) {
        self.word().dynamic = true;
        let mut inner = String::new();
        loop {
            match self.next() {
                Some('`') => break,
                Some('\\') => inner.extend(self.next()),
                Some(c) => inner.push(c),
                None => {
                    self.out.unfinished = true;
                    break;
                }
            }
        }
        self.word().push_text(&format!("`{inner}`"));
        self.out.nested.push(inner);
    }

    pub(super) fn dollar(&mut self, quoted: bool) {
        match self.peek(0) {
            Some('\'') if !quoted => {
                self.at += 1;
                self.ansi_quoted();
            }
            // A translated string is a double-quoted one whose text may change.
            Some('"') if !quoted => self.word().dynamic = true,
            Some('(') => self.command_substitution(),
            Some('[') => self.expansion('[', ']'),
            Some('{') => self.expansion('{', '}'),
            Some(c) if c == '_' || c.is_ascii_alphabetic() => {
                let mut name = String::new();
                while let Some(c) = self.peek(0).filter(|c| *c == '_' || c.is_ascii_alphanumeric())
                {
                    name.push(c);
                    self.at += 1;
                }
                self.variable(&name, &format!("${name}"));
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.at += 1;
                self.variable("", &format!("${c}"));
            }
            _ => self.word().push('$', false),
        }
    }

    fn variable(&mut self, name: &str, written: &str) {
        match (name, self.home) {
            // What `$IFS` separates becomes separate words.
            ("IFS", _) => {
                self.end_word();
                self.word().dynamic = true;
            }
            ("HOME", Some(home)) => {
                let word = self.word.get_or_insert_default();
                word.dynamic = true;
                word.push_text(home);
            }
            _ => {
                self.word().dynamic = true;
                self.word().push_text(written);
            }
        }
    }

    fn command_substitution(&mut self) {
        self.at += 1;
        let from = self.at;
        let (inner, end) = self.inside_from(from, false);
        // Only a full parser can tell every `)` of a `case` apart, so both readings are kept.
        if self.depth == 0 && inner.contains("case") {
            let (longer, _) = self.inside_from(from, true);
            self.out.nested.push(longer);
        }
        self.at = end;
        self.variable("", &format!("$({inner})"));
        self.out.nested.push(inner);
    }

    /// The text of a substitution that starts at `from`, and where the text after it goes on.
    fn inside_from(&mut self, from: usize, minds_cases: bool) -> (String, usize) {
        let mut inner = Lexer::new(self.chars, self.home);
        inner.at = from;
        inner.depth = self.depth + 1;
        inner.inside = Some(Inside { open: 0, closed: false, minds_cases, cases: 0 });
        if inner.depth <= DEEPEST {
            inner.run();
        } else {
            inner.at = self.chars.len();
        }
        let closed = inner.inside.is_some_and(|inside| inside.closed);
        self.out.unfinished |= !closed;
        let end = inner.at;
        let to = if closed { end - 1 } else { end };
        (self.chars.get(from..to).unwrap_or_default().iter().collect(), end)
    }

    fn expansion(&mut self, open: char, close: char) {
        self.at += 1;
        let from = self.at;
        let mut depth = 1usize;
        let mut quote = None;
        while let Some(c) = self.next() {
            match (c, quote) {
                ('\\', None | Some('"')) => self.at += 1,
                (c, Some(q)) if c == q => quote = None,
                ('\'' | '"', None) => quote = Some(c),
                (c, None) if c == open => depth += 1,
                (c, None) if c == close => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        self.at = self.at.min(self.chars.len());
        self.out.unfinished |= depth > 0;
        let to = if depth == 0 { self.at - 1 } else { self.at };
        let inner: String = self.chars[from..to].iter().collect();
        let name: String =
            inner.chars().take_while(|c| *c == '_' || c.is_ascii_alphanumeric()).collect();
        let name = if open == '{' && (name == "IFS" || name == inner) { name.as_str() } else { "" };
        self.variable(name, &format!("${open}{inner}{close}"));
        self.out.nested.push(inner);
    }

    fn ansi_quoted(&mut self) {
        self.word();
        // A NUL ends the text inside the quotes, for bash keeps it as C does.
        let mut ended = false;
        loop {
            let before = self.word().marks.len();
            match self.next() {
                Some('\'') => return,
                Some('\\') => ended |= self.ansi_escape() == Some('\0'),
                Some(c) => self.word().push(c, false),
                None => return self.out.unfinished = true,
            }
            if ended {
                self.word().marks.truncate(before);
            }
        }
    }

    /// Adds what an escape stands for, and gives it if it is one character.
    fn ansi_escape(&mut self) -> Option<char> {
        let c = self.next()?;
        let code = match c {
            'a' => Some(7),
            'b' => Some(8),
            'e' | 'E' => Some(27),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            'c' => self.next().map(|c| u32::from(c) & 0x1f),
            'x' if self.peek(0) == Some('{') => self.braced_byte(),
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3).map(|code| code & 0xff)
            }
            '\\' | '\'' | '"' | '?' => Some(u32::from(c)),
            _ => None,
        };
        let Some(decoded) = code.and_then(char::from_u32) else {
            self.word().push('\\', false);
            self.word().push(c, false);
            return None;
        };
        // Bytes beyond ASCII make up characters together, or none.
        self.word().dynamic |= !decoded.is_ascii() && !matches!(c, 'u' | 'U');
        self.word().push(decoded, false);
        Some(decoded)
    }

    /// `\x{…}`: any number of digits, of which the last byte counts.
    fn braced_byte(&mut self) -> Option<u32> {
        self.at += 1;
        let code = self.digits(16, usize::MAX);
        if self.peek(0) == Some('}') {
            self.at += 1;
        }
        code.map(|code| code & 0xff)
    }

    fn digits(&mut self, radix: u32, most: usize) -> Option<u32> {
        let mut value = None;
        for _ in 0..most {
            let Some(digit) = self.peek(0).and_then(|c| c.to_digit(radix)) else { break };
            value = Some(value.unwrap_or(0u32).wrapping_mul(radix).wrapping_add(digit));
            self.at += 1;
        }
        value
    }
}
