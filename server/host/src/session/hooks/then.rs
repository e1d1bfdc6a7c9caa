//! The session and its hooks: it never waits for them, and goes on with a message.

use extend::hooks::HookEvent;
use serde_json::Value;
use tokio::task::AbortHandle;

use super::news::{HeardNews, HookNews};
use super::{Heard, Hooks};
use crate::session::{Msg, Session};

/// Hooks that somebody waits for. Dropped, they are stopped, and nothing follows.
pub(in crate::session) struct Hooking(AbortHandle);

impl Drop for Hooking {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// What follows when all hooks of an event have spoken.
pub(in crate::session) enum Then {
    /// What they say is told, and that is all.
    Tell,
    /// The prompt that is being looked at goes on, or does not.
    Prompt,
    /// The session has begun.
    Begun,
    /// The setting up is done; the beginning follows.
    SetUp,
    /// The turn ends, or goes on.
    Stop { turn: String },
    /// The same, after whoever listens to idle teammates.
    Idle { turn: String },
    /// The results of a turn go to the model, or not.
    Batch { turn: String },
    /// Another model answers from now on, or does not.
    Model(Box<super::fire::ModelSwitch>),
    /// An answer is shown.
    Display,
    /// Settings that changed count, or do not.
    Settings,
}

impl Hooks {
    /// Runs hooks on a task of their own. `None`: nobody wants to hear of it.
    fn spawn(
        &self,
        event: HookEvent,
        word: Option<&str>,
        fields: impl FnOnce() -> Value,
        then: Then,
    ) -> Result<AbortHandle, Then> {
        let due = self.due(event, word, &|_| false);
        if due.is_empty() {
            return Err(then);
        }
        let (hooks, fields) = (self.clone(), fields());
        let task = tokio::spawn(async move {
            let heard = hooks.run_all(event, due, fields, None).await;
            let news = HookNews::Heard(Box::new(HeardNews { event, heard, then }));
            let _ = hooks.0.around.own.send(Msg::Hook(Box::new(news))).await;
        });
        Ok(task.abort_handle())
    }
}

impl Session {
    /// Has hooks run whose words are only told; nobody waits for them.
    pub(in crate::session) fn fire(
        &self,
        event: HookEvent,
        word: Option<&str>,
        fields: impl FnOnce() -> Value,
    ) {
        if self.hooks.any(event) {
            drop(self.hooks.spawn(event, word, fields, Then::Tell));
        }
    }

    /// Has hooks run that something waits for. The error hands back what follows: nobody wants to
    /// hear of it, so it may follow at once.
    pub(in crate::session) fn ask_hooks(
        &self,
        event: HookEvent,
        word: Option<&str>,
        fields: impl FnOnce() -> Value,
        then: Then,
    ) -> Result<Hooking, Then> {
        self.hooks.spawn(event, word, fields, then).map(Hooking)
    }

    pub(super) async fn on_heard(&mut self, event: HookEvent, mut heard: Heard, then: Then) {
        self.show_heard(&mut heard);
        match then {
            Then::Tell => self.tell_heard(heard).await,
            Then::Prompt => self.on_prompt_checked(heard).await,
            Then::SetUp => {
                self.tell_heard(heard).await;
                self.begin_start();
            }
            Then::Begun => self.on_begun(heard).await,
            Then::Stop { turn } => self.on_stop_heard(&turn, heard, false).await,
            Then::Idle { turn } => self.on_stop_heard(&turn, heard, true).await,
            Then::Batch { turn } => self.on_batch_heard(&turn, heard).await,
            Then::Model(switch) => self.on_switch_heard(*switch, &heard).await,
            Then::Display => self.on_display_heard(heard),
            Then::Settings => self.on_settings_heard(event, &heard).await,
        }
    }

    /// What most events have to say: words for the model, files to watch.
    async fn tell_heard(&mut self, mut heard: Heard) {
        if let Some(paths) = heard.more.watch_paths.take() {
            self.watch_more(&paths);
        }
        for words in heard.context {
            self.tell_model(words).await;
        }
    }
}
