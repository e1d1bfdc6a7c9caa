//! The items of a tree, found on one walk through it.

use std::ops::Range;

use text::Text;
use tree_sitter::{Node, TreeCursor};

use super::Item;
use super::headings;
use super::language::Language;
use super::name;
use super::rules::{Role, Roles, Site};

/// More items than this no reader wants.
pub(super) const ITEMS: usize = 10_000;

/// Kinds that live in functions by the dozen and interest nobody there.
const LOCAL: &[&str] = &["constant", "static", "variable", "type"];
const FUNCTIONS: &[&str] = &["function", "method", "constructor", "test"];
/// What makes a function in it a method.
const TYPES: &[&str] = &["class", "struct", "enum", "record", "interface", "trait", "impl"];

/// All items in the order of the text, or only those that hold all bytes of `within`.
pub(super) fn items(
    language: Language,
    tree: &tree_sitter::Tree,
    text: &Text,
    within: Option<Range<usize>>,
) -> Vec<Item> {
    if language == Language::Markdown {
        return headings::items(tree, text, within.as_ref());
    }
    let roles = Roles::of(language);
    let mut walk = Walk { roles, text, within, items: Vec::new(), parents: Vec::new() };
    walk.run(&mut tree.walk());
    walk.items
}

struct Walk<'a, 'tree> {
    roles: &'static Roles,
    text: &'a Text,
    within: Option<Range<usize>>,
    items: Vec<Item>,
    parents: Vec<Node<'tree>>,
}

/// The children of one node, while they are walked through.
#[derive(Default)]
struct Level {
    /// The first byte of the comments and attributes that came last.
    lead: Option<usize>,
    /// The line on which the last child ended.
    last_row: Option<usize>,
    /// What these nodes stand for as a whole, if there is one item in them.
    whole: Option<Range<usize>>,
    /// The items around these nodes: kinds of the last one, and how many there are.
    owner: Option<&'static str>,
    in_function: bool,
    depth: u32,
}

impl<'tree> Walk<'_, 'tree> {
    fn run(&mut self, cursor: &mut TreeCursor<'tree>) {
        let mut levels = vec![Level::default()];
        while let Some(level) = levels.last_mut() {
            if self.items.len() == ITEMS {
                return;
            }
            let node = cursor.node();
            if let Some(inner) = self.visit(node, level)
                && cursor.goto_first_child()
            {
                self.parents.push(node);
                levels.push(inner);
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.parents.pop();
                levels.pop();
            }
        }
    }

    /// Looks at one node; says with what to go on among its children, or that there is no need.
    fn visit(&mut self, node: Node<'tree>, level: &mut Level) -> Option<Level> {
        let role = self.roles.role(node);
        let start = level.start_of(node, matches!(role, Role::Lead), self.text);
        let own = start..node.end_byte();
        let whole = match role {
            Role::Item(_) | Role::Wrapper => level.whole.clone().unwrap_or(own),
            Role::Lead | Role::Other => own,
        };
        let mut inner = Level {
            owner: level.owner,
            in_function: level.in_function,
            depth: level.depth,
            ..Level::default()
        };
        match role {
            Role::Lead => return None,
            Role::Wrapper if self.wraps_one(node) => inner.whole = Some(whole.clone()),
            Role::Wrapper | Role::Other => {}
            Role::Item(_) if level.depth >= self.roles.levels => return None,
            Role::Item(rule) => {
                let site = Site { node, parents: &self.parents, text: self.text };
                if let Some((kind, name)) = rule.apply(site)
                    && let Some(kind) = kind_among(kind, level)
                    && let Some(item) = item(self.text, &name, kind, level.depth, whole.clone())
                {
                    if self.within.as_ref().is_none_or(|within| holds(&item.bytes, within)) {
                        self.items.push(item);
                    }
                    inner.owner = Some(kind);
                    inner.in_function |= FUNCTIONS.contains(&kind);
                    inner.depth += 1;
                }
            }
        }
        let wanted = self.within.as_ref().is_none_or(|within| holds(&whole, within));
        (wanted && node.child_count() > 0).then_some(inner)
    }

    /// Whether a wrapper has one item in it, not a list of them.
    fn wraps_one(&self, node: Node<'tree>) -> bool {
        let mut cursor = node.walk();
        let within = node.named_children(&mut cursor);
        let parts =
            within.filter(|child| matches!(self.roles.role(*child), Role::Item(_) | Role::Wrapper));
        parts.take(2).count() == 1
    }
}

