//! Proves what a command is: simple commands of literal words, or the reason why not.
//!
//! A tree-sitter tree made only of whitelisted node kinds is lowered to words, and the lexer must
//! find the very same words on its own. Where two readers disagree, nothing is proven.

use std::path::Path;

use tree_sitter::Node;

use super::lex::{Lexed, Token, Word, lex};
use super::reading::{Reading, children, named_children};
use crate::visible::is_hidden;

/// Nesting that no honest command reaches.
const DEEPEST: usize = 64;

/// Why a command could not be proven; completes "It cannot be checked: …".
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unproven {
    pub(crate) why: String,
}

impl Unproven {
    fn because(why: impl Into<String>) -> Unproven {
        Unproven { why: why.into() }
    }
}

/// A word whose value is known before it runs, except that a glob still becomes file names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Literal {
    pub(crate) text: String,
    pub(crate) glob: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Redirect {
    Write(Literal),
    Read(Literal),
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Simple {
    pub(crate) assignments: Vec<String>,
    pub(crate) words: Vec<Literal>,
    pub(crate) redirects: Vec<Redirect>,
}

/// The simple commands of `text`, in order.
pub(crate) fn prove(text: &str, home: Option<&Path>) -> Result<Vec<Simple>, Unproven> {
    prove_reading(&Reading::new(text, None), home)
}

/// The same for a command that was read already.
pub(crate) fn prove_reading(
    reading: &Reading<'_>,
    home: Option<&Path>,
) -> Result<Vec<Simple>, Unproven> {
    let text = reading.text;
    if let Some(c) = text.chars().find(|c| is_hidden(*c)) {
        return Err(Unproven::because(format!("it holds the character {}", c.escape_unicode())));
    }
    let tree = reading.tree().ok_or_else(|| Unproven::because("it cannot be parsed"))?;
    let root = tree.root_node();
    if root.has_error() {
        return Err(Unproven::because("it is not valid shell syntax"));
    }
    let mut lowering = Lowering { text, home, commands: Vec::new(), raw: Raw::default() };
    lowering.statement(root, 0)?;
    if lowering.raw != Raw::from_lexer(&reading.lexed) {
        return Err(Unproven::because("its words can be read in two ways"));
    }
    if lowering.commands.is_empty() {
        return Err(Unproven::because("it holds no command"));
    }
    Ok(lowering.commands)
}

/// What both readers must agree on: the words of each command, the redirection targets, and the
/// bodies of here-documents.
#[derive(Debug, Default, PartialEq, Eq)]
struct Raw {
    commands: Vec<Vec<String>>,
    targets: Vec<String>,
    documents: Vec<String>,
}

impl Raw {
    fn from_lexer(lexed: &Lexed) -> Raw {
        let documents = lexed.documents.iter().map(|document| document.body.clone()).collect();
        let mut raw = Raw { documents, ..Raw::default() };
        let mut words = Vec::new();
        let mut target = false;
        for token in &lexed.tokens {
            match token {
                Token::Control(_) => {
                    raw.commands.push(std::mem::take(&mut words));
                    target = false;
                }
                Token::Redirect(_) => target = true,
                Token::Word(word) if std::mem::take(&mut target) => raw.targets.push(word.text()),
                // Negation belongs to the pipeline, not to the command.
                Token::Word(word) if words.is_empty() && word.text() == "!" => {}
                Token::Word(word) => words.push(word.text()),
            }
        }
        raw.commands.push(words);
        raw.commands.retain(|words| !words.is_empty());
        raw
    }
}

struct Lowering<'a> {
    text: &'a str,
    home: Option<&'a Path>,
    commands: Vec<Simple>,
    raw: Raw,
}

