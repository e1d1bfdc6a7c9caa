//! Which plugins count, and what of theirs belongs into the settings: hooks, MCP servers and
//! language servers. Their skills, commands, agents and styles are found by the folders in
//! [`PluginSettings::loaded`].

use std::collections::BTreeMap;
use std::path::PathBuf;

use policy::Source;
use serde_json::{Map, Value, json};

use super::parse::{self, Parsed};
use super::places::{GivenPlugin, Place};
use super::plugins_only::PluginsOnly;
use super::{
    Given, Locations, McpAdmission, McpServers, Settings, SettingsProblem, language_servers,
};
use crate::credentials::{Credentials, PLUGIN_FILE};
use crate::hooks::{HookAction, HookSetting};
use crate::plugins::{
    self, Dependency, INLINE, MarketplaceLimits, Plugin, PluginId, PluginSource, SKILLS_DIR, Store,
};

/// The kinds of values that are kept as they stand.
pub(super) const RAW: [&str; 8] = [
    "statusLine",
    "fileSuggestion",
    "extraKnownMarketplaces",
    "additionalMarketplaces",
    "strictKnownMarketplaces",
    "allowedMarketplaces",
    "blockedMarketplaces",
    "pluginConfigs",
];

/// What the files say about plugins.
#[derive(Clone, Debug, Default)]
pub struct PluginSettings {
    /// By `plugin@marketplace`, what the strongest file says.
    pub chosen: BTreeMap<String, Chosen>,
    /// Marketplaces that a file names, and where they are.
    pub marketplaces: BTreeMap<String, PluginSource>,
    pub limits: MarketplaceLimits,
    /// Those that are switched on, installed and sound.
    pub loaded: Vec<Plugin>,
    /// The user's values for a plugin, by its id. Not from a project's files.
    configs: BTreeMap<String, Value>,
    /// Those that nobody is to see, by the plugin's id and the key. Kept apart from the settings.
    secrets: BTreeMap<(String, String), String>,
}

/// Whether a plugin is to be used, and who says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub enabled: bool,
    pub source: Source,
    pub file: PathBuf,
    pub line: usize,
}

impl PluginSettings {
    /// Adds a weaker file to the stronger ones.
    pub(super) fn merge(&mut self, parsed: &Parsed, place: &Place) {
        for located in &parsed.plugins {
            let (id, enabled) = &located.value;
            let (source, file, line) = (place.source, place.file.clone(), located.at.line);
            let chosen = Chosen { enabled: *enabled, source, file, line };
            self.chosen.entry(id.clone()).or_insert(chosen);
        }
        let object = |key: &str| parsed.raw.get(key).and_then(Value::as_object);
        for key in ["extraKnownMarketplaces", "additionalMarketplaces"] {
            for (name, value) in object(key).into_iter().flatten() {
                let source = value.get("source").map(PluginSource::of_marketplace);
                if let Some(Ok(source)) = source {
                    self.marketplaces.entry(name.clone()).or_insert(source);
                }
            }
        }
        if !place.is_project() {
            for (id, config) in object("pluginConfigs").into_iter().flatten() {
                self.configs.entry(id.clone()).or_insert_with(|| config.clone());
            }
        }
        if place.source == Source::Managed {
            self.limit(parsed);
        }
    }

    /// A list that is none allows nothing, and bans everything.
    fn limit(&mut self, parsed: &Parsed) {
        let nothing = || vec![Value::Null];
        let list = |value: &Value| value.as_array().cloned().unwrap_or_else(nothing);
        for key in ["strictKnownMarketplaces", "allowedMarketplaces"] {
            if let Some(only) = parsed.raw.get(key) {
                self.limits.only.get_or_insert_default().extend(list(only));
            }
        }
        if let Some(blocked) = parsed.raw.get("blockedMarketplaces") {
            self.limits.blocked.extend(list(blocked));
        }
    }

    fn options(&self, id: &PluginId) -> BTreeMap<String, String> {
        let config = self.configs.get(&id.to_string());
        let options = config.and_then(|config| config.get("options")).and_then(Value::as_object);
        let plain = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let options = options.into_iter().flatten();
        let written = options.map(|(key, value)| (key.clone(), plain(value)));
        let id = id.to_string();
        let secret = self.secrets.iter().filter(|((of, _), _)| *of == id);
        written.chain(secret.map(|((_, key), value)| (key.clone(), value.clone()))).collect()
    }

