//! `plugin.json`: what a plugin says about itself. A field of the wrong type fails the plugin; one
//! that nobody knows is ignored with a note.

#[cfg(test)]
mod tests;

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use super::id;
use crate::settings::nearest;

/// Where it lies in a plugin, the first that is there.
pub(super) const PLACES: [&str; 2] = [".bowline-plugin/plugin.json", ".claude-plugin/plugin.json"];

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manifest {
    pub name: String,
    pub version: Option<String>,
    pub description: Option<String>,
    /// Skill folders beside `skills/`.
    pub skills: Vec<PathBuf>,
    /// In place of the usual folder, as are the next two.
    pub commands: Option<Vec<PathBuf>>,
    pub agents: Option<Vec<PathBuf>>,
    pub styles: Option<Vec<PathBuf>>,
    pub hooks: Vec<Written>,
    pub mcp_servers: Vec<Written>,
    pub language_servers: Vec<Written>,
    pub dependencies: Vec<Dependency>,
    pub options: Vec<UserOption>,
    /// Whether installing it switches it on.
    pub default_enabled: Option<bool>,
}

/// Something that stands in the manifest or in a file it names.
#[derive(Clone, Debug, PartialEq)]
pub enum Written {
    File(PathBuf),
    Here(Value),
}

/// Another plugin that must be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependency {
    pub name: String,
    /// The plugin's own when it is not said.
    pub marketplace: Option<String>,
    /// A range of versions.
    pub version: Option<String>,
}

/// A value that the user gives, as `${user_config.KEY}`.
#[derive(Clone, Debug, PartialEq)]
pub struct UserOption {
    pub key: String,
    pub title: String,
    pub required: bool,
    pub sensitive: bool,
    pub default: Option<String>,
}

/// What was read, with notes on what was not used.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    pub manifest: Manifest,
    pub notes: Vec<String>,
}

const KNOWN: [&str; 24] = [
    "$schema",
    "name",
    "displayName",
    "version",
    "description",
    "author",
    "homepage",
    "repository",
    "license",
    "keywords",
    "metadata",
    "defaultEnabled",
    "skills",
    "commands",
    "agents",
    "outputStyles",
    "hooks",
    "mcpServers",
    "lspServers",
    "userConfig",
    "dependencies",
    "engines",
    "channels",
    "experimental",
];
/// Known, and not for us.
const UNUSED: [&str; 3] = ["channels", "experimental", "workflows"];
/// Of an entry of a marketplace, which has a manifest's fields too.
pub(super) const ENTRY: [&str; 5] = ["source", "category", "tags", "strict", "relevance"];

/// Reads a manifest. The error names everything that is wrong, a sentence each.
pub fn read(text: &str) -> Result<Read, Vec<String>> {
    match jsonc_parser::parse_to_serde_value::<Value>(text, &crate::settings::options()) {
        Ok(Value::Object(object)) => from_object(&object),
        Ok(_) => Err(vec!["The manifest must be an object in braces.".to_owned()]),
        Err(error) => {
            let line = text[..error.range().start.min(text.len())].matches('\n').count() + 1;
            let what = error.kind().to_string().to_lowercase();
            Err(vec![format!("The manifest is not valid JSON (line {line}: {what}).")])
        }
    }
}

/// The same for an entry of a marketplace, which may stand in for a manifest.
pub(super) fn from_object(object: &Map<String, Value>) -> Result<Read, Vec<String>> {
    let mut reader = Reader { object, faults: Vec::new(), notes: Vec::new() };
    let manifest = reader.manifest();
    reader.unknown();
    match reader.faults.is_empty() {
        true => Ok(Read { manifest, notes: reader.notes }),
        false => Err(reader.faults),
    }
}

struct Reader<'a> {
    object: &'a Map<String, Value>,
    faults: Vec<String>,
    notes: Vec<String>,
}

