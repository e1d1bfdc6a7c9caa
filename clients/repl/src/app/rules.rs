//! Permission rules and memory: picked and changed.

use protocol::event::Severity;
use protocol::memory::{MemoryAdd, MemoryAddParams, MemoryScope};
use protocol::permission::{
    PermissionRule, PermissionRules, PermissionRulesParams, PermissionRulesResult, RuleOp,
    RuleScope,
};

use super::{App, Pick, Waiting};
use crate::prompt::picker::Entry;
use crate::render::path_in;
use crate::render::safe::strict;

/// What the rules are asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ruling {
    /// To pick one that shall go.
    Remove,
    Removed(PermissionRule),
}

impl App {
    /// Adds a note to a memory file.
    pub fn remember(&mut self, note: &str, scope: MemoryScope) {
        let Some(session) = &self.session else {
            return self.notice(Severity::Warning, "There is no session yet.");
        };
        let (text, session_id) = (note.to_owned(), Some(session.id.clone()));
        let params = MemoryAddParams { text, scope, session_id };
        self.outbox.request::<MemoryAdd>(&params, Waiting::Remember);
    }

    pub(super) fn remembered(&mut self, path: &str) {
        let path = path_in(path, &self.start.cwd);
        self.notice(Severity::Info, &format!("Remembered in {path}."));
    }

    /// To pick one from.
    pub fn list_rules(&mut self) {
        self.rules_request(RuleOp::List, None, Ruling::Remove);
    }

    pub(super) fn remove_rule(&mut self, rule: PermissionRule) {
        if rule.scope == RuleScope::Managed {
            let text = format!("{} is set by an administrator and cannot be removed.", rule.rule);
            return self.notice(Severity::Warning, &text);
        }
        self.rules_request(RuleOp::Remove, Some(rule.clone()), Ruling::Removed(rule));
    }

    fn rules_request(&mut self, op: RuleOp, rule: Option<PermissionRule>, why: Ruling) {
        let Some(session) = &self.session else {
            return self.notice(Severity::Warning, "There is no session yet.");
        };
        let params = PermissionRulesParams {
            op,
            behavior: rule.as_ref().map(|rule| rule.behavior.clone()),
            scope: rule.as_ref().map(|rule| rule.scope.clone()),
            rule: rule.map(|rule| rule.rule),
            session_id: Some(session.id.clone()),
        };
        self.outbox.request::<PermissionRules>(&params, Waiting::Rules(why));
    }

    pub(super) fn rules_listed(&mut self, why: Ruling, result: PermissionRulesResult) {
        match why {
            Ruling::Remove => self.offer_removal(result.rules),
            Ruling::Removed(rule) => {
                let PermissionRule { behavior, rule, scope, .. } = rule;
                let text = format!(
                    "Removed: {behavior} {rule}. `/permissions {behavior} {rule} --scope {scope}` \
                     brings it back."
                );
                self.notice(Severity::Info, &text);
            }
        }
    }

    fn offer_removal(&mut self, rules: Vec<PermissionRule>) {
        if rules.is_empty() {
            return self.notice(Severity::Info, "There are no rules.");
        }
        let cwd = &self.start.cwd;
        let entry = |rule: PermissionRule| Entry {
            label: format!("{} {}", rule.behavior, rule.rule),
            detail: place(&rule, cwd),
            value: Pick::Rule(rule),
        };
        let entries = rules.into_iter().map(entry).collect();
        self.offer("Which rule shall go?", entries, 0);
    }
}

/// Where a rule is kept, and in which file.
fn place(rule: &PermissionRule, cwd: &str) -> String {
    let scope = match rule.scope {
        RuleScope::Managed => "managed, cannot be removed",
        _ => rule.scope.as_str(),
    };
    let words = rule.set_by.as_deref().filter(|words| *words != rule.scope.as_str());
    match rule.source.as_deref().map(|file| path_in(file, cwd)).or(words) {
        Some(place) => format!("{} · {}", strict(scope), strict(place)),
        None => strict(scope).into_owned(),
    }
}
