//! CronDelete: takes a planned prompt back.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tasks::{TaskKind, TaskState};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct CronDelete;

/// Takes back a prompt that was planned with CronCreate. CronList gives the ids of those that are
/// planned in this session.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The id of the planned prompt.
    id: String,
}

impl Tool for CronDelete {
    type Input = Input;
    const NAME: &'static str = "CronDelete";
    const KIND: Kind = Kind::Think;
    const RARE: bool = true;

    fn title(input: &Input, _: &Path) -> String {
        format!("Take back the planned prompt {}", input.id)
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let planned = cx.world.tasks().list().into_iter().any(|task| {
            task.id == input.id && task.kind == TaskKind::Cron && task.state == TaskState::Running
        });
        if !planned {
            let id = &input.id;
            return Err(Problem(format!("No prompt {id:?} is planned. CronList lists them.")));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let stopped = cx.world.tasks().stop(&input.id).await.map_err(Problem)?;
            Ok(Outcome::text(format!("Taken back: {} {}", stopped.id, stopped.title)))
        }))
    }
}
