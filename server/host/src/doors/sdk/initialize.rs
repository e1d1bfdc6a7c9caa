//! `initialize`: what the host brings along, and what it is told in return.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use extend::GivenPlugin;
use policy::{Behavior, Entry, Rule, Source};
use protocol::session::Command;
use serde_json::{Map, Value, json};

use agent::models::{MODELS, Model, ThinkingSupport};
use model::Service;

use super::servers::{HostServers, Manifest};
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
    /// What it says about them.
    pub(super) configs: Map<String, Value>,
    /// What it has heard from them; nothing when it says nothing of the kind.
    manifests: Option<Value>,
    skills: Option<Vec<String>>,
    aliases: BTreeMap<String, String>,
    plan_words: Option<String>,
    plugins: Vec<GivenPlugin>,
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
        configs: request["sdkMcpServerConfigs"].as_object().cloned().unwrap_or_default(),
        manifests: request.get("sdkMcpServerManifests").filter(|it| !it.is_null()).cloned(),
        skills: request["skills"].is_array().then(|| names(&request["skills"])),
        aliases: aliases(&request["toolAliases"])?,
        plan_words: request["planModeInstructions"].as_str().map(str::to_owned),
        plugins: plugins(&request["plugins"])?,
    })
}

fn names(list: &Value) -> Vec<String> {
    let names = list.as_array().into_iter().flatten().filter_map(Value::as_str);
    names.map(str::to_owned).collect()
}

/// `{Name: Name}`. The error is a sentence for the host.
fn aliases(map: &Value) -> Result<BTreeMap<String, String>, String> {
    let fields = match map {
        Value::Null => return Ok(BTreeMap::new()),
        Value::Object(fields) => fields,
        _ => return Err("`toolAliases` is an object of names.".to_owned()),
    };
    let pair = |(name, meant): (&String, &Value)| Some((name.clone(), meant.as_str()?.to_owned()));
    let pairs: Option<BTreeMap<_, _>> = fields.iter().map(pair).collect();
    pairs.ok_or_else(|| "`toolAliases` has a name that is no text.".to_owned())
}

/// Rules for tools of servers that live in the host: it can have a tool asked about or denied, and
/// nothing more.
fn rules_of_servers(announced: &Announced) -> Vec<Entry> {
    let known = announced.configs.iter().filter(|(name, _)| announced.servers.contains(name));
    let tools = known.flat_map(|(server, config)| {
        let tools = config["tools"].as_array().into_iter().flatten();
        tools.map(move |tool| (server, tool))
    });
    let entry = |(server, tool): (&String, &Value)| {
        let behavior = match tool["permission_policy"].as_str()? {
            "always_allow" => return None,
            "always_deny" => Behavior::Deny,
            // What nobody knows is meant to be safe.
            _ => Behavior::Ask,
        };
        let rule = mcp::tool_name(server, tool["name"].as_str()?).parse::<Rule>().ok()?;
        Some(Entry { behavior, rule, source: Source::CommandLine })
    };
    tools.filter_map(entry).collect()
}

/// What the host says about the servers that live in it; gives what became of what it had heard.
pub(super) fn tell_servers(announced: &Announced, servers: &HostServers) -> Option<Value> {
    servers.set(announced.servers.iter().cloned());
    for (name, config) in &announced.configs {
        if let Some(millis) = config["timeout"].as_u64().filter(|millis| *millis >= 1000) {
            servers.set_patience(name, Duration::from_millis(millis));
        }
    }
    let manifests = announced.manifests.as_ref()?;
    let fate = |name: &String| match Manifest::read(&manifests[name.as_str()]) {
        None => "malformed",
        Some(manifest) if manifest.version() != Some(&mcp::protocol_version()) => {
            "protocol_version_mismatch"
        }
        Some(manifest) => match servers.park(name, manifest) {
            true => "parked",
            false => "already_connected",
        },
    };
    let named = |name: &&String| !manifests.is_object() || manifests.get(name.as_str()).is_some();
    let fates = announced.servers.iter().filter(named);
    let fates: Map<String, Value> = fates.map(|name| (name.clone(), fate(name).into())).collect();
    (!announced.servers.is_empty()).then_some(Value::Object(fates))
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
    let limits = &mut job.limits;
    limits.rules.extend(rules_of_servers(announced));
    limits.skills.clone_from(&announced.skills);
    limits.tool_aliases.clone_from(&announced.aliases);
    limits.plan_words.clone_from(&announced.plan_words);
    limits.given.add_plugins(announced.plugins.clone());
    job.title.clone_from(&announced.title);
    job.suggestions = announced.suggestions;
    Ok(())
}

/// What can be said before the session says what it has; see [`complete`].
pub(super) fn answer(
    host: &HostContext,
    cwd: &Path,
    announced: &Announced,
    fates: Option<Value>,
) -> Value {
    let mut told = json!({
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
    });
    if !announced.plugins.is_empty() {
        // Which of them are there is known when the session says what it has.
        told[PLUGINS] = announced.plugins.iter().map(|plugin| json!(plugin.folder)).collect();
    }
    if let Some(fates) = fates {
        told["sdk_mcp_manifests_parked"] = fates;
    }
    told
}

/// Whether all plugins that the host named are loaded.
const PLUGINS: &str = "plugins_applied";

/// Whether this is an answer to `initialize` that waits for the rest.
pub(super) fn is_incomplete(answer: &Value) -> bool {
    answer.get("commands").is_some_and(Value::is_null)
}

/// The rest: what the session has, which was told just before.
pub(super) fn complete(answer: &mut Value, has: &Equipment) {
    answer["commands"] = has.commands.iter().map(command).collect();
    answer["agents"] = agents(has).into();
    if let Some(style) = &has.style {
        answer["output_style"] = style.clone().into();
    }
    answer["available_output_styles"] = has.styles.clone().into();
    if let Some(folders) = answer[PLUGINS].as_array() {
        let is_loaded = |folder: &Value| {
            let folder = folder.as_str().map(Path::new);
            has.plugins.iter().any(|(_, loaded)| Some(loaded.as_path()) == folder)
        };
        answer[PLUGINS] = folders.iter().all(is_loaded).into();
    }
}

pub(super) fn agents(has: &Equipment) -> Vec<Value> {
    let agents = has.agents.iter();
    agents.map(|agent| json!({ "name": agent.name, "description": agent.description })).collect()
}

/// Folders of plugins: `[{type: "local", path}]`. The error is a sentence for the host.
pub(super) fn plugins(list: &Value) -> Result<Vec<GivenPlugin>, String> {
    let list = match list {
        Value::Null => return Ok(Vec::new()),
        Value::Array(list) => list,
        _ => return Err("Plugins are a list.".to_owned()),
    };
    let folder = |plugin: &Value| {
        let path = plugin["path"].as_str().map(PathBuf::from).filter(|path| path.is_absolute());
        match (plugin["type"].as_str(), path) {
            (Some("local"), Some(folder)) => {
                Ok(GivenPlugin { folder, servers: plugin["skipMcpDiscovery"] != json!(true) })
            }
            _ => Err("A plugin is {\"type\": \"local\", \"path\": an absolute path}.".to_owned()),
        }
    };
    list.iter().map(folder).collect()
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
