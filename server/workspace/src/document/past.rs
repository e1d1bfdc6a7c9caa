//! The texts a document had lately.
//!
//! A file that says what one of them says is older than the buffer: the user went on typing while
//! the editor saved, or after it loaded the file again.

use std::collections::VecDeque;

use text::Text;

/// So many texts are known, and so many bytes that only they have. The last one always is.
const TEXTS: usize = 32;
const BYTES: usize = 256 * 1024;

/// Former texts, the newest at the end. They share what they have in common.
#[derive(Debug, Clone, Default)]
pub(super) struct Past {
    texts: VecDeque<Former>,
    bytes: usize,
}

#[derive(Debug, Clone)]
struct Former {
    text: Text,
    /// What the next text does not have of it.
    bytes: usize,
}

impl Past {
    pub(super) fn push(&mut self, text: Text, removed: usize) {
        self.texts.push_back(Former { text, bytes: removed });
        self.bytes += removed;
        while self.texts.len() > TEXTS || self.bytes > BYTES && self.texts.len() > 1 {
            self.drop_oldest(1);
        }
    }

    /// The newest text that says this.
    pub(super) fn find(&self, says: impl Fn(&Text) -> bool) -> Option<&Text> {
        self.texts.iter().rev().map(|former| &former.text).find(|text| says(text))
    }

    /// Forgets a text and all before it.
    pub(super) fn forget_until(&mut self, text: &Text) {
        if let Some(at) = self.texts.iter().rposition(|former| former.text == *text) {
            self.drop_oldest(at + 1);
        }
    }

    pub(super) fn clear(&mut self) {
        *self = Past::default();
    }

    fn drop_oldest(&mut self, count: usize) {
        let dropped: usize = self.texts.drain(..count).map(|former| former.bytes).sum();
        self.bytes -= dropped;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_texts_and_not_too_many_bytes() {
        let check = |pushed: &[(&str, usize)], known: &[&str]| {
            let mut past = Past::default();
            for (text, removed) in pushed {
                past.push(Text::from(*text), *removed);
            }
            let found = |text: &&str| past.find(|former| *former == **text).is_some();
            let all: Vec<&str> = pushed.iter().map(|(text, _)| *text).filter(found).collect();
            assert_eq!(all, known);
        };
        check(&[], &[]);
        check(&[("a", 1), ("b", 1)], &["a", "b"]);
        check(&[("a", BYTES), ("b", 1)], &["b"]);
        check(&[("a", 1), ("b", BYTES * 2)], &["b"]);
        check(&[("a", BYTES / 2), ("b", BYTES / 2), ("c", 0)], &["a", "b", "c"]);
    }

    #[test]
    fn what_lies_before_an_agreement_is_forgotten() {
        let mut past = Past::default();
        for n in 0..TEXTS + 5 {
            past.push(Text::from(n.to_string()), 1);
        }
        let knows = |past: &Past, text: &str| past.find(|former| *former == *text).is_some();
        assert!(!knows(&past, "4") && knows(&past, "5"));
        past.forget_until(&Text::from("30"));
        assert!(!knows(&past, "30") && knows(&past, "31"));
        past.forget_until(&Text::from("nothing of it"));
        assert_eq!((past.texts.len(), past.bytes), (6, 6));
    }
}
