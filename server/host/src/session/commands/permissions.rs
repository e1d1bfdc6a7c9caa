//! `/permissions [allow|ask|deny|remove RULE [--scope SCOPE]]`: the rules by where they come from, what
//! was refused lately, and changes to the rules.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use protocol::permission::{
    PermissionRule, PermissionRulesParams, RuleBehavior, RuleOp, RuleScope,
};

use super::{Done, Outcome};
use crate::session::Session;

/// Older refusals are of no use here.
const DENIALS: usize = 10;

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        session.look_at_settings().await;
        match understand(argument)? {
            Wish::Show => Ok(Done::Said(text(session))),
            Wish::Add(params) => {
                let said = format!("{} {}: it counts from now on.", named(&params), rule(&params));
                session.change_rule(&params).await.map_err(|error| error.message)?;
                Ok(Done::Said(said))
            }
            Wish::Remove(wanted, scope) => remove(session, &wanted, scope).await,
        }
    }
    .boxed()
}

#[derive(Debug, PartialEq)]
enum Wish {
    Show,
    Add(PermissionRulesParams),
    Remove(String, Option<RuleScope>),
}

fn understand(argument: &str) -> Result<Wish, String> {
    let (word, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let (rule, scope) = match rest.rsplit_once("--scope") {
        Some((rule, scope)) => (rule.trim(), Some(RuleScope::from(scope.trim()))),
        None => (rest.trim(), None),
    };
    match word {
        "" => Ok(Wish::Show),
        "allow" | "ask" | "deny" | "remove" if rule.is_empty() => {
            Err(format!("Which rule? For example: /permissions {word} Bash(cargo test:*)"))
        }
        "remove" => Ok(Wish::Remove(rule.to_owned(), scope)),
        "allow" | "ask" | "deny" => Ok(Wish::Add(PermissionRulesParams {
            op: RuleOp::Add,
            rule: Some(rule.to_owned()),
            behavior: Some(RuleBehavior::from(word)),
            scope: Some(scope.unwrap_or(RuleScope::Session)),
            session_id: None,
        })),
        other => Err(format!("`/permissions {other}` is unknown; say allow, ask, deny or remove.")),
    }
}

fn rule(params: &PermissionRulesParams) -> &str {
    params.rule.as_deref().unwrap_or_default()
}

fn named(params: &PermissionRulesParams) -> String {
    params.behavior.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The one rule that reads so.
async fn remove(session: &mut Session, wanted: &str, scope: Option<RuleScope>) -> Outcome {
    let rules = session.state.permissions().rules;
    let rules = rules.iter().map(|entry| session.wire_rule(entry));
    let fits = |rule: &PermissionRule| {
        rule.rule == wanted && scope.as_ref().is_none_or(|scope| rule.scope == *scope)
    };
    let fitting: Vec<PermissionRule> = rules.filter(fits).collect();
    let found = match fitting.as_slice() {
        [] => return Err(format!("There is no rule {wanted}; /permissions lists them.")),
        [one] => one.clone(),
        _ => return Err("There are several like this; name one with --scope.".to_owned()),
    };
    let params = PermissionRulesParams {
        op: RuleOp::Remove,
        rule: Some(found.rule),
        behavior: Some(found.behavior),
        scope: Some(found.scope),
        session_id: None,
    };
    session.change_rule(&params).await.map_err(|error| error.message)?;
    Ok(Done::Said(format!("Removed: {} {}.", named(&params), rule(&params))))
}

fn text(session: &Session) -> String {
    let permissions = session.state.permissions();
    let mut lines = vec![format!("The mode is {}.", permissions.mode)];
    let rules = permissions.rules.iter().map(|entry| session.wire_rule(entry));
    lines.extend(rules.map(|rule| {
        let from = rule.source.or(rule.set_by).unwrap_or_else(|| rule.scope.to_string());
        format!("{:<5}  {}  ({from})", rule.behavior.as_str(), rule.rule)
    }));
    if lines.len() == 1 {
        lines.push("There are no rules.".to_owned());
    }
    if !session.denials.is_empty() {
        lines.push("Refused lately:".to_owned());
        let latest = session.denials.iter().rev().take(DENIALS);
        lines.extend(latest.map(|denial| format!("  {}: {}", denial.title, denial.reason)));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments() {
        assert_eq!(understand(""), Ok(Wish::Show));
        let Ok(Wish::Add(params)) = understand("deny Bash(rm *) --scope user") else {
            panic!("no rule")
        };
        assert_eq!((rule(&params), params.scope.clone()), ("Bash(rm *)", Some(RuleScope::User)));
        let Ok(Wish::Add(params)) = understand("allow Bash(cargo test:*)") else {
            panic!("no rule")
        };
        assert_eq!(params.scope, Some(RuleScope::Session));
        let removal = Wish::Remove("Read".to_owned(), Some(RuleScope::Local));
        assert_eq!(understand("remove Read --scope local"), Ok(removal));
        assert!(understand("allow").unwrap_err().contains("Which rule?"));
        assert!(understand("forbid x").unwrap_err().contains("is unknown"));
    }
}
