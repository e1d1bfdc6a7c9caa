//! The configured servers: `{"mcpServers": {name: {…}}}`, as `.mcp.json` and settings write it.
//!
//! A server that is written wrongly is left out with a problem; the others still count. Texts keep
//! their `${VAR}` until [`ServerConfig::expand`], so that a listing shows no secrets.

mod oauth;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde_json::{Map, Value};

use crate::expand::expand;
use crate::name::server_key;
pub use oauth::OAuthConfig;

/// Which kind of file names a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    Managed,
    Local,
    Project,
    User,
    Session,
}

impl Scope {
    /// As the wire spells it.
    pub fn name(self) -> &'static str {
        match self {
            Scope::Managed => "managed",
            Scope::Local => "local",
            Scope::Project => "project",
            Scope::User => "user",
            Scope::Session => "session",
        }
    }
}

/// One server. Its `Debug` shows no arguments, variables or headers: they may be secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerConfig {
    pub name: String,
    pub scope: Scope,
    pub transport: Transport,
    /// How long a call may take.
    pub timeout: Option<Duration>,
    /// Its tools are sent with every request.
    pub always_load: bool,
    /// What keeps its program in.
    pub keeping: Keeping,
}

/// What keeps the program of a server in, as its `sandbox` says. What a project brings is always
/// kept in as a command is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Keeping {
    /// As a program of the user's own.
    #[default]
    Own,
    /// As a command: it writes in the workspace, and hosts are asked about.
    Strict,
    /// Nothing.
    Off,
}

/// How a server is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum Transport {
    /// A program that speaks on its standard input and output.
    Stdio { command: String, args: Vec<String>, env: BTreeMap<String, String> },
    Remote {
        kind: RemoteKind,
        url: String,
        headers: BTreeMap<String, String>,
        /// A command that prints further headers.
        headers_helper: Option<String>,
        oauth: OAuthConfig,
    },
    /// Lives in the client that started us.
    Sdk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemoteKind {
    Http,
    Sse,
    Ws,
}

impl Transport {
    /// As the configuration and the wire spell it.
    pub fn name(&self) -> &'static str {
        match self {
            Transport::Stdio { .. } => "stdio",
            Transport::Remote { kind: RemoteKind::Http, .. } => "http",
            Transport::Remote { kind: RemoteKind::Sse, .. } => "sse",
            Transport::Remote { kind: RemoteKind::Ws, .. } => "ws",
            Transport::Sdk => "sdk",
        }
    }
}

impl ServerConfig {
    /// What makes it the server it is, as it is written: its program, or its address. One that lives
    /// in the client has none: it is the client's own.
    pub fn identity(&self) -> Option<String> {
        match &self.transport {
            Transport::Stdio { command, args, .. } => {
                Some(serde_json::json!([command, args]).to_string())
            }
            Transport::Remote { url, .. } => Some(url.clone()),
            Transport::Sdk => None,
        }
    }
}

impl fmt::Debug for ServerConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.transport.name(), self.scope.name())
    }
}

/// Why a server, or a whole text, cannot be used; or that it may not work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// `None` when the text as a whole is meant.
    pub server: Option<String>,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

/// A call that may not even take this long would always fail, in milliseconds.
const SHORTEST_CALL: u64 = 1000;

/// Names that belong to servers built into clients.
const RESERVED: [&str; 6] =
    ["workspace", "ide", "computer-use", "claude-in-chrome", "Claude Preview", "Claude Browser"];

/// The servers a text configures, in its order. All of them come from `scope`.
pub fn parse_config(json: &str, scope: Scope) -> (Vec<ServerConfig>, Vec<ConfigProblem>) {
    let whole = |message: String| (Vec::new(), vec![ConfigProblem { server: None, message }]);
    let root = match serde_json::from_str(json) {
        Ok(Value::Object(root)) => root,
        Ok(_) => return whole("The text is no JSON object; write {\"mcpServers\": {…}}.".into()),
        Err(error) => return whole(format!("The text is not valid JSON ({error}); mend it.")),
    };
    let servers = match root.get("mcpServers") {
        Some(Value::Object(servers)) => servers,
        Some(_) => {
            return whole("`mcpServers` must be an object of servers by their names.".into());
        }
        None if root.is_empty() => return (Vec::new(), Vec::new()),
        None => return whole("There is no `mcpServers`; put the servers under that key.".into()),
    };
    let mut configs: Vec<ServerConfig> = Vec::new();
    let mut problems = Vec::new();
    for (name, value) in servers {
        let parsed = check_name(name, &configs).and_then(|()| server(name, value, scope));
        match parsed {
            Ok(server) => configs.push(server),
            Err(message) => problems.push(ConfigProblem { server: Some(name.clone()), message }),
        }
    }
    (configs, problems)
}

impl ServerConfig {
    /// The configuration with its variables put in, and what is missing for it to work.
    pub fn expand(&self, env: &BTreeMap<String, String>) -> (ServerConfig, Vec<ConfigProblem>) {
        let mut missing = Vec::new();
        let mut put = |text: &String| expand(text, env, &mut missing);
        let mut problem = None;
        let transport = match &self.transport {
            Transport::Stdio { command, args, env } => Transport::Stdio {
                command: put(command),
                args: args.iter().map(&mut put).collect(),
                env: env.iter().map(|(name, value)| (name.clone(), put(value))).collect(),
            },
            Transport::Remote { kind, url, headers, headers_helper, oauth } => {
                let (kind, url) = (*kind, put(url));
                problem = check_url(kind, &url).err();
                let headers = headers.iter().map(|(name, value)| (name.clone(), put(value)));
                let (headers, oauth) = (headers.collect(), oauth.clone());
                // A shell puts its own variables in.
                let headers_helper = headers_helper.clone();
                Transport::Remote { kind, url, headers, headers_helper, oauth }
            }
            Transport::Sdk => Transport::Sdk,
        };
        missing.sort();
        missing.dedup();
        let unset = missing.into_iter().map(|name| {
            format!("The variable {name} is not set; set it or write ${{{name}:-default}}.")
        });
        let problems = unset
            .chain(problem)
            .map(|message| ConfigProblem { server: Some(self.name.clone()), message });
        (ServerConfig { transport, ..self.clone() }, problems.collect())
    }
}

