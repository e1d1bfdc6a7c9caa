//! `bowline mcp …`

mod import;

use clap::{Args as ClapArgs, Subcommand, ValueEnum};

use super::SessionFlags;
pub(in crate::cli) use import::ImportArgs;

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  \
        bowline mcp add --transport http docs https://docs.example.com/mcp\n  \
        bowline mcp add-json db '{\"command\": \"db-mcp\", \"env\": {\"URL\": \"${DB_URL}\"}}' --scope project\n  \
        bowline mcp list\n  \
        bowline mcp login docs\n  \
        bowline mcp import                       servers of Claude Desktop, Cursor, Codex …\n\n\
        Exit codes: 0 done, 1 not possible, 2 wrong usage.")]
pub(in crate::cli) struct McpArgs {
    #[command(subcommand)]
    pub(in crate::cli) command: McpCommand,
}

#[derive(Debug, Subcommand)]
pub(in crate::cli) enum McpCommand {
    /// Offer the tools to another agent, as an MCP server on stdin and stdout
    Serve(Box<ServeArgs>),
    #[command(flatten)]
    Configure(ConfigureCommand),
}

/// What is about servers of others.
#[derive(Debug, Subcommand)]
pub(in crate::cli) enum ConfigureCommand {
    /// Every configured server, where it comes from, and whether it counts
    #[command(after_long_help = "Examples:\n  \
        bowline mcp list                         each is connected to, and left again\n  \
        bowline mcp list --json                  for scripts")]
    List {
        /// Print JSON, for scripts
        #[arg(long)]
        json: bool,
    },
    /// One server's configuration
    #[command(after_long_help = "Example:\n  bowline mcp get docs")]
    Get {
        /// The server
        name: String,
        /// Print JSON, for scripts; values that may be keys are hidden there, too
        #[arg(long)]
        json: bool,
    },
    /// Add a server: a command with its arguments, or an address
    Add(AddArgs),
    /// Take over servers that other programs here are configured with
    Import(ImportArgs),
    /// Add a server as it stands in .mcp.json
    #[command(after_long_help = "Example:\n  \
        bowline mcp add-json docs '{\"type\": \"http\", \"url\": \"https://docs.example.com/mcp\"}'")]
    AddJson {
        /// The server
        name: String,
        /// Such as '{"type": "http", "url": "https://docs.example.com/mcp"}'
        json: String,
        /// Which file is changed
        #[arg(short, long, value_enum, default_value = "local")]
        scope: McpScope,
    },
    /// Take a server out, and forget its sign-in
    #[command(after_long_help = "Example:\n  bowline mcp remove docs --scope user")]
    Remove {
        /// The server
        name: String,
        /// Which file is changed; without it, the one that has the server
        #[arg(short, long, value_enum)]
        scope: Option<McpScope>,
    },
    /// Sign in to a server, in your browser
    #[command(after_long_help = "Example:\n  bowline mcp login docs")]
    Login {
        /// The server
        name: String,
    },
    /// Forget the sign-in to a server
    #[command(after_long_help = "Example:\n  bowline mcp logout docs")]
    Logout {
        /// The server
        name: String,
    },
    /// Forget which of this project's servers were switched on and off
    #[command(after_long_help = "Example:\n  bowline mcp reset-project-choices")]
    ResetProjectChoices,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        bowline mcp add files -- npx -y @modelcontextprotocol/server-filesystem .\n  \
        bowline mcp add -e TOKEN=${TOKEN} issues issues-mcp --scope user\n  \
        bowline mcp add --transport http docs https://docs.example.com/mcp\n\n\
        ${NAME} is put in when the server is started, so that no key has to stand in a file.")]
pub(in crate::cli) struct AddArgs {
    /// The server
    pub(in crate::cli) name: String,

    /// The command, or the address
    pub(in crate::cli) target: String,

    /// The command's arguments, after --
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(in crate::cli) arguments: Vec<String>,

    /// How the server is reached
    #[arg(short, long, value_enum, default_value = "stdio")]
    pub(in crate::cli) transport: McpTransport,

    /// Which file is changed
    #[arg(short, long, value_enum, default_value = "local")]
    pub(in crate::cli) scope: McpScope,

    /// A variable for the command, as NAME=VALUE; may be repeated
    #[arg(short, long, value_name = "NAME=VALUE")]
    pub(in crate::cli) env: Vec<String>,

    /// What keeps the command in
    #[arg(long, value_enum, default_value = "user")]
    pub(in crate::cli) sandbox: McpSandbox,

    /// A header for the address, as 'Name: value'; may be repeated
    #[arg(short = 'H', long, value_name = "HEADER")]
    pub(in crate::cli) header: Vec<String>,

    /// A client that was registered with the sign-in service by hand
    #[arg(long, value_name = "ID")]
    pub(in crate::cli) client_id: Option<String>,

    /// The port its redirect address names
    #[arg(long, value_name = "PORT")]
    pub(in crate::cli) callback_port: Option<u16>,
}

#[derive(Debug, ClapArgs)]
#[command(after_long_help = "Examples:\n  \
        claude mcp add bowline -- bowline mcp serve\n  \
        bowline mcp serve --permission-mode acceptEdits --allowedTools 'Bash(cargo *)'\n  \
        bowline mcp serve --http 7400             for clients that cannot start programs\n\n\
        The tools are Read, Write, Edit, Glob, Grep, Bash and a few more, in this folder, with the same\n\
        rules and the same sandbox as in a session. What would be asked is asked through the client\n\
        where it can ask its user (elicitation), and denied otherwise. Your skills and commands, and a\n\
        trusted project's, are its prompts.\n\n\
        Exit codes: 0 the client ended it, 1 it could not begin, 2 wrong usage, 143 terminated.")]
pub(in crate::cli) struct ServeArgs {
    /// Serve streamable HTTP at http://127.0.0.1:PORT/mcp in place of stdin and stdout; 0 takes a free
    /// port. The address and the token that clients must send are printed
    #[arg(long, value_name = "PORT")]
    pub(in crate::cli) http: Option<u16>,

    /// With --http: whoever reaches the port on this machine may use the tools
    #[arg(long, requires = "http")]
    pub(in crate::cli) no_token: bool,

    #[command(flatten)]
    pub(in crate::cli) session: SessionFlags,
}

/// The file a server is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum McpScope {
    /// For you, in this project
    Local,
    /// For everybody who works on this project (.mcp.json)
    Project,
    /// For you, in every project
    User,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum McpSandbox {
    /// As your own program: all but what other programs obey is open to it
    User,
    /// As a command: it writes in the workspace, and hosts are asked about
    Strict,
    /// Nothing
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum McpTransport {
    Stdio,
    Http,
    Sse,
    Ws,
}
