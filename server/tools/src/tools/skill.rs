//! Skill: a way of working that somebody wrote down, called up when it is needed.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct Skill;

/// Calls up a skill: instructions that the user, the project or a plugin wrote for work of a certain
/// kind. Those there are are listed in what you know of this session, and told when more come up.
/// When one fits what the user asks for, call it before you begin, and do what it says; it comes with
/// the next message. A word behind a slash, such as /deploy, is a skill the user names. Do not call
/// one that is not listed, nor one whose text you already have.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// Its name, as listed.
    skill: String,
    /// What it is to work on, in the form it asks for.
    #[serde(default)]
    args: Option<String>,
}

impl Input {
    fn name(&self) -> &str {
        self.skill.trim().trim_start_matches('/')
    }

    fn args(&self) -> &str {
        self.args.as_deref().unwrap_or_default().trim()
    }
}

impl Tool for Skill {
    type Input = Input;
    const NAME: &'static str = "Skill";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        format!("Skill {} {}", input.name(), input.args()).trim_end().to_owned()
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        let (name, args) = (input.name().to_owned(), input.args().to_owned());
        if name.is_empty() {
            return Err(Problem::new("Which skill? Name one of those that are listed."));
        }
        // `Skill(deploy)` means it with whatever follows, `Skill(deploy *)` may look at that, too.
        let mut subjects = vec![Subject::Skill { name: name.clone() }];
        if !args.is_empty() {
            subjects.push(Subject::Skill { name: format!("{name} {args}") });
        }
        Ok(Plan::new(subjects, move |cx| async move {
            let said = tokio::select! {
                said = cx.world.use_skill(name, args) => said,
                () = cx.cancel.cancelled() => Err("The skill was stopped.".to_owned()),
            };
            said.map(Outcome::text).map_err(Problem)
        }))
    }
}
