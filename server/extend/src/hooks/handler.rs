//! One handler: from what was written to what is to be done.

use std::collections::BTreeMap;
use std::time::Duration;

use policy::Rule;
use serde_json::{Map, Value};

/// What a handler is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookKind {
    Command,
    Http,
    Prompt,
    Agent,
    McpTool,
}

impl HookKind {
    /// As it is written.
    pub fn name(self) -> &'static str {
        match self {
            HookKind::Command => "command",
            HookKind::Http => "http",
            HookKind::Prompt => "prompt",
            HookKind::Agent => "agent",
            HookKind::McpTool => "mcp_tool",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum HookAction {
    Command {
        command: String,
        /// Then there is no shell, and these are its arguments.
        args: Option<Vec<String>>,
        shell: HookShell,
    },
    Http {
        url: String,
        headers: BTreeMap<String, String>,
        /// Variables that may be filled into the headers.
        variables: Vec<String>,
    },
    McpTool {
        server: String,
        tool: String,
        input: Map<String, Value>,
    },
    Prompt {
        prompt: String,
        model: Option<String>,
    },
    Agent {
        prompt: String,
        model: Option<String>,
    },
}

/// Who reads a command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HookShell {
    #[default]
    Usual,
    Bash,
    PowerShell,
}

/// A handler that nobody waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Background {
    /// What it says is told when there is an occasion.
    Quiet,
    /// When it ends with the exit code 2, the model is woken.
    Wakes,
}

/// What is written about one handler.
#[derive(Clone, Debug, PartialEq)]
pub struct HookHandler {
    pub action: HookAction,
    /// One permission rule that must speak about the call. The error is what was written and is no
    /// rule.
    pub condition: Option<Result<Rule, String>>,
    pub timeout: Option<Duration>,
    /// What is shown while it runs.
    pub status_message: Option<String>,
    /// It is asked once; only what is written in a skill's head may say so.
    pub once: bool,
    pub background: Option<Background>,
    /// A failure counts as a no, or it does not; else the event decides.
    pub failure_blocks: Option<bool>,
    /// A no of a model sends the reason back to the model at work, which goes on.
    pub continue_on_block: bool,
    /// Everything that was written.
    pub definition: Value,
}

impl HookHandler {
    /// The error is the middle of a sentence.
    pub fn read(definition: Value) -> Result<HookHandler, &'static str> {
        let action = action(&definition)?;
        let yes = |key: &str| match definition.get(key) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(_) => Err(()),
        };
        let background = match (yes("async"), yes("asyncRewake")) {
            (Ok(_), Ok(true)) => Some(Background::Wakes),
            (Ok(true), Ok(false)) => Some(Background::Quiet),
            (Ok(false), Ok(false)) => None,
            _ => return Err("needs `async` and `asyncRewake` that are true or false"),
        };
        let failure_blocks = match definition.get("onFailure") {
            None | Some(Value::Null) => None,
            Some(Value::String(word)) if word == "block" => Some(true),
            Some(Value::String(word)) if word == "continue" => Some(false),
            Some(_) => return Err("needs an `onFailure` of continue or block"),
        };
        let condition = match definition.get("if") {
            None | Some(Value::Null) => None,
            Some(Value::String(rule)) => Some(rule.parse().map_err(|_| rule.clone())),
            Some(_) => return Err("needs an `if` that is a permission rule in quotes"),
        };
        Ok(HookHandler {
            action,
            condition,
            timeout: timeout(&definition)?,
            status_message: text(&definition, "statusMessage").map(str::to_owned),
            once: yes("once").map_err(|()| "needs a `once` that is true or false")?,
            background,
            failure_blocks,
            continue_on_block: yes("continueOnBlock")
                .map_err(|()| "needs a `continueOnBlock` that is true or false")?,
            definition,
        })
    }

    pub fn kind(&self) -> HookKind {
        match self.action {
            HookAction::Command { .. } => HookKind::Command,
            HookAction::Http { .. } => HookKind::Http,
            HookAction::McpTool { .. } => HookKind::McpTool,
            HookAction::Prompt { .. } => HookKind::Prompt,
            HookAction::Agent { .. } => HookKind::Agent,
        }
    }

    /// What it is about, for people: the command line, the address, the question, the tool.
    pub fn about(&self) -> String {
        match &self.action {
            HookAction::Command { command, args: None, .. } => command.clone(),
            HookAction::Command { command, args: Some(args), .. } => {
                std::iter::once(command).chain(args).cloned().collect::<Vec<_>>().join(" ")
            }
            HookAction::Http { url, .. } => url.clone(),
            HookAction::McpTool { server, tool, .. } => format!("{server}/{tool}"),
            HookAction::Prompt { prompt, .. } | HookAction::Agent { prompt, .. } => prompt.clone(),
        }
    }
}

fn text<'a>(definition: &'a Value, key: &str) -> Option<&'a str> {
    definition.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

fn timeout(definition: &Value) -> Result<Option<Duration>, &'static str> {
    let Some(written) = definition.get("timeout").filter(|written| !written.is_null()) else {
        return Ok(None);
    };
    let seconds = written.as_f64().filter(|seconds| *seconds > 0.0 && *seconds <= 86_400.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.map(Some).ok_or("needs a `timeout` in seconds, from more than 0 to a day")
}