    /// The values that must not be shown.
    pub fn secrets(&self) -> impl Iterator<Item = &str> + '_ {
        self.secrets.values().map(String::as_str)
    }

    fn load_secrets(&mut self, locations: &Locations, problems: &mut Vec<SettingsProblem>) {
        match Credentials::load_plugins(&locations.bowline_home) {
            Ok(stored) => self.secrets = stored.of_plugins().collect(),
            Err(error) => {
                let file = locations.bowline_home.join(PLUGIN_FILE);
                problems.push(SettingsProblem::new(&file, None, error.to_string()));
            }
        }
    }
}

/// Where a plugin is, before it is read.
struct Candidate {
    id: PluginId,
    root: PathBuf,
    version: Option<String>,
    chosen: Chosen,
    /// Its MCP servers count.
    servers: bool,
}

impl Settings {
    /// Reads the plugins that are switched on, and takes over what they bring.
    pub(super) fn load_plugins(&mut self, locations: &Locations, given: &Given) {
        let own = match given.has(Source::User) && self.plugins_only == PluginsOnly::default() {
            true => plugins::among_skills(locations),
            // Anybody could put anything there, and call it a plugin.
            false => Vec::new(),
        };
        for (id, root) in own {
            let (source, file, line) = (Source::User, root, 1);
            let chosen = Chosen { enabled: true, source, file, line };
            self.plugins.chosen.entry(id.to_string()).or_insert(chosen);
        }
        let given = &given.plugins;
        if given.is_empty() && !self.plugins.chosen.values().any(|chosen| chosen.enabled) {
            return;
        }
        self.plugins.load_secrets(locations, &mut self.problems);
        let candidates = self.candidates(locations, given);
        for candidate in &candidates {
            let data = plugins::folder(locations).join("data").join(candidate.id.to_string());
            let opened = Plugin::open(candidate.id.clone(), &candidate.root, data)
                .and_then(|plugin| match missing(&plugin, &candidates) {
                    Some(why) => Err(vec![why]),
                    None => Ok(plugin),
                })
                .and_then(|plugin| self.contribute(plugin, &candidate.chosen, candidate.servers));
            if let Err(faults) = opened {
                let faults = faults.join(" ");
                let message = format!("The plugin {} is not used. {faults}", candidate.id);
                self.plugin_problem(&candidate.chosen, message);
            }
        }
    }

    fn candidates(&mut self, locations: &Locations, given: &[GivenPlugin]) -> Vec<Candidate> {
        let store = Store::load(locations);
        for (file, why) in &store.problems {
            let message = format!("The file {why}; until then its plugins are not used.");
            self.problems.push(SettingsProblem::new(file, None, message));
        }
        let mut candidates: Vec<_> =
            given.iter().filter_map(|plugin| self.inline(plugin)).collect();
        for (written, chosen) in self.plugins.chosen.clone() {
            if !chosen.enabled {
                continue;
            }
            match self.installed(&written, &chosen, &store) {
                Ok(candidate) => candidates.push(candidate),
                Err(why) => self.plugin_problem(&chosen, why),
            }
        }
        candidates
    }

    /// A folder that was named on the command line.
    fn inline(&mut self, given: &GivenPlugin) -> Option<Candidate> {
        let GivenPlugin { folder: root, servers } = given;
        let (source, file) = (Source::CommandLine, PathBuf::from("--plugin-dir"));
        let chosen = Chosen { enabled: true, source, file, line: 1 };
        let name = root.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        match PluginId::new(name, INLINE) {
            Ok(id) => {
                let (root, version, servers) = (root.to_owned(), None, *servers);
                Some(Candidate { id, root, version, chosen, servers })
            }
            Err(error) => {
                self.plugin_problem(
                    &chosen,
                    format!("A plugin's folder needs a plain name: {error}."),
                );
                None
            }
        }
    }

