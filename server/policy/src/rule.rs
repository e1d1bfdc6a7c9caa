//! One permission rule: a tool, and optionally which of its calls.
//!
//! `Bash`, `Bash()` and `Bash(*)` are the same bare rule. Inside the parentheses `\(`, `\)` and
//! `\\` stand for the bare character; every other backslash is kept as written.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::wildcard::wildcard;

/// `Tool` or `Tool(spec)`, as parsed.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Rule {
    tool: String,
    spec: Option<String>,
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    #[error("a permission rule is empty: write `Tool` or `Tool(pattern)`")]
    Empty,
    #[error("the rule `{0}` has no tool name: write `Tool` or `Tool(pattern)`")]
    NoTool(String),
    #[error(
        "the rule `{0}` has a tool name with odd characters: use letters, digits, `_`, `-`, `.`, `:` or `*`"
    )]
    OddTool(String),
    #[error(
        "the parentheses of the rule `{0}` do not match: write `\\(` and `\\)` inside a pattern"
    )]
    Unbalanced(String),
}

/// Old tool names that rules may still use, with the name of today.
const RENAMED: [(&str, &str); 8] = [
    ("Task", "Agent"),
    ("KillShell", "TaskStop"),
    ("KillBash", "TaskStop"),
    ("ListMcpResources", "ListMcpResourcesTool"),
    ("ReadMcpResource", "ReadMcpResourceTool"),
    ("ReadMcpResourceDir", "ReadMcpResourceDirTool"),
    ("ListPeers", "ListAgents"),
    ("Brief", "SendUserMessage"),
];

/// The name of today for a tool name that may be an old one.
pub(crate) fn current_name(tool: &str) -> &str {
    RENAMED.iter().find(|(old, _)| *old == tool).map_or(tool, |(_, new)| *new)
}

impl Rule {
    /// A rule for the calls of `tool` that `spec` describes.
    pub(crate) fn scoped(tool: impl Into<String>, spec: impl Into<String>) -> Rule {
        Rule { tool: tool.into(), spec: Some(spec.into()).filter(|spec| !is_bare(spec)) }
    }

    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The text between the parentheses; `None` for a bare rule.
    pub fn spec(&self) -> Option<&str> {
        self.spec.as_deref()
    }

    /// The argument and the value that `Tool(param:value)` speaks about. What a tool is mainly
    /// given, such as a command or a path, has a syntax of its own and is not matched this way.
    pub(crate) fn param(&self) -> Option<(&str, &str)> {
        const PRIMARY: [&str; 6] =
            ["command", "file_path", "path", "notebook_path", "url", "domain"];
        let (name, value) = self.spec()?.split_once(':')?;
        let named = !name.is_empty()
            && !PRIMARY.contains(&name)
            && name.chars().all(|c| c == '_' || c == '-' || c.is_ascii_alphanumeric());
        named.then_some((name, value))
    }

    /// Rules as flags carry them: separated by commas or blanks outside parentheses.
    pub fn parse_list(text: &str) -> Result<Vec<Rule>, RuleError> {
        let mut rules = Vec::new();
        let mut depth = 0usize;
        let mut start = 0;
        for (at, c) in text.char_indices() {
            match c {
                '(' => depth += 1,
                ')' => {
                    depth = depth
                        .checked_sub(1)
                        .ok_or_else(|| RuleError::Unbalanced(text[start..].to_owned()))?;
                }
                c if depth == 0 && (c == ',' || c.is_whitespace()) => {
                    push_rule(&mut rules, &text[start..at])?;
                    start = at + c.len_utf8();
                }
                _ => {}
            }
        }
        push_rule(&mut rules, &text[start..])?;
        Ok(rules)
    }

    /// Whether the tool part names `tool`, old names and wildcards included.
    pub fn names(&self, tool: &str) -> bool {
        let mine = current_name(&self.tool);
        mine == current_name(tool) || (self.has_tool_wildcard() && wildcard(mine, tool))
    }

    pub(crate) fn has_tool_wildcard(&self) -> bool {
        self.tool.contains('*')
    }
}

fn push_rule(rules: &mut Vec<Rule>, text: &str) -> Result<(), RuleError> {
    if !text.is_empty() {
        rules.push(text.parse()?);
    }
    Ok(())
}

