//! Which tools a hook is about.

use regex::Regex;

/// A matcher as it is written in settings.
pub(super) enum Matcher {
    Everything,
    Names(Vec<String>),
    Pattern(Regex),
}

impl Matcher {
    /// Nothing and `*` are every tool, plain words are names, anything else is a pattern to be found
    /// in the name. A pattern that cannot be read is about every tool: the hook may be a guard.
    pub(super) fn parse(written: Option<&str>) -> Matcher {
        let written = written.unwrap_or_default().trim();
        let is_name = |c: char| c.is_alphanumeric() || "_- ,|".contains(c);
        if written.is_empty() || written == "*" {
            return Matcher::Everything;
        }
        if written.chars().all(is_name) {
            let names = written.split(['|', ',']).map(str::trim).filter(|name| !name.is_empty());
            return Matcher::Names(names.map(str::to_owned).collect());
        }
        Regex::new(written).map_or(Matcher::Everything, Matcher::Pattern)
    }

    pub(super) fn matches(&self, tool: &str) -> bool {
        match self {
            Matcher::Everything => true,
            // A rule knows the names that tools had before.
            Matcher::Names(names) => names.iter().any(|name| {
                name == tool || name.parse::<policy::Rule>().is_ok_and(|rule| rule.names(tool))
            }),
            Matcher::Pattern(pattern) => pattern.is_match(tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lists_and_patterns() {
        let check = |written: &str, tool: &str, expect: bool| {
            assert_eq!(Matcher::parse(Some(written)).matches(tool), expect, "{written} {tool}");
        };
        assert!(Matcher::parse(None).matches("Bash"));
        check("", "Bash", true);
        check("*", "Bash", true);
        check("Bash", "Bash", true);
        check("Bash", "BashOutput", false);
        check("bash", "Bash", false);
        check("Edit|Write", "Write", true);
        check("Edit, Write", "Write", true);
        check("Edit|Write", "NotebookEdit", false);
        check("Task", "Agent", true);
        check("mcp__memory", "mcp__memory__store", false);
        check("mcp__memory__.*", "mcp__memory__store", true);
        check("Edit.*", "NotebookEdit", true);
        check("^Edit$", "NotebookEdit", false);
        check("Bash.", "Bash", false);
        // Whether it is meant or not, nobody can tell.
        check("Bash(", "Write", true);
        check("(?!Bash)", "Bash", true);
    }
}
