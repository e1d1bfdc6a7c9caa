//! What both sides announce in `initialize`, under `capabilities.experimental.agent`.
//!
//! A client that cannot set `experimental` puts the same object into `initializationOptions.agent`.

use std::collections::BTreeMap;

use crate::macros::wire;
use crate::session::Effort;

wire! {
    /// What a client can do. Each flag says: you may send me that family of requests.
    #[derive(Default)]
    pub struct ClientCapabilities {
        /// The version of the contract the client speaks.
        version: u32,
        /// `agent/permission/request`.
        permission?: bool,
        /// `agent/ask`.
        ask?: bool,
        /// `agent/diff/show`.
        diff?: bool,
        /// `agent/editor/…`, one flag for each request or notification.
        editor?: EditorCapabilities,
        /// `agent/terminal/run`.
        terminal?: bool,
        /// The client offers what the event `suggestion` says; without it nothing is guessed.
        suggestion?: bool,
        /// The client shows what the event `tools.summarized` says; it costs a question for every
        /// few calls.
        tool_summaries?: bool,
        /// The client shows what the event `status.line` says; without it no command is run for it.
        status_line?: bool,
    }

    /// Which part of the `agent/editor/…` family a client has.
    #[derive(Default)]
    pub struct EditorCapabilities {
        /// `agent/editor/apply`.
        apply?: bool,
        /// `agent/editor/save`.
        save?: bool,
        /// `agent/editor/reveal`.
        reveal?: bool,
        /// The client sends `agent/editor/diagnostics`.
        diagnostics?: bool,
        /// The client sends `agent/editor/focus`.
        focus?: bool,
        /// `agent/editor/text`.
        text?: bool,
        /// `agent/editor/languageServer`.
        language_server?: bool,
    }

    /// What a server can do.
    pub struct ServerCapabilities {
        /// The version of the contract the server speaks.
        version: u32,
        /// Optional parts of the server by name, for example `rewind`; a missing name is false.
        features: BTreeMap<String, bool>,
        /// The folder, as a path, where the server keeps sessions and settings.
        state_dir: String,
        /// The models a session can be started with, the default one first.
        models: Vec<ModelInfo>,
    }

    /// A model that a session can use.
    pub struct ModelInfo {
        /// The id to use in `config.model`.
        id: String,
        /// The name for people.
        name: String,
        /// Who serves it: `anthropic`, `bedrock`, `vertex`, `openai`, `rehearsal` …
        provider: String,
        /// One sentence for a picker.
        description?: String,
        /// How many tokens fit into its context.
        context_window?: u64,
        /// The efforts it accepts; absent when it has none.
        efforts?: Vec<Effort>,
        /// True when thinking can be switched on or off.
        thinking?: bool,
        /// True for the model that a session gets when none is named.
        is_default?: bool,
    }
}

impl ClientCapabilities {
    /// A client that announces every family.
    pub fn all() -> Self {
        Self {
            version: crate::VERSION,
            permission: Some(true),
            ask: Some(true),
            diff: Some(true),
            editor: Some(EditorCapabilities {
                apply: Some(true),
                save: Some(true),
                reveal: Some(true),
                diagnostics: Some(true),
                focus: Some(true),
                text: Some(true),
                language_server: Some(true),
            }),
            terminal: Some(true),
            suggestion: Some(true),
            tool_summaries: Some(true),
            status_line: Some(true),
        }
    }
}
