//! The parses of the texts that were asked about last.

use std::sync::{Arc, Mutex, PoisonError};

use text::Text;

use super::language::Language;
use super::tree::Tree;
use crate::uri::DocumentUri;

/// So many trees are kept, and no more than this of text in them: a tree takes many times the
/// memory of its text.
const TREES: usize = 16;
const BYTES: usize = 2_000_000;

/// A cache that many threads share. Nobody waits in it for somebody else's parse.
#[derive(Default)]
pub struct Trees {
    /// The one used last is the last one.
    kept: Mutex<Vec<(DocumentUri, Arc<Tree>)>>,
}

impl Trees {
    /// The tree of a document's text, parsed from what changed since it was asked for last.
    pub fn of(&self, uri: &DocumentUri, language: Language, text: &Text) -> Option<Arc<Tree>> {
        let last = self.take(uri).filter(|tree| tree.language() == language);
        let tree = match last {
            Some(tree) if tree.text() == text => Some(tree),
            Some(tree) => tree.update(text).map(Arc::new),
            None => Tree::parse(language, text).map(Arc::new),
        }?;
        self.keep(uri.clone(), tree.clone());
        Some(tree)
    }

    fn take(&self, uri: &DocumentUri) -> Option<Arc<Tree>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.iter().find(|(of, _)| of == uri).map(|(_, tree)| tree.clone())
    }

    fn keep(&self, uri: DocumentUri, tree: Arc<Tree>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(of, _)| *of != uri);
        kept.push((uri, tree));
        let bytes = |kept: &[(DocumentUri, Arc<Tree>)]| {
            kept.iter().map(|(_, tree)| tree.text().len_bytes()).sum::<usize>()
        };
        while kept.len() > TREES || bytes(&kept) > BYTES {
            kept.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(number: usize) -> DocumentUri {
        DocumentUri::new(&format!("file:///a/{number}.rs"))
    }

    #[test]
    fn the_same_text_is_parsed_once() {
        let trees = Trees::default();
        let text = Text::from("fn a() {}");
        let first = trees.of(&uri(1), Language::Rust, &text).unwrap();
        let again = trees.of(&uri(1), Language::Rust, &Text::from("fn a() {}")).unwrap();
        assert!(Arc::ptr_eq(&first, &again));
        let changed = trees.of(&uri(1), Language::Rust, &Text::from("fn b() {}")).unwrap();
        assert_eq!(changed.outline()[0].name, "b");
        let other = trees.of(&uri(1), Language::Python, &text).unwrap();
        assert_eq!(other.language(), Language::Python);
    }

    #[test]
    fn it_does_not_grow() {
        let trees = Trees::default();
        for number in 0..TREES * 2 {
            trees.of(&uri(number), Language::Rust, &Text::from("fn a() {}")).unwrap();
        }
        let kept = |trees: &Trees| trees.kept.lock().unwrap().len();
        assert_eq!(kept(&trees), TREES);
        let large = Text::from("// a comment\n".repeat(60_000));
        for number in 0..5 {
            trees.of(&uri(number), Language::Rust, &large).unwrap();
        }
        assert_eq!(kept(&trees), BYTES / large.len_bytes());
        assert!(trees.of(&uri(9), Language::Rust, &Text::from("x".repeat(BYTES))).is_none());
    }
}
