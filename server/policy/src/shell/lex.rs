//! Splits a command into words and operators the way bash does, and never fails: what it cannot
//! make out it marks instead. The tree-sitter tree must agree with it before anything is proven.

mod quotes;
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
    pub(crate) documents: Vec<Document>,
    /// A quote or parenthesis never closes.
    pub(crate) unfinished: bool,
}

/// The body of a here-document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    pub(crate) body: String,
    /// The delimiter is quoted, so the shell takes the body as it is.
    pub(crate) verbatim: bool,
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
    heredocs: Vec<Awaited>,
}

/// The inside of a `$(…)` whose closing parenthesis is being looked for.
struct Inside {
    open: usize,
    closed: bool,
    /// Whether the `)` after a `case` pattern is told from the one that closes.
    minds_cases: bool,
    cases: usize,
}

/// A here-document whose body has not come yet.
struct Awaited {
    delimiter: String,
    tabs: Tabs,
    verbatim: bool,
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
            let verbatim = word.marks.iter().any(|(_, active)| !active);
            self.heredocs.push(Awaited { delimiter: word.text(), tabs, verbatim });
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
        for Awaited { delimiter, tabs, verbatim } in std::mem::take(&mut self.heredocs) {
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
            self.out.documents.push(Document { body, verbatim });
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
}

const REDIRECTS: [&str; 13] =
    ["<", ">", "&>", "<<", "<<<", "<<-", ">>", "&>>", ">|", ">&", "<&", "<>", ">>|"];

#[cfg(test)]
mod tests;
