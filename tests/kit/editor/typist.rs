//! Somebody who types while the agent edits: tokens that nobody else writes, so that every one of
//! them can be found again.

use serde_json::Value;

use super::Editor;
use crate::dice::Dice;

pub struct Typist {
    dice: Dice,
    /// What was typed, in order.
    pub tokens: Vec<String>,
}

/// Whatever counts differently in different encodings.
const SALT: [&str; 6] = ["a", "é", "☃", "𝄞", "👩‍👧", "e\u{301}"];

impl Typist {
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), tokens: Vec::new() }
    }

    /// What is typed in the moment before an edit arrives; now and then right where it goes.
    pub(super) fn before(&mut self, uri: &str, edits: &[Value], editor: &mut Editor) -> Vec<Value> {
        if self.dice.below(16) == 0
            && let Some(place) = edits.first().map(|edit| &edit["range"])
        {
            let at = editor.buffer(uri).offset(&place["start"], editor.encoding);
            let end = editor.buffer(uri).offset(&place["end"], editor.encoding);
            let inside = (at + 1..end).find(|at| editor.text(uri).is_char_boundary(*at));
            return inside.map(|at| self.type_at(uri, at, editor)).into_iter().collect();
        }
        let count = if self.dice.below(3) == 0 { 1 + self.dice.below(2) } else { 0 };
        (0..count).map(|_| self.type_somewhere(uri, editor)).collect()
    }

    pub(super) fn after(&mut self, uri: &str, editor: &mut Editor) -> Vec<Value> {
        let count = self.dice.below(2);
        (0..count).map(|_| self.type_somewhere(uri, editor)).collect()
    }

    /// Between the things that others write.
    fn type_somewhere(&mut self, uri: &str, editor: &mut Editor) -> Value {
        let places: Vec<_> = editor.text(uri).match_indices("~").map(|(at, _)| at).collect();
        let at = places[self.dice.below(places.len())];
        self.type_at(uri, at, editor)
    }

    fn type_at(&mut self, uri: &str, at: usize, editor: &mut Editor) -> Value {
        let salt = SALT[self.dice.below(SALT.len())];
        let token = format!("«{}{salt}»", self.tokens.len());
        self.tokens.push(token.clone());
        editor.splice(uri, at..at, &token)
    }
}
