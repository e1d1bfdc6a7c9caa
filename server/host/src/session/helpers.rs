//! Helpers: small questions to a quick model after a turn, beside the conversation. A title, a guess
//! at the next prompt, what some calls did, what somebody missed, pages and notes that want to be
//! kept up to date.
//!
//! Nobody waits for them, the next prompt stops those that it makes pointless, and who fails three
//! times in a row is not asked again. They cost money, so they need a model that is meant for such
//! work, and somebody who speaks the protocol and sees what comes of it.

mod away;
mod magic_doc;
mod memory;
mod suggestion;
mod title;
mod tool_summary;

use std::collections::BTreeMap;

use agent::Usage;
use agent::context::Breaker;
use agent::helpers::{self, Question};
use agent::turn::{EndReason, Ending};
use extend::HelperSettings;
use protocol::event::UsageUpdated;
use serde_json::Value;
use tokio::task::AbortHandle;
use tokio_util::sync::CancellationToken;

use super::quick::{Quick, Spent};
use super::{Msg, Session, blocks, choice};
pub use magic_doc::PageNews;
pub(super) use memory::SessionMemory;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Helper {
    Title,
    Suggestion,
    ToolSummary,
    AwaySummary,
    MagicDocs,
    Memory,
}

impl Helper {
    /// As the journal knows it.
    fn name(self) -> &'static str {
        match self {
            Helper::Title => "title",
            Helper::Suggestion => "suggestion",
            Helper::ToolSummary => "tool_summary",
            Helper::AwaySummary => "away_summary",
            Helper::MagicDocs => "magic_doc",
            Helper::Memory => "memory",
        }
    }

    /// What it would say is about what comes next, or can be said again after the next turn.
    fn ends_with_the_next_prompt(self) -> bool {
        matches!(self, Helper::Suggestion | Helper::AwaySummary | Helper::MagicDocs)
    }
}

/// The helpers of a session.
#[derive(Default)]
pub(super) struct Helpers {
    wants: HelperSettings,
    memory: SessionMemory,
    running: Vec<Running>,
    breakers: BTreeMap<Helper, Breaker>,
    number: u64,
    /// Turns that ended while nobody listened.
    missed: u32,
}

impl Helpers {
    pub(super) fn new(wants: HelperSettings, memory: SessionMemory) -> Self {
        Self { wants, memory, ..Self::default() }
    }

    pub(super) fn renew(&mut self, wants: HelperSettings) {
        self.wants = wants;
    }

    fn next_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }

    fn is_running(&self, helper: Helper) -> bool {
        self.running.iter().any(|running| running.helper == helper)
    }
}

struct Running {
    number: u64,
    helper: Helper,
    stop: CancellationToken,
    task: AbortHandle,
    /// The calls it is about, if it is about some.
    calls: Vec<String>,
}

/// A helper never outlives its session.
impl Drop for Running {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// What a helper has to say to its session.
pub enum HelperNews {
    Ended {
        number: u64,
        outcome: Outcome,
        spent: Spent,
    },
    /// A page is being brought up to date.
    Page(PageNews),
}

pub enum Outcome {
    Answered(String),
    Failed(String),
    /// The next prompt was quicker.
    Stopped,
}

impl Session {
    /// A turn is over, and no other has begun.
    pub(super) fn help_after_turn(&mut self, ending: &Ending) {
        if !self.is_listened_to() {
            self.helpers.missed += 1;
        }
        if ending.reason != EndReason::Completed || self.running.is_some() {
            return;
        }
        self.give_title();
        self.suggest();
        self.keep_pages();
        self.keep_notes(true);
    }

    /// The user goes on: what was only for the meantime stops.
    pub(super) fn stop_helpers(&mut self) {
        let pointless = |running: &&Running| running.helper.ends_with_the_next_prompt();
        self.helpers.running.iter().filter(pointless).for_each(|running| running.stop.cancel());
    }

    pub(super) fn on_helper(&mut self, news: HelperNews) {
        match news {
            HelperNews::Ended { number, outcome, spent } => self.helped(number, outcome, spent),
            HelperNews::Page(news) => self.on_page(news),
        }
    }

