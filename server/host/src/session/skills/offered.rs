//! Skills for whoever has a conversation of their own: as prompts, by `bowline mcp serve`. What a skill
//! allows, and which model it wants, means nothing there; its text does, with what its commands print.

use std::collections::BTreeMap;

use extend::{Skill, SkillSource};
use tokio::sync::oneshot;

use crate::session::Session;

/// The one argument of a skill that names none.
const WHOLE: &str = "arguments";

/// A skill as others see it.
#[derive(Clone, Debug)]
pub struct PromptOffer {
    pub name: String,
    pub description: String,
    /// What may be filled in.
    pub arguments: Vec<String>,
    pub hint: Option<String>,
}

impl Session {
    /// Those that people call and that people wrote: ours speak of tools that only a session has.
    pub(in crate::session) async fn offered_prompts(&mut self) -> Vec<PromptOffer> {
        self.look_at_skills().await;
        let offered = self.skills.iter().filter(|skill| is_offered(skill));
        let offers = offered.map(|skill| PromptOffer {
            name: skill.name.clone(),
            description: skill.head.description.clone(),
            arguments: names(skill),
            hint: skill.head.argument_hint.clone(),
        });
        offers.collect()
    }

    /// The error is a sentence.
    pub(in crate::session) async fn offered_prompt(
        &mut self,
        name: &str,
        given: &BTreeMap<String, String>,
        reply: oneshot::Sender<Result<String, String>>,
    ) {
        self.look_at_skills().await;
        let Some(skill) = self.skills.find(name).filter(|skill| is_offered(skill)).cloned() else {
            return drop(reply.send(Err(format!("There is no prompt {name}."))));
        };
        let known = names(&skill);
        if let Some(other) = given.keys().find(|key| !known.contains(key)) {
            let message = format!("The prompt {name} has no argument {other}.");
            return drop(reply.send(Err(message)));
        }
        let arguments = match skill.head.arguments.is_empty() {
            true => given.get(WHOLE).cloned().unwrap_or_default(),
            false => written(&known, given),
        };
        let expansion = self.expansion(skill, &arguments);
        // What its commands do is written down by the session, which must not wait for itself.
        tokio::spawn(async move {
            let _ = reply.send(expansion.filled().await);
        });
    }
}

fn is_offered(skill: &Skill) -> bool {
    !skill.head.not_for_user && skill.source != SkillSource::Bundled
}

fn names(skill: &Skill) -> Vec<String> {
    match skill.head.arguments.as_slice() {
        [] => vec![WHOLE.to_owned()],
        named => named.to_vec(),
    }
}

/// As somebody would type them, one after the other.
fn written(names: &[String], given: &BTreeMap<String, String>) -> String {
    let quoted = |name: &String| {
        let value = given.get(name).map_or("", String::as_str);
        format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
    };
    names.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stay_one_word_each() {
        let names = ["a".to_owned(), "b".to_owned()];
        let given = [("a".to_owned(), "two words".to_owned()), ("b".to_owned(), "q\"u".to_owned())];
        assert_eq!(written(&names, &given.into()), r#""two words" "q\"u""#);
        assert_eq!(written(&names, &BTreeMap::new()), r#""" """#);
    }
}
