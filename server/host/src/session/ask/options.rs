//! The answers a question offers, each with how long it holds and the exact rule it would store.

use policy::Rule;
use protocol::permission::{OptionKind, OptionScope, PermissionOption};

const ALLOW_ONCE: &str = "allow_once";
pub(super) const DENY: &str = "deny_once";
/// A yes to a plan, and to the edits it brings.
pub(super) const ACCEPT_EDITS: &str = "allow_edits";
/// A yes to a plan, which the mode auto then watches over.
pub(super) const AUTO: &str = "allow_auto";

/// Which rules a "don't ask again" may leave behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::session) enum Keeps {
    /// Also in the project's files.
    Anywhere,
    /// The folder is not trusted, so not in it.
    OutsideTheProject,
    /// None: only the administrator's count.
    Nothing,
}

/// For a call: once, and the suggested rules for as long as the user likes.
pub(super) fn for_call(suggestions: &[Rule], keeps: Keeps) -> Vec<PermissionOption> {
    let mut options = vec![allow(OptionScope::Once, "Allow once".to_owned(), None)];
    if !suggestions.is_empty() && keeps != Keeps::Nothing {
        let rules = suggestions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let mut offer = |scope, how_long: &str| {
            let label = format!("Allow {rules} {how_long}");
            options.push(allow(scope, label, Some(rules.clone())));
        };
        offer(OptionScope::Turn, "until this turn ends");
        offer(OptionScope::Session, "in this session");
        if keeps == Keeps::Anywhere {
            offer(OptionScope::Project, "in this project (.bowline/settings.local.json)");
        }
        offer(OptionScope::User, "in all projects (your settings.json)");
    }
    options.push(deny("Deny"));
    options
}

/// For a plan: what it brings may be asked about one by one, or not.
pub(super) fn for_plan(auto: bool) -> Vec<PermissionOption> {
    let yes = |id: &str, label: &str| {
        let option = allow(OptionScope::Once, label.to_owned(), None);
        PermissionOption { id: id.to_owned(), ..option }
    };
    let mut options = vec![
        yes(ALLOW_ONCE, "Carry it out, and ask about each change"),
        yes(ACCEPT_EDITS, "Carry it out, and change files without asking"),
    ];
    if auto {
        options.push(yes(AUTO, "Carry it out in the mode auto"));
    }
    options.push(deny("No, keep planning"));
    options
}

/// For a host that a command in the sandbox wants to reach. What is kept is kept in the user's own
/// settings: a project cannot open the network.
pub(in crate::session) fn for_host(host: &str) -> Vec<PermissionOption> {
    let rule = || Some(format!("sandbox.network.allowedDomains: {host}"));
    let label = |how_long: &str| format!("Allow {host} {how_long}");
    vec![
        allow(OptionScope::Once, label("for this command"), None),
        allow(OptionScope::Turn, label("until this turn ends"), None),
        allow(OptionScope::Session, label("in this session"), None),
        allow(OptionScope::User, label("always (your settings.json)"), rule()),
        deny("Deny"),
    ]
}

pub(in crate::session) fn for_mode() -> Vec<PermissionOption> {
    vec![allow(OptionScope::User, "Yes, on this machine".to_owned(), None), deny("No: ask me")]
}

pub(in crate::session) fn for_trust() -> Vec<PermissionOption> {
    vec![
        allow(OptionScope::User, "Trust this folder".to_owned(), None),
        deny("Not now: its settings, hooks and servers stay off"),
    ]
}

fn allow(scope: OptionScope, label: String, rule: Option<String>) -> PermissionOption {
    let id = match &scope {
        OptionScope::Once => ALLOW_ONCE.to_owned(),
        scope => format!("allow_{scope}"),
    };
    PermissionOption { id, label, kind: OptionKind::Allow, scope, rule }
}

fn deny(label: &str) -> PermissionOption {
    PermissionOption {
        id: DENY.to_owned(),
        label: label.to_owned(),
        kind: OptionKind::Deny,
        scope: OptionScope::Once,
        rule: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids(options: &[PermissionOption]) -> Vec<&str> {
        options.iter().map(|option| option.id.as_str()).collect()
    }

    #[test]
    fn what_is_offered_for_a_call() {
        let rules = ["Bash(npm test *)".parse().unwrap(), "Bash(ls *)".parse().unwrap()];
        let options = for_call(&rules, Keeps::Anywhere);
        let all = ["allow_once", "allow_turn", "allow_session", "allow_project", "allow_user"];
        assert_eq!(ids(&options), [all.as_slice(), &["deny_once"]].concat());
        assert_eq!(options[2].rule.as_deref(), Some("Bash(npm test *), Bash(ls *)"));
        assert!(options[2].label.contains("Bash(ls *) in this session"), "{}", options[2].label);
        let stranger = for_call(&rules, Keeps::OutsideTheProject);
        assert!(!ids(&stranger).contains(&"allow_project"));
        assert_eq!(ids(&for_call(&[], Keeps::Anywhere)), ["allow_once", "deny_once"]);
        assert_eq!(ids(&for_call(&rules, Keeps::Nothing)), ["allow_once", "deny_once"]);
    }
}
