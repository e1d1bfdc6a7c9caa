//! The session at the other end, as far as the screen shows it.

use protocol::session::{Command, Config, Mode};
use protocol::snapshot::{ContextUsage, Role, SnapshotBlock, SnapshotMessage};
use tokio::time::Instant;

use super::changes::Changes;
use super::said::Said;

/// The session we are attached to.
#[derive(Debug)]
pub(crate) struct Session {
    pub id: String,
    pub config: Config,
    pub commands: Vec<Command>,
    pub usage: ContextUsage,
    pub title: Option<String>,
    pub said: Said,
    pub changes: Changes,
}

impl Session {
    pub fn new(id: String, config: Config, commands: Vec<Command>) -> Self {
        Self {
            id,
            config,
            commands,
            usage: ContextUsage::default(),
            title: None,
            said: Said::default(),
            changes: Changes::default(),
        }
    }

    /// A message of the conversation that was there before us.
    pub fn remember(&mut self, message: &SnapshotMessage) {
        if message.role == Role::User {
            let texts = message.blocks.iter().filter_map(|block| match block {
                SnapshotBlock::Text(text) => Some(text.text.as_str()),
                _ => None,
            });
            let text = texts.collect::<Vec<_>>().join("\n");
            if !text.is_empty() {
                self.said.add(&message.message_id, &text, message.at);
            }
        }
        for block in &message.blocks {
            if let SnapshotBlock::ToolCall(block) = block {
                self.said.call(&block.call.tool_call_id);
            }
        }
    }
}

/// A turn that runs.
#[derive(Debug)]
pub(crate) struct Turn {
    pub id: Option<String>,
    pub started: Instant,
    /// What happens right now, in a word or two.
    pub doing: String,
    /// The user has asked to stop it.
    pub stopping: bool,
}

impl Turn {
    pub fn new(id: Option<String>, started: Instant) -> Self {
        Self { id, started, doing: "Thinking".to_owned(), stopping: false }
    }
}

/// The modes Shift+Tab goes through. `bypassPermissions` and `dontAsk` must be asked for by name:
/// nobody should get there by pressing a key once too often.
pub(crate) fn next_mode(mode: &Mode) -> Mode {
    match mode {
        Mode::Default => Mode::AcceptEdits,
        Mode::AcceptEdits => Mode::Plan,
        _ => Mode::Default,
    }
}

/// All modes, with what they mean.
pub(crate) const MODES: [(Mode, &str); 6] = [
    (Mode::Default, "reads freely, asks for the rest"),
    (Mode::AcceptEdits, "also changes files in the session's folders"),
    (Mode::Plan, "only reads, and writes a plan"),
    (Mode::Auto, "changes files; a model judges the rest, and asks you when in doubt"),
    (Mode::DontAsk, "does what rules allow, the rest is denied"),
    (Mode::BypassPermissions, "does everything without asking"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_never_leads_to_a_mode_without_questions() {
        let mut mode = Mode::Default;
        for _ in 0..10 {
            mode = next_mode(&mode);
            assert!(matches!(mode, Mode::Default | Mode::AcceptEdits | Mode::Plan), "{mode}");
        }
        assert_eq!(next_mode(&Mode::BypassPermissions), Mode::Default);
    }
}
