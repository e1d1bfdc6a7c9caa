//! What every command takes: what is written down about the process itself.

use std::path::PathBuf;

use clap::Args as ClapArgs;

#[derive(Debug, Clone, Default, ClapArgs)]
#[command(next_help_heading = "Log")]
pub(crate) struct DebugFlags {
    /// Write a log to a file of its own in $BOWLINE_HOME/logs. FILTER says how much of what, such as
    /// debug (this is what happens without one), trace or host=debug,bowline=info
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "debug"
    )]
    pub(crate) debug: Option<String>,

    /// Write the log to this file
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) debug_file: Option<PathBuf>,
}