impl Level {
    /// Where a node starts for a reader: at the comments and attributes right in front of it.
    fn start_of(&mut self, node: Node<'_>, is_lead: bool, text: &Text) -> usize {
        let (first, last) = (node.start_position(), node.end_position());
        let touches = self.last_row.is_some_and(|row| first.row <= row + 1);
        let lead = self.lead.take().filter(|_| touches);
        let start = lead.unwrap_or(node.start_byte());
        if is_lead {
            // A comment behind something on its line is about that.
            let is_comment = node.kind().contains("comment");
            let trails = lead.is_none() && self.last_row == Some(first.row);
            let is_elsewhere = is_comment && (trails || is_about_file(node, text));
            self.lead = (!is_elsewhere).then_some(start);
        }
        let ends_before = last.column == 0 && last.row > first.row;
        self.last_row = Some(if ends_before { last.row - 1 } else { last.row });
        start
    }
}

/// An item that has a name.
pub(super) fn item(
    text: &Text,
    name: &str,
    kind: &'static str,
    depth: u32,
    bytes: Range<usize>,
) -> Option<Item> {
    let name = name::tidy(name)?;
    // Some grammars count the line end, and empty lines, as part of what stands before them.
    let bytes = bytes.start..blanks_before(text, bytes.end, is_blank).max(bytes.start);
    let last = bytes.end.saturating_sub(1).max(bytes.start);
    let lines = text.byte_to_line(bytes.start)..text.byte_to_line(last) + 1;
    Some(Item { name, kind, depth, lines, bytes })
}

/// `//!` in Rust, `#!` in scripts: they do not belong to the first item.
fn is_about_file(comment: Node<'_>, text: &Text) -> bool {
    let start = comment.start_byte();
    let is_hash_bang = text.slice(start..start + 2).is_some_and(|start| start == "#!");
    is_hash_bang || comment.child_by_field_name("inner").is_some()
}

/// The kind of an item among others; nothing when it interests nobody there.
fn kind_among(kind: &'static str, level: &Level) -> Option<&'static str> {
    if level.in_function && LOCAL.contains(&kind) {
        return None;
    }
    let is_method = kind == "function" && level.owner.is_some_and(|owner| TYPES.contains(&owner));
    Some(if is_method { "method" } else { kind })
}

pub(super) fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    outer.start <= inner.start && inner.end <= outer.end
}

/// A range without the blanks at its ends, so that whole lines and the indentation in front of an
/// item belong to it. A range of nothing else, such as a cursor, becomes a place on its line.
pub(super) fn without_blanks(text: &Text, range: Range<usize>) -> Range<usize> {
    let end = range.end.min(text.len_bytes());
    let start = range.start.min(end);
    let first = blanks_from(text, start, is_blank);
    if first < end {
        return first..blanks_before(text, end, is_blank);
    }
    let on_line = |byte: u8| byte == b' ' || byte == b'\t';
    let next = blanks_from(text, start, on_line);
    let at_line_end = text.bytes_from(next).first().is_none_or(|byte| is_blank(*byte));
    let place = if at_line_end { blanks_before(text, start, on_line) } else { next };
    place..place
}

fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace()
}

/// The end of the blanks that start here.
fn blanks_from(text: &Text, mut at: usize, blank: impl Fn(u8) -> bool) -> usize {
    loop {
        let piece = text.bytes_from(at);
        let count = piece.iter().take_while(|byte| blank(**byte)).count();
        at += count;
        if count == 0 || count < piece.len() {
            return at;
        }
    }
}

/// The start of the blanks that end here.
fn blanks_before(text: &Text, mut at: usize, blank: impl Fn(u8) -> bool) -> usize {
    loop {
        let piece = text.bytes_before(at);
        let count = piece.iter().rev().take_while(|byte| blank(**byte)).count();
        at -= count;
        if count == 0 || count < piece.len() {
            return at;
        }
    }
}
