//! The parse of one text.

use std::borrow::Cow;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};

use text::Text;
use tree_sitter::{InputEdit, ParseOptions, Parser, Point};

use super::guard;
use super::language::Language;
use super::walk;
use super::{BYTES, Item};

/// Nobody waits longer for a tree; a good text takes a hundredth of it. Tests do not depend on how
/// busy the machine is.
const PATIENCE: Duration = Duration::from_secs(if cfg!(test) { 600 } else { 2 });

#[derive(Clone)]
pub struct Tree {
    language: Language,
    text: Text,
    tree: tree_sitter::Tree,
}

impl Tree {
    /// Nothing for a text that is too large, takes too long, or that the grammar cannot bear.
    pub fn parse(language: Language, text: &Text) -> Option<Tree> {
        let tree = parse(language, text, None, PATIENCE)?;
        Some(Tree { language, text: text.clone(), tree })
    }

    /// The parse of the next text, which costs what changed and not the whole.
    pub fn update(&self, text: &Text) -> Option<Tree> {
        let Some((was, is)) = self.text.changed(text) else { return Some(self.clone()) };
        let mut old = self.tree.clone();
        old.edit(&InputEdit {
            start_byte: was.start,
            old_end_byte: was.end,
            new_end_byte: is.end,
            start_position: point(&self.text, was.start),
            old_end_position: point(&self.text, was.end),
            new_end_position: point(text, is.end),
        });
        let tree = parse(self.language, text, Some(&old), PATIENCE)?;
        Some(Tree { language: self.language, text: text.clone(), tree })
    }

    /// What the text is made of, in its order: an item comes before those in it.
    pub fn outline(&self) -> Vec<Item> {
        walk::items(self.language, &self.tree, &self.text, None)
    }

    /// The smallest item that holds all of these bytes, blanks at the ends aside.
    pub fn enclosing(&self, bytes: Range<usize>) -> Option<Item> {
        let bytes = walk::without_blanks(&self.text, bytes);
        let around = walk::items(self.language, &self.tree, &self.text, Some(bytes));
        around.into_iter().min_by_key(|item| item.bytes.len())
    }

    /// Whether there is something in the text that the language does not know.
    pub fn has_error(&self) -> bool {
        self.tree.root_node().has_error()
    }

    pub fn language(&self) -> Language {
        self.language
    }

    pub fn text(&self) -> &Text {
        &self.text
    }
}

pub(super) fn parse(
    language: Language,
    text: &Text,
    old: Option<&tree_sitter::Tree>,
    patience: Duration,
) -> Option<tree_sitter::Tree> {
    if text.len_bytes() > BYTES || !guard::is_bearable(language, text) {
        return None;
    }
    let mut parser = Parser::new();
    parser.set_language(&language.grammar()).ok()?;
    let started = Instant::now();
    let mut progress = |_: &_| match started.elapsed() < patience {
        true => ControlFlow::Continue(()),
        false => ControlFlow::Break(()),
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    let mut read = |offset: usize, _: Point| guard::twin(language, text.bytes_from(offset));
    parser.parse_with_options::<Cow<'_, [u8]>, _>(&mut read, old, Some(options))
}

/// Where a byte stands as the parser counts: its lines end at `\n` alone.
fn point(text: &Text, offset: usize) -> Point {
    let (mut row, mut line_start, mut at) = (0, 0, 0);
    while at < offset {
        let piece = text.bytes_from(at);
        let piece = &piece[..piece.len().min(offset - at)];
        if piece.is_empty() {
            break;
        }
        for end in memchr::memchr_iter(b'\n', piece) {
            row += 1;
            line_start = at + end + 1;
        }
        at += piece.len();
    }
    Point::new(row, offset.saturating_sub(line_start))
}

#[cfg(test)]
mod tests;
