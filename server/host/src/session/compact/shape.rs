//! What is done to the conversation before each request, so that it fits: work of old turns is left
//! out, results are cleared, and when that is not enough a summary is written first.

use agent::context::clear::{self, Moment};
use agent::context::snip::{self, Snip};
use agent::context::{Fullness, Window};
use agent::{Record, models};
use protocol::event::Severity;

use super::{Session, Then, Trigger};

/// Fewer tokens are not worth the cache that leaving them out costs; in a small window a tenth of it.
const WORTH_SNIPPING: u64 = 10_000;
/// After an hour, in milliseconds, the provider's cache is cold anyway.
const COLD: u64 = 60 * 60 * 1000;

/// Whether a request can go out.
pub(in crate::session) enum Shaped {
    Fits,
    Later,
    TooLong(String),
}

impl Session {
    pub(in crate::session) fn window(&self) -> Window {
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
    pub(super) fn overhead(&self) -> u64 {
        self.config.measured.tokens(&self.config.system, &self.config.tools)
    }

    pub(in crate::session) fn used(&self) -> u64 {
        self.conversation.used(|| self.overhead())
    }

    pub(in crate::session) fn fullness(&self) -> Fullness {
        self.window().state(self.used())
    }

    /// Makes the conversation fit before it is sent.
    pub(in crate::session) fn shape_request(&mut self) -> Shaped {
        let window = self.window();
        let full = |session: &Self| window.state(session.used()) != Fullness::Fine;
        if full(self) {
            self.snip();
        }
        let moment = match full(self) {
            true => Moment::Full,
            false if self.is_cold() => Moment::Cold,
            false => Moment::Usual,
        };
        self.clear_results(moment);
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
            Fullness::Compact if self.compaction.has_given_up() => Shaped::Fits,
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

    /// Notes that the model is asked now.
    pub(in crate::session) fn note_asked(&mut self) {
        self.compaction.asked_at = Some(self.host.clock.millis());
    }

    /// So long after the last request nothing of it is cached.
    fn is_cold(&self) -> bool {
        let now = self.host.clock.millis();
        self.compaction.asked_at.is_some_and(|at| now.saturating_sub(at) > COLD)
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

    /// Leaves out work of old turns and attempts that failed, if that frees enough.
    fn snip(&mut self) {
        let Snip { answers, shortened, tokens } = snip::plan(&self.conversation);
        if tokens < WORTH_SNIPPING.min(self.window().compact_at() / 10) {
            return;
        }
        if let Err(error) = self.journal(&Record::Snipped { answers, shortened }) {
            tracing::error!(%error, "what was left out could not be journalled");
        }
    }

    /// Whether the model still sees the result of a call, as far as can be told: not where the provider
    /// has begun to clear results by itself, or is about to.
    pub(in crate::session) fn result_stands(&self, call: &str) -> bool {
        let sees_all =
            !self.compaction.cleared_elsewhere && self.used() <= self.window().clear_above();
        sees_all && self.conversation.stands(call)
    }

    /// The provider cleared results: they are still ours, but the model has not seen them.
    pub(in crate::session) fn note_cleared(&mut self, results: u64, tokens: u64) {
        self.compaction.cleared_elsewhere = true;
        let Some(running) = self.running.as_ref() else { return };
        let turn = running.turn.id().to_owned();
        if let Err(error) = self.journal(&Record::ClearedByProvider { turn, results, tokens }) {
            tracing::error!(%error, "what the provider cleared could not be journalled");
        }
    }

    /// Clears results that nobody needs. True when something was cleared.
    pub(in crate::session) fn clear_results(&mut self, moment: Moment) -> bool {
        let window = self.window();
        let mut cleared = false;
        while let Some(found) = clear::next(&self.conversation, moment, &window, self.used()) {
            let record = Record::Cleared { calls: found.calls, why: found.why.to_owned() };
            if let Err(error) = self.journal(&record) {
                tracing::error!(%error, "cleared results could not be journalled");
                break;
            }
            cleared = true;
        }
        cleared
    }
}
