//! Which nodes of a grammar are items: one table a language, and what all tables are made of.

mod c;
mod data;
mod go;
mod java;
mod python;
mod rust;
mod script;
mod shell;

use std::sync::OnceLock;

use text::Text;
use tree_sitter::Node;

use super::language::Language;

/// The rules of one language. Every name in them is a node of its grammar.
pub(super) struct Rules {
    pub(super) items: &'static [(&'static str, Rule)],
    /// Nodes that belong to the item behind them: comments, attributes, decorators.
    pub(super) leads: &'static [&'static str],
    /// Nodes that are part of the one item in them, such as the `export` around a class.
    pub(super) wrappers: &'static [&'static str],
    /// How deep items are listed.
    pub(super) levels: u32,
}

/// How a node becomes an item.
#[derive(Clone, Copy)]
pub(super) enum Rule {
    /// Of this kind, with the name in this field.
    Named(&'static str, &'static str),
    /// The same, but only where it has a body; without one it is a mere mention.
    Defined(&'static str, &'static str),
    /// A function knows its kind and its name, or that it is no item.
    Found(fn(Site<'_, '_>) -> Option<(&'static str, String)>),
}

/// Where a node stands.
#[derive(Clone, Copy)]
pub(super) struct Site<'a, 'tree> {
    pub(super) node: Node<'tree>,
    /// The nodes around it, the nearest last.
    pub(super) parents: &'a [Node<'tree>],
    pub(super) text: &'a Text,
}

impl<'tree> Site<'_, 'tree> {
    pub(super) fn text_of(&self, node: Node<'_>) -> Option<String> {
        Some(self.text.slice(node.byte_range())?.into_owned())
    }

    pub(super) fn field(&self, name: &str) -> Option<Node<'tree>> {
        self.node.child_by_field_name(name)
    }

    pub(super) fn text_of_field(&self, name: &str) -> Option<String> {
        self.text_of(self.field(name)?)
    }

    /// The kind of the node that is `up` levels around this one, counted from zero.
    pub(super) fn parent_kind(&self, up: usize) -> Option<&'tree str> {
        self.parents.iter().rev().nth(up).map(|parent| parent.kind())
    }
}

impl Rule {
    pub(super) fn apply(self, site: Site<'_, '_>) -> Option<(&'static str, String)> {
        match self {
            Rule::Named(kind, field) => Some((kind, site.text_of_field(field)?)),
            Rule::Defined(kind, field) => {
                site.field("body")?;
                Some((kind, site.text_of_field(field)?))
            }
            Rule::Found(find) => find(site),
        }
    }
}

/// What a node is to us.
#[derive(Clone, Copy)]
pub(super) enum Role {
    Item(Rule),
    Lead,
    Wrapper,
    Other,
}

/// The rules of a language by the numbers its grammar gives to nodes, because comparing the names
/// of all nodes would take longer than parsing them.
pub(super) struct Roles {
    roles: Vec<Role>,
    pub(super) levels: u32,
}

impl Roles {
    pub(super) fn of(language: Language) -> &'static Roles {
        static ROLES: [OnceLock<Roles>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        ROLES[language as usize].get_or_init(|| Roles::new(language))
    }

    fn new(language: Language) -> Roles {
        let (rules, grammar) = (rules(language), language.grammar());
        let mut roles = vec![Role::Other; grammar.node_kind_count()];
        let items = rules.items.iter().map(|(node, rule)| (*node, Role::Item(*rule)));
        let leads = rules.leads.iter().map(|node| (*node, Role::Lead));
        let wrappers = rules.wrappers.iter().map(|node| (*node, Role::Wrapper));
        for (node, role) in items.chain(leads).chain(wrappers) {
            if let Some(slot) = roles.get_mut(usize::from(grammar.id_for_node_kind(node, true))) {
                *slot = role;
            }
        }
        Roles { roles, levels: rules.levels }
    }

    pub(super) fn role(&self, node: Node<'_>) -> Role {
        self.roles.get(usize::from(node.kind_id())).copied().unwrap_or(Role::Other)
    }
}

fn rules(language: Language) -> &'static Rules {
    match language {
        Language::Rust => &rust::RULES,
        Language::TypeScript | Language::Tsx | Language::JavaScript => &script::RULES,
        Language::Python => &python::RULES,
        Language::Go => &go::RULES,
        Language::C => &c::C,
        Language::Cpp => &c::CPP,
        Language::Java => &java::RULES,
        Language::Bash => &shell::RULES,
        Language::Json => &data::JSON,
        Language::Toml => &data::TOML,
        Language::Yaml => &data::YAML,
        // Made of its headings, elsewhere.
        Language::Markdown => &NO_RULES,
    }
}

const NO_RULES: Rules = Rules { items: &[], leads: &[], wrappers: &[], levels: 0 };

/// As deep as it goes.
const ALL_LEVELS: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;

    /// A name that the grammar does not know would never match, and nobody would notice.
    #[test]
    fn every_rule_names_a_node_of_its_grammar() {
        for language in Language::ALL {
            let (rules, grammar) = (rules(language), language.grammar());
            let items = rules.items.iter().map(|(node, _)| node);
            for node in items.chain(rules.leads).chain(rules.wrappers) {
                assert_ne!(grammar.id_for_node_kind(node, true), 0, "{language:?}: {node}");
            }
            for (node, rule) in rules.items {
                if let Rule::Named(_, field) | Rule::Defined(_, field) = rule {
                    assert!(grammar.field_id_for_name(field).is_some(), "{language:?}: {node}");
                }
            }
        }
    }
}
