//! Every command and flag, with the help people read.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use crate::doors::headless::OutputFormat;

mod acp;
mod attach;
mod debug;
mod mcp;
mod model;
mod plugin;
mod sessions;
mod setup;
mod stream;

pub(super) use acp::AcpArgs;
pub(super) use attach::{AttachArgs, JoinFlags};
pub(super) use debug::DebugFlags;
pub(super) use mcp::{
    AddArgs, ConfigureCommand, ImportArgs, McpArgs, McpCommand, McpSandbox, McpScope, McpTransport,
    ServeArgs as McpServeArgs,
};
pub(super) use model::{EffortFlag, ThinkingFlag};
pub(super) use plugin::{MarketplaceCommand, PluginArgs, PluginCommand};
pub(super) use sessions::{ExportFormat, SessionsArgs, SessionsCommand};
pub(super) use setup::{AgentsArgs, CompletionsArgs, DoctorArgs, ManArgs};
pub(super) use stream::{InputFormat, PromptsFlag, StreamFlags, ThoughtsFlag};

/// A coding agent that lives behind your editor.
///
/// Without a command it opens a conversation in this terminal. It works with no key on the bundled
/// rehearsal model; set ANTHROPIC_API_KEY for a real one, or OPENAI_BASE_URL for a local server.
#[derive(Debug, Parser)]
#[command(
    name = "bowline",
    version,
    args_conflicts_with_subcommands = true,
    after_long_help = "Examples:\n  \
        bowline                                  talk in the terminal\n  \
        bowline -p 'explain src/main.rs'         one answer, for scripts\n  \
        git diff | bowline -p 'review this'      the prompt's material from a pipe\n  \
        bowline --continue                       go on where you left off\n  \
        bowline -w fix-login                     on a branch of its own, beside your work\n  \
        bowline serve                            for your editor (LSP over stdio)\n  \
        bowline --input-format stream-json       for the agent SDKs (lines of JSON)\n  \
        bowline config                           every setting and where it comes from\n\n\
        Exit codes: 0 done, 1 failed, 2 wrong usage, 130 interrupted, 143 terminated."
)]
pub(super) struct Args {
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// What to do first (with -p: what to do)
    pub(super) prompt: Option<String>,

    /// Answer once and exit, without a screen; what would be asked is denied
    #[arg(short, long)]
    pub(super) print: bool,

    /// What -p prints; stream-json is for programs, and needs no -p
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub(super) output_format: OutputFormat,

    /// A JSON schema that the answer of -p must follow; the result has it as `structured_output`
    #[arg(long, value_name = "JSON")]
    pub(super) json_schema: Option<String>,

    /// Continue the newest session of this folder
    #[arg(short, long = "continue", conflicts_with = "resume")]
    pub(super) continue_latest: bool,

    /// Continue a session by its id (the beginning will do); without an id, choose from a list
    #[arg(short, long, value_name = "ID", num_args = 0..=1, default_missing_value = "")]
    pub(super) resume: Option<String>,

    /// With --resume or --continue: go on in a copy and leave the session as it is
    #[arg(long)]
    pub(super) fork_session: bool,

    /// With -p and --resume or --continue: go on in a copy that ends with this message
    #[arg(long, value_name = "MESSAGE")]
    pub(super) resume_session_at: Option<String>,

    /// Work in a git worktree of this name, made if it is not there; one that is left unchanged goes
    /// again
    #[arg(short, long, value_name = "NAME", conflicts_with_all = ["resume", "continue_latest"])]
    pub(super) worktree: Option<String>,

    /// For a screen reader: everything in words and in lines, nothing drawn twice, answers by number
    #[arg(long)]
    pub(super) screen_reader: bool,

    #[command(flatten)]
    pub(super) session: SessionFlags,

    #[command(flatten)]
    pub(super) stream: StreamFlags,

    #[command(flatten)]
    pub(super) log: DebugFlags,
}

/// What holds for every session of the process.
#[derive(Debug, Clone, Default, ClapArgs)]
pub(super) struct SessionFlags {
    /// The model: an id, an alias (opus, sonnet, haiku), openai:NAME, or rehearsal
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,

    /// How hard the model works
    #[arg(long, value_enum, value_name = "LEVEL")]
    pub(super) effort: Option<EffortFlag>,

    /// Whether the model thinks before it answers, where that can be chosen
    #[arg(long, value_enum, value_name = "HOW")]
    pub(super) thinking: Option<ThinkingFlag>,

