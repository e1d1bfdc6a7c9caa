//! What is installed and which marketplaces are known: `installed_plugins.json` and
//! `known_marketplaces.json`, ours in `$BOWLINE_HOME/plugins`. Those of another agent in
//! `~/.claude/plugins` are read as well, and never written.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::id::{PluginId, SKILLS_DIR};
use super::source::PluginSource;
use crate::files;
use crate::settings::Locations;

pub(crate) const INSTALLED: &str = "installed_plugins.json";
const KNOWN: &str = "known_marketplaces.json";

/// A plugin on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub root: PathBuf,
    pub version: Option<String>,
    /// Of the repository it came from.
    pub commit: Option<String>,
    /// Another agent's, which we use and do not touch.
    pub foreign: bool,
}

/// A marketplace on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub source: PluginSource,
    /// Its folder, or its file.
    pub place: PathBuf,
    pub updated: Option<String>,
    pub foreign: bool,
}

#[derive(Debug, thiserror::Error)]
#[error("{file} {why}.")]
pub struct StoreError {
    pub file: PathBuf,
    pub why: String,
}

#[derive(Clone, Debug, Default)]
pub struct Store {
    folder: PathBuf,
    pub installed: BTreeMap<PluginId, Installed>,
    pub known: BTreeMap<String, Known>,
    /// Files that could not be read, a sentence each.
    pub problems: Vec<(PathBuf, String)>,
}

/// Where our own files and copies are.
pub fn folder(locations: &Locations) -> PathBuf {
    locations.bowline_home.join("plugins")
}

/// Folders among the user's skills that are plugins.
pub(crate) fn among_skills(locations: &Locations) -> Vec<(PluginId, PathBuf)> {
    let own = Some(locations.bowline_home.clone());
    let theirs = locations.home.as_ref().map(|home| home.join(".claude"));
    let mut found: Vec<(PluginId, PathBuf)> = Vec::new();
    for skills in [own, theirs].into_iter().flatten().map(|folder| folder.join("skills")) {
        let mut folders = files::list(&skills);
        folders.sort();
        for folder in folders.into_iter().filter(|folder| super::has_manifest(folder)) {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if let Ok(id) = PluginId::new(name, SKILLS_DIR)
                && found.iter().all(|(known, _)| *known != id)
            {
                found.push((id, folder));
            }
        }
    }
    found
}

impl Store {
    pub fn load(locations: &Locations) -> Store {
        let mut store = Store { folder: folder(locations), ..Store::default() };
        let own = store.folder.clone();
        store.add(&own, false);
        if let Some(home) = &locations.home {
            store.add(&home.join(".claude/plugins"), true);
        }
        for (id, root) in among_skills(locations) {
            let found = Installed { root, version: None, commit: None, foreign: true };
            store.installed.entry(id).or_insert(found);
        }
        store
    }

    /// Ours come first, and what is there stays.
    fn add(&mut self, folder: &Path, foreign: bool) {
        for (name, value) in self.object(&folder.join(INSTALLED), Some("plugins")) {
            let (Ok(id), Some(mut found)) = (name.parse::<PluginId>(), installed(&value)) else {
                continue;
            };
            found.foreign = foreign;
            self.installed.entry(id).or_insert(found);
        }
        for (name, value) in self.object(&folder.join(KNOWN), None) {
            let (Ok(()), Some(mut found)) = (super::id::check_name(&name), known(&value)) else {
                continue;
            };
            found.foreign = foreign;
            self.known.entry(name).or_insert(found);
        }
    }

    fn object(&mut self, file: &Path, below: Option<&str>) -> Map<String, Value> {
        match read(file, below) {
            Ok(object) => object,
            Err(why) => {
                self.problems.push((file.to_owned(), why));
                Map::new()
            }
        }
    }

    pub fn record_installed(&mut self, id: &PluginId, found: Installed) -> Result<(), StoreError> {
        let entry = json!([{
            "scope": "user",
            "installPath": found.root,
            "version": found.version,
            "gitCommitSha": found.commit,
        }]);
        self.change(INSTALLED, Some("plugins"), &id.to_string(), Some(entry))?;
        self.installed.insert(id.clone(), found);
        Ok(())
    }

    pub fn forget_installed(&mut self, id: &PluginId) -> Result<(), StoreError> {
        self.change(INSTALLED, Some("plugins"), &id.to_string(), None)?;
        self.installed.remove(id);
        Ok(())
    }

    pub fn record_marketplace(&mut self, name: &str, found: Known) -> Result<(), StoreError> {
        let entry = json!({
            "source": found.source.to_json(),
            "installLocation": found.place,
            "lastUpdated": found.updated,
        });
        self.change(KNOWN, None, name, Some(entry))?;
        self.known.insert(name.to_owned(), found);
        Ok(())
    }

    pub fn forget_marketplace(&mut self, name: &str) -> Result<(), StoreError> {
        self.change(KNOWN, None, name, None)?;
        self.known.remove(name);
        Ok(())
    }