fn check_name(name: &str, before: &[ServerConfig]) -> Result<(), String> {
    if !name.contains(|c: char| c.is_ascii_alphanumeric()) {
        return Err("A server's name needs a letter or digit; rename it.".into());
    }
    if name.contains("..") || name.contains(char::is_control) {
        return Err("A server's name must not hold `..` or control characters; rename it.".into());
    }
    let key = server_key(name);
    if RESERVED.iter().any(|reserved| server_key(reserved).eq_ignore_ascii_case(&key)) {
        return Err("This name is reserved; rename the server.".into());
    }
    match before.iter().find(|other| server_key(&other.name) == key) {
        Some(other) => {
            Err(format!("Its tools would be named like those of `{}`; rename it.", other.name))
        }
        None => Ok(()),
    }
}

fn server(name: &str, value: &Value, scope: Scope) -> Result<ServerConfig, String> {
    let Value::Object(server) = value else {
        return Err("A server is configured by an object, such as {\"command\": \"…\"}.".into());
    };
    let timeout = match server.get("timeout") {
        None => None,
        Some(millis) => match millis.as_u64() {
            Some(millis) if millis >= SHORTEST_CALL => Some(Duration::from_millis(millis)),
            _ => return Err("`timeout` must be a number of milliseconds, 1000 at least.".into()),
        },
    };
    Ok(ServerConfig {
        name: name.to_owned(),
        scope,
        transport: transport(server)?,
        timeout,
        always_load: server.get("alwaysLoad").and_then(Value::as_bool) == Some(true),
        keeping: keeping(server)?,
    })
}

fn keeping(server: &Map<String, Value>) -> Result<Keeping, String> {
    match server.get("sandbox") {
        None | Some(Value::Bool(true)) => Ok(Keeping::Own),
        Some(Value::Bool(false)) => Ok(Keeping::Off),
        Some(Value::String(word)) if word == "strict" => Ok(Keeping::Strict),
        Some(_) => Err("`sandbox` must be true, false or \"strict\".".into()),
    }
}

fn transport(server: &Map<String, Value>) -> Result<Transport, String> {
    let kind = match server.get("type") {
        None if server.contains_key("url") && !server.contains_key("command") => {
            return Err("A `url` needs a `type`: write \"http\", \"sse\" or \"ws\".".into());
        }
        None => "stdio",
        Some(Value::String(kind)) => kind.as_str(),
        Some(_) => return Err("`type` must be a string.".into()),
    };
    match kind {
        "stdio" => stdio(server),
        "http" | "streamable-http" => remote(RemoteKind::Http, server),
        "sse" => remote(RemoteKind::Sse, server),
        "ws" => remote(RemoteKind::Ws, server),
        "sdk" => Ok(Transport::Sdk),
        other => Err(format!(
            "There is no type `{}`; write stdio, http, sse, ws or sdk.",
            other.escape_debug()
        )),
    }
}

fn stdio(server: &Map<String, Value>) -> Result<Transport, String> {
    let command = text(server, "command")?;
    let args = match server.get("args") {
        None => Vec::new(),
        Some(args) => args
            .as_array()
            .and_then(|args| args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect())
            .ok_or("`args` must be a list of strings.")?,
    };
    Ok(Transport::Stdio { command, args, env: texts(server, "env")? })
}

fn remote(kind: RemoteKind, server: &Map<String, Value>) -> Result<Transport, String> {
    let url = text(server, "url")?;
    // With a variable in it, it can be judged only when that is known.
    if !url.contains("${") {
        check_url(kind, &url)?;
    }
    let headers_helper = match server.contains_key("headersHelper") {
        true => Some(text(server, "headersHelper")?),
        false => None,
    };
    let (headers, oauth) = (texts(server, "headers")?, OAuthConfig::read(server)?);
    Ok(Transport::Remote { kind, url, headers, headers_helper, oauth })
}

fn check_url(kind: RemoteKind, url: &str) -> Result<(), String> {
    let schemes = match kind {
        RemoteKind::Http | RemoteKind::Sse => ["http", "https"],
        RemoteKind::Ws => ["ws", "wss"],
    };
    let fits = url.split_once("://").is_some_and(|(scheme, rest)| {
        schemes.iter().any(|known| scheme.eq_ignore_ascii_case(known)) && !rest.is_empty()
    });
    // The URL itself is not repeated: it may hold a key.
    if fits {
        Ok(())
    } else {
        Err(format!("`url` must begin with {}:// or {}://.", schemes[0], schemes[1]))
    }
}

fn text(server: &Map<String, Value>, key: &str) -> Result<String, String> {
    let text = server.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    text.map(str::to_owned).ok_or_else(|| format!("`{key}` is missing or no string; write it."))
}

fn texts(server: &Map<String, Value>, key: &str) -> Result<BTreeMap<String, String>, String> {
    let Some(value) = server.get(key) else { return Ok(BTreeMap::new()) };
    let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    value
        .as_object()
        .and_then(|object| object.iter().map(pair).collect())
        .ok_or_else(|| format!("`{key}` must be an object of strings."))
}
