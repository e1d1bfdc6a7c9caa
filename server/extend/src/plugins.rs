//! Plugins: folders that bring skills, commands, agents, hooks, servers and styles, each with a
//! manifest. Here they are read; who fetches and installs them is the host.
//!
//! A plugin counts when a settings file says so under `enabledPlugins` and it is installed. What is
//! wrong with one costs only itself, and is a problem to be shown.

mod id;
mod limits;
mod manifest;
pub mod marketplace;
mod source;
mod store;
#[cfg(test)]
mod tests;
pub mod tree;
mod version;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::files;
pub use id::{INLINE, PluginId, SKILLS_DIR, check_name};
pub use limits::MarketplaceLimits;
pub use manifest::{Dependency, Manifest, Read, UserOption, Written};
pub use source::PluginSource;
pub(crate) use store::{INSTALLED, among_skills};
pub use store::{Installed, Known, Store, StoreError, folder};
pub use version::satisfies;

/// Folders of a plugin that Bowline has no use for.
const UNUSED: [&str; 3] = ["workflows", "themes", "monitors"];
/// Where an entry of a marketplace is kept that stands in for a manifest.
pub const OWN_MANIFEST: &str = ".bowline-plugin/plugin.json";

/// A plugin that can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Plugin {
    pub id: PluginId,
    pub root: PathBuf,
    /// Where it may keep what outlives an update.
    pub data: PathBuf,
    pub manifest: Manifest,
    /// Folders of skills, or the plugin itself when it is one.
    pub skills: Vec<PathBuf>,
    /// Folders or single files, as are the next two.
    pub commands: Vec<PathBuf>,
    pub agents: Vec<PathBuf>,
    pub styles: Vec<PathBuf>,
    /// What is there and not used, a sentence each.
    pub notes: Vec<String>,
}

impl Plugin {
    /// Reads the plugin in a folder. The error names everything that is wrong, a sentence each.
    pub fn open(id: PluginId, root: &Path, data: PathBuf) -> Result<Plugin, Vec<String>> {
        if !files::is_dir(root) {
            return Err(vec![format!("There is no folder {}.", root.display())]);
        }
        let root = files::real(root);
        let Read { mut manifest, mut notes } = read_manifest(&root)?.unwrap_or_default();
        if manifest.name.is_empty() {
            manifest.name.clone_from(&id.name);
        }
        let mut faults = Vec::new();
        let mut known = |path: &Path| match within(&root, path) {
            Some(path) if files::exists(&path) => Some(path),
            Some(_) => {
                faults.push(format!("The manifest names {}, which is not there.", path.display()));
                None
            }
            None => {
                faults.push(format!("{} leads out of the plugin.", path.display()));
                None
            }
        };
        let mut named = |paths: &[PathBuf]| -> Vec<PathBuf> {
            paths.iter().filter_map(|path| known(path)).collect()
        };
        let usual = |name: &str| within(&root, Path::new(name)).filter(|path| files::is_dir(path));
        let mut skills: Vec<_> = usual("skills").into_iter().collect();
        skills.extend(named(&manifest.skills));
        if files::is_file(&root.join("SKILL.md")) {
            skills.push(root.clone());
        }
        let mut replaced = |paths: &Option<Vec<PathBuf>>, name: &str| match paths {
            Some(paths) => named(paths),
            None => usual(name).into_iter().collect(),
        };
        let commands = replaced(&manifest.commands, "commands");
        let agents = replaced(&manifest.agents, "agents");
        let styles = replaced(&manifest.styles, "output-styles");
        let unused = UNUSED.into_iter().filter(|name| files::is_dir(&root.join(name)));
        notes.extend(unused.map(|name| format!("The folder `{name}` is not used by Bowline.")));
        match faults.is_empty() {
            true => {
                Ok(Plugin { id, root, data, manifest, skills, commands, agents, styles, notes })
            }
            false => Err(faults),
        }
    }

    /// Makes the folder that outlives an update.
    pub fn make_data(&self) -> std::io::Result<()> {
        files::create_private_dir(&self.data)
    }

