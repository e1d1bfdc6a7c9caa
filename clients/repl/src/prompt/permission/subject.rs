//! What a permission prompt is about, resolved: the whole command and its parts, the change, the
//! file behind a link, the host.

use anstyle::Style;
use protocol::permission::{CommandPart, CommandSubject, EditSubject, Subject, TrustSubject};

use crate::render::line::{Line, Span};
use crate::render::safe::{literal, strict};
use crate::render::wrap::{Margin, wrap, wrap_exact};
use crate::render::{diff, path_in, path_of, theme};

/// Rows of a change that are laid out at all; beyond it the count of the rest is shown.
const LONGEST_DIFF: usize = 2000;
/// Characters of a text that are laid out at all: its beginning, and its end.
const LONGEST_TEXT: (usize, usize) = (16_000, 2_000);
/// Parts of a command that are laid out at all.
const MOST_PARTS: usize = 200;

/// What to show.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// As long as they must be; they can be paged through.
    pub rows: Vec<Line>,
    /// Few, and to be kept in sight.
    pub facts: Vec<Line>,
    /// How many of the first rows hold a text whose end matters as much as its beginning: it is
    /// shown even when the rows between are not.
    pub whole: usize,
}

impl Shown {
    fn rows(rows: Vec<Line>) -> Self {
        Self { rows, ..Self::default() }
    }
}

/// Draws texts at a width, two columns in.
struct Page<'a> {
    cwd: &'a str,
    width: usize,
}

pub(super) fn draw(subject: &Subject, cwd: &str, width: usize) -> Shown {
    let page = Page { cwd, width };
    match subject {
        Subject::Command(subject) => page.command(subject),
        Subject::Edit(subject) => Shown::rows(page.edit(subject)),
        Subject::Read(subject) => {
            let path = path_of(&subject.uri, cwd);
            Shown::rows(page.file(&path, subject.target.as_deref(), theme::ACCENT))
        }
        Subject::Host(subject) => {
            let place = format!("{}:{}", subject.host, subject.port);
            Shown::rows(page.exact(&place, theme::ACCENT))
        }
        Subject::Fetch(subject) => {
            let rows = page.exact(&subject.url, theme::ACCENT);
            Shown { whole: rows.len(), ..Shown::rows(rows) }
        }
        Subject::Mcp(subject) => {
            let name = format!("{} · {}", subject.server, subject.tool);
            let mut rows = page.strict(&name, theme::BOLD);
            let input = serde_json::to_string_pretty(&subject.input).unwrap_or_default();
            rows.extend(page.exact(&input, theme::PLAIN));
            Shown::rows(rows)
        }
        Subject::Plan(subject) => Shown::rows(page.strict(&subject.text, theme::PLAIN)),
        Subject::Mode(subject) => Shown::rows(page.strict(&subject.mode, theme::WARN)),
        Subject::Trust(subject) => Shown::rows(page.trust(subject)),
        Subject::Unknown(object) => {
            let text = serde_json::to_string_pretty(object).unwrap_or_default();
            Shown::rows(page.exact(&text, theme::PLAIN))
        }
    }
}

