//! `/todos`: the list of steps the model keeps.

use super::{Done, Outcome};
use crate::session::Session;

pub(super) fn run(session: &mut Session, _: &str) -> Outcome {
    let todos = session.state.todos();
    let line = |todo: &tools::Todo| {
        let mark = match todo.status {
            tools::TodoStatus::Pending => "[ ]",
            tools::TodoStatus::InProgress => "[>]",
            tools::TodoStatus::Completed => "[x]",
        };
        format!("{mark} {}", todo.content)
    };
    let lines: Vec<String> = todos.iter().map(line).collect();
    let text = if lines.is_empty() { "There are no steps.".to_owned() } else { lines.join("\n") };
    Ok(Done::Said(text))
}
