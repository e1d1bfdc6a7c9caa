//! Inside a session: prompts, the queue, stopping, settings, the context.

use crate::event::Usage;
use crate::macros::{open_enum, wire};
use crate::prompt::Block;

wire! {
    /// A prompt.
    pub struct SessionPromptParams {
        /// The session.
        session_id: String,
        /// The prompt.
        content: Vec<Block>,
        /// What to do while a turn runs; `auto` without it.
        delivery?: Delivery,
        /// An id of the client's own: sending the same one again does nothing and gives the first
        /// answer again.
        client_message_id?: String,
    }

    /// A prompt was accepted.
    pub struct SessionPromptResult {
        /// The id of the message it became.
        message_id: String,
        /// The turn it started or joined.
        turn_id?: String,
        /// What became of it.
        disposition: Disposition,
    }

    /// A command of the user's own.
    pub struct SessionShellParams {
        /// The session.
        session_id: String,
        /// The command, as it is written in a shell.
        command: String,
    }

    /// The command is on its way.
    pub struct SessionShellResult {
        /// The call that shows it; `agent/session/cancel` stops it.
        tool_call_id: String,
    }

    /// What to stop: the running turn without any of the optional fields.
    pub struct SessionCancelParams {
        /// The session.
        session_id: String,
        /// Only if this turn still runs.
        turn_id?: String,
        /// Only this call; the turn goes on.
        tool_call_id?: String,
        /// This background task.
        task_id?: String,
    }

    /// The state after stopping.
    pub struct SessionCancelResult {
        /// Where the session stands.
        state: CancelState,
    }

    /// What to do with the prompts that wait.
    pub struct SessionQueueParams {
        /// The session.
        session_id: String,
        /// What to do.
        op: QueueOp,
        /// The prompt; needed by every operation but `list` and `start`.
        message_id?: String,
        /// With `replace`: the new content.
        content?: Vec<Block>,
        /// With `move`: the new place, from zero.
        to?: u32,
    }

    /// The prompts that wait, the next one first.
    #[derive(Default)]
    pub struct SessionQueueResult {
        /// The prompts.
        queue: Vec<QueuedPrompt>,
    }

    /// A prompt that waits.
    pub struct QueuedPrompt {
        /// The id of the message it will become.
        message_id: String,
        /// The prompt.
        content: Vec<Block>,
    }

    /// Settings to change; nothing is changed without `set`.
    pub struct SessionConfigParams {
        /// The session.
        session_id: String,
        /// The changes.
        set?: ConfigChange,
    }

    /// The settings after the change.
    pub struct SessionConfigResult {
        /// All of them.
        config: Config,
    }

    /// The settings of a session.
    pub struct Config {
        /// The permission mode.
        mode: Mode,
        /// The model's id.
        model: String,
        /// How hard the model works; absent for the model's own way.
        effort?: Effort,
        /// Whether the model thinks, where somebody chose; absent for the model's own way.
        thinking?: Thinking,
        /// With `budget`: how many tokens it may think.
        max_thinking_tokens?: u32,
        /// The output style; absent for the default one.
        output_style?: String,
    }

    /// Settings to change; a setting that is absent stays.
    #[derive(Default)]
    pub struct ConfigChange {
        /// The permission mode.
        mode?: Mode,
        /// The model's id.
        model?: String,
        /// How hard the model works.
        effort?: Effort,
        /// Whether the model thinks.
        thinking?: Thinking,
        /// Tokens that a model with a budget may think; 0 for none. Stronger than `thinking`.
        max_thinking_tokens?: u32,
        /// The output style.
        output_style?: String,
    }

    /// How to sum up.
    pub struct SessionCompactParams {
        /// The session.
        session_id: String,
        /// What the summary must keep.
        instructions?: String,
    }

    /// What fills the context.
    pub struct SessionContextResult {
        /// Tokens that fit.
        window: u64,
        /// Tokens in use.
        used: u64,
        /// What uses them.
        breakdown: Vec<ContextShare>,
        /// True when the provider counted `used`; an estimate without it.
        counted?: bool,
    }

    /// What a session has cost.
    #[derive(Default)]
    pub struct SessionCostResult {
        /// In US dollars, with everything that was asked beside the conversation.
        cost_usd: f64,
        /// The tokens of all models.
        usage: Usage,
        /// The same model by model.
        models: Vec<ModelUsage>,
        /// Why the provider's prompt cache was lost lately, a sentence each, the oldest first.
        cache_losses?: Vec<String>,
    }

    /// What one model has cost.
    pub struct ModelUsage {
        /// Its id.
        model: String,
        /// The tokens.
        usage: Usage,
        /// Searches of the web that the provider ran.
        web_searches?: u64,
        /// In US dollars; 0 for a model without a known price.
        cost_usd: f64,
        /// Tokens that fit.
        window: u64,
        /// Tokens that an answer may have.
        max_output: u64,
    }

    /// A part of the context.
    pub struct ContextShare {
        /// What it is.
        kind: ContextKind,
        /// How many tokens it takes.
        tokens: u64,
    }
}

