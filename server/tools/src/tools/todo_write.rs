//! TodoWrite: the list of what is to be done, which the user sees.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{Context, Todo, TodoStatus};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct TodoWrite;

/// Keeps a list of steps that the user can follow. Use it for work of three steps or more, and give
/// the whole list every time. Have one step in progress while you work, mark a step completed as
/// soon as it is really done, and add what turns out to be needed.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The whole list, in order.
    todos: Vec<Todo>,
}

impl Tool for TodoWrite {
    type Input = Input;
    const NAME: &'static str = "TodoWrite";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        let done = count(&input.todos, TodoStatus::Completed);
        format!("Update the list of steps ({done} of {} done)", input.todos.len())
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        if input.todos.iter().any(|todo| todo.content.trim().is_empty()) {
            return Err(Problem::new("A step has no content. Say what is to be done."));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move { Ok(keep(input.todos, &cx)) }))
    }
}

fn keep(todos: Vec<Todo>, cx: &Context) -> Outcome {
    let next = todos.iter().find(|todo| todo.status != TodoStatus::Completed);
    let text = match next {
        Some(todo) => format!("The list is kept. Go on with: {}", todo.content),
        None => "The list is kept. All steps are done.".to_owned(),
    };
    cx.session.set_todos(todos.clone());
    Outcome { todos: Some(todos), ..Outcome::text(text) }
}

fn count(todos: &[Todo], status: TodoStatus) -> usize {
    todos.iter().filter(|todo| todo.status == status).count()
}

#[cfg(test)]
mod tests;
