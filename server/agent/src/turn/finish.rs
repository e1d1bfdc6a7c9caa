//! When the model says that it is done: who may still make it go on.

use super::{Effect, EndReason, Phase, StopVerdict, Turn, Why, texts};
use crate::stream::{ModelError, ModelErrorKind};

/// How often an answer that does not pass the check is asked for again.
const MAX_CHECKS: u32 = 5;

impl Turn {
    pub(super) fn on_done(&mut self, text: &str, effects: &mut Vec<Effect>) {
        // A complete answer is not cut off by the limit; the session sends what was steered.
        if !self.steered.is_empty() && !self.at_limit() {
            return self.next_request(Why::Steered, effects);
        }
        if let Some(Err(problem)) = self.rules.check.as_ref().map(|check| check(text)) {
            return self.on_unfit(&problem, effects);
        }
        if self.rules.stop_hooks {
            self.phase = Phase::Asking;
            effects.push(Effect::AskStopHooks { again: self.hooked });
            return;
        }
        self.settle(effects);
    }

    fn on_unfit(&mut self, problem: &str, effects: &mut Vec<Effect>) {
        self.unchecked += 1;
        if self.unchecked > MAX_CHECKS {
            let error = texts::never_fit(problem);
            return self.end(EndReason::StructuredOutputRetryExhausted, Some(error), effects);
        }
        self.tell_and_resume(texts::does_not_fit(problem), Why::StructuredOutputRetry, effects);
    }

    pub(super) fn on_verdict(&mut self, verdict: StopVerdict, effects: &mut Vec<Effect>) {
        match verdict {
            StopVerdict::Fine => self.settle(effects),
            StopVerdict::GoOn { message } => {
                self.hooked = true;
                self.tell_and_resume(message, Why::StopHookBlocking, effects);
            }
            StopVerdict::End { message } => {
                let error = ModelError::new(ModelErrorKind::InvalidRequest, message);
                self.end(EndReason::StopHookPrevented, Some(error), effects);
            }
        }
    }

    fn settle(&mut self, effects: &mut Vec<Effect>) {
        let used = self.spent.answers.usage().output_tokens;
        // What was said while the hooks were asked.
        if !self.steered.is_empty() && !self.at_limit() {
            return self.next_request(Why::Steered, effects);
        }
        if !self.at_limit() && self.goal.wants_more(&self.rules.budget, used) {
            return self.tell_and_resume(texts::USE_BUDGET, Why::TokenBudgetContinuation, effects);
        }
        self.end(EndReason::Completed, None, effects);
    }
}
