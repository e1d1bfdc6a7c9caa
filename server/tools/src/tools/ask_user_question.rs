//! AskUserQuestion: choices that only the user can make.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::asked::{UserAnswer, UserQuestion};
use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

const MOST_QUESTIONS: usize = 4;
const MOST_OPTIONS: usize = 4;
const LONGEST_HEADER: usize = 12;

pub(crate) struct AskUserQuestion;

/// Puts one to four questions with choices to the user and returns the answers. Use it when the work
/// depends on something only they can decide and a wrong guess would cost them; not for what you can
/// find out yourself, and not to ask whether a plan is fine (ExitPlanMode does that). The user can
/// always answer in their own words, so do not offer "other". Put what you recommend first and say so.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The questions, one to four.
    questions: Vec<Question>,
}

#[derive(Deserialize, JsonSchema)]
struct Question {
    /// The question, in full, ending with a question mark.
    question: String,
    /// A word or two for it, twelve characters at most.
    header: String,
    /// Two to four choices that exclude each other, unless several may be taken.
    options: Vec<Choice>,
    /// Several choices may be taken.
    #[serde(default, rename = "multiSelect")]
    multi_select: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Choice {
    /// One to five words.
    label: String,
    /// What choosing it means.
    #[serde(default)]
    description: String,
}

impl Tool for AskUserQuestion {
    type Input = Input;
    const NAME: &'static str = "AskUserQuestion";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        let first = input.questions.first().map(|question| question.question.trim());
        super::bash::one_line(first.unwrap_or("Ask the user"), None)
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        let questions = check(input)?;
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let asked = tokio::select! {
                asked = cx.world.ask_user(questions.clone()) => asked,
                () = cx.cancel.cancelled() => return Err(Problem::new("The question was withdrawn.")),
            };
            match asked.map_err(Problem)? {
                UserAnswer::Given(answers) => Ok(Outcome::text(told(&questions, &answers))),
                UserAnswer::Declined => Err(Problem::new(
                    "The user does not want to answer. Go on with what you can do without it, or ask \
                     in your answer what they would like instead.",
                )),
            }
        }))
    }
}

fn check(input: Input) -> Result<Vec<UserQuestion>, Problem> {
    if input.questions.is_empty() || input.questions.len() > MOST_QUESTIONS {
        return Err(Problem(format!("Ask one to {MOST_QUESTIONS} questions at once.")));
    }
    let mut questions: Vec<UserQuestion> = Vec::new();
    for Question { question, header, options, multi_select } in input.questions {
        let question = question.trim().to_owned();
        if question.is_empty() || questions.iter().any(|other| other.question == question) {
            return Err(Problem::new("Every question needs words of its own."));
        }
        if options.len() < 2 || options.len() > MOST_OPTIONS {
            let count = options.len();
            return Err(Problem(format!(
                "The question {question:?} has {count} choices; give two to {MOST_OPTIONS}."
            )));
        }
        let header = header.trim().chars().take(LONGEST_HEADER).collect();
        let options = options.into_iter().map(|choice| (choice.label, choice.description));
        questions.push(UserQuestion { question, header, options: options.collect(), multi_select });
    }
    Ok(questions)
}

fn told(questions: &[UserQuestion], answers: &[Vec<String>]) -> String {
    let mut text = "The user answered:".to_owned();
    for (at, question) in questions.iter().enumerate() {
        let answer = answers.get(at).map(|answer| answer.join(", ")).unwrap_or_default();
        let answer = if answer.is_empty() { "(no answer)" } else { &answer };
        text.push_str(&format!("\n{}\n→ {answer}", question.question));
    }
    text
}

#[cfg(test)]
mod tests;
