//! JSON, TOML and YAML: the keys of the two upper levels, because deeper ones are data.

use super::{Rule, Rules, Site};

const LEVELS: u32 = 2;

pub(super) const JSON: Rules = Rules {
    items: &[("pair", Rule::Found(key))],
    leads: &["comment"],
    wrappers: &[],
    levels: LEVELS,
};

pub(super) const TOML: Rules = Rules {
    items: &[
        ("table", Rule::Found(table)),
        ("table_array_element", Rule::Found(table)),
        ("pair", Rule::Found(first)),
    ],
    leads: &["comment"],
    wrappers: &[],
    levels: LEVELS,
};

pub(super) const YAML: Rules = Rules {
    items: &[("block_mapping_pair", Rule::Found(key)), ("flow_pair", Rule::Found(key))],
    leads: &["comment"],
    wrappers: &[],
    levels: LEVELS,
};

fn key(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    Some(("key", site.text_of_field("key")?))
}

/// The grammar of TOML has no names for parts; the key comes first.
fn first(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    Some(("key", site.text_of(site.node.named_child(0)?)?))
}

fn table(site: Site<'_, '_>) -> Option<(&'static str, String)> {
    Some(("table", site.text_of(site.node.named_child(0)?)?))
}