    /// Tokens that a model with a budget for thinking may think; 0 for none
    #[arg(long, value_name = "N", conflicts_with = "thinking")]
    pub(super) max_thinking_tokens: Option<u32>,

    /// What happens without asking: default, acceptEdits, plan, auto,
    /// bypassPermissions, dontAsk
    #[arg(long, value_name = "MODE")]
    pub(super) permission_mode: Option<String>,

    /// The same as --permission-mode bypassPermissions. Counts only where that was agreed to before,
    /// in a terminal or by "skipDangerousModePermissionPrompt" in the user settings
    #[arg(long, conflicts_with = "permission_mode")]
    pub(super) dangerously_skip_permissions: bool,

    /// bypassPermissions may be chosen later on, where it was agreed to before; changes nothing by itself
    #[arg(long)]
    pub(super) allow_dangerously_skip_permissions: bool,

    /// Rules for what needs no question, such as 'Bash(git *),Edit'; may be repeated
    #[arg(long = "allowedTools", visible_alias = "allowed-tools", value_name = "RULES")]
    pub(super) allowed_tools: Vec<String>,

    /// Rules for what is never done, such as 'Bash(rm *),WebFetch'; may be repeated
    #[arg(long = "disallowedTools", visible_alias = "disallowed-tools", value_name = "RULES")]
    pub(super) disallowed_tools: Vec<String>,

    /// Of the built-in tools only these, such as 'Read,Grep'; '' for none, default for all
    #[arg(long, value_name = "NAMES")]
    pub(super) tools: Option<String>,

    /// What the model is told in place of our own words; '' for nothing
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) system_prompt: Option<String>,

    /// The same from a file
    #[arg(long, value_name = "FILE", conflicts_with = "system_prompt")]
    pub(super) system_prompt_file: Option<PathBuf>,

    /// What the model is told besides
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(super) append_system_prompt: Option<String>,

    /// The same from a file
    #[arg(long, value_name = "FILE", conflicts_with = "append_system_prompt")]
    pub(super) append_system_prompt_file: Option<PathBuf>,

    /// Features of the provider to switch on
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(super) betas: Vec<String>,

    /// Stop a turn after this many answers of the model
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_turns: Option<u32>,

    /// Models that stand in, in this order, when the model is overloaded
    #[arg(long, value_name = "MODELS", value_delimiter = ',')]
    pub(super) fallback_model: Vec<String>,

    /// Stop before the next request once the session has cost this many US dollars
    #[arg(long, value_name = "USD", value_parser = dollars)]
    pub(super) max_budget_usd: Option<f64>,

    /// Tokens a turn may write; the model goes on until most of them are used
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) task_budget: Option<u64>,

    /// Another folder to work in besides this one; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) add_dir: Vec<PathBuf>,

    /// The agent that leads the session
    #[arg(long, value_name = "NAME")]
    pub(super) agent: Option<String>,

    /// More agents, as JSON: {"name": {"description": …, "prompt": …}}
    #[arg(long, value_name = "JSON")]
    pub(super) agents: Option<String>,

    /// MCP servers for this run: files as .mcp.json, or JSON in braces; may be repeated
    #[arg(long, value_name = "FILE-OR-JSON", num_args = 1..)]
    pub(super) mcp_config: Vec<String>,

    /// Only the MCP servers of --mcp-config, and the administrator's
    #[arg(long)]
    pub(super) strict_mcp_config: bool,

    /// More settings, stronger than every file but the administrator's: a file, or JSON in braces
    #[arg(long, value_name = "FILE|JSON")]
    pub(super) settings: Option<String>,

    /// Which settings files count: user, project, local; the administrator's always do
    #[arg(long, value_name = "LIST")]
    pub(super) setting_sources: Option<String>,

    /// A plugin's folder that counts for this run; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) plugin_dir: Vec<PathBuf>,

    /// The same without the plugin's MCP servers; may be repeated
    #[arg(long, value_name = "DIR")]
    pub(super) plugin_dir_no_mcp: Vec<PathBuf>,

    /// Run the hooks of the event `Setup` first, to set up the folder
    #[arg(long)]
    pub(super) init: bool,

    /// The same, for work that is due from time to time
    #[arg(long)]
    pub(super) maintenance: bool,

    /// Trust this folder for this run: its settings, hooks and servers count
    #[arg(long)]
    pub(super) trust_workspace: bool,
}

