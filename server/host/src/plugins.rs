//! Installing plugins, at the user's own word: where they are fetched from, how a copy becomes the
//! installed one, and which marketplaces are known.
//!
//! Nothing here runs anything of a plugin. What was fetched is copied, checked as a copy, and only
//! then takes its place; a failure leaves everything as it was.

mod fetch;
mod install;
mod listing;
mod market;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::edit::{self, Scope, Target};
use extend::plugins::{self, Plugin, PluginId, Store, UserOption};
use extend::{Given, PluginSettings, SandboxSettings, TrustStore};
use serde_json::Value;

use crate::context::HostContext;
pub use install::Update;
pub use listing::{Row, parts};

/// What is installed and known on this machine, and what may be done about it.
pub struct Plugins {
    pub(crate) host: Arc<HostContext>,
    pub store: Store,
    /// What the settings of the folder we are in say.
    pub settings: PluginSettings,
    sandbox: SandboxSettings,
    cwd: PathBuf,
}

impl Plugins {
    pub fn open(host: &Arc<HostContext>, cwd: &Path) -> Plugins {
        let (trust, _) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
        let standing = trust.standing(cwd);
        let settings = extend::load(&host.locations, cwd, &standing, &Given::default());
        Plugins {
            host: host.clone(),
            store: Store::load(&host.locations),
            settings: settings.plugins,
            sandbox: settings.sandbox,
            cwd: cwd.to_owned(),
        }
    }

    /// `plugin@marketplace`, or a plugin's name alone where only one marketplace or installed plugin
    /// has it.
    pub fn find(&self, written: &str) -> Result<PluginId, String> {
        if written.contains('@') {
            return written.parse::<PluginId>().map_err(|error| format!("{error}."));
        }
        plugins::check_name(written).map_err(|error| format!("{error}."))?;
        let mut found: Vec<_> =
            self.store.installed.keys().filter(|id| id.name == written).cloned().collect();
        if found.is_empty() {
            found = self.on_offer(written);
        }
        match &found[..] {
            [one] => Ok(one.clone()),
            [] if self.store.known.is_empty() => Err(format!(
                "There is no plugin {written}, and no marketplace either; add one with `bowline \
                 plugin marketplace add OWNER/REPOSITORY`."
            )),
            [] => Err(format!("No marketplace has a plugin {written}{}", self.meant(written))),
            many => {
                let names: Vec<_> = many.iter().map(ToString::to_string).collect();
                Err(format!("More than one plugin is called {written}: {}.", names.join(", ")))
            }
        }
    }

    fn on_offer(&self, name: &str) -> Vec<PluginId> {
        let markets = self.store.known.keys().filter_map(|market| {
            let (read, _) = self.marketplace(market).ok()?;
            read.find(name).and_then(|entry| PluginId::new(&entry.name, market).ok())
        });
        markets.collect()
    }

    /// The end of a sentence: what the user may have meant.
    fn meant(&self, name: &str) -> String {
        let markets = self.store.known.keys().filter_map(|market| self.marketplace(market).ok());
        let names: Vec<String> = markets
            .flat_map(|(market, _)| market.plugins.into_iter().map(|entry| entry.name))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        match extend::nearest(name, &names) {
            Some(near) => format!("; did you mean {near}?"),
            None => "; see `bowline plugin list --available`.".to_owned(),
        }
    }

    /// Switches a plugin on or off in the file of a scope.
    pub fn switch(&self, id: &PluginId, on: bool, scope: Scope) -> Result<PathBuf, String> {
        self.set(id, scope, Some(on))
    }

    /// Takes every word about a plugin out of the file of a scope.
    fn forget(&self, id: &PluginId, scope: Scope) -> Result<PathBuf, String> {
        self.set(id, scope, None)
    }

    /// A value that an installed plugin asks its user for.
    pub fn option(&self, id: &PluginId, key: &str) -> Result<UserOption, String> {
        let found = self.store.installed.get(id);
        let found = found.ok_or_else(|| format!("The plugin {id} is not installed."))?;
        let plugin = Plugin::open(id.clone(), &found.root, found.root.clone());
        let plugin = plugin.map_err(|faults| faults.join(" "))?;
        let options = plugin.manifest.options;
        let keys: Vec<String> = options.iter().map(|option| option.key.clone()).collect();
        let found = options.into_iter().find(|option| option.key == key);
        found.ok_or_else(|| match keys.is_empty() {
            true => format!("{id} asks for no values."),
            false => format!("{id} has no {key:?}; it asks for {}.", keys.join(", ")),
        })
    }

    /// Sets a value in the user's settings, or takes it out. Says in which file.
    pub fn set_option(
        &self,
        id: &PluginId,
        key: &str,
        value: Option<Value>,
    ) -> Result<PathBuf, String> {
        let target = Target::new(Scope::User, &self.host.locations, &self.cwd);
        let id = id.to_string();
        let path = ["pluginConfigs", id.as_str(), "options", key];
        let written = match value {
            Some(value) => edit::set_at(&target, &path, &value),
            None => edit::remove_at(&target, &path),
        };
        written.map(|written| written.file).map_err(|error| error.to_string())
    }

    fn set(&self, id: &PluginId, scope: Scope, on: Option<bool>) -> Result<PathBuf, String> {
        let target = Target::new(scope, &self.host.locations, &self.cwd);
        let id = id.to_string();
        let path = ["enabledPlugins", id.as_str()];
        let written = match on {
            Some(on) => edit::set_at(&target, &path, &Value::from(on)),
            None => edit::remove_at(&target, &path),
        };
        written.map(|written| written.file).map_err(|error| error.to_string())
    }
}
