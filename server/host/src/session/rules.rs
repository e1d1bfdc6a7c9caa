//! The rules of a session: listed, added and taken away, in memory or in the file of their scope.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use extend::edit::{EditError, Scope, Target, Written};
use extend::{Settings, TrustStore};
use policy::{Behavior, Entry, Rule, Source};
use protocol::event::Severity;
use protocol::permission::{
    OptionScope, PermissionRule, PermissionRulesParams, PermissionRulesResult, RecentDenial,
    RuleBehavior, RuleOp, RuleScope,
};

use super::ask::Keeps;
use super::{Msg, Session};
use crate::context::HostContext;
use crate::core::{Reply, RpcError};

/// Older refusals are in the journal.
const REMEMBERED: usize = 50;

impl Session {
    pub(super) async fn on_rules(&mut self, params: PermissionRulesParams, reply: Reply) {
        self.look_at_settings().await;
        if params.op != RuleOp::List
            && let Err(error) = self.change_rule(&params).await
        {
            return reply.err(error);
        }
        let wanted = params.scope.as_ref();
        let permissions = self.state.permissions();
        let rules = permissions.rules.iter().map(|entry| self.wire_rule(entry));
        let rules = rules.filter(|rule| wanted.is_none_or(|scope| rule.scope == *scope)).collect();
        let listed = params.op == RuleOp::List;
        let denials = listed.then(|| self.denials.iter().rev().cloned().collect());
        reply.ok(&PermissionRulesResult { rules, denials });
    }

    pub(super) async fn change_rule(
        &mut self,
        params: &PermissionRulesParams,
    ) -> Result<(), RpcError> {
        let invalid = |message: &str| RpcError::new(RpcError::INVALID_PARAMS, message);
        let text = params.rule.as_deref().ok_or_else(|| invalid("A rule is needed."))?;
        let rule: Rule =
            text.parse().map_err(|error: policy::RuleError| invalid(&error.to_string()))?;
        let behavior = match params.behavior {
            Some(RuleBehavior::Allow) => Behavior::Allow,
            Some(RuleBehavior::Ask) => Behavior::Ask,
            Some(RuleBehavior::Deny) => Behavior::Deny,
            _ => return Err(invalid("`behavior` is allow, ask or deny.")),
        };
        let source = match params.scope {
            None | Some(RuleScope::Session) => Source::Session,
            Some(RuleScope::Turn) => Source::Turn,
            Some(RuleScope::Local) => Source::ProjectLocal,
            Some(RuleScope::Project) => Source::Project,
            Some(RuleScope::User) => Source::User,
            Some(RuleScope::Managed) => {
                return Err(invalid("The rules of an administrator cannot be changed here."));
            }
            _ => return Err(invalid("`scope` is turn, session, local, project or user.")),
        };
        let entry = Entry { behavior, rule, source };
        if params.op == RuleOp::Add && behavior == Behavior::Allow {
            self.may_allow().map_err(|problem| RpcError::failed(problem.to_owned()))?;
        }
        match params.op {
            RuleOp::Add => {
                self.store(&entry, extend::edit::add_rule).await?;
                self.state.update_permissions(|permissions| permissions.rules.add(entry));
            }
            RuleOp::Remove => {
                if !self.state.permissions().rules.iter().any(|known| *known == entry) {
                    return Err(RpcError::failed(format!("There is no such rule: {text}.")));
                }
                let written = self.store(&entry, extend::edit::remove_rule).await?;
                if let Some(written) = written.filter(|written| !written.changed) {
                    let file = written.file.display();
                    let message = format!(
                        "The rule is not in {file}, but in another file of that scope; edit that one."
                    );
                    return Err(RpcError::failed(message));
                }
                self.state.update_permissions(|permissions| {
                    permissions.rules.remove(&entry);
                });
            }
            _ => return Err(invalid("`op` is list, add or remove.")),
        }
        Ok(())
    }

