//! A session: one task that owns one conversation, its journal and its running turn.
//!
//! It feeds the turn machine of `agent` and carries out what the machine asks for. Nothing else
//! writes to its state; others send it a [`Msg`].

mod agents;
mod announce;
mod ask;
mod asking;
mod attachments;
mod auto;
mod auto_memory;
mod blocks;
mod briefing;
mod bypass;
mod calls;
mod checkout;
mod checkpoint;
mod choice;
mod commands;
mod compact;
mod config;
mod cost;
mod direct;
mod driven;
mod driver;
mod effects;
mod event_log;
mod events;
mod gate;
mod git_state;
mod helpers;
mod hooks;
mod hunks;
mod inbox;
mod inline;
mod languages;
mod memory;
mod memory_list;
mod notes;
mod options;
mod output;
mod plan;
mod prompt_cache;
mod prompt_media;
mod queue;
mod quick;
mod reload;
mod resume;
mod rewind;
mod rules;
mod schema;
mod search;
mod servers;
mod setup;
mod shell;
mod shelter;
mod show;
mod skills;
mod snapshot;
mod status_line;
mod tasks;
mod terminal;
mod toolbox;
mod traced;
mod trust;
mod turns;
mod verbatim;
mod window_use;
mod world;

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use agent::Conversation;
use extend::PermissionLimits;
use protocol::permission::RecentDenial;
use protocol::session::SessionStatus;
use tokio::sync::{mpsc, watch};
use tools::{Guards, Registry, SessionState};

use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Event};
use crate::store::Journal;

use agents::SessionAgents;
pub use agents::{AgentNews, AgentRequest, Kin, Launch, Told};
use ask::PendingAsk;
pub use asking::AskNews;
use asking::Standing;
use attachments::Attachments;
use auto::Auto;
pub use auto::{Court, Judged};
use briefing::Briefing;
pub use briefing::PromptWish;
use calls::Running;
pub use compact::Outcome as Compacted;
use compact::{Compacting, Compaction};
use config::SessionConfig;
pub use direct::{Direct, DirectTool};
pub use driven::Driven;
use event_log::EventLog;
use git_state::GitState;
pub use helpers::HelperNews;
use helpers::Helpers;
use hooks::{Display, HookSources, Hooks, PromptChecks, Watched};
pub use hooks::{HookHost, HookNews, HookRow, HookTools, HostedCall, HostedHooks, HostedMatcher};
pub use inbox::{Attach, CallNews, Facts, Msg, SessionHandle};
use inline::Inlines;
pub use inline::{INLINE_EDIT, InlineJob, InlineNews, InlineStart};
use languages::Languages;
pub use options::Wish;
use plan::Planning;
use prompt_cache::PromptCache;
use queue::Prompts;
pub use quick::{Quick, Spent};
pub use rewind::Rewound;
pub use schema::AnswerSchema;
use servers::Servers;
pub use servers::{Filling, ServerNews};
pub use setup::{Limits, Origin, SetupTrigger, Start, agents_of, spawn};
use shell::Shells;
use shelter::Shelter;
use skills::SkillBook;
pub use skills::{Expansion, Held, Lent, PromptOffer, Ready};
pub use status_line::HelperCommandNews;
use status_line::HelperCommands;
pub use tasks::TaskNews;
use tasks::TasksOwner;
use trust::TrustQuestion;
pub use verbatim::{CallTold, Equipment, Said, Speaker, Verbatim};

