//! TaskStop: ends work in the background.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tasks::TaskState;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct TaskStop;

/// Stops a task that runs in the background (a command, a monitor) and waits until it has stopped.
/// What it printed so far stays in its output file.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The task's id, as it was given when the task began.
    #[serde(alias = "shell_id")]
    task_id: String,
}

impl Tool for TaskStop {
    type Input = Input;
    const NAME: &'static str = "TaskStop";
    const KIND: Kind = Kind::Execute;
    const ALIASES: &'static [&'static str] = &["shell_id"];

    fn title(input: &Input, _: &Path) -> String {
        format!("Stop task {}", input.task_id)
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let tasks = cx.world.tasks().list();
        let Some(task) = tasks.iter().find(|task| task.id == input.task_id) else {
            let running: Vec<&str> = tasks
                .iter()
                .filter(|task| task.state == TaskState::Running)
                .map(|task| task.id.as_str())
                .collect();
            let there = match running.is_empty() {
                true => "Nothing runs in the background.".to_owned(),
                false => format!("These run: {}.", running.join(", ")),
            };
            return Err(Problem(format!("There is no task {:?}. {there}", input.task_id)));
        };
        if task.state != TaskState::Running {
            let state = task.state.name();
            return Err(Problem(format!("Task {} does not run any more: {state}.", task.id)));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let stopped = cx.world.tasks().stop(&input.task_id).await.map_err(Problem)?;
            Ok(Outcome::text(format!("Task {} was stopped: {}", stopped.id, stopped.title)))
        }))
    }
}
