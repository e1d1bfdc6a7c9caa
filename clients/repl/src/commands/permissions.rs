//! `/permissions [allow|ask|deny RULE [--scope SCOPE] | remove [RULE]]`: the rules, what was
//! refused lately, and changes to the rules.

use protocol::event::Severity;
use protocol::permission::{PermissionRule, RuleBehavior, RuleScope};
use tokio::time::Instant;

use crate::app::{App, Ruling};

/// The scopes one may write to.
const SCOPES: [RuleScope; 4] =
    [RuleScope::Session, RuleScope::Local, RuleScope::Project, RuleScope::User];

pub(super) fn run(app: &mut App, argument: &str, _: Instant) {
    match understand(argument) {
        Ok(Wish::Show) => app.list_rules(Ruling::Show),
        Ok(Wish::Remove(rule, scope)) => app.list_rules(Ruling::Remove { rule, scope }),
        Ok(Wish::Add(rule)) => app.add_rule(rule),
        Err(problem) => app.notice(Severity::Warning, &problem),
    }
}

#[derive(Debug, PartialEq)]
enum Wish {
    Show,
    Add(PermissionRule),
    Remove(Option<String>, Option<RuleScope>),
}

fn understand(argument: &str) -> Result<Wish, String> {
    let (word, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let (rule, scope) = split_scope(rest)?;
    match word {
        "" => Ok(Wish::Show),
        "remove" => Ok(Wish::Remove(Some(rule).filter(|rule| !rule.is_empty()), scope)),
        "allow" | "ask" | "deny" if rule.is_empty() => {
            Err(format!("Which rule? For example: /permissions {word} Bash(cargo test:*)"))
        }
        "allow" | "ask" | "deny" => Ok(Wish::Add(PermissionRule {
            rule,
            behavior: RuleBehavior::from(word),
            scope: scope.unwrap_or(RuleScope::Session),
            source: None,
            set_by: None,
        })),
        other => Err(format!("`/permissions {other}` is unknown; say allow, ask, deny or remove.")),
    }
}

/// The rule, which may have spaces in it, and the scope behind `--scope`.
fn split_scope(text: &str) -> Result<(String, Option<RuleScope>), String> {
    let at_a_word = |at: &usize| text[..*at].chars().next_back().is_none_or(char::is_whitespace);
    let found = text.rmatch_indices("--scope").map(|(at, _)| at).find(at_a_word);
    let Some(at) = found else { return Ok((text.trim().to_owned(), None)) };
    let after = text[at + "--scope".len()..].trim_start_matches('=').trim_start();
    let (name, rest) = after.split_once(char::is_whitespace).unwrap_or((after, ""));
    let rule = format!("{} {}", text[..at].trim(), rest.trim()).trim().to_owned();
    match SCOPES.iter().find(|scope| scope.as_str() == name) {
        Some(scope) => Ok((rule, Some(scope.clone()))),
        None => {
            let names: Vec<&str> = SCOPES.iter().map(RuleScope::as_str).collect();
            Err(format!("`{name}` is no scope; say one of {}.", names.join(", ")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(behavior: &str, rule: &str, scope: RuleScope) -> Wish {
        let behavior = RuleBehavior::from(behavior);
        Wish::Add(PermissionRule { rule: rule.into(), behavior, scope, source: None, set_by: None })
    }

    #[test]
    fn arguments() {
        for (argument, expect) in [
            ("", Ok(Wish::Show)),
            ("allow Read", Ok(add("allow", "Read", RuleScope::Session))),
            (
                "allow Bash(git  commit:*) --scope project",
                Ok(add("allow", "Bash(git  commit:*)", RuleScope::Project)),
            ),
            (
                "deny --scope=user Edit(~/.ssh/**)",
                Ok(add("deny", "Edit(~/.ssh/**)", RuleScope::User)),
            ),
            (
                "ask Bash(x --scope y) --scope local",
                Ok(add("ask", "Bash(x --scope y)", RuleScope::Local)),
            ),
            ("remove", Ok(Wish::Remove(None, None))),
            ("remove Read", Ok(Wish::Remove(Some("Read".into()), None))),
            (
                "remove Read --scope user",
                Ok(Wish::Remove(Some("Read".into()), Some(RuleScope::User))),
            ),
            ("allow", Err("Which rule? For example: /permissions allow Bash(cargo test:*)")),
            ("allow X --scope", Err("`` is no scope; say one of session, local, project, user.")),
            (
                "allow X --scope managed",
                Err("`managed` is no scope; say one of session, local, project, user."),
            ),
            ("grant X", Err("`/permissions grant` is unknown; say allow, ask, deny or remove.")),
        ] {
            assert_eq!(understand(argument), expect.map_err(str::to_owned), "{argument}");
        }
    }
}
