//! Permission: asking for it, answering, and the rules that answer by themselves.

use serde_json::Value;

use crate::macros::{methods, open_enum, wire};
use crate::method::Empty;
use crate::tagged::tagged;
use crate::tool::{FileDiff, ToolCall};

methods! {
    /// Asks the user whether something may be done. Null or an error means: deny, this once.
    ToClient PermissionRequest = "agent/permission/request" (PermissionRequestParams) -> Option<PermissionAnswer>;
    /// Answers a permission request from a door that did not get it.
    ToServer PermissionRespond = "agent/permission/respond" (PermissionRespondParams) -> Empty;
    /// Lists, adds or removes permission rules.
    ToServer PermissionRules = "agent/permission/rules" (PermissionRulesParams) -> PermissionRulesResult;
    /// A request was answered by another door, or withdrawn: close its prompt.
    ToClient RequestResolved = "agent/request/resolved" (RequestResolvedParams);
}

wire! {
    /// One command of a command line, with its words as they will be.
    pub struct CommandPart {
        /// The program and its arguments.
        words: Vec<String>,
        /// Files it names to be read, as paths.
        reads: Vec<String>,
        /// Files it names to be written, as paths.
        writes: Vec<String>,
    }

    /// What the agent wants to do.
    pub struct PermissionRequestParams {
        /// The id that `agent/permission/respond` and `agent/request/resolved` name.
        request_id: String,
        /// The session that asks.
        session_id: String,
        /// The turn that asks; absent when no turn runs, as for `trust`.
        turn_id?: String,
        /// The call that waits; absent when none does, as for `trust`.
        tool_call?: ToolCall,
        /// The question in one line, for example `Run cargo test?`.
        title: String,
        /// Why it is asked and not simply done, in one sentence.
        reason: String,
        /// What it is about.
        subject: Subject,
        /// The answers to choose from, the safest "allow" first.
        options: Vec<PermissionOption>,
        /// True when the answer may carry `editedInput`.
        editable?: bool,
        /// The agent that asks, where it is not the one that leads the session.
        agent?: String,
    }

    /// One answer to choose.
    pub struct PermissionOption {
        /// What the answer names.
        id: String,
        /// What the user sees.
        label: String,
        /// Whether it allows.
        kind: OptionKind,
        /// How long it holds.
        scope: OptionScope,
        /// The rule that choosing it adds, for example `Bash(cargo test:*)`.
        rule?: String,
    }

    /// The user's answer.
    pub struct PermissionAnswer {
        /// The chosen option.
        option_id: String,
        /// The input to use instead of the model's.
        edited_input?: Value,
        /// What the agent shall do instead; it reads this with the denial.
        feedback?: String,
    }

    /// The user's answer, from a door that did not get the request.
    pub struct PermissionRespondParams {
        /// The request.
        request_id: String,
        /// The chosen option.
        option_id: String,
        /// The input to use instead of the model's.
        edited_input?: Value,
        /// What the agent shall do instead; it reads this with the denial.
        feedback?: String,
    }

    /// What to do with which rule.
    pub struct PermissionRulesParams {
        /// What to do.
        op: RuleOp,
        /// The rule, for example `Bash(cargo test:*)`; needed by `add` and `remove`.
        rule?: String,
        /// What the rule says; needed by `add` and `remove`.
        behavior?: RuleBehavior,
        /// Where the rule is kept; `session` without it. With `list`: only these.
        scope?: RuleScope,
        /// The session whose project is meant; needed unless `scope` is `user`.
        session_id?: String,
    }

    /// The rules after the operation.
    #[derive(Default)]
    pub struct PermissionRulesResult {
        /// All of them, in the order in which they are asked.
        rules: Vec<PermissionRule>,
        /// With `list`: what was refused lately in this session, the newest first.
        denials?: Vec<RecentDenial>,
    }

    /// Something that was not allowed.
    pub struct RecentDenial {
        /// When, in milliseconds since 1970.
        at: u64,
        /// The tool.
        tool: String,
        /// What it was to do, in one line.
        title: String,
        /// Why not.
        reason: String,
    }

    /// A permission rule.
    pub struct PermissionRule {
        /// The rule.
        rule: String,
        /// What it says.
        behavior: RuleBehavior,
        /// Where it is kept.
        scope: RuleScope,
        /// The file it comes from, as a path; absent for a rule that lives in memory.
        source?: String,
        /// Who set it, in words for people.
        set_by?: String,
    }

    /// A request that needs no answer any more.
    pub struct RequestResolvedParams {
        /// The `requestId` of `agent/permission/request` or `agent/ask`.
        request_id: String,
        /// Who settled it.
        by: ResolvedBy,
    }
}