impl Page<'_> {
    fn command(&self, subject: &CommandSubject) -> Shown {
        let mut rows = self.exact(&subject.command, theme::ACCENT);
        let whole = rows.len();
        let parts = subject.parts.as_deref().unwrap_or_default();
        let names_files = |part: &CommandPart| !part.reads.is_empty() || !part.writes.is_empty();
        if parts.len() > 1 || parts.iter().any(names_files) {
            for (at, part) in parts.iter().take(MOST_PARTS).enumerate() {
                self.part(at, part, &subject.cwd, &mut rows);
            }
            let unshown = parts.len().saturating_sub(MOST_PARTS) as u64;
            let more = unshown.saturating_add(subject.more_parts.unwrap_or_default());
            if more > 0 {
                rows.extend(self.strict(&format!("… {more} more commands"), theme::WARN));
            }
        }
        // Without a folder it is no command of a shell but a tool's call.
        let facts = if subject.cwd.is_empty() { Vec::new() } else { self.facts(subject) };
        Shown { rows, facts, whole }
    }

    fn facts(&self, subject: &CommandSubject) -> Vec<Line> {
        let mut facts = self.strict(&format!("in {}", subject.cwd), theme::DIM);
        let (kept, style) = match &subject.sandbox {
            Some(sandbox) => (format!("kept in by {}", strict(sandbox)), theme::DIM),
            None => ("nothing keeps it in: it can do what you can do".to_owned(), theme::WARN),
        };
        facts.extend(wrap(&[Span::new(kept, style)], self.width, &Margin::indent(2)));
        facts
    }

    /// One command of the line, word by word, and the files it names.
    fn part(&self, at: usize, part: &CommandPart, folder: &str, rows: &mut Vec<Line>) {
        let words: Vec<String> = part.words.iter().map(|word| quoted(word)).collect();
        let number = format!("  {}. ", at + 1);
        let rest = Line::plain(" ".repeat(number.len()));
        let margin = Margin::new(Line::styled(number, theme::DIM), rest.clone());
        let line = |text: &str, style| Line::styled(abridged(&literal(text)).join(" … "), style);
        rows.extend(wrap_exact(&line(&words.join(" "), theme::PLAIN), self.width, &margin));
        for (what, paths, style) in
            [("reads", &part.reads, theme::DIM), ("writes", &part.writes, theme::WARN)]
        {
            if !paths.is_empty() {
                let paths: Vec<&str> = paths.iter().map(|path| path_in(path, folder)).collect();
                let text = format!("{what} {}", paths.join(", "));
                let margin = Margin::new(rest.clone(), rest.clone());
                rows.extend(wrap_exact(&line(&text, style), self.width, &margin));
            }
        }
    }

    fn edit(&self, subject: &EditSubject) -> Vec<Line> {
        let change = |uri: &str, target, old: &Option<String>, new: &Option<String>| {
            let what = match (old, new) {
                (None, _) => "new file ",
                (_, None) => "delete ",
                _ => "",
            };
            let path = format!("{what}{}", path_of(uri, self.cwd));
            let mut rows = self.file(&path, target, theme::BOLD);
            let (old, new) = (old.as_deref().unwrap_or(""), new.as_deref().unwrap_or(""));
            rows.extend(diff::draw(old, new, self.width, LONGEST_DIFF).lines);
            rows
        };
        let target = subject.target.as_deref();
        let mut rows = change(&subject.uri, target, &subject.old_text, &subject.new_text);
        for other in subject.others.iter().flatten() {
            rows.extend(change(&other.uri, None, &other.old_text, &other.new_text));
        }
        rows
    }

    /// A file by the name it was called, and where that leads.
    fn file(&self, path: &str, target: Option<&str>, style: Style) -> Vec<Line> {
        let mut rows = self.strict(path, style);
        if let Some(target) = target {
            rows.extend(self.strict(&format!("a link: the file is {target}"), theme::WARN));
        }
        rows
    }

    fn trust(&self, subject: &TrustSubject) -> Vec<Line> {
        let mut rows = self.strict(&subject.cwd, theme::BOLD);
        if subject.what.is_empty() {
            rows.extend(self.strict("It brings nothing that would run by itself.", theme::DIM));
            return rows;
        }
        rows.extend(self.strict("If you trust it, it switches on:", theme::PLAIN));
        for what in &subject.what {
            rows.extend(self.exact(&format!("• {what}"), theme::WARN));
        }
        rows
    }

    fn strict(&self, text: &str, style: Style) -> Vec<Line> {
        self.lines(&strict(text), style)
    }

    /// What will be taken word for word.
    fn exact(&self, text: &str, style: Style) -> Vec<Line> {
        self.lines(&literal(text), style)
    }

    fn lines(&self, text: &str, style: Style) -> Vec<Line> {
        let laid_out = |part: &str| {
            let rows = part.lines().flat_map(|line| {
                wrap_exact(&Line::styled(line, style), self.width, &Margin::indent(2))
            });
            rows.collect::<Vec<_>>()
        };
        let mut rows = Vec::new();
        for (at, part) in abridged(text).into_iter().enumerate() {
            if at > 0 {
                let hidden = text.chars().count() - LONGEST_TEXT.0 - LONGEST_TEXT.1;
                let note = format!("  … {hidden} more characters, and at the end:");
                rows.push(Line::styled(note, theme::WARN));
            }
            rows.extend(laid_out(part));
        }
        rows
    }
}

/// A text, or of a very long one the beginning and the end.
fn abridged(text: &str) -> Vec<&str> {
    let (head, tail) = LONGEST_TEXT;
    // Bytes are never fewer than characters, and quickly counted.
    if text.len() <= head + tail || text.chars().count() <= head + tail {
        return vec![text];
    }
    let at = |place: Option<(usize, char)>| place.map_or(text.len(), |(at, _)| at);
    let start = at(text.char_indices().nth(head));
    let end = at(text.char_indices().nth_back(tail - 1));
    vec![&text[..start], &text[end..]]
}

/// A word as one would write it, so that its ends are seen.
fn quoted(word: &str) -> String {
    let plain = |character: char| character.is_alphanumeric() || "-_./:=@%+,~".contains(character);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