    fn installed(
        &self,
        written: &str,
        chosen: &Chosen,
        store: &Store,
    ) -> Result<Candidate, String> {
        let id: PluginId = written.parse().map_err(|error| format!("{error}."))?;
        let known = store.known.get(&id.marketplace).map(|known| &known.source);
        let source = known.or_else(|| self.plugins.marketplaces.get(&id.marketplace));
        let limits = &self.plugins.limits;
        let limited = limits.only.is_some() || !limits.blocked.is_empty();
        let refused = match source {
            _ if id.marketplace == SKILLS_DIR && self.plugins_only != PluginsOnly::default() => {
                Some("The administrator's settings leave no room for folders of one's own")
            }
            Some(source) => limits.refuses(source),
            None if limited => {
                Some("Nobody knows where its marketplace is, and a policy limits them")
            }
            None => None,
        };
        if let Some(why) = refused {
            return Err(format!("The plugin {id} is not used. {why}."));
        }
        let found = store.installed.get(&id).ok_or_else(|| {
            format!("The plugin {id} is not installed; run `bowline plugin install {id}`.")
        })?;
        let (root, version) = (found.root.clone(), found.version.clone());
        Ok(Candidate { id, root, version, chosen: chosen.clone(), servers: true })
    }

    fn plugin_problem(&mut self, chosen: &Chosen, message: String) {
        self.problems.push(SettingsProblem {
            file: chosen.file.clone(),
            line: Some(chosen.line),
            column: Some(1),
            message,
        });
    }

    /// All or nothing: a plugin with a hook that cannot be read may have lost a guard.
    fn contribute(
        &mut self,
        plugin: Plugin,
        chosen: &Chosen,
        with_servers: bool,
    ) -> Result<(), Vec<String>> {
        let one = |fault: String| vec![fault];
        let variables = plugin.variables(&self.plugins.options(&plugin.id)).map_err(one)?;
        let hooks = hooks(&plugin, chosen.source, &variables)?;
        let mcp = mcp_servers(&plugin, chosen.source, &variables, &self.mcp_admission)?;
        let servers = language_servers_of(&plugin, &variables)?;
        // As for the hooks of files: the administrator's are switched off by the administrator only.
        let off = self.disable_all_hooks || self.allow_managed_hooks_only;
        if !self.no_hooks_at_all && (!off || chosen.source == Source::Managed) {
            self.hooks.extend(hooks);
        }
        if with_servers {
            self.mcp_servers.extend(mcp);
        }
        for server in servers {
            if self.language_servers.iter().all(|stronger| stronger.name != server.name) {
                self.language_servers.push(server);
            }
        }
        self.plugins.loaded.push(plugin);
        Ok(())
    }
}

/// What is wrong with the parts of a plugin, a sentence each; nothing when it can be used.
pub fn check_plugin(plugin: &Plugin) -> Vec<String> {
    // A value that the user has yet to give is no fault of the plugin.
    let given = plugin.manifest.options.iter().map(|option| (option.key.clone(), String::new()));
    let variables = plugin.variables(&given.collect()).unwrap_or_default();
    let parts = [
        hooks(plugin, Source::User, &variables).err(),
        mcp_servers(plugin, Source::User, &variables, &McpAdmission::default()).err(),
        language_servers_of(plugin, &variables).err(),
    ];
    parts.into_iter().flatten().flatten().collect()
}

/// Why a plugin cannot work without another one.
fn missing(plugin: &Plugin, others: &[Candidate]) -> Option<String> {
    let meets = |dependency: &Dependency, other: &Candidate| {
        let market = dependency.marketplace.as_ref().unwrap_or(&plugin.id.marketplace);
        let same = other.id.name == dependency.name && &other.id.marketplace == market;
        let range = dependency.version.as_deref();
        let version = other.version.as_deref().unwrap_or_default();
        same && range.is_none_or(|range| plugins::satisfies(range, version))
    };
    let unmet = |dependency: &&Dependency| !others.iter().any(|other| meets(dependency, other));
    let dependency = plugin.manifest.dependencies.iter().find(unmet)?;
    let version = dependency.version.as_ref().map_or(String::new(), |v| format!(" {v}"));
    Some(format!("It needs the plugin {}{version}, which is not switched on.", dependency.name))
}

type Variables = BTreeMap<String, String>;