    /// Programs of its own, which commands find by their names.
    pub fn programs(&self) -> Option<PathBuf> {
        within(&self.root, Path::new("bin")).filter(|folder| files::is_dir(folder))
    }

    /// What its names begin with.
    pub fn namespace(&self) -> &str {
        &self.id.name
    }

    /// What its files may name in braces after a dollar, and its processes find in their
    /// environment. `options` are the user's values by their keys.
    pub fn variables(
        &self,
        options: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, String> {
        let path = |path: &Path| path.display().to_string();
        let mut all = BTreeMap::from([
            ("CLAUDE_PLUGIN_ROOT".to_owned(), path(&self.root)),
            ("CLAUDE_PLUGIN_DATA".to_owned(), path(&self.data)),
        ]);
        for option in &self.manifest.options {
            let value = options.get(&option.key).or(option.default.as_ref());
            match value {
                Some(value) => {
                    all.insert(format!("user_config.{}", option.key), value.clone());
                    let name = option.key.to_ascii_uppercase().replace('-', "_");
                    all.insert(format!("CLAUDE_PLUGIN_OPTION_{name}"), value.clone());
                }
                None if option.required => {
                    return Err(format!(
                        "It needs `{}` ({}); set pluginConfigs.\"{}\".options.{} in your settings.",
                        option.key, option.title, self.id, option.key
                    ));
                }
                None => {}
            }
        }
        Ok(all)
    }

    /// The texts and objects of one kind of part: what the manifest names or says, else the usual
    /// file.
    pub(crate) fn written(
        &self,
        written: &[Written],
        usual: &str,
    ) -> Result<Vec<(PathBuf, String)>, String> {
        let mut found = Vec::new();
        let own = self.root.join(manifest::PLACES[1]);
        let usual = Written::File(usual.into());
        let is_usual = written.is_empty();
        let all = if is_usual { std::slice::from_ref(&usual) } else { written };
        for part in all {
            match part {
                Written::Here(value) => found.push((own.clone(), value.to_string())),
                Written::File(name) => {
                    let file = within(&self.root, name)
                        .ok_or_else(|| format!("{} leads out of the plugin.", name.display()))?;
                    match files::read(&file) {
                        Ok(Some(text)) => found.push((file, text)),
                        Ok(None) if is_usual => {}
                        Ok(None) => return Err(format!("There is no file {}.", name.display())),
                        Err(error) => return Err(format!("{} {error}.", name.display())),
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Whether a folder says that it is a plugin.
pub(crate) fn has_manifest(folder: &Path) -> bool {
    manifest::PLACES.iter().any(|place| files::is_file(&folder.join(place)))
}

/// What the manifest of a folder says; `None` when it has none, which is fine.
fn read_manifest(root: &Path) -> Result<Option<Read>, Vec<String>> {
    for place in manifest::PLACES {
        let file = within(root, Path::new(place))
            .ok_or_else(|| vec!["The manifest leads out of the plugin.".to_owned()])?;
        match files::read(&file) {
            Ok(Some(text)) => return manifest::read(&text).map(Some),
            Ok(None) => {}
            Err(error) => return Err(vec![format!("The manifest {error}.")]),
        }
    }
    Ok(None)
}

/// A path of a plugin, with its links followed; `None` when they lead out of it.
fn within(root: &Path, path: &Path) -> Option<PathBuf> {
    let joined = root.join(path);
    let real = files::real(&joined);
    real.starts_with(root).then_some(real)
}

/// Puts values in the place of their names in all texts of a value.
pub(crate) fn substitute(value: &mut Value, variables: &BTreeMap<String, String>) {
    match value {
        Value::String(text) => {
            for (name, value) in variables {
                let written = format!("${{{name}}}");
                if text.contains(&written) {
                    *text = text.replace(&written, value);
                }
            }
        }
        Value::Array(list) => list.iter_mut().for_each(|value| substitute(value, variables)),
        Value::Object(object) => {
            object.values_mut().for_each(|value| substitute(value, variables));
        }
        _ => {}
    }
}
