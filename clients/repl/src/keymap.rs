//! Which key does what: the usual keys, and what the user's files make of them.
//!
//! A key is looked up in the contexts that count at the moment, the nearest first. Keys may follow one
//! another (`ctrl+x ctrl+e`); what was pressed so far is kept until it is clear what it means.

mod file;
mod spelling;
mod stroke;
mod table;
mod template;

use std::sync::LazyLock;

use crossterm::event::KeyEvent;

pub(crate) use file::{Origin, read};
pub(crate) use stroke::{Stroke, show_chord};
pub(crate) use table::{Act, CONTEXTS, Context, ROWS, Wish};
pub(crate) use template::template;

use crate::editor::keys::Action;

/// Keys in a row, and the action they lead to; none when they are to do nothing.
#[derive(Debug, Clone, PartialEq)]
struct Binding {
    context: Context,
    strokes: Vec<Stroke>,
    row: Option<usize>,
}

#[derive(Debug, Clone)]
pub(crate) struct Keymap {
    /// The ones that count more come later.
    bindings: Vec<Binding>,
    /// What was pressed of keys in a row.
    pending: Vec<Stroke>,
}

/// What a key means.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Meaning {
    Act(Act, KeyEvent),
    /// Nothing is bound to it: a letter to be written, or a number in a list.
    Raw(KeyEvent),
    /// More keys must follow.
    Pending,
    /// It is to do nothing, or keys in a row ended in nothing; those are named.
    Nothing(Option<String>),
}

static USUAL: LazyLock<Keymap> = LazyLock::new(|| {
    let mut bindings = Vec::new();
    for (at, row) in ROWS.iter().enumerate() {
        for keys in row.keys.split(", ") {
            // A test reads them all.
            let Ok(strokes) = stroke::parse_chord(keys) else { continue };
            bindings.push(Binding { context: row.context, strokes, row: Some(at) });
        }
    }
    Keymap { bindings, pending: Vec::new() }
});

impl Default for Keymap {
    fn default() -> Self {
        USUAL.clone()
    }
}

impl Keymap {
    fn bind(&mut self, context: Context, strokes: Vec<Stroke>, row: Option<usize>) {
        // Keys in a row could never be finished while their beginning means something by itself.
        self.bindings
            .retain(|known| known.context != context || !strokes.starts_with(&known.strokes));
        self.bindings.push(Binding { context, strokes, row });
    }

    /// `contexts` are those that count, the nearest first; `writes` when letters are a text.
    pub fn look_up(&mut self, contexts: &[Context], key: KeyEvent, writes: bool) -> Meaning {
        let stroke = Stroke::of(key);
        if writes && self.pending.is_empty() && stroke.letter().is_some() {
            return Meaning::Raw(key);
        }
        let mut strokes = std::mem::take(&mut self.pending);
        strokes.push(stroke);
        let found = self.find(contexts, &strokes, key);
        if found == Meaning::Pending {
            self.pending = strokes;
        }
        found
    }

    fn find(&self, contexts: &[Context], strokes: &[Stroke], key: KeyEvent) -> Meaning {
        for context in contexts {
            let here = || self.bindings.iter().rev().filter(|known| known.context == *context);
            if let Some(exact) = here().find(|known| known.strokes == strokes) {
                return match exact.row {
                    Some(row) => meaning(row, key),
                    None => Meaning::Nothing(None),
                };
            }
            let goes_on = |known: &Binding| {
                let longer = known.strokes.len() > strokes.len();
                known.row.is_some() && longer && known.strokes.starts_with(strokes)
            };
            if here().any(goes_on) {
                return Meaning::Pending;
            }
        }
        match strokes.len() {
            1 => Meaning::Raw(key),
            _ => Meaning::Nothing(Some(show_chord(strokes))),
        }
    }

    /// What was pressed of keys in a row, for the foot.
    pub fn pending(&self) -> Option<String> {
        (!self.pending.is_empty()).then(|| show_chord(&self.pending))
    }

    /// The keys of an action, as they are now.
    pub fn keys_of(&self, row: usize) -> Vec<String> {
        let bound = self.bindings.iter().filter(|known| known.row == Some(row));
        bound.map(|known| show_chord(&known.strokes)).collect()
    }

    /// The first key of an action by its name, for hints.
    pub fn key_for(&self, name: &str) -> Option<String> {
        self.keys_of(table::row(name)?).into_iter().next()
    }

    /// Whether the user's files say something else than usual about an action.
    pub fn is_changed(&self, row: usize) -> bool {
        self.keys_of(row) != USUAL.keys_of(row)
    }
}

/// A component gets the first usual key of the action, whatever was pressed.
fn meaning(row: usize, key: KeyEvent) -> Meaning {
    let Some(found) = ROWS.get(row) else { return Meaning::Raw(key) };
    let usual = found.keys.split(", ").next().and_then(|keys| Stroke::parse(keys).ok());
    let canonical = match found.act {
        Act::Press => usual.map_or(key, Stroke::event),
        _ => key,
    };
    Meaning::Act(found.act, canonical)
}

/// What a key usually does to a text that is written.
pub(crate) fn usual_edit(key: KeyEvent) -> Option<Action> {
    let stroke = Stroke::of(key);
    if let Some(letter) = stroke.letter() {
        return Some(Action::Insert(letter));
    }
    match USUAL.find(&[Context::Chat, Context::Global], &[stroke], key) {
        Meaning::Act(Act::Edit(action), _) => Some(action),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
