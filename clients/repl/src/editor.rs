//! The input line: what a key does to the text, the history and the list of proposals.
//!
//! Pure: it asks nobody and draws nothing. What it cannot decide alone (sending, stopping,
//! leaving) it hands back as an [`Outcome`].

pub(crate) mod buffer;
pub(crate) mod complete;
pub(crate) mod history;
pub(crate) mod keys;
pub(crate) mod layout;
mod paste;
pub(crate) mod vim;

use buffer::Buffer;
use complete::Popup;
use history::History;
use keys::Action;
use vim::{Vim, VimMode, Vimmed};

#[derive(Debug, Default)]
pub(crate) struct Editor {
    pub buffer: Buffer,
    pub history: History,
    pub popup: Popup,
    /// Keys of vi, where they are wanted.
    pub vim: Option<Vim>,
    search: Option<Search>,
}

/// Ctrl-R: looking for an old prompt.
#[derive(Debug)]
struct Search {
    query: String,
    /// The place of the shown entry in the history.
    at: usize,
    /// What was being written before.
    draft: String,
    failed: bool,
}

/// What is left for the owner of the editor to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing, or only the caret moved.
    Done,
    /// The text is another one: proposals are out of date.
    Edited,
    Submit(String),
    /// To be said into the running turn.
    Steer(String),
    /// Not the editor's business: stop, leave, switch the mode, draw again.
    Left(Action),
}

impl Editor {
    pub fn new(history: History) -> Self {
        Self { history, ..Self::default() }
    }

    /// What Ctrl-R looks for, and whether nothing was found.
    pub fn searching(&self) -> Option<(&str, bool)> {
        self.search.as_ref().map(|search| (search.query.as_str(), search.failed))
    }

    /// Nothing is written, and nothing is open.
    pub fn is_at_rest(&self) -> bool {
        self.buffer.is_empty() && self.search.is_none() && !self.popup.is_open()
    }

    pub fn paste(&mut self, text: &str) -> Outcome {
        self.search = None;
        self.history.stop_walking();
        let before = &self.buffer.text()[..self.buffer.caret()];
        let mention = paste::mention(text).filter(|_| !before.ends_with('@'));
        self.buffer.insert(mention.as_deref().unwrap_or(text));
        Outcome::Edited
    }

    pub fn on(&mut self, action: Action) -> Outcome {
        if self.search.is_some()
            && let Some(outcome) = self.on_search(action)
        {
            return outcome;
        }
        if self.popup.is_open()
            && let Some(outcome) = self.on_popup(action)
        {
            return outcome;
        }
        let action = match self.on_vim(action) {
            Ok(outcome) => return outcome,
            Err(action) => action,
        };
        match action {
            Action::Submit => self.submit(),
            Action::Steer => match self.submit() {
                Outcome::Submit(text) => Outcome::Steer(text),
                other => other,
            },
            Action::Up => self.up(),
            Action::Down => self.down(),
            Action::Search => {
                let draft = self.buffer.text().to_owned();
                self.popup.close();
                self.search =
                    Some(Search { query: String::new(), at: usize::MAX, draft, failed: false });
                Outcome::Done
            }
            Action::EndOfInput if !self.buffer.is_empty() => self.edit(Action::Delete),
            Action::Interrupt if !self.buffer.is_empty() => {
                self.buffer.set("");
                self.history.stop_walking();
                Outcome::Edited
            }
            Action::Escape
            | Action::Interrupt
            | Action::EndOfInput
            | Action::CycleMode
            | Action::Redraw => Outcome::Left(action),
            other => self.edit(other),
        }
    }

    /// Switches the keys of vi on or off.
    pub fn use_vim(&mut self, wanted: bool) {
        self.vim = wanted.then(Vim::default);
    }

    /// What vi makes of a key; the error is the action that is left to do as without it.
    fn on_vim(&mut self, action: Action) -> Result<Outcome, Action> {
        let Some(vim) = &mut self.vim else { return Err(action) };
        match (action, vim.mode) {
            (Action::Escape, _) if vim.escape(&mut self.buffer) => Ok(Outcome::Done),
            (Action::Insert(letter), VimMode::Normal) => {
                let before = self.buffer.text().len();
                match vim.key(letter, &mut self.buffer) {
                    Vimmed::Act(action) => Err(action),
                    Vimmed::Done => Ok(Outcome::Done),
                    Vimmed::Edited => {
                        if self.buffer.text().len() != before {
                            self.history.stop_walking();
                        }
                        Ok(Outcome::Edited)
                    }
                }
            }
            (Action::Insert(letter), VimMode::Insert) => {
                vim.note_typed(letter);
                Err(action)
            }
            (Action::Backspace, VimMode::Normal) => Err(Action::Left),
            (Action::Submit | Action::Steer | Action::Interrupt, _) => {
                vim.begin();
                Err(action)
            }
            _ => Err(action),
        }
    }

