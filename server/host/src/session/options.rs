//! How hard the model works and whether it thinks: who wished what, and what counts.
//!
//! From strong to weak: what the user chose in this session (a flag at its start, `/effort` later),
//! the environment, the settings. `maxEffortLevel` of any settings file holds for all of them.

use agent::journal::Chosen;
use agent::models::{Model, ThinkingSupport};
use agent::{Effort, Thinking};
use extend::ModelOptions;
use protocol::session::{Config, ConfigChange, Thinking as Wire};

use crate::context::HostContext;

/// What one source says; nothing where it says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wish {
    pub effort: Option<Effort>,
    pub thinking: Option<Thinking>,
}

impl Wish {
    fn or(self, weaker: Wish) -> Wish {
        Wish { effort: self.effort.or(weaker.effort), thinking: self.thinking.or(weaker.thinking) }
    }

    /// Words that mean nothing are passed over, like everywhere in the environment.
    fn of_environment(host: &HostContext) -> Wish {
        let word = |name: &str| host.model_env.get(name);
        let effort = ["BOWLINE_EFFORT", "CLAUDE_CODE_EFFORT_LEVEL"].into_iter().find_map(word);
        let tokens = word("MAX_THINKING_TOKENS").and_then(|tokens| tokens.parse().ok());
        let off = word("CLAUDE_CODE_DISABLE_THINKING").is_some_and(|value| value == "1");
        Wish {
            effort: effort.and_then(Effort::parse),
            thinking: match off {
                true => Some(Thinking::Disabled),
                false => tokens.map(Thinking::tokens),
            },
        }
    }

    fn of_settings(settings: &ModelOptions) -> Wish {
        let thinking = settings.thinking.map(|on| match on {
            true => Thinking::Adaptive,
            false => Thinking::Disabled,
        });
        Wish { effort: settings.effort, thinking }
    }