fn is_bare(spec: &str) -> bool {
    spec.is_empty() || spec == "*"
}

fn is_tool_name(name: &str) -> bool {
    name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '*' | '/'))
}

impl FromStr for Rule {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Rule, RuleError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(RuleError::Empty);
        }
        let unbalanced = || RuleError::Unbalanced(text.to_owned());
        let (tool, spec) = match text.split_once('(') {
            Some((tool, rest)) => (
                tool,
                Some(
                    unescape(rest.strip_suffix(')').ok_or_else(unbalanced)?)
                        .ok_or_else(unbalanced)?,
                ),
            ),
            None if text.contains(')') => return Err(unbalanced()),
            None => (text, None),
        };
        let tool = tool.trim_end();
        if tool.is_empty() {
            return Err(RuleError::NoTool(text.to_owned()));
        }
        if !is_tool_name(tool) {
            return Err(RuleError::OddTool(text.to_owned()));
        }
        Ok(Rule { tool: tool.to_owned(), spec: spec.filter(|spec| !is_bare(spec)) })
    }
}

/// `None` when the closing parenthesis that was stripped was itself escaped.
fn unescape(escaped: &str) -> Option<String> {
    let mut plain = String::with_capacity(escaped.len());
    let mut chars = escaped.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\\' {
            match chars.peek() {
                Some(next @ ('(' | ')' | '\\')) => {
                    plain.push(*next);
                    chars.next();
                }
                Some(_) => plain.push(c),
                None => return None,
            }
        } else {
            plain.push(c);
        }
    }
    Some(plain)
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.tool)?;
        let Some(spec) = &self.spec else { return Ok(()) };
        f.write_str("(")?;
        for c in spec.chars() {
            if matches!(c, '(' | ')' | '\\') {
                f.write_str("\\")?;
            }
            write!(f, "{c}")?;
        }
        f.write_str(")")
    }
}

impl TryFrom<String> for Rule {
    type Error = RuleError;

    fn try_from(text: String) -> Result<Rule, RuleError> {
        text.parse()
    }
}

impl From<Rule> for String {
    fn from(rule: Rule) -> String {
        rule.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn rules_parse_as_written() {
        let check = |text: &str, tool: &str, spec: Option<&str>| {
            let rule: Rule = text.parse().unwrap();
            assert_eq!((rule.tool(), rule.spec()), (tool, spec), "{text}");
        };
        check("Bash", "Bash", None);
        check("Bash()", "Bash", None);
        check("Bash(*)", "Bash", None);
        check(" Bash(git *) ", "Bash", Some("git *"));
        check(r"Bash(echo \(a\))", "Bash", Some("echo (a)"));
        check("Bash(echo (a))", "Bash", Some("echo (a)"));
        check(r"Bash(a\\b\*)", "Bash", Some(r"a\b\*"));
        check("mcp__git__*", "mcp__git__*", None);
    }

    #[test]
    fn broken_rules_say_what_is_wrong() {
        for text in ["", "  ", "(x)", "Bash(git", "Bash git)", r"Bash(x\)", "Ba sh", "Bash(x)y"] {
            assert!(text.parse::<Rule>().is_err(), "{text:?}");
        }
    }

    #[test]
    fn lists_split_outside_parentheses() {
        let check = |text: &str, expect: &[&str]| {
            let rules: Vec<String> =
                Rule::parse_list(text).unwrap().iter().map(Rule::to_string).collect();
            assert_eq!(rules, expect, "{text}");
        };
        check("Bash(git *),Read", &["Bash(git *)", "Read"]);
        check("Bash(git log, x) Read,,  Edit", &["Bash(git log, x)", "Read", "Edit"]);
        check("", &[]);
        assert!(Rule::parse_list("Bash(git").is_err());
        assert!(Rule::parse_list("Bash)x").is_err());
    }

    proptest! {
        #[test]
        fn display_reads_back(tool in "[A-Za-z_][A-Za-z0-9_*]{0,12}", spec in any::<Option<String>>()) {
            let rule = Rule::scoped(tool, spec.unwrap_or_default());
            prop_assert_eq!(rule.to_string().parse::<Rule>(), Ok(rule));
        }

        #[test]
        fn parsing_never_panics(text in any::<String>()) {
            let _ = text.parse::<Rule>();
            let _ = Rule::parse_list(&text);
        }
    }
}