impl Reader<'_> {
    fn manifest(&mut self) -> Manifest {
        let name = self.text("name").unwrap_or_default();
        if let Err(error) = id::check_name(&name) {
            self.faults.push(format!("`name`: {error}."));
        }
        for key in ["displayName", "homepage", "license"] {
            let _ = self.text(key);
        }
        self.author();
        let _ = self.list("keywords", "a list of strings", |value| value.as_str().map(drop));
        Manifest {
            name,
            version: self.text("version"),
            description: self.text("description"),
            skills: self.paths("skills").unwrap_or_default(),
            commands: self.paths("commands"),
            agents: self.paths("agents"),
            styles: self.paths("outputStyles"),
            hooks: self.written("hooks"),
            mcp_servers: self.written("mcpServers"),
            language_servers: self.written("lspServers"),
            dependencies: self.dependencies(),
            options: self.options(),
            default_enabled: self.flag("defaultEnabled"),
        }
    }

    fn fault(&mut self, key: &str, wanted: &str) {
        self.faults.push(format!("`{key}` must be {wanted}."));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.object.get(key) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(_) => {
                self.fault(key, "a string in quotes");
                None
            }
        }
    }

    fn flag(&mut self, key: &str) -> Option<bool> {
        let value = self.object.get(key)?;
        if !value.is_boolean() {
            self.fault(key, "true or false");
        }
        value.as_bool()
    }

    fn author(&mut self) {
        let fine = self.object.get("author").is_none_or(|author| match author {
            Value::String(_) => true,
            Value::Object(author) => author.values().all(Value::is_string),
            _ => false,
        });
        if !fine {
            self.fault("author", "an object such as {\"name\": \"…\"}");
        }
    }

    fn list<T>(
        &mut self,
        key: &str,
        wanted: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let list = self.object.get(key)?.as_array();
        let items = list.and_then(|list| list.iter().map(read).collect());
        if items.is_none() {
            self.fault(key, wanted);
        }
        items
    }

    /// One path or several, all inside the plugin.
    fn paths(&mut self, key: &str) -> Option<Vec<PathBuf>> {
        let found = match self.object.get(key)? {
            Value::String(path) => inside(path).map(|path| vec![path]),
            Value::Array(paths) => {
                paths.iter().map(|path| path.as_str().and_then(inside)).collect()
            }
            _ => None,
        };
        if found.is_none() {
            self.fault(
                key,
                "a path that begins with ./ and stays inside the plugin, or a list of such",
            );
        }
        found
    }

    /// A path, an object, or a list of both.
    fn written(&mut self, key: &str) -> Vec<Written> {
        let one = |value: &Value| match value {
            Value::String(path) => inside(path).map(Written::File),
            Value::Object(_) => Some(Written::Here(value.clone())),
            _ => None,
        };
        let found = match self.object.get(key) {
            None => return Vec::new(),
            Some(Value::Array(list)) => list.iter().map(one).collect(),
            Some(value) => one(value).map(|written| vec![written]),
        };
        if found.is_none() {
            self.fault(key, "an object, a path that begins with ./, or a list of these");
        }
        found.unwrap_or_default()
    }

    fn dependencies(&mut self) -> Vec<Dependency> {
        let wanted = "a list such as [{\"name\": \"…\", \"version\": \"^1.0\"}]";
        self.list("dependencies", wanted, dependency).unwrap_or_default()
    }

    fn options(&mut self) -> Vec<UserOption> {
        let Some(options) = self.object.get("userConfig") else { return Vec::new() };
        let found = options
            .as_object()
            .and_then(|options| options.iter().map(|(key, value)| option(key, value)).collect());
        if found.is_none() {
            self.fault("userConfig", "an object of options, each with a `type` and a `title`");
        }
        found.unwrap_or_default()
    }

    fn unknown(&mut self) {
        for key in self.object.keys().map(String::as_str) {
            if UNUSED.contains(&key) {
                self.notes.push(format!("`{key}` is not used by Bowline."));
            } else if !KNOWN.contains(&key) && !ENTRY.contains(&key) {
                let meant = nearest(key, &KNOWN)
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                self.notes.push(format!("`{}` is not known{meant}.", key.escape_debug()));
            }
        }
    }
}

/// A path of a plugin, from its root.
pub(super) fn inside(path: &str) -> Option<PathBuf> {
    let rest = Path::new(path.strip_prefix("./")?);
    let plain = |part: Component<'_>| matches!(part, Component::Normal(_) | Component::CurDir);
    (!path.contains('\0') && rest.components().all(plain)).then(|| rest.components().collect())
}

fn dependency(value: &Value) -> Option<Dependency> {
    let text = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
    let dependency = match value {
        Value::String(name) => match name.split_once('@') {
            Some((name, marketplace)) => Dependency {
                name: name.to_owned(),
                marketplace: Some(marketplace.to_owned()),
                version: None,
            },
            None => Dependency { name: name.clone(), marketplace: None, version: None },
        },
        _ => Dependency {
            name: text("name")?,
            marketplace: text("marketplace"),
            version: text("version"),
        },
    };
    let names = std::iter::once(&dependency.name).chain(&dependency.marketplace);
    names.into_iter().all(|name| id::check_name(name).is_ok()).then_some(dependency)
}

fn option(key: &str, value: &Value) -> Option<UserOption> {
    const KINDS: [&str; 5] = ["string", "number", "boolean", "directory", "file"];
    let value = value.as_object()?;
    let kind = value.get("type").and_then(Value::as_str)?;
    let says = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or_default();
    let title = value.get("title").or(value.get("description")).and_then(Value::as_str);
    KINDS.contains(&kind).then(|| UserOption {
        key: key.to_owned(),
        title: title.unwrap_or(key).to_owned(),
        required: says("required"),
        sensitive: says("sensitive"),
        default: value.get("default").and_then(plain),
    })
}

/// A single value as text.
pub(super) fn plain(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
        _ => None,
    }
}
