//! `system/init`: what a turn begins with.

use protocol::session::{Command, Config};
use serde_json::{Value, json};

use super::Teller;
use crate::doors::sdk::control::mcp_state;
use crate::doors::sdk::initialize::{COMPATIBLE, key_source};
use crate::session::Equipment;

/// What hosts may rely on.
const CAPABILITIES: &[&str] = &["interrupt_receipt_v1", "interrupt_cancel_queued_v1"];

impl Teller {
    pub(super) fn on_began(&mut self, equipment: Equipment) {
        self.equipment = equipment;
        self.say_init();
    }

    pub(super) fn say_init(&mut self) {
        let has = &self.equipment;
        let plugins: Vec<Value> =
            has.plugins.iter().map(|(name, path)| json!({ "name": name, "path": path })).collect();
        let names = |commands: &[Command]| -> Vec<String> {
            commands.iter().map(|command| command.name.clone()).collect()
        };
        let fields = json!({
            "cwd": has.cwd,
            "tools": has.tools,
            "mcp_servers": has.mcp_servers.iter()
                .map(|(name, state)| json!({ "name": name, "status": mcp_state(state) }))
                .collect::<Vec<_>>(),
            "model": has.model,
            "permissionMode": has.mode,
            "slash_commands": names(&has.commands),
            "apiKeySource": key_source(&self.shared.host),
            "claude_code_version": COMPATIBLE,
            "bowline_version": self.shared.host.version,
            "output_style": has.style.as_deref().unwrap_or("default"),
            "agents": has.agents.iter().map(|agent| &agent.name).collect::<Vec<_>>(),
            "skills": has.skills,
            "plugins": plugins,
            "effort": has.effort,
            "capabilities": CAPABILITIES,
        });
        self.system("init", fields);
    }

    /// The host knows the commands from `initialize`; this is what became of them.
    pub(super) fn on_commands(&mut self, commands: &[Command]) {
        let news = self.equipment.commands != commands;
        self.equipment.commands = commands.to_vec();
        if news && self.commands_known {
            let commands = commands.iter().map(super::super::initialize::command);
            let fields = json!({ "commands": commands.collect::<Vec<_>>() });
            self.system("commands_changed", fields);
        }
    }

    pub(super) fn on_config(&mut self, config: &Config) {
        self.equipment.model.clone_from(&config.model);
        let mode = config.mode.as_str();
        if self.equipment.mode != mode {
            mode.clone_into(&mut self.equipment.mode);
            self.system("status", json!({ "status": null, "permissionMode": mode }));
        }
    }
}
