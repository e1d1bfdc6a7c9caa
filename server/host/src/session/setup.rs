//! How a session comes to be: new or from its journal, with the settings that hold for its folder.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::Conversation;
use extend::{Settings, Standing};
use policy::{Behavior, Entry, Mode, Rules};
use protocol::event::Severity;
use protocol::session::SessionStatus;
use serde::Deserialize;
use tokio::sync::{mpsc, watch};
use tools::{Permissions, Registry, SessionState, Todo};

use super::auto::Auto;
use super::briefing::Briefing;
use super::bypass::Bypass;
use super::compact::Compaction;
use super::config::SessionConfig;
use super::event_log::EventLog;
use super::inbox::INBOX;
use super::inline::Inlines;
use super::languages::Languages;
use super::plan::Planning;
use super::rules::RuleFiles;
use super::shelter::Shelter;
use super::tasks::{Folder, SessionTasks};
use super::trust::{self, TrustQuestion};
use super::{AnswerSchema, Attach, Facts, Msg, Session, SessionHandle, choice, reload, resume};
use crate::context::{Clock, HostContext};
use crate::core::{CoreHandle, Event, RpcError};
use crate::store::{self, Journal, Loaded};

/// What a session is started with.
pub struct Start {
    pub id: String,
    pub origin: Origin,
    pub limits: Limits,
    /// The first client, and the request that wants its answer.
    pub attach: Attach,
}

