//! A language server that Bowline may start.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// How to start a server and what to tell it.
#[derive(Clone, PartialEq)]
pub struct ServerConfig {
    pub name: String,
    /// A program on the search path of its environment, or a path to one.
    pub command: String,
    pub args: Vec<String>,
    /// Added to the environment that all servers get.
    pub env: BTreeMap<String, String>,
    /// Ending with its dot (`.rs`) → language as the protocol names it (`rust`).
    pub extensions: BTreeMap<String, String>,
    pub initialization_options: Value,
    /// What it gets when it asks for its configuration.
    pub settings: Value,
    pub startup_timeout: Duration,
    /// Whether its findings are used.
    pub diagnostics: bool,
}

impl ServerConfig {
    /// As long as a person waits for an editor to open a large project.
    pub const STARTUP_TIMEOUT: Duration = Duration::from_secs(30);

    /// The language of a file, if the server is for it. The longest ending counts.
    pub fn language(&self, path: &Path) -> Option<&str> {
        let name = path.file_name()?.as_encoded_bytes();
        let fitting =
            self.extensions.iter().filter(|(ending, _)| name.ends_with(ending.as_bytes()));
        fitting.max_by_key(|(ending, _)| ending.len()).map(|(_, language)| language.as_str())
    }
}

/// Shows no arguments, variables or options: they may be secrets.
impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.name, self.command)
    }
}
