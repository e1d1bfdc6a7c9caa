//! Hooks as users write them: `"hooks": {Event: [{matcher?, hooks: [handler]}]}`. They are kept as
//! data; who runs them decides how.
//!
//! A hook may be a guard, so one that cannot be read is a lost restriction.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use policy::Source;
use serde_json::Value;

use super::parse::{CONSEQUENCE, Located, Reader, at, json};
use super::spelling;
use crate::{files, hash};

/// What a hook is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookKind {
    Command,
    Http,
    Prompt,
    Agent,
    McpTool,
}

/// One hook. Plain data: nothing here runs it.
#[derive(Clone, Debug, PartialEq)]
pub struct HookSetting {
    /// Such as `PreToolUse`; one that we do not know is kept too.
    pub event: String,
    /// `None` for every tool (or whatever the event matches on).
    pub matcher: Option<String>,
    pub kind: HookKind,
    /// The command line, address, prompt or `server/tool`, by its kind.
    pub command: String,
    /// For a command without a shell.
    pub args: Option<Vec<String>>,
    /// Variables beside the usual ones, for a plugin's.
    pub env: BTreeMap<String, String>,
    /// One permission rule that must match, as written under `if`.
    pub condition: Option<String>,
    pub timeout: Option<Duration>,
    /// Everything that was written about this handler.
    pub definition: Value,
    pub source: Source,
    pub file: PathBuf,
    pub line: usize,
    /// Of the definition and, for a project's hook, of the project's files it names.
    pub hash: String,
}

/// A hook of one file, before it is known whose.
#[derive(Clone, Debug)]
pub(super) struct Handler {
    pub(super) event: String,
    pub(super) matcher: Option<String>,
    pub(super) kind: HookKind,
    pub(super) command: String,
    pub(super) definition: Value,
}

#[rustfmt::skip]
const EVENTS: [&str; 33] = [
    "PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch", "PermissionRequest",
    "PermissionDenied", "UserPromptSubmit", "UserPromptExpansion", "SessionStart", "SessionEnd",
    "Stop", "SubagentStop", "SubagentStart", "StopFailure", "Notification", "PreCompact",
    "PostCompact", "PreModelSwitch", "PostModelSwitch", "Setup", "InstructionsLoaded",
    "ConfigChange", "CwdChanged", "FileChanged", "DirectoryAdded", "WorktreeCreate",
    "WorktreeRemove", "TaskCreated", "TaskCompleted", "TeammateIdle", "Elicitation",
    "ElicitationResult", "MessageDisplay",
];

/// A script that a hook names counts as part of it up to this many files.
const MOST_SCRIPTS: usize = 8;

pub(super) fn read(reader: &mut Reader<'_>, events: &Object<'_>) {
    for property in &events.properties {
        let event = property.name.as_str();
        if !EVENTS.contains(&event)
            && let Some(near) = spelling::nearest(event, &EVENTS)
        {
            let event = event.escape_debug();
            let message = format!("There is no event `{event}`; write `{near}`, {CONSEQUENCE}.");
            reader.broken(property.start(), message);
        }
        let Ast::Array(groups) = &property.value else {
            let message = format!(
                "The hooks of `{}` must be a list, such as [{{\"hooks\": [{{\"type\": \
                 \"command\", \"command\": \"…\"}}]}}], {CONSEQUENCE}.",
                event.escape_debug()
            );
            reader.broken(property.value.start(), message);
            continue;
        };
        for group in &groups.elements {
            self::group(reader, event, group);
        }
    }
}

fn group(reader: &mut Reader<'_>, event: &str, group: &Ast<'_>) {
    let malformed = |reader: &mut Reader<'_>, offset: usize, what: &str| {
        let message =
            format!("A hook of `{}` {what}; mend it here, {CONSEQUENCE}.", event.escape_debug());
        reader.broken(offset, message);
    };
    let Ast::Object(group) = group else {
        return malformed(reader, group.start(), "must be an object with a list `hooks`");
    };
    let matcher = match group.get("matcher").map(|property| &property.value) {
        None | Some(Ast::NullKeyword(_)) => None,
        Some(Ast::StringLit(matcher)) => Some(matcher.value.to_string()),
        Some(other) => {
            return malformed(reader, other.start(), "needs a `matcher` that is a string");
        }
    };
    let matcher = matcher.filter(|matcher| !matcher.is_empty() && matcher != "*");
    let Some(Ast::Array(handlers)) = group.get("hooks").map(|property| &property.value) else {
        return malformed(reader, group.start(), "needs a list `hooks`");
    };
    for handler in &handlers.elements {
        let place = at(reader.text, handler.start());
        let definition = json(reader.text, handler).unwrap_or_default();
        match kind(&definition) {
            Ok((kind, command)) => {
                let (event, matcher) = (event.to_owned(), matcher.clone());
                let value = Handler { event, matcher, kind, command, definition };
                reader.parsed.hooks.push(Located { at: place, value });
            }
            Err(what) => malformed(reader, handler.start(), what),
        }
    }
}

