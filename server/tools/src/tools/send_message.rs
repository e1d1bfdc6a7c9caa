//! SendMessage: speaks to another agent.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct SendMessage;

/// Says something to another agent of this session, by its name or its id. One that is at work reads
/// it with its next step; one that has ended goes on in the background, with all that it knows. As an
/// agent, write to `main` to tell the agent that leads the session something before you have ended.
/// What you write in your answers, other agents do not see.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The agent's name or id, `main` for the one that leads, `*` for every agent that is at work.
    to: String,
    /// What to say.
    #[serde(alias = "content", alias = "text")]
    message: String,
}

impl Tool for SendMessage {
    type Input = Input;
    const NAME: &'static str = "SendMessage";
    const KIND: Kind = Kind::Think;
    const ALIASES: &'static [&'static str] = &["content", "text"];

    fn title(input: &Input, _: &Path) -> String {
        format!("Message to {}", input.to)
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        if input.to.trim().is_empty() || input.message.trim().is_empty() {
            return Err(Problem::new("Say to whom, and what: `to` and `message`."));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let to = input.to.trim().trim_start_matches('@').to_owned();
            let sent = cx.world.agents().send(to, input.message).await.map_err(Problem)?;
            Ok(Outcome::text(sent))
        }))
    }
}
