//! The sections of a Markdown text. The grammar knows headings but not what lies under those that
//! are underlined, so sections are made here: each ends at the next heading that is not below it.

use std::ops::Range;

use text::Text;
use tree_sitter::{Node, Tree};

use super::Item;
use super::walk::{ITEMS, holds, item};

struct Heading {
    level: usize,
    name: String,
    start: usize,
}

pub(super) fn items(tree: &Tree, text: &Text, within: Option<&Range<usize>>) -> Vec<Item> {
    let headings = headings(tree, text);
    let mut open: Vec<usize> = Vec::new();
    let mut items = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        while open.last().is_some_and(|level| *level >= heading.level) {
            open.pop();
        }
        let next = headings[at + 1..].iter().find(|next| next.level <= heading.level);
        let end = next.map_or(text.len_bytes(), |next| next.start);
        let depth = u32::try_from(open.len()).unwrap_or(u32::MAX);
        items.extend(item(text, &heading.name, "section", depth, heading.start..end));
        open.push(heading.level);
    }
    items.retain(|item| within.is_none_or(|within| holds(&item.bytes, within)));
    items
}

/// The headings of the text itself, not those in its quotes and lists.
fn headings(tree: &Tree, text: &Text) -> Vec<Heading> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    while found.len() < ITEMS {
        let node = cursor.node();
        match node.kind() {
            "document" | "section" if cursor.goto_first_child() => continue,
            "atx_heading" | "setext_heading" => found.extend(heading(node, text)),
            _ => {}
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
    found
}

fn heading(node: Node<'_>, text: &Text) -> Option<Heading> {
    // The mark in front or the line below: `atx_h2_marker`, `setext_h1_underline`.
    let mut cursor = node.walk();
    let level = node.named_children(&mut cursor).find_map(|child| {
        let digit = child.kind().split_once("_h")?.1.chars().next()?;
        digit.to_digit(10)
    })?;
    let content = node.child_by_field_name("heading_content")?;
    let content = text.slice(content.byte_range())?;
    // `## Title ##`
    let bare = content.trim_end().trim_end_matches('#');
    let name = if bare.ends_with([' ', '\t']) { bare } else { &content };
    Some(Heading { level: level as usize, name: name.to_owned(), start: node.start_byte() })
}