pub struct Session {
    id: String,
    title: agent::Title,
    /// What the journal says is checked out.
    branch: Option<String>,
    host: Arc<HostContext>,
    core: CoreHandle,
    inbox: mpsc::Receiver<Msg>,
    /// For the calls, which report back the same way everybody else speaks to the session.
    own: mpsc::Sender<Msg>,
    config: SessionConfig,
    /// What the model knows before the first word.
    briefing: Briefing,
    git: GitState,
    /// What it was told along the way.
    attachments: Attachments,
    registry: Arc<Registry>,
    /// Those who look at every call besides the rules: hooks.
    guards: Guards,
    hooks: Hooks,
    hook_sources: HookSources,
    /// Prompts that hooks have yet to speak about.
    prompt_checks: PromptChecks,
    watched: Watched,
    display: Display,
    helper_commands: HelperCommands,
    /// Why it begins: `startup`, `resume`, `clear`, `compact`.
    start_source: &'static str,
    /// Why it ends, as hooks are told.
    end_reason: &'static str,
    /// Where commands ran last.
    shell_folder: PathBuf,
    auto: Auto,
    planning: Planning,
    skills: SkillBook,
    state: Arc<SessionState>,
    languages: Arc<Languages>,
    /// The MCP servers it uses.
    servers: Servers,
    /// Who works for it, and for whom it works.
    agents: SessionAgents,
    /// What goes on in the background.
    tasks: TasksOwner,
    /// What keeps the session's processes in.
    shelter: Arc<Shelter>,
    /// Commands of the user's own that run.
    shells: Shells,
    /// The folder's own settings count.
    trusted: bool,
    /// What the settings forbid altogether.
    forbidden: PermissionLimits,
    /// What is to be asked about the folder, when somebody can be asked.
    trust_question: Option<TrustQuestion>,
    /// Says when a settings file has changed.
    watch: extend::Watch,
    /// Problems of settings that the user was told of.
    told: Vec<String>,
    /// The folders the client named, besides the working directory.
    given_roots: Vec<PathBuf>,
    rule_files: rules::RuleFiles,
    bypass: bypass::Bypass,
    limits: Limits,
    conversation: Conversation,
    journal: Journal,
    doors: Vec<Arc<Door>>,
    seq: u64,
    log: EventLog,
    running: Option<Running>,
    /// The conversation is being summed up.
    compacting: Option<Compacting>,
    compaction: Compaction,
    /// What the provider remembers of the last request.
    prompt_cache: PromptCache,
    inlines: Inlines,
    helpers: Helpers,
    prompts: Prompts,
    /// Questions that stand, by request id.
    asks: BTreeMap<String, PendingAsk>,
    /// The same for questions of the model and of servers.
    questions: BTreeMap<String, Standing>,
    /// What was not allowed lately, the oldest first.
    denials: VecDeque<RecentDenial>,
    status: SessionStatus,
    facts: watch::Sender<Facts>,
    /// For the first client that joins.
    notices: Vec<(protocol::event::Severity, String)>,
    /// Counts ids that only need to be unique within the session.
    counter: u64,
}

impl Session {
    /// Lives until it is closed or the server ends.
    async fn run(mut self) {
        let close = loop {
            match self.next().await {
                driver::Wake::Msg(Msg::Close { reply }) => break Some(reply),
                driver::Wake::Msg(msg) => self.on_message(msg).await,
                driver::Wake::Stream(events) => self.on_stream(events).await,
                driver::Wake::StreamEnded => self.on_stream_ended().await,
                driver::Wake::Waited => self.on_waited().await,
                driver::Wake::Call(id, report) => self.on_call_ended(id, *report).await,
                driver::Wake::Stalled(door) => self.drop_door(door),
                driver::Wake::Over => break None,
            }
        };
        self.stop().await;
        let (core, id) = (self.core.clone(), self.id.clone());
        // The journal's lock goes with it: who is told of the end may open the session again.
        drop(self);
        core.send(Event::SessionEnded { id }).await;
        if let Some(Some(reply)) = close {
            reply.ok(&protocol::Empty {});
        }
    }

