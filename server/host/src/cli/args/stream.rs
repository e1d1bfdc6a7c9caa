//! Flags of those who speak lines of JSON with us: the agent SDKs, and scripts like them.

use clap::{Args as ClapArgs, ValueEnum};

use super::Args;
use crate::doors::headless::OutputFormat;

#[derive(Debug, Clone, Default, ClapArgs)]
pub(in crate::cli) struct StreamFlags {
    /// How prompts come in: as text, or as lines of JSON (which needs --output-format stream-json)
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT")]
    pub(in crate::cli) input_format: InputFormat,

    /// Every message of a turn, not only the answer: what stream-json does anyway
    #[arg(long)]
    pub(in crate::cli) verbose: bool,

    /// With stream-json: every piece of an answer as it comes
    #[arg(long)]
    pub(in crate::cli) include_partial_messages: bool,

    /// With stream-json: how hooks fare
    #[arg(long)]
    pub(in crate::cli) include_hook_events: bool,

    /// With stream-json: your own messages again, once they are part of the conversation
    #[arg(long)]
    pub(in crate::cli) replay_user_messages: bool,

    /// With stream-json: what agents say and think, not only what they do
    #[arg(long)]
    pub(in crate::cli) forward_subagent_text: bool,

    /// With stream-json: thoughts with their words, or without
    #[arg(long, value_enum, value_name = "HOW")]
    pub(in crate::cli) thinking_display: Option<ThoughtsFlag>,

    /// Who is asked for permission: stdio (whoever speaks JSON with us), or a tool of an MCP server
    #[arg(long, value_name = "stdio|TOOL")]
    pub(in crate::cli) permission_prompt_tool: Option<String>,

    /// Whether anybody is asked for permission
    #[arg(long, value_enum, value_name = "WHO")]
    pub(in crate::cli) permission_prompts: Option<PromptsFlag>,

    /// The id of the new session, a UUID
    #[arg(long, value_name = "UUID", conflicts_with_all = ["resume", "continue_latest"])]
    pub(in crate::cli) session_id: Option<String>,

    /// With --resume-session-at: refuse unless what is left out is the turn of this message
    #[arg(long, value_name = "MESSAGE", requires = "resume_session_at")]
    pub(in crate::cli) resume_drops_turn: Option<String>,

    /// With stream-json: every record of the session as it is written down, for a store elsewhere
    #[arg(long)]
    pub(in crate::cli) session_mirror: bool,

    /// With stream-json: what the program that starts us forbids, as JSON. It can only forbid, and
    /// counts where the administrator says nothing
    #[arg(long, value_name = "JSON")]
    pub(in crate::cli) managed_settings: Option<String>,

    /// With stream-json: begin with what `initialize` brings; this is what happens anyway
    #[arg(long)]
    pub(in crate::cli) await_initialize: bool,

    /// Keep nothing of the session
    #[arg(long)]
    pub(in crate::cli) no_session_persistence: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum InputFormat {
    #[default]
    Text,
    StreamJson,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum PromptsFlag {
    Host,
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum ThoughtsFlag {
    Summarized,
    Omitted,
}

impl Args {
    /// A flag that would change nothing here: better said than ignored.
    pub(in crate::cli) fn meant_for_others(&self) -> Option<String> {
        let flags = &self.stream;
        let streams = [
            ("--include-partial-messages", flags.include_partial_messages),
            ("--include-hook-events", flags.include_hook_events),
            ("--replay-user-messages", flags.replay_user_messages),
            ("--forward-subagent-text", flags.forward_subagent_text),
            ("--thinking-display", flags.thinking_display.is_some()),
            ("--permission-prompt-tool", flags.permission_prompt_tool.is_some()),
            ("--permission-prompts", flags.permission_prompts.is_some()),
            ("--resume-drops-turn", flags.resume_drops_turn.is_some()),
            ("--session-mirror", flags.session_mirror),
            ("--managed-settings", flags.managed_settings.is_some()),
            ("--await-initialize", flags.await_initialize),
        ];
        let prints = [
            ("--output-format", self.output_format != OutputFormat::Text),
            ("--json-schema", self.json_schema.is_some()),
            ("--resume-session-at", self.resume_session_at.is_some()),
            ("--session-id", flags.session_id.is_some()),
            ("--no-session-persistence", flags.no_session_persistence),
        ];
        if self.speaks_json() {
            return None;
        }
        let said = |flags: &[(&str, bool)], needs: &str| {
            let (flag, _) = flags.iter().find(|(_, given)| *given)?;
            Some(format!("{flag} needs {needs}."))
        };
        let prints = said(&prints, "-p or --output-format stream-json").filter(|_| !self.print);
        said(&streams, "--output-format stream-json").or(prints)
    }

    /// Lines of JSON at either end mean that a program drives us.
    pub(in crate::cli) fn speaks_json(&self) -> bool {
        self.stream.input_format == InputFormat::StreamJson
            || self.output_format == OutputFormat::StreamJson
    }
}