fn hooks(
    plugin: &Plugin,
    source: Source,
    variables: &Variables,
) -> Result<Vec<HookSetting>, Vec<String>> {
    let written = plugin.written(&plugin.manifest.hooks, "hooks/hooks.json");
    let mut found = Vec::new();
    for (file, text) in written.map_err(|fault| vec![fault])? {
        let parsed = parse::parse(&wrapped(&text, "hooks"));
        if parsed.broken {
            let problems = parsed.problems.into_iter();
            return Err(problems.map(|(_, message)| message).collect());
        }
        for located in parsed.hooks {
            let hash = located.value.hash(None);
            let mut hook = located.value.setting((source, file.clone(), located.at.line), hash);
            // What a shell reads it finds in its environment; what has no shell is written out.
            if let HookAction::Command { command, args: Some(args), .. } = &mut hook.handler.action
            {
                for word in std::iter::once(command).chain(args) {
                    let mut value = Value::from(std::mem::take(word));
                    plugins::substitute(&mut value, variables);
                    *word = value.as_str().unwrap_or_default().to_owned();
                }
            }
            hook.of = Some(format!("the plugin {}", plugin.id));
            let names = variables.iter().filter(|(name, _)| !name.contains('.'));
            hook.env = names.map(|(name, value)| (name.clone(), value.clone())).collect();
            found.push(hook);
        }
    }
    Ok(found)
}

/// A file may hold the object itself or wrap it in its key.
fn wrapped(text: &str, key: &str) -> String {
    let value = jsonc_parser::parse_to_serde_value::<Value>(text, &parse::options());
    match value {
        Ok(value) if value.get(key).is_none() && value.is_object() => {
            json!({ key: value }).to_string()
        }
        _ => text.to_owned(),
    }
}

fn mcp_servers(
    plugin: &Plugin,
    source: Source,
    variables: &Variables,
    admission: &McpAdmission,
) -> Result<Vec<McpServers>, Vec<String>> {
    let written = plugin.written(&plugin.manifest.mcp_servers, ".mcp.json");
    let mut found = Vec::new();
    for (file, text) in written.map_err(|fault| vec![fault])? {
        let parsed = parse::mcp_file(&wrapped(&text, "mcpServers"));
        if let Some((_, problem)) = parsed.problems.into_iter().next() {
            return Err(vec![problem]);
        }
        let mut servers = Map::new();
        for (name, mut definition) in parsed.mcp {
            plugins::substitute(&mut definition, variables);
            give_environment(&mut definition, variables);
            let name = format!("plugin:{}:{name}", plugin.namespace());
            if admission.admits_plugins(&name, &definition) {
                servers.insert(name, definition);
            }
        }
        if !servers.is_empty() {
            let json = json!({ "mcpServers": servers }).to_string();
            found.push(McpServers { source, file, local: false, json });
        }
    }
    Ok(found)
}

/// A server of a plugin that is a program finds the plugin's places in its environment.
fn give_environment(definition: &mut Value, variables: &Variables) {
    let Some(definition) = definition.as_object_mut() else { return };
    if !definition.contains_key("command") {
        return;
    }
    let env = definition.entry("env").or_insert_with(|| json!({}));
    let Some(env) = env.as_object_mut() else { return };
    for (name, value) in variables.iter().filter(|(name, _)| !name.contains('.')) {
        env.entry(name.clone()).or_insert_with(|| json!(value));
    }
}

fn language_servers_of(
    plugin: &Plugin,
    variables: &Variables,
) -> Result<Vec<super::LanguageServerSetting>, Vec<String>> {
    let written = plugin.written(&plugin.manifest.language_servers, ".lsp.json");
    let mut found = Vec::new();
    for (_, text) in written.map_err(|fault| vec![fault])? {
        let value = jsonc_parser::parse_to_serde_value::<Value>(&text, &parse::options());
        let mut value =
            value.map_err(|error| vec![format!("`.lsp.json` is not valid JSON ({error}).")])?;
        plugins::substitute(&mut value, variables);
        let parsed = language_servers::parsed(&value.to_string());
        if let Some((_, problem)) = parsed.problems.into_iter().next() {
            return Err(vec![problem]);
        }
        found.extend(parsed.language_servers);
    }
    Ok(found)
}
