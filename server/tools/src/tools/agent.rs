//! Agent: hands a piece of work to another agent.

use std::path::Path;

use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::agents::{AgentReport, AgentWish};
use crate::context::Context;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

pub(crate) struct Agent;

/// Who does it when nobody is named.
const USUAL: &str = "general-purpose";

/// Hands a piece of work to another agent, which has a conversation of its own and reports back with
/// its last message. Use it for work that would fill this conversation with detail (searching through
/// many files, trying things out), or for several pieces that do not depend on each other: start those
/// in one message, and they run side by side. Do small things yourself, and do not do again what you
/// have handed over.
///
/// The agent knows nothing of this conversation (but `fork` does), so the prompt has to say what to do,
/// what is known already, and what to report. It usually works in the background: you go on, and are
/// told when it has ended. Say `run_in_background: false` when you cannot go on without its answer.
/// What the user should know of its report, you tell them. SendMessage speaks to an agent that runs,
/// and makes one that has ended go on with all that it knows.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The task in three to five words, for people.
    description: String,
    /// What to do, with everything the agent needs to know.
    prompt: String,
    /// Which agent; general-purpose without it.
    #[serde(default)]
    subagent_type: Option<String>,
    /// Another model than the agent's own, such as opus, sonnet or haiku.
    #[serde(default)]
    model: Option<String>,
    /// How hard it works: low, medium, high, xhigh or max.
    #[serde(default)]
    effort: Option<String>,
    /// False: wait for its answer.
    #[serde(default)]
    run_in_background: Option<bool>,
    /// A name by which SendMessage finds it, for an agent that is one of a team.
    #[serde(default)]
    name: Option<String>,
    /// `worktree`: it works in a copy of the repository, a git worktree on a branch of its own.
    #[serde(default)]
    isolation: Option<String>,
}

impl Tool for Agent {
    type Input = Input;
    const NAME: &'static str = "Agent";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        let agent = input.subagent_type.as_deref().unwrap_or(USUAL);
        format!("{agent}: {}", input.description)
    }

    /// Each has a conversation of its own, and its changes go through the same store as everybody's.
    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        if input.prompt.trim().is_empty() {
            return Err(Problem::new("The prompt is empty. Say what the agent is to do."));
        }
        let wanted = input.subagent_type.as_deref().unwrap_or(USUAL);
        let agent = cx.world.agents().resolve(wanted).map_err(Problem)?;
        let worktree = match input.isolation.as_deref() {
            None | Some("") => false,
            Some("worktree") => true,
            Some(other) => {
                let problem = format!("There is no isolation {other:?}; there is worktree.");
                return Err(Problem(problem));
            }
        };
        let wish = AgentWish {
            agent: agent.clone(),
            description: input.description,
            prompt: input.prompt,
            model: input.model,
            effort: input.effort,
            background: input.run_in_background,
            name: input.name.filter(|name| !name.trim().is_empty()),
            worktree,
        };
        Ok(Plan::new(vec![Subject::Agent { name: agent }], move |cx| async move {
            let report = cx.world.agents().start(wish, cx.cancel.clone()).await.map_err(Problem)?;
            Ok(outcome(report))
        }))
    }
}

fn outcome(report: AgentReport) -> Outcome {
    match report {
        AgentReport::Begun { id, output } => {
            let file =
                output.map(|path| format!(" What it does is written to {}.", path.display()));
            Outcome::text(format!(
                "The agent {id} works in the background.{} You are told when it has ended: do not \
                 wait for it and do not do its work. SendMessage with \"{id}\" speaks to it, TaskStop \
                 ends it.",
                file.unwrap_or_default()
            ))
        }
        AgentReport::Done { id, text, failed, calls, tokens, notes } => {
            let mut told = text;
            for note in notes {
                told.push_str(&format!("\n\n{note}"));
            }
            told.push_str(&format!(
                "\n\n(Agent {id}: {calls} calls, {tokens} tokens. SendMessage with \"{id}\" makes it \
                 go on.)"
            ));
            Outcome { is_error: failed, ..Outcome::text(told) }
        }
    }
}
