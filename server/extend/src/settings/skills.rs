//! What settings say about skills. Each of it can only narrow, so of several files the strictest
//! counts.

use std::collections::BTreeMap;

use super::parse::Parsed;
use crate::skills::SkillSource;

/// How much is made of one skill (`skillOverrides`), from much to nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum SkillShown {
    #[default]
    On,
    /// The model is told its name only.
    NameOnly,
    /// The model is not told of it.
    UserOnly,
    Off,
}

impl SkillShown {
    fn parse(word: &str) -> Option<SkillShown> {
        match word {
            "on" => Some(SkillShown::On),
            "name-only" => Some(SkillShown::NameOnly),
            "user-invocable-only" => Some(SkillShown::UserOnly),
            "off" => Some(SkillShown::Off),
            _ => None,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct SkillSettings {
    overrides: BTreeMap<String, SkillShown>,
    /// Our own are not wanted.
    pub no_bundled: bool,
    /// Those of the user and of projects are not used.
    pub only_plugins: bool,
    /// Commands within their text do not run.
    pub no_shell: bool,
    /// How much of the window their list may take; 0.01 is a hundredth.
    pub list_share: Option<f64>,
    /// How long one description may be there.
    pub description_chars: Option<u64>,
}

impl SkillSettings {
    pub fn shown(&self, name: &str, source: SkillSource) -> SkillShown {
        if self.only_plugins && matches!(source, SkillSource::User | SkillSource::Project) {
            return SkillShown::Off;
        }
        self.overrides.get(name).copied().unwrap_or_default()
    }

    pub(super) fn merge(&mut self, parsed: &Parsed) {
        let says = |key: &str| parsed.bools.get(key).is_some_and(|found| found.value);
        self.no_bundled |= says("disableBundledSkills");
        self.no_shell |= says("disableSkillShellExecution");
        let chars = parsed.numbers.get("skillListingMaxDescChars").copied();
        self.description_chars = self.description_chars.or(chars);
        for leaf in &parsed.leaves {
            if leaf.key == "skillListingBudgetFraction" {
                let share = leaf.value.as_f64().filter(|share| (0.0..=1.0).contains(share));
                self.list_share = self.list_share.or(share);
            }
            let name = leaf.key.strip_prefix("skillOverrides.").map(|name| name.trim_matches('"'));
            let shown = leaf.value.as_str().and_then(SkillShown::parse);
            if let (Some(name), Some(shown)) = (name, shown) {
                let known = self.overrides.entry(name.to_owned()).or_default();
                *known = shown.max(*known);
            }
        }
    }
}