    /// Where rules of a source are kept; `None` for those that live in memory.
    fn rules_file(&self, source: Source) -> Result<Option<Target>, RpcError> {
        let scope = match source {
            Source::ProjectLocal => Scope::Local,
            Source::Project => Scope::Project,
            Source::User => Scope::User,
            _ => return Ok(None),
        };
        if scope != Scope::User && !self.trusted {
            let message = "This folder is not trusted, so rules in it would not count. Trust it \
                           first, or keep the rule in your own settings.";
            return Err(RpcError::failed(message.to_owned()));
        }
        Ok(Some(Target::new(scope, &self.host.locations, self.state.cwd())))
    }

    /// `None` when the rule lives in memory.
    async fn store(&mut self, entry: &Entry, change: Change) -> Result<Option<Written>, RpcError> {
        let Some(target) = self.rules_file(entry.source)? else { return Ok(None) };
        let (host, cwd) = (self.host.clone(), self.state.cwd().to_owned());
        let entry = entry.clone();
        let written = tokio::task::spawn_blocking(move || {
            let written = change(&target, entry.behavior, &entry.rule)?;
            approve(&host, &cwd, std::slice::from_ref(&entry.rule), entry.source);
            Ok::<Written, EditError>(written)
        });
        match written.await {
            Ok(Ok(written)) => {
                self.watch.note_own_write(&written.file, written.stamp);
                Ok(Some(written))
            }
            Ok(Err(error)) => Err(RpcError::failed(error.to_string())),
            Err(error) => Err(RpcError::failed(error.to_string())),
        }
    }

    /// The user's "don't ask again". It holds from now on; the file follows, and if that fails the
    /// user is told.
    pub(super) fn grant(&mut self, rules: &str, scope: &OptionScope) {
        let source = match scope {
            OptionScope::Turn => Source::Turn,
            OptionScope::Project => Source::ProjectLocal,
            OptionScope::User => Source::User,
            _ => Source::Session,
        };
        let rules = match Rule::parse_list(rules) {
            Ok(rules) => rules,
            Err(error) => {
                return self.notice(Severity::Warning, format!("The rule was not kept: {error}"));
            }
        };
        if let Err(problem) = self.may_allow() {
            return self.notice(Severity::Warning, problem);
        }
        let entry = |rule: &Rule| Entry { behavior: Behavior::Allow, rule: rule.clone(), source };
        let entries: Vec<Entry> = rules.iter().map(entry).collect();
        self.agents.family.granted(&entries);
        self.state.update_permissions(|permissions| permissions.rules.extend(entries));
        match self.rules_file(source) {
            Ok(Some(target)) => self.keep(target, rules, source),
            Ok(None) => {}
            Err(error) => self.notice(Severity::Warning, error.message),
        }
    }

    /// Whether allow rules of the user count at all.
    fn may_allow(&self) -> Result<(), &'static str> {
        match self.forbidden.managed_rules_only {
            true => Err("Only the administrator's allow rules count here, so it was allowed once."),
            false => Ok(()),
        }
    }

    /// Which rules a yes may leave behind.
    pub(super) fn keeps(&self) -> Keeps {
        match self.trusted {
            _ if self.forbidden.managed_rules_only => Keeps::Nothing,
            true => Keeps::Anywhere,
            false => Keeps::OutsideTheProject,
        }
    }

    fn keep(&self, target: Target, rules: Vec<Rule>, source: Source) {
        let (own, host) = (self.own.clone(), self.host.clone());
        let cwd = self.state.cwd().to_owned();
        tokio::task::spawn_blocking(move || {
            let mut written = Ok(None);
            for rule in &rules {
                written = extend::edit::add_rule(&target, Behavior::Allow, rule).map(Some);
                if written.is_err() {
                    break;
                }
            }
            approve(&host, &cwd, &rules, source);
            let _ = own.blocking_send(Msg::Kept {
                written: written.map_err(|error| {
                    format!("The rule holds in this session, but was not kept: {error}")
                }),
            });
        });
    }

    /// A rule, or a host, was written to a settings file, or could not be.
    pub(super) fn on_kept(&mut self, written: Result<Option<Written>, String>) {
        match written {
            Ok(Some(written)) => self.watch.note_own_write(&written.file, written.stamp),
            Ok(None) => {}
            Err(problem) => self.notice(Severity::Warning, problem),
        }
    }

    /// What was allowed for the turn ends with it.
    pub(super) fn forget_turn(&self) {
        self.state.update_permissions(|permissions| permissions.rules.clear(Source::Turn));
        self.shelter.hosts.forget_turn();
    }

    pub(super) fn remember_denial(&mut self, tool: &str, title: &str, reason: &str) {
        let reason = reason.lines().next().unwrap_or_default().to_owned();
        let (tool, title) = (tool.to_owned(), title.to_owned());
        if self.denials.len() == REMEMBERED {
            self.denials.pop_front();
        }
        self.denials.push_back(RecentDenial { at: self.host.clock.millis(), tool, title, reason });
    }
}

