//! The conversation for the ear: each part begins with a word that says what it is.

use protocol::event::Severity;
use protocol::tool::{ToolKind, ToolStatus};

use super::item::{Fixed, Item};
use crate::render::line::Line;
use crate::render::spoken::words;

/// Rows are never wrapped: the screen reader does not see them.
const WIDTH: usize = 1_000_000;

/// The rows of a part that is over.
pub(super) fn speak(item: &Item, cwd: &str) -> Vec<Line> {
    match item {
        Item::Fixed(Fixed::User(text)) => vec![Line::plain(format!("You said: {text}"))],
        Item::Fixed(Fixed::Notice(severity, _)) => {
            let word = match severity {
                Severity::Error => "Error: ",
                Severity::Warning => "Warning: ",
                _ => "Note: ",
            };
            with_word(word, item.draw(cwd, WIDTH, usize::MAX), false)
        }
        Item::Fixed(_) => with_word("", item.draw(cwd, WIDTH, usize::MAX), false),
        Item::Tool(tool) => {
            let word = match tool.call.status {
                ToolStatus::Completed => "Done: ",
                ToolStatus::Failed => "Failed: ",
                ToolStatus::Denied => "Denied: ",
                ToolStatus::Cancelled => "Stopped: ",
                _ => "Call: ",
            };
            with_word(word, tool.draw(cwd, WIDTH), tool.call.kind == ToolKind::Edit)
        }
        Item::Text(_) => Vec::new(),
    }
}

/// What a streamed text is, before its first line.
pub(super) fn opening(thought: bool) -> Line {
    Line::plain(if thought { "Bowline thinks:" } else { "Bowline says:" })
}

fn with_word(word: &str, rows: Vec<Line>, is_change: bool) -> Vec<Line> {
    let mut said: Vec<String> = rows.iter().filter_map(|row| words(row, is_change)).collect();
    if let Some(first) = said.first_mut() {
        first.insert_str(0, word);
    }
    said.into_iter().map(Line::plain).collect()
}
