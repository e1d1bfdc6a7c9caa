//! TaskUpdate: a task begins, ends, changes or goes.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::board::{Board, Change};
use crate::context::{Context, TodoStatus};
use crate::tool::{Kind, Plan, Problem, Tool};

pub(crate) struct TaskUpdate;

/// Changes a task of the list. Set it to in_progress when you begin it and to completed as soon as
/// it is really done: not while tests fail or something is left over. Have one task in progress while
/// you work. A task that is not needed any more is deleted.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Input {
    /// The task's id, as TaskList shows it.
    task_id: String,
    /// A new subject.
    subject: Option<String>,
    /// A new description.
    description: Option<String>,
    /// The subject while it is being done: "Running the tests".
    active_form: Option<String>,
    /// Where it stands now.
    status: Option<Status>,
    /// Tasks, by id, that have to wait for this one.
    #[serde(default)]
    add_blocks: Vec<String>,
    /// Tasks, by id, that this one has to wait for.
    #[serde(default)]
    add_blocked_by: Vec<String>,
    /// Who does it.
    owner: Option<String>,
    /// Keys to set; a key set to null is removed.
    metadata: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    Pending,
    InProgress,
    Completed,
    Deleted,
}

impl Status {
    fn kept(self) -> Option<TodoStatus> {
        match self {
            Status::Pending => Some(TodoStatus::Pending),
            Status::InProgress => Some(TodoStatus::InProgress),
            Status::Completed => Some(TodoStatus::Completed),
            Status::Deleted => None,
        }
    }
}

impl Tool for TaskUpdate {
    type Input = Input;
    const NAME: &'static str = "TaskUpdate";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        let what = match input.status {
            Some(Status::InProgress) => "Begin",
            Some(Status::Completed) => "Finish",
            Some(Status::Deleted) => "Delete",
            Some(Status::Pending) | None => "Change",
        };
        format!("{what} task {}", input.task_id)
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            cx.session.change_board(|board| update(board, input))
        }))
    }
}

fn update(board: &mut Board, input: Input) -> Result<String, String> {
    let id = input.task_id;
    if input.status == Some(Status::Deleted) {
        board.delete(&id)?;
        return Ok(format!("Task {id} is deleted."));
    }
    let status = input.status.and_then(Status::kept);
    let change = Change {
        subject: input.subject,
        description: input.description,
        active_form: input.active_form,
        status,
        owner: input.owner,
        blocks: input.add_blocks,
        blocked_by: input.add_blocked_by,
        metadata: input.metadata.unwrap_or_default(),
    };
    board.change(&id, change)?;
    let waits = board.open_blockers(board.get(&id)?).join(", ");
    Ok(match status {
        Some(TodoStatus::InProgress) if !waits.is_empty() => {
            format!("Task {id} is changed, but it waits for {waits}: do those first.")
        }
        Some(TodoStatus::Completed) => match next(board) {
            Some(next) => format!("Task {id} is done. Next: {next}"),
            None => format!("Task {id} is done, and so are all the others."),
        },
        _ => format!("Task {id} is changed."),
    })
}

/// The first task that nothing keeps from being done.
fn next(board: &Board) -> Option<String> {
    let open = |status| status != TodoStatus::Completed;
    let ready = board.all().iter().filter(|task| open(task.status));
    let ready = ready.filter(|task| board.open_blockers(task).is_empty());
    ready.map(|task| format!("{} {}", task.id, task.subject)).next()
}

#[cfg(test)]
mod tests;
