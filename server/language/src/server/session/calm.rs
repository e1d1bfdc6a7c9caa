//! Whether a server is still getting its bearings: loading a project, building an index.
//!
//! Until then it knows its texts but not what they refer to, and "nothing is wrong" may only mean
//! that it has not looked yet. Servers show such work as progress; rust-analyzer says outright
//! whether it is quiescent, which is better, because it shows progress for other things too.

use std::collections::BTreeSet;

use serde_json::Value;
use tokio::time::Instant;

use crate::server::verdict::QUIET;

/// More work than this at once is not counted.
const MOST_TOKENS: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Calm {
    /// Work that has begun and not ended.
    tokens: BTreeSet<String>,
    /// What it says about itself, if it ever did.
    quiescent: Option<bool>,
    /// When its last work ended, for a moment.
    since: Option<Instant>,
}

impl Calm {
    /// Takes a notification about work. True when the last of it has just ended.
    #[must_use]
    pub(super) fn hear(&mut self, method: &str, params: &Value, now: Instant) -> bool {
        let busy = self.is_busy();
        match method {
            "$/progress" => {
                let token = params.get("token").map(Value::to_string).unwrap_or_default();
                match params.get("value").and_then(|value| value.get("kind")?.as_str()) {
                    Some("begin") if self.tokens.len() < MOST_TOKENS => {
                        self.tokens.insert(token);
                    }
                    Some("end") => {
                        self.tokens.remove(&token);
                    }
                    _ => {}
                }
            }
            "experimental/serverStatus" => {
                self.quiescent = params.get("quiescent").and_then(Value::as_bool);
            }
            _ => {}
        }
        let ended = busy && !self.is_busy();
        if ended {
            self.since = Some(now);
        }
        ended
    }

    fn is_busy(&self) -> bool {
        match self.quiescent {
            Some(quiescent) => !quiescent,
            None => !self.tokens.is_empty(),
        }
    }

    /// Whether what it says can be relied on: what it finds at the end of its work, it still has
    /// to send.
    pub(super) fn is_calm(&mut self, now: Instant) -> bool {
        if self.since.is_some_and(|since| now >= since + QUIET) {
            self.since = None;
        }
        !self.is_busy() && self.since.is_none()
    }

    /// When it will be calm, if it does nothing more.
    pub(super) fn wake(&self) -> Option<Instant> {
        if self.is_busy() { None } else { self.since.map(|since| since + QUIET) }
    }
}
