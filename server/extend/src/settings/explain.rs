//! Where each effective value comes from: its file and line, and what it stands in front of.

use std::path::PathBuf;

use jsonc_parser::ast::{Object, Value as Ast};
use jsonc_parser::common::Ranged;
use policy::Source;
use serde_json::Value;

use super::Scoped;
use super::parse::{At, at, json};

/// One value that counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Effective {
    /// Such as `model` or `permissions.deny[2]`.
    pub key: String,
    pub value: Value,
    pub origin: Origin,
    /// The same key in weaker files, or the same entry of a list once more; strongest first.
    pub shadowed: Vec<(Value, Origin)>,
}

/// Who wrote a value, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    pub source: Source,
    pub file: PathBuf,
    pub line: usize,
}

/// One value as it stands in one file.
#[derive(Clone, Debug)]
pub(super) struct Leaf {
    pub(super) key: String,
    pub(super) at: At,
    pub(super) value: Value,
    /// An entry of the list at `key`.
    entry: bool,
}

/// Of these, a `true` anywhere counts, whoever says `false`.
pub(super) const TRUE_WINS: [&str; 7] = [
    "permissions.disableBypassPermissionsMode",
    "permissions.disableAutoMode",
    "disableAutoMode",
    "permissions.denyInsteadOfPrompting",
    "permissions.blockReadsOutsideWorkingDirectories",
    "permissions.blockWritesOutsideWorkingDirectories",
    "autoMode.classifyAllShell",
];

/// Nobody writes so many by hand; a project that does wants to keep us busy.
const MOST_VALUES: usize = 5_000;

/// Whether a file has more values than anybody looks at.
pub(super) fn is_endless(object: &Object<'_>) -> bool {
    fn count(value: &Ast<'_>) -> usize {
        match value {
            Ast::Object(object) => {
                object.properties.iter().map(|each| 1 + count(&each.value)).sum()
            }
            Ast::Array(array) => array.elements.iter().map(|each| 1 + count(each)).sum(),
            _ => 0,
        }
    }
    object.properties.iter().map(|each| 1 + count(&each.value)).sum::<usize>() > MOST_VALUES
}

/// The values of an object, each with the path to it.
pub(super) fn leaves(text: &str, object: &Object<'_>, above: &str) -> Vec<Leaf> {
    let mut found = Vec::new();
    for property in &object.properties {
        let name = step(property.name.as_str());
        let key = if above.is_empty() { name } else { format!("{above}.{name}") };
        collect(text, &property.value, key, &mut found);
    }
    found
}

/// One name within a path. A name with dots is quoted, so that it does not look like a path.
pub(super) fn step(name: &str) -> String {
    match name.contains('.') {
        true => format!("\"{name}\""),
        false => name.to_owned(),
    }
}

fn collect(text: &str, value: &Ast<'_>, key: String, found: &mut Vec<Leaf>) {
    let leaf = |value: &Ast<'_>, key: String, entry: bool| {
        let at = at(text, value.start());
        json(text, value).map(|value| Leaf { key, at, value, entry })
    };
    match value {
        Ast::Object(object) => found.extend(leaves(text, object, &key)),
        Ast::Array(array) => {
            found.extend(array.elements.iter().filter_map(|each| leaf(each, key.clone(), true)));
        }
        single => found.extend(leaf(single, key, false)),
    }
}

/// What counts of all files, strongest first, in the order in which the keys are met.
pub(super) fn effective(layers: &[Scoped]) -> Vec<Effective> {
    let mut all: Vec<Effective> = Vec::new();
    // The key without its number, beside each.
    let mut keys: Vec<(String, bool)> = Vec::new();
    for Scoped { place, parsed } in layers {
        for Leaf { key, at, value, entry } in &parsed.leaves {
            let origin = Origin { source: place.source, file: place.file.clone(), line: at.line };
            let value = value.clone();
            let same = |known: &(&Effective, &(String, bool))| {
                known.1.0 == *key && known.1.1 == *entry && (!entry || known.0.value == value)
            };
            let found = all.iter().zip(&keys).position(|known| same(&known));
            match found.map(|index| &mut all[index]) {
                None => {
                    let count = keys.iter().filter(|(known, entry)| known == key && *entry).count();
                    let name = if *entry { format!("{key}[{count}]") } else { key.clone() };
                    keys.push((key.clone(), *entry));
                    all.push(Effective { key: name, value, origin, shadowed: Vec::new() });
                }
                Some(known) if wins(key, &value, &known.value) => {
                    let weaker = std::mem::replace(&mut known.value, value);
                    let was = std::mem::replace(&mut known.origin, origin);
                    known.shadowed.insert(0, (weaker, was));
                }
                Some(known) => known.shadowed.push((value, origin)),
            }
        }
    }
    all
}

fn wins(key: &str, weaker: &Value, stronger: &Value) -> bool {
    TRUE_WINS.contains(&key) && *stronger == Value::Bool(false) && *weaker != Value::Bool(false)
}
