//! The review: one change after the other, a key for each decision.
//!
//! The changes belong to the session; this only knows which one is in sight and what is being
//! written about it. While a decision is on its way, keys wait for its outcome: `a` twice in a row
//! is a decision about two changes, never two about one.

mod draw;
mod lines;

use std::collections::VecDeque;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use protocol::edit::ReviewAction;
use protocol::review::{Hunk, LineSpan};

use super::pages::Pages;
use super::{is_escape, write};
use crate::editor::buffer::Buffer;
use crate::render::line::Line;

/// Keys that may wait for an outcome; more are dropped.
const MOST_WAITING: usize = 64;

#[derive(Debug)]
pub(crate) struct Review {
    cwd: String,
    /// The change in sight, and its place in the list for when it is gone.
    at: Option<String>,
    place: usize,
    pages: Pages,
    field: Option<Field>,
    /// What the last decision did.
    outcome: Vec<Line>,
    /// A decision is on its way.
    waiting: bool,
    typed: VecDeque<KeyEvent>,
    /// How many decisions had been made before this review.
    pub since: usize,
}

/// What is being written.
#[derive(Debug)]
enum Field {
    /// Why the change, or these lines of it, is rejected.
    Comment { text: Buffer, lines: Option<Vec<LineSpan>> },
    /// Numbers of lines.
    Lines { text: Buffer, problem: Option<String> },
    /// The change went away while something was written about it; the letters that still come
    /// must not decide about another one.
    Gone,
}

/// What a key asks for.
#[derive(Debug, PartialEq)]
pub(crate) enum Move {
    /// Nothing more than to look.
    Stay,
    Leave,
    /// Takes the last decision back.
    Undo,
    Resolve(Verdict),
}

/// What a decision is about. Rejecting a whole takes along what its changes replaced.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scope {
    /// These changes and no others.
    Hunks,
    /// Everything of the session in a file.
    File(String),
    /// Everything of the session.
    Session,
}

/// A decision about some changes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Verdict {
    pub hunks: Vec<String>,
    pub scope: Scope,
    pub action: ReviewAction,
    pub lines: Option<Vec<LineSpan>>,
    pub comment: Option<String>,
}

impl Review {
    pub fn new(cwd: &str, decisions: usize) -> Self {
        Self {
            cwd: cwd.to_owned(),
            at: None,
            place: 0,
            pages: Pages::default(),
            field: None,
            outcome: Vec::new(),
            waiting: false,
            typed: VecDeque::new(),
            since: decisions,
        }
    }

    /// Letters are a text.
    pub fn writes(&self) -> bool {
        matches!(self.field, Some(Field::Comment { .. } | Field::Lines { .. }))
    }

    pub fn is_waiting(&self) -> bool {
        self.waiting
    }

    /// A decision goes out: keys wait from here on.
    pub fn wait(&mut self) {
        self.waiting = true;
        self.outcome.clear();
    }

    /// The outcome is there; the keys that waited for it are to be pressed again.
    pub fn go_on(&mut self) -> VecDeque<KeyEvent> {
        self.waiting = false;
        std::mem::take(&mut self.typed)
    }

    pub fn tell(&mut self, outcome: Vec<Line>) {
        self.outcome = outcome;
    }

    /// Goes to a change, for example to one whose decision was taken back.
    pub fn show(&mut self, hunk: &str) {
        self.at = Some(hunk.to_owned());
        self.pages.start_over();
    }

    pub fn on_key(&mut self, key: KeyEvent, pending: &[Hunk]) -> Move {
        let Some(hunk) = self.look(pending) else { return Move::Leave };
        if self.waiting {
            // A server that hangs must not hold the user.
            if is_escape(key) {
                return Move::Leave;
            }
            if self.typed.len() < MOST_WAITING {
                self.typed.push_back(key);
            }
            return Move::Stay;
        }
        match self.field {
            Some(Field::Comment { .. }) => self.on_comment_key(key, hunk),
            Some(Field::Lines { .. }) => self.on_lines_key(key, hunk),
            Some(Field::Gone) => {
                if is_escape(key) || key.code == KeyCode::Enter {
                    self.field = None;
                }
                Move::Stay
            }
            None => self.on_choice_key(key, hunk, pending),
        }
    }

    pub fn paste(&mut self, pasted: &str) {
        if let Some(Field::Comment { text, .. }) = &mut self.field {
            text.insert(pasted);
        }
    }

