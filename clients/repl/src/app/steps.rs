//! The list of steps the model keeps: in sight above the input while there is something to do, and in the
//! transcript once it is done.

use protocol::snapshot::{Todo, TodoStatus};
use tokio::time::Instant;

use super::App;
use crate::state::transcript::Look;

#[derive(Debug, Default)]
pub(super) struct Steps {
    items: Vec<Todo>,
    pub hidden: bool,
}

impl Steps {
    pub fn items(&self) -> &[Todo] {
        &self.items
    }
}

impl App {
    pub(super) fn steps_changed(&mut self, items: Vec<Todo>) {
        if !matches!(self.start.look, Look::Rich(_)) {
            return self.transcript.todos(items);
        }
        let done = items.iter().all(|item| item.status == TodoStatus::Completed);
        self.steps.items = items;
        // What is done needs no place on the screen; that it was done belongs to the conversation.
        if done {
            self.transcript.todos(std::mem::take(&mut self.steps.items));
        }
    }

    pub(super) fn forget_steps(&mut self) {
        self.steps.items.clear();
    }

    pub fn show_steps(&mut self, shown: bool, now: Instant) {
        if !matches!(self.start.look, Look::Rich(_)) {
            return self.send_prompt("/todos");
        }
        if self.steps.items.is_empty() {
            return self.hint("There are no steps left to do", now);
        }
        self.steps.hidden = !shown;
    }

    pub fn toggle_steps(&mut self, now: Instant) {
        if self.steps.items.is_empty() {
            return self.hint("There are no steps left to do", now);
        }
        self.steps.hidden = !self.steps.hidden;
    }
}
