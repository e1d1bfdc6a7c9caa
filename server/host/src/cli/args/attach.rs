//! Joining: `bowline attach`, and what a server says about being joined.

use std::time::Duration;

use clap::Args as ClapArgs;

use crate::doors::leave::Leave;

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline attach                    the only session that runs, or a list of them\n  \
        bowline attach 01a1ed50           one of them, by the beginning of its id\n\n\
        What is asked in one place can be answered in any, and is closed in the others. Leaving\n\
        (Ctrl-D) leaves the session as it is.\n\n\
        Exit codes: 0 done, 1 no such session, or several, 2 wrong usage.")]
pub(in crate::cli) struct AttachArgs {
    /// The session's id; its beginning will do
    pub(in crate::cli) session: Option<String>,
}

/// What a server does about others.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct JoinFlags {
    /// When the client leaves, a turn that runs goes on without it, for so many minutes at most; what
    /// would be asked is denied then. Without this, it goes on only while somebody else has joined
    #[arg(long, value_name = "MINUTES", num_args = 0..=1, default_missing_value = "30")]
    pub(in crate::cli) keep_running: Option<u64>,

    /// Let nobody join this server
    #[arg(long)]
    pub(in crate::cli) no_join: bool,
}

impl JoinFlags {
    pub(in crate::cli) fn leave(&self) -> Leave {
        let minutes = self.keep_running.unwrap_or_default();
        Leave::Host { patience: Duration::from_secs(minutes.saturating_mul(60)) }
    }
}
