//! Keeping the conversation within the window: work and results that nobody needs are left out
//! (`shape`), and when that is not enough the conversation is summed up, by the session's own model on
//! the session's own prefix, so that the provider's cache serves it.
//!
//! [`Session::start_compacting`] is the only way in and [`Session::keep_summary`] the only way out.
//! What the model gets back besides the summary is put together in `restore`.

mod restore;
mod results;
mod shape;
mod work;

use std::sync::Arc;

use agent::context::{Breaker, summary};
use agent::turn::Input;
use agent::{ModelError, Record, Usage, models};
use extend::{CompactSettings, HookEvent};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::event::{CompactionEnded, CompactionStarted, CompactionTrigger, Severity};
use protocol::session::SessionStatus;
use serde_json::json;
use tokio::task::AbortHandle;

use super::{Session, Spent, events};
use crate::core::{Reply, RpcError};
pub(super) use shape::Shaped;
pub use work::Outcome;
use work::{Summed, Work};

/// What holds for the session, and how it went so far.
#[derive(Default)]
pub(super) struct Compaction {
    settings: CompactSettings,
    breaker: Breaker,
    warned: bool,
    number: u64,
    /// When the model was last asked, by the clock; also in an earlier life of the session.
    asked_at: Option<u64>,
    /// The provider clears old results by itself, and does not say which.
    cleared_elsewhere: bool,
}

impl Compaction {
    pub(super) fn new(settings: CompactSettings, asked_at: Option<u64>) -> Self {
        Self { settings, asked_at, ..Self::default() }
    }

    /// An agent that is to use less of the window than its session.
    pub(super) fn use_window(&mut self, tokens: Option<u64>) {
        self.settings.window = tokens.or(self.settings.window);
    }

    /// It failed too often, and is not tried again by itself.
    pub(super) fn has_given_up(&self) -> bool {
        self.breaker.is_open()
    }
}

/// A summary that is being written.
pub(super) struct Compacting {
    number: u64,
    task: AbortHandle,
    trigger: Trigger,
    then: Then,
    before: u64,
    /// How many of the last entries stay as they are.
    kept: usize,
}

impl Drop for Compacting {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trigger {
    Manual,
    Auto,
    /// The provider said that the conversation is too long.
    Reactive,
}

impl Trigger {
    fn name(self) -> &'static str {
        match self {
            Trigger::Manual => "manual",
            Trigger::Auto => "auto",
            Trigger::Reactive => "reactive",
        }
    }

    /// As hooks know it.
    fn for_hooks(self) -> &'static str {
        match self {
            Trigger::Manual => "manual",
            Trigger::Auto | Trigger::Reactive => "auto",
        }
    }

    fn wire(self) -> CompactionTrigger {
        match self {
            Trigger::Manual => CompactionTrigger::Manual,
            Trigger::Auto | Trigger::Reactive => CompactionTrigger::Auto,
        }
    }
}

/// Who waits for the summary.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// The request that did not fit.
    Ask,
    /// The turn, which looks for room.
    RoomMade,
    Nobody,
}

impl Session {
    /// `agent/session/compact`: on acceptance; events follow.
    pub(super) fn on_compact(&mut self, instructions: Option<String>, reply: Reply) {
        match self.compact_now(instructions) {
            Ok(()) => reply.ok(&protocol::Empty {}),
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    }

    /// The user wants the conversation summed up.
    pub(super) fn compact_now(&mut self, instructions: Option<String>) -> Result<(), String> {
        if self.running.is_some() || self.compacting.is_some() {
            return Err("The session is busy; sum it up when the turn has ended.".to_owned());
        }
        if self.conversation.entries().is_empty() {
            return Err("There is nothing to sum up yet.".to_owned());
        }
        self.set_status(SessionStatus::Running);
        self.start_compacting(Trigger::Manual, instructions, Then::Nobody);
        Ok(())
    }

    pub(super) fn start_compacting(
        &mut self,
        trigger: Trigger,
        instructions: Option<String>,
        then: Then,
    ) {
        let before = self.used();
        let asked = instructions.clone();
        self.compaction.number += 1;
        let number = self.compaction.number;
        let model = self.asked_model().to_owned();
        let noted = self.notes_instead().filter(|_| trigger != Trigger::Manual);
        let (notes, tail) = noted.unzip();
        let work = Work {
            notes,
            provider: self.config.provider_of(&model).clone(),
            world: Arc::new(self.world(String::new(), format!("compact_{number}"))),
            state: self.state.clone(),
            plan: self.restored_plan(),
            room: self.window().compact_at(),
            system: self.config.system.clone(),
            tools: self.config.tools.clone(),
            conversation: self.conversation.clone(),
            request: summary::request(instructions.as_deref()),
            thinking: self.config.options.thinking(models::limits(&model)),
            effort: self.config.options.effort(),
            session: self.id.clone(),
            transcript: self.journal.path().map(|path| path.display().to_string()),
            goes_on: then != Then::Nobody,
            model,
        };
        // A prompt that has no answer yet stays as it is.
        let waits = self.conversation.entries().last().is_some_and(|last| {
            last.role == agent::Role::User && last.id.is_some() && then != Then::Nobody
        });
        let task = work.spawn(self.own.clone(), number, self.before_compacting(trigger, asked));
        let kept = usize::from(waits).max(tail.unwrap_or(0));
        self.compacting = Some(Compacting { number, task, trigger, then, before, kept });
        self.emit(CompactionStarted { trigger: trigger.wire(), before });
    }

    /// Hooks may say no to it; whoever writes the summary asks them first.
    fn before_compacting(
        &self,
        trigger: Trigger,
        instructions: Option<String>,
    ) -> BoxFuture<'static, Result<(), String>> {
        if !self.hooks.any(HookEvent::PreCompact) {
            return std::future::ready(Ok(())).boxed();
        }
        let (hooks, word) = (self.hooks.clone(), trigger.for_hooks());
        async move {
            let fields = || json!({ "trigger": word, "custom_instructions": instructions });
            let heard = hooks.run(HookEvent::PreCompact, Some(word), fields).await;
            heard.no().map_or(Ok(()), |reason| Err(reason.to_owned()))
        }
        .boxed()
    }

