//! One function per verb: what its phrase says, or `None` when it says nothing we know.

use super::super::words::{Token, TokenKind};
use super::{Command, Phrase};

/// Words that may stand between a verb and what it is about.
const FILLERS: &[&str] = &[
    "the",
    "a",
    "an",
    "me",
    "file",
    "files",
    "contents",
    "content",
    "of",
    "at",
    "for",
    "all",
    "every",
    "occurrence",
    "occurrences",
    "function",
    "fn",
    "method",
    "variable",
    "symbol",
    "struct",
    "class",
    "type",
    "constant",
    "enum",
    "trait",
    "module",
    "named",
    "called",
    "this",
    "my",
    "new",
    "text",
    "string",
    "word",
    "usages",
    "uses",
    "references",
    "matching",
    "command",
];

impl Phrase<'_> {
    pub(super) fn help(&self) -> Option<Command> {
        (self.rest.len() < 4).then_some(Command::Help)
    }

    pub(super) fn read(&self) -> Option<Command> {
        if self.rest.iter().any(|token| token.plain() == "files") {
            return self.find();
        }
        let file = self.path().or_else(|| self.subject().first())?.value();
        Some(Command::Read { file })
    }

    pub(super) fn find(&self) -> Option<Command> {
        let (what, place) = self.split(&["in", "inside", "under", "within"]);
        let path = place.and_then(|place| content(place).first()).map(Token::value);
        let subject = content(what);
        let target = subject.iter().find(|token| token.is_quoted()).or(subject.first());
        let wants_files = matches!(self.verb.as_str(), "list" | "ls" | "glob");
        let Some(target) = target else {
            let asked = wants_files || self.rest.iter().any(|token| token.plain() == "files");
            return asked.then(|| Command::Find { glob: "**/*".to_owned(), path });
        };
        let text = target.value();
        let is_regex = text.len() > 2 && text.starts_with('/') && text.ends_with('/');
        let names_files = matches!(self.verb.as_str(), "find" | "locate") || wants_files;
        let is_glob = names_files
            && !target.is_quoted()
            && !is_regex
            && (text.contains(['*', '?']) || target.is_path());
        if wants_files && !text.contains(['*', '?']) {
            // `list src` means what is in it.
            let path = Some(path.unwrap_or(text));
            return Some(Command::Find { glob: "**/*".to_owned(), path });
        }
        if wants_files || is_glob {
            let glob = if text.contains('/') { text } else { format!("**/{text}") };
            return Some(Command::Find { glob, path });
        }
        Some(Command::Search { pattern: pattern(target), path })
    }

    pub(super) fn replace(&self) -> Option<Command> {
        let (old, after) = self.split(&["with", "to", "by", "into"]);
        let (new, place) = split(after?, &["in", "inside", "within"]);
        let old = phrase_text(old)?;
        let new = phrase_text(new).unwrap_or_default();
        let file = place.and_then(|place| content(place).first()).map(Token::value);
        Some(Command::Replace { old, new, file })
    }

    pub(super) fn remove(&self) -> Option<Command> {
        let (old, place) = self.split(&["from", "in"]);
        let quoted = old.iter().find(|token| token.is_quoted())?;
        let file = place.and_then(|place| content(place).first()).map(Token::value);
        Some(Command::Replace { old: quoted.value(), new: String::new(), file })
    }

    pub(super) fn rename(&self) -> Option<Command> {
        let (old, after) = self.split(&["to", "as", "into"]);
        let (new, place) = split(after?, &["in", "inside", "within"]);
        let old = content(old).first()?;
        let new = content(new).first()?;
        if old.is_path() && new.is_path() && !old.is_quoted() {
            let command = format!("mv -n -- {} {}", quoted(&old.value()), quoted(&new.value()));
            return Some(Command::Run { command });
        }
        let path = place.and_then(|place| content(place).first()).map(Token::value);
        let everywhere = |path: &String| !matches!(path.as_str(), "everywhere" | "project");
        let path = path.filter(everywhere);
        Some(Command::Rename { symbol: old.value(), new: new.value(), path })
    }

    pub(super) fn create(&self) -> Option<Command> {
        if self.rest.iter().take(4).any(|token| token.plain().starts_with("todo")) {
            return self.todo();
        }
        let fence = self.rest.iter().find(|token| token.kind == TokenKind::Fence);
        // `write "text" to FILE`
        if let (Some(text), (_, Some(place))) = (self.rest.first(), self.split(&["to", "into"]))
            && text.is_quoted()
        {
            let file = content(place).first()?.value();
            return Some(Command::Create { file, text: text.value() });
        }
        let (before, after) = self.split(&["with", "containing", "saying", "that"]);
        let file = content(before).iter().find(|token| token.kind != TokenKind::Fence)?;
        if !file.is_path() && !file.is_quoted() {
            return None;
        }
        let said = fence.map(Token::value).or_else(|| phrase_text(after.unwrap_or_default()));
        Some(Command::Create { file: file.value(), text: said.unwrap_or_default() })
    }

    pub(super) fn append(&self) -> Option<Command> {
        let (before, place) = self.split(&["to", "into"]);
        let place = content(place?);
        let file = place.first()?.value();
        let text = before.iter().chain(place.get(1..)?).find(|token| token.is_quoted());
        let text = text.map(Token::value).or_else(|| phrase_text(before))?;
        Some(Command::Append { file, text })
    }

    pub(super) fn run(&self) -> Option<Command> {
        let skip = self.rest.iter().take_while(|token| {
            matches!(token.plain().as_str(), "the" | "command" | "shell" | "this")
        });
        let rest = &self.rest[skip.count()..];
        let first = rest.first()?;
        let command = if rest.len() == 1 && first.is_quoted() {
            first.value()
        } else {
            // As it was typed: a command line is not ours to take apart.
            self.raw.get(first.start - self.raw_start..)?.to_owned()
        };
        let command = command.trim().to_owned();
        (!command.is_empty()).then_some(Command::Run { command })
    }

    pub(super) fn explain(&self) -> Option<Command> {
        let says = |word: &str| self.rest.iter().any(|token| token.plain() == word);
        if self.verb == "what" && says("can") && says("do") {
            return Some(Command::Help);
        }
        const LINKS: &[&str] = &["is", "does", "do", "in", "how", "works", "what"];
        let names = |token: &&Token| {
            let word = token.plain();
            !LINKS.contains(&word.as_str()) && !FILLERS.contains(&word.as_str())
        };
        let target = self.path().or_else(|| self.rest.iter().find(names))?;
        Some(Command::Explain { target: target.value(), is_path: target.is_path() })
    }

    pub(super) fn todo(&self) -> Option<Command> {
        let after_colon = self.raw.split_once(':').map(|(_, items)| items);
        let (_, after_for) = self.split(&["for", "with", "to", "of"]);
        let listed = match (after_colon, after_for) {
            (Some(items), _) => items.to_owned(),
            (None, Some(tokens)) => join(tokens),
            (None, None) => {
                let skip = |token: &&Token| {
                    matches!(token.plain().as_str(), "list" | "a" | "todo" | "todos" | "")
                };
                let skip = self.rest.iter().take_while(skip).count();
                join(&self.rest[skip..])
            }
        };
        let separator = if listed.contains(';') { ';' } else { ',' };
        let items = listed.split(separator).map(|item| {
            let item = item.trim().trim_end_matches('.');
            item.strip_prefix("and ").unwrap_or(item).trim().to_owned()
        });
        Some(Command::Todo { items: items.filter(|item| !item.is_empty()).collect() })
    }

    pub(super) fn fix(&self) -> Command {
        Command::Fix { file: self.path().map(Token::value) }
    }

    pub(super) fn say(&self) -> Option<Command> {
        let first = self.rest.first()?;
        let number = first.value().replace(['_', ','], "").parse::<usize>();
        if let (Ok(count), Some("words" | "word")) =
            (number, self.rest.get(1).map(Token::plain).as_deref())
        {
            return Some(Command::SayWords { count });
        }
        let text = if first.is_quoted() { first.value() } else { join(self.rest) };
        (self.verb == "say").then_some(Command::Echo { text })
    }

    /// The first thing that looks like a path.
    fn path(&self) -> Option<&Token> {
        self.rest.iter().find(|token| token.is_path() && token.kind != TokenKind::Fence)
    }

    fn subject(&self) -> &[Token] {
        content(self.rest)
    }

    fn split(&self, words: &[&str]) -> (&[Token], Option<&[Token]>) {
        split(self.rest, words)
    }
}

