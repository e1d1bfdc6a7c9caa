//! What a session begins with, read from disk: its settings, its journal, and what may act in it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Conversation, Title, TitleOrigin};
use extend::{Settings, Standing};
use policy::{Behavior, Entry, Mode, Rules};
use protocol::event::Severity;
use serde::Deserialize;
use serde_json::Value;
use tools::{Board, Offer, Permissions, Registry, SearchService, Todo};

use super::{Limits, Origin};
use crate::context::HostContext;
use crate::own;
use crate::session::briefing::Briefing;
use crate::session::bypass::Bypass;
use crate::session::config::{Measured, SessionConfig};
use crate::session::helpers::SessionMemory;
use crate::session::options::Options;
use crate::session::queue::Prompts;
use crate::session::skills::SkillBook;
use crate::session::toolbox::{self, Searching};
use crate::session::trust::{self, TrustQuestion};
use crate::session::{choice, reload, resume};
use crate::store::{self, Journal, Loaded};

/// Everything that had to be read from disk.
pub(super) struct Prepared {
    pub(super) cwd: PathBuf,
    pub(super) found: Found,
    pub(super) given_roots: Vec<PathBuf>,
    pub(super) permissions: Permissions,
    pub(super) briefing: Briefing,
    pub(super) bypass: Bypass,
    pub(super) skills: SkillBook,
    pub(super) config: SessionConfig,
    pub(super) registry: Registry,
    pub(super) journal: Journal,
    pub(super) conversation: Conversation,
    pub(super) title: Title,
    pub(super) branch: Option<String>,
    pub(super) todos: Vec<Todo>,
    pub(super) board: Board,
    pub(super) tools_loaded: Vec<String>,
    pub(super) search_service: Option<SearchService>,
    pub(super) session_memory: SessionMemory,
    /// When the session was last at work, in an earlier life.
    pub(super) asked_at: Option<u64>,
    pub(super) prompts: Prompts,
    pub(super) agents: extend::Agents,
    /// The agent that leads the session.
    pub(super) lead: Option<String>,
    /// Those that the client gave it.
    pub(super) mcp_servers: BTreeMap<String, Value>,
    pub(super) notices: Vec<(Severity, String)>,
}

/// What the session begins with: nothing, or what its journal says.
struct Opened {
    cwd: PathBuf,
    roots: Vec<PathBuf>,
    model: Option<String>,
    mode: Option<Mode>,
    journal: Journal,
    loaded: Loaded,
    asked_at: Option<u64>,
    /// What to say when it goes on in another folder than its own.
    moved: Option<(Severity, String)>,
    agent: Option<String>,
    mcp_servers: BTreeMap<String, Value>,
}

fn open(host: &HostContext, id: &str, origin: Origin) -> Result<Opened, String> {
    match origin {
        Origin::New { cwd, roots, model, mode, title, ephemeral, agent, mcp_servers } => {
            let cwd = working_directory(&cwd)?;
            let path = store::journal_path(&host.sessions_dir(), &cwd, id);
            let journal = Journal::new(Some(path).filter(|_| !ephemeral), host.clock);
            let mut loaded = Loaded::default();
            if let Some(title) = title {
                loaded.title.offer(title, TitleOrigin::User);
            }
            let (asked_at, moved) = (None, None);
            Ok(Opened {
                cwd,
                roots,
                model,
                mode,
                journal,
                loaded,
                asked_at,
                moved,
                agent,
                mcp_servers,
            })
        }
        Origin::Agent { cwd, journal } => Ok(Opened {
            cwd: working_directory(&cwd)?,
            roots: Vec::new(),
            model: None,
            mode: None,
            journal: Journal::new(journal, host.clock),
            loaded: Loaded::default(),
            asked_at: None,
            moved: None,
            agent: None,
            mcp_servers: BTreeMap::new(),
        }),
        Origin::Stored { path, instead } => {
            let asked_at = store::last_written(&path);
            let (journal, loaded) = resume::open(host, path)?;
            let (cwd, moved) = resume::folder(&loaded.cwd, instead.as_deref())?;
            let mode = resume::mode(&loaded);
            let agent = loaded.chosen.led_by.clone();
            Ok(Opened {
                cwd,
                roots: Vec::new(),
                model: loaded.model.clone(),
                mode,
                journal,
                loaded,
                asked_at,
                moved,
                agent,
                mcp_servers: BTreeMap::new(),
            })
        }
    }
}

