//! What `bowline plugin` takes.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};

use super::ConfigScope;

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline plugin marketplace add acme/tools            a repository with a list of plugins\n  \
        bowline plugin list --available                      what there is to install\n  \
        bowline plugin install lint@acme-tools               for you, in every project\n  \
        bowline plugin disable lint --scope local            not in this project\n  \
        bowline plugin update                                all that are installed\n  \
        bowline plugin set lint@acme-tools token             what it asks for; a secret is typed
  bowline plugin validate ./my-plugin                  before you share it\n\n\
        PLUGIN is plugin@marketplace; the name alone will do where only one has it. Nothing of a\n\
        plugin runs while it is installed. What another agent installed in ~/.claude/plugins is\n\
        used as well, and left as it is.\n\n\
        Exit codes: 0 done, 1 not possible, 2 wrong usage.")]
pub(crate) struct PluginArgs {
    #[command(subcommand)]
    pub(crate) command: Option<PluginCommand>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum PluginCommand {
    /// What is installed, and whether it is used (this is what happens without a command)
    #[command(after_long_help = "Example:\n  bowline plugin list --available --json")]
    List {
        /// Everything the marketplaces have
        #[arg(long)]
        available: bool,
        /// Print JSON, for scripts
        #[arg(long)]
        json: bool,
    },
    /// Install a plugin with those it depends on, and switch it on
    #[command(after_long_help = "Example:\n  bowline plugin install lint@acme-tools")]
    Install {
        /// Which one
        plugin: String,
        /// In which settings it is switched on
        #[arg(long, value_enum, default_value = "user")]
        scope: ConfigScope,
    },
    /// Remove a plugin from this machine
    #[command(after_long_help = "Example:\n  bowline plugin uninstall lint@acme-tools")]
    Uninstall {
        /// Which one
        plugin: String,
        /// In which settings it was switched on
        #[arg(long, value_enum, default_value = "user")]
        scope: ConfigScope,
    },
    /// Switch an installed plugin on
    #[command(after_long_help = "Example:\n  bowline plugin enable lint --scope local")]
    Enable {
        /// Which one
        plugin: String,
        /// In which settings
        #[arg(long, value_enum, default_value = "user")]
        scope: ConfigScope,
    },
    /// Switch a plugin off and keep it
    #[command(after_long_help = "Example:\n  bowline plugin disable lint --scope local")]
    Disable {
        /// Which one
        plugin: String,
        /// In which settings
        #[arg(long, value_enum, default_value = "user")]
        scope: ConfigScope,
    },
    /// Fetch the marketplaces, and the plugins that are newer there
    #[command(after_long_help = "Example:\n  bowline plugin update lint@acme-tools")]
    Update {
        /// Which one; all without it
        plugin: Option<String>,
    },
    /// Check a plugin or a marketplace before you share it
    #[command(after_long_help = "Example:\n  bowline plugin validate ./my-plugin")]
    Validate {
        /// Its folder, or a marketplace.json
        path: PathBuf,
    },
    /// Give a plugin a value that it asks for; one that nobody is to see is typed, or piped in
    #[command(after_long_help = "Examples:\n  \
        bowline plugin set lint@acme-tools level strict\n  \
        pass show acme | bowline plugin set lint@acme-tools token")]
    Set {
        /// Which one
        plugin: String,
        /// The name of the value
        key: String,
        /// The value; nothing asks for it
        value: Option<String>,
        /// Take the value out again
        #[arg(long, conflicts_with = "value")]
        unset: bool,
    },
    /// Lists of plugins: add, see, remove or fetch them
    #[command(after_long_help = "Example:\n  bowline plugin marketplace add acme/tools")]
    Marketplace {
        #[command(subcommand)]
        command: MarketplaceCommand,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum MarketplaceCommand {
    /// Add a marketplace
    #[command(
        after_long_help = "Example:\n  bowline plugin marketplace add https://git.example.com/tools.git#main"
    )]
    Add {
        /// OWNER/REPOSITORY on GitHub, a git or https address (#BRANCH may follow), or a folder
        source: String,
    },
    /// The marketplaces that are known
    #[command(after_long_help = "Example:\n  bowline plugin marketplace list --json")]
    List {
        /// Print JSON, for scripts
        #[arg(long)]
        json: bool,
    },
    /// Forget a marketplace, when none of its plugins is installed
    #[command(after_long_help = "Example:\n  bowline plugin marketplace remove acme-tools")]
    Remove {
        /// Which one
        name: String,
    },
    /// Fetch a marketplace again
    #[command(after_long_help = "Example:\n  bowline plugin marketplace update acme-tools")]
    Update {
        /// Which one; all without it
        name: Option<String>,
    },
}
