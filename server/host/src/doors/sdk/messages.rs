//! What the host is told: the teller keeps what it needs to know for that, and a file for each kind of
//! message says what it looks like.

mod answer;
mod calls;
mod compaction;
mod denied;
mod hook;
pub(super) mod ids;
mod init;
mod local_command;
pub(super) mod mirror;
mod notice;
mod output;
mod owed;
mod replay;
mod reset;
mod result;
mod retry;
mod state;
mod stream_event;
mod suggestion;
mod tasks;
mod tool_progress;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use protocol::{Event, EventBody};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::shared::{Mark, Shared};
use super::{Wishes, initialize};
use crate::core::RpcResult;
use crate::session::{AnswerSchema, Equipment, Said, Verbatim};

use answer::Answer;
use calls::Calls;
use owed::Owed;
use result::Account;
use tasks::Tasks;

pub(super) struct Teller {
    shared: Arc<Shared>,
    wishes: Wishes,
    session_id: String,
    /// What happened before it was known which session is ours.
    early: Vec<Arc<Event>>,
    lines: Vec<Value>,
    equipment: Equipment,
    /// The answers under way: the session's own, and those of agents by their ids.
    answers: HashMap<Option<String>, Answer>,
    calls: Calls,
    /// What the host said, by its ids, until it is part of the conversation.
    ours: HashMap<String, Value>,
    owed: Owed,
    account: Account,
    tasks: Tasks,
    /// The state that was told last.
    told: Option<&'static str>,
    /// When the session was last asked whether more will come.
    asked_at: Option<u64>,
    /// The commands were told with `initialize`; only what changes is news.
    commands_known: bool,
    schema: Option<AnswerSchema>,
    failure: Option<String>,
    exit_code: u8,
    began: Instant,
    /// The last line of the transcript that the host keeps.
    mirrored: Option<String>,
}

impl Teller {
    pub(super) fn new(shared: Arc<Shared>, wishes: Wishes, schema: Option<AnswerSchema>) -> Self {
        Self {
            shared,
            wishes,
            session_id: String::new(),
            early: Vec::new(),
            lines: Vec::new(),
            equipment: Equipment::default(),
            answers: HashMap::new(),
            calls: Calls::default(),
            ours: HashMap::new(),
            owed: Owed::default(),
            account: Account::default(),
            tasks: Tasks::default(),
            told: None,
            asked_at: None,
            commands_known: false,
            schema,
            failure: None,
            exit_code: 0,
            began: Instant::now(),
            mirrored: None,
        }
    }

