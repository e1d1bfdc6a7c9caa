//! ListAgents: who is there to be written to.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::AgentView;
use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct ListAgents;

/// Lists the agents of this session, those at work and those that have ended: id, name, which agent it
/// is, what it was asked and how it stands. SendMessage reaches each of them.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {}

impl Tool for ListAgents {
    type Input = Input;
    const NAME: &'static str = "ListAgents";
    const KIND: Kind = Kind::Think;
    const RARE: bool = true;

    fn title(_: &Input, _: &Path) -> String {
        "List agents".to_owned()
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(_: Input, _: Context) -> Result<Plan, Problem> {
        Ok(Plan::new(vec![Subject::Internal], |cx| async move {
            let agents = cx.world.agents().list().await;
            let lines: Vec<String> = agents.iter().map(line).collect();
            Ok(Outcome::text(match lines.is_empty() {
                true => "No agent was started in this session.".to_owned(),
                false => lines.join("\n"),
            }))
        }))
    }
}

fn line(agent: &AgentView) -> String {
    let AgentView { id, name, agent, description, state } = agent;
    let name = name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default();
    format!("{id}{name} ({agent}, {state}): {description}")
}
