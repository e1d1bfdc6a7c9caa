//! Keeping the conversation within the window: results are cleared, and when that is not enough the
//! conversation is summed up, by the session's own model on the session's own prefix, so that the
//! provider's cache serves it.

mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::context::{Breaker, Fullness, Window, budget, summary};
use agent::conversation::Clearable;
use agent::turn::Input;
use agent::{Block, ModelError, Record, models};
use extend::CompactSettings;
use protocol::event::{CompactionEnded, CompactionStarted, CompactionTrigger, Severity};
use protocol::session::SessionStatus;
use tokio::task::AbortHandle;

use super::{Session, events};
use crate::core::{Reply, RpcError};
use crate::store;
pub use work::Summed;
use work::Work;

/// Results that stay whole when the old ones are cleared.
const KEPT_RESULTS: usize = 5;
/// Fewer tokens are not worth the cache that clearing them costs; in a small window a tenth of it.
const WORTH_CLEARING: u64 = 10_000;
/// After this the provider's cache is cold anyway.
const COLD: Duration = Duration::from_secs(60 * 60);

/// What holds for the session, and how it went so far.
#[derive(Default)]
pub(super) struct Compaction {
    settings: CompactSettings,
    breaker: Breaker,
    warned: bool,
    number: u64,
}

impl Compaction {
    pub(super) fn new(settings: CompactSettings) -> Self {
        Self { settings, ..Self::default() }
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

/// Whether a request can go out.
pub(super) enum Shaped {
    Fits,
    Later,
    TooLong(String),
}

impl Session {
    fn window(&self) -> Window {
        let limits = models::limits(self.asked_model());
        let off = |name: &str| self.host.var(name).is_some_and(|value| value == "1");
        let settings = self.compaction.settings;
        let auto = settings.auto.unwrap_or(true)
            && !off("DISABLE_AUTO_COMPACT")
            && !off("DISABLE_COMPACT");
        let output = u64::from(limits.max_output);
        Window::new(limits.window, output, settings.window, auto)
    }

    /// What is sent besides the conversation.
    fn overhead(&self) -> u64 {
        (self.config.system.len() + self.config.tools.len()) as u64 / 4
    }

    pub(super) fn used(&self) -> u64 {
        self.conversation.used(self.overhead())
    }

    /// Makes the conversation fit before it is sent.
    pub(super) fn shape_request(&mut self) -> Shaped {
        let window = self.window();
        // Where the cache is cold, clearing costs nothing.
        let cold = self.asked_at.is_some_and(|at| at.elapsed() > COLD);
        if cold || window.state(self.used()) != Fullness::Fine {
            self.clear_results(KEPT_RESULTS);
        }
        match window.state(self.used()) {
            Fullness::Fine => {
                self.compaction.warned = false;
                Shaped::Fits
            }
            Fullness::Warn { left_percent } => {
                self.warn(left_percent);
                Shaped::Fits
            }
            // What failed three times is not tried again; the provider may still take it.
            Fullness::Compact if self.compaction.breaker.is_open() => Shaped::Fits,
            Fullness::Compact => {
                self.start_compacting(Trigger::Auto, None, Then::Ask);
                Shaped::Later
            }
            Fullness::Blocked => Shaped::TooLong(
                "The window is full, and the settings do not let the conversation be summed up by \
                 itself. Sum it up with /compact, or start a new session."
                    .to_owned(),
            ),
        }
    }

    fn warn(&mut self, left_percent: u64) {
        if !std::mem::replace(&mut self.compaction.warned, true) {
            let text = format!(
                "The window is nearly full: {left_percent} % are left until the conversation is \
                 summed up. /compact does so now, with a word on what to keep."
            );
            self.notice(Severity::Info, text);
        }
    }

    /// Clears results that a later one shows again, then old ones, if that frees enough. True when
    /// something was cleared.
    pub(super) fn clear_results(&mut self, keep: usize) -> bool {
        let worth = WORTH_CLEARING.min(self.window().compact_at() / 10);
        let least = if keep == 0 { 1 } else { worth };
        let mut cleared = false;
        for (found, why) in [
            (self.conversation.superseded(), "superseded"),
            (self.conversation.old_results(keep), "old"),
        ] {
            cleared |= self.clear(found, why, least);
        }
        cleared
    }

    fn clear(&mut self, found: Clearable, why: &str, least: u64) -> bool {
        if found.tokens < least || found.calls.is_empty() {
            return false;
        }
        let record = Record::Cleared { calls: found.calls, why: why.to_owned() };
        let written = self.journal(&record);
        if let Err(error) = &written {
            tracing::error!(%error, "cleared results could not be journalled");
        }
        written.is_ok()
    }

    /// Results that are too long for the model go to files, before they are written down.
    pub(super) async fn fit_results(&mut self, record: Record) -> Record {
        let Record::Results { turn, mut content } = record else { return record };
        let keeps = |call: &str| self.conversation.tool_of(call).is_none_or(|tool| tool == "Read");
        for long in budget::too_long(&content, keeps) {
            match self.keep_result(&long).await {
                Ok(path) => budget::replace(&mut content, &long, &path.display().to_string()),
                // Better long than lost.
                Err(error) => tracing::warn!(error, "a long result could not be kept"),
            }
        }
        Record::Results { turn, content }
    }

    async fn keep_result(&mut self, long: &budget::TooLong) -> Result<PathBuf, String> {
        let path = self.tasks.output_folder()?.join(format!("{}.txt", file_name(&long.call)));
        let (to, text) = (path.clone(), long.text.clone());
        let kept = tokio::task::spawn_blocking(move || store::keep_once(&to, &text)).await;
        kept.map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        Ok(path)
    }

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
        self.compaction.number += 1;
        let number = self.compaction.number;
        let model = self.asked_model().to_owned();
        let work = Work {
            provider: self.config.provider_of(&model).clone(),
            world: Arc::new(self.world(String::new(), format!("compact_{number}"))),
            state: self.state.clone(),
            system: self.config.system.clone(),
            tools: self.config.tools.clone(),
            conversation: self.conversation.clone(),
            request: summary::request(instructions.as_deref()),
            thinking: self.config.thinking(models::limits(&model)),
            session: self.id.clone(),
            transcript: self.journal.path().map(|path| path.display().to_string()),
            goes_on: then != Then::Nobody,
            model,
        };
        // A prompt that has no answer yet stays as it is.
        let waits = self.conversation.entries().last().is_some_and(|last| {
            last.role == agent::Role::User && last.id.is_some() && then != Then::Nobody
        });
        let task = work.spawn(self.own.clone(), number);
        let kept = usize::from(waits);
        self.compacting = Some(Compacting { number, task, trigger, then, before, kept });
        self.emit(CompactionStarted { trigger: trigger.wire(), before });
    }

    pub(super) async fn on_compacted(&mut self, number: u64, outcome: Result<Summed, ModelError>) {
        let is_it = |compacting: &Compacting| compacting.number == number;
        if !self.compacting.as_ref().is_some_and(is_it) {
            return;
        }
        let Some(compacting) = self.compacting.take() else { return };
        let outcome = match outcome {
            Ok(summed) => self.keep_summary(&compacting, summed).await,
            Err(error) => Err(error),
        };
        let made = outcome.is_ok();
        match outcome {
            Ok(()) => self.compaction.breaker.worked(),
            Err(error) => self.not_compacted(&compacting, &error),
        }
        match compacting.then {
            Then::Ask => self.send_request(),
            Then::RoomMade => self.feed(Input::RoomMade { made }).await,
            Then::Nobody => {
                self.set_status(SessionStatus::Idle);
                Box::pin(self.start_next()).await;
            }
        }
    }

    async fn keep_summary(
        &mut self,
        compacting: &Compacting,
        summed: Summed,
    ) -> Result<(), ModelError> {
        let Summed { summary, mut content, model, usage } = summed;
        content.extend(self.open_steps());
        let after = self.overhead() + agent::tokens::of_blocks(&content);
        let cost_usd = usage.cost(models::limits(&model));
        let record = Record::Compacted {
            id: self.next_id("summary"),
            trigger: compacting.trigger.name().to_owned(),
            content,
            kept: compacting.kept,
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
        self.compaction.warned = false;
        let (trigger, before) = (compacting.trigger.wire(), compacting.before);
        let summary = Some(summary);
        self.emit(CompactionEnded { trigger, before, after, summary, error: None });
        // What deeper folders want to be known was in what is gone.
        let prompting = self.briefing.prompting().clone();
        self.brief_again(prompting).await;
        Ok(())
    }

    /// The list of steps, which the model would otherwise forget.
    fn open_steps(&self) -> Option<Block> {
        let todos = self.state.todos();
        let line = |todo: &tools::Todo| format!("- [{}] {}", status(todo.status), todo.content);
        let lines: Vec<String> = todos.iter().map(line).collect();
        let text = format!("Your list of steps:\n{}", lines.join("\n"));
        (!lines.is_empty()).then(|| Block::text(tools::reminder(&text)))
    }

    fn not_compacted(&mut self, compacting: &Compacting, error: &ModelError) {
        let (trigger, before) = (compacting.trigger.wire(), compacting.before);
        let problem = Some(events::problem(error));
        self.emit(CompactionEnded {
            trigger,
            before,
            after: before,
            summary: None,
            error: problem,
        });
        if compacting.trigger != Trigger::Manual && self.compaction.breaker.failed() {
            let text = "Summing up failed three times and is not tried again by itself. Start a new \
                        session, or try /compact.";
            self.notice(Severity::Warning, text);
        }
    }

    /// True when a summary that nobody else waits for was being written.
    pub(super) fn stop_compacting(&mut self) -> bool {
        if self.compacting.as_ref().is_none_or(|compacting| compacting.then != Then::Nobody) {
            return false;
        }
        let Some(compacting) = self.compacting.take() else { return false };
        let (trigger, before) = (compacting.trigger.wire(), compacting.before);
        let (summary, error) = (None, None);
        self.emit(CompactionEnded { trigger, before, after: before, summary, error });
        self.set_status(SessionStatus::Idle);
        true
    }
}

fn status(status: tools::TodoStatus) -> &'static str {
    match status {
        tools::TodoStatus::Pending => " ",
        tools::TodoStatus::InProgress => "in progress",
        tools::TodoStatus::Completed => "x",
    }
}

/// A call's name comes from the model's provider.
fn file_name(call: &str) -> String {
    let safe = |c: char| if c.is_ascii_alphanumeric() || "-_".contains(c) { c } else { '_' };
    call.chars().take(100).map(safe).collect()
}
