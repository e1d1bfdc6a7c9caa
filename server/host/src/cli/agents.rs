//! `bowline agents`: who can be handed work in this folder, and where each comes from.

use std::process::ExitCode;

use extend::{AgentDefinition, one_line};
use serde_json::json;

use super::args::AgentsArgs;
use super::log::Beginning;
use super::{Outcome, Problem, config, environment};
use crate::session;
use crate::terminal;

pub(super) fn run(args: &AgentsArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    let (settings, trusted) = config::load_with_trust(&host, &cwd);
    let agents = session::agents_of(&host, &cwd, &settings, trusted, None);
    if args.json {
        let all: Vec<_> = agents.list.iter().map(as_json).collect();
        terminal::print(&format!("{:#}", json!(all)));
    } else {
        let widest = agents.list.iter().map(|agent| agent.name.chars().count()).max();
        let widest = widest.unwrap_or_default();
        for agent in &agents.list {
            let file = agent.file.as_ref().map(|file| format!(", {}", file.display()));
            let (name, about) = (one_line(&agent.name), one_line(&agent.description));
            let from = one_line(&file.unwrap_or_default());
            terminal::print(&format!("{name:widest$}  {about} ({}{from})", agent.source.name()));
        }
        if !trusted {
            terminal::note("Agents of this folder do not count, because it is not trusted.");
        }
    }
    agents.problems.iter().for_each(|problem| terminal::note(&problem.to_string()));
    Ok(ExitCode::from(u8::from(!agents.problems.is_empty())))
}

fn as_json(agent: &AgentDefinition) -> serde_json::Value {
    json!({
        "name": agent.name,
        "description": agent.description,
        "source": agent.source.name(),
        "file": agent.file,
        "model": agent.model,
        "background": agent.background,
        "worktree": agent.worktree,
    })
}
