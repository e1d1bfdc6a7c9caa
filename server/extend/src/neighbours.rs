//! MCP servers that other programs on this machine are configured with, so that a user can take them
//! over. Their files are only read: those in the user's own folders, or one that the user names.

mod codex;
mod written;

use std::path::{Path, PathBuf};

use jsonc_parser::parse_to_serde_value;
use serde_json::{Map, Value};

use crate::files;
use crate::settings::options;

/// A program whose servers we can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbour {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    VsCode,
    Codex,
    Windsurf,
    Gemini,
}

/// What one file of theirs has.
#[derive(Clone, Debug)]
pub struct Configures {
    pub file: PathBuf,
    /// In the order of the file.
    pub servers: Vec<Neighbouring>,
    /// Why the file as a whole is of no use.
    pub problem: Option<String>,
}

/// One server of theirs.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbouring {
    pub name: String,
    /// As `.mcp.json` would have it. The error says why it cannot be taken over.
    pub definition: Result<Value, String>,
}

impl Neighbour {
    pub const ALL: [Neighbour; 7] = [
        Neighbour::ClaudeDesktop,
        Neighbour::ClaudeCode,
        Neighbour::Cursor,
        Neighbour::VsCode,
        Neighbour::Codex,
        Neighbour::Windsurf,
        Neighbour::Gemini,
    ];

    /// As the command line spells it.
    pub fn name(self) -> &'static str {
        match self {
            Neighbour::ClaudeDesktop => "claude-desktop",
            Neighbour::ClaudeCode => "claude-code",
            Neighbour::Cursor => "cursor",
            Neighbour::VsCode => "vscode",
            Neighbour::Codex => "codex",
            Neighbour::Windsurf => "windsurf",
            Neighbour::Gemini => "gemini",
        }
    }

    /// Where its file may be, on Linux and on macOS. `configs` is where programs keep their settings.
    fn files(self, home: &Path, configs: &Path) -> Vec<PathBuf> {
        let library = home.join("Library/Application Support");
        match self {
            Neighbour::ClaudeDesktop => {
                [configs, &library].map(|it| it.join("Claude/claude_desktop_config.json")).into()
            }
            Neighbour::ClaudeCode => vec![home.join(".claude.json")],
            Neighbour::Cursor => vec![home.join(".cursor/mcp.json")],
            Neighbour::VsCode => [configs, &library].map(|it| it.join("Code/User/mcp.json")).into(),
            Neighbour::Codex => vec![home.join(".codex/config.toml")],
            Neighbour::Windsurf => vec![home.join(".codeium/windsurf/mcp_config.json")],
            Neighbour::Gemini => vec![home.join(".gemini/settings.json")],
        }
    }

    /// What the user's own files of this program have; a file that is not there is not listed.
    pub fn look(self, home: &Path, configs: &Path) -> Vec<Configures> {
        let files = self.files(home, configs);
        files.iter().filter_map(|file| read(file, Some(self)).transpose()).map(flat).collect()
    }
}

/// What a file has that the user names, whoever wrote it. `None` when there is none.
pub fn look_into(file: &Path) -> Option<Configures> {
    read(file, None).transpose().map(flat)
}

/// A problem with the whole file is one of what is said about it.
fn flat(read: Result<Configures, Configures>) -> Configures {
    read.unwrap_or_else(|broken| broken)
}

fn read(file: &Path, whose: Option<Neighbour>) -> Result<Option<Configures>, Configures> {
    let broken = |problem: String| Configures {
        file: file.to_owned(),
        servers: Vec::new(),
        problem: Some(problem),
    };
    let text = match files::read(file) {
        Ok(Some(text)) => text,
        Ok(None) => return Ok(None),
        Err(error) => return Err(broken(format!("It {error}."))),
    };
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    let servers = match is_toml {
        true => codex::servers(&text),
        false => json(&text, whose),
    };
    let servers = servers.map_err(broken)?;
    Ok(Some(Configures { file: file.to_owned(), servers, problem: None }))
}

/// The servers of a JSON file, under the key of whoever wrote it.
fn json(text: &str, whose: Option<Neighbour>) -> Result<Vec<Neighbouring>, String> {
    let root: Option<Value> = parse_to_serde_value(text, &options())
        .map_err(|error| format!("It is not valid JSON ({error})."))?;
    let root = root.unwrap_or_default();
    let servers = ["mcpServers", "servers"].iter().find_map(|key| root[*key].as_object());
    let servers = servers.cloned().unwrap_or_default();
    Ok(servers.into_iter().map(|(name, server)| one(name, &server, whose)).collect())
}

fn one(name: String, server: &Value, whose: Option<Neighbour>) -> Neighbouring {
    let none = Map::new();
    let fields = server.as_object().unwrap_or(&none);
    Neighbouring { name, definition: written::definition(fields, whose) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn all(text: &str, whose: Option<Neighbour>) -> Vec<(String, Result<Value, String>)> {
        let servers = json(text, whose).unwrap();
        servers.into_iter().map(|it| (it.name, it.definition)).collect()
    }

    #[test]
    fn files_of_several_programs() {
        let desktop = r#"{"mcpServers": {"fs": {"command": "npx", "args": ["-y", "x"],
            "env": {"A": "1", "N": 2}, "disabled": false}}}"#;
        let expect =
            json!({ "command": "npx", "args": ["-y", "x"], "env": { "A": "1", "N": "2" } });
        assert_eq!(all(desktop, None), [("fs".to_owned(), Ok(expect))]);
        let code = r#"{ // mine
            "inputs": [{"id": "key"}],
            "servers": {
                "docs": {"type": "http", "url": "https://x/mcp", "headers": {"K": "${env:KEY}"}},
                "asks": {"command": "c", "env": {"K": "${input:key}"}},
            },
        }"#;
        let [docs, asks] = &all(code, Some(Neighbour::VsCode))[..] else { panic!() };
        let expect =
            json!({ "type": "http", "url": "https://x/mcp", "headers": { "K": "${KEY}" } });
        assert_eq!(docs.1, Ok(expect));
        assert!(asks.1.as_ref().unwrap_err().contains("${input:key}"), "{asks:?}");
        assert_eq!(all("{}", None), []);
        assert!(json("{", None).is_err());
    }
}
