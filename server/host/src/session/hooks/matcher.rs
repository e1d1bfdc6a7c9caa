//! What a hook is about: a tool, or the word that an event has.

use extend::hooks::{HookEvent, Matched};
use regex::Regex;

/// A matcher as it is written in settings.
pub(super) enum Matcher {
    Everything,
    Names(Vec<String>),
    Pattern(Regex),
}

impl Matcher {
    /// Nothing and `*` are everything, plain words are names, anything else is a pattern to be found
    /// in the name. A pattern that cannot be read is about everything: the hook may be a guard.
    pub(super) fn parse(event: HookEvent, written: Option<&str>) -> Matcher {
        let written = written.unwrap_or_default().trim();
        let more = if event.matched() == Matched::Plain { "_|" } else { "_- ,|" };
        let is_name = |c: char| c.is_alphanumeric() || more.contains(c);
        if written.is_empty() || written == "*" || event.matched() == Matched::Nothing {
            return Matcher::Everything;
        }
        if written.chars().all(is_name) || event == HookEvent::FileChanged {
            let ends: &[char] =
                if event.matched() == Matched::Plain { &['|'] } else { &['|', ','] };
            let names = written.split(ends).map(str::trim).filter(|name| !name.is_empty());
            return Matcher::Names(names.map(str::to_owned).collect());
        }
        Regex::new(written).map_or(Matcher::Everything, Matcher::Pattern)
    }

    /// `word` is what the event is about; an event without one is about nothing that could be told
    /// apart.
    pub(super) fn matches(&self, event: HookEvent, word: Option<&str>) -> bool {
        let Some(word) = word else { return true };
        match self {
            Matcher::Everything => true,
            // A rule knows the names that tools had before.
            Matcher::Names(names) => names.iter().any(|name| {
                let older = |rule: policy::Rule| rule.names(word);
                name == word || (event.is_about_a_call() && name.parse().is_ok_and(older))
            }),
            Matcher::Pattern(pattern) => pattern.is_match(word),
        }
    }

    /// The names that are written, where it is a list of them.
    pub(super) fn names(&self) -> &[String] {
        match self {
            Matcher::Names(names) => names,
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lists_and_patterns() {
        let event = HookEvent::PreToolUse;
        let check = |written: &str, tool: &str, expect: bool| {
            let matcher = Matcher::parse(event, Some(written));
            assert_eq!(matcher.matches(event, Some(tool)), expect, "{written} {tool}");
        };
        assert!(Matcher::parse(event, None).matches(event, Some("Bash")));
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

    #[test]
    fn words_of_other_events() {
        let check = |event: HookEvent, written: &str, word: &str, expect: bool| {
            let matcher = Matcher::parse(event, Some(written));
            assert_eq!(matcher.matches(event, Some(word)), expect, "{event:?} {written} {word}");
        };
        check(HookEvent::SessionStart, "startup|resume", "resume", true);
        check(HookEvent::SessionStart, "startup|resume", "compact", false);
        // Names of tools are known by older ones, other words are not.
        check(HookEvent::SubagentStop, "Task", "Agent", false);
        check(HookEvent::FileChanged, ".env|a.txt", ".env", true);
        check(HookEvent::FileChanged, ".env", "xenv", false);
        check(HookEvent::StopFailure, "rate_limit|server_error", "rate_limit", true);
        check(HookEvent::StopFailure, "rate.*", "rate_limit", true);
        check(HookEvent::UserPromptSubmit, "nothing", "anything", true);
        assert!(Matcher::parse(HookEvent::Stop, Some("x")).matches(HookEvent::Stop, None));
    }
}
