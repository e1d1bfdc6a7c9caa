//! Words for a screen reader: what the eye would see by itself is said, and lists are answered by number.

use protocol::event::Severity;
use tokio::time::Instant;

use super::{App, Dialog, DialogKind, Pick};
use crate::prompt::picker::{Entry, Picker};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::state::transcript::Look;

impl App {
    /// Says something that only the ear needs.
    pub(super) fn say_now(&mut self, text: &str) {
        if matches!(self.start.look, Look::Spoken) {
            self.transcript.announce(Line::plain(strict(text)), usize::MAX);
        }
    }

    pub(super) fn offer_in_words(&mut self, title: &str, entries: Vec<Entry<Pick>>, marked: usize) {
        let mut rows = vec![Line::plain(format!("{}:", strict(title)))];
        for (at, entry) in entries.iter().enumerate() {
            let now = if at == marked { ", marked" } else { "" };
            let detail = match entry.detail.is_empty() {
                true => String::new(),
                false => format!(", {}", strict(&entry.detail).replace(" · ", ", ")),
            };
            rows.push(Line::plain(format!("{}. {}{detail}{now}", at + 1, strict(&entry.label))));
        }
        rows.push(Line::plain("Type a number and press Enter; an empty line leaves it as it is."));
        self.transcript.rows(rows);
        self.picker = Some(Picker::new(title, entries, marked));
    }

    /// A line while a list is open: a number takes one, nothing leaves it, anything else is told.
    pub fn pick_in_words(&mut self, line: &str) -> bool {
        let Some(picker) = self.picker.take() else { return false };
        match (line.trim(), line.trim().parse::<usize>()) {
            ("", _) => {
                self.say_now("Left as it is.");
                self.picked(None, None);
            }
            (_, Ok(number)) if picker.value(number).is_some() => {
                let picked = picker.value(number).cloned();
                self.picked(picked, None);
            }
            _ => {
                let text = format!("`{}` is no number of the list; try again.", line.trim());
                self.notice(Severity::Warning, &text);
                self.picker = Some(picker);
            }
        }
        true
    }

    /// A question that is not answered yet.
    pub fn put_back(&mut self, kind: DialogKind) {
        self.dialogs.push_front(Dialog { kind, listens_from: None });
    }

    /// Ctrl-C: stops what runs, else leaves.
    pub fn interrupt_in_words(&mut self, now: Instant) {
        if self.turn.is_some() {
            self.cancel();
            self.say_now("Stopping.");
        } else if self.stop_shell() {
            self.say_now("Stopping.");
        } else if self.leave_until.is_some_and(|until| now < until) {
            self.leave();
        } else {
            self.leave_until = Some(now + tokio::time::Duration::from_secs(5));
            self.say_now("Press Ctrl C again to leave.");
        }
    }
}
