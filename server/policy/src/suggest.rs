//! The rules that "don't ask again" would store: narrow, and none where a rule would open a door.

use std::path::{Path, PathBuf};

use crate::rule::Rule;

/// More than this in one answer is not a choice a person can read.
const MOST: usize = 5;

/// The suggestions of two questions asked together. If one of them cannot be silenced by a rule,
/// storing the rules of the other would be of no use.
pub(crate) fn both(one: &[Rule], other: &[Rule]) -> Vec<Rule> {
    if one.is_empty() || other.is_empty() {
        return Vec::new();
    }
    let mut all = one.to_vec();
    for rule in other {
        if !all.contains(rule) {
            all.push(rule.clone());
        }
    }
    all.truncate(MOST);
    all
}

pub(crate) fn read(path: &Path) -> Vec<Rule> {
    path.to_str().map(|path| Rule::scoped("Read", absolute(path))).into_iter().collect()
}

pub(crate) fn edit(path: &Path, roots: &[PathBuf]) -> Vec<Rule> {
    let relative = roots.first().and_then(|root| path.strip_prefix(root).ok());
    let spec = match relative.map(Path::to_str) {
        Some(Some(relative)) => Some(format!("/{}", globset::escape(relative))),
        Some(None) => None,
        None => path.to_str().map(absolute),
    };
    spec.map(|spec| Rule::scoped("Edit", spec)).into_iter().collect()
}

fn absolute(path: &str) -> String {
    format!("/{}", globset::escape(path))
}

pub(crate) fn domain(host: &str) -> Vec<Rule> {
    vec![Rule::scoped("WebFetch", format!("domain:{host}"))]
}

pub(crate) fn mcp(name: &str) -> Vec<Rule> {
    // A server may have picked a name that no rule can spell.
    name.parse()
        .ok()
        .filter(|rule: &Rule| rule.spec().is_none() && !rule.has_tool_wildcard())
        .into_iter()
        .collect()
}
