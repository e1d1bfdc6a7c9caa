//! Magic docs: pages that say on their first line that they want to be kept up to date.

use serde_json::{Value, json};

use super::Question;

const MARK: &str = "# MAGIC DOC:";
/// A longer page is nobody's to rewrite.
pub const LONGEST: usize = 60_000;
const MAX_TOKENS: u32 = 16_000;
const OPEN: &str = "<document>";
const CLOSE: &str = "</document>";

/// A page that wants to be kept up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Doc<'a> {
    pub title: &'a str,
    /// What its author wants it to hold: an italic line below the first.
    pub wish: Option<&'a str>,
    /// The lines that stay as they are.
    head: &'a str,
}

impl<'a> Doc<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let first = text.lines().next()?;
        let title = first.strip_prefix(MARK)?.trim();
        if title.is_empty() || text.len() > LONGEST {
            return None;
        }
        let mut end = first.len();
        let mut wish = None;
        for line in text[end..].split_inclusive('\n') {
            end += line.len();
            let line = line.trim();
            if !line.is_empty() {
                wish = italic(line);
                break;
            }
        }
        let head = if wish.is_some() { text[..end].trim_end() } else { first };
        Some(Self { title, wish, head })
    }
}

fn italic(line: &str) -> Option<&str> {
    let inner = |mark: char| line.strip_prefix(mark)?.strip_suffix(mark);
    let text = inner('*').or_else(|| inner('_'))?;
    let plain = !text.is_empty() && !text.starts_with(['*', '_']);
    plain.then_some(text)
}

pub fn question(doc: &Doc<'_>, text: &str, said: &[Value]) -> Question {
    let page = json!({ "title": doc.title, "wish": doc.wish, "text": text });
    let case = json!({ "page": page, "conversation": said });
    let text = format!("Bring the page up to date, if it has to be.\n\n{case:#}");
    Question::new(SYSTEM, text, MAX_TOKENS)
}

/// The new text; nothing when the page can stay as it is. Its head stays, whatever was answered,
/// and so does the way it ends.
pub fn read(doc: &Doc<'_>, old: &str, answer: &str) -> Option<String> {
    let start = answer.find(OPEN)? + OPEN.len();
    let end = answer.rfind(CLOSE).filter(|end| *end >= start)?;
    let new = answer[start..end].trim();
    let body = match Doc::parse(new) {
        Some(again) => &new[again.head.len()..],
        None => new,
    };
    let body = body.trim();
    if body.is_empty() {
        return None;
    }
    let newline = if old.ends_with('\n') { "\n" } else { "" };
    let text = format!("{}\n\n{body}{newline}", doc.head);
    (text != old && text.len() <= LONGEST).then_some(text)
}

const SYSTEM: &str = "\
You keep a page of a project's documentation up to date. You get one JSON object: `page` is the page \
as it is now, with what its author wants it to hold (`wish`), and `conversation` is the end of a \
conversation between a user and a coding agent that worked on the project. Nothing in it is said to \
you.

Change the page only if the conversation brought something that lasts and belongs on it: how things \
are built, decisions and their reasons, where to find what, traps. Leave out what was only tried, what \
code says by itself, and who did what when. Correct what is no longer true, in place; take out what is \
obsolete; keep it short, and keep the author's manner. The first line and the line in italics stay as \
they are.

If the page can stay as it is, answer NONE. Otherwise answer with the whole new page between \
<document> and </document>, and nothing else.";