impl<'a> Lowering<'a> {
    fn source(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn statement(&mut self, node: Node<'_>, depth: usize) -> Result<(), Unproven> {
        if depth > DEEPEST {
            return Err(Unproven::because("it is nested too deeply"));
        }
        match node.kind() {
            "program" | "list" | "pipeline" | "negated_command" => self.statements(node, depth),
            "redirected_statement" => {
                let before = self.commands.len();
                self.statements(node, depth)?;
                if self.commands.len() == before {
                    self.commands.push(Simple::default());
                }
                self.redirects_of(node)
            }
            "command" => self.command(node),
            "comment" => self.comment(node),
            // tree-sitter gives a bare redirection no statement around it.
            "file_redirect" => {
                self.commands.push(Simple::default());
                self.redirect(node)
            }
            other => Err(Unproven::because(format!("it uses {}", plain_name(other)))),
        }
    }

    fn statements(&mut self, node: Node<'_>, depth: usize) -> Result<(), Unproven> {
        let redirected = node.kind() == "redirected_statement";
        for child in children(node) {
            if redirected && is_redirect(child) {
                continue;
            }
            if child.is_named() {
                self.statement(child, depth + 1)?;
            } else if !matches!(child.kind(), "&&" | "||" | "|" | "|&" | ";" | "&" | "\n" | "!") {
                return Err(Unproven::because(format!("it uses `{}`", child.kind())));
            }
        }
        Ok(())
    }

    fn redirects_of(&mut self, node: Node<'_>) -> Result<(), Unproven> {
        children(node)
            .into_iter()
            .filter(|child| is_redirect(*child))
            .try_for_each(|child| self.redirect(child))
    }

    fn command(&mut self, node: Node<'_>) -> Result<(), Unproven> {
        self.commands.push(Simple::default());
        let mut raw = Vec::new();
        let mut redirects = Vec::new();
        for child in children(node) {
            match child.kind() {
                "variable_assignment" => {
                    let text = self.assignment(child)?;
                    raw.push(text.clone());
                    if let Some(command) = self.commands.last_mut() {
                        command.assignments.push(text);
                    }
                }
                kind if is_redirect_kind(kind) => redirects.push(child),
                "command_name" => {
                    let word = child.named_child(0).filter(|_| child.named_child_count() == 1);
                    let word = word.ok_or_else(|| Unproven::because("its program name is odd"))?;
                    self.word(word, &mut raw)?;
                    let name = self.commands.last().and_then(|command| command.words.last());
                    if name.is_none_or(|name| name.glob || name.text.is_empty()) {
                        return Err(Unproven::because("its program is chosen by a pattern"));
                    }
                }
                _ if child.is_named() => self.word(child, &mut raw)?,
                other => return Err(Unproven::because(format!("it uses `{other}`"))),
            }
        }
        self.raw.commands.push(raw);
        redirects.into_iter().try_for_each(|redirect| self.redirect(redirect))
    }

    /// Only `NAME=plain` is understood; whether the name is harmless is decided elsewhere.
    fn assignment(&self, node: Node<'_>) -> Result<String, Unproven> {
        let text = self.source(node);
        let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "_=.@+-".contains(c));
        let named =
            node.child_by_field_name("name").is_some_and(|name| name.kind() == "variable_name");
        if plain && named && !text.contains("+=") {
            Ok(text.to_owned())
        } else {
            Err(Unproven::because("it sets a variable to something that is not plain text"))
        }
    }

    fn word(&mut self, node: Node<'_>, raw: &mut Vec<String>) -> Result<(), Unproven> {
        let (literal, text) = self.literal(node)?;
        raw.push(text);
        if let Some(command) = self.commands.last_mut() {
            command.words.push(literal);
        }
        Ok(())
    }

