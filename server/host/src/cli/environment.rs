//! The process's environment, read once.

#![expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent::{Effort, Thinking};
use extend::{Given, Locations};
use policy::{Behavior, Entry, Mode, Rule, Source};

use super::Problem;
use super::args::SessionFlags;
use crate::context::{Clock, HostContext};
use crate::session::{Limits, Wish};

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
    let given = Given::new(flags.settings.as_deref(), flags.setting_sources.as_deref(), cwd)
        .map_err(Problem::usage)?
        .with_plugins(flags.plugin_dir.iter().map(|folder| cwd.join(folder)).collect());
    Ok(Limits {
        max_turns: flags.max_turns,
        max_budget_usd: flags.max_budget_usd,
        task_budget: flags.task_budget,
        fallback_models: flags.fallback_model.clone(),
        schema: None,
        rules,
        model: flags.model.clone(),
        wish: wish(flags),
        mode,
        roots: flags.add_dir.iter().map(|dir| cwd.join(dir)).collect(),
        agent: flags.agent.clone(),
        is_agent: false,
        agents: flags.agents.clone(),
        given,
        trust_workspace: flags.trust_workspace,
        strict_settings: false,
    })
}

/// What the flags say about effort and thinking.
pub(super) fn wish(flags: &SessionFlags) -> Wish {
    let tokens = flags.max_thinking_tokens.map(Thinking::tokens);
    Wish {
        effort: flags.effort.map(Effort::from),
        thinking: flags.thinking.map(Thinking::from).or(tokens),
    }
}