open_enum! {
    /// What to do with a prompt while a turn runs.
    pub enum Delivery (default Auto) {
        /// The server chooses: start when idle, else queue.
        Auto = "auto",
        /// Wait for the turn to end.
        Queue = "queue",
        /// Tell the model at its next step.
        Steer = "steer",
    }
}

open_enum! {
    /// What became of a prompt.
    pub enum Disposition {
        /// It started a turn.
        Started = "started",
        /// It waits.
        Queued = "queued",
        /// The running turn will read it.
        Steered = "steered",
        /// It was a command that needed no model.
        Handled = "handled",
    }
}

open_enum! {
    /// Where a session stands after a cancel.
    pub enum CancelState {
        /// Something ran and has stopped.
        Cancelled = "cancelled",
        /// Nothing ran.
        Idle = "idle",
        /// What was named has stopped; the turn goes on.
        Running = "running",
    }
}

open_enum! {
    /// What to do with the prompts that wait.
    pub enum QueueOp {
        /// List them.
        List = "list",
        /// Drop one.
        Remove = "remove",
        /// Change one.
        Replace = "replace",
        /// Put one elsewhere.
        Move = "move",
        /// Begin with the first, where a stop left them waiting; names none.
        Start = "start",
    }
}

open_enum! {
    /// What the agent may do without asking.
    pub enum Mode (default Default) {
        /// Read; ask for the rest.
        Default = "default",
        /// Also change files in the session's folders.
        AcceptEdits = "acceptEdits",
        /// Only read, and write a plan.
        Plan = "plan",
        /// Also change files; a model judges what would be asked.
        Auto = "auto",
        /// Everything.
        BypassPermissions = "bypassPermissions",
        /// What rules allow; the rest is denied without asking.
        DontAsk = "dontAsk",
    }
}

open_enum! {
    /// How hard a model works.
    pub enum Effort {
        /// Little.
        Low = "low",
        /// Some.
        Medium = "medium",
        /// Much.
        High = "high",
        /// More.
        XHigh = "xhigh",
        /// As much as it can.
        Max = "max",
    }
}

open_enum! {
    /// Whether a model thinks before it answers.
    pub enum Thinking {
        /// When it finds it useful.
        Adaptive = "adaptive",
        /// Never.
        Disabled = "disabled",
        /// With so many tokens as `maxThinkingTokens` says.
        Budget = "budget",
    }
}

open_enum! {
    /// A part of the context.
    pub enum ContextKind {
        /// The system prompt.
        System = "system",
        /// Descriptions of tools.
        Tools = "tools",
        /// Descriptions of tools of MCP servers.
        McpTools = "mcpTools",
        /// Memory files.
        Memory = "memory",
        /// Descriptions of agents and skills.
        Agents = "agents",
        /// The conversation.
        Messages = "messages",
        /// Kept free for the answer.
        Reserved = "reserved",
        /// Not used.
        Free = "free",
    }
}
