//! What hooks have to say to their session: shown, told to the model, or gone on with.

use extend::hooks::HookEvent;
use protocol::event::{HookEnded, HookOutcome, HookStarted, Severity};
use tokio::sync::oneshot;

use super::{Heard, Then};
use crate::session::{Quick, Session};

pub enum HookNews {
    Started {
        id: String,
        event: HookEvent,
        title: String,
        call: Option<String>,
    },
    Ended {
        id: String,
        event: HookEvent,
        outcome: HookOutcome,
        duration_ms: u64,
        text: Option<String>,
    },
    /// One that nobody waited for has ended.
    Late {
        event: HookEvent,
        notice: Option<String>,
        context: Option<String>,
        /// For the model, now.
        wake: Option<String>,
    },
    /// One wants to ask a model.
    Quick {
        model: Option<String>,
        reply: oneshot::Sender<Result<Quick, String>>,
    },
    /// All hooks of an event have spoken.
    Heard(Box<HeardNews>),
    /// A minute has passed since the event of that number.
    Idle {
        seq: u64,
    },
    /// A file that is watched has changed.
    FileChanged {
        path: std::path::PathBuf,
        what: &'static str,
    },
}

/// What they said, and what is to follow.
pub struct HeardNews {
    pub(super) event: HookEvent,
    pub(super) heard: Heard,
    pub(super) then: Then,
}

impl Session {
    pub(in crate::session) async fn on_hook(&mut self, news: HookNews) {
        match news {
            HookNews::Started { id, event, title, call } => {
                let (hook_id, event) = (self.shown_run(&id), event.name().to_owned());
                self.emit(HookStarted { hook_id, event, title, tool_call_id: call });
            }
            HookNews::Ended { id, event, outcome, duration_ms, text } => {
                let (hook_id, event) = (self.shown_run(&id), event.name().to_owned());
                self.emit(HookEnded { hook_id, event, outcome, duration_ms, text });
            }
            HookNews::Late { event: _, notice, context, wake } => {
                if let Some(notice) = notice {
                    self.notice(Severity::Info, notice);
                }
                if let Some(context) = context {
                    self.tell_model(context).await;
                }
                if let Some(reason) = wake {
                    self.wake(reason).await;
                }
            }
            HookNews::Quick { model, reply } => {
                drop(reply.send(self.quick_named(model.as_deref())));
            }
            HookNews::Heard(news) => {
                let HeardNews { event, heard, then } = *news;
                self.on_heard(event, heard, then).await;
            }
            HookNews::Idle { seq } => self.on_idle(seq),
            HookNews::FileChanged { path, what } => self.on_file_changed(&path, what),
        }
    }

    /// Two sessions may count their runs alike.
    fn shown_run(&self, id: &str) -> String {
        format!("{id}_{}", self.short_id())
    }

    /// The quick model, or the one that a hook names.
    fn quick_named(&self, model: Option<&str>) -> Result<Quick, String> {
        let Some(model) = model else { return Ok(self.quick()) };
        let found = model::provider_for(&self.config.model_env, Some(model));
        let (provider, model) =
            found.map_err(|error| format!("names a model that cannot be used: {error}"))?;
        Ok(Quick { session: self.id.clone(), provider, model })
    }

    /// What they say to the user.
    pub(in crate::session) fn show_heard(&mut self, heard: &mut Heard) {
        for notice in std::mem::take(&mut heard.notices) {
            self.notice(Severity::Info, notice);
        }
        for failure in std::mem::take(&mut heard.failures) {
            self.notice(Severity::Warning, failure);
        }
    }

    /// Words for the model: with the first prompt where nothing was written down yet.
    pub(in crate::session) async fn tell_model(&mut self, words: String) {
        match self.journal.is_new() {
            true => self.prompt_checks.first_words.push(words),
            false => self.on_note(words).await,
        }
    }
}