tagged! {
    /// What a permission request is about.
    pub enum Subject by "kind" {
        /// Running a command.
        "command" => Command(CommandSubject) {
            /// The command line.
            command: String,
            /// The folder it runs in, as a path.
            cwd: String,
            /// What it consists of, as far as that is known before it runs.
            parts?: Vec<CommandPart>,
            /// How many more commands it consists of than `parts` names.
            more_parts?: u64,
            /// How it would be kept in, for example `bubblewrap, network off`; absent when nothing
            /// keeps it in.
            sandbox?: String,
        }
        /// Changing a file.
        "edit" => Edit(EditSubject) {
            /// The file.
            uri: String,
            /// The version of `oldText`; null when the file is not open in the editor.
            version: Option<i32>,
            /// The text before; null for a new file.
            old_text: Option<String>,
            /// The text after; null for a deleted file.
            new_text: Option<String>,
            /// Other files that the same call changes, as with a rename.
            others?: Vec<FileDiff>,
            /// Where the file really is, as a path, when links lead there.
            target?: String,
        }
        /// Reading a file outside the session's folders.
        "read" => Read(ReadSubject) {
            /// The file or folder.
            uri: String,
            /// Where it really is, as a path, when links lead there.
            target?: String,
        }
        /// Reading a page.
        "fetch" => Fetch(FetchSubject) {
            /// The page.
            url: String,
        }
        /// A command in the sandbox reaching out to a host.
        "host" => Host(HostSubject) {
            /// The host's name or address.
            host: String,
            /// The port.
            port: u16,
        }
        /// Calling a tool of an MCP server.
        "mcp" => Mcp(McpSubject) {
            /// The server.
            server: String,
            /// The tool.
            tool: String,
            /// The tool's input.
            input: Value,
        }
        /// Leaving plan mode to carry a plan out.
        "plan" => Plan(PlanSubject) {
            /// The plan in Markdown.
            text: String,
        }
        /// Choosing a mode that asks nothing any more. Asked once on a machine.
        "mode" => Mode(ModeSubject) {
            /// The mode.
            mode: String,
        }
        /// Trusting a folder.
        "trust" => Trust(TrustSubject) {
            /// The folder, as a path.
            cwd: String,
            /// What the folder would switch on, one line for each hook, server or setting.
            what: Vec<String>,
        }
    }
}

open_enum! {
    /// Whether an option allows.
    pub enum OptionKind {
        /// It does.
        Allow = "allow",
        /// It does not.
        Deny = "deny",
    }
}

open_enum! {
    /// How long an answer holds.
    pub enum OptionScope {
        /// For this call.
        Once = "once",
        /// For the rest of the turn.
        Turn = "turn",
        /// For the rest of the session.
        Session = "session",
        /// For this project.
        Project = "project",
        /// For all projects of the user.
        User = "user",
    }
}

open_enum! {
    /// What to do with rules.
    pub enum RuleOp {
        /// List them.
        List = "list",
        /// Add one.
        Add = "add",
        /// Remove one.
        Remove = "remove",
    }
}

open_enum! {
    /// What a rule says.
    pub enum RuleBehavior {
        /// Do it.
        Allow = "allow",
        /// Ask first.
        Ask = "ask",
        /// Do not do it.
        Deny = "deny",
    }
}

open_enum! {
    /// Where a rule is kept.
    pub enum RuleScope {
        /// In memory, until the turn ends.
        Turn = "turn",
        /// In memory, until the session ends.
        Session = "session",
        /// In the project's settings, for this user only.
        Local = "local",
        /// In the project's settings, shared.
        Project = "project",
        /// In the user's settings.
        User = "user",
        /// In settings of an administrator; cannot be changed.
        Managed = "managed",
    }
}

open_enum! {
    /// Who settled a request.
    pub enum ResolvedBy {
        /// Another client.
        Client = "client",
        /// A hook.
        Hook = "hook",
        /// A rule that was added meanwhile.
        Rule = "rule",
        /// Nobody, in time.
        Timeout = "timeout",
        /// The turn was stopped, or the session closed.
        Cancelled = "cancelled",
    }
}
