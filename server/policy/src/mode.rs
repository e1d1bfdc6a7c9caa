//! The permission modes and their names on the wire.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How much the agent may do without asking. Deny and ask rules hold in every mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Mode {
    /// Reads in the workspace and proven read-only commands run; the rest asks.
    #[default]
    Default,
    /// Also edits files in the workspace without asking.
    AcceptEdits,
    /// Only looks; everything that changes something is denied.
    Plan,
    /// Like `AcceptEdits`; what would still be asked is judged by a model first.
    Auto,
    /// Asks only where a rule, a protected path or a critical deletion demands it.
    BypassPermissions,
    /// Never asks: what would ask is denied.
    DontAsk,
}

impl Mode {
    pub const ALL: [Mode; 6] = [
        Mode::Default,
        Mode::AcceptEdits,
        Mode::Plan,
        Mode::Auto,
        Mode::BypassPermissions,
        Mode::DontAsk,
    ];

    /// Whether edits in the workspace need no question.
    pub(crate) fn accepts_edits(self) -> bool {
        matches!(self, Mode::AcceptEdits | Mode::Auto)
    }

    /// The name in settings, flags and protocol messages.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Default => "default",
            Mode::AcceptEdits => "acceptEdits",
            Mode::Plan => "plan",
            Mode::Auto => "auto",
            Mode::BypassPermissions => "bypassPermissions",
            Mode::DontAsk => "dontAsk",
        }
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A mode name that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no permission mode `{0}`: use default, acceptEdits, plan, auto, bypassPermissions or dontAsk"
)]
pub struct UnknownMode(String);

impl FromStr for Mode {
    type Err = UnknownMode;

    fn from_str(name: &str) -> Result<Mode, UnknownMode> {
        Mode::ALL
            .into_iter()
            .find(|mode| mode.name() == name)
            .ok_or_else(|| UnknownMode(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mode_reads_back_its_own_name() {
        for mode in Mode::ALL {
            assert_eq!(mode.to_string().parse(), Ok(mode));
        }
        assert!("Default".parse::<Mode>().is_err());
        assert!("".parse::<Mode>().is_err());
    }
}
