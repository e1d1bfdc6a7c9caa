//! EnterPlanMode: look first, and let the user judge a plan.

use std::path::Path;

use policy::{Mode, Subject};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct EnterPlanMode;

/// Begins plan mode: until the user has approved a plan, nothing can be changed. Use it before work
/// that touches many files, has several good ways, or whose requirements are not clear; not for small
/// changes, and not for questions that only need looking. In it, explore, and end it with
/// ExitPlanMode, which shows the plan to the user.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

impl Tool for EnterPlanMode {
    type Input = Input;
    const NAME: &'static str = "EnterPlanMode";
    const KIND: Kind = Kind::Think;

    fn title(_: &Input, _: &Path) -> String {
        "Plan first".to_owned()
    }

    async fn plan(_: Input, cx: Context) -> Result<Plan, Problem> {
        if cx.session.permissions().mode == Mode::Plan {
            return Err(Problem::new("Plan mode is on already. ExitPlanMode ends it."));
        }
        Ok(Plan::new(vec![Subject::Internal], |cx| async move {
            let file = cx.world.enter_plan_mode().await.map_err(Problem)?;
            Ok(Outcome::text(format!(
                "Plan mode is on: nothing can be changed but {}, where you may keep the plan while it \
                 grows. Look at what the task needs, ask the user where it is unclear, then call \
                 ExitPlanMode.",
                file.display()
            )))
        }))
    }
}
