//! `bowline auth`: the key for a model's provider. It is read from standard input or a prompt that
//! does not show it, never from an argument, and it is never printed.

use std::process::ExitCode;

use model::Service;
use serde_json::{Value, json};

use super::args::{AuthArgs, AuthCommand, AuthProvider};
use super::log::Beginning;
use super::{Outcome, Problem, config, environment, serve};
use crate::context::HostContext;
use crate::keys::{told_origin, variable};
use crate::own;
use crate::terminal;

/// No key is longer.
const LONGEST: usize = 16 * 1024;

pub(super) fn run(args: &AuthArgs, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host_with_state()?;
    let runtime = serve::runtime()?;
    match &args.command {
        AuthCommand::Login { provider } => runtime.block_on(login(&host, *provider)),
        AuthCommand::Logout { provider } => runtime.block_on(logout(&host, *provider)),
        AuthCommand::Status { json } => status(&host, *json),
    }
}

async fn login(host: &HostContext, provider: AuthProvider) -> Outcome {
    let service = service(provider);
    let server = server(host, service)?;
    let read = if terminal::stdin_is_terminal() {
        terminal::read_hidden(&format!("Key for {server}: "))
    } else {
        terminal::read_stdin()
    };
    let text = read.map_err(Problem::failed)?;
    let key = text.trim();
    if key.is_empty() || key.len() > LONGEST || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        let message = "That is not a key: it should be one word, on standard input or typed.";
        return Err(Problem::failed(message));
    }
    let place = host.keys.store(service, &server, key).await.map_err(Problem::failed)?;
    terminal::print(&format!("The key for {server} is stored in {place}."));
    if let Some(name) = variable(host, service) {
        terminal::note(&format!("{name} is set as well, and comes first."));
    }
    Ok(ExitCode::SUCCESS)
}

async fn logout(host: &HostContext, provider: AuthProvider) -> Outcome {
    let removed = host.keys.remove(service(provider)).await.map_err(Problem::failed)?;
    terminal::print(if removed { "The key is removed." } else { "There was no key." });
    Ok(ExitCode::SUCCESS)
}

fn status(host: &HostContext, as_json: bool) -> Outcome {
    let cwd = environment::working_directory()?;
    host.keys.use_helper(own::key_helper(host, &config::load(host, &cwd)));
    let (mut any, mut rows) = (false, Vec::new());
    for (name, service) in [("anthropic", Service::Anthropic), ("openai", Service::OpenAi)] {
        let server = server(host, service)?;
        let from = told_origin(host, service).map_err(Problem::failed)?;
        any |= from.is_some();
        if as_json {
            rows.push(json!({ "provider": name, "server": server, "key": from }));
            continue;
        }
        let from = from.unwrap_or_else(|| "none".to_owned());
        terminal::print(&format!("{name} ({server}): {from}"));
    }
    if as_json {
        terminal::print(&Value::from(rows).to_string());
    }
    Ok(ExitCode::from(u8::from(!any)))
}

fn service(provider: AuthProvider) -> Service {
    match provider {
        AuthProvider::Anthropic => Service::Anthropic,
        AuthProvider::Openai => Service::OpenAi,
    }
}

fn server(host: &HostContext, service: Service) -> Result<String, Problem> {
    model::server_of(&host.model_env, service).map_err(|error| Problem::failed(error.to_string()))
}
