//! Installing, updating and removing plugins, with those they depend on.

use std::path::PathBuf;

use extend::edit::Scope;
use extend::plugins::marketplace::{Entry, Marketplace};
use extend::plugins::{
    self, Dependency, Installed, OWN_MANIFEST, Plugin, PluginId, PluginSource, tree,
};

use super::Plugins;
use super::fetch::{self, Fetched};

/// A chain of dependencies this long is a mistake.
const MOST_AT_ONCE: usize = 50;

/// What became of a plugin that was to be updated.
#[derive(Debug, PartialEq, Eq)]
pub enum Update {
    /// It is as its marketplace has it.
    Same,
    New {
        before: Option<String>,
        now: Option<String>,
    },
}

impl Plugins {
    /// Installs a plugin and what it depends on, and switches them on. Returns what is new, in the
    /// order of installation.
    pub async fn install(&mut self, id: &PluginId, scope: Scope) -> Result<Vec<Plugin>, String> {
        let mut installed = Vec::new();
        let mut wanted = vec![(id.clone(), None)];
        while let Some((id, range)) = wanted.pop() {
            let here = self
                .store
                .installed
                .get(&id)
                .filter(|_| installed.iter().any(|p: &Plugin| p.id == id) || range.is_some());
            if let Some(found) = here {
                fits(&id, range.as_deref(), found.version.as_deref())?;
                continue;
            }
            if installed.len() >= MOST_AT_ONCE {
                return Err(format!("More than {MOST_AT_ONCE} plugins depend on each other."));
            }
            let (plugin, market) = self.fetch(&id).await?;
            let version = self.store.installed.get(&id).and_then(|found| found.version.clone());
            fits(&id, range.as_deref(), version.as_deref())?;
            for dependency in &plugin.manifest.dependencies {
                wanted
                    .push((resolve(&plugin.id, dependency, &market)?, dependency.version.clone()));
            }
            installed.push(plugin);
        }
        for plugin in &installed {
            // One that wants to be asked for stays off unless it was.
            let on = plugin.manifest.default_enabled.unwrap_or(true) || plugin.id == *id;
            self.switch(&plugin.id, on, scope)?;
        }
        Ok(installed)
    }

    /// Fetches the version that the marketplace has now.
    pub async fn update(&mut self, id: &PluginId) -> Result<Update, String> {
        let before = self.store.installed.get(id).cloned();
        let before = before.ok_or_else(|| format!("The plugin {id} is not installed."))?;
        if before.foreign {
            return Err(format!(
                "The plugin {id} belongs to another agent, which has to update it."
            ));
        }
        let (market, _) = self.marketplace(&id.marketplace)?;
        let offered = entry(&market, id)?.version.clone();
        if offered.is_some() && offered == before.version {
            return Ok(Update::Same);
        }
        self.fetch(id).await?;
        let now = self.store.installed.get(id).cloned();
        let (version, commit, root) =
            now.map_or((None, None, PathBuf::new()), |now| (now.version, now.commit, now.root));
        if (&version, &commit) == (&before.version, &before.commit) && version.is_some() {
            return Ok(Update::Same);
        }
        if root != before.root {
            let _ = tree::remove(&before.root);
        }
        Ok(Update::New { before: before.version, now: version })
    }

    /// Removes a plugin and every word about it in the settings of a scope.
    pub fn uninstall(&mut self, id: &PluginId, scope: Scope) -> Result<(), String> {
        let found = self.store.installed.get(id).cloned();
        let found = found.ok_or_else(|| format!("The plugin {id} is not installed."))?;
        if found.foreign {
            return Err(format!(
                "The plugin {id} belongs to another agent; switch it off with `bowline plugin disable {id}`."
            ));
        }
        if let Some(other) = self.needed_by(id) {
            return Err(format!("The plugin {other} depends on it; uninstall that one first."));
        }
        self.store.forget_installed(id).map_err(|error| error.to_string())?;
        self.forget(id, scope)?;
        tree::remove(&found.root).map_err(|error| error.to_string())
    }

    fn needed_by(&self, id: &PluginId) -> Option<PluginId> {
        let needs = |plugin: &Plugin| {
            plugin.manifest.dependencies.iter().any(|dependency| {
                let market = dependency.marketplace.as_ref().unwrap_or(&plugin.id.marketplace);
                dependency.name == id.name && *market == id.marketplace
            })
        };
        let others = self.store.installed.iter().filter(|(other, _)| *other != id);
        let mut read = others.filter_map(|(other, found)| {
            Plugin::open(other.clone(), &found.root, PathBuf::new()).ok()
        });
        read.find(needs).map(|plugin| plugin.id)
    }

