//! The prompts that wait: shown, taken back, moved, changed. And words for the turn that runs.

use protocol::event::Severity;
use protocol::prompt::Block;
use protocol::session::{Delivery, QueueOp, SessionQueue, SessionQueueParams, SessionQueueResult};
use tokio::time::Instant;

use super::{App, Waiting};
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::theme;
use crate::state::queue::waiting;

/// What is wanted of the queue. Numbers count from one, as the list shows them.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum QueueWish {
    List,
    Remove(usize),
    Move(usize, usize),
    /// Without a text, the one that waits is put into the input to be changed.
    Edit(usize, Option<String>),
}

impl App {
    /// Says something into the turn that runs; without one it is a prompt like any other.
    pub(super) fn steer(&mut self, text: &str, now: Instant) {
        if self.turn.is_none() || text.starts_with('/') {
            return self.submit(text, now);
        }
        if self.start.editor.history.push(text) {
            self.new_history.push(text.to_owned());
        }
        self.deliver(text, Delivery::Steer);
    }

    pub fn ask_queue(&mut self, wish: QueueWish) {
        let Some(session) = &self.session else {
            return self.notice(Severity::Warning, "There is no session yet.");
        };
        let number = match &wish {
            QueueWish::List => None,
            QueueWish::Remove(number) | QueueWish::Move(number, _) | QueueWish::Edit(number, _) => {
                Some(*number)
            }
        };
        let prompt = number.map(|number| self.queue.numbered(number).cloned());
        if let (Some(number), Some(None)) = (number, &prompt) {
            let text = format!("No prompt number {number} waits; /queue lists them.");
            return self.notice(Severity::Warning, &text);
        }
        let prompt = prompt.flatten();
        if let (QueueWish::Edit(number, None), Some(prompt)) = (&wish, &prompt) {
            let text = format!("/queue edit {number} {}", prompt.text);
            return self.start.editor.refill(&text);
        }
        let (op, content, to) = match &wish {
            QueueWish::List => (QueueOp::List, None, None),
            QueueWish::Remove(_) => (QueueOp::Remove, None, None),
            QueueWish::Move(_, to) => {
                (QueueOp::Move, None, u32::try_from(to.saturating_sub(1)).ok())
            }
            QueueWish::Edit(_, text) => {
                let text = text.clone().unwrap_or_default();
                (QueueOp::Replace, Some(vec![Block::text(text)]), None)
            }
        };
        let session_id = session.id.clone();
        let message_id = prompt.map(|prompt| prompt.id);
        let params = SessionQueueParams { session_id, op, message_id, content, to };
        self.outbox.request::<SessionQueue>(&params, Waiting::Queue(wish));
    }

    pub(super) fn queue_answered(&mut self, wish: &QueueWish, result: &SessionQueueResult) {
        if result.queue.is_empty() {
            let text = match wish {
                QueueWish::List => "No prompt waits.",
                _ => "The queue is empty now.",
            };
            return self.notice(Severity::Info, text);
        }
        let rows = result.queue.iter().enumerate().map(|(at, prompt)| {
            let text = waiting(prompt).text;
            let line = text.lines().next().unwrap_or_default();
            Line::styled(format!("{:>3}  ", at + 1), theme::DIM).with(strict(line), theme::PLAIN)
        });
        self.transcript.rows(rows.collect());
    }
}