pub(super) fn prepare(
    host: &Arc<HostContext>,
    id: &str,
    origin: Origin,
    limits: &Limits,
) -> Result<Prepared, String> {
    store::bring_up(&host.locations.bowline_home)?;
    let opened = open(host, id, origin)?;
    let Opened { cwd, mut roots, model, mode, journal, mut loaded, .. } = opened;
    let (asked_at, moved, agent) = (opened.asked_at, opened.moved, opened.agent);
    let found = find(host, &cwd, limits);
    let settings = &found.settings;
    if let (true, Some(problem)) = (limits.strict_settings, settings.problems.first()) {
        return Err(problem.to_string());
    }
    roots.extend(limits.roots.iter().cloned());
    let roots = roots.iter().map(|root| working_directory(root)).collect::<Result<Vec<_>, _>>()?;
    let agents = load_agents(host, &cwd, &found, limits);
    let lead = lead_of(host, settings, limits, agent);
    let leads = lead.as_deref().and_then(|name| agents.find(name));
    let mode = mode.or_else(|| leads?.permission_mode);
    let mut bypass = Bypass::of(host, settings);
    let mut permissions = permissions(host, &cwd, settings, &roots, mode, limits)?;
    permissions.mode = bypass.admit(permissions.mode, limits.strict_settings)?;
    let of_lead = leads.and_then(|agent| agent.model.clone());
    let wanted = limits.model.clone().or(model).or(of_lead).or_else(|| settings.model.clone());
    let (mut config, model_problems) = config(host, settings, limits, wanted.as_deref(), &loaded)?;
    let (search_service, search_problem) = toolbox::search_service(settings);
    let offer = toolbox::offer(host, settings, &config, search_service.is_some());
    let registry = registry(&permissions, &offer, limits);
    let trusted = found.standing.is_trusted();
    let mut briefing = Briefing::load(host, &cwd, trusted, &settings.prompting, &permissions);
    permissions.rules.set_notes(briefing.notes_folder());
    let style = config.options.output_style.as_deref().map(|style| briefing.choose_style(style));
    let mut skills = SkillBook::load(host, &cwd, limits, &roots, &permissions, settings);
    briefing.wish = limits.prompt.clone();
    briefing.skills = skills.tell_all(host, &config.model);
    config.system = briefing.system(&config.model);
    let mut notices = notices(host, settings, &loaded);
    // A style that was chosen then may be gone by now.
    let problems = style.and_then(Result::err).into_iter();
    let problems = problems.chain(briefing.problems().iter().cloned()).chain(skills.problems());
    notices.extend(problems.map(|problem| (Severity::Warning, problem)));
    let rehearses = config.provider.name() == REHEARSAL;
    notices.extend(rehearses.then(|| (Severity::Info, REHEARSAL_NOTICE.to_owned())));
    let problems = model_problems.into_iter().chain(search_problem).chain(found.problem.clone());
    let problems = problems.chain(agents.problems.iter().map(ToString::to_string));
    notices.extend(problems.map(|problem| (Severity::Warning, problem)));
    notices.extend(moved);
    notices.extend(resume::notice(&mut loaded.conversation));
    let prompts = Prompts::left(std::mem::take(&mut loaded.queue));
    notices.extend(prompts.notice().map(|text| (Severity::Info, text)));
    remove_leftovers(host, &permissions.roots);
    let board = board(loaded.board.take());
    let aside = store::take_notice(&host.locations.bowline_home).into_iter();
    notices.extend(aside.map(|text| (Severity::Info, text)));
    Ok(Prepared {
        cwd,
        session_memory: SessionMemory::open(journal.path()),
        given_roots: roots,
        permissions,
        briefing,
        bypass,
        skills,
        config,
        registry,
        journal,
        conversation: std::mem::take(&mut loaded.conversation),
        title: std::mem::take(&mut loaded.title),
        branch: loaded.branch.take(),
        todos: todos(loaded.todos.as_ref(), &board),
        board,
        tools_loaded: std::mem::take(&mut loaded.tools_loaded),
        search_service,
        asked_at,
        prompts,
        agents,
        lead,
        mcp_servers: opened.mcp_servers,
        notices,
        found,
    })
}

