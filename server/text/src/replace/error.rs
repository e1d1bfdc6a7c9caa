//! Why nothing was replaced, and what to do about it.

use super::leniency::Leniency;
use super::nearest::Nearest;
use crate::newline::line_breaks;

/// Why nothing was replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplaceError {
    #[error("the text to replace is empty; quote the text that is to change")]
    Empty,
    #[error("the old and the new text are the same; there is nothing to change")]
    Same,
    #[error("the text to replace was not found; {}", hint(.nearest.as_ref()))]
    NotFound {
        /// The most similar text, if there is any.
        nearest: Option<Nearest>,
    },
    #[error(
        "the text to replace was found {count} times (lines {}{}); quote more of the text around \
         it, or replace all; the first ones are:\n{around}",
        list(lines, *count), overlooked(*leniency)
    )]
    Ambiguous {
        count: usize,
        /// Where they start, counted from one; the first twenty.
        lines: Vec<usize>,
        /// The lines in which the first few start, with the line before and their numbers.
        around: String,
        /// What was overlooked to find them.
        leniency: Option<Leniency>,
    },
}

const LINES_LISTED: usize = 20;
const PLACES_QUOTED: usize = 3;
/// How much of a line is quoted.
const LINE_BYTES: usize = 200;

impl ReplaceError {
    /// The text stands at several places, given in order.
    pub(super) fn ambiguous(
        text: &str,
        places: &[usize],
        leniency: Option<Leniency>,
    ) -> ReplaceError {
        let (mut line, mut from) = (1, 0);
        let mut lines = Vec::new();
        let mut around = Vec::new();
        for at in places.iter().take(LINES_LISTED) {
            line += line_breaks(&text[from..*at]);
            from = *at;
            if around.len() < PLACES_QUOTED {
                around.push(quote(text, *at, line));
            }
            lines.push(line);
        }
        around.dedup();
        ReplaceError::Ambiguous { count: places.len(), lines, around: around.join("\n"), leniency }
    }
}

/// The line that holds this byte and the one before it, with their numbers.
fn quote(text: &str, at: usize, number: usize) -> String {
    let (mut before, this) = text.split_at(text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1));
    let this = this.split(['\n', '\r']).next().unwrap_or_default();
    if before.is_empty() {
        return format!("{number}: {}", cut(this));
    }
    for end in ['\n', '\r'] {
        before = before.strip_suffix(end).unwrap_or(before);
    }
    let before = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    format!("{}: {}\n{number}: {}", number - 1, cut(before), cut(this))
}

/// A line, or the start of a long one.
fn cut(line: &str) -> String {
    match line.len() > LINE_BYTES {
        true => format!("{}…", &line[..line.floor_char_boundary(LINE_BYTES)]),
        false => line.to_owned(),
    }
}

fn hint(nearest: Option<&Nearest>) -> String {
    match nearest {
        Some(nearest) => format!("read the file again and quote it exactly; {nearest}"),
        None => "nothing in the file is like it; read the file again".to_owned(),
    }
}

fn list(lines: &[usize], count: usize) -> String {
    let mut list = lines.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    if lines.len() < count {
        list.push_str(", …");
    }
    list
}

fn overlooked(leniency: Option<Leniency>) -> &'static str {
    match leniency {
        None => "",
        Some(Leniency::TrailingBlanks) => ", with other blanks at the ends of lines",
        Some(Leniency::Quotes) => ", with quotation marks of another style",
        Some(Leniency::Indentation) => ", with other indentation",
    }
}
