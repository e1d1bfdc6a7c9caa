//! Rust.

use super::{ALL_LEVELS, Rule, Rules, Site};

pub(super) const RULES: Rules = Rules {
    items: &[
        ("function_item", Rule::Named("function", "name")),
        ("function_signature_item", Rule::Named("function", "name")),
        ("struct_item", Rule::Named("struct", "name")),
        ("enum_item", Rule::Named("enum", "name")),
        ("union_item", Rule::Named("union", "name")),
        ("trait_item", Rule::Named("trait", "name")),
        ("impl_item", Rule::Found(implementation)),
        ("mod_item", Rule::Defined("module", "name")),
        ("type_item", Rule::Named("type", "name")),
        ("const_item", Rule::Named("constant", "name")),
        ("static_item", Rule::Named("static", "name")),
        ("macro_definition", Rule::Named("macro", "name")),
    ],
    leads: &["attribute_item", "line_comment", "block_comment"],
    wrappers: &[],
    levels: ALL_LEVELS,
};

fn implementation(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let of = site.text_of_field("type")?;
    let name = match site.text_of_field("trait") {
        Some(what) => format!("{what} for {of}"),
        None => of,
    };
    Some(("impl", name))
}
