//! Hooks as data: which events there are and what holds for each (`event`), and what a handler is
//! made of (`handler`). They are written in settings, in a plugin's `hooks/hooks.json`, and in the
//! heads of skills and agents; nothing here runs one.

mod event;
mod handler;
mod written;

pub use event::{HookEvent, Kinds, Matched, OnTwo};
pub use handler::{Background, HookAction, HookHandler, HookKind, HookShell};
pub use written::{WrittenBy, written};

use std::collections::BTreeMap;
use std::path::PathBuf;

use policy::Source;

/// One hook of one place.
#[derive(Clone, Debug, PartialEq)]
pub struct HookSetting {
    /// `None` for an event that we do not know: it belongs to somebody else, and never runs.
    pub event: Option<HookEvent>,
    /// As it was written.
    pub event_name: String,
    /// `None` for everything that the event can be about.
    pub matcher: Option<String>,
    pub handler: HookHandler,
    /// Variables beside the usual ones, for a plugin's.
    pub env: BTreeMap<String, String>,
    pub source: Source,
    /// For people, where the source alone does not say it: a plugin, a skill, an agent.
    pub of: Option<String>,
    pub file: PathBuf,
    pub line: usize,
    /// Of the definition and, for a project's hook, of the project's files it names.
    pub hash: String,
}

impl HookSetting {
    /// The same hook in two files runs once.
    pub fn is_same(&self, other: &HookSetting) -> bool {
        (&self.event_name, &self.matcher, &self.handler.definition, &self.env)
            == (&other.event_name, &other.matcher, &other.handler.definition, &other.env)
    }
}
