//! The order that the protocol promises, checked on every message of every test.

use std::collections::{BTreeMap, BTreeSet};

use protocol::Event;
use protocol::event::EventBody;
use protocol::tool::ToolStatus;
use serde_json::Value;

#[derive(Default)]
pub(crate) struct Laws {
    seq: BTreeMap<String, u64>,
    running: BTreeMap<String, Turn>,
    closed: BTreeSet<String>,
    /// Calls whose question stands.
    waiting: BTreeSet<String>,
    /// Inline edits, pages kept in the background and calls of agents, which belong to no turn.
    beside: BTreeSet<String>,
}

struct Turn {
    id: String,
    /// Joined in the middle: what began before was not seen.
    partial: bool,
    open_calls: BTreeSet<String>,
}

impl Laws {
    /// From here on every event has the next number.
    pub(crate) fn joined(&mut self, session: &str, seq: u64, turn: Option<&str>) {
        self.seq.insert(session.to_owned(), seq);
        self.closed.remove(session);
        self.running.remove(session);
        if let Some(id) = turn {
            let turn = Turn { id: id.to_owned(), partial: true, open_calls: BTreeSet::new() };
            self.running.insert(session.to_owned(), turn);
        }
    }

    /// What was missed is told again, from this number on.
    pub(crate) fn rejoined(&mut self, session: &str, since: u64) {
        self.seq.insert(session.to_owned(), since);
        self.closed.remove(session);
    }

    pub(crate) fn closed(&mut self, session: &str) {
        self.closed.insert(session.to_owned());
    }

    pub(crate) fn asked(&mut self, method: &str, params: &Value) {
        if method == "agent/permission/request"
            && let Some(call) = params["toolCall"]["toolCallId"].as_str()
        {
            self.waiting.insert(call.to_owned());
        }
    }

    /// Which question was answered does not matter: no test leaves one standing and goes on.
    pub(crate) fn answered(&mut self) {
        self.waiting.clear();
    }

    pub(crate) fn happened(&mut self, event: &Event) {
        let session = &event.session_id;
        assert!(!self.closed.contains(session), "after the end of its session: {event:?}");
        let last = self.seq.insert(session.clone(), event.seq);
        if let Some(last) = last {
            assert_eq!(event.seq, last + 1, "a gap before {event:?}");
        }
        let turn = self.running.get_mut(session);
        match &event.body {
            EventBody::TurnStarted(started) => {
                assert!(turn.is_none(), "a turn within a turn: {event:?}");
                let id = started.turn_id.clone();
                let turn = Turn { id, partial: false, open_calls: BTreeSet::new() };
                self.running.insert(session.clone(), turn);
            }
            EventBody::TurnEnded(ended) => {
                let turn = self.running.remove(session);
                let turn = turn.unwrap_or_else(|| panic!("ended twice: {event:?}"));
                assert_eq!(turn.id, ended.turn_id);
                assert!(turn.open_calls.is_empty(), "calls without an end: {:?}", turn.open_calls);
            }
            EventBody::ToolStarted(started)
                if matches!(started.name.as_str(), "InlineEdit" | "MagicDoc" | "Shell")
                    || started.parent_tool_call_id.is_some() =>
            {
                assert!(self.beside.insert(started.tool_call_id.clone()), "{event:?}");
            }
            EventBody::ToolUpdated(update) if self.beside.contains(&update.tool_call_id) => {}
            EventBody::ToolEnded(ended) if self.beside.remove(&ended.tool_call_id) => {}
            EventBody::ToolStarted(started) => {
                let turn = turn.unwrap_or_else(|| panic!("outside of a turn: {event:?}"));
                assert!(turn.open_calls.insert(started.tool_call_id.clone()), "{event:?}");
            }
            EventBody::ToolUpdated(update) => {
                assert!(turn.is_some(), "outside of a turn: {event:?}");
                let runs = update.status == ToolStatus::Running;
                let asked = self.waiting.contains(&update.tool_call_id);
                assert!(!(runs && asked), "it runs before it was allowed: {event:?}");
            }
            EventBody::ToolEnded(ended) => {
                let turn = turn.unwrap_or_else(|| panic!("outside of a turn: {event:?}"));
                let known = turn.open_calls.remove(&ended.tool_call_id);
                assert!(known || turn.partial, "ended twice, or never begun: {event:?}");
            }
            EventBody::MessageDelta(_)
            | EventBody::MessageEnded(_)
            | EventBody::ThoughtDelta(_) => {
                assert!(turn.is_some(), "outside of a turn: {event:?}");
            }
            _ => {}
        }
    }
}
