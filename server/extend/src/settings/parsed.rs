//! What one settings file says, with the place of each value.

use std::collections::BTreeMap;

use policy::{Behavior, Mode, Rule};

use super::explain::Leaf;
use super::hooks::Handler;
use super::mcp_limits::McpLimits;
use super::{LanguageServerSetting, SaveBeforeCommands};

/// A place in a file, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub(super) line: usize,
    pub(super) column: usize,
}

/// A value and where it stands.
#[derive(Debug)]
pub(super) struct Located<T> {
    pub(super) at: At,
    pub(super) value: T,
}

/// What one file says. Keys without a field of their own are kept by their paths.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    pub(super) rules: Vec<Located<(Behavior, Rule)>>,
    pub(super) mode: Option<Located<Mode>>,
    pub(super) directories: Vec<Located<String>>,
    pub(super) max_turns: Option<u32>,
    pub(super) fallback_models: Option<Vec<String>>,
    pub(super) save_before_commands: Option<SaveBeforeCommands>,
    pub(super) language_servers: Vec<LanguageServerSetting>,
    pub(super) env: Option<Located<BTreeMap<String, String>>>,
    /// MCP servers by their names, as plain JSON.
    pub(super) mcp: Vec<(String, serde_json::Value)>,
    pub(super) mcp_limits: McpLimits,
    pub(super) hooks: Vec<Located<Handler>>,
    /// By `plugin@marketplace`, whether it is to be used.
    pub(super) plugins: Vec<Located<(String, bool)>>,
    /// Values that are kept as they stand.
    pub(super) raw: BTreeMap<&'static str, serde_json::Value>,
    pub(super) bools: BTreeMap<&'static str, Located<bool>>,
    /// Whole numbers.
    pub(super) numbers: BTreeMap<&'static str, u64>,
    pub(super) texts: BTreeMap<&'static str, Located<String>>,
    pub(super) lists: BTreeMap<&'static str, Vec<Located<String>>>,
    /// Every single value, to be explained.
    pub(super) leaves: Vec<Leaf>,
    pub(super) problems: Vec<(Option<At>, String)>,
    /// Something that may have restricted was lost.
    pub(super) broken: bool,
}

impl Parsed {
    /// What is not used is not explained either.
    pub(super) fn forget(&mut self, at: At) {
        self.leaves.retain(|leaf| leaf.at != at);
    }

    /// The same for a key and all below it.
    pub(super) fn forget_key(&mut self, key: &str) {
        self.leaves.retain(|leaf| {
            let rest = leaf.key.strip_prefix(key);
            !rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        });
    }
}

pub(super) fn at(text: &str, offset: usize) -> At {
    let before = text.get(..offset).unwrap_or(text);
    // Counted by bytes, which is fast enough to be done for each of many values.
    let newlines = before.bytes().filter(|byte| *byte == b'\n').count();
    let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
    At { line: newlines + 1, column: before[line_start..].chars().count() + 1 }
}
