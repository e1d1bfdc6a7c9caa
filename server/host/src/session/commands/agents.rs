//! `/agents [show WHO | tell WHO words | stop WHO|all]`: the agents there are, where each comes from,
//! and those at work; what one has done, a word to it, and its end.

use extend::AgentDefinition;
use futures::FutureExt as _;

use super::asks::Asking;
use super::rows;
use crate::export::{self, Format};
use crate::session::Session;
use crate::session::agents::Ran;

/// More of those that have ended nobody looks for here.
const MOST_ENDED: usize = 20;
/// Of a transcript the end; `/export` writes all of it.
const SHOWN: usize = 200;

pub(super) fn run(session: &mut Session, argument: &str) -> Result<Asking, String> {
    let (word, rest) = argument.split_once(char::is_whitespace).unwrap_or((argument, ""));
    let (who, words) = rest.trim().split_once(char::is_whitespace).unwrap_or((rest.trim(), ""));
    match (word, who, words.trim()) {
        ("", ..) => Ok(list(session)),
        ("stop", "", _) => Err("Which one? Say /agents stop ID, or /agents stop all.".to_owned()),
        ("stop", who, "") => stop(session, who),
        ("show", "", _) => Err("Which one? Say /agents show with its id or name.".to_owned()),
        ("show", who, "") => show(session, who),
        ("tell", "", _) | ("tell", _, "") => {
            Err("Whom, and what? Say /agents tell NAME and the words.".to_owned())
        }
        ("tell", who, words) => Ok(tell(session, who, words)),
        ("stop" | "show", ..) => Err(format!("Name one agent: /agents {word} ID.")),
        (word, ..) => Err(format!("`/agents {word}` is unknown; say show, tell or stop.")),
    }
}

fn about(agent: &AgentDefinition) -> String {
    let model = agent.model.as_deref().unwrap_or("the session's model");
    let file = agent.file.as_ref().map(|file| format!(", {}", file.display()));
    format!("{} ({model}{})", agent.source.name(), file.unwrap_or_default())
}

fn list(session: &Session) -> Asking {
    let known = session.agents.known.clone();
    let lead = session.agents.lead.as_ref().map(|lead| lead.name.clone());
    let family = session.agents.family.clone();
    async move {
        let mut text = rows(known.list.iter().map(|agent| (agent.name.as_str(), about(agent))));
        if let Some(lead) = lead {
            text.push_str(&format!("\n\nThis session is led by {lead}."));
        }
        let (at_work, most, deepest) = family.room();
        text.push_str(&format!(
            "\n\n{at_work} at work; {most} may be at once, and they start others {deepest} deep at most."
        ));
        let ran = tokio::task::spawn_blocking(move || family.all_stored()).await;
        let ran = ran.unwrap_or_default();
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
        Ok(text)
    }
    .boxed()
}

/// What one that was started has done, or what one that could be is like.
fn show(session: &Session, who: &str) -> Result<Asking, String> {
    let (family, known) = (session.agents.family.clone(), session.agents.known.clone());
    let (who, host) = (who.trim_start_matches('@').to_owned(), session.host.clone());
    let shown = move || {
        let Some(ran) = family.all_stored().into_iter().find(|ran| ran.answers_to(&who)) else {
            let agent = known.find(&who).ok_or_else(|| format!("There is no agent {who:?}."))?;
            return Ok(definition(agent));
        };
        let journal = family.journal_of(&ran.id).ok_or("Nothing of this session is stored.")?;
        let text = export::export(&host.secrets.redactor(), &journal, Format::Markdown)
            .map_err(|_| format!("{} has not said anything yet.", ran.id))?;
        let lines: Vec<&str> = text.lines().collect();
        Ok(lines[lines.len().saturating_sub(SHOWN)..].join("\n"))
    };
    Ok(async move { tokio::task::spawn_blocking(shown).await.map_err(|error| error.to_string())? }
        .boxed())
}

fn definition(agent: &AgentDefinition) -> String {
    let mut facts = vec![("name", agent.name.clone()), ("from", about(agent))];
    let mut add = |name: &'static str, value: Option<String>| {
        facts.extend(value.map(|value| (name, value)));
    };
    add("description", Some(extend::one_line(&agent.description)));
    add("mode", agent.permission_mode.map(|mode| mode.to_string()));
    add("effort", agent.effort.map(|effort| effort.name().to_owned()));
    add("turns at most", agent.max_turns.map(|turns| turns.to_string()));
    add("skills", Some(agent.skills.join(", ")).filter(|skills| !skills.is_empty()));
    add("colour", agent.color.clone());
    add("runs", agent.background.then(|| "in the background".to_owned()));
    add("works in", agent.worktree.then(|| "a git worktree of its own".to_owned()));
    format!("{}\n\n{}", rows(facts), agent.prompt)
}

/// The user's own words; one that has ended goes on with them.
fn tell(session: &mut Session, who: &str, words: &str) -> Asking {
    let id = session.next_id("tell");
    let gateway = session.agents.gateway(session.own.clone(), id);
    let (who, words) = (who.trim_start_matches('@').to_owned(), words.to_owned());
    async move { gateway.say_as_user(&who, words).await }.boxed()
}

/// The end comes as an event: an agent may need the session in order to end.
fn stop(session: &Session, who: &str) -> Result<Asking, String> {
    let ids = session.agents.family.stop(who.trim_start_matches('@'));
    match (ids.is_empty(), who) {
        (true, "all") => Err("No agent is at work.".to_owned()),
        (true, _) => Err(format!("No agent {who:?} is at work.")),
        (false, _) => {
            let text = format!("Being stopped: {}.", ids.join(", "));
            Ok(std::future::ready(Ok(text)).boxed())
        }
    }
}
