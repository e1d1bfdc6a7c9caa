//! The tokens of HTML: tags and text, as forgiving as a browser and in linear time.

use super::entity::decode;

pub(super) enum Token {
    Open {
        name: String,
        attributes: Vec<(String, String)>,
        /// Written as `<x/>`.
        empty: bool,
    },
    Close {
        name: String,
    },
    Text(String),
}

pub(super) struct Tokens<'a> {
    rest: &'a str,
    /// Inside a script or style: nothing but its end is a tag.
    raw: Option<String>,
}

/// Nobody needs longer ones, and a tag that never ends must not be looked at again and again.
const LONGEST_TAG: usize = 64 * 1024;

impl<'a> Tokens<'a> {
    pub(super) fn new(html: &'a str) -> Tokens<'a> {
        Tokens { rest: html, raw: None }
    }

    fn take(&mut self, end: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        taken
    }

    /// Everything up to the end tag of a script or style.
    fn raw_text(&mut self, name: &str) -> Token {
        let closing = format!("</{name}");
        let mut from = 0;
        while let Some(at) = self.rest[from..].find("</") {
            let at = from + at;
            let found = self.rest.as_bytes().get(at..at + closing.len());
            if found.is_some_and(|found| found.eq_ignore_ascii_case(closing.as_bytes())) {
                return Token::Text(self.take(at).to_owned());
            }
            from = at + 2;
        }
        Token::Text(self.take(self.rest.len()).to_owned())
    }

    fn comment(&mut self) -> Option<()> {
        let (start, end) = match self.rest {
            rest if rest.starts_with("<!--") => (4, "-->"),
            rest if rest.starts_with("<![CDATA[") => (9, "]]>"),
            rest if rest.starts_with("<!") || rest.starts_with("<?") => (2, ">"),
            _ => return None,
        };
        let length = self.rest[start..].find(end).map(|at| start + at + end.len());
        self.take(length.unwrap_or(self.rest.len()));
        Some(())
    }

    /// The end of the tag that begins here: a `>` outside of quotes. Another `<` before it means that
    /// this is no tag, which keeps the search short.
    fn tag_end(&self) -> Option<usize> {
        let mut quote = None;
        let mut after_equals = false;
        for (at, byte) in self.rest.bytes().enumerate().take(LONGEST_TAG).skip(1) {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'>') => return Some(at),
                (None, b'<') => return None,
                (None, b'"' | b'\'') if after_equals => quote = Some(byte),
                _ => {}
            }
            after_equals = byte == b'=' || (after_equals && byte.is_ascii_whitespace());
        }
        None
    }

    fn tag(&mut self) -> Option<Token> {
        let second = self.rest.as_bytes().get(1)?;
        let closing = *second == b'/';
        let starts = self.rest.as_bytes().get(if closing { 2 } else { 1 })?;
        if !starts.is_ascii_alphabetic() {
            return None;
        }
        let end = self.tag_end()?;
        let inner = self.take(end + 1);
        let inner = inner[1..inner.len() - 1].trim_start_matches('/');
        let name_end = inner.find(|c: char| c.is_whitespace() || c == '/').unwrap_or(inner.len());
        let name = inner[..name_end].to_ascii_lowercase();
        if closing {
            return Some(Token::Close { name });
        }
        let empty = inner.ends_with('/');
        if matches!(name.as_str(), "script" | "style") && !empty {
            self.raw = Some(name.clone());
        }
        Some(Token::Open { attributes: attributes(&inner[name_end..]), name, empty })
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        if let Some(name) = self.raw.take() {
            return Some(self.raw_text(&name));
        }
        while self.rest.starts_with('<') && self.comment().is_some() {}
        if self.rest.is_empty() {
            return None;
        }
        if self.rest.starts_with('<')
            && let Some(tag) = self.tag()
        {
            return Some(tag);
        }
        // A `<` that begins no tag is text.
        let from = usize::from(self.rest.starts_with('<'));
        let end = self.rest[from..].find('<').map_or(self.rest.len(), |at| from + at);
        Some(Token::Text(decode(self.take(end))))
    }
}

fn attributes(text: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = text.trim_start_matches(|c: char| c.is_whitespace() || c == '/');
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_whitespace() || c == '=').unwrap_or(rest.len());
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            let after = after.trim_start();
            (value, rest) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    after[1..].split_once(quote).unwrap_or((&after[1..], ""))
                }
                _ => after.split_at(after.find(char::is_whitespace).unwrap_or(after.len())),
            };
        }
        if matches!(name.as_str(), "href" | "src" | "alt" | "start" | "class") {
            found.push((name, decode(value)));
        } else if end == 0 {
            // A stray `=`: nothing was taken, so something has to be.
            rest = rest.get(1..).unwrap_or_default();
        }
        rest = rest.trim_start();
    }
    found
}
