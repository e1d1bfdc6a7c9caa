//! Events of a session as `session/update`, and the answers to prompts whose turn has ended.

mod tools;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use protocol::event::{CommandOutput, Severity, StopReason as OurReason, TurnEnded};
use protocol::event::{MessageStarted, ProblemKind};
use protocol::session::{Command, Mode};
use protocol::snapshot::{Role, Todo, TodoStatus};
use protocol::{Event, EventBody};

use super::config;
use super::content;
use super::peer::{Peer, response, told};
use super::schema::{
    AvailableCommand, AvailableCommandInput, AvailableCommandsUpdate, CompactionStatus,
    CompactionUpdate, ConfigOptionUpdate, ContentChunk, Cost, CurrentModeUpdate, MessageId, Notice,
    NoticeSeverity, Plan, PlanEntry, PlanEntryPriority, PlanEntryStatus, PromptResponse,
    SessionInfoUpdate, SessionUpdate, StopReason, UnstructuredCommandInput, UsageUpdate,
};
use crate::core::{Outgoing, RpcError};
use tools::Outputs;
pub(super) use tools::{kind, tool_call};

/// Remembers what a client cannot be told in one piece.
pub(super) struct Translator {
    peer: Arc<Peer>,
    sessions: HashMap<String, Seen>,
}

/// What was told of a session.
#[derive(Default)]
struct Seen {
    mode: Option<Mode>,
    /// Messages of agents that work for it: not the session's own words.
    of_agents: HashSet<String>,
    outputs: Outputs,
    compactions: u64,
    compacting: bool,
}

impl Translator {
    pub(super) fn new(peer: Arc<Peer>) -> Self {
        Self { peer, sessions: HashMap::new() }
    }

    /// What the client is told, in order.
    pub(super) fn tell(&mut self, event: &Event) -> Vec<Outgoing> {
        let session = &event.session_id;
        let seen = self.sessions.entry(session.clone()).or_default();
        let updates = seen.updates(&self.peer, session, &event.body);
        let mut messages: Vec<_> =
            updates.into_iter().filter_map(|update| told(session, update)).collect();
        messages.extend(self.answers(session, &event.body));
        messages
    }

    /// Prompts that are done.
    fn answers(&self, session: &str, body: &EventBody) -> Vec<Outgoing> {
        let prompts = &self.peer.prompts;
        let done = |waiting: Vec<super::prompts::Waiting>| {
            let answer = PromptResponse::new(StopReason::EndTurn);
            waiting.into_iter().map(|waiting| response(waiting.id, Ok(&answer))).collect()
        };
        match body {
            EventBody::TurnStarted(started) => {
                prompts.begun(&started.message_id, &started.turn_id);
                Vec::new()
            }
            EventBody::TurnEnded(ended) => {
                let waiting =
                    prompts.take(|waiting| waiting.turn.as_deref() == Some(&ended.turn_id));
                waiting.into_iter().map(|waiting| answer(waiting.id, ended)).collect()
            }
            EventBody::CommandOutput(CommandOutput { message_id, .. }) => {
                if self.sessions.get(session).is_some_and(|seen| seen.compacting) {
                    prompts.sums_up(message_id);
                    return Vec::new();
                }
                done(prompts.take(|waiting| waiting.message == *message_id))
            }
            EventBody::CompactionEnded(_) => {
                done(prompts.take(|waiting| waiting.summing_up && waiting.session == session))
            }
            _ => Vec::new(),
        }
    }
}

