//! `bowline mcp`: which servers are configured and how they stand, changing that, and signing in. No
//! value that may be a secret is shown.

mod change;
mod look;
mod offer;
mod sign_in;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use extend::{Settings, one_line};
use mcp::{ServerConfig, Transport};

use super::args::{ConfigureCommand, McpArgs, McpCommand};
use super::log::Beginning;
use super::{Outcome, Problem, config, environment, serve};
use crate::context::HostContext;
use crate::servers::Configured;
use crate::terminal;

pub(super) fn run(args: &McpArgs, begin: &Beginning) -> Outcome {
    match &args.command {
        McpCommand::Serve(args) => offer::run(args, begin),
        McpCommand::Configure(command) => configure(command, begin),
    }
}

fn configure(command: &ConfigureCommand, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let here = environment::working_directory()?;
    let cwd = workspace::real_path(&here).map_err(|error| Problem::failed(error.to_string()))?;
    match command {
        ConfigureCommand::List => list(&host, &cwd),
        ConfigureCommand::Get { name } => get(&host, &cwd, name),
        ConfigureCommand::Add(add) => change::add(&host, &cwd, add),
        ConfigureCommand::AddJson { name, json, scope } => {
            change::add_json(&host, &cwd, name, json, *scope)
        }
        ConfigureCommand::Remove { name, scope } => {
            let servers = servers(&config::load(&host, &cwd));
            let known = servers.into_iter().find(|known| known.config.name == *name);
            let removed = change::remove(&host, &cwd, name, *scope)?;
            if let Some(known) = known.filter(|known| is_remote(&known.config)) {
                serve::runtime()?.block_on(sign_in::forget(&host, &known.config))?;
            }
            Ok(removed)
        }
        ConfigureCommand::Login { name } => {
            let config = find(&host, &cwd, name)?;
            serve::runtime()?.block_on(sign_in::login(&host, &config))
        }
        ConfigureCommand::Logout { name } => {
            let config = find(&host, &cwd, name)?;
            let was = serve::runtime()?.block_on(sign_in::forget(&host, &config))?;
            let name = one_line(name);
            terminal::print(&match was {
                true => format!("The sign-in to {name} is forgotten."),
                false => format!("Nobody was signed in to {name}."),
            });
            Ok(ExitCode::SUCCESS)
        }
        ConfigureCommand::ResetProjectChoices => change::reset(&host, &cwd),
    }
}

/// All servers that count, the strongest of each name. What is written wrongly is told.
fn servers(settings: &Settings) -> Vec<Configured> {
    let found = crate::servers::configured(settings);
    found.problems.iter().for_each(|problem| terminal::note(problem));
    found.servers
}

/// The server of this name with its variables put in.
fn find(host: &HostContext, cwd: &Path, name: &str) -> Result<ServerConfig, Problem> {
    let settings = config::load(host, cwd);
    let found = servers(&settings).into_iter().find(|known| known.config.name == name);
    let Some(found) = found else {
        config::tell_unused(&settings);
        return Err(missing(name));
    };
    let env = host.env.iter();
    let env: BTreeMap<_, _> = env
        .filter_map(|(key, value)| Some((key.to_str()?.to_owned(), value.to_str()?.to_owned())))
        .collect();
    let (config, problems) = found.config.expand(&env);
    match problems.first() {
        Some(problem) => Err(Problem::failed(&problem.message)),
        None => Ok(config),
    }
}

fn missing(name: &str) -> Problem {
    Problem::failed(format!(
        "There is no server `{}`; `bowline mcp list` shows all.",
        one_line(name)
    ))
}

fn list(host: &Arc<HostContext>, cwd: &Path) -> Outcome {
    let settings = config::load(host, cwd);
    let servers = servers(&settings);
    if servers.is_empty() {
        terminal::print("No servers are configured; `bowline mcp add` adds one.");
    }
    let configs: Vec<ServerConfig> = servers.into_iter().map(|found| found.config).collect();
    let stands = match configs.is_empty() {
        true => Vec::new(),
        false => serve::runtime()?.block_on(look::at(host, cwd, &settings, configs.clone())),
    };
    for (config, stands) in configs.iter().zip(stands) {
        let (name, scope) = (one_line(&config.name), config.scope.name());
        terminal::print(&format!("{name}: {} ({scope}) - {stands}", target(config)));
    }
    config::tell_unused(&settings);
    Ok(ExitCode::SUCCESS)
}

/// What is reached, without arguments and queries: they may hold keys.
fn target(config: &ServerConfig) -> String {
    one_line(&match &config.transport {
        Transport::Stdio { command, .. } => command.clone(),
        Transport::Remote { url, .. } => {
            let plain = url.split(['?', '#']).next().unwrap_or_default();
            format!("{plain} ({})", config.transport.name())
        }
        Transport::Sdk => "in the client that starts us".to_owned(),
    })
}

fn get(host: &HostContext, cwd: &Path, name: &str) -> Outcome {
    let settings = config::load(host, cwd);
    let found = servers(&settings).into_iter().find(|known| known.config.name == name);
    let Some(Configured { config, file }) = found else {
        config::tell_unused(&settings);
        return Err(missing(name));
    };
    let mut lines = vec![
        format!("{}:", one_line(&config.name)),
        format!("  scope: {}, {}", config.scope.name(), one_line(&file.display().to_string())),
        format!("  type: {}", config.transport.name()),
    ];
    let names = |map: &BTreeMap<String, String>| {
        map.keys().map(|name| one_line(name)).collect::<Vec<_>>().join(", ")
    };
    match &config.transport {
        Transport::Stdio { command, args, env } => {
            lines.push(format!("  command: {}", one_line(command)));
            if !args.is_empty() {
                lines.push(format!("  args: {}", one_line(&args.join(" "))));
            }
            if !env.is_empty() {
                lines.push(format!("  env: {} (values hidden)", names(env)));
            }
        }
        Transport::Remote { headers, headers_helper, oauth, .. } => {
            lines.push(format!("  url: {}", target(&config)));
            if !headers.is_empty() {
                lines.push(format!("  headers: {} (values hidden)", names(headers)));
            }
            if let Some(command) = headers_helper {
                lines.push(format!("  headersHelper: {}", one_line(command)));
            }
            if let Some(id) = &oauth.client_id {
                lines.push(format!("  oauth.clientId: {}", one_line(id)));
            }
        }
        Transport::Sdk => {}
    }
    let sandbox = settings.sandbox.enabled != Some(false) && host.sandbox().is_available();
    if let Some(kept) = crate::servers::kept_in(&config, sandbox) {
        lines.push(format!("  sandbox: {}", crate::servers::in_words(kept)));
    }
    terminal::print(&lines.join("\n"));
    Ok(ExitCode::SUCCESS)
}

fn is_remote(config: &ServerConfig) -> bool {
    matches!(config.transport, Transport::Remote { .. })
}