/// The tools that rules and flags leave.
fn registry(permissions: &Permissions, offer: &Offer, limits: &Limits) -> Registry {
    let registry = Registry::builtin(&policy::removed_tools(&permissions.rules), offer);
    match &limits.tools {
        Some(wanted) => registry.only(|name| wanted.iter().any(|tool| tool == name)),
        None => registry,
    }
}

/// The agent that leads: of an agent's session it is the agent itself.
fn lead_of(
    host: &HostContext,
    settings: &Settings,
    limits: &Limits,
    kept: Option<String>,
) -> Option<String> {
    let lead = limits.agent.clone().or(kept).or_else(|| settings.agent.clone());
    lead.or_else(|| coordinator(host)).filter(|_| !limits.is_agent)
}

/// Who leads where the environment wants one that only hands out work.
fn coordinator(host: &HostContext) -> Option<String> {
    let variables = ["BOWLINE_COORDINATOR_MODE", "CLAUDE_CODE_COORDINATOR_MODE"];
    variables.iter().any(|name| host.is_set(name)).then(|| extend::COORDINATOR.to_owned())
}

/// Whoever brings all agents along wants no others.
const WITHOUT_BUILT_IN: [&str; 2] =
    ["BOWLINE_DISABLE_BUILTIN_AGENTS", "CLAUDE_AGENT_SDK_DISABLE_BUILTIN_AGENTS"];

/// The agents that the session can start, or be led by.
pub(in crate::session) fn load_agents(
    host: &HostContext,
    cwd: &Path,
    found: &Found,
    limits: &Limits,
) -> extend::Agents {
    agents_of(host, cwd, &found.settings, &found.standing, limits.agents.as_deref())
}

/// The same without a session.
pub fn agents_of(
    host: &HostContext,
    cwd: &Path,
    settings: &Settings,
    standing: &Standing,
    given: Option<&str>,
) -> extend::Agents {
    let of_plugin = |plugin: &extend::plugins::Plugin| {
        let name = plugin.id.name.clone();
        let root = move |folder: &PathBuf| extend::AgentRoot {
            folder: folder.clone(),
            source: extend::AgentSource::Plugin,
            namespace: Some(name.clone()),
        };
        plugin.agents.iter().map(root).collect::<Vec<_>>()
    };
    let more: Vec<_> = settings.plugins.loaded.iter().flat_map(of_plugin).collect();
    read_agents(host, cwd, standing, given, (settings.plugins_only.agents, &more))
}

/// The same once it is known where plugins keep theirs, and whether only those count. May wait for
/// the disk.
pub(in crate::session) fn read_agents(
    host: &HostContext,
    cwd: &Path,
    standing: &Standing,
    given: Option<&str>,
    (only_plugins, more): (bool, &[extend::AgentRoot]),
) -> extend::Agents {
    extend::Agents::load(&extend::AgentQuery {
        locations: &host.locations,
        cwd,
        trusted: standing.is_trusted(),
        only_plugins,
        given,
        more,
        built_in: !WITHOUT_BUILT_IN.iter().any(|name| host.is_set(name)),
    })
    .approved_by(standing)
}

/// Which models do the work, and how. What is named and cannot be used is told beside it.
fn config(
    host: &HostContext,
    settings: &Settings,
    limits: &Limits,
    wanted: Option<&str>,
    loaded: &Loaded,
) -> Result<(SessionConfig, Vec<String>), String> {
    host.keys.use_helper(own::key_helper(host, settings));
    let options = settings.model_options;
    let model_env = choice::model_env(host, settings).with_betas(&limits.betas);
    let ((provider, model), gone) = choice::provider(&model_env, wanted, loaded)?;
    let (fast, fast_problem) = choice::fast_model(&model_env, settings);
    let (fallbacks, mut problems) = choice::fallback_models(&model_env, settings, limits);
    problems.extend(fast_problem);
    problems.extend(gone);
    let config = SessionConfig {
        provider,
        model,
        fast,
        borrowed: None,
        fallbacks,
        options: Options::new(host, &options, limits.wish, &loaded.chosen),
        model_env,
        saves: settings.save_before_commands.unwrap_or_default(),
        in_terminal: settings.commands_in_terminal.unwrap_or_default(),
        system: Arc::from(""),
        tools: Arc::from(""),
        measured: Measured::default(),
        searching: Searching::of(host, settings),
    };
    Ok((config, problems))
}

