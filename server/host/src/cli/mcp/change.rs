//! `bowline mcp add`, `add-json`, `remove` and `reset-project-choices`. Files keep their comments.

use std::path::Path;
use std::process::ExitCode;

use extend::edit::{self, EditError, Target, Written};
use extend::one_line;
use serde_json::{Map, Value, json};

use super::super::args::{AddArgs, McpSandbox, McpScope, McpTransport};
use super::super::{Outcome, Problem, config};
use crate::context::HostContext;
use crate::terminal;

const SERVERS: &str = "mcpServers";
/// What a user said about a project's servers.
const CHOICES: [&str; 3] =
    ["enableAllProjectMcpServers", "enabledMcpjsonServers", "disabledMcpjsonServers"];

pub(super) fn add(host: &HostContext, cwd: &Path, args: &AddArgs) -> Outcome {
    let definition = definition(args).map_err(Problem::usage)?;
    write(host, cwd, &args.name, &definition, args.scope)
}

pub(super) fn add_json(
    host: &HostContext,
    cwd: &Path,
    name: &str,
    text: &str,
    scope: McpScope,
) -> Outcome {
    let definition = serde_json::from_str(text)
        .map_err(|error| Problem::usage(format!("That is not valid JSON ({error}).")))?;
    write(host, cwd, name, &definition, scope)
}

fn definition(args: &AddArgs) -> Result<Value, String> {
    let is_command = args.transport == McpTransport::Stdio;
    let mut made = Map::new();
    if is_command {
        if !args.header.is_empty() || args.client_id.is_some() || args.callback_port.is_some() {
            return Err("Headers and sign-ins are for addresses: say --transport http.".to_owned());
        }
        if args.target.contains("://") {
            return Err("That is an address: say --transport http, sse or ws.".to_owned());
        }
        made.insert("command".into(), json!(args.target));
        made.insert("args".into(), json!(args.arguments));
        let env = pairs(&args.env, '=', "A variable is written NAME=VALUE.")?;
        made.insert("env".into(), env);
        match args.sandbox {
            McpSandbox::User => {}
            McpSandbox::Strict => drop(made.insert("sandbox".into(), json!("strict"))),
            McpSandbox::Off if args.scope != McpScope::User => {
                return Err("Only your user settings take a server out of the sandbox: say \
                            --scope user."
                    .to_owned());
            }
            McpSandbox::Off => drop(made.insert("sandbox".into(), json!(false))),
        }
    } else {
        let is_plain = args.env.is_empty() && args.sandbox == McpSandbox::User;
        if !is_plain || !args.arguments.is_empty() {
            return Err("An address takes no arguments, no variables and no sandbox.".to_owned());
        }
        let kind = match args.transport {
            McpTransport::Sse => "sse",
            McpTransport::Ws => "ws",
            _ => "http",
        };
        made.insert("type".into(), json!(kind));
        made.insert("url".into(), json!(args.target));
        let headers = pairs(&args.header, ':', "A header is written 'Name: value'.")?;
        made.insert("headers".into(), headers);
        let mut oauth = Map::new();
        oauth.extend(args.client_id.as_ref().map(|id| ("clientId".to_owned(), json!(id))));
        oauth.extend(args.callback_port.map(|port| ("callbackPort".to_owned(), json!(port))));
        made.insert("oauth".into(), Value::Object(oauth));
    }
    let is_empty = |value: &Value| value == &json!([]) || value == &json!({});
    made.retain(|_, value| !is_empty(value));
    Ok(Value::Object(made))
}

fn pairs(texts: &[String], between: char, wrong: &str) -> Result<Value, String> {
    let pair = |text: &String| {
        let (name, value) = text.split_once(between).ok_or(wrong)?;
        Ok((name.trim().to_owned(), json!(value.trim())))
    };
    texts.iter().map(pair).collect::<Result<Map<_, _>, String>>().map(Value::Object)
}

fn write(
    host: &HostContext,
    cwd: &Path,
    name: &str,
    definition: &Value,
    scope: McpScope,
) -> Outcome {
    check(name, definition).map_err(Problem::usage)?;
    let Written { file, changed, .. } = put(host, cwd, name, definition, scope)?;
    let file = one_line(&file.display().to_string());
    terminal::print(&match changed {
        true => format!("Written to {file}."),
        false => format!("{file} already says so."),
    });
    config::tell_unused(&config::load(host, cwd));
    Ok(ExitCode::SUCCESS)
}

/// The error is a sentence about what is wrong with it.
pub(super) fn check(name: &str, definition: &Value) -> Result<(), String> {
    let whole = json!({ SERVERS: { name: definition } }).to_string();
    let (_, problems) = mcp::parse_config(&whole, mcp::Scope::User);
    problems.into_iter().next().map_or(Ok(()), |problem| Err(problem.message))
}

/// Writes one server into the file of a scope.
pub(super) fn put(
    host: &HostContext,
    cwd: &Path,
    name: &str,
    definition: &Value,
    scope: McpScope,
) -> Result<Written, Problem> {
    edit::set_at(&target(host, cwd, scope), &[SERVERS, name], definition).map_err(failed)
}

pub(super) fn remove(
    host: &HostContext,
    cwd: &Path,
    name: &str,
    scope: Option<McpScope>,
) -> Outcome {
    let scopes = match scope {
        Some(scope) => vec![scope],
        None => vec![McpScope::Local, McpScope::Project, McpScope::User],
    };
    for scope in scopes {
        let target = target(host, cwd, scope);
        let Written { file, changed, .. } =
            edit::remove_at(&target, &[SERVERS, name]).map_err(failed)?;
        if changed {
            let file = one_line(&file.display().to_string());
            terminal::print(&format!("Taken out of {file}."));
            return Ok(ExitCode::SUCCESS);
        }
    }
    Err(Problem::failed(format!("No file of yours has a server `{}`.", one_line(name))))
}

pub(super) fn reset(host: &HostContext, cwd: &Path) -> Outcome {
    let mut any = false;
    let local = Target::new(edit::Scope::Local, &host.locations, cwd);
    let user = Target::new(edit::Scope::User, &host.locations, cwd);
    for target in [local, user] {
        for choice in CHOICES {
            let Written { file, changed, .. } =
                edit::remove_at(&target, &[choice]).map_err(failed)?;
            if changed {
                any = true;
                let file = one_line(&file.display().to_string());
                terminal::print(&format!("`{choice}` is taken out of {file}."));
            }
        }
    }
    if !any {
        terminal::print("Nothing was chosen for this project's servers.");
    }
    Ok(ExitCode::SUCCESS)
}

pub(super) fn target(host: &HostContext, cwd: &Path, scope: McpScope) -> Target {
    match scope {
        McpScope::Local => Target::new(edit::Scope::Local, &host.locations, cwd),
        McpScope::User => Target::new(edit::Scope::User, &host.locations, cwd),
        McpScope::Project => Target::mcp_json(cwd),
    }
}

fn failed(error: EditError) -> Problem {
    Problem::failed(error.to_string())
}
