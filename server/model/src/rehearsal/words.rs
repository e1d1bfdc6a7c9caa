//! A prompt cut into words, quotations and code blocks, and those into steps.

/// One word or quotation, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    /// The word, or what is between the quotes.
    pub(super) text: String,
    pub(super) start: usize,
    pub(super) end: usize,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum TokenKind {
    Word,
    Quoted,
    /// A ``` block.
    Fence,
    LineEnd,
}

impl Token {
    /// A word without the punctuation around it, in small letters; empty for anything else.
    pub(super) fn plain(&self) -> String {
        match self.kind {
            TokenKind::Word => trimmed(&self.text).to_lowercase(),
            _ => String::new(),
        }
    }

    /// What the token names: a quotation as it is, a word without punctuation and `@`.
    pub(super) fn value(&self) -> String {
        match self.kind {
            TokenKind::Word => trimmed(&self.text).trim_start_matches('@').to_owned(),
            _ => self.text.clone(),
        }
    }

    pub(super) fn is_quoted(&self) -> bool {
        matches!(self.kind, TokenKind::Quoted | TokenKind::Fence)
    }

    /// Looks like the name of a file or a folder.
    pub(super) fn is_path(&self) -> bool {
        let text = self.value();
        let name = text.rsplit('/').next().unwrap_or_default();
        let extension = name.rsplit_once('.').is_some_and(|(stem, extension)| {
            (!stem.is_empty() || text.starts_with('.'))
                && !extension.is_empty()
                && extension.chars().all(|c| c.is_ascii_alphanumeric())
                && !name.contains(['(', ')', ' '])
        });
        let known = ["Makefile", "Dockerfile", "LICENSE", "README", "Justfile"].contains(&name);
        !text.is_empty() && (text.contains('/') || extension || known || self.text.starts_with('@'))
    }
}

fn trimmed(word: &str) -> &str {
    let word = word.trim_end_matches([',', ';', ':', '?', '!', ')']);
    let word = word.strip_suffix('.').unwrap_or(word);
    word.trim_start_matches('(')
}

/// One step of a prompt: its tokens and its text as it was typed.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step<'a> {
    pub(super) tokens: Vec<Token>,
    pub(super) raw: &'a str,
}

/// Steps are separated by line ends and by the word `then`.
pub(super) fn steps(text: &str) -> Vec<Step<'_>> {
    let mut steps = Vec::new();
    let mut current: Vec<Token> = Vec::new();
    let tokens = tokens(text);
    for (at, token) in tokens.iter().enumerate() {
        let ends = match token.kind {
            // A code block on the next line still belongs to what was said before it.
            TokenKind::LineEnd => {
                let next = tokens[at..].iter().find(|next| next.kind != TokenKind::LineEnd);
                next.is_none_or(|next| next.kind != TokenKind::Fence)
            }
            TokenKind::Word => token.plain() == "then" && !is_shell(&current),
            _ => false,
        };
        if ends {
            push_step(&mut steps, &mut current, text);
        } else if token.kind != TokenKind::LineEnd {
            current.push(token.clone());
        }
    }
    push_step(&mut steps, &mut current, text);
    steps
}

/// After `$`, a `then` is the shell's.
fn is_shell(tokens: &[Token]) -> bool {
    tokens.first().is_some_and(|token| token.text == "$")
}

fn push_step<'a>(steps: &mut Vec<Step<'a>>, tokens: &mut Vec<Token>, text: &'a str) {
    let mut tokens = std::mem::take(tokens);
    let is_bullet = |token: &Token| {
        let digits = token.text.trim_end_matches(['.', ')']);
        let numbered = digits.len() < token.text.len() && digits.parse::<u32>().is_ok();
        numbered || matches!(token.text.as_str(), "-" | "*" | "•" | "and" | ",")
    };
    while tokens.first().is_some_and(is_bullet) {
        tokens.remove(0);
    }
    // `…, and then …` leaves its `and` behind.
    while tokens.last().is_some_and(|token| token.plain() == "and") {
        tokens.pop();
    }
    if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
        let raw = text[first.start..last.end].trim_end_matches([',', ';']);
        steps.push(Step { raw, tokens });
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let (kind, inner, length) = if first == '\n' {
            (TokenKind::LineEnd, String::new(), 1)
        } else if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        } else if let Some((inner, length)) = fence(rest) {
            (TokenKind::Fence, inner, length)
        } else if let Some((inner, length)) = quotation(rest, first) {
            (TokenKind::Quoted, inner, length)
        } else {
            let length = rest.find(char::is_whitespace).unwrap_or(rest.len());
            (TokenKind::Word, rest[..length].to_owned(), length)
        };
        tokens.push(Token { kind, text: inner, start: at, end: at + length });
        at += length;
    }
    tokens
}

fn fence(rest: &str) -> Option<(String, usize)> {
    let after = rest.strip_prefix("```")?;
    let begin = after.find('\n')? + 1;
    let end = after[begin..].find("```")? + begin;
    Some((after[begin..end].to_owned(), "```".len() + end + "```".len()))
}

/// A quotation ends at its closing mark; punctuation right after it is passed over.
fn quotation(rest: &str, open: char) -> Option<(String, usize)> {
    let close = match open {
        '"' | '`' | '\'' => open,
        '“' => '”',
        '«' => '»',
        _ => return None,
    };
    let mut inner = String::new();
    let mut escaped = false;
    let body = &rest[open.len_utf8()..];
    for (at, c) in body.char_indices() {
        if escaped {
            escaped = false;
            inner.push(unescape(c)?);
        } else if c == '\\' && open == '"' {
            escaped = body[at + 1..].starts_with(['n', 't', '"', '\\']);
            if !escaped {
                inner.push(c);
            }
        } else if c == close && (open != '\'' || ends_word(&body[at + 1..])) {
            let mut length = open.len_utf8() + at + c.len_utf8();
            let after = &rest[length..];
            if after.starts_with([',', '.', ';', ':', '?', '!']) && ends_word(&after[1..]) {
                length += 1;
            }
            return Some((inner, length));
        } else {
            inner.push(c);
        }
    }
    None
}

fn unescape(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        '"' | '\\' => Some(c),
        _ => None,
    }
}

fn ends_word(rest: &str) -> bool {
    rest.chars().next().is_none_or(|next| !next.is_alphanumeric())
}
