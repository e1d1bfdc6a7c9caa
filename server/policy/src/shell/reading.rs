//! A command, read once for everybody who has to judge it: our own words and operators, and the tree
//! of tree-sitter for those who need it.

use std::cell::{OnceCell, RefCell};

use tree_sitter::{Node, Parser, Tree};

use super::lex::{Lexed, lex};

pub(crate) struct Reading<'a> {
    pub(crate) text: &'a str,
    pub(crate) lexed: Lexed,
    tree: OnceCell<Option<Tree>>,
}

impl<'a> Reading<'a> {
    /// `home` is what `$HOME` stands for, if known.
    pub(crate) fn new(text: &'a str, home: Option<&str>) -> Reading<'a> {
        Reading { text, lexed: lex(text, home), tree: OnceCell::new() }
    }

    pub(crate) fn tree(&self) -> Option<&Tree> {
        self.tree.get_or_init(|| parse(self.text)).as_ref()
    }

    /// The text of every command in the tree, wherever it stands and whatever is wrong around it.
    pub(crate) fn command_texts(&self) -> Vec<&'a str> {
        let mut found = Vec::new();
        let mut nodes: Vec<Node<'_>> = self.tree().map(Tree::root_node).into_iter().collect();
        while let Some(node) = nodes.pop() {
            if node.kind() == "command" {
                found.extend(self.text.get(node.byte_range()));
            }
            nodes.extend(named_children(node));
        }
        found
    }
}

/// The tree of `text`, with every byte outside ASCII replaced by a letter: byte ranges stay the
/// same, to bash both are plain word characters, and the grammar's scanner (0.25) reads out of
/// bounds on code points it does not expect.
fn parse(text: &str) -> Option<Tree> {
    PARSER.with_borrow_mut(|kept| {
        let parser = kept.as_mut()?;
        if text.is_ascii() {
            return parser.parse(text, None);
        }
        let twin: Vec<u8> =
            text.bytes().map(|byte| if byte.is_ascii() { byte } else { b'x' }).collect();
        parser.parse(twin, None)
    })
}

thread_local! {
    /// Kept for the next command: making one costs as much as reading a short one.
    static PARSER: RefCell<Option<Parser>> = RefCell::new(made());
}

fn made() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}
