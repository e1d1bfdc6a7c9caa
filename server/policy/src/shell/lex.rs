//! Splits a command into words and operators the way bash does, and never fails: what it cannot
//! make out it marks instead. The tree-sitter tree must agree with it before anything is proven.

mod word;

pub(crate) use word::Word;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    Word(Word),
    /// Ends a simple command: `;`, `&&`, `|`, a newline, a parenthesis …
    Control(String),
    /// `<`, `>`, `>>` …; the next word is its target.
    Redirect(String),
}

#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// The insides of substitutions and expansions, as scripts of their own.
    pub(crate) nested: Vec<String>,
    /// A quote or parenthesis never closes.
    pub(crate) unfinished: bool,
}

/// `home` is what `$HOME` stands for, if known.
pub(crate) fn lex(text: &str, home: Option<&str>) -> Lexed {
    let chars: Vec<char> = text.chars().collect();
    let mut lexer = Lexer::new(&chars, home);
    lexer.run();
    lexer.out
}

/// Substitutions inside substitutions: deeper ones are not followed.
const DEEPEST: usize = 40;

struct Lexer<'a> {
    chars: &'a [char],
    at: usize,
    home: Option<&'a str>,
    /// The word being built; `Some` as soon as a quote opens, since `''` is a word too.
    word: Option<Word>,
    out: Lexed,
    /// Set while looking for the end of a substitution.
    inside: Option<Inside>,
    depth: usize,
    /// The next word names the end of a here-document, with or without leading tabs.
    delimiter_next: Option<Tabs>,
    /// Here-documents that start after the next newline.
    heredocs: Vec<(String, Tabs)>,
}

/// The inside of a `$(…)` whose closing parenthesis is being looked for.
struct Inside {
    open: usize,
    closed: bool,
    /// Whether the `)` after a `case` pattern is told from the one that closes.
    minds_cases: bool,
    cases: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tabs {
    Kept,
    Stripped,
}

impl<'a> Lexer<'a> {
    fn new(chars: &'a [char], home: Option<&'a str>) -> Lexer<'a> {
        Lexer {
            chars,
            at: 0,
            home,
            word: None,
            out: Lexed::default(),
            inside: None,
            depth: 0,
            delimiter_next: None,
            heredocs: Vec::new(),
        }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.chars.get(self.at + ahead).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek(0);
        self.at += usize::from(c.is_some());
        c
    }

    fn word(&mut self) -> &mut Word {
        self.word.get_or_insert_default()
    }

    fn end_word(&mut self) {
        let Some(word) = self.word.take() else { return };
        if let Some(tabs) = self.delimiter_next.take() {
            self.heredocs.push((word.text(), tabs));
        }
        if let Some(inside) = &mut self.inside {
            match word.text().as_str() {
                "case" => inside.cases += 1,
                "esac" => inside.cases = inside.cases.saturating_sub(1),
                _ => {}
            }
        }
        self.out.tokens.push(Token::Word(word));
    }

    /// Whether this parenthesis ends the substitution we are in.
    fn closes(&mut self, c: char) -> bool {
        let Some(inside) = &mut self.inside else { return false };
        match c {
            '(' => inside.open += 1,
            ')' if inside.open > 0 => inside.open -= 1,
            ')' => inside.closed = !inside.minds_cases || inside.cases == 0,
            _ => {}
        }
        inside.closed
    }

    /// The bodies of here-documents, which begin on the line after their operator.
    fn heredoc_bodies(&mut self) {
        for (delimiter, tabs) in std::mem::take(&mut self.heredocs) {
            let mut body = String::new();
            loop {
                if self.at >= self.chars.len() {
                    self.out.unfinished = true;
                    break;
                }
                let rest = self.chars.get(self.at..).unwrap_or_default();
                let line: String = rest.iter().take_while(|c| **c != '\n').collect();
                self.at = (self.at + line.chars().count() + 1).min(self.chars.len());
                let bare =
                    if tabs == Tabs::Stripped { line.trim_start_matches('\t') } else { &line };
                if bare == delimiter {
                    break;
                }
                body.push_str(&line);
                body.push('\n');
            }
            // An interpreter may be reading it, so it counts as a script.
            self.out.nested.push(body);
        }
    }

