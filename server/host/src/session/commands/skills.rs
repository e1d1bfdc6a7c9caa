//! `/skills`: skills and commands that people wrote, where each is from, and what is wrong with them.

use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome, rows};
use crate::session::Session;

pub(super) fn run<'a>(session: &'a mut Session, _: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        session.look_at_skills().await;
        Ok(Done::Said(text(session)))
    }
    .boxed()
}

fn text(session: &Session) -> String {
    let book = &session.skills;
    let line = |skill: &extend::Skill| {
        let mut facts = vec![skill.source.to_string()];
        if skill.head.not_for_user {
            facts.push("the agent calls it".to_owned());
        } else if skill.head.not_for_model {
            facts.push("only you call it".to_owned());
        } else if !book.is_for_model(skill) {
            facts.push("waits for a file it is about".to_owned());
        }
        if skill.unapproved {
            facts.push("what it allows is not approved (/trust)".to_owned());
        }
        let what = extend::one_line(&skill.head.description);
        (skill.name.clone(), format!("{what}  ({})", facts.join(", ")))
    };
    let lines: Vec<(String, String)> = book.iter().map(line).collect();
    let mut text = match lines.is_empty() {
        true => "There are no skills.".to_owned(),
        false => rows(lines.iter().map(|(name, what)| (name.as_str(), what.clone()))),
    };
    for problem in book.problems() {
        text.push_str(&format!("\nproblem  {problem}"));
    }
    text
}