/// What the files say about a folder.
pub(in crate::session) struct Found {
    pub(in crate::session) settings: Settings,
    pub(in crate::session) standing: Standing,
    pub(in crate::session) question: Option<TrustQuestion>,
    pub(in crate::session) problem: Option<String>,
    /// Made before the files were read: a change while we read them is noticed.
    pub(in crate::session) watch: extend::Watch,
}

/// Reads them in the order that keeps a folder harmless: first what the user decided about it.
pub(in crate::session) fn find(host: &HostContext, cwd: &Path, limits: &Limits) -> Found {
    let (standing, decision, problem) =
        trust::standing(&host.locations, cwd, limits.trust_workspace);
    let trusted = standing.is_trusted();
    let watch = extend::Watch::new(&host.locations, cwd, trusted, &limits.given);
    let settings = extend::load(&host.locations, cwd, &standing, &limits.given);
    settings.plugins.secrets().for_each(|secret| host.secrets.learn(secret));
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
         asked about, one by one; your own MCP servers and helpers run without walls."
    );
    Some((Severity::Warning, text))
}

pub(in crate::session) fn working_directory(cwd: &Path) -> Result<PathBuf, String> {
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
pub(in crate::session) fn rules<'a>(
    settings: &Settings,
    more: impl Iterator<Item = &'a Entry>,
) -> Rules {
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
        judge_all_commands: limits.judge_all_commands,
    });
    rules
}

/// The working directory, what the client named, and what the settings add.
pub(in crate::session) fn roots(
    cwd: &Path,
    given: &[PathBuf],
    settings: &Settings,
) -> Vec<PathBuf> {
    let mut roots = vec![cwd.to_owned()];
    roots.extend(given.iter().cloned());
    // A folder in a settings file that is not there is no reason not to start.
    let added = settings.additional_directories.iter();
    roots.extend(added.filter_map(|root| working_directory(root).ok()));
    roots
}

fn notices(host: &HostContext, settings: &Settings, loaded: &Loaded) -> Vec<(Severity, String)> {
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
    if let Some(text) = damage(loaded) {
        notices.push((Severity::Warning, text));
    }
    notices.extend(sandbox_notice(host, settings));
    notices
}

/// A process that was killed may have left what stood in for missing names, and temporary files.
fn remove_leftovers(host: &HostContext, roots: &[PathBuf]) {
    roots.iter().for_each(|root| exec::sweep(root));
    let records = host.temporary_records();
    workspace::sweep_temporaries(&records);
    workspace::record_temporaries(&records);
}

/// What of the session's journal could not be read.
fn damage(loaded: &Loaded) -> Option<String> {
    match (loaded.head_lost, loaded.skipped) {
        (false, 0) => None,
        (false, skipped) => {
            Some(format!("{skipped} damaged lines of the session's journal were skipped."))
        }
        (true, _) => Some(
            "The beginning of the session's journal is damaged. The session was opened with all \
             that is left; check the model and the permission mode."
                .to_owned(),
        ),
    }
}

/// A plain list is kept where the model wrote it: in the input of its last `TodoWrite`. Without one
/// the tasks are the list.
fn todos(input: Option<&Value>, board: &Board) -> Vec<Todo> {
    let Some(todos) = input.and_then(|input| input.get("todos")) else { return board.todos() };
    Vec::deserialize(todos).unwrap_or_default()
}

fn board(kept: Option<Value>) -> Board {
    kept.and_then(|board| serde_json::from_value(board).ok()).unwrap_or_default()
}

/// What the provider inside the binary calls itself.
const REHEARSAL: &str = "rehearsal";
const REHEARSAL_NOTICE: &str = "This is the rehearsal model: it needs no key, understands a few \
    plain commands (say \"help\") and does real work with the real tools. For a real model set \
    ANTHROPIC_API_KEY, or OPENAI_BASE_URL for a local server, and start again.";
