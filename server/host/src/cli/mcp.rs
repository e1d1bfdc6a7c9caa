//! `bowline mcp`: which servers are configured and how they stand, changing that, and signing in. No
//! value that may be a secret is shown.

mod change;
mod import;
mod look;
mod offer;
mod sign_in;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use extend::{Settings, one_line};
use mcp::{ServerConfig, Transport};
use serde_json::{Value, json};

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
        ConfigureCommand::List { json } => list(&host, &cwd, *json),
        ConfigureCommand::Get { name, json } => get(&host, &cwd, name, *json),
        ConfigureCommand::Import(args) => import::run(&host, &cwd, args),
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

fn list(host: &Arc<HostContext>, cwd: &Path, as_json: bool) -> Outcome {
    let settings = config::load(host, cwd);
    let servers = servers(&settings);
    if servers.is_empty() && !as_json {
        terminal::print("No servers are configured; `bowline mcp add` adds one.");
    }
    let configs: Vec<ServerConfig> = servers.into_iter().map(|found| found.config).collect();
    let stands = match configs.is_empty() {
        true => Vec::new(),
        false => serve::runtime()?.block_on(look::at(host, cwd, &settings, configs.clone())),
    };
    let rows = configs.iter().zip(stands);
    if as_json {
        let rows = rows.map(|(config, stands)| {
            json!({
                "name": config.name,
                "scope": config.scope.name(),
                "type": config.transport.name(),
                "target": target(config),
                "status": stands.status,
                "tools": stands.tools,
                "note": stands.words,
            })
        });
        terminal::print(&rows.collect::<Value>().to_string());
    } else {
        for (config, stands) in rows {
            let (name, scope, words) = (one_line(&config.name), config.scope.name(), stands.words);
            terminal::print(&format!("{name}: {} ({scope}) - {words}", target(config)));
        }
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

fn get(host: &HostContext, cwd: &Path, name: &str, as_json: bool) -> Outcome {
    let settings = config::load(host, cwd);
    let found = servers(&settings).into_iter().find(|known| known.config.name == name);
    let Some(Configured { config, file }) = found else {
        config::tell_unused(&settings);
        return Err(missing(name));
    };
    if as_json {
        terminal::print(&described(&config, &file).to_string());
        return Ok(ExitCode::SUCCESS);
    }
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

/// The same for scripts: names of variables and headers, never their values.
fn described(config: &ServerConfig, file: &Path) -> Value {
    let names = |map: &BTreeMap<String, String>| map.keys().cloned().collect::<Vec<_>>();
    let mut told = json!({
        "name": config.name,
        "scope": config.scope.name(),
        "file": file,
        "type": config.transport.name(),
    });
    match &config.transport {
        Transport::Stdio { command, args, env } => {
            told["command"] = json!(command);
            told["args"] = json!(args);
            told["env"] = json!(names(env));
        }
        Transport::Remote { headers, headers_helper, oauth, .. } => {
            told["url"] = json!(target(config));
            told["headers"] = json!(names(headers));
            told["headersHelper"] = json!(headers_helper);
            told["clientId"] = json!(oauth.client_id);
        }
        Transport::Sdk => {}
    }
    told
}

fn is_remote(config: &ServerConfig) -> bool {
    matches!(config.transport, Transport::Remote { .. })
}
