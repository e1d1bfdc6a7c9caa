//! Go.

use super::{ALL_LEVELS, Rule, Rules, Site};

pub(super) const RULES: Rules = Rules {
    items: &[
        ("function_declaration", Rule::Named("function", "name")),
        ("method_declaration", Rule::Found(method)),
        ("type_spec", Rule::Found(type_of_its_own)),
        ("type_alias", Rule::Named("type", "name")),
        ("const_spec", Rule::Named("constant", "name")),
        ("var_spec", Rule::Named("variable", "name")),
    ],
    leads: &["comment"],
    wrappers: &["type_declaration", "const_declaration", "var_declaration"],
    levels: ALL_LEVELS,
};

/// `func (s *Server) Run()` is the method `Server.Run`.
fn method(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let name = site.text_of_field("name")?;
    let receiver = site.field("receiver")?.named_child(0)?.child_by_field_name("type")?;
    let receiver = site.text_of(receiver)?;
    Some(("method", format!("{}.{name}", receiver.trim_start_matches('*'))))
}

fn type_of_its_own(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    let kind = match site.field("type")?.kind() {
        "struct_type" => "struct",
        "interface_type" => "interface",
        _ => "type",
    };
    Some((kind, site.text_of_field("name")?))
}