fn dollars(text: &str) -> Result<f64, String> {
    let amount = text.trim_start_matches('$').parse::<f64>().ok();
    let amount = amount.filter(|amount| amount.is_finite() && *amount > 0.0);
    amount.ok_or_else(|| "write an amount above zero, such as 2.50".to_owned())
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve an editor: LSP with the agent/* methods over stdin and stdout
    Serve(ServeArgs),
    /// Serve a client of the Agent Client Protocol (Zed, JetBrains, acpx …) over stdin and stdout
    Acp(AcpArgs),
    /// Join a session that runs elsewhere, in an editor or another terminal
    Attach(AttachArgs),
    /// Show the settings and where each comes from, or change one
    Config(ConfigArgs),
    /// List, show, export, import or delete sessions
    Sessions(SessionsArgs),
    /// Store or remove the key for a provider, or see where it comes from
    Auth(AuthArgs),
    /// Install, list and remove plugins, and the marketplaces they come from
    Plugin(PluginArgs),
    /// Configure MCP servers, and sign in to them
    Mcp(McpArgs),
    /// List the agents that work can be handed to here
    Agents(AgentsArgs),
    /// Look for what does not work here, and say what to do about it
    Doctor(DoctorArgs),
    /// Print the protocol as JSON Schema, TypeScript or Lua types
    Schema(SchemaArgs),
    /// Serve the rehearsal model, or a script, as a Messages API on loopback
    ModelServer(ModelServerArgs),
    /// Print a script that completes commands and flags in your shell
    Completions(CompletionsArgs),
    /// Print the manual page, or write one for each command
    Man(ManArgs),
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline serve                            what an editor's language client starts\n  \
        bowline serve --model opus               with flags that hold for every session\n  \
        bowline serve --attach                   for a second editor: the sessions of the first\n  \
        bowline serve --keep-running             a turn goes on when the editor is closed\n\n\
        Neovim:  vim.lsp.config('bowline', { cmd = { 'bowline', 'serve' } })\n\
        Helix:   [language-server.bowline]  command = 'bowline'  args = ['serve']\n\
        Emacs:   (add-to-list 'eglot-server-programs '(python-mode . (\"bowline\" \"serve\")))\n\n\
        Exit codes: 0 the editor ended it, 1 it went away, 2 wrong usage, 143 terminated.")]
pub(super) struct ServeArgs {
    /// Use stdin and stdout; this is what happens anyway
    #[arg(long)]
    pub(super) stdio: bool,

    /// Pass stdin and stdout on to a server that runs already, by the number of its process;
    /// without one, the only one there is
    #[arg(long, value_name = "PID", num_args = 0..=1, conflicts_with_all = ["keep_running", "no_join"])]
    #[expect(clippy::option_option, reason = "a flag that may have a value")]
    pub(super) attach: Option<Option<u32>>,

    #[command(flatten)]
    pub(super) join: JoinFlags,

    #[command(flatten)]
    pub(super) session: SessionFlags,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline config                                       every value, its file and line\n  \
        bowline config get permissions.defaultMode           one value\n  \
        bowline config set model opus                        for you, in every project\n  \
        bowline config set sandbox.enabled true --scope local\n  \
        bowline config set permissions.deny '[\"Bash(git push *)\"]' --scope project\n  \
        bowline config unset model\n\n\
        A value is JSON, or a text when it is not. Comments in the file stay.\n\n\
        Exit codes: 0 done, 1 not set, not possible, or a settings file has a problem, 2 wrong \
        usage.")]
pub(super) struct ConfigArgs {
    #[command(subcommand)]
    pub(super) command: Option<ConfigCommand>,

    /// Which file is changed
    #[arg(long, value_enum, default_value = "user", global = true)]
    pub(super) scope: ConfigScope,

    /// Print JSON, for scripts
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
pub(super) enum ConfigCommand {
    /// Every value that counts, with its file and line (this is what happens without a command)
    #[command(after_long_help = "Example:\n  bowline config list --json")]
    List,
    /// One value, or all values below a key
    #[command(after_long_help = "Example:\n  bowline config get permissions.deny")]
    Get {
        /// Such as model or permissions.deny
        key: String,
    },
    /// Set a value
    #[command(
        after_long_help = "Example:\n  bowline config set permissions.defaultMode acceptEdits --scope local"
    )]
    Set {
        /// Such as model or permissions.defaultMode
        key: String,
        /// JSON, or a text
        #[arg(allow_hyphen_values = true)]
        value: String,
    },
    /// Take a value out
    #[command(after_long_help = "Example:\n  bowline config unset model")]
    Unset {
        /// Such as model or permissions.defaultMode
        key: String,
    },
}

/// The file a setting is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ConfigScope {
    /// For you, in every project
    User,
    /// For everybody who works on this project
    Project,
    /// For you, in this project
    Local,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline auth login                       asks for the key, and does not show it\n  \
        pass show anthropic | bowline auth login\n  \
        bowline auth login --provider openai\n  \
        bowline auth status                      where each key comes from\n\n\
        Exit codes: 0 done, 1 failed or no key, 2 wrong usage.")]
pub(super) struct AuthArgs {
    #[command(subcommand)]
    pub(super) command: AuthCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum AuthCommand {
    /// Store a key, read from standard input or a prompt that does not show it
    #[command(after_long_help = "Example:\n  pass show anthropic | bowline auth login")]
    Login {
        #[arg(long, value_enum, default_value = "anthropic", value_name = "PROVIDER")]
        provider: AuthProvider,
    },
    /// Remove the stored key
    #[command(after_long_help = "Example:\n  bowline auth logout --provider openai")]
    Logout {
        #[arg(long, value_enum, default_value = "anthropic", value_name = "PROVIDER")]
        provider: AuthProvider,
    },
    /// Say where each provider's key comes from, without showing it
    #[command(after_long_help = "Example:\n  bowline auth status --json")]
    Status {
        /// Print JSON, for scripts
        #[arg(long)]
        json: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum AuthProvider {
    Anthropic,
    Openai,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline schema > bowline.schema.json\n  \
        bowline schema --format typescript > bowline.d.ts\n\n\
        Exit codes: 0 done, 2 wrong usage.")]
pub(super) struct SchemaArgs {
    /// In which language
    #[arg(long, value_enum, default_value = "json", value_name = "FORMAT")]
    pub(super) format: SchemaFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SchemaFormat {
    Json,
    Typescript,
    Lua,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline model-server --port 8080\n  \
        ANTHROPIC_BASE_URL=http://127.0.0.1:8080 ANTHROPIC_API_KEY=any bowline -p 'list files'\n\n\
        Exit codes: 1 the port or the script cannot be used, 2 wrong usage, 130 interrupted.")]
pub(super) struct ModelServerArgs {
    /// The port on 127.0.0.1; 0 takes a free one and says which
    #[arg(long, default_value_t = 0, value_name = "PORT")]
    pub(super) port: u16,

    /// Answer from this scenario (see fixtures/model/README.md) instead of the rehearsal model
    #[arg(long, value_name = "FILE")]
    pub(super) scenario: Option<PathBuf>,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_table_is_sound() {
        Args::command().debug_assert();
    }

    #[test]
    fn both_spellings_and_repeats() {
        let args = Args::try_parse_from([
            "bowline",
            "-p",
            "hi",
            "--allowedTools",
            "Read",
            "--allowed-tools=Bash(ls *)",
            "--resume",
        ]);
        let args = args.unwrap();
        assert_eq!(args.session.allowed_tools, ["Read", "Bash(ls *)"]);
        assert_eq!(args.resume.as_deref(), Some(""));
        assert!(Args::try_parse_from(["bowline", "serve", "--stdio"]).is_ok());
        assert!(Args::try_parse_from(["bowline", "--max-turns", "0"]).is_err());
        assert!(Args::try_parse_from(["bowline", "--max-budget-usd", "0"]).is_err());
        let args = Args::try_parse_from(["bowline", "--fallback-model", "a,b"]).unwrap();
        assert_eq!(args.session.fallback_model, ["a", "b"]);
    }

    #[test]
    fn every_command_can_be_watched() {
        for (line, expect) in [
            (&["bowline", "--debug", "fix it"][..], "debug"),
            (&["bowline", "-p", "hi", "--debug=trace"], "trace"),
            (&["bowline", "serve", "--debug"], "debug"),
            (&["bowline", "sessions", "list", "--debug=host=info"], "host=info"),
            (&["bowline", "config", "--debug"], "debug"),
        ] {
            let args = Args::try_parse_from(line).unwrap();
            assert_eq!(args.log.debug.as_deref(), Some(expect), "{line:?}");
        }
        let args = Args::try_parse_from(["bowline", "serve", "--debug-file", "x"]).unwrap();
        assert_eq!(args.log.debug_file, Some("x".into()));
    }
}
