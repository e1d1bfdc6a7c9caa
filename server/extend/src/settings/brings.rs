//! What a folder would switch on: hooks, servers, allow rules and folders, each with a hash.
//!
//! The files are read as data, for the question whether to trust the folder. At that time the
//! hashes are remembered; what changed since, or is new, is not used until it is asked about again.

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::Path;

use policy::{Behavior, Rule};
use serde_json::{Value, json};

use super::explain::step;
use super::parse::Parsed;
use super::{Locations, Scoped, project_layers, scope};
use crate::agents::{AgentQuery, AgentSource, Agents};
use crate::skills::{self, BroughtSkill};
use crate::{files, hash, memory};

/// What kind of thing a folder brings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BringsKind {
    Hook,
    McpServer,
    LanguageServer,
    Plugin,
    AllowRule,
    Directory,
    /// Words that the agent is to follow.
    Instructions,
    /// The same, when they are called for.
    Skill,
}

impl fmt::Display for BringsKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            BringsKind::Hook => "hook",
            BringsKind::McpServer => "MCP server",
            BringsKind::LanguageServer => "language server",
            BringsKind::Plugin => "plugin",
            BringsKind::AllowRule => "allow rule",
            BringsKind::Directory => "folder",
            BringsKind::Instructions => "instructions",
            BringsKind::Skill => "skill",
        })
    }
}

/// One thing that a folder's files switch on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brings {
    pub kind: BringsKind,
    /// One line for people. Nothing in it moves a cursor, hides or turns around.
    pub line: String,
    pub hash: String,
    /// Of a server.
    pub name: Option<String>,
}

/// All that a folder's files switch on, each thing once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brought {
    pub items: Vec<Brings>,
    /// How many were left out of the list. They are not approved with it.
    pub more: usize,
    /// A file could not be read, so there may be more to it.
    pub broken: bool,
}

/// Nobody reads a longer list, or a longer line.
const MOST_ITEMS: usize = 200;
const LONGEST_LINE: usize = 200;

/// Reads what the files of a folder switch on. Nothing runs, and nothing is believed.
pub fn bring(locations: &Locations, cwd: &Path) -> Brought {
    let mut brought = Brought::default();
    for Scoped { mut parsed, .. } in project_layers(locations, cwd) {
        brought.broken |= parsed.broken;
        sift(&mut parsed, cwd, locations.home.as_deref(), &mut |item| {
            if brought.items.iter().any(|known| known.hash == item.hash) {
                return true;
            }
            match brought.items.len() < MOST_ITEMS {
                true => brought.items.push(item),
                false => brought.more += 1,
            }
            true
        });
    }
    for file in memory::brought(locations, cwd) {
        let name = file.strip_prefix(cwd).unwrap_or(&file).display().to_string();
        let line = format!("tells the agent what to do: {name}");
        let hash = hash::of("instructions", &json!(file.display().to_string()));
        match brought.items.len() < MOST_ITEMS {
            true => brought.items.push(item(BringsKind::Instructions, &line, hash)),
            false => brought.more += 1,
        }
    }
    for (name, grant) in skills_of(locations, cwd) {
        let line = format!("brings a skill or a command: {name}");
        let hash = hash::of("skill", &json!(name));
        for item in std::iter::once(item(BringsKind::Skill, &line, hash)).chain(grant) {
            match brought.items.len() < MOST_ITEMS {
                true => brought.items.push(item),
                false => brought.more += 1,
            }
        }
    }
    for item in hooks_of_agents(locations, cwd) {
        match brought.items.len() < MOST_ITEMS {
            true => brought.items.push(item),
            false => brought.more += 1,
        }
    }
    brought
}

/// The project's skills by the names of their files, each with what it allows by itself.
fn skills_of(locations: &Locations, cwd: &Path) -> impl Iterator<Item = (String, Vec<Brings>)> {
    let cwd = cwd.to_owned();
    skills::brought(locations, &cwd).into_iter().map(move |BroughtSkill { file, allows, hooks }| {
        let name = file.strip_prefix(&cwd).unwrap_or(&file).display().to_string();
        let rules = allows.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let line = format!("allows without asking, while {name} is used: {rules}");
        let hash = skills::hash_of_grant(&file, &allows);
        let grant = (!allows.is_empty()).then(|| item(BringsKind::AllowRule, &line, hash));
        let hooks = hooks.map(|hooks| hooks_of(&file, &name, &hooks));
        (name, grant.into_iter().chain(hooks).collect())
    })
}

/// What the project's skills allow by themselves.
pub(super) fn grants_of_skills(locations: &Locations, cwd: &Path) -> impl Iterator<Item = Brings> {
    let skills: Vec<_> = skills_of(locations, cwd).flat_map(|(_, grant)| grant).collect();
    skills.into_iter().chain(hooks_of_agents(locations, cwd))
}

/// Hooks in a head, as one thing to be approved.
fn hooks_of(file: &Path, name: &str, hooks: &Value) -> Brings {
    let events = hooks.as_object().into_iter().flat_map(|hooks| hooks.keys());
    let events = events.map(String::as_str).collect::<Vec<_>>().join(", ");
    let line = format!("runs hooks ({events}) while {name} is used: {hooks}");
    item(BringsKind::Hook, &line, skills::hash_of_hooks(file, hooks))
}

/// The hooks of the project's agents.
fn hooks_of_agents(locations: &Locations, cwd: &Path) -> Vec<Brings> {
    let query = AgentQuery {
        locations,
        cwd,
        trusted: true,
        only_plugins: false,
        given: None,
        more: &[],
        built_in: false,
    };
    let agents = Agents::load(&query).list.into_iter();
    let of_project = agents.filter(|agent| agent.source == AgentSource::Project);
    let brings = of_project.filter_map(|agent| {
        let (file, hooks) = (agent.file?, agent.hooks?);
        let name = file.strip_prefix(cwd).unwrap_or(&file).display().to_string();
        Some(hooks_of(&file, &name, &hooks))
    });
    brings.collect()
}

