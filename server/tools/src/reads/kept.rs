//! Texts of files, so many bytes of them; the oldest go first.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use text::Text;

#[derive(Debug)]
pub(super) struct KeptTexts {
    texts: HashMap<PathBuf, (u64, Text)>,
    /// The files by the number of their entry: the oldest first.
    order: BTreeMap<u64, PathBuf>,
    bytes: usize,
    next: u64,
    cap: usize,
}

impl KeptTexts {
    pub(super) fn with_cap(cap: usize) -> KeptTexts {
        KeptTexts { texts: HashMap::new(), order: BTreeMap::new(), bytes: 0, next: 0, cap }
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Text> {
        self.texts.get(path).map(|(_, text)| text)
    }

    /// Takes the place of what was kept of the file. A text that is too large is not kept at all.
    pub(super) fn keep(&mut self, path: &Path, text: Text) {
        self.forget(path);
        if text.len_bytes() > self.cap {
            return;
        }
        self.next += 1;
        self.bytes += text.len_bytes();
        self.order.insert(self.next, path.to_owned());
        self.texts.insert(path.to_owned(), (self.next, text));
        while self.bytes > self.cap {
            let Some((_, oldest)) = self.order.pop_first() else { break };
            let gone = self.texts.remove(&oldest);
            self.bytes -= gone.map_or(0, |(_, text)| text.len_bytes());
        }
    }

    pub(super) fn forget(&mut self, path: &Path) {
        if let Some((number, text)) = self.texts.remove(path) {
            self.order.remove(&number);
            self.bytes -= text.len_bytes();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_text_goes_first() {
        let mut texts = KeptTexts::with_cap(10);
        let mut keep = |name: &str, text: &str| {
            texts.keep(Path::new(name), Text::from(text));
            let mut kept: Vec<_> =
                texts.texts.keys().map(|path| path.display().to_string()).collect();
            kept.sort();
            let bytes: usize = texts.texts.values().map(|(_, text)| text.len_bytes()).sum();
            assert_eq!((texts.bytes, texts.order.len()), (bytes, kept.len()));
            kept.join(" ")
        };
        assert_eq!(keep("a", "1234"), "a");
        assert_eq!(keep("b", "1234"), "a b");
        assert_eq!(keep("a", "123456"), "a b");
        assert_eq!(keep("c", "1"), "a c", "b is the oldest, since a was kept again");
        assert_eq!(keep("d", "12345678901"), "a c", "too large to be kept at all");
        assert_eq!(keep("a", "12345678901"), "c");
        texts.forget(Path::new("c"));
        assert_eq!((texts.bytes, texts.order.len()), (0, 0));
    }
}
