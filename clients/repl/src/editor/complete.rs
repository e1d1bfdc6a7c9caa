//! The list of proposals under the input: when it opens, what is marked, what taking one does.
//! Who makes the proposals (the server, or the client's own commands) is no matter here.

use std::ops::Range;

/// How many proposals are kept.
const LIMIT: usize = 50;

/// One proposal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Candidate {
    pub label: String,
    pub detail: String,
    /// What replaces `range` of the text.
    pub insert: String,
    pub range: Range<usize>,
}

#[derive(Debug, Default)]
pub(crate) struct Popup {
    candidates: Vec<Candidate>,
    marked: usize,
    /// The text it was closed at; it stays closed until the word changes.
    dismissed: Option<usize>,
}

impl Popup {
    pub fn is_open(&self) -> bool {
        !self.candidates.is_empty()
    }

    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    pub fn marked(&self) -> usize {
        self.marked
    }

    /// New proposals; the mark stays on the same label when it is still there.
    pub fn show(&mut self, mut candidates: Vec<Candidate>) {
        candidates.truncate(LIMIT);
        let label = self.candidates.get(self.marked).map(|candidate| candidate.label.clone());
        self.marked = candidates
            .iter()
            .position(|candidate| Some(&candidate.label) == label.as_ref())
            .unwrap_or(0);
        self.candidates = candidates;
    }

    pub fn close(&mut self) {
        self.candidates.clear();
        self.marked = 0;
    }

    /// The user does not want proposals for the word that starts at `start`.
    pub fn dismiss(&mut self, start: usize) {
        self.close();
        self.dismissed = Some(start);
    }

    /// True while the word at `start` was dismissed; another word opens the list again.
    pub fn is_dismissed(&mut self, start: Option<usize>) -> bool {
        if self.dismissed != start {
            self.dismissed = None;
        }
        self.dismissed.is_some()
    }

    pub fn up(&mut self) {
        let count = self.candidates.len().max(1);
        self.marked = (self.marked + count - 1) % count;
    }

    pub fn down(&mut self) {
        self.marked = (self.marked + 1) % self.candidates.len().max(1);
    }

    /// Takes the marked proposal and closes the list.
    pub fn accept(&mut self) -> Option<Candidate> {
        let taken = self.candidates.get(self.marked).cloned();
        self.close();
        taken
    }
}

/// Where a word that can be completed starts: `/` at the very beginning, `@` or `#` before a word.
pub(crate) fn trigger(text: &str, caret: usize) -> Option<usize> {
    let before = text.get(..caret)?;
    if before.starts_with('/') && !before.contains(char::is_whitespace) {
        return Some(0);
    }
    let start = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let word = &before[start..];
    let opens = word.starts_with('@') || (start == 0 && word.starts_with('#'));
    opens.then_some(start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_at_commands_and_mentions() {
        for (text, expect) in [
            ("/he", Some(0)),
            ("/help me", None),
            ("say /he", None),
            ("see @src/ma", Some(4)),
            ("mail a@b", None),
            ("@", Some(0)),
            ("a\n@b", Some(2)),
            ("# note", None),
            ("#no", Some(0)),
            ("", None),
        ] {
            assert_eq!(trigger(text, text.len()), expect, "{text:?}");
        }
        assert_eq!(trigger("@a b", 2), Some(0));
    }

    fn candidate(label: &str) -> Candidate {
        Candidate { label: label.into(), detail: String::new(), insert: label.into(), range: 0..1 }
    }

    #[test]
    fn the_mark_stays_on_its_label() {
        let mut popup = Popup::default();
        popup.show(vec![candidate("a"), candidate("b")]);
        popup.down();
        popup.show(vec![candidate("x"), candidate("a"), candidate("b")]);
        assert_eq!(popup.marked(), 2);
        popup.down();
        assert_eq!(popup.marked(), 0);
        popup.up();
        assert_eq!(popup.accept().map(|taken| taken.label).as_deref(), Some("b"));
        assert!(!popup.is_open());
    }

    #[test]
    fn a_dismissed_word_stays_quiet() {
        let mut popup = Popup::default();
        popup.show(vec![candidate("a")]);
        popup.dismiss(4);
        assert!(popup.is_dismissed(Some(4)));
        assert!(!popup.is_dismissed(Some(9)));
        assert!(!popup.is_dismissed(Some(4)));
    }
}
