//! Python.

use super::{ALL_LEVELS, Rule, Rules, Site};

pub(super) const RULES: Rules = Rules {
    items: &[
        ("function_definition", Rule::Named("function", "name")),
        ("class_definition", Rule::Named("class", "name")),
        ("type_alias_statement", Rule::Named("type", "left")),
        ("assignment", Rule::Found(global)),
    ],
    leads: &["comment"],
    wrappers: &["decorated_definition", "expression_statement"],
    levels: ALL_LEVELS,
};

/// A name that a module gives to a value.
fn global(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let name = site.field("left").filter(|left| left.kind() == "identifier")?;
    let is_global = site.parent_kind(1) == Some("module");
    is_global.then(|| site.text_of(name)).flatten().map(|name| ("variable", name))
}