    /// Fetches, copies, checks, and only then puts in its place.
    async fn fetch(&mut self, id: &PluginId) -> Result<(Plugin, Marketplace), String> {
        let (market, folder) = self.marketplace(&id.marketplace)?;
        if let Some(known) = self.store.known.get(&id.marketplace)
            && let Some(why) = self.settings.limits.refuses(&known.source)
        {
            return Err(format!("{why}: {}.", known.source));
        }
        let entry = entry(&market, id)?;
        let plugins = plugins::folder(&self.host.locations);
        let staging = tree::staging(&plugins).map_err(|error| error.to_string())?;
        let base = match &entry.source {
            PluginSource::Within(_) => Some(folder.as_path()),
            _ => None,
        };
        let fetcher = self.fetcher(staging.path());
        let fetched = fetch::fetch(&fetcher, &entry.source, base, staging.path()).await?;
        let Fetched { root, commit } = fetched;
        let copy = staging.path().join("copy");
        tree::copy(&root, &copy).map_err(|error| format!("{id}: {error}."))?;
        stand_in(entry, &copy)?;
        let data = plugins.join("data").join(id.to_string());
        let told = |faults: Vec<String>| format!("{id} cannot be installed. {}", faults.join(" "));
        let plugin = Plugin::open(id.clone(), &copy, data.clone()).map_err(told)?;
        let faults = extend::check_plugin(&plugin);
        if !faults.is_empty() {
            return Err(told(faults));
        }
        let version = plugin.manifest.version.or_else(|| entry.version.clone());
        let version = version.or_else(|| commit.as_ref().map(|sha| sha.chars().take(12).collect()));
        let place = plugins.join("cache").join(&id.marketplace).join(&id.name);
        let place = place.join(folder_name(version.as_deref()));
        tree::settle(&copy, &place).map_err(|error| error.to_string())?;
        let found = Installed { root: place.clone(), version, commit, foreign: false };
        self.store.record_installed(id, found).map_err(|error| error.to_string())?;
        let plugin = Plugin::open(id.clone(), &place, data).map_err(told)?;
        Ok((plugin, market))
    }
}

fn entry<'a>(market: &'a Marketplace, id: &PluginId) -> Result<&'a Entry, String> {
    market.find(&id.name).ok_or_else(|| {
        let names: Vec<_> = market.plugins.iter().map(|entry| entry.name.as_str()).collect();
        let meant = extend::nearest(&id.name, &names)
            .map_or(String::new(), |near| format!("; did you mean {near}?"));
        let noted = market.notes.iter().find(|note| note.contains(&format!("`{}`", id.name)));
        match noted {
            Some(note) => note.clone(),
            None => format!("The marketplace {} has no plugin {}{meant}", market.name, id.name),
        }
    })
}

/// An entry says what the plugin has, where the plugin itself does not or is not to.
fn stand_in(entry: &Entry, copy: &std::path::Path) -> Result<(), String> {
    let own = [OWN_MANIFEST, ".claude-plugin/plugin.json"];
    let has_own = own.iter().any(|name| tree::is_there(&copy.join(name)));
    if entry.strict && has_own {
        return Ok(());
    }
    let text = entry.text.clone();
    tree::write(&copy.join(OWN_MANIFEST), &text).map_err(|error| error.to_string())
}

fn fits(id: &PluginId, range: Option<&str>, version: Option<&str>) -> Result<(), String> {
    match range {
        Some(range) if !plugins::satisfies(range, version.unwrap_or_default()) => Err(format!(
            "{id} is wanted as {range}, but there is {}.",
            version.unwrap_or("no version")
        )),
        _ => Ok(()),
    }
}

/// Another marketplace's plugin only where this marketplace says that it may be.
fn resolve(
    of: &PluginId,
    dependency: &Dependency,
    market: &Marketplace,
) -> Result<PluginId, String> {
    let from = dependency.marketplace.as_ref().unwrap_or(&of.marketplace);
    if *from != of.marketplace && !market.depends_on.contains(from) {
        return Err(format!(
            "{of} needs {}@{from}, but the marketplace {} does not let its plugins depend on that one.",
            dependency.name, market.name
        ));
    }
    PluginId::new(&dependency.name, from).map_err(|error| format!("{error}."))
}

/// A version is somebody else's text; as a folder it must be a plain word.
fn folder_name(version: Option<&str>) -> String {
    match version {
        Some(version) if plugins::check_name(version).is_ok() => version.to_owned(),
        _ => "unversioned".to_owned(),
    }
}
