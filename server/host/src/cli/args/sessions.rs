//! What `bowline sessions` takes.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline sessions                                     those of this folder\n  \
        bowline sessions list --all 'flaky test'             in every project, with these words\n  \
        bowline sessions export 0199a2 > session.md          to read or to send\n  \
        bowline sessions delete 0199a2b4-…                   one that nobody has open\n  \
        bowline sessions import                              what Claude Code left, to choose from\n  \
        bowline sessions restore                             what was put aside, to fetch back\n\n\
        What nobody used for `cleanupPeriodDays` (30), and the oldest of what takes more than\n\
        `sessionsMaxMegabytes` (4096), is put aside for a week and then deleted.\n\n\
        Where an ID is wanted, a beginning that fits only one will do, but not to delete.\n\n\
        Exit codes: 0 done, 1 not possible, 2 wrong usage.")]
pub(crate) struct SessionsArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SessionsCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SessionsCommand {
    /// The sessions of this folder, the newest first (this is what happens without a command)
    #[command(after_long_help = "Example:\n  bowline sessions list --all 'flaky test' --json")]
    List {
        /// Only those with these words in their title, folder or prompts
        query: Option<String>,
        /// Those of every folder
        #[arg(long)]
        all: bool,
        /// One JSON object a line, for scripts
        #[arg(long)]
        json: bool,
    },
    /// Print a session as Markdown
    #[command(after_long_help = "Example:\n  bowline sessions show 0199a2")]
    Show {
        /// Which one
        id: String,
    },
    /// Print a session, or write it to a file
    #[command(
        after_long_help = "Example:\n  bowline sessions export 0199a2 --format jsonl -o session.jsonl"
    )]
    Export {
        /// Which one
        id: String,
        /// In which form
        #[arg(long, value_enum, default_value = "markdown", value_name = "FORMAT")]
        format: ExportFormat,
        /// A file to make instead of printing
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take over conversations of Claude Code; without a path, list those that could be
    #[command(after_long_help = "Example:\n  bowline sessions import --all")]
    Import {
        /// A transcript, or a folder of them; ~/.claude/projects without it
        path: Option<PathBuf>,
        /// All that there are
        #[arg(long)]
        all: bool,
    },
    /// Bring back a session that was put aside; without an id, list them
    #[command(after_long_help = "Example:\n  bowline sessions restore")]
    Restore {
        /// Which one; the whole id is wanted
        id: Option<String>,
    },
    /// Delete sessions for good; their whole ids are wanted
    #[command(
        after_long_help = "Example:\n  bowline sessions delete 0199a2b4-7c1d-7e55-8f00-2b9d3c4e5f60"
    )]
    Delete {
        /// Which ones
        #[arg(required = true, value_name = "ID")]
        ids: Vec<String>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// For people
    Markdown,
    /// The records of the journal, for programs
    Jsonl,
}