/// The hash by which an allow rule is approved.
pub fn hash_of_allow(rule: &Rule) -> String {
    hash::of("allow", &json!(rule.to_string()))
}

/// Shows each thing that a project's file switches on to `keep`, and takes out what it refuses.
pub(super) fn sift(
    parsed: &mut Parsed,
    cwd: &Path,
    home: Option<&Path>,
    keep: &mut dyn FnMut(Brings) -> bool,
) {
    let mut gone = Vec::new();
    parsed.hooks.retain(|located| {
        let hook = &located.value;
        let on = hook.matcher.as_ref().map_or(String::new(), |matcher| format!(", {matcher}"));
        let line = format!("runs a hook ({}{on}): {}", hook.event, hook.handler.about());
        let kept = keep(item(BringsKind::Hook, &line, hook.hash(Some(cwd))));
        if !kept {
            gone.push(located.at);
        }
        kept
    });
    parsed.rules.retain(|located| {
        let (behavior, rule) = &located.value;
        let hash = || hash_of_allow(rule);
        let kept = *behavior != Behavior::Allow
            || keep(item(BringsKind::AllowRule, &format!("allows without asking: {rule}"), hash()));
        if !kept {
            gone.push(located.at);
        }
        kept
    });
    parsed.directories.retain(|located| {
        let folder = files::real(&scope::absolute(&located.value, cwd, home));
        let hash = hash::of("folder", &json!(folder.display().to_string()));
        let line = format!("works in another folder too: {}", folder.display());
        let kept = keep(item(BringsKind::Directory, &line, hash));
        if !kept {
            gone.push(located.at);
        }
        kept
    });
    parsed.plugins.retain(|located| {
        let (id, enabled) = &located.value;
        let hash = || hash::of("plugin", &json!(id));
        let line = format!("switches on the plugin {id}");
        let kept = !enabled || keep(item(BringsKind::Plugin, &line, hash()));
        if !kept {
            gone.push(located.at);
        }
        kept
    });
    gone.into_iter().for_each(|at| parsed.forget(at));
    for (key, what) in [("statusLine", "the status line"), ("fileSuggestion", "`@` in prompts")] {
        let Some(definition) = parsed.raw.get(key) else { continue };
        let command = definition.get("command").and_then(Value::as_str).unwrap_or_default();
        let line = format!("runs a command for {what}: {command}");
        if !keep(item(BringsKind::Hook, &line, hash::of(key, definition))) {
            parsed.raw.remove(key);
            parsed.forget_key(key);
        }
    }
    servers(parsed, keep);
}

fn servers(parsed: &mut Parsed, keep: &mut dyn FnMut(Brings) -> bool) {
    let mut gone = Vec::new();
    parsed.language_servers.retain(|server| {
        let words = words([server.command.as_str()], server.args.iter().map(String::as_str));
        let line = format!("starts the language server {}: {words}", server.name);
        let definition = json!([
            server.name,
            server.command,
            server.args,
            server.env,
            server.extensions,
            server.initialization_options,
            server.settings,
        ]);
        let hash = hash::of("language server", &definition);
        let item = item(BringsKind::LanguageServer, &line, hash);
        let kept = keep(Brings { name: Some(server.name.clone()), ..item });
        if !kept {
            gone.push(format!("languageServers.{}", step(&server.name)));
        }
        kept
    });
    parsed.mcp.retain(|(name, definition)| {
        let hash = hash::of("MCP server", &json!([name, definition]));
        let item = item(BringsKind::McpServer, &mcp_line(name, definition), hash);
        let kept = keep(Brings { name: Some(name.to_owned()), ..item });
        if !kept {
            gone.push(format!("mcpServers.{}", step(name)));
        }
        kept
    });
    gone.iter().for_each(|key| parsed.forget_key(key));
}

/// Variables and headers are named only: their values may be secrets.
fn mcp_line(name: &str, definition: &Value) -> String {
    let text = |key: &str| definition.get(key).and_then(Value::as_str);
    let names = |key: &str| {
        let object = definition.get(key).and_then(Value::as_object);
        let names: Vec<_> = object.into_iter().flat_map(|o| o.keys()).map(String::as_str).collect();
        if names.is_empty() { String::new() } else { format!(" ({key}: {})", names.join(", ")) }
    };
    if let Some(url) = text("url") {
        return format!("connects to the MCP server {name}: {url}{}", names("headers"));
    }
    let args = definition.get("args").and_then(Value::as_array).into_iter().flatten();
    let words = words(text("command"), args.filter_map(Value::as_str));
    format!("starts the MCP server {name}: {words}{}", names("env"))
}

fn words<'a>(
    command: impl IntoIterator<Item = &'a str>,
    args: impl Iterator<Item = &'a str>,
) -> String {
    command.into_iter().chain(args).collect::<Vec<_>>().join(" ")
}

fn item(kind: BringsKind, line: &str, hash: String) -> Brings {
    Brings { kind, line: one_line(line), hash, name: None }
}

/// Text from a project as one harmless line: what could move a cursor, hide, or turn the direction
/// around is spelled out, and a long text says how much of it is missing.
pub fn one_line(text: &str) -> String {
    let mut shown = String::new();
    for (count, c) in text.chars().enumerate() {
        if count == LONGEST_LINE {
            let more = text.chars().count() - count;
            shown.push_str(&format!("… (and {more} more characters)"));
            break;
        }
        match c {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            c if is_unseen(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}

fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}')
}
