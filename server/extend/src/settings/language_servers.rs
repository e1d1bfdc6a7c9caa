//! Language servers as users configure them: `"languageServers": {name: {…}}` in settings, and the
//! same without the outer key in `lsp.json` and `.lsp.json`.
//!
//! A server that is written wrongly is left out with a problem; the others still count.

use std::collections::BTreeMap;
use std::time::Duration;

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, parse_to_ast, parse_to_serde_value};
use serde_json::{Map, Value};

use super::parse::{At, ENDLESS, Parsed, at, options};
use super::{explain, spelling};

/// One language server that Bowline may start where the editor has none. Plain data: whoever
/// starts it decides how.
#[derive(Clone, PartialEq)]
pub struct LanguageServerSetting {
    pub name: String,
    /// A program on the search path, or a path to one.
    pub command: String,
    pub args: Vec<String>,
    /// Added to the environment of this server alone.
    pub env: BTreeMap<String, String>,
    /// Ending with its dot (`.py`) → language as the protocol names it (`python`).
    pub extensions: BTreeMap<String, String>,
    /// Given to the server as it starts; null when nothing was said.
    pub initialization_options: Value,
    /// What the server gets when it asks for its configuration; null when nothing was said.
    pub settings: Value,
    pub startup_timeout: Option<Duration>,
    /// Whether its findings are used.
    pub diagnostics: bool,
}

/// Shows no arguments, variables or options: they may be secrets.
impl std::fmt::Debug for LanguageServerSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({})", self.name, self.command)
    }
}

/// A whole file of servers as settings.
pub(super) fn parsed(text: &str) -> Parsed {
    let plain = text.strip_prefix('\u{feff}').unwrap_or(text);
    let leaves = match parse_to_ast(plain, &CollectOptions::default(), &options()) {
        Ok(result) => match result.value {
            Some(Ast::Object(root)) if !explain::is_endless(&root) => {
                explain::leaves(plain, &root, "languageServers")
            }
            _ => Vec::new(),
        },
        Err(_) => Vec::new(),
    };
    let Servers { servers, problems } = file(text);
    let problems = problems.into_iter().map(|(at, message)| (Some(at), message)).collect();
    Parsed { language_servers: servers, leaves, problems, ..Parsed::default() }
}

/// The servers of one text, and what is wrong with the others.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) servers: Vec<LanguageServerSetting>,
    pub(super) problems: Vec<(At, String)>,
}

const KEYS: [&str; 13] = [
    "command",
    "args",
    "extensionToLanguage",
    "env",
    "initializationOptions",
    "settings",
    "startupTimeout",
    "diagnostics",
    // Known elsewhere and of no meaning here: servers always speak on their standard input and
    // output, in the folder of the session, and are restarted a few times.
    "transport",
    "workspaceFolder",
    "shutdownTimeout",
    "restartOnCrash",
    "maxRestarts",
];

/// Longer than this nobody waits for a server.
const LONGEST_STARTUP: Duration = Duration::from_secs(600);

/// A whole file of servers by their names.
pub(super) fn file(text: &str) -> Servers {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let whole = |offset: usize, message: String| Servers {
        problems: vec![(at(text, offset), message)],
        ..Servers::default()
    };
    match parse_to_ast(text, &CollectOptions::default(), &options()) {
        Ok(result) => match result.value {
            Some(Ast::Object(root)) if explain::is_endless(&root) => {
                whole(root.start(), format!("{ENDLESS}."))
            }
            Some(Ast::Object(root)) => read(text, &root),
            Some(other) => {
                whole(other.start(), "The file must be an object of servers by their names.".into())
            }
            None => whole(0, "The file is empty; write `{}` or delete it.".into()),
        },
        Err(error) => {
            let what = error.kind().to_string().to_lowercase();
            let message = format!(
                "This is not valid JSON ({what}); mend it here, until then no language server of \
                 this file is known."
            );
            whole(error.range().start, message)
        }
    }
}