    pub(super) async fn on_compacted(&mut self, number: u64, outcome: Outcome) {
        let is_it = |compacting: &Compacting| compacting.number == number;
        if !self.compacting.as_ref().is_some_and(is_it) {
            return;
        }
        let Some(compacting) = self.compacting.take() else { return };
        let Outcome { summed, model, usage } = outcome;
        let kept = match summed {
            Ok(summed) => self.keep_summary(&compacting, summed, model, usage).await,
            Err(error) => {
                self.count_failed(number, model, usage);
                Err(error)
            }
        };
        let made = kept.is_ok();
        match kept {
            Ok(()) => self.compaction.breaker.worked(),
            Err(error) => self.not_compacted(&compacting, &error),
        }
        match compacting.then {
            // The summary may have cost what was left of the budget.
            Then::Ask => {
                self.feed(Input::Recount).await;
                self.send_request();
            }
            Then::RoomMade => self.feed(Input::RoomMade { made }).await,
            Then::Nobody => {
                self.set_status(SessionStatus::Idle);
                Box::pin(self.start_next()).await;
            }
        }
    }

    /// A summary that came to nothing has its price, too.
    fn count_failed(&mut self, number: u64, model: String, usage: Usage) {
        if usage != Usage::default() {
            self.on_spent(format!("compact_{number}"), Spent { what: "summary", model, usage });
        }
    }

    async fn keep_summary(
        &mut self,
        compacting: &Compacting,
        summed: Summed,
        model: String,
        usage: Usage,
    ) -> Result<(), ModelError> {
        let Summed { summary, mut content, files } = summed;
        content.extend(self.open_steps());
        let kept = compacting.kept;
        content.extend(self.kept_skills(kept));
        let tail = self.conversation.tokens_of_last(kept);
        let after = self.overhead() + agent::tokens::of_blocks(&content) + tail;
        let cost_usd = usage.cost(models::limits(&model));
        let record = Record::Compacted {
            id: self.next_id("summary"),
            trigger: compacting.trigger.name().to_owned(),
            content,
            kept,
            before: compacting.before,
            after,
            model,
            usage,
            cost_usd,
        };
        self.journal_durably(&record).await.map_err(|error| {
            let kind = agent::ModelErrorKind::InvalidRequest;
            ModelError::new(kind, format!("The summary could not be kept: {error}"))
        })?;
        // Only now: a summary that is stopped on its way leaves the model what it knows.
        tools::settle_recalled(&self.state, &files);
        self.compaction.warned = false;
        self.attachments.forget();
        self.compaction.cleared_elsewhere = false;
        let word = compacting.trigger.for_hooks();
        self.fire(
            HookEvent::PostCompact,
            Some(word),
            || json!({ "trigger": word, "compact_summary": summary }),
        );
        self.tell_end(compacting, after, Some(summary), None);
        // What deeper folders want to be known was in what is gone.
        self.briefing.forget_notes();
        let prompting = self.briefing.prompting().clone();
        self.brief_again(prompting).await;
        self.fire_all_instructions("compact");
        self.begin_hooks("compact");
        self.list_skills_anew();
        Ok(())
    }

    fn tell_end(
        &mut self,
        compacting: &Compacting,
        after: u64,
        summary: Option<String>,
        error: Option<&ModelError>,
    ) {
        let (trigger, before) = (compacting.trigger.wire(), compacting.before);
        let error = error.map(events::problem);
        self.emit(CompactionEnded { trigger, before, after, summary, error });
    }

    fn not_compacted(&mut self, compacting: &Compacting, error: &ModelError) {
        self.tell_end(compacting, compacting.before, None, Some(error));
        if compacting.trigger != Trigger::Manual && self.compaction.breaker.failed() {
            let text = "Summing up failed three times and is not tried again by itself. Start a new \
                        session, or try /compact.";
            self.notice(Severity::Warning, text);
        }
    }

    /// Nobody waits for the summary any more.
    pub(super) fn abandon_compacting(&mut self) {
        if let Some(compacting) = self.compacting.take() {
            self.tell_end(&compacting, compacting.before, None, None);
        }
    }

    /// True when a summary that nobody else waits for was being written.
    pub(super) fn stop_compacting(&mut self) -> bool {
        let stops = |compacting: &Compacting| compacting.then == Then::Nobody;
        if !self.compacting.as_ref().is_some_and(stops) {
            return false;
        }
        self.abandon_compacting();
        self.set_status(SessionStatus::Idle);
        true
    }
}
