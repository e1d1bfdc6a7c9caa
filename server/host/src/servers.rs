//! MCP servers as the process knows them: which are configured, and what surrounds one that is
//! connected to. Sessions and `bowline mcp` use the same.

mod around;

use std::path::PathBuf;

use extend::{BringsKind, McpServers, Settings};
use mcp::{Keeping, Scope, ServerConfig, Transport, server_key};
use policy::Source;
use protocol::mcp::McpStatus;

pub(crate) use around::{Around, Master};

/// A server and the file that configures it.
pub(crate) struct Configured {
    pub(crate) config: ServerConfig,
    pub(crate) file: PathBuf,
}

/// A server that is not connected to, and why.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Absent {
    pub(crate) name: String,
    pub(crate) status: McpStatus,
    /// One sentence.
    pub(crate) why: String,
}

/// What the settings say about servers.
#[derive(Default)]
pub(crate) struct Found {
    /// Those that count, the strongest of each name.
    pub(crate) servers: Vec<Configured>,
    pub(crate) absent: Vec<Absent>,
    /// What is written wrongly, in sentences.
    pub(crate) problems: Vec<String>,
}

/// All servers of the settings. Nothing is connected to.
pub(crate) fn configured(settings: &Settings) -> Found {
    let mut found = Found::default();
    for file in &settings.mcp_servers {
        let (configs, problems) = mcp::parse_config(&file.json, scope(file.source, file.local));
        for problem in problems {
            let server = problem.server.as_deref().unwrap_or("mcpServers");
            let shown = extend::one_line(&file.file.display().to_string());
            let why = format!("{shown}: {}: {}", extend::one_line(server), problem.message);
            found.problems.push(why);
        }
        for mut config in configs {
            found.problems.extend(keep(&mut config, file));
            let same =
                |known: &Configured| server_key(&known.config.name) == server_key(&config.name);
            if !found.servers.iter().any(same) {
                found.servers.push(Configured { config, file: file.file.clone() });
            }
        }
    }
    let waits = settings.unapproved.iter().filter(|item| item.kind == BringsKind::McpServer);
    found.absent.extend(waits.map(|item| {
        Absent {
            name: item.name.clone().unwrap_or_default(),
            status: McpStatus::Untrusted,
            why: "The project brings it, and you have not approved it as it is now; /trust asks."
                .to_owned(),
        }
    }));
    found.absent.extend(settings.mcp_disabled.iter().map(|name| Absent {
        name: name.clone(),
        status: McpStatus::Disabled,
        why: "The settings switch it off (`disabledMcpjsonServers`).".to_owned(),
    }));
    found
}

/// What keeps the program of a server in: `user`, `strict`, `off` by its configuration, or `none`
/// where there is no sandbox. Nothing for a server without a program.
pub(crate) fn kept_in(config: &ServerConfig, sandbox: bool) -> Option<&'static str> {
    let program = match &config.transport {
        Transport::Stdio { .. } => true,
        Transport::Remote { headers_helper, .. } => headers_helper.is_some(),
        Transport::Sdk => false,
    };
    program.then_some(match (config.scope, config.keeping) {
        (Scope::Managed | Scope::Local | Scope::User | Scope::Session, Keeping::Off) => "off",
        _ if !sandbox => "none",
        (Scope::Project, _) | (_, Keeping::Strict) => "strict",
        _ => "user",
    })
}

/// The same in words, for people.
pub(crate) fn in_words(sandbox: &str) -> String {
    match sandbox {
        "user" => "as your own program: all but what other programs obey is open to it",
        "strict" => "as a command: it writes in the workspace, and hosts are asked about",
        "off" => "off, as its configuration says",
        _ => "none: there is no sandbox here, or it is switched off",
    }
    .to_owned()
}

/// What lies in a project's folder, or comes with it or with a plugin, takes no program out of the
/// sandbox.
fn keep(config: &mut ServerConfig, file: &McpServers) -> Option<String> {
    let of_project = matches!(file.source, Source::Project | Source::ProjectLocal);
    let of_plugin = config.name.starts_with("plugin:");
    if config.keeping != Keeping::Off || !(of_project || of_plugin) {
        return None;
    }
    config.keeping = Keeping::Own;
    let whose = if of_plugin { "plugin" } else { "project" };
    Some(format!(
        "{}: {}: A file of a {whose} cannot take a server out of the sandbox; put it into your user \
         settings.",
        extend::one_line(&file.file.display().to_string()),
        extend::one_line(&config.name)
    ))
}

fn scope(source: Source, local: bool) -> Scope {
    match source {
        Source::Managed => Scope::Managed,
        Source::CommandLine => Scope::Session,
        _ if local => Scope::Local,
        Source::Project => Scope::Project,
        Source::ProjectLocal => Scope::Local,
        _ => Scope::User,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_users_own_files_take_a_server_out_of_the_sandbox() {
        let check = |source: Source, name: &str, expect: Keeping| {
            let servers = serde_json::json!({ name: { "command": "x", "sandbox": false } });
            let json = serde_json::json!({ "mcpServers": servers }).to_string();
            let file = McpServers { source, local: false, file: "/f".into(), json };
            let mut settings = Settings::default();
            settings.mcp_servers.push(file);
            let found = configured(&settings);
            assert_eq!(found.servers[0].config.keeping, expect, "{source:?} {name}");
            assert_eq!(found.problems.len(), usize::from(expect != Keeping::Off), "{name}");
        };
        check(Source::User, "a", Keeping::Off);
        check(Source::Managed, "a", Keeping::Off);
        check(Source::CommandLine, "a", Keeping::Off);
        check(Source::Project, "a", Keeping::Own);
        check(Source::ProjectLocal, "a", Keeping::Own);
        check(Source::User, "plugin:p:a", Keeping::Own);
    }
}
