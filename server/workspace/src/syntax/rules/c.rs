//! C and C++, where a name is wrapped in the shape of its type.

use tree_sitter::Node;

use super::{ALL_LEVELS, Rule, Rules, Site};

pub(super) const C: Rules = Rules {
    items: &[
        ("function_definition", Rule::Found(function)),
        ("declaration", Rule::Found(declaration)),
        ("struct_specifier", Rule::Defined("struct", "name")),
        ("union_specifier", Rule::Defined("union", "name")),
        ("enum_specifier", Rule::Defined("enum", "name")),
        ("type_definition", Rule::Found(type_definition)),
        ("preproc_def", Rule::Named("macro", "name")),
        ("preproc_function_def", Rule::Named("macro", "name")),
    ],
    leads: &["comment"],
    wrappers: &[],
    levels: ALL_LEVELS,
};

pub(super) const CPP: Rules = Rules {
    items: &[
        ("function_definition", Rule::Found(function)),
        ("declaration", Rule::Found(declaration)),
        ("field_declaration", Rule::Found(member)),
        ("class_specifier", Rule::Defined("class", "name")),
        ("struct_specifier", Rule::Defined("struct", "name")),
        ("union_specifier", Rule::Defined("union", "name")),
        ("enum_specifier", Rule::Defined("enum", "name")),
        ("namespace_definition", Rule::Found(namespace)),
        ("concept_definition", Rule::Named("concept", "name")),
        ("alias_declaration", Rule::Named("type", "name")),
        ("type_definition", Rule::Found(type_definition)),
        ("preproc_def", Rule::Named("macro", "name")),
        ("preproc_function_def", Rule::Named("macro", "name")),
    ],
    leads: &["comment"],
    wrappers: &["template_declaration"],
    levels: ALL_LEVELS,
};

fn function(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let (name, _) = declared(site.field("declarator")?)?;
    Some(("function", site.text_of(name)?))
}

/// Prototypes and variables of a file; what a function declares for itself is no item.
fn declaration(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    if site.parents.iter().any(|parent| parent.kind() == "compound_statement") {
        return None;
    }
    let (name, is_function) = declared(site.field("declarator")?)?;
    Some((if is_function { "function" } else { "variable" }, site.text_of(name)?))
}

/// Of the members of a class only the functions.
fn member(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let (name, is_function) = declared(site.field("declarator")?)?;
    is_function.then(|| site.text_of(name)).flatten().map(|name| ("function", name))
}

fn type_definition(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let (name, _) = declared(site.field("declarator")?)?;
    Some(("type", site.text_of(name)?))
}

fn namespace(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let name = site.text_of_field("name").unwrap_or_else(|| "(anonymous)".to_owned());
    Some(("namespace", name))
}

/// The name inside a declarator such as `*(*name)(int)`, and whether it is a function's.
fn declared(declarator: Node<'_>) -> Option<(Node<'_>, bool)> {
    let mut node = declarator;
    let mut is_function = false;
    loop {
        // A function in parentheses is a pointer to one.
        is_function = match node.kind() {
            "function_declarator" => true,
            "parenthesized_declarator" => false,
            _ => is_function,
        };
        let inner = node.child_by_field_name("declarator").or_else(|| {
            let wraps = matches!(
                node.kind(),
                "parenthesized_declarator" | "reference_declarator" | "attributed_declarator"
            );
            wraps.then(|| node.named_child(0)).flatten()
        });
        match inner {
            Some(inner) => node = inner,
            None => return Some((node, is_function)),
        }
    }
}