    /// Sets or takes out one entry, while nobody else writes.
    fn change(
        &self,
        file: &str,
        below: Option<&str>,
        key: &str,
        value: Option<Value>,
    ) -> Result<(), StoreError> {
        let file = self.folder.join(file);
        let failed = |why: String| StoreError { file: file.clone(), why };
        let written = |error: io::Error| failed(format!("cannot be written ({error})"));
        files::create_private_dir(&self.folder).map_err(written)?;
        let _lock = files::lock(&self.folder).map_err(written)?;
        let mut all = read(&file, below).map_err(failed)?;
        match value {
            Some(value) => drop(all.insert(key.to_owned(), value)),
            None => drop(all.shift_remove(key)),
        }
        let whole = match below {
            Some(below) => json!({ "version": 2, below: all }),
            None => Value::Object(all),
        };
        files::write_private(&file, &format!("{whole:#}\n")).map_err(written)
    }
}

/// The object of a file, or one within it; an empty one when there is no file.
fn read(file: &Path, below: Option<&str>) -> Result<Map<String, Value>, String> {
    let text = files::read(file).map_err(|error| error.to_string())?;
    let Some(text) = text else { return Ok(Map::new()) };
    let value: Value =
        serde_json::from_str(&text).map_err(|error| format!("is not valid JSON ({error})"))?;
    let found = match below {
        Some(below) => value.get(below).cloned(),
        None => Some(value),
    };
    match found {
        Some(Value::Object(object)) => Ok(object),
        _ => Err("does not look like a list of plugins; mend or remove it".to_owned()),
    }
}

/// One entry, or a list with one for each scope.
fn installed(value: &Value) -> Option<Installed> {
    let entry = match value {
        Value::Array(entries) => entries.first()?,
        entry => entry,
    };
    let text = |key: &str| entry.get(key).and_then(Value::as_str).map(str::to_owned);
    let root = PathBuf::from(text("installPath")?);
    let (version, commit) = (text("version"), text("gitCommitSha"));
    root.is_absolute().then_some(Installed { root, version, commit, foreign: false })
}

fn known(value: &Value) -> Option<Known> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    Some(Known {
        source: PluginSource::of_marketplace(value.get("source")?).ok()?,
        place: PathBuf::from(text("installLocation")?),
        updated: text("lastUpdated").map(str::to_owned),
        foreign: false,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests set up the files they are about")]
mod tests {
    use std::fs;

    use super::*;

    fn locations(base: &Path) -> Locations {
        Locations {
            bowline_home: base.join(".bowline"),
            home: Some(base.to_owned()),
            managed: base.join("etc"),
        }
    }

    #[test]
    fn what_is_recorded_is_found_again() {
        let base = tempfile::tempdir().unwrap();
        let locations = locations(base.path());
        let mut store = Store::load(&locations);
        let id: PluginId = "a@m".parse().unwrap();
        let found = Installed {
            root: "/x/a".into(),
            version: Some("1.0.0".into()),
            commit: None,
            foreign: false,
        };
        store.record_installed(&id, found.clone()).unwrap();
        let source = PluginSource::Local("/m".into());
        let market = Known { source, place: "/m".into(), updated: None, foreign: false };
        store.record_marketplace("m", market.clone()).unwrap();

        let mut again = Store::load(&locations);
        assert_eq!(again.installed.get(&id), Some(&found));
        assert_eq!(again.known.get("m"), Some(&market));
        again.forget_installed(&id).unwrap();
        again.forget_marketplace("m").unwrap();
        let empty = Store::load(&locations);
        assert!(empty.installed.is_empty() && empty.known.is_empty());
    }

    #[test]
    fn another_agents_are_read_and_ours_come_first() {
        let base = tempfile::tempdir().unwrap();
        let locations = locations(base.path());
        let theirs = base.path().join(".claude/plugins");
        fs::create_dir_all(&theirs).unwrap();
        let text = r#"{"version": 1, "plugins": {
            "a@m": {"installPath": "/theirs/a", "version": "0.1.0"},
            "b@m": [{"installPath": "/theirs/b"}],
            "../c@m": [{"installPath": "/theirs/c"}],
            "d@m": [{"installPath": "relative"}]
        }}"#;
        fs::write(theirs.join(INSTALLED), text).unwrap();
        let mut store = Store::load(&locations);
        let own = Installed { root: "/own/a".into(), version: None, commit: None, foreign: false };
        store.record_installed(&"a@m".parse().unwrap(), own).unwrap();
        let store = Store::load(&locations);
        let roots: Vec<_> =
            store.installed.values().map(|found| found.root.display().to_string()).collect();
        assert_eq!(roots, ["/own/a", "/theirs/b"]);
        assert_eq!(fs::read_to_string(theirs.join(INSTALLED)).unwrap(), text);
    }

    #[test]
    fn a_broken_file_is_told_and_not_overwritten() {
        let base = tempfile::tempdir().unwrap();
        let locations = locations(base.path());
        fs::create_dir_all(folder(&locations)).unwrap();
        let file = folder(&locations).join(INSTALLED);
        fs::write(&file, "{").unwrap();
        let mut store = Store::load(&locations);
        assert_eq!(store.problems.len(), 1);
        let one = Installed { root: "/a".into(), version: None, commit: None, foreign: false };
        assert!(store.record_installed(&"a@m".parse().unwrap(), one).is_err());
        assert_eq!(fs::read_to_string(&file).unwrap(), "{");
    }
}
