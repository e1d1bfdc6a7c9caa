//! Java.

use super::{ALL_LEVELS, Rule, Rules};

pub(super) const RULES: Rules = Rules {
    items: &[
        ("class_declaration", Rule::Named("class", "name")),
        ("interface_declaration", Rule::Named("interface", "name")),
        ("enum_declaration", Rule::Named("enum", "name")),
        ("record_declaration", Rule::Named("record", "name")),
        ("annotation_type_declaration", Rule::Named("annotation", "name")),
        ("method_declaration", Rule::Named("method", "name")),
        ("constructor_declaration", Rule::Named("constructor", "name")),
        ("compact_constructor_declaration", Rule::Named("constructor", "name")),
    ],
    leads: &["line_comment", "block_comment"],
    wrappers: &[],
    levels: ALL_LEVELS,
};