/// The kind and what it is about; the error is the middle of a sentence.
fn kind(handler: &Value) -> Result<(HookKind, String), &'static str> {
    let text =
        |key: &str| handler.get(key).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
    let own = |text: Option<&str>| text.map(str::to_owned);
    let number = handler.get("timeout");
    if number.is_some_and(|seconds| !seconds.as_f64().is_some_and(|s| s > 0.0 && s <= 86_400.0)) {
        return Err("needs a `timeout` in seconds, from more than 0 to a day");
    }
    match text("type") {
        Some("command") => {
            let args = handler.get("args").is_none_or(|args| {
                args.as_array().is_some_and(|args| args.iter().all(Value::is_string))
            });
            if !args {
                return Err("needs `args` that are a list of strings");
            }
            let command = own(text("command")).ok_or("needs a `command`")?;
            Ok((HookKind::Command, command))
        }
        Some("http") => Ok((HookKind::Http, own(text("url")).ok_or("needs a `url`")?)),
        Some("prompt") => Ok((HookKind::Prompt, own(text("prompt")).ok_or("needs a `prompt`")?)),
        Some("agent") => Ok((HookKind::Agent, own(text("prompt")).ok_or("needs a `prompt`")?)),
        Some("mcp_tool") => match (text("server"), text("tool")) {
            (Some(server), Some(tool)) => Ok((HookKind::McpTool, format!("{server}/{tool}"))),
            _ => Err("needs a `server` and a `tool`"),
        },
        Some(_) => Err("needs a `type` of command, http, prompt, agent or mcp_tool"),
        None => Err("needs a `type`, such as \"command\""),
    }
}

impl Handler {
    /// `project` is the folder whose files the command may name; nobody else's are looked at.
    pub(super) fn hash(&self, project: Option<&Path>) -> String {
        let Handler { event, matcher, definition, .. } = self;
        let scripts: Vec<_> = project.map_or_else(Vec::new, |cwd| {
            scripts(&self.command, definition, cwd)
                .into_iter()
                .map(|file| {
                    let content = files::fingerprint(&file).unwrap_or_default();
                    serde_json::json!([file.display().to_string(), hash::of_bytes(&content)])
                })
                .collect()
        });
        hash::of("hook", &serde_json::json!([event, matcher, definition, scripts]))
    }

    pub(super) fn setting(
        self,
        (source, file, line): (Source, PathBuf, usize),
        hash: String,
    ) -> HookSetting {
        let Handler { event, matcher, kind, command, definition } = self;
        let args = definition
            .get("args")
            .and_then(Value::as_array)
            .map(|args| args.iter().filter_map(|arg| arg.as_str().map(str::to_owned)).collect());
        let condition = definition.get("if").and_then(Value::as_str).map(str::to_owned);
        let timeout = definition.get("timeout").and_then(Value::as_f64);
        let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        HookSetting {
            event,
            matcher,
            kind,
            command,
            args,
            env: BTreeMap::new(),
            condition,
            timeout,
            definition,
            source,
            file,
            line,
            hash,
        }
    }
}

/// The files of the project that a command names: when one changes, the hook has changed.
fn scripts(command: &str, definition: &Value, cwd: &Path) -> Vec<PathBuf> {
    let args = definition.get("args").and_then(Value::as_array).into_iter().flatten();
    let texts = [command].into_iter().chain(args.filter_map(Value::as_str));
    let here = cwd.display().to_string();
    let mut found = Vec::new();
    for text in texts {
        let plain = text.replace(['"', '\''], "");
        let plain = plain.replace("${CLAUDE_PROJECT_DIR}", &here);
        let plain = plain.replace("$CLAUDE_PROJECT_DIR", &here);
        let ends = |c: char| c.is_whitespace() || ";|&()<>`".contains(c);
        for word in plain.split(ends).filter(|word| !word.is_empty()) {
            let file = cwd.join(word);
            let inside = file.starts_with(cwd) && !found.contains(&file);
            if inside && found.len() < MOST_SCRIPTS && files::is_file(&file) {
                found.push(file);
            }
        }
    }
    found
}
