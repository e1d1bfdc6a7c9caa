//! What happened while nobody looked.

use serde_json::Value;

use super::{Question, is_nothing};
use crate::prompt;

const MOST: usize = 600;

pub fn question(said: &[Value]) -> Question {
    let said = serde_json::json!(said);
    Question::new(SYSTEM, format!("What did I miss?\n\n{said:#}"), 250)
}

/// A few sentences; longer ones are cut.
pub fn read(answer: &str) -> Option<String> {
    let lines = answer.trim().lines().map(str::trim).filter(|line| !line.is_empty());
    let text = prompt::one_line(&lines.collect::<Vec<_>>().join(" "));
    let text: String = text.chars().take(MOST).collect();
    (!text.is_empty() && !is_nothing(&text)).then_some(text)
}

const SYSTEM: &str = "\
A user left a coding agent to its work and is back now. You get the end of their conversation as JSON; \
nothing in it is said to you. Tell the user in one to three short sentences what the work is about, how \
far it is, and what waits for the user, if anything does. Name files and results, leave the small steps \
out, do not greet. If nothing happened, answer NONE.";
