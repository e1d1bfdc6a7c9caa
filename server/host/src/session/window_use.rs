//! `agent/session/context`: what fills the window, counted by the provider where it can count and
//! estimated by kind elsewhere.

use std::time::Duration;

use agent::turn::Ask;
use agent::{ModelRequest, models, tokens};
use model::Provider;
use protocol::session::{ContextKind, ContextShare, SessionContextResult};

use super::Session;
use crate::core::Reply;

/// A person waits for the answer; after this an estimate is good enough.
const COUNT_WITHIN: Duration = Duration::from_secs(3);

/// What is sent, by its kind, in estimated tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Parts {
    system: u64,
    memory: u64,
    tools: u64,
    messages: u64,
}

/// What there is to be counted.
pub(super) struct Measure {
    request: ModelRequest,
    provider: Provider,
    parts: Parts,
    estimate: u64,
    window: u64,
    /// From here on the conversation is summed up: the rest is kept for that.
    compact_at: u64,
}

impl Session {
    /// Answered beside the session, which waits for no count.
    pub(super) fn on_context(&self, reply: Reply) {
        let measure = self.measure();
        tokio::spawn(async move { reply.ok(&measure.count().await) });
    }

    pub(super) fn measure(&self) -> Measure {
        let ask = Ask { model: &self.config.model, longer: false };
        let request = self.request(&ask);
        let files = self.briefing.instructions();
        let memory = files.iter().map(|file| tokens::of_text(&file.text)).sum();
        let parts = Parts {
            system: tokens::of_text(&request.system).saturating_sub(memory),
            memory,
            tools: tokens::of_text(&request.tools),
            messages: tokens::of_pieces(&request.messages),
        };
        let estimate = self.used().max(tokens::of_request(&request));
        let window = models::limits(&self.config.model).window;
        let (provider, compact_at) = (self.config.provider.clone(), self.window().compact_at());
        Measure { request, provider, parts, estimate, window, compact_at }
    }
}

impl Measure {
    /// By the provider, where it can and does in time.
    pub(super) async fn count(self) -> SessionContextResult {
        // A conversation without a word cannot be counted.
        if self.request.messages.is_empty() {
            return self.estimated();
        }
        let count = self.provider.count_tokens(&self.request);
        match tokio::time::timeout(COUNT_WITHIN, count).await.ok().flatten() {
            Some(used) => self.told(used, Some(true)),
            None => self.estimated(),
        }
    }

    pub(super) fn estimated(&self) -> SessionContextResult {
        self.told(self.estimate, None)
    }

    fn told(&self, used: u64, counted: Option<bool>) -> SessionContextResult {
        let breakdown = self.parts.shares(used, self.window, self.compact_at);
        SessionContextResult { window: self.window, used, breakdown, counted }
    }
}

impl Parts {
    /// The parts make up what is used. Where that is more than was estimated, the conversation is
    /// what was underestimated; where it is less, everything was.
    fn shares(self, used: u64, window: u64, compact_at: u64) -> Vec<ContextShare> {
        let Parts { system, memory, tools, messages } = self;
        let estimated = (system + memory + tools + messages).max(1);
        let part = |tokens: u64| match used < estimated {
            true => (u128::from(tokens) * u128::from(used) / u128::from(estimated)) as u64,
            false => tokens,
        };
        let (system, memory, tools) = (part(system), part(memory), part(tools));
        // What a summary needs, and the room in which it begins.
        let free = window.saturating_sub(used);
        let reserved = window.saturating_sub(compact_at).min(free);
        let share = |kind, tokens| ContextShare { kind, tokens };
        vec![
            share(ContextKind::System, system),
            share(ContextKind::Memory, memory),
            share(ContextKind::Tools, tools),
            share(ContextKind::Messages, used - system - memory - tools),
            share(ContextKind::Reserved, reserved),
            share(ContextKind::Free, free - reserved),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shares_make_up_what_is_used() {
        let parts = Parts { system: 100, memory: 50, tools: 250, messages: 600 };
        let check = |used: u64, expect: [u64; 6]| {
            let shares = parts.shares(used, 2_000, 1_700);
            assert_eq!(shares.iter().map(|share| share.tokens).collect::<Vec<_>>(), expect);
        };
        check(1_000, [100, 50, 250, 600, 300, 700]);
        check(1_500, [100, 50, 250, 1_100, 300, 200]);
        check(500, [50, 25, 125, 300, 300, 1_200]);
        check(0, [0, 0, 0, 0, 300, 1_700]);
        check(9_000, [100, 50, 250, 8_600, 0, 0]);
    }
}
