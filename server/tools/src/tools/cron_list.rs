//! CronList: the prompts that are planned.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tasks::{TaskKind, TaskState};
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct CronList;

/// Lists the prompts that are planned in this session with CronCreate: their ids, when each is due
/// and what it says.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

impl Tool for CronList {
    type Input = Input;
    const NAME: &'static str = "CronList";
    const KIND: Kind = Kind::Think;
    const RARE: bool = true;

    fn title(_: &Input, _: &Path) -> String {
        "List the planned prompts".to_owned()
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(_: Input, _: Context) -> Result<Plan, Problem> {
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move { Ok(list(&cx)) }))
    }
}

fn list(cx: &Context) -> Outcome {
    let tasks = cx.world.tasks().list().into_iter();
    let planned =
        tasks.filter(|task| task.kind == TaskKind::Cron && task.state == TaskState::Running);
    let rows: Vec<String> = planned.map(|task| format!("{}  {}", task.id, task.title)).collect();
    Outcome::text(match rows.is_empty() {
        true => "No prompts are planned.".to_owned(),
        false => rows.join("\n"),
    })
}
