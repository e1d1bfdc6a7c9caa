//! What the commands take that look at an installation or complete it: `doctor`, `agents`,
//! `completions`, `man`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline doctor                  everything, with what to do about each problem\n  \
        bowline doctor --offline        without asking whether the model's server answers\n  \
        bowline doctor --json           for scripts, and for bug reports\n\n\
        Nothing of the folder is run or connected to, and no key is shown.\n\n\
        Exit codes: 0 nothing is wrong, 1 something is, 2 wrong usage.")]
pub(crate) struct DoctorArgs {
    /// Do not try to reach the model's server
    #[arg(long)]
    pub(crate) offline: bool,

    /// Print JSON, for scripts
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline agents                  who can be handed work here, and where each comes from\n  \
        bowline agents --json           for scripts\n  \
        bowline --agent reviewer        a session that is led by one of them\n\n\
        An agent is a Markdown file below .bowline/agents or .claude/agents, of the project or of\n\
        your home.\n\n\
        Exit codes: 0 done, 1 a file has a problem, 2 wrong usage.")]
pub(crate) struct AgentsArgs {
    /// Print JSON, for scripts
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline completions bash > ~/.local/share/bash-completion/completions/bowline\n  \
        bowline completions zsh > ~/.zfunc/_bowline\n  \
        bowline completions fish > ~/.config/fish/completions/bowline.fish\n\n\
        Exit codes: 0 done, 2 wrong usage.")]
pub(crate) struct CompletionsArgs {
    /// For which shell
    pub(crate) shell: Shell,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline man | man -l -                       read it\n  \
        bowline man --output ~/.local/share/man/man1 a page for each command\n\n\
        Exit codes: 0 done, 1 the pages cannot be written, 2 wrong usage.")]
pub(crate) struct ManArgs {
    /// A folder to write a page for each command to, instead of printing the first one
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: Option<PathBuf>,
}
