//! What was drawn already, kept so that the whole conversation can be shown again. A conversation
//! without end must not take memory without end: the oldest parts go first.

use std::collections::VecDeque;

use super::item::{Fixed, Item};

/// About as much text as this is kept.
const LIMIT: usize = 64 << 20;

#[derive(Default)]
pub(super) struct Kept {
    items: VecDeque<(Item, usize)>,
    size: usize,
    /// Changes whenever something is gone: whoever counts parts begins anew then.
    version: usize,
    /// The oldest parts had to go.
    pub cut: bool,
}

impl Kept {
    pub fn push(&mut self, item: Item) {
        let size = size(&item);
        self.size += size;
        self.items.push_back((item, size));
        while self.size > LIMIT
            && let Some((_, size)) = self.items.pop_front()
        {
            self.size -= size;
            self.version += 1;
            self.cut = true;
        }
    }

    /// A message that does not count any more.
    pub fn retract(&mut self, id: &str) {
        let before = self.items.len();
        self.items.retain(|(item, _)| !matches!(item, Item::Text(text) if text.id == id));
        self.version += before - self.items.len();
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().map(|(item, _)| item)
    }

    /// The last so many.
    pub fn last_mut(&mut self, count: usize) -> impl Iterator<Item = &mut Item> {
        let skip = self.items.len().saturating_sub(count);
        self.items.iter_mut().skip(skip).map(|(item, _)| item)
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }

    pub fn version(&self) -> usize {
        self.version
    }
}

/// About how much memory a part takes.
fn size(item: &Item) -> usize {
    match item {
        Item::Text(text) => text.source.len(),
        Item::Tool(tool) => tool.size(),
        Item::Fixed(Fixed::User(text) | Fixed::Notice(_, text)) => text.len(),
        Item::Fixed(Fixed::Todos(items)) => items.iter().map(|item| item.content.len()).sum(),
        Item::Fixed(Fixed::Rows(rows)) => {
            rows.iter().flat_map(|row| &row.spans).map(|span| span.text.len()).sum()
        }
    }
}
