//! `/mcp [NAME | reconnect|login|enable|disable|approve NAME]`: how the MCP servers stand, and what can be done
//! about one.

use protocol::mcp::{Mcp, McpOp, McpParams, McpServer, McpStatus};

use super::asks::{Asker, Asking};
use super::rows;
use crate::servers;
use crate::session::Session;

/// The last lines of a log.
const LINES: usize = 40;
const NONE: &str = "This session has no MCP servers; `bowline mcp add` adds one.";

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let asker = Asker::of(session)?;
    let words: Vec<String> = argument.split_whitespace().map(str::to_owned).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (op, server) = match words[..] {
        [] | ["list"] => (McpOp::List, None),
        ["reconnect", name] => (McpOp::Reconnect, Some(name)),
        ["login" | "auth" | "authenticate", name] => (McpOp::Authenticate, Some(name)),
        ["enable", name] => (McpOp::Enable, Some(name)),
        ["disable", name] => (McpOp::Disable, Some(name)),
        ["approve", name] => (McpOp::Approve, Some(name)),
        ["reconnect" | "login" | "enable" | "disable" | "approve"] => {
            return Err(format!("Which server? Write /mcp {} NAME.", words[0]));
        }
        [name] => (McpOp::List, Some(name)),
        _ => {
            let verbs = "reconnect, login, enable, disable or approve";
            return Err(format!("Write /mcp, /mcp NAME, or /mcp {verbs} NAME."));
        }
    };
    let server = server.map(str::to_owned);
    let params = McpParams {
        op: op.clone(),
        server: server.clone(),
        session_id: Some(asker.session.clone()),
        servers: None,
    };
    Ok(Box::pin(async move {
        let servers = asker.ask::<Mcp>(&params).await?.servers;
        let found = server.as_ref().and_then(|name| servers.iter().find(|it| it.name == *name));
        Ok(match (op, found) {
            (McpOp::List, Some(server)) => one(server),
            (McpOp::List, None) if server.is_some() => {
                let name = server.unwrap_or_default();
                return Err(format!("There is no MCP server {name:?}; /mcp lists them."));
            }
            (McpOp::Authenticate, Some(McpServer { name, auth_url: Some(url), .. })) => {
                format!("Open this page in your browser and sign in to {name}:\n{url}")
            }
            (McpOp::Reconnect, Some(server)) => format!("{} is called again.", server.name),
            (McpOp::Enable, Some(server)) => format!("{} is switched on.", server.name),
            (McpOp::Disable, Some(server)) => {
                format!("{} is switched off for this session.", server.name)
            }
            (McpOp::Approve, Some(server)) => {
                format!("The tools of {} are used as they are now.", server.name)
            }
            _ if servers.is_empty() => NONE.to_owned(),
            _ => rows(servers.iter().map(|server| (server.name.as_str(), line(server)))),
        })
    }))
}

fn line(server: &McpServer) -> String {
    let counted = |count: usize, what: &str| match count {
        0 => String::new(),
        1 => format!(", 1 {what}"),
        count => format!(", {count} {what}s"),
    };
    let what = counted(server.tools.len(), "tool")
        + &counted(server.prompts.as_ref().map_or(0, Vec::len), "prompt")
        + &counted(server.resources.unwrap_or_default() as usize, "resource");
    let changed = server.changed.as_ref().map_or(0, Vec::len);
    let from = match &server.scope {
        Some(scope) => {
            let open = matches!(server.sandbox.as_deref(), Some("off" | "none"));
            let open = if open { ", no sandbox" } else { "" };
            format!(" ({}, {scope}{open})", server.transport)
        }
        None => String::new(),
    };
    let error = server.error.as_deref().map(|error| format!(" {error}")).unwrap_or_default();
    let name = &server.name;
    let hint = match server.status {
        McpStatus::NeedsAuth => format!(" Write /mcp login {name}."),
        McpStatus::Failed => format!(" Try /mcp reconnect {name}; /mcp {name} shows its log."),
        _ if changed > 0 => {
            let what = counted(changed, "changed tool");
            format!("{what} not used; /mcp {name} shows what is different")
        }
        _ => String::new(),
    };
    format!("{}{what}{from}{error}{hint}", word(&server.status))
}

fn word(status: &McpStatus) -> &str {
    match status {
        McpStatus::NeedsAuth => "wants a sign-in",
        McpStatus::Untrusted => "not approved",
        McpStatus::Disabled => "off",
        status => status.as_str(),
    }
}

fn one(server: &McpServer) -> String {
    let mut lines = vec![format!("{}: {}", server.name, line(server))];
    let mut list = |what: &str, names: &[String]| {
        if !names.is_empty() {
            lines.push(format!("{what}:"));
            lines.extend(names.iter().map(|name| format!("  {name}")));
        }
    };
    list("Sandbox", server.sandbox.as_deref().map(servers::in_words).as_slice());
    list("Tools", &server.tools);
    list("Prompts", server.prompts.as_deref().unwrap_or_default());
    let log = server.log.as_deref().unwrap_or_default();
    list("Log", &log[log.len().saturating_sub(LINES)..]);
    let changed = server.changed.as_deref().unwrap_or_default();
    if !changed.is_empty() {
        let name = &server.name;
        lines.push(format!(
            "Not used, because they are described otherwise than when you agreed to them; \
             /mcp approve {name} agrees:"
        ));
        lines.extend(changed.iter().map(|change| format!("  {}\n{}", change.tool, change.diff)));
    }
    lines.join("\n")
}
