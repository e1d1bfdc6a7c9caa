//! How a session comes to be: new or from its journal, with the settings that hold for its folder.

mod assemble;
mod prepare;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use policy::{Entry, Mode};
use protocol::event::Severity;
use serde_json::Value;
use tokio::sync::{mpsc, watch};

use super::inbox::INBOX;
use super::{
    AnswerSchema, Attach, Facts, HostedHooks, Kin, Msg, PromptWish, Session, SessionHandle, Wish,
};
use crate::context::HostContext;
use crate::core::{CoreHandle, Event, RpcError};
use crate::telemetry::spans;

pub use prepare::agents_of;
use prepare::prepare;
pub(super) use prepare::{Found, find, load_agents, read_agents, roots, rules, working_directory};

/// What a session is started with.
pub struct Start {
    pub id: String,
    pub origin: Origin,
    pub limits: Limits,
    /// The first client, and the request that wants its answer.
    pub attach: Attach,
    /// For an agent: what it has from the session that starts it.
    pub kin: Option<Kin>,
}

pub enum Origin {
    New {
        cwd: PathBuf,
        roots: Vec<PathBuf>,
        model: Option<String>,
        mode: Option<Mode>,
        title: Option<String>,
        ephemeral: bool,
        /// The agent that leads it.
        agent: Option<String>,
        /// MCP servers for this session: name → configuration.
        mcp_servers: BTreeMap<String, Value>,
    },
    /// An agent of another session.
    Agent {
        cwd: PathBuf,
        /// `None` where nothing is stored.
        journal: Option<PathBuf>,
    },
    Stored {
        path: PathBuf,
        /// Where it goes on when its own folder is gone.
        instead: Option<PathBuf>,
    },
}

/// What a caller may fix beforehand; the headless door does.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    pub max_turns: Option<u32>,
    /// US dollars that a session may cost.
    pub max_budget_usd: Option<f64>,
    /// Tokens that the model may write in a turn.
    pub task_budget: Option<u64>,
    /// Models that stand in when the first is overloaded; stronger than the setting.
    pub fallback_models: Vec<String>,
    /// What every final answer must look like.
    pub schema: Option<AnswerSchema>,
    /// From `--allowedTools` and `--disallowedTools`.
    pub rules: Vec<Entry>,
    /// From `--tools`: of our own tools only these.
    pub tools: Option<Vec<String>>,
    /// From `--system-prompt`, `--append-system-prompt` and the like.
    pub prompt: PromptWish,
    /// From `--betas`: what the provider is to switch on.
    pub betas: Vec<String>,
    pub model: Option<String>,
    /// From `--effort`, `--thinking` and `--max-thinking-tokens`.
    pub wish: Wish,
    pub mode: Option<Mode>,
    pub roots: Vec<PathBuf>,
    /// From `--agent`: who leads.
    pub agent: Option<String>,
    /// It is an agent itself, and is led by nobody but the one who started it.
    pub is_agent: bool,
    /// From `--agents`: more of them, as JSON.
    pub agents: Option<String>,
    /// From `--settings` and `--setting-sources`.
    pub given: extend::Given,
    /// The user vouches for the folder, for this run.
    pub trust_workspace: bool,
    /// The first request waits for the MCP servers that the command line names.
    pub waits_for_servers: bool,
    /// A problem in a settings file is an error, because nobody is there to read a warning.
    pub strict_settings: bool,
    /// Hooks of the program that started us.
    pub hooks: Option<HostedHooks>,
    /// How it wants plans to be made.
    pub plan_words: Option<String>,
    /// Names that its model may use for tools: the tool that is meant, by each.
    pub tool_aliases: BTreeMap<String, String>,
    /// The model is told of these skills only.
    pub skills: Option<Vec<String>>,
    /// It wants to see every record that is written down.
    pub mirrored: bool,
    /// From `--init` and `--maintenance`: the folder is to be set up first.
    pub setup: Option<SetupTrigger>,
}

/// Why a folder is set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetupTrigger {
    Init,
    Maintenance,
}

impl SetupTrigger {
    /// As hooks know it.
    pub fn name(self) -> &'static str {
        match self {
            SetupTrigger::Init => "init",
            SetupTrigger::Maintenance => "maintenance",
        }
    }
}

/// Starts the task. Reading settings and journals happens in it, never in the loop; until it is
/// done, messages wait in the inbox.
pub fn spawn(host: Arc<HostContext>, core: CoreHandle, start: Start) -> SessionHandle {
    let (own, inbox) = mpsc::channel(INBOX);
    let (facts, known) = watch::channel(first_facts(&start));
    let handle = SessionHandle::new(own.clone(), known);
    let (registry, name) = (core.clone(), start.id.clone());
    let task = tokio::spawn(async move {
        let Start { id, origin, limits, attach, kin } = start;
        let source = match origin {
            Origin::Stored { .. } => "resume",
            Origin::New { .. } | Origin::Agent { .. } => "startup",
        };
        let prepared = {
            let (host, id, limits) = (host.clone(), id.clone(), limits.clone());
            tokio::task::spawn_blocking(move || prepare(&host, &id, origin, &limits)).await
        };
        let prepared = prepared.unwrap_or_else(|error| Err(error.to_string()));
        match prepared {
            Ok(prepared) => {
                host.startup.mark("session");
                host.begun.notify_one();
                spans::session_began(&id);
                let mut session =
                    prepared.into_session(id, host, core, (own, inbox, facts), limits);
                let is_agent = kin.is_some();
                if let Some(kin) = kin {
                    session.join_family(kin);
                }
                session.on_attach(attach);
                if !is_agent {
                    session.begin_servers();
                    session.begin_hooks(source);
                    session.fire_all_instructions("session_start");
                }
                Box::pin(session.run()).await;
            }
            Err(problem) => {
                core.send(Event::SessionEnded { id }).await;
                let error = RpcError::failed(problem);
                attach.reply.err(error.clone());
                refuse_all(inbox, &error).await;
            }
        }
    });
    // A session that breaks down is our bug; it must not stay in the registry as well.
    tokio::spawn(async move {
        if let Err(error) = task.await {
            tracing::error!(%error, session = name, "a session broke down");
            registry.send(Event::SessionEnded { id: name }).await;
        }
    });
    handle
}

/// What is known before anything was read: enough to find the session by its client and folder.
fn first_facts(start: &Start) -> Facts {
    let folder = match &start.origin {
        Origin::New { cwd, .. } | Origin::Agent { cwd, .. } => cwd.clone(),
        Origin::Stored { .. } => PathBuf::new(),
    };
    Facts { folder, doors: vec![start.attach.door.id], ..Facts::default() }
}

/// A session that could not start answers what was sent to it meanwhile.
async fn refuse_all(mut inbox: mpsc::Receiver<Msg>, error: &RpcError) {
    inbox.close();
    while let Some(msg) = inbox.recv().await {
        msg.refuse(error.clone());
    }
}

impl Session {
    /// What the first client should know, once.
    pub(super) fn welcome(&mut self) {
        for (severity, text) in std::mem::take(&mut self.notices) {
            self.notice(severity, text);
        }
    }

    /// Said at the next occasion: when somebody listens, or joins.
    pub(super) fn notice_later(&mut self, severity: Severity, text: impl Into<String>) {
        self.notices.push((severity, text.into()));
    }
}
