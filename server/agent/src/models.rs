//! The models we know, as data: ids, limits, prices, what they accept.
//!
//! An id that is not here still works; it gets [`UNKNOWN`]'s careful limits and no price.

mod permitted;

pub use permitted::{Chosen, Permitted, Refused};

/// Limits are in tokens, prices in US dollars per million tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Model {
    pub id: &'static str,
    pub name: &'static str,
    pub window: u64,
    pub max_output: u32,
    pub input_price: f64,
    pub output_price: f64,
    pub cache_read_price: f64,
    pub thinking: ThinkingSupport,
    /// Accepts `output_config.effort`.
    pub effort: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkingSupport {
    /// Thinks by itself and cannot be told not to.
    Always,
    /// Decides by itself when asked to (`thinking: {type: "adaptive"}`).
    Adaptive,
    /// Wants a budget in tokens.
    Budget,
    None,
}

use ThinkingSupport::{Adaptive, Always, Budget};

const fn model(id: &'static str, name: &'static str, prices: (f64, f64)) -> Model {
    Model {
        id,
        name,
        window: 1_000_000,
        max_output: 128_000,
        input_price: prices.0,
        output_price: prices.1,
        cache_read_price: prices.0 / 10.0,
        thinking: Adaptive,
        effort: true,
    }
}

/// Current models first, each family from newest to oldest.
#[rustfmt::skip]
pub const MODELS: &[Model] = &[
    Model { thinking: Always, ..model("claude-fable-5-2", "Claude Fable 5.2", (8.0, 40.0)) },
    Model { thinking: Always, cache_read_price: 0.20, ..model("claude-opus-5-5", "Claude Opus 5.5", (4.0, 20.0)) },
    model("claude-sonnet-5-5", "Claude Sonnet 5.5", (2.0, 10.0)),
    model("claude-haiku-5-5", "Claude Haiku 5.5", (0.10, 0.50)),
    Model { thinking: Always, ..model("claude-fable-5-1", "Claude Fable 5.1", (10.0, 50.0)) },
    Model { thinking: Always, ..model("claude-fable-5", "Claude Fable 5", (10.0, 50.0)) },
    model("claude-opus-5", "Claude Opus 5", (5.0, 25.0)),
    model("claude-sonnet-5", "Claude Sonnet 5", (2.0, 10.0)),
    model("claude-opus-4-8", "Claude Opus 4.8", (5.0, 25.0)),
    model("claude-opus-4-7", "Claude Opus 4.7", (5.0, 25.0)),
    model("claude-opus-4-6", "Claude Opus 4.6", (5.0, 25.0)),
    Model { thinking: Budget, window: 200_000, max_output: 64_000, ..model("claude-opus-4-5", "Claude Opus 4.5", (5.0, 25.0)) },
    model("claude-sonnet-4-6", "Claude Sonnet 4.6", (3.0, 15.0)),
    Model { thinking: Budget, effort: false, window: 200_000, max_output: 64_000, ..model("claude-sonnet-4-5", "Claude Sonnet 4.5", (3.0, 15.0)) },
    Model { thinking: Budget, effort: false, window: 200_000, max_output: 64_000, ..model("claude-haiku-4-5", "Claude Haiku 4.5", (1.0, 5.0)) },
];

/// What is assumed of a model that is not in the table: a local server's, or one newer than we.
pub const UNKNOWN: Model = Model {
    window: 128_000,
    max_output: 8_192,
    thinking: ThinkingSupport::None,
    effort: false,
    ..model("unknown", "unknown model", (0.0, 0.0))
};

/// The short names people type, and what each stands for.
const ALIASES: &[(&str, &str)] = &[
    ("fable", "claude-fable-5-2"),
    ("opus", "claude-opus-5-5"),
    ("sonnet", "claude-sonnet-5-5"),
    ("haiku", "claude-haiku-5-5"),
    ("default", DEFAULT),
];

pub const DEFAULT: &str = "claude-sonnet-5-5";

/// The full id for an alias; any other text is an id already.
pub fn resolve(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map_or(name, |(_, id)| id)
}

/// Without what the clouds put around an id: `us.anthropic.claude-opus-4-5-20251101-v1:0`.
fn bare(id: &str) -> &str {
    let id = id.rsplit_once("anthropic.").map_or(id, |(_, id)| id);
    match id.rsplit_once("-v") {
        Some((id, version)) if version.starts_with(|first: char| first.is_ascii_digit()) => id,
        _ => id,
    }
}

/// Looks up an id or alias. A dated id (`claude-opus-4-5-20251101`) is its undated model.
pub fn find(name: &str) -> Option<&'static Model> {
    let id = bare(resolve(name));
    MODELS.iter().find(|model| {
        id.strip_prefix(model.id).is_some_and(|rest| {
            rest.is_empty()
                || rest.strip_prefix(['-', '@']).is_some_and(|date| {
                    date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit())
                })
        })
    })
}

/// Whether two names mean one model: by alias, with a date or without.
pub fn same(one: &str, other: &str) -> bool {
    match (find(one), find(other)) {
        (Some(one), Some(other)) => one.id == other.id,
        _ => resolve(one) == resolve(other),
    }
}

/// [`find`], or the careful assumptions.
pub fn limits(name: &str) -> &'static Model {
    find(name).unwrap_or(&UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_dates_and_strangers() {
        let id = |name| find(name).map(|model| model.id);
        assert_eq!(id("opus"), Some("claude-opus-5-5"));
        assert_eq!(id("Haiku"), Some("claude-haiku-5-5"));
        assert_eq!(id("claude-opus-4-5-20251101"), Some("claude-opus-4-5"));
        assert_eq!(id("claude-opus-5"), Some("claude-opus-5"));
        assert_eq!(id("claude-opus-5-55"), None);
        assert_eq!(id("us.anthropic.claude-opus-4-5-20251101-v1:0"), Some("claude-opus-4-5"));
        assert_eq!(id("claude-opus-4-5@20251101"), Some("claude-opus-4-5"));
        assert_eq!(id("qwen3"), None);
        assert!(ALIASES.iter().all(|(_, id)| find(id).is_some()));
    }
}