    fn of_journal(chosen: &Chosen) -> Wish {
        Wish {
            effort: chosen.effort.as_deref().and_then(Effort::parse),
            thinking: chosen.thinking.as_deref().and_then(Thinking::parse),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Options {
    chosen: Wish,
    environment: Wish,
    settings: Wish,
    max_effort: Option<Effort>,
    /// For the turn that runs: a skill wants it.
    turn_effort: Option<Effort>,
    /// An output style that was chosen for this session.
    pub(super) output_style: Option<String>,
    /// The agent that leads the session.
    pub(super) led_by: Option<String>,
}

/// For a model that wants a number of tokens and a user who only wants it to think.
const USUAL_BUDGET: u32 = 16_000;

impl Options {
    /// `flags` are stronger than what the session was left with.
    pub(super) fn new(
        host: &HostContext,
        settings: &ModelOptions,
        flags: Wish,
        left: &Chosen,
    ) -> Self {
        Self {
            chosen: flags.or(Wish::of_journal(left)),
            environment: Wish::of_environment(host),
            settings: Wish::of_settings(settings),
            max_effort: settings.max_effort,
            turn_effort: None,
            output_style: left.output_style.clone(),
            led_by: left.led_by.clone(),
        }
    }

    /// What the agent that leads the session says, where the user said nothing.
    pub(super) fn led_by(&mut self, name: &str, effort: Option<Effort>) {
        self.led_by = Some(name.to_owned());
        self.chosen.effort = self.chosen.effort.or(effort);
    }

    /// The settings have changed.
    pub(super) fn renew(&mut self, settings: &ModelOptions) {
        self.settings = Wish::of_settings(settings);
        self.max_effort = settings.max_effort;
    }

    /// Until the turn ends.
    pub(super) fn for_turn(&mut self, effort: Option<Effort>) {
        self.turn_effort = effort;
    }

    /// Takes over what a client asks for; an error changes nothing.
    pub(super) fn choose(&mut self, set: &ConfigChange) -> Result<(), String> {
        let mut chosen = self.chosen;
        if let Some(effort) = &set.effort {
            let names = Effort::ALL.map(Effort::name).join(", ");
            let wanted = Effort::parse(effort.as_str())
                .ok_or_else(|| format!("There is no effort {effort}; there are {names}."))?;
            if let Some(most) = self.max_effort.filter(|most| wanted > *most) {
                let most = most.name();
                return Err(format!("The settings allow an effort of {most} at most."));
            }
            chosen.effort = Some(wanted);
        }
        match (&set.thinking, set.max_thinking_tokens) {
            (_, Some(tokens)) => chosen.thinking = Some(Thinking::tokens(tokens)),
            (Some(Wire::Adaptive), None) => chosen.thinking = Some(Thinking::Adaptive),
            (Some(Wire::Disabled), None) => chosen.thinking = Some(Thinking::Disabled),
            (Some(other), None) => {
                return Err(format!(
                    "Thinking cannot be {other}: it is adaptive, disabled, or a number of \
                     `maxThinkingTokens`."
                ));
            }
            (None, None) => {}
        }
        self.chosen = chosen;
        Ok(())
    }

    pub(super) fn wish(&self) -> Wish {
        self.chosen.or(self.environment).or(self.settings)
    }

    /// What is sent. No model tries harder than `high` by itself, so a lower limit has to be said.
    pub(super) fn effort(&self) -> Option<Effort> {
        match (self.turn_effort.or(self.wish().effort), self.max_effort) {
            (Some(wanted), Some(most)) => Some(wanted.min(most)),
            (Some(wanted), None) => Some(wanted),
            (None, most) => most.filter(|most| *most < Effort::High),
        }
    }

    /// Where thinking cannot be switched off it is at least shown: without being asked to, such a
    /// model thinks in silence.
    pub(super) fn thinking(&self, model: &Model) -> Thinking {
        match (model.thinking, self.wish().thinking) {
            (ThinkingSupport::Always, _) => Thinking::Adaptive,
            (ThinkingSupport::Adaptive, Some(Thinking::Disabled)) => Thinking::Disabled,
            (ThinkingSupport::Adaptive, _) => Thinking::Adaptive,
            (ThinkingSupport::Budget, Some(Thinking::Adaptive)) => Thinking::Budget(USUAL_BUDGET),
            (ThinkingSupport::Budget, Some(wanted)) => wanted,
            (ThinkingSupport::Budget, None) | (ThinkingSupport::None, _) => Thinking::Default,
        }
    }

    /// What the journal keeps.
    pub(super) fn chosen(&self) -> Chosen {
        Chosen {
            effort: self.chosen.effort.map(|effort| effort.name().to_owned()),
            thinking: self.chosen.thinking.and_then(Thinking::name),
            output_style: self.output_style.clone(),
            led_by: self.led_by.clone(),
        }
    }

    /// What clients see.
    pub(super) fn show(&self, config: &mut Config) {
        config.effort = self.effort().map(|effort| effort.name().into());
        (config.thinking, config.max_thinking_tokens) = match self.wish().thinking {
            Some(Thinking::Adaptive) => (Some(Wire::Adaptive), None),
            Some(Thinking::Disabled) => (Some(Wire::Disabled), None),
            Some(Thinking::Budget(tokens)) => (Some(Wire::Budget), Some(tokens)),
            Some(Thinking::Default) | None => (None, None),
        };
    }
}

#[cfg(test)]
mod tests {
    use agent::models;

    use super::*;

    fn options(chosen: Wish, max_effort: Option<Effort>) -> Options {
        let (environment, settings) = (Wish::default(), Wish::default());
        let (turn_effort, output_style, led_by) = (None, None, None);
        Options { chosen, environment, settings, max_effort, turn_effort, output_style, led_by }
    }

    #[test]
    fn the_strongest_wish_counts_within_the_limit() {
        let effort = |effort| Wish { effort: Some(effort), thinking: None };
        let mut options = options(Wish::default(), None);
        options.settings = effort(Effort::Low);
        assert_eq!(options.effort(), Some(Effort::Low));
        options.environment = effort(Effort::Max);
        assert_eq!(options.effort(), Some(Effort::Max));
        options.max_effort = Some(Effort::Medium);
        assert_eq!(options.effort(), Some(Effort::Medium));
        let set =
            |effort: &str| ConfigChange { effort: Some(effort.into()), ..ConfigChange::default() };
        assert!(options.choose(&set("high")).unwrap_err().contains("medium at most"));
        assert!(options.choose(&set("hard")).unwrap_err().contains("there are low"));
        options.choose(&set("low")).unwrap();
        assert_eq!(options.effort(), Some(Effort::Low));
        assert_eq!(options.chosen().effort.as_deref(), Some("low"));
    }

    #[test]
    fn a_limit_holds_for_those_who_wish_nothing() {
        let effort = |most| options(Wish::default(), most).effort();
        assert_eq!(effort(None), None);
        assert_eq!(effort(Some(Effort::XHigh)), None);
        assert_eq!(effort(Some(Effort::Medium)), Some(Effort::Medium));
    }

    #[test]
    fn thinking_is_what_the_model_can_do() {
        let check = |model: &str, wish: Option<Thinking>, expect: Thinking| {
            let options = options(Wish { effort: None, thinking: wish }, None);
            assert_eq!(options.thinking(models::limits(model)), expect, "{model} {wish:?}");
        };
        let (budget, off) = (Some(Thinking::Budget(9)), Some(Thinking::Disabled));
        check("opus", None, Thinking::Adaptive);
        check("opus", off, Thinking::Adaptive);
        check("sonnet", None, Thinking::Adaptive);
        check("sonnet", off, Thinking::Disabled);
        check("sonnet", budget, Thinking::Adaptive);
        check("claude-haiku-4-5", None, Thinking::Default);
        check("claude-haiku-4-5", budget, Thinking::Budget(9));
        check("claude-haiku-4-5", off, Thinking::Disabled);
        check("claude-haiku-4-5", Some(Thinking::Adaptive), Thinking::Budget(USUAL_BUDGET));
        check("qwen", budget, Thinking::Default);
    }
}
