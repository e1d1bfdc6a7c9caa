//! TaskGet: one task of the list, whole.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::board::{Board, Step};
use crate::context::{Context, TodoStatus};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct TaskGet;

/// Shows one task of the list with all that was written about it: its description, where it stands,
/// who does it, what it waits for and what waits for it. Read it before you begin a task that you
/// did not just create.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Input {
    /// The task's id, as TaskList shows it.
    task_id: String,
}

impl Tool for TaskGet {
    type Input = Input;
    const NAME: &'static str = "TaskGet";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        format!("Look at task {}", input.task_id)
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let board = cx.session.board();
            let task = board.get(&input.task_id).map_err(Problem)?;
            Ok(Outcome::text(describe(&board, task)))
        }))
    }
}

fn describe(board: &Board, task: &Step) -> String {
    let mut lines = vec![
        format!("Task {}: {}", task.id, task.subject),
        format!("Status: {}", status(task.status)),
    ];
    let mut list = |name: &str, ids: &[&str]| {
        if !ids.is_empty() {
            lines.push(format!("{name}: {}", ids.join(", ")));
        }
    };
    list("Owner", &task.owner.iter().map(String::as_str).collect::<Vec<_>>());
    list("Waits for", &task.blocked_by.iter().map(String::as_str).collect::<Vec<_>>());
    list("Blocks", &board.blocks(&task.id));
    if !task.metadata.is_empty() {
        lines.push(format!("Metadata: {}", serde_json::Value::Object(task.metadata.clone())));
    }
    lines.push(format!("\n{}", task.description));
    lines.join("\n")
}

pub(super) fn status(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in_progress",
        TodoStatus::Completed => "completed",
    }
}
