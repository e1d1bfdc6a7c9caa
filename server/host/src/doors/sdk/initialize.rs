//! `initialize`: what the host brings along, and what it is told in return.

use std::path::Path;

use protocol::session::Command;
use serde_json::{Map, Value, json};

use agent::models::{MODELS, Model, ThinkingSupport};
use model::Service;

use super::{Job, hooks};
use crate::context::HostContext;
use crate::keys::Origin;
use crate::offered;
use crate::session::{AnswerSchema, Equipment, HostedMatcher};

/// The version of the protocol that we speak: hosts compare it with what they need.
pub(super) const COMPATIBLE: &str = "2.1.325";

/// What the host said.
#[derive(Default)]
pub(super) struct Announced {
    pub(super) subagent_text: bool,
    suggestions: bool,
    pub(super) schema: Option<AnswerSchema>,
    system: Option<Vec<String>>,
    append: Option<String>,
    without_surroundings: bool,
    agents: Option<Map<String, Value>>,
    title: Option<String>,
    pub(super) hooks: Vec<HostedMatcher>,
    /// MCP servers that live in the host.
    pub(super) servers: Vec<String>,
}

/// A part of a list of blocks that says where what changes begins; it is no text.
const BOUNDARY: &str = "__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__";

/// The error is a sentence for the host.
pub(super) fn read(mut request: Value) -> Result<Announced, String> {
    let yes = |value: &Value| value.as_bool().unwrap_or(false);
    let schema = match &request["jsonSchema"] {
        Value::Null => None,
        schema => {
            let schema = AnswerSchema::parse(&schema.to_string());
            Some(schema.map_err(|problem| format!("jsonSchema cannot be used: {problem}."))?)
        }
    };
    let system = match &request["systemPrompt"] {
        Value::Null => None,
        Value::String(text) => Some(vec![text.clone()]),
        blocks => {
            let blocks = blocks.as_array().into_iter().flatten().filter_map(Value::as_str);
            Some(blocks.filter(|text| *text != BOUNDARY).map(str::to_owned).collect())
        }
    };
    let agents = match request["agents"].take() {
        Value::Null => None,
        Value::Object(agents) => Some(agents),
        _ => return Err("`agents` is an object of agents by their names.".to_owned()),
    };
    Ok(Announced {
        subagent_text: yes(&request["forwardSubagentText"]),
        suggestions: yes(&request["promptSuggestions"]),
        schema,
        system,
        append: request["appendSystemPrompt"].as_str().map(str::to_owned),
        without_surroundings: yes(&request["excludeDynamicSections"]),
        agents,
        title: request["title"].as_str().map(str::to_owned),
        hooks: hooks::read(&request["hooks"])?,
        servers: names(&request["sdkMcpServers"]),
    })
}

