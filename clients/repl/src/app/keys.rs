//! What a key does: to the question on the screen, to the list, or to the input.

use crossterm::event::{KeyEvent, KeyEventKind};
use protocol::session::ConfigChange;
use tokio::time::{Duration, Instant};

use super::{App, DialogKind, Pick};
use crate::editor::Outcome;
use crate::editor::keys::{Action, action};
use crate::prompt::Step;
use crate::state::session::next_mode;

/// How long a hint stays, and how long a second Ctrl-C counts.
const HINT: Duration = Duration::from_secs(2);

impl App {
    pub(super) fn on_key(&mut self, key: KeyEvent, now: Instant) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        if !self.dialogs.is_empty() {
            if self.dialog_takes(key, now) {
                return self.on_dialog_key(key);
            }
            // What somebody was writing goes on where it began.
            if !self.is_writing() {
                return;
            }
        }
        if self.review.is_some() {
            return self.on_review_key(key);
        }
        if let Some(picker) = &mut self.picker {
            if let Step::Answered(picked) = picker.on_key(key) {
                self.picker = None;
                self.picked(picked);
            }
            return;
        }
        let Some(action) = action(key) else { return };
        if action != Action::Interrupt {
            self.leave_until = None;
        }
        if action != Action::Escape {
            self.rewind_until = None;
        }
        if matches!(action, Action::Complete | Action::Right) && self.take_suggestion() {
            return;
        }
        match self.start.editor.on(action) {
            Outcome::Done => {}
            Outcome::Edited => self.complete(),
            Outcome::Submit(text) => self.submit(&text, now),
            Outcome::Steer(text) => self.steer(&text, now),
            Outcome::Left(action) => self.on_action(action, now),
        }
    }

    /// Into an empty input, where it is shown.
    fn take_suggestion(&mut self) -> bool {
        let editor = &mut self.start.editor;
        if !editor.is_at_rest() || self.turn.is_some() {
            return false;
        }
        let Some(suggestion) = self.suggestion.take() else { return false };
        editor.refill(&suggestion);
        true
    }

    pub(super) fn on_paste(&mut self, text: &str, now: Instant) {
        if self.dialogs.is_empty() || self.dialog_waits(now) {
            return self.paste_below(text);
        }
        match self.dialogs.front_mut().map(|dialog| &mut dialog.kind) {
            Some(DialogKind::Permission(permission)) => permission.paste(text),
            Some(DialogKind::Ask(asking)) => asking.paste(text),
            None => {}
        }
    }

    fn paste_below(&mut self, text: &str) {
        if let Some(review) = &mut self.review {
            review.paste(text);
        } else {
            self.start.editor.paste(text);
            self.complete();
        }
    }

    fn on_action(&mut self, action: Action, now: Instant) {
        match action {
            Action::Escape if self.turn.is_some() => self.cancel(),
            Action::Escape => self.on_idle_escape(now),
            Action::Interrupt if self.turn.is_some() => self.cancel(),
            Action::Interrupt => {
                if self.leave_until.is_some_and(|until| now < until) {
                    self.leave();
                } else {
                    self.leave_until = Some(now + HINT);
                    self.hint("Press Ctrl-C again to leave", now);
                }
            }
            Action::EndOfInput => self.leave(),
            Action::CycleMode => {
                if let Some(session) = &self.session {
                    let mode = Some(next_mode(&session.config.mode));
                    self.configure(ConfigChange { mode, ..ConfigChange::default() }, "mode");
                }
            }
            _ => {}
        }
    }

    /// Twice on an empty line: back to an earlier message.
    fn on_idle_escape(&mut self, now: Instant) {
        let said = self.session.as_ref().is_some_and(|session| !session.said.messages().is_empty());
        if !said || !self.start.editor.buffer.is_empty() {
            return;
        }
        if self.rewind_until.take().is_some_and(|until| now < until) {
            self.hint = None;
            self.offer_rewind();
        } else {
            self.rewind_until = Some(now + HINT);
            self.hint("Press Esc again to go back to an earlier message", now);
        }
    }

    pub fn hint(&mut self, text: &str, now: Instant) {
        self.hint = Some((text.to_owned(), now + HINT));
    }

    fn picked(&mut self, picked: Option<Pick>) {
        match picked {
            Some(Pick::Session(id)) => self.attach(&id),
            Some(Pick::Model(model)) => {
                let model = Some(model);
                self.configure(ConfigChange { model, ..ConfigChange::default() }, "model");
            }
            Some(Pick::Mode(mode)) => {
                let mode = Some(mode);
                self.configure(ConfigChange { mode, ..ConfigChange::default() }, "mode");
            }
            Some(Pick::Theme(theme)) => self.choose_theme(theme),
            Some(Pick::Memory(path)) => self.ask_memory(Some(path)),
            Some(Pick::Effort(effort)) => {
                let effort = Some(effort);
                self.configure(ConfigChange { effort, ..ConfigChange::default() }, "effort");
            }
            Some(Pick::RewindTo(message)) => self.offer_rewind_to(&message),
            Some(Pick::RewindWhat(message, what)) => self.rewind_to(&message, what),
            Some(Pick::Rewind(rewinding)) => self.rewind_now(rewinding),
            Some(Pick::Resolve(verdict)) => self.resolve(verdict),
            Some(Pick::Rule(rule)) => self.remove_rule(rule),
            Some(Pick::Remember(note, scope)) => self.remember(&note, scope),
            Some(Pick::Trust(decision, shown)) => self.trust(decision, shown),
            Some(Pick::Nothing) => {}
            // Nothing to resume was wanted at the start: then it is a new session.
            None if self.session.is_none() => self.new_session(),
            None => {}
        }
    }
}