    fn run(&mut self) {
        while let Some(c) = self.next() {
            match c {
                ' ' | '\t' => self.end_word(),
                '\n' | ';' | '|' | '(' | ')' | '&' => self.control(c),
                '<' | '>' => self.redirect(c),
                '#' if self.word.is_none() => {
                    while self.peek(0).is_some_and(|c| c != '\n') {
                        self.at += 1;
                    }
                }
                '\\' => match self.next() {
                    Some('\n') | None => {}
                    Some(escaped) => self.word().push(escaped, false),
                },
                '\'' => self.single_quoted(),
                '"' => self.double_quoted(),
                '`' => self.backticks(),
                '$' => self.dollar(false),
                other => self.word().push(other, true),
            }
            if self.inside.as_ref().is_some_and(|inside| inside.closed) {
                break;
            }
        }
        self.end_word();
        if !self.heredocs.is_empty() {
            self.out.unfinished = true;
        }
    }

    fn control(&mut self, first: char) {
        if first == '&' && self.peek(0) == Some('>') {
            return self.redirect(first);
        }
        self.end_word();
        if self.closes(first) {
            return;
        }
        let mut op = String::from(first);
        let pairs = match first {
            ';' => [';', '&'],
            '&' => ['&', '&'],
            '|' => ['|', '&'],
            _ => ['\0', '\0'],
        };
        if let Some(second) = self.peek(0).filter(|c| pairs.contains(c)) {
            op.push(second);
            self.at += 1;
        }
        self.out.tokens.push(Token::Control(op));
        if first == '\n' {
            self.heredoc_bodies();
        }
    }

    fn redirect(&mut self, first: char) {
        // Digits right before the operator name a descriptor and are not a word.
        let descriptor = self.word.as_ref().is_some_and(|word| {
            !word.marks.is_empty()
                && word.marks.iter().all(|(c, active)| *active && c.is_ascii_digit())
        });
        if descriptor && first != '&' {
            self.word = None;
        }
        self.end_word();
        if first != '&' && self.peek(0) == Some('(') {
            self.at += 1;
            self.closes('(');
            self.out.tokens.push(Token::Control(format!("{first}(")));
            return;
        }
        let mut op = String::from(first);
        while let Some(c) = self.peek(0) {
            let longer = format!("{op}{c}");
            if !REDIRECTS.contains(&longer.as_str()) {
                break;
            }
            op = longer;
            self.at += 1;
        }
        self.delimiter_next = match op.as_str() {
            "<<" => Some(Tabs::Kept),
            "<<-" => Some(Tabs::Stripped),
            _ => None,
        };
        self.out.tokens.push(Token::Redirect(op));
    }

    fn single_quoted(&mut self) {
        self.word();
        loop {
            match self.next() {
                Some('\'') => return,
                Some(c) => self.word().push(c, false),
                None => return self.out.unfinished = true,
            }
        }
    }

    fn double_quoted(&mut self) {
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

    fn backticks(&mut self) {
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

    fn dollar(&mut self, quoted: bool) {
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
        loop {
            match self.next() {
                Some('\'') => return,
                Some('\\') => {
                    let decoded = self.ansi_escape();
                    self.word().marks.extend(decoded.map(|c| (c, false)));
                }
                Some(c) => self.word().push(c, false),
                None => return self.out.unfinished = true,
            }
        }
    }

    fn ansi_escape(&mut self) -> Option<char> {
        let c = self.next()?;
        let code = match c {
            'n' => return Some('\n'),
            't' => return Some('\t'),
            'r' => return Some('\r'),
            'x' => self.digits(16, 2),
            'u' => self.digits(16, 4),
            'U' => self.digits(16, 8),
            '0'..='7' => {
                self.at -= 1;
                self.digits(8, 3)
            }
            other => return Some(other),
        };
        code.and_then(char::from_u32)
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

const REDIRECTS: [&str; 13] =
    ["<", ">", "&>", "<<", "<<<", "<<-", ">>", "&>>", ">|", ">&", "<&", "<>", ">>|"];

#[cfg(test)]
mod tests;