    /// The lines since the last time.
    pub(super) fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.lines)
    }

    /// The host is done, and has everything.
    pub(super) fn is_complete(&self) -> bool {
        let failed = self.failure.is_some() && self.shared.door.outbox.waiting() == 0;
        failed || (self.owed.is_done() && self.is_settled())
    }

    /// Nothing goes on but agents in the background, and nobody will say anything more.
    pub(super) fn only_waits(&self) -> bool {
        self.owed.is_done() && self.tasks.agents() > 0
    }

    /// Zero, or one when the last turn failed.
    pub(super) fn exit_code(&self) -> u8 {
        self.exit_code
    }

    pub(super) fn take_failure(&mut self) -> Option<String> {
        self.failure.take()
    }

    /// A line that is ready.
    pub(super) fn on_line(&mut self, line: Value) {
        self.lines.push(line);
    }

    /// A message of ours: with an id of its own, and the session's.
    fn push(&mut self, mut message: Value) {
        if message.get("uuid").is_none() {
            message["uuid"] = ids::fresh().into();
        }
        message["session_id"] = self.session_id.clone().into();
        self.lines.push(message);
    }

    fn system(&mut self, subtype: &str, fields: Value) {
        let mut message = json!({ "type": "system", "subtype": subtype });
        if let (Value::Object(message), Value::Object(fields)) = (&mut message, fields) {
            message.extend(fields);
        }
        self.push(message);
    }

    pub(super) fn on_mark(&mut self, mark: Mark) {
        match mark {
            Mark::Announced(announced) => {
                self.wishes.subagent_text |= announced.subagent_text;
                if announced.schema.is_some() {
                    self.schema = announced.schema;
                }
            }
            Mark::Opened(session) => self.session_id = session,
            Mark::Sent { uuid, message } => {
                self.owed.sent(&uuid);
                self.ours.insert(uuid, message);
            }
            Mark::Refused { uuid, problem } => self.refused(&uuid, &problem),
            Mark::Steered { uuid } => self.owed.steered(&uuid),
            Mark::Dropped { uuid } => self.owed.dropped(&uuid),
            Mark::Denied { call } => self.calls.denied_by_host(call),
            Mark::Failed(problem) => self.failed(problem),
            Mark::Settled(at) => self.settled(at),
            Mark::Done => self.owed.host_is_done(),
        }
    }

    /// The answer to a request of the host.
    pub(super) fn on_response(&mut self, id: &RawValue, result: RpcResult) {
        let id: Value = serde_json::from_str(id.get()).unwrap_or_default();
        let response = match result {
            Ok(value) => {
                let mut value: Value = serde_json::from_str(value.get()).unwrap_or_default();
                if initialize::is_incomplete(&value) {
                    initialize::complete(&mut value, &self.equipment);
                    self.commands_known = true;
                }
                let mut response =
                    json!({ "subtype": "success", "request_id": id, "response": value });
                if let Some(pending) = response["response"].get_mut("pending_permission_requests") {
                    // The envelope carries these; the answer itself does not.
                    response["pending_permission_requests"] = pending.take();
                    response["pending_user_dialog_requests"] = json!([]);
                    response["pending_elicitation_requests"] = json!([]);
                    if let Some(fields) = response["response"].as_object_mut() {
                        fields.remove("pending_permission_requests");
                    }
                }
                response
            }
            Err(error) => {
                json!({ "subtype": "error", "request_id": id, "error": error.message })
            }
        };
        self.lines.push(json!({ "type": "control_response", "response": response }));
    }

    pub(super) fn on_event(&mut self, event: Arc<Event>) {
        if self.session_id.is_empty() {
            return self.early.push(event);
        }
        for event in std::mem::take(&mut self.early).into_iter().chain([event]) {
            if event.session_id == self.session_id {
                self.on_body(&event.body);
            }
        }
    }

    fn on_body(&mut self, body: &EventBody) {
        match body {
            EventBody::SessionUpdated(updated) => self.on_status(updated.status.as_ref()),
            EventBody::TurnStarted(started) => self.turn_started(&started.message_id),
            EventBody::TurnEnded(ended) => self.turn_ended(ended),
            EventBody::QueueUpdated(updated) => self.owed.queue(&updated.queue),
            EventBody::MessageStarted(started) => self.on_message(started),
            EventBody::CommandOutput(output) => self.on_command(output),
            EventBody::CommandsUpdated(updated) => self.on_commands(&updated.commands),
            EventBody::ConfigUpdated(updated) => self.on_config(&updated.config),
            EventBody::CompactionStarted(_) => self.compacting(),
            EventBody::CompactionEnded(ended) => self.compacted(ended),
            EventBody::Retry(retry) => self.on_retry(retry),
            EventBody::Notice(notice) => self.on_notice(notice),
            EventBody::HookStarted(started) => self.hook_started(started),
            EventBody::HookEnded(ended) => self.hook_ended(ended),
            EventBody::TaskStarted(started) => self.task_started(&started.task),
            EventBody::TaskUpdated(updated) => self.task_updated(&updated.task),
            EventBody::TaskEnded(ended) => self.task_ended(&ended.task),
            EventBody::AgentStarted(started) => self.agent_started(started),
            EventBody::AgentEnded(ended) => self.agent_ended(ended),
            EventBody::ToolUpdated(update) => self.on_progress(update),
            EventBody::SessionRewound(rewound) => self.on_rewound(rewound),
            EventBody::Suggestion(suggestion) => self.on_suggestion(&suggestion.text),
            _ => {}
        }
    }

    pub(super) fn on_verbatim(&mut self, words: &Verbatim) {
        match &words.said {
            Said::Equipped(equipment) => self.equipment = (**equipment).clone(),
            Said::Began(equipment) => self.on_began((**equipment).clone()),
            Said::Asked { message_id, model } => self.asked(words.by.as_ref(), message_id, model),
            Said::Heard(event) => self.heard(words.by.as_ref(), event),
            Said::Retracted { message_id } => self.retracted(words.by.as_ref(), message_id),
            Said::Answered { message_id, stop_reason, usage } => {
                self.answered(words.by.as_ref(), message_id, stop_reason.as_ref(), *usage);
            }
            Said::Kept(line) if words.by.is_none() => self.on_kept(line),
            Said::Kept(_) => {}
            Said::Called(told) => self.called(words.by.as_ref(), told),
            Said::Spent(cost) if words.by.is_none() => self.account.cost = (**cost).clone(),
            Said::Spent(_) => {}
        }
    }
}
