//! Permission rules and memory: asked for, shown, changed.

use protocol::event::Severity;
use protocol::memory::{MemoryAdd, MemoryAddParams, MemoryScope};
use protocol::permission::{
    PermissionRule, PermissionRules, PermissionRulesParams, PermissionRulesResult, RecentDenial,
    RuleBehavior, RuleOp, RuleScope,
};

use super::{App, Pick, Waiting};
use crate::prompt::picker::Entry;
use crate::render::line::Line;
use crate::render::safe::{literal, strict};
use crate::render::width::text_width;
use crate::render::{ago, path_in, theme};

/// The widest rule that the column beside it is aligned to.
const RULE_COLUMN: usize = 44;

/// What the rules are asked for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Ruling {
    /// To show them.
    Show,
    /// To remove one: the one that reads so, or one that is picked.
    Remove {
        rule: Option<String>,
        scope: Option<RuleScope>,
    },
    Added(PermissionRule),
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

    pub fn list_rules(&mut self, why: Ruling) {
        self.rules_request(RuleOp::List, None, why);
    }

    pub fn add_rule(&mut self, rule: PermissionRule) {
        self.rules_request(RuleOp::Add, Some(rule.clone()), Ruling::Added(rule));
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
            Ruling::Show => {
                let denials = result.denials.unwrap_or_default();
                let mut rows = rule_rows(&result.rules, &self.start.cwd);
                rows.extend(denial_rows(&denials, (self.start.clock)()));
                self.transcript.rows(rows);
            }
            Ruling::Remove { rule, scope } => {
                let fits = |one: &PermissionRule| {
                    rule.as_ref().is_none_or(|text| one.rule == *text)
                        && scope.as_ref().is_none_or(|scope| one.scope == *scope)
                };
                let fitting = result.rules.into_iter().filter(fits).collect();
                self.offer_removal(rule.as_deref(), fitting);
            }
            Ruling::Added(rule) => {
                let text = format!("{} {} {}.", rule.behavior, rule.rule, keeping(&rule.scope));
                self.notice(Severity::Info, &text);
            }
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

    /// What was named and is there once goes at once; else one picks.
    fn offer_removal(&mut self, named: Option<&str>, rules: Vec<PermissionRule>) {
        let title = match (named, rules.as_slice()) {
            (Some(text), []) => {
                let text = format!("There is no rule `{text}`; /permissions lists them.");
                return self.notice(Severity::Warning, &text);
            }
            (None, []) => return self.notice(Severity::Info, "There are no rules."),
            (Some(_), [rule]) => return self.remove_rule(rule.clone()),
            (Some(_), _) => "There are several like this; which one shall go? (--scope names it)",
            (None, _) => "Which rule shall go?",
        };
        let cwd = &self.start.cwd;
        let entry = |rule: PermissionRule| Entry {
            label: format!("{} {}", rule.behavior, rule.rule),
            detail: place(&rule, cwd),
            value: Pick::Rule(rule),
        };
        let entries = rules.into_iter().map(entry).collect();
        self.offer(title, entries, 0);
    }
}

/// The rules in the order in which they win.
fn rule_rows(rules: &[PermissionRule], cwd: &str) -> Vec<Line> {
    let mut rows = Vec::new();
    let widest = rules.iter().map(|rule| text_width(&literal(&rule.rule))).max().unwrap_or(0);
    let column = widest.min(RULE_COLUMN);
    for (behavior, title) in [
        (RuleBehavior::Deny, "Never done"),
        (RuleBehavior::Ask, "Always asked"),
        (RuleBehavior::Allow, "Done without asking"),
    ] {
        let group: Vec<_> = rules.iter().filter(|rule| rule.behavior == behavior).collect();
        if !group.is_empty() {
            rows.push(Line::styled(title, theme::BOLD).with(format!(" ({behavior})"), theme::DIM));
        }
        for rule in group {
            let text = literal(&rule.rule);
            let gap = " ".repeat(column.saturating_sub(text_width(&text)) + 2);
            let row = Line::styled(format!("  {text}{gap}"), theme::PLAIN);
            rows.push(row.with(place(rule, cwd), theme::DIM));
        }
    }
    if rows.is_empty() {
        rows.push(Line::plain("There are no rules: the mode alone decides what is asked."));
    }
    let hint = "/permissions allow|ask|deny RULE [--scope session|local|project|user] adds one,";
    rows.push(Line::styled(hint, theme::DIM));
    rows.push(Line::styled("/permissions remove takes one away.", theme::DIM));
    rows
}

fn denial_rows(denials: &[RecentDenial], now: u64) -> Vec<Line> {
    let mut rows = Vec::new();
    for denial in denials {
        let age = ago(now.saturating_sub(denial.at) / 1000);
        let row = Line::styled(format!("  {age:>8}  "), theme::DIM);
        rows.push(row.with(literal(&denial.title).replace('\n', " "), theme::PLAIN));
        let reason = format!("            {}", strict(&denial.reason));
        rows.push(Line::styled(reason, theme::WARN));
    }
    if !rows.is_empty() {
        rows.insert(0, Line::styled("Refused lately", theme::BOLD));
        rows.insert(0, Line::default());
    }
    rows
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

fn keeping(scope: &RuleScope) -> String {
    match scope {
        RuleScope::Session => "is in force until the session ends".to_owned(),
        RuleScope::Local => "is kept for you in this project".to_owned(),
        RuleScope::Project => "is kept for everybody in this project".to_owned(),
        RuleScope::User => "is kept for all your projects".to_owned(),
        other => format!("is in force ({other})"),
    }
}
