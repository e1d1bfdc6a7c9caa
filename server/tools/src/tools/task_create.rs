//! TaskCreate: one more task in the list that the user sees.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct TaskCreate;

/// Adds a task to the list of what is to be done, which the user can follow. Use it for work of
/// three steps or more: one task for each step, created before you begin. A new task is pending;
/// TaskUpdate starts it, finishes it, and says what it has to wait for.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Input {
    /// What is to be done, as a command: "Run the tests".
    subject: String,
    /// All that one has to know to do it, and when it is done.
    description: String,
    /// The subject while it is being done: "Running the tests".
    active_form: Option<String>,
    /// Anything else to be kept with it.
    metadata: Option<Map<String, Value>>,
}

impl Tool for TaskCreate {
    type Input = Input;
    const NAME: &'static str = "TaskCreate";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        format!("Add a task: {}", super::bash::one_line(&input.subject, None))
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        if input.subject.trim().is_empty() {
            return Err(Problem::new("The subject is empty. Say what is to be done."));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let Input { subject, description, active_form, metadata } = input;
            let metadata = metadata.unwrap_or_default();
            cx.session.change_board(|board| {
                let task = board.create(subject, description, active_form, metadata)?;
                Ok(format!("Task {} is added: {}", task.id, task.subject))
            })
        }))
    }
}

impl crate::context::SessionState {
    /// Changes the tasks. The list that people see follows; what it says is for the model.
    pub(super) fn change_board(
        &self,
        change: impl FnOnce(&mut crate::board::Board) -> Result<String, String>,
    ) -> Result<Outcome, Problem> {
        let (text, board) = self.with_board(change).map_err(Problem)?;
        let todos = board.todos();
        self.set_todos(todos.clone());
        Ok(Outcome { todos: Some(todos), board: Some(board), ..Outcome::text(text) })
    }
}