    /// The change in sight: the same as before, or when it is gone, what stands in its place.
    fn look<'a>(&mut self, pending: &'a [Hunk]) -> Option<&'a Hunk> {
        let last = pending.len().checked_sub(1)?;
        let same = pending.iter().position(|hunk| Some(&hunk.id) == self.at.as_ref());
        self.place = same.unwrap_or(self.place.min(last));
        let hunk = pending.get(self.place)?;
        if same.is_none() {
            self.show(&hunk.id);
            self.field = self.field.take().map(|_| Field::Gone);
        }
        Some(hunk)
    }

    fn on_choice_key(&mut self, key: KeyEvent, hunk: &Hunk, pending: &[Hunk]) -> Move {
        if is_escape(key) {
            return Move::Leave;
        }
        if self.pages.on_key(key) {
            return Move::Stay;
        }
        let in_file = || pending.iter().filter(|other| other.uri == hunk.uri).map(id).collect();
        let file = || Scope::File(hunk.uri.clone());
        match key.code {
            _ if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => {}
            KeyCode::Char('a') => return Verdict::accept(vec![id(hunk)], Scope::Hunks),
            KeyCode::Char('r') => return Verdict::reject(vec![id(hunk)], Scope::Hunks),
            KeyCode::Char('A') => return Verdict::accept(in_file(), file()),
            KeyCode::Char('R') => return Verdict::reject(in_file(), file()),
            KeyCode::Char('c') => {
                self.field = Some(Field::Comment { text: Buffer::default(), lines: None });
            }
            KeyCode::Char('l') => {
                self.field = Some(Field::Lines { text: Buffer::default(), problem: None });
            }
            KeyCode::Char('u') => return Move::Undo,
            KeyCode::Char('n') | KeyCode::Down | KeyCode::Right | KeyCode::Tab => {
                self.step(1, pending);
            }
            KeyCode::Char('p') | KeyCode::Up | KeyCode::Left | KeyCode::BackTab => {
                self.step(pending.len().saturating_sub(1), pending);
            }
            KeyCode::Char('q') => return Move::Leave,
            _ => {}
        }
        Move::Stay
    }

    fn step(&mut self, by: usize, pending: &[Hunk]) {
        self.place = (self.place + by) % pending.len().max(1);
        self.outcome.clear();
        if let Some(hunk) = pending.get(self.place) {
            self.show(&hunk.id);
        }
    }

    fn on_comment_key(&mut self, key: KeyEvent, hunk: &Hunk) -> Move {
        let Some(Field::Comment { text, lines }) = &mut self.field else { return Move::Stay };
        if key.code == KeyCode::Enter {
            let comment = Some(text.take()).filter(|text| !text.trim().is_empty());
            let lines = lines.take();
            self.field = None;
            let (hunks, action) = (vec![id(hunk)], ReviewAction::Reject);
            return Move::Resolve(Verdict { hunks, scope: Scope::Hunks, action, lines, comment });
        }
        if is_escape(key) {
            // Back to the choice: leaving a comment field must decide nothing.
            self.field = None;
        } else {
            write(text, key);
        }
        Move::Stay
    }

    /// Digits, commas and dashes are written; a letter decides about the lines they name.
    fn on_lines_key(&mut self, key: KeyEvent, hunk: &Hunk) -> Move {
        let Some(Field::Lines { text, problem }) = &mut self.field else { return Move::Stay };
        if is_escape(key) {
            self.field = None;
            return Move::Stay;
        }
        let letter = match key.code {
            KeyCode::Char(letter @ ('a' | 'r' | 'c')) => letter,
            KeyCode::Enter => {
                *problem = Some("a accepts these lines, r rejects them.".into());
                return Move::Stay;
            }
            // Nothing else belongs into numbers of lines.
            KeyCode::Char(other) if !other.is_ascii_digit() && !", -".contains(other) => {
                return Move::Stay;
            }
            _ => {
                *problem = None;
                write(text, key);
                return Move::Stay;
            }
        };
        match lines::spans(text.text(), hunk.new_text.lines().count()) {
            Err(why) => *problem = Some(why),
            Ok(lines) if letter == 'c' => {
                self.field = Some(Field::Comment { text: Buffer::default(), lines });
            }
            Ok(lines) => {
                self.field = None;
                let action =
                    if letter == 'a' { ReviewAction::Accept } else { ReviewAction::Reject };
                let hunks = vec![id(hunk)];
                return Move::Resolve(Verdict {
                    lines,
                    ..Verdict::new(hunks, Scope::Hunks, action)
                });
            }
        }
        Move::Stay
    }
}

impl Verdict {
    pub fn new(hunks: Vec<String>, scope: Scope, action: ReviewAction) -> Self {
        Self { hunks, scope, action, lines: None, comment: None }
    }

    fn accept(hunks: Vec<String>, scope: Scope) -> Move {
        Move::Resolve(Self::new(hunks, scope, ReviewAction::Accept))
    }

    fn reject(hunks: Vec<String>, scope: Scope) -> Move {
        Move::Resolve(Self::new(hunks, scope, ReviewAction::Reject))
    }
}

fn id(hunk: &Hunk) -> String {
    hunk.id.clone()
}

#[cfg(test)]
mod tests;