fn names(list: &Value) -> Vec<String> {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// What was said holds for the session that is about to open.
pub(super) fn apply(announced: &Announced, job: &mut Job) -> Result<(), String> {
    let prompt = &mut job.limits.prompt;
    if announced.system.is_some() {
        prompt.system.clone_from(&announced.system);
    }
    if announced.append.is_some() {
        prompt.append.clone_from(&announced.append);
    }
    prompt.without_surroundings |= announced.without_surroundings;
    if announced.schema.is_some() {
        job.limits.schema.clone_from(&announced.schema);
    }
    if let Some(agents) = &announced.agents {
        let given = job.limits.agents.take().unwrap_or_else(|| "{}".to_owned());
        let mut all: Map<String, Value> = serde_json::from_str(&given)
            .map_err(|error| format!("--agents is not an object of agents ({error})."))?;
        all.extend(agents.clone());
        job.limits.agents = Some(Value::Object(all).to_string());
    }
    job.title.clone_from(&announced.title);
    job.suggestions = announced.suggestions;
    Ok(())
}

/// What can be said before the session says what it has; see [`complete`].
pub(super) fn answer(host: &HostContext, cwd: &Path) -> Value {
    json!({
        "commands": null,
        "agents": [],
        "output_style": "default",
        "available_output_styles": [],
        "models": models(host, cwd),
        "account": { "apiKeySource": key_source(host), "apiProvider": provider(host) },
        "claude_code_version": COMPATIBLE,
        "hooks_applied": true,
        "hook_on_failure_supported": true,
        "pending_permission_requests": [],
    })
}

/// Whether this is an answer to `initialize` that waits for the rest.
pub(super) fn is_incomplete(answer: &Value) -> bool {
    answer.get("commands").is_some_and(Value::is_null)
}

/// The rest: what the session has, which was told just before.
pub(super) fn complete(answer: &mut Value, has: &Equipment) {
    answer["commands"] = has.commands.iter().map(command).collect();
    answer["agents"] = has
        .agents
        .iter()
        .map(|agent| json!({ "name": agent.name, "description": agent.description }))
        .collect();
    if let Some(style) = &has.style {
        answer["output_style"] = style.clone().into();
    }
    answer["available_output_styles"] = has.styles.clone().into();
}

pub(super) fn command(command: &Command) -> Value {
    json!({
        "name": command.name,
        "description": command.description,
        "argumentHint": command.argument_hint.clone().unwrap_or_default(),
        "builtin": command.source.as_deref() == Some("built-in"),
    })
}

/// Those that the settings permit.
pub(super) fn models(host: &HostContext, cwd: &Path) -> Vec<Value> {
    let usual = json!({
        "value": "default",
        "displayName": "Default",
        "description": "The model of the settings, or the one the provider recommends",
    });
    let offered = offered::models(host, Some(cwd));
    let choices = offered.map(|(provider, _)| provider.models()).unwrap_or_default();
    let infos = choices.iter().map(|choice| match MODELS.iter().find(|it| it.id == choice.id) {
        Some(model) => model_info(model),
        None => json!({
            "value": choice.id,
            "displayName": choice.name,
            "description": format!("{} tokens of context", choice.window),
        }),
    });
    std::iter::once(usual).chain(infos).collect()
}

fn model_info(model: &Model) -> Value {
    let mut info = json!({
        "value": model.id,
        "displayName": model.name,
        "description": format!("{} tokens of context", model.window),
        "resolvedModel": model.id,
        "supportsEffort": model.effort,
        "supportsAdaptiveThinking": matches!(
            model.thinking,
            ThinkingSupport::Adaptive | ThinkingSupport::Always
        ),
    });
    if model.effort {
        info["supportedEffortLevels"] = json!(["low", "medium", "high", "xhigh", "max"]);
    }
    info
}

fn provider(host: &HostContext) -> &'static str {
    let set = |name: &str| host.model_env.get(name).is_some();
    match () {
        () if set("CLAUDE_CODE_USE_BEDROCK") => "bedrock",
        () if set("CLAUDE_CODE_USE_VERTEX") => "vertex",
        () => "firstParty",
    }
}

/// Where the key comes from, in the host's words.
pub(super) fn key_source(host: &HostContext) -> &'static str {
    if host.model_env.get("ANTHROPIC_API_KEY").is_some() {
        return "ANTHROPIC_API_KEY";
    }
    let server = model::server_of(&host.model_env, Service::Anthropic).unwrap_or_default();
    match host.keys.origin(Service::Anthropic, &server) {
        Ok(Origin::Helper) => "apiKeyHelper",
        Ok(Origin::Stored { .. }) => "/login managed key",
        _ => "none",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_as_text_or_blocks() {
        let system = |value: Value| read(json!({ "systemPrompt": value })).unwrap().system;
        assert_eq!(system(json!([""])), Some(vec![String::new()]));
        assert_eq!(system(json!(["a", BOUNDARY, "b"])), Some(vec!["a".into(), "b".into()]));
        assert_eq!(system(json!("a")), Some(vec!["a".into()]));
        assert_eq!(system(Value::Null), None);
        assert!(read(json!({ "jsonSchema": { "type": 5 } })).is_err());
        assert!(read(json!({ "agents": [] })).is_err());
        assert!(read(json!({ "hooks": null })).is_ok());
    }
}
