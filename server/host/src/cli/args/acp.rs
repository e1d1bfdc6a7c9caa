//! `bowline acp`: its flags.

use clap::Args as ClapArgs;

use super::{JoinFlags, SessionFlags};

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        acpx --agent 'bowline acp' exec 'explain src/main.rs'\n  \
        bowline acp --permission-mode plan       for clients that start agents with flags\n\n  \
        In Zed's settings:\n  \
        \"agent_servers\": { \"Bowline\": { \"command\": \"bowline\", \"args\": [\"acp\"] } }\n\n\
        Files are read and changed through the client where it offers fs/read_text_file and\n\
        fs/write_text_file, unsaved text included. Commands run here, in the sandbox; with the setting\n\
        commandsInTerminal they run in the client's terminal, where nothing keeps them in.\n\n\
        Exit codes: 0 the client ended it, 1 it could not begin, 2 wrong usage, 143 terminated.")]
pub(in crate::cli) struct AcpArgs {
    #[command(flatten)]
    pub(in crate::cli) join: JoinFlags,

    #[command(flatten)]
    pub(in crate::cli) session: SessionFlags,
}
