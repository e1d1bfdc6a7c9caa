//! `marketplace.json`: a list of plugins and where to get them.

use serde_json::{Map, Value};

use super::id;
use super::manifest;
use super::source::PluginSource;

/// Where it lies in a marketplace, the first that is there.
pub const PLACES: [&str; 2] =
    [".bowline-plugin/marketplace.json", ".claude-plugin/marketplace.json"];

/// Nobody lists more.
const MOST: usize = 5_000;

#[derive(Clone, Debug, PartialEq)]
pub struct Marketplace {
    pub name: String,
    pub plugins: Vec<Entry>,
    /// Marketplaces whose plugins those of this one may depend on.
    pub depends_on: Vec<String>,
    /// Entries that cannot be used, a sentence each.
    pub notes: Vec<String>,
}

/// One plugin that is on offer.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub name: String,
    pub description: Option<String>,
    pub version: Option<String>,
    pub source: PluginSource,
    /// What stands in for a manifest that is not there, as its text.
    pub text: String,
    /// Whether the plugin's own manifest says what it has (the default), or this entry alone.
    pub strict: bool,
}

/// Reads a marketplace. An entry that is wrong is left out with a note; the others count.
pub fn read(text: &str) -> Result<Marketplace, String> {
    let value = jsonc_parser::parse_to_serde_value::<Value>(text, &crate::settings::options());
    let value = value.map_err(|error| format!("is not valid JSON ({error})"))?;
    let root = value.as_object().ok_or("must be an object in braces")?;
    let name = root.get("name").and_then(Value::as_str).ok_or("needs a `name`")?;
    id::check_name(name).map_err(|error| format!("has a bad `name`: {error}"))?;
    let entries = root.get("plugins").and_then(Value::as_array).ok_or("needs a list `plugins`")?;
    let depends_on = root.get("allowCrossMarketplaceDependenciesOn").and_then(Value::as_array);
    let mut marketplace = Marketplace {
        name: name.to_owned(),
        plugins: Vec::new(),
        depends_on: depends_on
            .into_iter()
            .flatten()
            .filter_map(|name| name.as_str().map(str::to_owned))
            .collect(),
        notes: Vec::new(),
    };
    let base = root.get("metadata").and_then(|metadata| metadata.get("pluginRoot"));
    for value in entries.iter().take(MOST) {
        match entry(value, base.and_then(Value::as_str)) {
            Ok(entry) if marketplace.find(&entry.name).is_some() => {
                marketplace.notes.push(format!("The plugin `{}` is there twice.", entry.name));
            }
            Ok(entry) => marketplace.plugins.push(entry),
            Err(note) => marketplace.notes.push(note),
        }
    }
    if entries.len() > MOST {
        marketplace.notes.push(format!("Only the first {MOST} plugins are looked at."));
    }
    Ok(marketplace)
}

impl Marketplace {
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.plugins.iter().find(|entry| entry.name == name)
    }
}

fn entry(value: &Value, base: Option<&str>) -> Result<Entry, String> {
    let object = value.as_object().ok_or("An entry is not an object.")?;
    let shown =
        object.get("name").and_then(Value::as_str).unwrap_or("?").escape_debug().to_string();
    let read = manifest::from_object(object)
        .map_err(|faults| format!("The plugin `{shown}` cannot be used: {}", faults.join(" ")))?;
    let source = source(object, base)
        .map_err(|why| format!("The plugin `{shown}` cannot be used: its source {why}."))?;
    let manifest = &read.manifest;
    Ok(Entry {
        name: manifest.name.clone(),
        description: manifest.description.clone(),
        version: manifest.version.clone(),
        source,
        strict: object.get("strict").and_then(Value::as_bool).unwrap_or(true),
        text: own_text(object),
    })
}

/// The entry as a manifest: without what only a marketplace says.
fn own_text(object: &Map<String, Value>) -> String {
    let mut own = object.clone();
    manifest::ENTRY.iter().for_each(|key| drop(own.shift_remove(*key)));
    format!("{:#}\n", Value::Object(own))
}

fn source(object: &Map<String, Value>, base: Option<&str>) -> Result<PluginSource, String> {
    let source = object.get("source").ok_or("is missing")?;
    // A bare name is a folder below the marketplace's own root of plugins.
    match (source.as_str(), base) {
        (Some(name), Some(base)) if !name.starts_with("./") => {
            let path = format!("./{}/{name}", base.trim_start_matches("./").trim_end_matches('/'));
            PluginSource::of_entry(&Value::from(path))
        }
        _ => PluginSource::of_entry(source),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_entry_costs_only_itself() {
        let text = r#"{
            "name": "market", "owner": {"name": "Ann"},
            "metadata": {"pluginRoot": "./plugins"},
            "allowCrossMarketplaceDependenciesOn": ["other"],
            "plugins": [
                {"name": "a", "source": "./a", "description": "First", "version": "1.2.0"},
                {"name": "b", "source": "b", "strict": false, "skills": "./s"},
                {"name": "a", "source": "./again"},
                {"name": "bad name", "source": "./c"},
                {"name": "d", "source": {"source": "moon"}},
                {"name": "e"},
                17
            ]
        }"#;
        let market = read(text).unwrap();
        let names: Vec<_> =
            market.plugins.iter().map(|e| (e.name.as_str(), e.source.to_string())).collect();
        assert_eq!(names, [("a", "./a".to_owned()), ("b", "./plugins/b".to_owned())]);
        assert_eq!(market.depends_on, ["other"]);
        assert!(!market.find("b").unwrap().strict);
        assert_eq!(market.notes.len(), 5, "{:?}", market.notes);
    }

    #[test]
    fn what_is_no_marketplace_says_why() {
        let check = |text: &str, expect: &str| {
            assert_eq!(read(text).unwrap_err(), expect, "{text}");
        };
        check("[]", "must be an object in braces");
        check("{}", "needs a `name`");
        check(r#"{"name": "m"}"#, "needs a list `plugins`");
        assert!(read("{").unwrap_err().starts_with("is not valid JSON"));
        assert!(read(r#"{"name": "../m", "plugins": []}"#).is_err());
    }
}
