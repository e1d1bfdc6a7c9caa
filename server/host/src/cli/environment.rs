//! The process's environment, read once.

#![expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Effort, Thinking};
use extend::{Given, GivenPlugin, Locations};
use policy::{Behavior, Entry, Mode, Rule, Source};

use super::Problem;
use super::args::SessionFlags;
use crate::context::{Clock, HostContext};
use crate::session::{Limits, PromptWish, SetupTrigger, Wish};

pub(super) fn working_directory() -> Result<PathBuf, Problem> {
    std::env::current_dir()
        .map_err(|error| Problem::failed(format!("The current folder cannot be used: {error}.")))
}

/// Reads variables and decides where our files are; touches none of them.
pub(super) fn host() -> Result<Arc<HostContext>, Problem> {
    let env: Vec<_> = std::env::vars_os().collect();
    let path = |name: &str| {
        let value = env.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        value.filter(|value| !value.is_empty()).map(PathBuf::from)
    };
    let home = path("HOME");
    let bowline_home = extend::home::locate(path("BOWLINE_HOME").as_deref(), home.as_deref())
        .map_err(|error| Problem::failed(error.to_string()))?;
    let locations = Locations { bowline_home, home, managed: PathBuf::from("/etc") };
    let version = env!("CARGO_PKG_VERSION");
    Ok(Arc::new(HostContext::new(env, locations, Clock::system(), version)))
}

/// One variable, for the few that concern the terminal.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The program itself, to be started again as a server.
pub(super) fn program() -> Result<PathBuf, Problem> {
    std::env::current_exe().map_err(|error| {
        Problem::failed(format!("The path of this program is not known: {error}."))
    })
}

/// Checks the flags before anything is started.
pub(super) fn limits(flags: &SessionFlags, cwd: &Path) -> Result<Limits, Problem> {
    let mode = flags.permission_mode.as_deref().map(str::parse::<Mode>).transpose();
    let mode = mode.map_err(|error| Problem::usage(format!("--permission-mode: {error}")))?;
    let bypass = flags.dangerously_skip_permissions.then_some(Mode::BypassPermissions);
    let mode = mode.or(bypass);
    let mut rules = Vec::new();
    let lists = [
        ("--allowedTools", Behavior::Allow, &flags.allowed_tools),
        ("--disallowedTools", Behavior::Deny, &flags.disallowed_tools),
    ];
    for (flag, behavior, lists) in lists {
        for list in lists {
            let parsed = Rule::parse_list(list)
                .map_err(|error| Problem::usage(format!("{flag}: {error}")))?;
            let entry = |rule| Entry { behavior, rule, source: Source::CommandLine };
            rules.extend(parsed.into_iter().map(entry));
        }
    }
    let read = |file: &PathBuf| read_prompt(&cwd.join(file));
    let system = match &flags.system_prompt_file {
        Some(file) => Some(read(file)?),
        None => flags.system_prompt.clone(),
    };
    let append = match &flags.append_system_prompt_file {
        Some(file) => Some(read(file)?),
        None => flags.append_system_prompt.clone(),
    };
    let prompt =
        PromptWish { system: system.map(|text| vec![text]), append, without_surroundings: false };
    let given = Given::new(flags.settings.as_deref(), flags.setting_sources.as_deref(), cwd)
        .and_then(|given| given.with_mcp(&flags.mcp_config, flags.strict_mcp_config, cwd))
        .map_err(Problem::usage)?
        .with_plugins(plugins(flags, cwd));
    Ok(Limits {
        max_turns: flags.max_turns,
        max_budget_usd: flags.max_budget_usd,
        task_budget: flags.task_budget,
        fallback_models: flags.fallback_model.clone(),
        schema: None,
        rules,
        tools: flags.tools.as_deref().and_then(tools_named),
        prompt,
        betas: flags.betas.clone(),
        model: flags.model.clone(),
        wish: wish(flags),
        mode,
        roots: flags.add_dir.iter().map(|dir| cwd.join(dir)).collect(),
        agent: flags.agent.clone(),
        is_agent: false,
        agents: flags.agents.clone(),
        given,
        trust_workspace: flags.trust_workspace,
        waits_for_servers: false,
        strict_settings: false,
        hooks: None,
        plan_words: None,
        tool_aliases: BTreeMap::new(),
        skills: None,
        mirrored: false,
        setup: match (flags.init, flags.maintenance) {
            (true, _) => Some(SetupTrigger::Init),
            (false, true) => Some(SetupTrigger::Maintenance),
            (false, false) => None,
        },
    })
}

fn plugins(flags: &SessionFlags, cwd: &Path) -> Vec<GivenPlugin> {
    let given = |folders: &[PathBuf], servers: bool| {
        let folders = folders.iter().map(|folder| cwd.join(folder));
        folders.map(|folder| GivenPlugin { folder, servers }).collect::<Vec<_>>()
    };
    [given(&flags.plugin_dir, true), given(&flags.plugin_dir_no_mcp, false)].concat()
}

/// `None`: all of them.
fn tools_named(list: &str) -> Option<Vec<String>> {
    let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
    (list.trim() != "default").then(|| names.map(str::to_owned).collect())
}

/// A prompt is a page or two, not a book.
const LONGEST_PROMPT: u64 = 1024 * 1024;

fn read_prompt(file: &Path) -> Result<String, Problem> {
    let failed = |why: String| Problem::usage(format!("{} cannot be read: {why}.", file.display()));
    let (bytes, _) =
        workspace::read_bytes(file, LONGEST_PROMPT).map_err(|error| failed(error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| failed("it is not UTF-8 text".to_owned()))
}

/// What the flags say about effort and thinking.
pub(super) fn wish(flags: &SessionFlags) -> Wish {
    let tokens = flags.max_thinking_tokens.map(Thinking::tokens);
    Wish {
        effort: flags.effort.map(Effort::from),
        thinking: flags.thinking.map(Thinking::from).or(tokens),
    }
}