pub enum Origin {
    New {
        cwd: PathBuf,
        roots: Vec<PathBuf>,
        model: Option<String>,
        mode: Option<Mode>,
        title: Option<String>,
        ephemeral: bool,
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
    pub model: Option<String>,
    pub mode: Option<Mode>,
    pub roots: Vec<PathBuf>,
    /// From `--settings` and `--setting-sources`.
    pub given: extend::Given,
    /// The user vouches for the folder, for this run.
    pub trust_workspace: bool,
    /// A problem in a settings file is an error, because nobody is there to read a warning.
    pub strict_settings: bool,
}

/// Starts the task. Reading settings and journals happens in it, never in the loop; until it is
/// done, messages wait in the inbox.
pub fn spawn(host: Arc<HostContext>, core: CoreHandle, start: Start) -> SessionHandle {
    let (own, inbox) = mpsc::channel(INBOX);
    let (facts, known) = watch::channel(first_facts(&start));
    let handle = SessionHandle::new(own.clone(), known);
    let (registry, name) = (core.clone(), start.id.clone());
    let task = tokio::spawn(async move {
        let Start { id, origin, limits, attach } = start;
        let prepared = {
            let (host, id, limits) = (host.clone(), id.clone(), limits.clone());
            tokio::task::spawn_blocking(move || prepare(&host, &id, origin, &limits)).await
        };
        let prepared = prepared.unwrap_or_else(|error| Err(error.to_string()));
        match prepared {
            Ok(prepared) => {
                let mut session =
                    prepared.into_session(id, host, core, (own, inbox, facts), limits);
                session.on_attach(attach);
                session.run().await;
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
        Origin::New { cwd, .. } => cwd.clone(),
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

/// Everything that had to be read from disk.
struct Prepared {
    cwd: PathBuf,
    found: Found,
    given_roots: Vec<PathBuf>,
    permissions: Permissions,
    briefing: Briefing,
    bypass: Bypass,
    config: SessionConfig,
    registry: Registry,
    journal: Journal,
    conversation: Conversation,
    title: Option<String>,
    todos: Vec<Todo>,
    notices: Vec<(Severity, String)>,
}

/// What the session begins with: nothing, or what its journal says.
struct Opened {
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    model: Option<String>,
    mode: Option<Mode>,
    journal: Journal,
    loaded: Loaded,
    /// What to say when it goes on in another folder than its own.
    moved: Option<(Severity, String)>,
}

fn open(host: &HostContext, id: &str, origin: Origin) -> Result<Opened, String> {
    match origin {
        Origin::New { cwd, roots, model, mode, title, ephemeral } => {
            let cwd = working_directory(&cwd)?;
            let path = store::journal_path(&host.sessions_dir(), &cwd, id);
            let journal = Journal::new(Some(path).filter(|_| !ephemeral), host.clock);
            let loaded = Loaded { title, ..Loaded::default() };
            Ok(Opened { cwd, roots, model, mode, journal, loaded, moved: None })
        }
        Origin::Stored { path, instead } => {
            let (journal, loaded) = resume::open(host, path)?;
            let (cwd, moved) = resume::folder(&loaded.cwd, instead.as_deref())?;
            let mode = resume::mode(&loaded);
            let (roots, model) = (Vec::new(), loaded.model.clone());
            Ok(Opened { cwd, roots, model, mode, journal, loaded, moved })
        }
    }
}

fn prepare(
    host: &Arc<HostContext>,
    id: &str,
    origin: Origin,
    limits: &Limits,
) -> Result<Prepared, String> {
    let opened = open(host, id, origin)?;
    let Opened { cwd, mut roots, model, mode, journal, mut loaded, moved } = opened;
    let found = find(host, &cwd, limits);
    let settings = &found.settings;
    if let (true, Some(problem)) = (limits.strict_settings, settings.problems.first()) {
        return Err(problem.to_string());
    }
    roots.extend(limits.roots.iter().cloned());
    for root in &mut roots {
        *root = working_directory(root)?;
    }
    let mut bypass = Bypass::of(host, settings);
    let mut permissions = permissions(host, &cwd, settings, &roots, mode, limits)?;
    permissions.mode = bypass.admit(permissions.mode, limits.strict_settings)?;
    let removed = policy::removed_tools(&permissions.rules);
    let registry = Registry::builtin(&removed);
    let wanted = limits.model.clone().or(model).or_else(|| settings.model.clone());
    host.keys.use_helper(settings.api_key_helper.clone());
    let (provider, model) = choice::provider(host, wanted.as_deref(), &loaded)?;
    let (fast, fast_problem) = choice::fast_model(host, settings);
    let (fallbacks, fallback_problems) = choice::fallback_models(host, settings, limits);
    let mut config = SessionConfig {
        provider,
        model,
        fast,
        fallbacks,
        effort: None,
        thinking: None,
        saves: settings.save_before_commands.unwrap_or_default(),
        system: Arc::from(""),
        tools: registry.definitions().to_string().into(),
    };
    let trusted = found.standing.is_trusted();
    let briefing = Briefing::load(host, &cwd, trusted, &settings.prompting, &permissions);
    config.system = briefing.system(&config.model, permissions.mode);
    let mut notices = notices(settings, &loaded);
    let problems = briefing.problems().iter().cloned();
    notices.extend(problems.map(|problem| (Severity::Warning, problem)));
    if config.provider.name() == REHEARSAL {
        notices.push((Severity::Info, REHEARSAL_NOTICE.to_owned()));
    }
    let problems = fast_problem.into_iter().chain(fallback_problems);
    notices.extend(problems.map(|problem| (Severity::Warning, problem)));
    notices.extend(moved);
    notices.extend(resume::notice(&mut loaded.conversation));
    notices.extend(found.problem.clone().map(|problem| (Severity::Warning, problem)));
    notices.extend(sandbox_notice(host, settings));
    Ok(Prepared {
        cwd,
        given_roots: roots,
        permissions,
        briefing,
        bypass,
        config,
        registry,
        journal,
        conversation: std::mem::take(&mut loaded.conversation),
        title: loaded.title.take(),
        todos: todos(loaded.todos.as_ref()),
        notices,
        found,
    })
}

/// What the files say about a folder.
pub(super) struct Found {
    pub(super) settings: Settings,
    pub(super) standing: Standing,
    pub(super) question: Option<TrustQuestion>,
    pub(super) problem: Option<String>,
    /// Made before the files were read: a change while we read them is noticed.
    pub(super) watch: extend::Watch,
}

/// Reads them in the order that keeps a folder harmless: first what the user decided about it.
pub(super) fn find(host: &HostContext, cwd: &Path, limits: &Limits) -> Found {
    let (standing, decision, problem) =
        trust::standing(&host.locations, cwd, limits.trust_workspace);
    let trusted = standing.is_trusted();
    let watch = extend::Watch::new(&host.locations, cwd, trusted, &limits.given);
    let settings = extend::load(&host.locations, cwd, &standing, &limits.given);
    let question = TrustQuestion::about(&host.locations, cwd, decision, &settings);
    Found { settings, standing, question, problem: problem.map(|error| error.to_string()), watch }
}

/// A sandbox that is wanted and missing is told, with what that means.
fn sandbox_notice(host: &HostContext, settings: &Settings) -> Option<(Severity, String)> {
    if settings.sandbox.enabled == Some(false) {
        return None;
    }
    let sandbox = host.sandbox();
    if let Some(limit) = sandbox.limits() {
        return Some((Severity::Info, limit));
    }
    let why = sandbox.why_not()?;
    let text = format!(
        "Commands cannot be kept in a sandbox here: {why} Commands that may change something are \
         asked about, one by one."
    );
    Some((Severity::Warning, text))
}

pub(super) fn working_directory(cwd: &Path) -> Result<PathBuf, String> {
    let real = workspace::real_path(cwd).map_err(|error| error.to_string())?;
    match workspace::kind(&real) {
        Ok(Some(workspace::Kind::Folder)) => Ok(real),
        Ok(Some(_)) => Err(format!("{} is not a folder.", cwd.display())),
        Ok(None) => Err(format!("The folder {} does not exist.", cwd.display())),
        Err(error) => Err(error.to_string()),
    }
}

fn permissions(
    host: &HostContext,
    cwd: &Path,
    settings: &Settings,
    given: &[PathBuf],
    mode: Option<Mode>,
    limits: &Limits,
) -> Result<Permissions, String> {
    let rules = rules(settings, limits.rules.iter());
    let mode = limits.mode.or(mode).or(settings.default_mode).unwrap_or_default();
    if let Some(problem) = reload::forbidden_mode(mode, &settings.limits) {
        return Err(problem);
    }
    Ok(Permissions { mode, rules, roots: roots(cwd, given, settings), home: host.home() })
}

/// What the files say, what was said elsewhere, and the limits of it all.
pub(super) fn rules<'a>(settings: &Settings, more: impl Iterator<Item = &'a Entry>) -> Rules {
    let limits = settings.limits;
    let mut rules = settings.rules.clone();
    let counts = |entry: &&Entry| {
        let of_hosts = entry.rule.tool() == "WebFetch" && limits.managed_hosts_only;
        entry.behavior != Behavior::Allow || !(limits.managed_rules_only || of_hosts)
    };
    rules.extend(more.filter(counts).cloned());
    rules.limit(policy::Limits {
        deny_instead_of_asking: limits.deny_instead_of_asking,
        reads_stay_inside: limits.block_reads_outside,
        writes_stay_inside: limits.block_writes_outside,
    });
    rules
}

/// The working directory, what the client named, and what the settings add.
pub(super) fn roots(cwd: &Path, given: &[PathBuf], settings: &Settings) -> Vec<PathBuf> {
    let mut roots = vec![cwd.to_owned()];
    roots.extend(given.iter().cloned());
    // A folder in a settings file that is not there is no reason not to start.
    let added = settings.additional_directories.iter();
    roots.extend(added.filter_map(|root| working_directory(root).ok()));
    roots
}

fn notices(settings: &Settings, loaded: &Loaded) -> Vec<(Severity, String)> {
    let problems = settings.problems.iter();
    let mut notices: Vec<_> =
        problems.map(|problem| (Severity::Warning, problem.to_string())).collect();
    if settings.project_ignored {
        notices.push((
            Severity::Info,
            "This folder brings settings or instructions of its own. They are ignored until you \
             trust the folder."
                .to_owned(),
        ));
    }
    if loaded.skipped > 0 {
        let text =
            format!("{} damaged lines of the session's journal were skipped.", loaded.skipped);
        notices.push((Severity::Warning, text));
    }
    notices
}

/// The list is kept where the model wrote it: in the input of its last `TodoWrite`.
fn todos(input: Option<&serde_json::Value>) -> Vec<Todo> {
    let todos = input.and_then(|input| input.get("todos"));
    todos.and_then(|todos| Vec::deserialize(todos).ok()).unwrap_or_default()
}

impl Prepared {
    fn into_session(
        self,
        id: String,
        host: Arc<HostContext>,
        core: CoreHandle,
        (own, inbox, facts): (mpsc::Sender<Msg>, mpsc::Receiver<Msg>, watch::Sender<Facts>),
        mut limits: Limits,
    ) -> Session {
        let Found { settings, standing, question, watch, .. } = self.found;
        let mut env = policy::scrub(host.env.iter().cloned());
        for (name, value) in &settings.env {
            env.retain(|(key, _)| key != name.as_str());
            env.push((name.into(), value.into()));
        }
        let hidden = &settings.sandbox.credential_variables;
        env.retain(|(key, _)| hidden.iter().all(|name| key != name.as_str()));
        limits.max_turns = limits.max_turns.or(settings.max_turns);
        facts.send_modify(|facts| facts.cwd.clone_from(&self.cwd));
        let state = SessionState::new(self.cwd, env, self.permissions, self.todos);
        let state = Arc::new(state.with_secrets(host.secrets.clone()));
        let shelter = Arc::new(Shelter::new(&host, state.clone(), &settings, own.clone()));
        let languages = Languages::new(&state, &settings, &shelter);
        let folder = Folder::beside(self.journal.path());
        let tasks = SessionTasks::new(&id, own.clone(), host.clock, folder, state.clone());
        let mut session = Session {
            counter: last_number(&self.conversation),
            seq: first_seq(&self.conversation, host.clock),
            id,
            title: self.title,
            host,
            core,
            inbox,
            own,
            config: self.config,
            briefing: self.briefing,
            registry: Arc::new(self.registry),
            guards: tools::Guards::default(),
            auto: Auto::default(),
            planning: Planning::default(),
            state,
            languages: Arc::new(languages),
            tasks: tasks.owner(),
            shelter,
            trusted: standing.is_trusted(),
            forbidden: settings.limits,
            bypass: self.bypass,
            trust_question: question,
            watch,
            told: settings.problems.iter().map(ToString::to_string).collect(),
            given_roots: self.given_roots,
            rule_files: RuleFiles::of(&settings),
            limits,
            conversation: self.conversation,
            journal: self.journal,
            doors: Vec::new(),
            log: EventLog::default(),
            running: None,
            compacting: None,
            compaction: Compaction::new(settings.compact),
            asked_at: None,
            inlines: Inlines::default(),
            queue: VecDeque::new(),
            accepted: VecDeque::new(),
            asks: BTreeMap::new(),
            denials: VecDeque::new(),
            status: SessionStatus::Idle,
            facts,
            notices: self.notices,
        };
        session.renew_guards(&settings);
        let mode = session.state.permissions().mode;
        if let Some(text) = session.on_mode(Mode::Default, mode) {
            session.notice_later(Severity::Info, text);
        }
        session
    }
}

/// Events of a session that is loaded again are numbered beyond any it had before, so that a
/// client's `since` from another life is never mistaken for one of this.
fn first_seq(conversation: &Conversation, clock: Clock) -> u64 {
    if conversation.entries().is_empty() { 0 } else { clock.millis() }
}

/// The highest number in the ids so far (`msg_ab12_7`, `turn_ab12_8.1`), and one for a turn that
/// left no message.
fn last_number(conversation: &Conversation) -> u64 {
    let ids = conversation.entries().iter().filter_map(|entry| entry.id.as_deref());
    let ids = ids.chain(conversation.all_turns());
    let number = |id: &str| id.rsplit('_').next()?.split('.').next()?.parse::<u64>().ok();
    ids.filter_map(number).max().map_or(0, |last| last.saturating_add(1))
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

/// What the provider inside the binary calls itself.
const REHEARSAL: &str = "rehearsal";
const REHEARSAL_NOTICE: &str = "This is the rehearsal model: it needs no key, understands a few \
    plain commands (say \"help\") and does real work with the real tools. For a real model set \
    ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a local server, and start again.";
