//! The page in front: opened, closed, and given its keys.

use crossterm::event::KeyEvent;
use protocol::event::Severity;
use tokio::time::Instant;

use super::{App, Errand};
use crate::keymap::Context;
use crate::state::transcript::Look;
use crate::views::Drawn;
use crate::views::sessions::SessionsView;
use crate::views::tasks::TasksView;
use crate::views::transcript::{Asked, TranscriptView};

/// A page that takes the whole terminal.
pub(crate) enum View {
    Sessions(Box<SessionsView>),
    Transcript(Box<TranscriptView>),
    Tasks(TasksView),
}

/// More than this is not put into a clipboard: terminals cut it off.
const LONGEST_COPY: usize = 74_000;

impl App {
    pub fn open_transcript(&mut self) {
        match self.start.look {
            Look::Rich(_) => {
                self.view = Some(View::Transcript(Box::new(TranscriptView::new())));
            }
            // The server says what there is in place of it.
            _ => self.send_prompt("/transcript"),
        }
    }

    pub(super) fn on_view_key(&mut self, key: KeyEvent, now: Instant) {
        let (here, writes) = match &self.view {
            Some(View::Sessions(view)) => (Context::Sessions, view.writes()),
            Some(View::Transcript(view)) => (Context::Transcript, view.writes()),
            Some(View::Tasks(_)) => (Context::Tasks, false),
            None => return,
        };
        let Some(key) = self.meant(here, key, writes, now) else { return };
        match &mut self.view {
            Some(View::Sessions(view)) => {
                let asked = view.on_key(key);
                self.on_sessions_asked(asked);
            }
            Some(View::Transcript(view)) => {
                let asked = view.on_key(key);
                self.on_transcript_asked(&asked);
            }
            Some(View::Tasks(view)) => {
                let asked = view.on_key(key, self.tasks.all());
                self.on_tasks_asked(asked, now);
            }
            None => {}
        }
    }

    pub(super) fn paste_into_view(&mut self, text: &str) {
        match &mut self.view {
            Some(View::Sessions(view)) => {
                let asked = view.paste(text);
                self.on_sessions_asked(asked);
            }
            Some(View::Transcript(view)) => view.paste(text),
            _ => {}
        }
    }

    fn on_transcript_asked(&mut self, asked: &Asked) {
        match asked {
            Asked::Nothing => {}
            Asked::Close => self.view = None,
            Asked::CopyAnswer => {
                let text = self.transcript.last_answer().map(str::to_owned);
                self.copy(text, "the last answer");
            }
            Asked::CopyAll => {
                let text = match &self.view {
                    Some(View::Transcript(view)) => Some(view.text()),
                    _ => None,
                };
                self.copy(text, "the conversation");
            }
            Asked::Export => {
                self.send_prompt("/export");
                self.tell_view("It is being written; the conversation's end says where to.");
            }
        }
    }

    fn copy(&mut self, text: Option<String>, what: &str) {
        match text {
            None => self.tell_view("There is nothing to copy yet."),
            Some(text) if text.len() > LONGEST_COPY => {
                self.tell_view(&format!("Too long for a clipboard: {what}. Export it instead."));
            }
            Some(text) => {
                let size = text.len();
                self.errands.push(Errand::Copy(text));
                self.tell_view(&format!("Copied {what} ({size} bytes)."));
            }
        }
    }

    /// On the page where there is one, else in the conversation.
    pub(super) fn tell_view(&mut self, text: &str) {
        let told = Some(text.to_owned());
        match &mut self.view {
            Some(View::Sessions(view)) => view.told = told,
            Some(View::Transcript(view)) => view.told = told,
            Some(View::Tasks(view)) => view.told = told,
            None => self.notice(Severity::Warning, text),
        }
    }

    /// The page as it looks; questions come before it.
    pub(super) fn draw_view(&mut self, size: (usize, usize)) -> Option<Drawn> {
        if !self.dialogs.is_empty() {
            return None;
        }
        let drawn = match self.view.as_mut()? {
            View::Sessions(view) => view.draw(&self.keymap, size),
            View::Transcript(view) => {
                self.transcript.settle();
                view.draw(&self.transcript, &self.keymap, size)
            }
            View::Tasks(view) => {
                view.draw(self.tasks.all(), &self.keymap, size, (self.start.clock)())
            }
        };
        Some(drawn)
    }
}