    fn helped(&mut self, number: u64, outcome: Outcome, spent: Spent) {
        if spent.usage != Usage::default() {
            self.on_spent(format!("{}_{number}", spent.what), spent);
            let window = agent::models::limits(&self.config.model).window;
            let (used, cost_usd) = (self.conversation.context(), self.conversation.cost_usd());
            self.emit(UsageUpdated { used, window, cost_usd });
        }
        let at = self.helpers.running.iter().position(|running| running.number == number);
        let Some(mut running) = at.map(|at| self.helpers.running.swap_remove(at)) else { return };
        let breaker = self.helpers.breakers.entry(running.helper).or_default();
        match outcome {
            Outcome::Stopped => {}
            Outcome::Failed(error) => {
                let helper = running.helper.name();
                tracing::debug!(helper, error, "a helper failed");
                if breaker.failed() {
                    tracing::warn!(helper, "a helper failed three times and is not asked again");
                }
            }
            Outcome::Answered(_) if running.stop.is_cancelled() => breaker.worked(),
            Outcome::Answered(answer) => {
                breaker.worked();
                match running.helper {
                    Helper::Title => self.on_title(&answer),
                    Helper::Suggestion => self.on_suggestion(&answer),
                    Helper::AwaySummary => self.on_away_summary(&answer),
                    Helper::ToolSummary => {
                        self.on_tool_summary(&answer, std::mem::take(&mut running.calls));
                    }
                    Helper::Memory => self.on_notes(answer),
                    // What it did is in the pages.
                    Helper::MagicDocs => {}
                }
            }
        }
    }

    /// Whoever a helper of this kind asks, if it may ask at all.
    fn helper(&self, helper: Helper) -> Option<Quick> {
        let tired = self.helpers.breakers.get(&helper).is_some_and(Breaker::is_open);
        let spent = self.conversation.cost_usd();
        let poor = self.limits.max_budget_usd.is_some_and(|budget| spent >= budget);
        if tired || poor || !self.is_listened_to() {
            return None;
        }
        let (provider, model) = choice::helper_model(&self.config)?;
        Some(Quick { session: self.id.clone(), provider, model })
    }

    /// Asks; the answer comes as a message.
    fn start_helper(&mut self, helper: Helper, quick: Quick, question: Question) {
        self.run_helper(helper, quick.model.clone(), move |stop, mut usage| async move {
            let Question { system, text, max_tokens } = question;
            let outcome = tokio::select! {
                biased;
                () = stop.cancelled() => Outcome::Stopped,
                answer = quick.ask(system, &text, max_tokens, &mut usage) => match answer {
                    Ok(answer) => Outcome::Answered(answer),
                    Err(error) => Outcome::Failed(error),
                },
            };
            (outcome, usage)
        });
    }

    /// Runs a helper's work beside everything else; it ends with a message, whatever happens.
    fn run_helper<Work>(
        &mut self,
        helper: Helper,
        model: String,
        work: impl FnOnce(CancellationToken, Usage) -> Work,
    ) where
        Work: Future<Output = (Outcome, Usage)> + Send + 'static,
    {
        let number = self.helpers.next_number();
        let stop = CancellationToken::new();
        let (own, work) = (self.own.clone(), work(stop.clone(), Usage::default()));
        let task = tokio::spawn(async move {
            let (outcome, usage) = work.await;
            let spent = Spent { what: helper.name(), model, usage };
            let news = HelperNews::Ended { number, outcome, spent };
            let _ = own.send(Msg::Helper(Box::new(news))).await;
        });
        let task = task.abort_handle();
        self.helpers.running.push(Running { number, helper, stop, task, calls: Vec::new() });
    }

    /// Somebody is there who knows what to do with what a helper says.
    fn is_listened_to(&self) -> bool {
        self.doors.iter().any(|door| door.profile().agent.version >= 1)
    }

    /// What was said last, in the user's words and the model's.
    fn last_said(&self, cap: usize) -> Vec<Value> {
        let is_ours = |text: &str| tools::is_reminder(text) || blocks::is_quoted(text);
        helpers::said(&self.conversation, cap, is_ours)
    }
}
