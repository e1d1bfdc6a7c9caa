//! What the model is told of skills: a list in the system prompt, as it was when the conversation
//! began, and notes on what changed since.

use extend::skills::{ListingLimits, listing};
use extend::{Skill, SkillShown};

use super::SkillBook;
use crate::context::HostContext;
use crate::session::Session;

/// Of the window, where the settings say nothing.
const SHARE: f64 = 0.01;
/// About how many characters a token has.
const CHARS: f64 = 4.0;
const DESCRIPTION: usize = 1_536;

fn limits(host: &HostContext, book: &SkillBook, model: &str) -> ListingLimits {
    let said = host.var("SLASH_COMMAND_TOOL_CHAR_BUDGET").and_then(|value| value.to_str());
    let window = agent::models::limits(model).window as f64;
    let share = book.settings.list_share.unwrap_or(SHARE);
    let all = said.and_then(|chars| chars.trim().parse().ok());
    let each = book.settings.description_chars.and_then(|chars| usize::try_from(chars).ok());
    ListingLimits {
        all: all.unwrap_or((window * CHARS * share) as usize),
        each: each.unwrap_or(DESCRIPTION),
    }
}

impl SkillBook {
    fn for_model(&self) -> Vec<&Skill> {
        self.iter().filter(|skill| self.is_for_model(skill)).collect()
    }

    /// The list for the system prompt. From here on the model knows those in it.
    pub(in crate::session) fn tell_all(&mut self, host: &HostContext, model: &str) -> String {
        self.told = self.for_model().iter().map(|skill| skill.name.clone()).collect();
        self.list(host, model, &self.for_model())
    }

    fn list(&self, host: &HostContext, model: &str, skills: &[&Skill]) -> String {
        let whole = |skill: &Skill| self.shown(skill) != SkillShown::NameOnly;
        let listed: Vec<_> = skills.iter().map(|skill| (*skill, whole(skill))).collect();
        listing(&listed, limits(host, self, model))
    }
}

impl Session {
    /// A note on what came and went since the model was last told. What a skill says is not told:
    /// it reaches the model when it is called.
    pub(super) async fn tell_model_of_changes(&mut self) {
        let book = &self.skills;
        let now = book.for_model();
        let is_new = |skill: &&&Skill| !book.told.contains(&skill.name);
        let new: Vec<&Skill> = now.iter().filter(is_new).copied().collect();
        let gone: Vec<&str> = book
            .told
            .iter()
            .filter(|name| now.iter().all(|skill| skill.name != **name))
            .map(String::as_str)
            .collect();
        let mut notes = Vec::new();
        if !new.is_empty() {
            let list = book.list(&self.host, &self.config.model, &new);
            notes.push(format!("More skills can be called with the tool Skill:\n{list}"));
        }
        if !gone.is_empty() {
            notes.push(format!("These skills are gone: {}.", gone.join(", ")));
        }
        self.skills.told = now.iter().map(|skill| skill.name.clone()).collect();
        if !notes.is_empty() {
            // Boxed: telling a running turn may come round to another look at the skills.
            Box::pin(self.on_note(notes.join("\n"))).await;
        }
    }

    /// The conversation begins anew, or was summed up: the notes are gone, so the list is made anew.
    pub(in crate::session) fn list_skills_anew(&mut self) {
        let list = self.skills.tell_all(&self.host, &self.config.model);
        if self.briefing.skills != list {
            self.briefing.skills = list;
            self.rebuild_system();
        }
    }
}
