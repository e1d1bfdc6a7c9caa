//! What a key does: to the question on the screen, to the page, to the list, or to the input.

use crossterm::event::{KeyEvent, KeyEventKind};
use protocol::event::Severity;
use protocol::session::ConfigChange;
use tokio::time::{Duration, Instant};

use super::{App, DialogKind, Errand, Pick};
use crate::editor::Outcome;
use crate::editor::keys::Action;
use crate::keymap::{self, Act, Context, Keymap, Meaning, Stroke, Wish};
use crate::prompt::{Step, is_interrupt};
use crate::state::session::next_mode;

/// How long a hint stays, and how long a second Ctrl-C counts.
const HINT: Duration = Duration::from_secs(2);

impl App {
    pub(super) fn on_key(&mut self, key: KeyEvent, now: Instant) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        self.attention.key(now);
        if !self.dialogs.is_empty() {
            if self.dialog_takes(key, now) {
                let writes = self.dialogs.front().is_some_and(|dialog| dialog.kind.writes());
                if let Some(key) = self.meant(Context::Confirmation, key, writes, now) {
                    self.on_dialog_key(key);
                }
                return;
            }
            // What somebody was writing goes on where it began.
            if !self.is_writing() {
                return;
            }
        }
        if self.view.is_some() {
            return self.on_view_key(key, now);
        }
        if let Some(review) = &self.review {
            let writes = review.writes();
            if let Some(key) = self.meant(Context::Review, key, writes, now) {
                self.on_review_key(key);
            }
            return;
        }
        if self.picker.is_some() {
            if let Some(key) = self.meant(Context::Select, key, false, now) {
                self.on_picker_key(key);
            }
            return;
        }
        self.on_chat_key(key, now);
    }

    /// The key that a list, a question or a page is to hear.
    pub(super) fn meant(
        &mut self,
        here: Context,
        key: KeyEvent,
        writes: bool,
        now: Instant,
    ) -> Option<KeyEvent> {
        if is_interrupt(key) {
            return Some(key);
        }
        match self.keymap.look_up(&[here, Context::Global], key, writes) {
            Meaning::Act(Act::Edit(Action::Redraw), _) => {
                self.errands.push(Errand::Redraw);
                None
            }
            Meaning::Act(_, key) | Meaning::Raw(key) => Some(key),
            Meaning::Pending => None,
            Meaning::Nothing(keys) => {
                self.tell_unbound(keys, now);
                None
            }
        }
    }

    fn tell_unbound(&mut self, keys: Option<String>, now: Instant) {
        if let Some(keys) = keys {
            self.hint(&format!("{keys} does nothing"), now);
        }
    }

    fn on_chat_key(&mut self, key: KeyEvent, now: Instant) {
        let editor = &self.start.editor;
        let mut contexts = Vec::with_capacity(4);
        if editor.searching().is_some() {
            contexts.push(Context::HistorySearch);
        } else if editor.popup.is_open() {
            contexts.push(Context::Autocomplete);
        }
        contexts.extend([Context::Chat, Context::Global]);
        let action = match self.keymap.look_up(&contexts, key, false) {
            Meaning::Act(Act::Edit(action), _) => action,
            Meaning::Act(Act::Wish(wish), _) => return self.on_wish(wish, now),
            Meaning::Act(Act::Press, key) | Meaning::Raw(key) => match Stroke::of(key).letter() {
                Some(letter) => Action::Insert(letter),
                None => return,
            },
            Meaning::Pending => return,
            Meaning::Nothing(keys) => return self.tell_unbound(keys, now),
        };
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

    fn on_wish(&mut self, wish: Wish, now: Instant) {
        match wish {
            Wish::Transcript => self.open_transcript(),
            Wish::Todos => self.toggle_steps(now),
            Wish::Tasks => self.open_tasks(),
            Wish::Sessions => self.open_sessions(None),
            Wish::Models => self.offer_models(),
            Wish::ExternalEditor => {
                self.errands.push(Errand::Edit(self.start.editor.buffer.text().to_owned()));
            }
            Wish::PasteImage => self.errands.push(Errand::Clipboard),
        }
    }

    fn on_picker_key(&mut self, key: KeyEvent) {
        let Some(picker) = &mut self.picker else { return };
        let step = picker.on_key(key);
        let level = picker.level().map(str::to_owned);
        if let Some(Pick::Theme(theme)) = picker.marked_value() {
            let theme = *theme;
            let before = self.theme;
            self.theme_before.get_or_insert(before);
            self.theme = theme;
        }
        if let Step::Answered(picked) = step {
            self.picker = None;
            if let Some(before) = self.theme_before.take() {
                self.theme = before;
            }
            self.picked(picked, level.as_deref());
        }
    }

    /// The files about keys, from the weakest to the strongest.
    pub(super) fn read_keys(&mut self, files: &[(String, keymap::Origin, String)]) {
        let mut keymap = Keymap::default();
        let mut problems = Vec::new();
        for (name, origin, text) in files {
            let found = keymap::read(text, *origin, &mut keymap);
            problems.extend(found.iter().map(|problem| format!("{name}, {problem}")));
        }
        self.keymap = keymap;
        for problem in problems.iter().filter(|problem| !self.key_problems.contains(problem)) {
            self.transcript.notice(Severity::Warning, problem);
        }
        self.key_problems = problems;
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
        if self.view.is_some() {
            self.paste_into_view(text);
        } else if let Some(review) = &mut self.review {
            review.paste(text);
        } else {
            self.start.editor.paste(text);
            self.complete();
        }
    }

    fn on_action(&mut self, action: Action, now: Instant) {
        match action {
            Action::Escape if self.turn.is_some() => self.cancel(),
            Action::Escape | Action::Interrupt if self.turn.is_none() && self.stop_shell() => {}
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
            Action::Redraw => self.errands.push(Errand::Redraw),
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

    pub(super) fn picked(&mut self, picked: Option<Pick>, level: Option<&str>) {
        match picked {
            Some(Pick::Session(id)) => self.attach(&id),
            Some(Pick::Model(model)) => self.choose_model(model, level),
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