    fn submit(&mut self) -> Outcome {
        // A backslash at the end asks for one more line.
        if self.buffer.caret() == self.buffer.text().len() && self.buffer.text().ends_with('\\') {
            self.buffer.backspace();
            self.buffer.insert("\n");
            return Outcome::Edited;
        }
        if self.buffer.text().trim().is_empty() {
            return Outcome::Done;
        }
        self.popup.close();
        Outcome::Submit(self.buffer.take())
    }

    fn up(&mut self) -> Outcome {
        if self.buffer.move_up() {
            return Outcome::Done;
        }
        let older = self.history.older(self.buffer.text()).map(str::to_owned);
        self.recall(older)
    }

    fn down(&mut self) -> Outcome {
        if self.buffer.move_down() {
            return Outcome::Done;
        }
        let newer = self.history.newer();
        self.recall(newer)
    }

    /// A recalled prompt opens no proposals: the arrows must go on walking.
    fn recall(&mut self, entry: Option<String>) -> Outcome {
        if let Some(entry) = entry {
            self.buffer.set(&entry);
            self.popup.close();
        }
        Outcome::Done
    }

    /// A text to change and send again; undo brings back what stood there.
    pub fn refill(&mut self, text: &str) {
        self.search = None;
        self.history.stop_walking();
        self.recall(Some(text.to_owned()));
    }

    fn on_popup(&mut self, action: Action) -> Option<Outcome> {
        match action {
            Action::Up => self.popup.up(),
            Action::Down => self.popup.down(),
            Action::Escape => {
                let start = complete::trigger(self.buffer.text(), self.buffer.caret());
                self.popup.dismiss(start.unwrap_or(0));
            }
            Action::Complete => return self.accept(),
            Action::Submit => {
                // A word that is already written out is meant to be sent, not completed.
                let marked = self.popup.candidates().get(self.popup.marked());
                let is_written = |one: &complete::Candidate| {
                    let word = self.buffer.text().get(one.range.start..self.buffer.caret());
                    word.is_some_and(|word| word.trim_end() == one.insert.trim_end())
                };
                if marked.is_some_and(is_written) {
                    self.popup.close();
                    return None;
                }
                return self.accept();
            }
            _ => return None,
        }
        Some(Outcome::Done)
    }

    fn accept(&mut self) -> Option<Outcome> {
        let taken = self.popup.accept()?;
        self.buffer.replace(taken.range, &taken.insert);
        Some(Outcome::Edited)
    }

    fn on_search(&mut self, action: Action) -> Option<Outcome> {
        let search = self.search.as_mut()?;
        match action {
            Action::Insert(character) => {
                search.query.push(character);
                search.at = usize::MAX;
            }
            Action::Backspace => {
                search.query.pop();
                search.at = usize::MAX;
            }
            Action::Search => {}
            Action::Escape | Action::Interrupt => {
                let draft = std::mem::take(&mut search.draft);
                self.buffer.set(&draft);
                self.search = None;
                return Some(Outcome::Done);
            }
            Action::Submit | Action::Complete => {
                self.search = None;
                return Some(Outcome::Done);
            }
            // Any other key takes the found prompt and does its own work on it.
            _ => {
                self.search = None;
                return None;
            }
        }
        let found = self.history.search(&search.query, search.at);
        search.failed = found.is_none();
        if let Some((at, entry)) = found {
            search.at = at;
            let entry = entry.to_owned();
            self.buffer.set(&entry);
        }
        Some(Outcome::Done)
    }

