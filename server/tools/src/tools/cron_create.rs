//! CronCreate: a prompt for later, once or again and again, for as long as the session lives.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::cron::Cron;
use crate::tasks::Scheduled;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct CronCreate;

/// Plans a prompt that this session gets at given times, as if the user had typed it: to look at
/// something again later, or every so often. It lasts as long as the session is open, seven days at
/// most. A prompt that is due while you work waits until you are done.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// When, in the user's time zone, as five fields: minute, hour, day of the month, month, day of
    /// the week. "*/10 * * * *" is every ten minutes, "30 9 * * 1-5" half past nine on workdays.
    cron: String,
    /// What to do then.
    prompt: String,
    /// Again and again (true, if left out), or only the first time.
    #[serde(default = "yes")]
    recurring: bool,
}

fn yes() -> bool {
    true
}

impl Tool for CronCreate {
    type Input = Input;
    const NAME: &'static str = "CronCreate";
    const KIND: Kind = Kind::Think;
    const RARE: bool = true;

    fn title(input: &Input, _: &Path) -> String {
        format!("Plan a prompt for {}: {}", input.cron, super::bash::one_line(&input.prompt, None))
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        let cron: Cron = input.cron.parse().map_err(|error| Problem(format!("{error}")))?;
        let prompt = input.prompt.trim().to_owned();
        if prompt.is_empty() {
            return Err(Problem::new("The prompt is empty. Say what is to be done then."));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let often = if input.recurring { "each time" } else { "once" };
            let text = format!("due at \"{cron}\", {often}; CronDelete takes it back.");
            let call_id = cx.call_id.clone();
            let scheduled = Scheduled { cron, prompt, recurring: input.recurring, call_id };
            let id = cx.world.tasks().schedule(scheduled).await.map_err(Problem)?;
            Ok(Outcome::text(format!("The prompt {id} is planned: {text}")))
        }))
    }
}

#[cfg(test)]
mod tests;
