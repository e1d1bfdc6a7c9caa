//! Work of a session that outlives its calls: commands in the background, monitors, planned
//! prompts. Everything here ends with the session at the latest.

mod folder;
mod kept;
mod planned;
mod requests;

#[cfg(test)]
mod tests;

use agent::Block;
use protocol::event::{Severity, TaskEnded, TaskStarted, TaskUpdated};
use tools::TaskKind;

use super::Session;
use super::hooks::HeldPrompt;
use super::queue::waiting;
use crate::core::Reply;
pub(super) use folder::Folder;
pub(super) use kept::{SessionTasks, TasksOwner};
pub(super) use requests::no_task;

/// A monitor that has woken the model so often is more of a nuisance than a help.
const MOST_WAKES: u32 = 100;

/// What a task has to say to its session.
pub enum TaskNews {
    Started {
        id: String,
    },
    Ended {
        id: String,
    },
    /// A monitor's command printed something.
    Said {
        id: String,
    },
    /// A planned prompt is due.
    Due {
        id: String,
    },
}

impl Session {
    pub(super) async fn on_task(&mut self, news: TaskNews) {
        match news {
            TaskNews::Started { id } => {
                if let Some(task) = self.tasks.wire(&id) {
                    self.emit(TaskStarted { task });
                }
            }
            TaskNews::Ended { id } => self.on_task_ended(&id).await,
            TaskNews::Said { id } => self.on_task_said(&id).await,
            TaskNews::Due { id } => self.on_due(&id).await,
        }
        self.note_tasks();
    }

    async fn on_task_ended(&mut self, id: &str) {
        self.on_task_said(id).await;
        let Some(task) = self.tasks.wire(id) else { return };
        match self.tasks.last_words(id) {
            // First the turn that it wakes: whoever waits for the last agent then knows of both.
            Some((kind @ (TaskKind::Agent | TaskKind::Mcp), text)) => {
                if kind == TaskKind::Agent {
                    self.fire_notification("agent_completed", &text);
                }
                self.wake(text).await;
                self.emit(TaskEnded { task });
            }
            said => {
                self.emit(TaskEnded { task });
                match said {
                    Some((TaskKind::Monitor, text)) => self.wake(text).await,
                    Some((TaskKind::Shell, text)) => self.on_note(text).await,
                    _ => {}
                }
            }
        }
    }

    /// What a monitor heard since the last look.
    async fn on_task_said(&mut self, id: &str) {
        let Some((title, said, wakes)) = self.tasks.take_said(id) else { return };
        if let Some(task) = self.tasks.wire(id) {
            self.emit(TaskUpdated { task });
        }
        if wakes > MOST_WAKES {
            let text = format!("The monitor {id} ({title}) was stopped: it never stops talking.");
            self.notice(Severity::Warning, text);
            return self.tasks.ask_to_stop(id);
        }
        self.wake(format!("The monitor {id} ({title}) printed:\n{said}")).await;
    }

    /// Tells the model something, in a turn of its own when nothing goes on.
    pub(super) async fn wake(&mut self, text: String) {
        if self.running.is_some() {
            return self.on_note(text).await;
        }
        let message_id = self.next_id("wake");
        let content = vec![Block::text(tools::reminder(&text))];
        let shown = vec![protocol::prompt::Block::text(text)];
        self.start_turn(waiting(message_id, content, &shown), None).await;
    }

    /// A planned prompt is one like any other. While something goes on it waits, once.
    async fn on_due(&mut self, id: &str) {
        let Some(prompt) = self.tasks.prompt(id) else { return };
        let waits = format!("due_{id}_");
        if self.prompts.queue.iter().any(|prompt| prompt.id.starts_with(&waits)) {
            return;
        }
        let message_id = self.next_id(&format!("due_{id}"));
        let content = vec![Block::text(prompt.clone())];
        let shown = vec![protocol::prompt::Block::text(prompt)];
        let prompt = waiting(message_id, content, &shown);
        if self.running.is_some() || !self.prompts.queue.is_empty() {
            match self.keep_waiting(&prompt, None).await {
                Ok(()) => self.show_queue(),
                Err(error) => self.notice(Severity::Error, error.message),
            }
        } else {
            let (delivery, source, reply) = (None, "schedule_wakeup", Reply::new(|_| ()));
            self.submit(HeldPrompt { prompt, delivery, reply, source }).await;
        }
    }

    /// What others may know of the tasks without asking.
    fn note_tasks(&self) {
        let tasks = self.tasks.all();
        self.facts.send_modify(|facts| facts.tasks = tasks);
    }
}