    fn edit(&mut self, action: Action) -> Outcome {
        let before = self.buffer.text().len();
        let caret = self.buffer.caret();
        let buffer = &mut self.buffer;
        match action {
            Action::Insert(character) => buffer.insert(character.encode_utf8(&mut [0; 4])),
            Action::Newline => buffer.insert("\n"),
            Action::Backspace => buffer.backspace(),
            Action::Delete => buffer.delete(),
            Action::Left => buffer.move_left(),
            Action::Right => buffer.move_right(),
            Action::WordLeft => buffer.move_word_left(),
            Action::WordRight => buffer.move_word_right(),
            Action::LineStart => buffer.move_line_start(),
            Action::LineEnd => buffer.move_line_end(),
            Action::KillToEnd => buffer.kill_to_line_end(),
            Action::KillToStart => buffer.kill_to_line_start(),
            Action::KillWord => buffer.kill_word_left(),
            Action::KillBigWord => buffer.kill_big_word_left(),
            Action::KillWordRight => buffer.kill_word_right(),
            Action::Yank => buffer.yank(),
            Action::Undo => buffer.undo(),
            _ => {}
        }
        if buffer.text().len() == before && buffer.caret() == caret {
            return Outcome::Done;
        }
        if buffer.text().len() != before {
            self.history.stop_walking();
        }
        Outcome::Edited
    }
}

#[cfg(test)]
mod tests {
    use super::complete::Candidate;
    use super::*;

    fn typed(text: &str) -> Editor {
        let mut editor = Editor::default();
        for character in text.chars() {
            editor.on(Action::Insert(character));
        }
        editor
    }

    #[test]
    fn enter_sends_and_a_backslash_goes_on() {
        let mut editor = typed("one\\");
        assert_eq!(editor.on(Action::Submit), Outcome::Edited);
        assert_eq!(editor.buffer.text(), "one\n");
        editor.on(Action::Insert('x'));
        assert_eq!(editor.on(Action::Submit), Outcome::Submit("one\nx".into()));
        assert!(editor.buffer.is_empty());
        assert_eq!(editor.on(Action::Submit), Outcome::Done);
    }

    #[test]
    fn interrupt_clears_first() {
        let mut editor = typed("text");
        assert_eq!(editor.on(Action::Interrupt), Outcome::Edited);
        assert_eq!(editor.on(Action::Interrupt), Outcome::Left(Action::Interrupt));
        editor.on(Action::Undo);
        assert_eq!(editor.buffer.text(), "text");
    }

    #[test]
    fn arrows_walk_through_history_at_the_edge() {
        let mut editor = typed("draft");
        editor.history.push("old\nprompt");
        editor.on(Action::Up);
        assert_eq!(editor.buffer.text(), "old\nprompt");
        editor.on(Action::Up);
        assert_eq!(editor.buffer.text(), "old\nprompt");
        editor.on(Action::Down);
        editor.on(Action::Down);
        assert_eq!(editor.buffer.text(), "draft");
    }

    #[test]
    fn search_finds_and_gives_back() {
        let mut editor = typed("draft");
        editor.history.push("fix the test");
        editor.history.push("run the test");
        editor.on(Action::Search);
        for character in "test".chars() {
            editor.on(Action::Insert(character));
        }
        assert_eq!(editor.buffer.text(), "run the test");
        editor.on(Action::Search);
        assert_eq!(editor.buffer.text(), "fix the test");
        editor.on(Action::Search);
        assert_eq!(editor.searching(), Some(("test", true)));
        editor.on(Action::Escape);
        assert_eq!(editor.buffer.text(), "draft");
    }

    fn candidate(insert: &str) -> Candidate {
        Candidate {
            label: insert.into(),
            detail: String::new(),
            insert: insert.into(),
            range: 0..2,
        }
    }

    #[test]
    fn enter_takes_a_proposal_unless_it_is_written_out() {
        let mut editor = typed("/h");
        editor.popup.show(vec![candidate("/help ")]);
        assert_eq!(editor.on(Action::Submit), Outcome::Edited);
        assert_eq!(editor.buffer.text(), "/help ");
        editor.popup.show(vec![candidate("/help ")]);
        assert_eq!(editor.on(Action::Submit), Outcome::Submit("/help ".into()));
    }

    #[test]
    fn escape_closes_the_list_and_then_is_left() {
        let mut editor = typed("/h");
        editor.popup.show(vec![candidate("/help ")]);
        assert_eq!(editor.on(Action::Escape), Outcome::Done);
        assert_eq!(editor.on(Action::Escape), Outcome::Left(Action::Escape));
    }
}
