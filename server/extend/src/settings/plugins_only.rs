//! `strictPluginOnlyCustomization`: what nobody but the administrator may bring, unless in a plugin
//! that they let be installed.

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::common::Ranged as _;
use policy::Source;

use super::Scoped;
use super::parse::{Located, Reader, at};
use super::sandbox::texts;

pub(super) const KEY: &str = "strictPluginOnlyCustomization";

/// What only plugins and the administrator bring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PluginsOnly {
    pub skills: bool,
    pub agents: bool,
    pub hooks: bool,
    pub mcp: bool,
}

const ALL: PluginsOnly = PluginsOnly { skills: true, agents: true, hooks: true, mcp: true };

/// `true`, or a list of what is meant. What is neither closes everything.
pub(super) fn read(reader: &mut Reader<'_>, value: &Ast<'_>) {
    let at = at(reader.text, value.start());
    match value {
        Ast::BooleanLit(flag) => {
            reader.parsed.bools.insert(KEY, Located { at, value: flag.value });
        }
        Ast::Array(_) => {
            let words = reader.located(KEY, value);
            reader.parsed.lists.insert(KEY, words);
        }
        other => {
            reader.wrong_type(KEY, other, "true, or a list of skills, agents, hooks and mcp");
            reader.parsed.bools.insert(KEY, Located { at, value: true });
        }
    }
}

/// Takes out what may not be there, and says what else may not.
pub(super) fn apply(layers: &mut [Scoped]) -> PluginsOnly {
    let mut only = PluginsOnly::default();
    for Scoped { parsed, .. } in layers.iter() {
        if parsed.bools.get(KEY).is_some_and(|found| found.value) {
            only = ALL;
        }
        for word in texts(parsed, KEY) {
            match word.as_str() {
                "skills" => only.skills = true,
                "agents" => only.agents = true,
                "hooks" => only.hooks = true,
                "mcp" => only.mcp = true,
                // Whatever it is, it was to restrict.
                _ => only = ALL,
            }
        }
    }
    for Scoped { place, parsed } in layers.iter_mut() {
        if place.source == Source::Managed {
            continue;
        }
        if only.hooks {
            parsed.hooks.clear();
            parsed.forget_key("hooks");
        }
        if only.mcp {
            parsed.mcp.clear();
            parsed.forget_key("mcpServers");
        }
    }
    only
}