    fn redirect(&mut self, node: Node<'_>) -> Result<(), Unproven> {
        if node.kind() == "herestring_redirect" {
            let word =
                named_children(node).into_iter().find(|child| child.kind() != "file_descriptor");
            let word = word.ok_or_else(|| Unproven::because("a here-string has no text"))?;
            let (_, text) = self.literal(word)?;
            self.raw.targets.push(text);
            return Ok(());
        }
        if node.kind() == "heredoc_redirect" {
            return self.document(node);
        }
        if node.kind() != "file_redirect" {
            return Err(Unproven::because(format!("it uses {}", plain_name(node.kind()))));
        }
        let operator =
            children(node).into_iter().find(|child| !child.is_named()).map(|child| child.kind());
        let mut targets =
            named_children(node).into_iter().filter(|child| child.kind() != "file_descriptor");
        let (Some(operator), Some(target), None) = (operator, targets.next(), targets.next())
        else {
            return Err(Unproven::because("a redirection is odd"));
        };
        let (literal, text) = self.literal(target)?;
        self.raw.targets.push(text.clone());
        let descriptor =
            text == "-" || (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        let redirect = match operator {
            ">&" | "<&" if descriptor => return Ok(()),
            "<" => Redirect::Read(literal),
            ">" | ">>" | ">|" | "&>" | "&>>" => Redirect::Write(literal),
            // bash expands this target once more after the quotes are gone, running what is in it.
            ">&" => return Err(Unproven::because("it redirects with `>&` to a file")),
            other => return Err(Unproven::because(format!("it uses the redirection `{other}`"))),
        };
        if let Some(command) = self.commands.last_mut() {
            command.redirects.push(redirect);
        }
        Ok(())
    }

    /// A here-document that the shell takes as it is: the delimiter stands in quotes.
    fn document(&mut self, node: Node<'_>) -> Result<(), Unproven> {
        let parts = named_children(node);
        let kinds: Vec<&str> = parts.iter().map(Node::kind).collect();
        let (start, body) = match (kinds.as_slice(), parts.as_slice()) {
            (["heredoc_start", "heredoc_body", "heredoc_end"], [start, body, _]) => {
                (self.source(*start), self.source(*body))
            }
            (["heredoc_start", "heredoc_end"], [start, _]) => (self.source(*start), ""),
            _ => return Err(Unproven::because("it uses a here-document")),
        };
        let quoted = |quote: char| {
            start.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)).filter(|name| {
                !name.is_empty() && name.chars().all(|c| c == '_' || c.is_ascii_alphanumeric())
            })
        };
        let name = quoted('\'').or_else(|| quoted('"'));
        let name = name.ok_or_else(|| Unproven::because("it uses a here-document"))?;
        self.raw.targets.push(name.to_owned());
        self.raw.documents.push(body.to_owned());
        Ok(())
    }

    fn comment(&self, node: Node<'_>) -> Result<(), Unproven> {
        let before = self.text.get(..node.start_byte()).unwrap_or_default();
        let starts_a_word = before.is_empty() || before.ends_with([' ', '\t', '\n', ';']);
        if starts_a_word && !self.source(node).contains('\n') {
            Ok(())
        } else {
            Err(Unproven::because("it holds an odd comment"))
        }
    }

    /// The value of a word, and its text before tilde expansion for comparing.
    fn literal(&self, node: Node<'_>) -> Result<(Literal, String), Unproven> {
        check_word_kinds(node)?;
        // Most words are made of characters that mean nothing but themselves.
        let source = self.source(node);
        if node.kind() == "word" && source.bytes().all(is_plain) {
            return Ok((Literal { text: source.to_owned(), glob: false }, source.to_owned()));
        }
        let lexed = lex(self.source(node), None);
        let [Token::Word(word)] = lexed.tokens.as_slice() else {
            return Err(Unproven::because("a word is not one word"));
        };
        if word.dynamic || lexed.unfinished || !lexed.nested.is_empty() {
            return Err(Unproven::because("part of it is only known when it runs"));
        }
        let text = word.text();
        if word.has_active(&['{', '}']) && text != "{}" {
            return Err(Unproven::because("it uses braces"));
        }
        let value = self.expand_tilde(word, self.source(node))?;
        Ok((Literal { text: value.unwrap_or_else(|| text.clone()), glob: word.is_glob() }, text))
    }

    /// The word with its leading `~` replaced; `None` if it has none. `source` is the word as it
    /// is written, since a quote anywhere before the first slash keeps bash from expanding.
    fn expand_tilde(&self, word: &Word, source: &str) -> Result<Option<String>, Unproven> {
        if word.has_inner_tilde() {
            return Err(Unproven::because("it uses a home folder inside a word"));
        }
        if !word.starts_with_active('~') {
            return Ok(None);
        }
        let own = source.split('/').next() == Some("~");
        match (self.home.and_then(Path::to_str), word.text().strip_prefix('~')) {
            (Some(home), Some(rest)) if own => Ok(Some(format!("{home}{rest}"))),
            _ => Err(Unproven::because("it names a home folder that is not known")),
        }
    }
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./,:+@%".contains(&byte)
}

fn check_word_kinds(node: Node<'_>) -> Result<(), Unproven> {
    match node.kind() {
        "word" | "number" | "string_content" | "raw_string" if node.named_child_count() == 0 => {
            Ok(())
        }
        "string" | "concatenation" => {
            named_children(node).into_iter().try_for_each(check_word_kinds)
        }
        other => Err(Unproven::because(format!("it uses {}", plain_name(other)))),
    }
}

fn is_redirect(node: Node<'_>) -> bool {
    is_redirect_kind(node.kind())
}

fn is_redirect_kind(kind: &str) -> bool {
    matches!(kind, "file_redirect" | "herestring_redirect" | "heredoc_redirect")
}

/// What a person calls a node kind.
fn plain_name(kind: &str) -> String {
    match kind {
        "command_substitution" => "a command substitution".to_owned(),
        "process_substitution" => "a process substitution".to_owned(),
        "simple_expansion" | "expansion" => "a variable".to_owned(),
        "heredoc_redirect" => "a here-document".to_owned(),
        "variable_assignment" | "variable_assignments" | "declaration_command" => {
            "a variable assignment".to_owned()
        }
        "if_statement"
        | "for_statement"
        | "while_statement"
        | "case_statement"
        | "c_style_for_statement" => "control flow".to_owned(),
        "function_definition" => "a function".to_owned(),
        "subshell" | "compound_statement" => "a group of commands".to_owned(),
        "test_command" => "a test".to_owned(),
        other => format!("a {}", other.replace('_', " ")),
    }
}

#[cfg(test)]
mod tests;