/// The servers of an object in a file with this text.
pub(super) fn read(text: &str, object: &Object<'_>) -> Servers {
    let mut found = Servers::default();
    for property in &object.properties {
        let place = at(text, property.start());
        let name = property.name.as_str();
        let value = parse_to_serde_value::<Value>(property.value.text(text), &options());
        let server = match value {
            Ok(Value::Object(server)) => server,
            _ => {
                let message = format!(
                    "The language server `{}` must be an object, such as {{\"command\": \"…\"}}.",
                    name.escape_debug()
                );
                found.problems.push((place, message));
                continue;
            }
        };
        let misspelt = server.keys().filter(|key| !KEYS.contains(&key.as_str()));
        for (key, near) in misspelt.filter_map(|key| Some((key, spelling::nearest(key, &KEYS)?))) {
            let message = format!("There is no key `{}` here; write `{near}`.", key.escape_debug());
            found.problems.push((place, message));
        }
        match setting(name, &server) {
            Ok(server) => found.servers.push(server),
            Err(why) => {
                let name = name.escape_debug();
                found.problems.push((place, format!("The language server `{name}` {why}.")));
            }
        }
    }
    found
}

/// The error is the end of a sentence that begins with the server's name.
fn setting(name: &str, server: &Map<String, Value>) -> Result<LanguageServerSetting, String> {
    if name.trim().is_empty() || name.contains(char::is_control) {
        return Err("needs a name that can be shown; rename it".into());
    }
    let command = server.get("command").and_then(Value::as_str).unwrap_or_default();
    if command.trim().is_empty() || command.contains('\0') {
        return Err("needs a `command`; write the program's name or path in quotes".into());
    }
    if server.get("transport").is_some_and(|transport| transport != "stdio") {
        return Err("can only be spoken to by `stdio`; remove `transport`".into());
    }
    let args = match server.get("args") {
        None => Vec::new(),
        Some(args) => args
            .as_array()
            .and_then(|args| args.iter().map(|arg| arg.as_str().map(str::to_owned)).collect())
            .ok_or("needs `args` that are a list of strings")?,
    };
    let diagnostics = match server.get("diagnostics") {
        None => true,
        Some(value) => value.as_bool().ok_or("needs `diagnostics` that are true or false")?,
    };
    Ok(LanguageServerSetting {
        name: name.to_owned(),
        command: command.to_owned(),
        args,
        env: variables(server)?,
        extensions: extensions(server)?,
        initialization_options: server.get("initializationOptions").cloned().unwrap_or_default(),
        settings: server.get("settings").cloned().unwrap_or_default(),
        startup_timeout: startup_timeout(server)?,
        diagnostics,
    })
}

fn extensions(server: &Map<String, Value>) -> Result<BTreeMap<String, String>, String> {
    let written = texts(server, "extensionToLanguage")?;
    if written.is_empty() {
        return Err("needs `extensionToLanguage`, such as {\".py\": \"python\"}".into());
    }
    let dotted = written.into_iter().map(|(ending, language)| match ending.strip_prefix('.') {
        Some(_) => (ending, language),
        None => (format!(".{ending}"), language),
    });
    dotted
        .map(|(ending, language)| {
            let usable = ending.len() > 1 && !ending.contains(['/', '\0']) && !language.is_empty();
            if usable {
                return Ok((ending, language));
            }
            Err("needs `extensionToLanguage` with endings such as \".py\" and names of languages"
                .to_owned())
        })
        .collect()
}

fn variables(server: &Map<String, Value>) -> Result<BTreeMap<String, String>, String> {
    let variables = texts(server, "env")?;
    match variables.iter().find(|(name, value)| !super::parse::is_variable(name, value)) {
        None => Ok(variables),
        Some((name, _)) => Err(format!(
            "cannot have the variable `{}`: a name must not be empty or hold `=`, and nothing may \
             hold a NUL; rename it",
            name.escape_debug()
        )),
    }
}

fn texts(server: &Map<String, Value>, key: &str) -> Result<BTreeMap<String, String>, String> {
    let Some(value) = server.get(key) else { return Ok(BTreeMap::new()) };
    let pair = |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
    value
        .as_object()
        .and_then(|object| object.iter().map(pair).collect())
        .ok_or_else(|| format!("needs `{key}` that is an object of strings"))
}

fn startup_timeout(server: &Map<String, Value>) -> Result<Option<Duration>, String> {
    let Some(value) = server.get("startupTimeout") else { return Ok(None) };
    let given = value.as_u64().map(Duration::from_millis);
    given.filter(|timeout| !timeout.is_zero() && *timeout <= LONGEST_STARTUP).map(Some).ok_or_else(
        || "needs a `startupTimeout` in milliseconds, from 1 to 600000 (ten minutes)".to_owned(),
    )
}

#[cfg(test)]
mod tests;
