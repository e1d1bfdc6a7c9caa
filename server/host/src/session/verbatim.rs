//! Every word of a session as it came, for doors inside the process that speak the provider's own
//! language: blocks as they grow, results as the model reads them, and what a turn begins with.
//!
//! Events are for people and leave out what nobody looks at (seals on thoughts, whole results). A door
//! whose [`Profile::verbatim`](crate::core::Profile) is set gets this beside them, in the same queue,
//! so the order of both is the order of what happened. What agents say comes through the root.

use std::path::PathBuf;
use std::sync::Arc;

use agent::{Record, ResultPart, StopReason, StreamEvent, Usage};
use protocol::session::{AgentInfo, Command, SessionCostResult};
use tools::{CallReport, CallStatus, FileChange};

use super::Session;
use crate::core::Outgoing;

#[derive(Clone, Debug)]
pub struct Verbatim {
    /// The agent whose words these are; nothing for the session's own.
    pub by: Option<Speaker>,
    pub said: Said,
}

/// An agent, as those know it who listen to the root.
#[derive(Clone, Debug)]
pub struct Speaker {
    pub id: String,
    /// Which agent it is, for example `Explore`.
    pub agent: String,
    /// What it was asked, in a few words.
    pub description: String,
    /// The call that started it.
    pub call: String,
}

#[derive(Clone, Debug)]
pub enum Said {
    /// What the session has, for a client that joins.
    Equipped(Box<Equipment>),
    /// A turn begins with this.
    Began(Box<Equipment>),
    /// The model is asked; its answer will have this id.
    Asked { message_id: String, model: String },
    /// A piece of the answer.
    Heard(StreamEvent),
    /// What was heard of this answer never was: it is asked for again.
    Retracted { message_id: String },
    /// The answer is written down. Without a reason it was broken off.
    Answered { message_id: String, stop_reason: Option<StopReason>, usage: Usage },
    /// A call has its result.
    Called(Box<CallTold>),
    /// A line was written to the journal; only where the host wants to know.
    Kept(Vec<u8>),
    /// A turn is about to end; this is what the session has cost by then.
    Spent(Box<SessionCostResult>),
}

/// The result of a call, as the model reads it, and what it did.
#[derive(Clone, Debug)]
pub struct CallTold {
    pub id: String,
    pub denied: bool,
    pub content: Vec<ResultPart>,
    pub is_error: bool,
    pub diffs: Vec<FileChange>,
    pub exit_code: Option<i32>,
    pub duration_ms: Option<u64>,
}

/// What a session has to work with.
#[derive(Clone, Debug, Default)]
pub struct Equipment {
    pub cwd: PathBuf,
    pub model: String,
    pub mode: String,
    pub effort: Option<String>,
    pub style: Option<String>,
    /// All styles there are; only for a client that joins.
    pub styles: Vec<String>,
    pub tools: Vec<String>,
    pub commands: Vec<Command>,
    pub skills: Vec<String>,
    pub agents: Vec<AgentInfo>,
    /// MCP servers, and how they stand.
    pub mcp_servers: Vec<(String, String)>,
    /// Their names and folders.
    pub plugins: Vec<(String, PathBuf)>,
}

impl Session {
    /// Says it to those who want every word. Where nobody does, it is not even made.
    pub(super) fn verbatim(&self, said: impl FnOnce() -> Said) {
        if self.doors.iter().any(|door| door.is_verbatim()) {
            self.tell_verbatim(Arc::new(Verbatim { by: None, said: said() }));
        }
    }

    pub(super) fn tell_verbatim(&self, words: Arc<Verbatim>) {
        for door in self.doors.iter().filter(|door| door.is_verbatim()) {
            door.outbox.push(Outgoing::Verbatim(words.clone()));
        }
    }

    pub(super) fn tell_called(&self, id: &str, report: &CallReport, duration_ms: Option<u64>) {
        self.verbatim(|| {
            Said::Called(Box::new(CallTold {
                id: id.to_owned(),
                denied: report.status == CallStatus::Denied,
                content: report.outcome.content.clone(),
                is_error: report.outcome.is_error,
                diffs: report.diffs.clone(),
                exit_code: report.exit_code,
                duration_ms,
            }))
        });
    }

    pub(super) fn tell_answered(&self, record: &Record) {
        if let Record::Assistant { id, stop_reason, usage, .. } = record {
            self.verbatim(|| Said::Answered {
                message_id: id.clone(),
                stop_reason: stop_reason.clone(),
                usage: *usage,
            });
        }
    }

    /// The id of a call is the one it has with us: two calls of an answer never share one.
    pub(super) fn tell_piece(&self, event: &StreamEvent) {
        self.verbatim(|| {
            let mut event = event.clone();
            if let (StreamEvent::ToolStarted { id, .. }, Some(running)) =
                (&mut event, &self.running)
            {
                *id = running.turn.call_id(std::mem::take(id));
            }
            Said::Heard(event)
        });
    }

    /// A call that never ran has a result, too.
    pub(super) fn tell_dropped(&self, id: &str, message: &str) {
        self.verbatim(|| {
            Said::Called(Box::new(CallTold {
                id: id.to_owned(),
                denied: false,
                content: vec![ResultPart::Text { text: message.to_owned() }],
                is_error: true,
                diffs: Vec::new(),
                exit_code: None,
                duration_ms: None,
            }))
        });
    }

    fn server_states(&self) -> Vec<(String, String)> {
        let rows = self.server_rows().into_iter();
        rows.map(|row| (row.name, row.status.as_str().to_owned())).collect()
    }

    pub(super) fn equipment(&self) -> Equipment {
        let config = self.wire_config();
        Equipment {
            cwd: self.state.cwd().to_owned(),
            model: config.model,
            mode: config.mode.as_str().to_owned(),
            effort: config.effort.map(|effort| effort.as_str().to_owned()),
            style: config.output_style,
            styles: Vec::new(),
            tools: self.registry.names().map(str::to_owned).collect(),
            commands: self.commands(),
            skills: self.skills.names(),
            agents: self.agents.infos(),
            mcp_servers: self.server_states(),
            plugins: self.skills.plugins(),
        }
    }
}
