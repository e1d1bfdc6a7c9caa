//! From the agent's words to the wire's, and out through every door of the session.

use std::sync::Arc;

use agent::turn::EndReason;
use agent::{ModelError, ModelErrorKind};
use protocol::event::{Problem, ProblemKind, StopReason, Usage};
use protocol::tool::ToolKind;
use protocol::{Event, EventBody};
use tools::Kind;

use super::Session;
use super::event_log::Logged;
use crate::core::{DoorId, HunkEvent, Outgoing, Receiver};

/// What a session tells its clients.
pub(super) enum Emission {
    /// The same event for all of them.
    Same(EventBody),
    /// Places in texts, which each client counts in its own way.
    Hunks(HunkEvent),
}

impl Session {
    /// Numbers an event and sends it to everybody who listens.
    pub(super) fn emit(&mut self, body: impl Into<EventBody>) {
        self.send(Emission::Same(body.into()));
    }

    /// Numbers an event and sends it to everybody who listens, unless something has to come first.
    pub(super) fn send(&mut self, emission: Emission) {
        if self.display.is_held() {
            return self.display.held.push_back(emission);
        }
        self.seq += 1;
        let (id, seq, at) = (self.id.clone(), self.seq, self.host.clock.millis());
        match emission {
            Emission::Same(body) => {
                let event = Arc::new(Event::new(id, seq, at, body));
                for door in &self.doors {
                    door.outbox.push(Outgoing::Event(event.clone()));
                }
                self.log.push(Logged::Same(event));
            }
            Emission::Hunks(hunks) => {
                for door in &self.doors {
                    let body = hunks.body(Receiver::from(&**door));
                    let event = Event::new(id.clone(), seq, at, body);
                    door.outbox.push(Outgoing::Event(Arc::new(event)));
                }
                self.log.push(Logged::Hunks { session: id, seq, at, event: hunks });
            }
        }
    }

    pub(super) fn drop_door(&mut self, id: DoorId) {
        self.doors.retain(|door| door.id != id);
        self.note_doors();
        self.forget_door_in_asks(id);
        self.forget_door_in_questions(id);
    }

    pub(super) fn note_doors(&self) {
        let doors = self.doors.iter().map(|door| door.id).collect();
        self.facts.send_modify(|facts| facts.doors = doors);
    }
}

pub(super) fn tool_kind(kind: Option<Kind>) -> ToolKind {
    match kind {
        Some(Kind::Read) => ToolKind::Read,
        Some(Kind::Edit) => ToolKind::Edit,
        Some(Kind::Execute) => ToolKind::Execute,
        Some(Kind::Search) => ToolKind::Search,
        Some(Kind::Fetch) => ToolKind::Fetch,
        Some(Kind::Think) => ToolKind::Think,
        None => ToolKind::Unspecified,
    }
}

pub(super) fn stop_reason(reason: EndReason) -> StopReason {
    StopReason::from(reason.stop_reason())
}

pub(super) fn usage(usage: agent::Usage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        output_tokens: usage.output_tokens,
        cache_read_tokens: usage.cache_read_input_tokens,
        cache_write_tokens: usage.cache_creation_input_tokens,
    }
}

pub(super) fn problem(error: &ModelError) -> Problem {
    let kind = match error.kind {
        ModelErrorKind::Authentication => ProblemKind::Authentication,
        ModelErrorKind::Forbidden | ModelErrorKind::SpendLimit => ProblemKind::Billing,
        ModelErrorKind::RateLimited => ProblemKind::RateLimit,
        ModelErrorKind::Overloaded | ModelErrorKind::Server => ProblemKind::Overloaded,
        ModelErrorKind::Network | ModelErrorKind::TimedOut | ModelErrorKind::BrokenStream => {
            ProblemKind::Network
        }
        ModelErrorKind::UnknownModel
        | ModelErrorKind::InvalidRequest
        | ModelErrorKind::PromptTooLong
        | ModelErrorKind::RequestTooLarge
        | ModelErrorKind::MediaTooLarge => ProblemKind::InvalidRequest,
    };
    Problem { kind, message: error.message.clone(), status: error.status }
}