impl Seen {
    fn updates(&mut self, peer: &Peer, session: &str, body: &EventBody) -> Vec<SessionUpdate> {
        match body {
            EventBody::MessageStarted(started) => self.message(peer, started).into_iter().collect(),
            EventBody::MessageDelta(delta) if !self.of_agents.contains(&delta.message_id) => {
                let chunk = chunk(&delta.text, &delta.message_id);
                vec![match delta.role {
                    Role::User => SessionUpdate::UserMessageChunk(chunk),
                    _ => SessionUpdate::AgentMessageChunk(chunk),
                }]
            }
            EventBody::ThoughtDelta(delta) if !self.of_agents.contains(&delta.message_id) => {
                vec![SessionUpdate::AgentThoughtChunk(chunk(&delta.text, &delta.message_id))]
            }
            EventBody::MessageEnded(ended) => {
                self.of_agents.remove(&ended.message_id);
                Vec::new()
            }
            EventBody::CommandOutput(output) => {
                vec![SessionUpdate::AgentMessageChunk(chunk(&output.text, &output.message_id))]
            }
            EventBody::ToolStarted(_) | EventBody::ToolUpdated(_) | EventBody::ToolEnded(_) => {
                self.outputs.updates(peer, body).into_iter().collect()
            }
            EventBody::TodosUpdated(updated) => vec![plan(&updated.items)],
            EventBody::PlanUpdated(updated) => {
                let entries = updated.entries.iter();
                let entries = entries.map(|entry| step(&entry.content, &entry.status));
                vec![SessionUpdate::Plan(Plan::new(entries.collect()))]
            }
            EventBody::ConfigUpdated(updated) => {
                let folder = peer.folder(session);
                let models = config::models(&peer.host, folder.as_deref());
                let options = config::options(&models, &updated.config);
                let options = SessionUpdate::ConfigOptionUpdate(ConfigOptionUpdate::new(options));
                let mode = updated.config.mode.clone();
                let now = CurrentModeUpdate::new(mode.as_str().to_owned());
                let other = self.mode.replace(mode.clone()) != Some(mode);
                let now = other.then_some(SessionUpdate::CurrentModeUpdate(now));
                now.into_iter().chain([options]).collect()
            }
            EventBody::CommandsUpdated(updated) => vec![commands(&updated.commands)],
            EventBody::UsageUpdated(now) => vec![usage(now.used, now.window, now.cost_usd)],
            EventBody::SessionUpdated(updated) => {
                let title = updated.title.clone();
                let title = title.map(|title| SessionInfoUpdate::new().title(title));
                title.map(SessionUpdate::SessionInfoUpdate).into_iter().collect()
            }
            EventBody::Notice(notice) => {
                said(peer, &notice.severity, &notice.text).into_iter().collect()
            }
            EventBody::Retry(retry) => {
                let seconds = retry.delay_ms.div_ceil(1000);
                let text = format!("{} Trying again in {seconds} s.", retry.error.message);
                said(peer, &Severity::Info, &text).into_iter().collect()
            }
            EventBody::CompactionStarted(_) | EventBody::CompactionEnded(_) => {
                self.compaction(peer, body).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }

    fn message(&mut self, peer: &Peer, started: &MessageStarted) -> Option<SessionUpdate> {
        if started.parent_tool_call_id.is_some() {
            self.of_agents.insert(started.message_id.clone());
            return None;
        }
        // A client has shown what it sent itself; what others say is news.
        let text = started.text.as_ref().filter(|text| !text.is_empty())?;
        let others = started.role == Role::User && !peer.prompts.has(&started.message_id);
        others.then(|| SessionUpdate::UserMessageChunk(chunk(text, &started.message_id)))
    }

    /// For clients that show it as such.
    fn compaction(&mut self, peer: &Peer, body: &EventBody) -> Option<SessionUpdate> {
        let (status, error) = match body {
            EventBody::CompactionEnded(ended) => {
                self.compacting = false;
                let failed = ended.error.as_ref().map(|error| error.message.clone());
                let status = match failed {
                    Some(_) => CompactionStatus::Failed,
                    None if ended.summary.is_none() => CompactionStatus::Cancelled,
                    None => CompactionStatus::Completed,
                };
                (status, failed)
            }
            _ => {
                self.compacting = true;
                self.compactions += 1;
                (CompactionStatus::InProgress, None)
            }
        };
        let session = peer.capabilities().session?;
        session.compaction.as_ref()?;
        let id = format!("compaction_{}", self.compactions);
        let update = CompactionUpdate::new(id, status);
        let update = match error {
            Some(error) => update.error(error),
            None => update,
        };
        Some(SessionUpdate::CompactionUpdate(update))
    }
}

/// Why the turn ended, in the protocol's words. What went wrong is an error, so that it is shown.
fn answer(id: Box<serde_json::value::RawValue>, ended: &TurnEnded) -> Outgoing {
    let reason = match &ended.stop_reason {
        OurReason::MaxTokens => StopReason::MaxTokens,
        OurReason::MaxTurns | OurReason::MaxBudget => StopReason::MaxTurnRequests,
        OurReason::Refusal | OurReason::Blocked => StopReason::Refusal,
        OurReason::Cancelled => StopReason::Cancelled,
        OurReason::ModelError | OurReason::PromptTooLong => {
            let error = ended.error.as_ref();
            let code = match error.map(|error| &error.kind) {
                Some(ProblemKind::Authentication) => RpcError::AUTH_REQUIRED,
                _ => RpcError::INTERNAL,
            };
            let message = error.map_or("The model could not be asked.", |error| &error.message);
            return Outgoing::Response { id, result: Err(RpcError::new(code, message)) };
        }
        _ => StopReason::EndTurn,
    };
    response(id, Ok(&PromptResponse::new(reason)))
}

fn chunk(text: &str, message: &str) -> ContentChunk {
    ContentChunk::new(content::text(text)).message_id(MessageId::new(message))
}

/// A client without notices gets what matters as a thought: it is seen, and is not the answer.
fn said(peer: &Peer, severity: &Severity, text: &str) -> Option<SessionUpdate> {
    let notices = peer.capabilities().session.is_some_and(|session| session.notices.is_some());
    if notices {
        let severity = match severity {
            Severity::Warning => NoticeSeverity::Warning,
            Severity::Error => NoticeSeverity::Error,
            _ => NoticeSeverity::Info,
        };
        return Some(SessionUpdate::Notice(Notice::new(severity, text)));
    }
    let matters = matches!(severity, Severity::Warning | Severity::Error);
    let thought = || ContentChunk::new(content::text(format!("{text}\n")));
    matters.then(|| SessionUpdate::AgentThoughtChunk(thought()))
}

fn commands(commands: &[Command]) -> SessionUpdate {
    let commands = commands.iter().map(|command| {
        let hint = command.argument_hint.as_ref().map(|hint| {
            AvailableCommandInput::Unstructured(UnstructuredCommandInput::new(hint.clone()))
        });
        AvailableCommand::new(&command.name, &command.description).input(hint)
    });
    SessionUpdate::AvailableCommandsUpdate(AvailableCommandsUpdate::new(commands.collect()))
}

pub(super) fn usage(used: u64, window: u64, cost_usd: f64) -> SessionUpdate {
    let usage = UsageUpdate::new(used, window).cost(Cost::new(cost_usd, "USD"));
    SessionUpdate::UsageUpdate(usage)
}

pub(super) fn plan(todos: &[Todo]) -> SessionUpdate {
    let entries = todos.iter().map(|todo| step(&todo.content, &todo.status));
    SessionUpdate::Plan(Plan::new(entries.collect()))
}

fn step(content: &str, status: &TodoStatus) -> PlanEntry {
    let status = match status {
        TodoStatus::InProgress => PlanEntryStatus::InProgress,
        TodoStatus::Completed => PlanEntryStatus::Completed,
        _ => PlanEntryStatus::Pending,
    };
    PlanEntry::new(content, PlanEntryPriority::Medium, status)
}
