//! Notices when the provider's prompt cache is lost, and says what changed.
//!
//! A conversation stays cheap because each request repeats the last one's beginning to the byte. One
//! changed tool description makes everything be read again at ten times the price, and nobody would
//! see why. Pure: the caller brings the request, the clock and the provider's count.

use std::sync::Arc;

use serde_json::Value;

use crate::request::{CacheTtl, Effort, ModelRequest, Thinking};
use crate::usage::Usage;

/// Smaller losses are the provider's rounding, or blocks that were not worth keeping.
const NOTICEABLE: u64 = 2_000;

/// What a cache's key is made of, in the order in which the provider looks at it.
#[derive(Clone, Debug)]
pub struct Fingerprint {
    model: String,
    tools: Arc<str>,
    system: Arc<str>,
    thinking: Thinking,
    effort: Option<Effort>,
    format: Option<Arc<str>>,
    messages: Vec<u64>,
}

impl Fingerprint {
    pub fn of(request: &ModelRequest) -> Self {
        Self {
            model: request.model.clone(),
            tools: request.tools.clone(),
            system: request.system.clone(),
            thinking: request.thinking,
            effort: request.effort,
            format: request.format.clone(),
            messages: request.messages.iter().map(crate::request::Piece::fingerprint).collect(),
        }
    }

    /// The first thing that differs from what `self` began with, in words.
    fn change(&self, now: &Fingerprint) -> Option<String> {
        if self.model != now.model {
            return Some(format!("the model changed from {} to {}", self.model, now.model));
        }
        if self.tools != now.tools {
            return Some(format!("the tools changed{}", tools_change(&self.tools, &now.tools)));
        }
        if self.system != now.system {
            return Some("the system prompt changed".to_owned());
        }
        if self.thinking != now.thinking {
            return Some("the thinking setting changed".to_owned());
        }
        if self.effort != now.effort {
            return Some("the effort changed".to_owned());
        }
        if self.format != now.format {
            return Some("the format of the answer changed".to_owned());
        }
        let pairs = self.messages.iter().zip(&now.messages);
        let same = pairs.take_while(|(before, now)| before == now).count();
        if same == self.messages.len() {
            return None;
        }
        Some(match same == now.messages.len() {
            true => format!("the last {} messages are gone", self.messages.len() - same),
            false => format!("message {} of {} changed", same + 1, self.messages.len()),
        })
    }
}

/// Which tools came, went or changed, as far as the lists can be read.
fn tools_change(before: &str, now: &str) -> String {
    let read = |list: &str| serde_json::from_str::<Vec<Value>>(list).unwrap_or_default();
    let (before, now) = (read(before), read(now));
    let named =
        |list: &[Value], name: &Value| list.iter().find(|tool| tool["name"] == *name).cloned();
    let mut parts = Vec::new();
    let mut tell = |verb: &str, names: Vec<String>| {
        if !names.is_empty() {
            parts.push(format!("{verb} {}", names.join(", ")));
        }
    };
    let name = |tool: &Value| format!("`{}`", tool["name"].as_str().unwrap_or("?"));
    let not_in = |list: &[Value], other: &[Value]| -> Vec<String> {
        list.iter().filter(|tool| named(other, &tool["name"]).is_none()).map(name).collect()
    };
    tell("added", not_in(&now, &before));
    tell("removed", not_in(&before, &now));
    let differs = |tool: &&Value| named(&before, &tool["name"]).is_some_and(|old| old != **tool);
    tell("different", now.iter().filter(differs).map(name).collect());
    if parts.is_empty() {
        return " (another order)".to_owned();
    }
    format!(" ({})", parts.join("; "))
}

/// Remembers the last request of one conversation.
#[derive(Clone, Debug, Default)]
pub struct CacheWatch {
    last: Option<Seen>,
}

#[derive(Clone, Debug)]
struct Seen {
    request: Fingerprint,
    /// Tokens that the provider holds, as it said.
    cached: u64,
    at_ms: u64,
}

impl CacheWatch {
    /// The history is about to be replaced on purpose (compaction, rewind, another session): the
    /// next answer sets the measure anew.
    pub fn reset(&mut self) {
        self.last = None;
    }

    /// Takes a request and what the provider counted for it. A sentence, if what the last request
    /// had cached was read again without a reason that we know of.
    pub fn observe(
        &mut self,
        request: Fingerprint,
        usage: &Usage,
        ttl: CacheTtl,
        now_ms: u64,
    ) -> Option<String> {
        let cached =
            usage.cache_read_input_tokens.saturating_add(usage.cache_creation_input_tokens);
        // A failed answer counts nothing, and says nothing about the cache.
        if usage.prompt() == 0 {
            return None;
        }
        let last = self.last.replace(Seen { request: request.clone(), cached, at_ms: now_ms })?;
        let lost = last.cached.saturating_sub(usage.cache_read_input_tokens);
        let age = now_ms.saturating_sub(last.at_ms) / 1000;
        if lost < NOTICEABLE || lost < last.cached / 20 || age >= ttl.seconds() {
            return None;
        }
        let why = last.request.change(&request).unwrap_or_else(|| {
            format!("nothing that was sent changed, so the provider dropped it after {age} s")
        });
        Some(format!("The prompt cache was lost and {lost} tokens were read again: {why}."))
    }
}

#[cfg(test)]
mod tests;