fn action(definition: &Value) -> Result<HookAction, &'static str> {
    let own = |key: &str| text(definition, key).map(str::to_owned);
    let model = own("model");
    match text(definition, "type") {
        Some("command") => Ok(HookAction::Command {
            args: texts(definition, "args")
                .map_err(|()| "needs `args` that are a list of strings")?,
            shell: match definition.get("shell").and_then(Value::as_str) {
                None => HookShell::Usual,
                Some("bash") => HookShell::Bash,
                Some("powershell") => HookShell::PowerShell,
                Some(_) => return Err("needs a `shell` of bash or powershell"),
            },
            command: own("command").ok_or("needs a `command`")?,
        }),
        Some("http") => {
            let url = own("url").ok_or("needs a `url`")?;
            if !(url.starts_with("https://") || url.starts_with("http://")) {
                return Err("needs a `url` that begins with https:// or http://");
            }
            let variables = texts(definition, "allowedEnvVars");
            let variables =
                variables.map_err(|()| "needs `allowedEnvVars` that are a list of names")?;
            let (headers, variables) = (headers(definition)?, variables.unwrap_or_default());
            Ok(HookAction::Http { url, headers, variables })
        }
        Some("prompt") => {
            Ok(HookAction::Prompt { prompt: own("prompt").ok_or("needs a `prompt`")?, model })
        }
        Some("agent") => {
            Ok(HookAction::Agent { prompt: own("prompt").ok_or("needs a `prompt`")?, model })
        }
        Some("mcp_tool") => {
            let input = match definition.get("input") {
                None | Some(Value::Null) => Map::new(),
                Some(Value::Object(input)) => input.clone(),
                Some(_) => return Err("needs an `input` that is an object"),
            };
            let (server, tool) = (own("server"), own("tool"));
            let (server, tool) = server.zip(tool).ok_or("needs a `server` and a `tool`")?;
            Ok(HookAction::McpTool { server, tool, input })
        }
        Some(_) => Err("needs a `type` of command, http, prompt, agent or mcp_tool"),
        None => Err("needs a `type`, such as \"command\""),
    }
}

fn texts(definition: &Value, key: &str) -> Result<Option<Vec<String>>, ()> {
    match definition.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(values)) => {
            let texts = values.iter().map(|value| value.as_str().map(str::to_owned));
            texts.collect::<Option<Vec<_>>>().map(Some).ok_or(())
        }
        Some(_) => Err(()),
    }
}

fn headers(definition: &Value) -> Result<BTreeMap<String, String>, &'static str> {
    const WRONG: &str = "needs `headers` that are an object of strings";
    match definition.get("headers") {
        None | Some(Value::Null) => Ok(BTreeMap::new()),
        Some(Value::Object(headers)) => headers
            .iter()
            .map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())))
            .collect::<Option<_>>()
            .ok_or(WRONG),
        Some(_) => Err(WRONG),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn wrong(definition: Value) -> &'static str {
        HookHandler::read(definition).unwrap_err()
    }

    #[test]
    fn every_kind_is_read() {
        let read = |definition: Value| HookHandler::read(definition).unwrap();
        let command = read(json!({
            "type": "command", "command": "a", "args": ["b"], "shell": "bash", "timeout": 1.5,
            "if": "Bash(git *)", "async": true, "asyncRewake": true, "onFailure": "block",
            "statusMessage": "Looking", "once": true,
        }));
        assert_eq!((command.kind(), command.about().as_str()), (HookKind::Command, "a b"));
        assert_eq!(command.timeout, Some(Duration::from_millis(1500)));
        assert_eq!(command.background, Some(Background::Wakes));
        assert_eq!((command.failure_blocks, command.once), (Some(true), true));
        assert_eq!(command.status_message.as_deref(), Some("Looking"));
        assert!(command.condition.unwrap().is_ok());
        let http = read(json!({
            "type": "http", "url": "https://h/x", "headers": { "A": "$B" }, "allowedEnvVars": ["B"],
        }));
        assert_eq!(http.about(), "https://h/x");
        let tool = read(json!({ "type": "mcp_tool", "server": "s", "tool": "t" }));
        assert_eq!(tool.about(), "s/t");
        let prompt = read(json!({ "type": "prompt", "prompt": "Fine?", "continueOnBlock": true }));
        assert!(prompt.continue_on_block);
        assert_eq!(read(json!({ "type": "agent", "prompt": "p" })).kind(), HookKind::Agent);
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (definition, expect) in [
            (json!({}), "a `type`"),
            (json!({ "type": "shell" }), "a `type` of"),
            (json!({ "type": "command" }), "a `command`"),
            (json!({ "type": "command", "command": "a", "args": "b" }), "`args`"),
            (json!({ "type": "command", "command": "a", "shell": "zsh" }), "`shell`"),
            (json!({ "type": "command", "command": "a", "timeout": 0 }), "`timeout`"),
            (json!({ "type": "command", "command": "a", "async": "yes" }), "`async`"),
            (json!({ "type": "command", "command": "a", "onFailure": "ask" }), "`onFailure`"),
            (json!({ "type": "command", "command": "a", "if": ["Bash"] }), "`if`"),
            (json!({ "type": "http" }), "a `url`"),
            (json!({ "type": "http", "url": "file:///etc" }), "begins with"),
            (json!({ "type": "http", "url": "https://h", "headers": ["a"] }), "`headers`"),
            (
                json!({ "type": "http", "url": "https://h", "allowedEnvVars": "A" }),
                "allowedEnvVars",
            ),
            (json!({ "type": "mcp_tool", "server": "s" }), "`server` and a `tool`"),
            (json!({ "type": "mcp_tool", "server": "s", "tool": "t", "input": 1 }), "`input`"),
            (json!({ "type": "prompt", "prompt": " " }), "a `prompt`"),
        ] {
            assert!(wrong(definition.clone()).contains(expect), "{definition}");
        }
    }
}