/// What is done to a settings file.
type Change = fn(&Target, Behavior, &Rule) -> Result<Written, EditError>;

/// What the user allows in the project's own files is approved by that; no trust question follows.
fn approve(host: &HostContext, cwd: &Path, rules: &[Rule], source: Source) {
    if !matches!(source, Source::Project | Source::ProjectLocal) {
        return;
    }
    let (mut store, _) = TrustStore::load(&host.locations.bowline_home, host.home().as_deref());
    if let Err(error) = store.approve(cwd, rules.iter().map(extend::settings::hash_of_allow)) {
        tracing::warn!(%error, "the approval of a rule was not kept");
    }
}

/// The settings files that rules come from.
#[derive(Default)]
pub(super) struct RuleFiles(HashMap<Entry, PathBuf>);

impl RuleFiles {
    pub(super) fn of(settings: &Settings) -> RuleFiles {
        let mut files = HashMap::new();
        for effective in settings.explain() {
            let list = effective.key.split('[').next().unwrap_or_default();
            let behavior = match list {
                "permissions.allow" => Behavior::Allow,
                "permissions.ask" => Behavior::Ask,
                "permissions.deny" => Behavior::Deny,
                _ => continue,
            };
            let here = std::iter::once((&effective.value, &effective.origin));
            let weaker = effective.shadowed.iter().map(|(value, origin)| (value, origin));
            for (value, origin) in here.chain(weaker) {
                let rule = value.as_str().and_then(|text| text.parse().ok());
                let entry = rule.map(|rule| Entry { behavior, rule, source: origin.source });
                if let Some(entry) = entry {
                    files.entry(entry).or_insert_with(|| origin.file.clone());
                }
            }
        }
        RuleFiles(files)
    }
}

impl Session {
    /// A rule that was added since the files were read is in the file of its scope.
    pub(super) fn wire_rule(&self, entry: &Entry) -> PermissionRule {
        let known = self.rule_files.0.get(entry).cloned();
        let added = || Some(self.rules_file(entry.source).ok()??.file);
        let source = known.or_else(added).map(|file| file.display().to_string());
        PermissionRule { source, ..wire_rule(entry) }
    }
}

fn wire_rule(entry: &Entry) -> PermissionRule {
    PermissionRule {
        rule: entry.rule.to_string(),
        behavior: match entry.behavior {
            Behavior::Allow => RuleBehavior::Allow,
            Behavior::Ask => RuleBehavior::Ask,
            Behavior::Deny => RuleBehavior::Deny,
        },
        scope: match entry.source {
            Source::Turn => RuleScope::Turn,
            Source::CommandLine | Source::Session => RuleScope::Session,
            Source::Project => RuleScope::Project,
            Source::ProjectLocal => RuleScope::Local,
            Source::User => RuleScope::User,
            Source::Managed => RuleScope::Managed,
        },
        source: None,
        set_by: Some(entry.source.to_string()),
    }
}