    async fn on_message(&mut self, msg: Msg) {
        match msg {
            Msg::Attach(attach) => self.on_attach(attach),
            Msg::Detach { door, reply } => {
                self.drop_door(door);
                if let Some(reply) = reply {
                    reply.ok(&protocol::Empty {});
                }
            }
            Msg::Prompt { params, reply } => self.on_prompt(params, reply).await,
            Msg::Cancel { params, reply } => self.on_cancel(&params, reply).await,
            Msg::Shell { command, reply } => self.on_shell(command, reply),
            Msg::ShellEnded { id, report } => self.on_shell_ended(&id, *report).await,
            Msg::Queue { params, reply } => self.on_queue(params, reply).await,
            Msg::Config { set, reply } => self.on_config(set, reply).await,
            Msg::Rename { title, reply } => self.on_rename(title, reply).await,
            Msg::Context { reply } => self.on_context(reply),
            Msg::Cost { reply } => self.on_cost(reply),
            Msg::Compact { instructions, reply } => self.on_compact(instructions, reply),
            Msg::Compacted { number, outcome } => self.on_compacted(number, *outcome).await,
            Msg::Respond { params, reply } => self.on_respond(params, reply),
            Msg::AskRespond { params, reply } => self.on_ask_respond(params, reply),
            Msg::Asking(news) => self.on_asking(news),
            Msg::Rules { params, reply } => self.on_rules(params, reply).await,
            Msg::Kept { written } => self.on_kept(written),
            Msg::Trusted { problem } => self.on_trusted(problem).await,
            Msg::Asked { request_id, door, answer } => self.on_asked(&request_id, door, answer),
            Msg::Call { id, news } => self.on_call_news(id, news).await,
            Msg::Hunks(news) => self.on_hunks(news),
            Msg::Note(text) => self.on_note(text).await,
            Msg::Remember { params, reply } => self.on_remember(&params, reply),
            Msg::MemoryList { params, reply } => self.on_memory_list(params, reply),
            Msg::Rewind { params, receiver, reply } => {
                self.on_rewind(params, receiver, reply).await;
            }
            Msg::Rewound(rewound) => self.on_rewound(*rewound).await,
            Msg::Unrewind { token, reason, reply } => self.on_unrewind(token, reason, reply).await,
            Msg::Task(news) => self.on_task(news).await,
            Msg::Agent(news) => self.on_agent(*news).await,
            Msg::Told(told) => self.on_told(*told).await,
            Msg::Preload { reply } => self.on_preload(reply).await,
            Msg::ModeChanged => self.follow_mode(),
            Msg::Granted(rules) => self.on_granted(rules),
            Msg::Server(news) => self.on_server(news).await,
            Msg::Mcp { params, reply } => self.on_mcp(params, reply).await,
            Msg::Tasks { params, reply } => self.on_tasks(params, reply),
            Msg::Inline(start) => self.on_inline(*start),
            Msg::Driven(driven) => self.on_driven(*driven).await,
            Msg::Direct(direct) => self.on_direct(*direct),
            Msg::DirectTools(reply) => drop(reply.send(self.direct_tools())),
            Msg::InlineNews { id, news } => self.on_inline_news(id, news).await,
            Msg::Helper(news) => self.on_helper(*news),
            Msg::Hook(news) => self.on_hook(*news).await,
            Msg::HelperCommand(news) => self.on_helper_command(news),
            Msg::HostedHooks(hosted) => self.on_hosted_hooks(hosted),
            Msg::CommandDone { message_id, command, text } => {
                self.on_command_done(message_id, command, &text);
            }
            Msg::Expanded { ready, held } => self.on_expanded(ready, *held).await,
            // The run loop takes this one itself.
            Msg::Close { reply } => drop(reply),
        }
    }

    fn set_status(&mut self, status: SessionStatus) {
        if self.status == status {
            return;
        }
        self.status = status.clone();
        let update = protocol::event::SessionUpdated { title: None, status: Some(status.clone()) };
        self.emit(update);
        self.facts.send_modify(|facts| facts.status = status);
    }

    fn next_id(&mut self, kind: &str) -> String {
        self.counter += 1;
        format!("{kind}_{}_{}", self.short_id(), self.counter)
    }

    /// The random end of the session's id: enough to tell ids of two sessions apart.
    fn short_id(&self) -> &str {
        self.id.get(self.id.len().saturating_sub(8)..).unwrap_or(&self.id)
    }

    /// Ends whatever runs, so that the journal is complete.
    async fn stop(&mut self) {
        // What waits is in the journal, and must not begin now.
        self.prompts.queue.clear();
        self.stop_checking();
        self.inlines.stop_all("Stopped, because the session was closed.");
        if self.running.is_some() || !self.inlines.is_empty() {
            self.cancel_turn().await;
            let ended = async {
                while self.running.is_some() || !self.inlines.is_empty() {
                    match self.next().await {
                        driver::Wake::Call(id, report) => self.on_call_ended(id, *report).await,
                        driver::Wake::Msg(Msg::Call { id, news }) => {
                            self.on_call_news(id, news).await;
                        }
                        driver::Wake::Msg(Msg::InlineNews { id, news }) => {
                            self.on_inline_news(id, news).await;
                        }
                        driver::Wake::Over => break,
                        _ => {}
                    }
                }
            };
            // Calls stop within three seconds (see the pipeline); the journal holds what is left.
            if tokio::time::timeout(std::time::Duration::from_secs(5), ended).await.is_err() {
                tracing::warn!(session = self.id, "a call did not stop in time");
            }
        }
        if self.agents.member.is_none() {
            self.hooks.end(self.end_reason).await;
        }
        self.hooks.stop();
        self.tasks.close().await;
        self.servers.hub.close().await;
        if let Err(error) = self.journal.sync().await {
            tracing::error!(%error, "the journal could not be synced");
        }
    }
}
