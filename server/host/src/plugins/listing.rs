//! What is installed, in words and for scripts.

use extend::one_line;
use extend::plugins::{Plugin, PluginId, SKILLS_DIR, tree};
use serde_json::{Value, json};

use super::Plugins;

impl Plugins {
    /// Everything that is installed, in the order of names.
    pub fn rows(&self) -> Vec<Row> {
        self.store.installed.keys().map(|id| Row::new(self, id)).collect()
    }
}

/// An installed plugin, as people are told about it.
pub struct Row {
    id: PluginId,
    version: Option<String>,
    description: Option<String>,
    enabled: bool,
    foreign: bool,
    parts: String,
    faults: Vec<String>,
    notes: Vec<String>,
}

impl Row {
    pub fn is_broken(&self) -> bool {
        !self.faults.is_empty()
    }

    fn new(plugins: &Plugins, id: &PluginId) -> Row {
        let found = plugins.store.installed.get(id);
        let chosen = plugins.settings.chosen.get(&id.to_string());
        let mut row = Row {
            id: id.clone(),
            version: found.and_then(|found| found.version.clone()),
            description: None,
            enabled: chosen.map_or(id.marketplace == SKILLS_DIR, |chosen| chosen.enabled),
            foreign: found.is_some_and(|found| found.foreign),
            parts: String::new(),
            faults: Vec::new(),
            notes: Vec::new(),
        };
        let root = found.map(|found| found.root.clone()).unwrap_or_default();
        match Plugin::open(id.clone(), &root, root.clone()) {
            Ok(plugin) => {
                row.faults = extend::check_plugin(&plugin);
                row.parts = parts(&plugin);
                row.description = plugin.manifest.description;
                row.notes = plugin.notes;
            }
            Err(faults) => row.faults = faults,
        }
        row
    }

    pub fn text(&self) -> String {
        let own = self.id.marketplace == SKILLS_DIR;
        let state = match (self.enabled, self.foreign) {
            (true, _) if own => "on, a folder of your skills",
            (false, _) if own => "off, a folder of your skills",
            (true, false) => "on",
            (true, true) => "on, installed by another agent",
            (false, false) => "off",
            (false, true) => "off, installed by another agent",
        };
        let version = self.version.as_deref().map_or(String::new(), |v| format!(" {v}"));
        let mut text = one_line(&format!("{}{version} ({state})", self.id));
        if let Some(description) = &self.description {
            text.push_str(&format!("\n    {}", one_line(description)));
        }
        if !self.parts.is_empty() {
            text.push_str(&format!("\n    {}", self.parts));
        }
        for fault in &self.faults {
            text.push_str(&format!("\n    problem: {}", one_line(fault)));
        }
        for note in &self.notes {
            text.push_str(&format!("\n    note: {}", one_line(note)));
        }
        text
    }

    pub fn json(&self) -> Value {
        json!({
            "id": self.id.to_string(),
            "version": self.version,
            "description": self.description,
            "enabled": self.enabled,
            "foreign": self.foreign,
            "problems": self.faults,
            "notes": self.notes,
        })
    }
}

/// What a plugin has, in words.
pub fn parts(plugin: &Plugin) -> String {
    let manifest = &plugin.manifest;
    let has = |there: bool, name: &'static str| there.then_some(name);
    let file = |name: &str| tree::is_there(&plugin.root.join(name));
    let parts: Vec<_> = [
        has(!plugin.skills.is_empty(), "skills"),
        has(!plugin.commands.is_empty(), "commands"),
        has(!plugin.agents.is_empty(), "agents"),
        has(!plugin.styles.is_empty(), "output styles"),
        has(!manifest.hooks.is_empty() || file("hooks/hooks.json"), "hooks"),
        has(!manifest.mcp_servers.is_empty() || file(".mcp.json"), "MCP servers"),
        has(!manifest.language_servers.is_empty() || file(".lsp.json"), "language servers"),
        has(plugin.programs().is_some(), "programs"),
    ]
    .into_iter()
    .flatten()
    .collect();
    if parts.is_empty() { "nothing that Bowline uses".to_owned() } else { parts.join(", ") }
}
