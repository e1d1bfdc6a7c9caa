//! ExitPlanMode: the plan, for the user to approve.

use std::path::Path;

use policy::{Mode, Subject};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Preview, Problem, Tool};

pub(crate) struct ExitPlanMode;

/// Shows your plan to the user and, if they approve it, ends plan mode so that you can begin. Use it
/// only in plan mode and only for work that changes something, when the plan is complete: the files
/// to touch, the change in each, the order, how it will be checked. If the user says no, they say what
/// to change; stay in plan mode and come back with a better plan.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The plan, in Markdown; without it, what you wrote to the plan's file.
    #[serde(default)]
    plan: Option<String>,
}

impl Tool for ExitPlanMode {
    type Input = Input;
    const NAME: &'static str = "ExitPlanMode";
    const KIND: Kind = Kind::Think;

    fn title(_: &Input, _: &Path) -> String {
        "Carry out this plan".to_owned()
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        if cx.session.permissions().mode != Mode::Plan {
            return Err(Problem::new("Plan mode is not on, so there is nothing to leave. Begin."));
        }
        let given = input.plan.filter(|plan| !plan.trim().is_empty());
        let Some(text) = given.or_else(|| written(&cx)) else {
            return Err(Problem::new("The plan is empty. Write what you would do."));
        };
        let text = text.trim().to_owned();
        let preview = Preview::Plan { text: text.clone() };
        let plan = Plan::new(vec![Subject::LeavePlan], move |cx| async move {
            let left = cx.world.leave_plan_mode(text).await.map_err(Problem)?;
            Ok(Outcome::text(format!(
                "The user has approved the plan; begin. It is kept in {}. Mode: {}.",
                left.file.display(),
                left.mode.name()
            )))
        });
        Ok(plan.preview(preview))
    }
}

/// More than this is no plan.
const LONGEST: u64 = 256 * 1024;

/// What stands in the plan's file.
fn written(cx: &Context) -> Option<String> {
    let permissions = cx.session.permissions();
    let (bytes, _) = workspace::read_bytes(permissions.rules.plan()?, LONGEST).ok()?;
    String::from_utf8(bytes).ok().filter(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests;
