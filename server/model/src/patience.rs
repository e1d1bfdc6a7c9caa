//! How long a server may take, in four ways: to answer at all, between two events, with nothing but
//! pings, and over everything. Each can be set in the environment, in milliseconds.
//!
//! | variable | what is limited | Anthropic | OpenAI-compatible |
//! |---|---|---|---|
//! | `BOWLINE_FIRST_BYTE_TIMEOUT_MS`, else `API_TIMEOUT_MS` | the answer's first byte | 2 min | 10 min |
//! | `BOWLINE_STREAM_IDLE_TIMEOUT_MS`, else `CLAUDE_STREAM_IDLE_TIMEOUT_MS` | no event at all | 2 min | 5 min |
//! | `BOWLINE_STREAM_PING_TIMEOUT_MS` | pings, and nothing else | 10 min | 10 min |
//! | `BOWLINE_REQUEST_TIMEOUT_MS` | the whole answer | 1 h | 1 h |
//!
//! Silence is counted in events, not in bytes: a proxy that drips single bytes is silent. A model
//! that thinks unseen sends pings, so they count for longer, but not for ever.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Instant, Sleep};

use crate::env::Env;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Patience {
    pub(crate) first: Duration,
    pub(crate) idle: Duration,
    pub(crate) pings: Duration,
    pub(crate) total: Duration,
}

impl Patience {
    pub(crate) const ANTHROPIC: Patience = Patience::minutes(2, 2);
    /// A local server loads its model and reads the whole prompt before it says a word.
    pub(crate) const OPENAI: Patience = Patience::minutes(10, 5);

    const fn minutes(first: u64, idle: u64) -> Self {
        Self {
            first: Duration::from_secs(first * 60),
            idle: Duration::from_secs(idle * 60),
            pings: Duration::from_secs(600),
            total: Duration::from_secs(3600),
        }
    }

    /// What the environment says in place of the usual. Nonsense and zero are passed over: a typing
    /// mistake must not switch the watch off.
    pub(crate) fn read(self, env: &Env) -> Self {
        let named = |names: &[&str], usual: Duration| {
            let set = names.iter().find_map(|name| env.get(name)?.parse().ok());
            set.filter(|ms| *ms > 0).map_or(usual, Duration::from_millis)
        };
        let idle = ["BOWLINE_STREAM_IDLE_TIMEOUT_MS", "CLAUDE_STREAM_IDLE_TIMEOUT_MS"];
        Self {
            first: named(&["BOWLINE_FIRST_BYTE_TIMEOUT_MS", "API_TIMEOUT_MS"], self.first),
            idle: named(&idle, self.idle),
            pings: named(&["BOWLINE_STREAM_PING_TIMEOUT_MS"], self.pings),
            total: named(&["BOWLINE_REQUEST_TIMEOUT_MS"], self.total),
        }
    }
}

/// Which patience ended, and how long it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Silence {
    Nothing(Duration),
    OnlyPings(Duration),
    NoEnd(Duration),
}

/// Watches one answer.
pub(crate) struct Watchdog {
    patience: Patience,
    begun: Instant,
    heard: Instant,
    spoke: Instant,
    alarm: Pin<Box<Sleep>>,
}

impl Watchdog {
    /// `begun` is when the request was sent.
    pub(crate) fn new(patience: Patience, begun: Instant) -> Self {
        let now = Instant::now();
        let alarm = Box::pin(tokio::time::sleep_until(now));
        let mut watchdog = Self { patience, begun, heard: now, spoke: now, alarm };
        let (first, _) = watchdog.deadline();
        watchdog.alarm.as_mut().reset(first);
        watchdog
    }

    pub(crate) fn heard(&mut self, is_ping: bool) {
        self.heard = Instant::now();
        if !is_ping {
            self.spoke = self.heard;
        }
    }

    /// Ready when patience has ended. The alarm is moved only when it rings: moving it with every
    /// event would cost more than reading the event, and deadlines only ever move on.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Silence> {
        while self.alarm.as_mut().poll(cx).is_ready() {
            let (deadline, silence) = self.deadline();
            if deadline <= Instant::now() {
                return Poll::Ready(silence);
            }
            self.alarm.as_mut().reset(deadline);
        }
        Poll::Pending
    }

    fn deadline(&self) -> (Instant, Silence) {
        let Patience { idle, pings, total, .. } = self.patience;
        let all = [
            (self.heard + idle, Silence::Nothing(idle)),
            (self.spoke + pings, Silence::OnlyPings(pings)),
            (self.begun + total, Silence::NoEnd(total)),
        ];
        all.into_iter().fold(all[0], |first, next| if next.0 < first.0 { next } else { first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_may_change_each_and_break_none() {
        let read = |name: &str, value: &str| Patience::ANTHROPIC.read(&Env::from([(name, value)]));
        let five = Duration::from_millis(5);
        let usual = Patience::ANTHROPIC;
        assert_eq!(read("API_TIMEOUT_MS", "5"), Patience { first: five, ..usual });
        assert_eq!(read("BOWLINE_FIRST_BYTE_TIMEOUT_MS", "5"), Patience { first: five, ..usual });
        assert_eq!(read("CLAUDE_STREAM_IDLE_TIMEOUT_MS", "5"), Patience { idle: five, ..usual });
        assert_eq!(read("BOWLINE_STREAM_PING_TIMEOUT_MS", "5"), Patience { pings: five, ..usual });
        assert_eq!(read("BOWLINE_REQUEST_TIMEOUT_MS", "5"), Patience { total: five, ..usual });
        for nonsense in ["0", "-1", "soon", "1e9"] {
            assert_eq!(read("BOWLINE_REQUEST_TIMEOUT_MS", nonsense), usual);
        }
    }
}
