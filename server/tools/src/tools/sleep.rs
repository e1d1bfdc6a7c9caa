//! Sleep: waiting, without a process that does it.

use std::path::Path;
use std::time::Duration;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

const LONGEST: u64 = 600_000;

pub(crate) struct Sleep;

/// Waits. Use it instead of the command sleep when there is nothing to do until something has had
/// time to happen. The user can end it at any time. For a command of your own, run it in the
/// background instead: you are told when it ends.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// How long, in milliseconds: 600000 at most.
    duration_ms: u64,
}

impl Tool for Sleep {
    type Input = Input;
    const NAME: &'static str = "Sleep";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        format!("Wait {} seconds", input.duration_ms.min(LONGEST).div_ceil(1000))
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        let duration = Duration::from_millis(input.duration_ms.min(LONGEST));
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            tokio::select! {
                () = tokio::time::sleep(duration) => Ok(Outcome::text("The time is over.")),
                () = cx.cancel.cancelled() => Err(Problem::new("The user ended the wait.")),
            }
        }))
    }
}
