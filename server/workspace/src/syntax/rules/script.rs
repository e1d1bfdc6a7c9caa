//! JavaScript and TypeScript, where a function gets its name in many ways.

use tree_sitter::Node;

use super::{ALL_LEVELS, Rule, Rules, Site};

pub(super) const RULES: Rules = Rules {
    items: &[
        ("function_declaration", Rule::Named("function", "name")),
        ("function_signature", Rule::Named("function", "name")),
        ("generator_function_declaration", Rule::Named("function", "name")),
        ("class_declaration", Rule::Named("class", "name")),
        ("abstract_class_declaration", Rule::Named("class", "name")),
        ("interface_declaration", Rule::Named("interface", "name")),
        ("type_alias_declaration", Rule::Named("type", "name")),
        ("enum_declaration", Rule::Named("enum", "name")),
        ("internal_module", Rule::Named("namespace", "name")),
        ("module", Rule::Named("module", "name")),
        ("method_definition", Rule::Found(method)),
        ("abstract_method_signature", Rule::Named("method", "name")),
        ("public_field_definition", Rule::Found(function_field)),
        ("variable_declarator", Rule::Found(variable)),
        ("assignment_expression", Rule::Found(assigned)),
        ("pair", Rule::Found(function_pair)),
        ("call_expression", Rule::Found(test)),
        ("function_expression", Rule::Found(default_export)),
        ("arrow_function", Rule::Found(default_export)),
        ("class", Rule::Found(default_export)),
    ],
    leads: &["comment", "decorator"],
    wrappers: &[
        "export_statement",
        "ambient_declaration",
        "lexical_declaration",
        "variable_declaration",
        "expression_statement",
    ],
    levels: ALL_LEVELS,
};

/// Functions of the test frameworks that take a name and a body.
const TESTS: &[&str] = &["describe", "context", "suite", "it", "test", "specify", "bench"];

/// What a value makes of the name it gets; nothing for plain data.
fn kind_of_value(value: Node<'_>) -> Option<&'static str> {
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => Some("function"),
        "class" => Some("class"),
        _ => None,
    }
}

fn method(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let name = site.text_of_field("name")?;
    Some((if name == "constructor" { "constructor" } else { "method" }, name))
}

fn function_field(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    kind_of_value(site.field("value")?)?;
    Some(("method", site.text_of_field("name")?))
}

/// `const f = () => …` anywhere, and other values where the file itself names them.
fn variable(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let name = site.field("name").filter(|name| name.kind() == "identifier")?;
    let outer = site.parents.iter().rev().map(|parent| parent.kind()).find(|kind| {
        !matches!(*kind, "lexical_declaration" | "variable_declaration" | "export_statement")
    });
    let is_global = matches!(outer, Some("program" | "ambient_declaration"));
    let kind = match site.field("value").and_then(kind_of_value) {
        Some(kind) => kind,
        None if is_global => "variable",
        None => return None,
    };
    Some((kind, site.text_of(name)?))
}

/// `module.exports.f = function …`
fn assigned(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let kind = kind_of_value(site.field("right")?)?;
    Some((kind, site.text_of_field("left")?))
}

fn function_pair(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    kind_of_value(site.field("value")?)?;
    Some(("method", site.text_of_field("key")?))
}

/// `describe("a parser", () => …)`, also as `it.only(…)` and its like.
fn test(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let mut called = site.field("function")?;
    while called.kind() == "member_expression" {
        called = called.child_by_field_name("object")?;
    }
    if called.kind() != "identifier" || !TESTS.contains(&site.text_of(called)?.as_str()) {
        return None;
    }
    let arguments = site.field("arguments")?;
    let title = arguments.named_child(0)?;
    let body = arguments.named_child(arguments.named_child_count().checked_sub(1)? as u32)?;
    kind_of_value(body)?;
    let is_title = matches!(title.kind(), "string" | "template_string");
    let title = is_title.then(|| site.text_of(title)).flatten()?;
    Some(("test", title))
}

fn default_export(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let kind = kind_of_value(site.node)?;
    let is_exported = site.parent_kind(0) == Some("export_statement");
    let name = site.text_of_field("name").unwrap_or_else(|| "default".to_owned());
    is_exported.then_some((kind, name))
}
