//! What a skill brings along for the turn it is used in: rules, a model, how hard it works, and the
//! files beside it. All of it ends with the turn.

use std::path::PathBuf;

use agent::Effort;
use extend::{Skill, SkillSource};
use policy::{Behavior, Entry, Rule, Source};
use protocol::event::Severity;

use crate::session::Session;

#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    name: String,
    allows: Vec<Rule>,
    denies: Vec<Rule>,
    pub(super) model: Option<String>,
    pub(super) effort: Option<Effort>,
    pub(super) folder: Option<PathBuf>,
    managed: bool,
}

/// What an agent gets of them that carries the skill out.
pub struct Lent(pub(super) Terms);

impl Terms {
    pub(super) fn of(skill: &Skill) -> Terms {
        Terms {
            name: skill.name.clone(),
            allows: skill.head.allowed_tools.clone(),
            denies: skill.head.disallowed_tools.clone(),
            model: skill.head.model.clone(),
            effort: skill.head.effort,
            folder: skill.folder.clone(),
            managed: skill.source == SkillSource::Managed,
        }
    }
}

impl Session {
    /// The rules in them. Where only the administrator allows anything, so it is for skills.
    pub(super) fn turn_rules_of(&self, terms: &Terms) -> Vec<Entry> {
        let counts = terms.managed || !self.forbidden.managed_rules_only;
        let allows = terms.allows.iter().filter(|_| counts).map(|rule| (Behavior::Allow, rule));
        let denies = terms.denies.iter().map(|rule| (Behavior::Deny, rule));
        let entry = |(behavior, rule): (Behavior, &Rule)| {
            let (rule, source) = (rule.clone(), Source::Turn);
            Entry { behavior, rule, source }
        };
        allows.chain(denies).map(entry).collect()
    }

    /// The rules, and the files beside it. Rules of others that deny or ask are stronger.
    pub(in crate::session) fn lend(&mut self, Lent(terms): &Lent) {
        let entries = self.turn_rules_of(terms);
        self.state.update_permissions(|permissions| permissions.rules.extend(entries));
        if let Some(folder) = terms.folder.clone() {
            self.state.open_skill(folder);
        }
    }

    /// They hold from now until the running turn ends.
    pub(super) fn apply_terms(&mut self, terms: Terms) {
        let lent = Lent(terms);
        self.lend(&lent);
        let Lent(terms) = lent;
        if let Some(effort) = terms.effort {
            self.config.options.for_turn(Some(effort));
        }
        let Some(model) = terms.model else { return };
        match model::provider_for(&self.config.model_env, Some(&model)) {
            Ok((provider, id)) => {
                if let Some(running) = self.running.as_mut() {
                    running.turn.use_model(&id);
                    self.config.borrowed = Some((provider, id));
                }
            }
            Err(error) => {
                let text = format!("The skill {} wants the model {model}: {error}", terms.name);
                self.notice(Severity::Warning, text);
            }
        }
    }

    /// The turn is over, and with it what was lent to it.
    pub(in crate::session) fn return_loans(&mut self) {
        self.config.borrowed = None;
        self.config.options.for_turn(None);
    }
}
