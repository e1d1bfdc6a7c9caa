//! MCP servers as the process knows them: which are configured, and what surrounds one that is
//! connected to. Sessions and `bowline mcp` use the same.

mod around;

use std::path::PathBuf;

use extend::{BringsKind, Settings};
use mcp::{Scope, ServerConfig, server_key};
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
        for config in configs {
            let same = |known: &Configured| server_key(&known.config.name) == server_key(&config.name);
            if !found.servers.iter().any(same) {
                found.servers.push(Configured { config, file: file.file.clone() });
            }
        }
    }
    let waits = settings.unapproved.iter().filter(|item| item.kind == BringsKind::McpServer);
    found.absent.extend(waits.map(|item| Absent {
        name: item.name.clone().unwrap_or_default(),
        status: McpStatus::Untrusted,
        why: "The project brings it, and you have not approved it as it is now; /trust asks.".to_owned(),
    }));
    found.absent.extend(settings.mcp_disabled.iter().map(|name| Absent {
        name: name.clone(),
        status: McpStatus::Disabled,
        why: "The settings switch it off (`disabledMcpjsonServers`).".to_owned(),
    }));
    found
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
