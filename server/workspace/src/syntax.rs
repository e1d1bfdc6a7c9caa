//! What a text is made of: the functions, classes, headings and keys in it, and where they stand.
//!
//! * A [`Tree`] is the parse of one text; [`Tree::update`] parses the next one from what changed.
//! * [`Tree::outline`] lists the items of a text, [`Tree::enclosing`] finds the one around a place.
//! * [`Trees`] keeps the parses of the texts that were asked about last.
//!
//! Parsing costs milliseconds, so it belongs on threads where waiting is allowed. It is an aid and
//! never a duty: a text that is too large, takes too long or could overrun a grammar's scanner has
//! no tree, and who asked does without.

mod guard;
mod headings;
mod language;
mod name;
mod rules;
mod tree;
mod trees;
mod walk;

use std::ops::Range;

pub use language::Language;
pub use tree::Tree;
pub use trees::Trees;

/// A larger text has no tree.
const BYTES: usize = 1_000_000;

/// Something with a name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub name: String,
    /// A word such as `function`, `class`, `section` or `key`.
    pub kind: &'static str,
    /// How many other items it lies in.
    pub depth: u32,
    /// Counted from zero; the comments, attributes and decorators in front of it are part of it.
    pub lines: Range<usize>,
    pub bytes: Range<usize>,
}

#[cfg(test)]
mod tests;
