//! TaskList: all tasks in short.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use super::task_get::status;
use crate::board::{Board, Step};
use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct TaskList;

/// Lists all tasks: id, where each stands, who does it, and what it still waits for. Use it to see
/// what can be done next after a task is finished, and whether everything is done.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

impl Tool for TaskList {
    type Input = Input;
    const NAME: &'static str = "TaskList";
    const KIND: Kind = Kind::Think;

    fn title(_: &Input, _: &Path) -> String {
        "Look at the list of tasks".to_owned()
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(_: Input, _: Context) -> Result<Plan, Problem> {
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let board = cx.session.board();
            let lines: Vec<String> = board.all().iter().map(|task| line(&board, task)).collect();
            let empty = || "There are no tasks. TaskCreate adds one.".to_owned();
            Ok(Outcome::text(if lines.is_empty() { empty() } else { lines.join("\n") }))
        }))
    }
}

fn line(board: &Board, task: &Step) -> String {
    let mut line = format!("{}. [{}] {}", task.id, status(task.status), task.subject);
    if let Some(owner) = &task.owner {
        line.push_str(&format!(" ({owner})"));
    }
    let waits = board.open_blockers(task);
    if !waits.is_empty() {
        line.push_str(&format!(" – waits for {}", waits.join(", ")));
    }
    line
}