/// Without the fillers at the front. A name may look like one (a file `a`), if nothing follows it.
fn content(tokens: &[Token]) -> &[Token] {
    let is_filler = |token: &&Token| FILLERS.contains(&token.plain().as_str());
    let fillers = tokens.iter().take_while(is_filler).count();
    let names_nothing = |token: &Token| matches!(token.plain().as_str(), "file" | "files");
    match tokens.last() {
        Some(last) if fillers == tokens.len() && !names_nothing(last) => &tokens[fillers - 1..],
        _ => &tokens[fillers..],
    }
}

/// Before and after the first of these words. Quotations are never taken for one.
fn split<'t>(tokens: &'t [Token], words: &[&str]) -> (&'t [Token], Option<&'t [Token]>) {
    let at = tokens.iter().position(|token| words.contains(&token.plain().as_str()));
    match at {
        Some(at) => (&tokens[..at], Some(&tokens[at + 1..])),
        None => (tokens, None),
    }
}

/// A quotation, or the plain words themselves.
fn phrase_text(tokens: &[Token]) -> Option<String> {
    if let Some(quoted) = tokens.iter().find(|token| token.is_quoted()) {
        return Some(quoted.value());
    }
    let words = content(tokens);
    (!words.is_empty()).then(|| join(words))
}

fn join(tokens: &[Token]) -> String {
    let texts: Vec<&str> = tokens.iter().map(|token| token.text.as_str()).collect();
    texts.join(" ").trim_end_matches(['.', ',']).to_owned()
}

/// `/…/` is a regular expression; everything else means itself.
fn pattern(token: &Token) -> String {
    let text = token.value();
    match text.strip_prefix('/').and_then(|rest| rest.strip_suffix('/')) {
        Some(regex) if !regex.is_empty() => regex.to_owned(),
        _ => escape(&text),
    }
}

pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// For a shell.
fn quoted(path: &str) -> String {
    format!("'{}'", path.replace('\'', r"'\''"))
}
