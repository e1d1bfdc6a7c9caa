//! `/agents [stop ID|all]`: the agents there are, where each comes from, and those at work.

use extend::AgentDefinition;
use futures::FutureExt as _;
use futures::future::BoxFuture;

use super::{Done, Outcome, rows};
use crate::session::Session;
use crate::session::agents::Ran;

/// More of those that have ended nobody looks for here.
const MOST_ENDED: usize = 20;

pub(super) fn run<'a>(session: &'a mut Session, argument: &'a str) -> BoxFuture<'a, Outcome> {
    async move {
        match argument.split_once(char::is_whitespace).unwrap_or((argument, "")) {
            ("", _) => Ok(Done::Said(list(session).await)),
            ("stop", "") => Err("Which one? Say /agents stop ID, or /agents stop all.".to_owned()),
            ("stop", id) => stop(session, id.trim()),
            (word, _) => Err(format!("`/agents {word}` is unknown; say stop.")),
        }
    }
    .boxed()
}

async fn list(session: &mut Session) -> String {
    let known = &session.agents.known;
    let about = |agent: &AgentDefinition| {
        let model = agent.model.as_deref().unwrap_or("the session's model");
        let file = agent.file.as_ref().map(|file| format!(", {}", file.display()));
        format!("{} ({model}{})", agent.source.name(), file.unwrap_or_default())
    };
    let mut text = rows(known.list.iter().map(|agent| (agent.name.as_str(), about(agent))));
    if let Some(lead) = &session.agents.lead {
        text.push_str(&format!("\n\nThis session is led by {lead}."));
    }
    let family = session.agents.family.clone();
    let ran = tokio::task::spawn_blocking(move || family.all_stored()).await.unwrap_or_default();
    if !ran.is_empty() {
        let line = |ran: &Ran| {
            let name = ran.name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default();
            format!("{} {:<10} {}{name}: {}", ran.id, ran.state, ran.agent, ran.description)
        };
        let lines: Vec<String> = ran.iter().take(MOST_ENDED).map(line).collect();
        text.push_str(&format!("\n\nStarted in this session:\n{}", lines.join("\n")));
    }
    for problem in &known.problems {
        text.push_str(&format!("\n\n{problem}"));
    }
    text
}

/// The end comes as an event: an agent may need the session in order to end.
fn stop(session: &Session, id: &str) -> Outcome {
    let at_work = session.agents.family.all().into_iter().filter(|ran| ran.state == "running");
    let named = |ran: &Ran| id == "all" || ran.id == id || ran.name.as_deref() == Some(id);
    let ids: Vec<String> = at_work.filter(named).map(|ran| ran.id).collect();
    if ids.is_empty() {
        return Err(format!("No agent {id:?} is at work."));
    }
    ids.iter().for_each(|id| session.tasks.ask_to_stop(id));
    Ok(Done::Said(format!("Being stopped: {}.", ids.join(", "))))
}
