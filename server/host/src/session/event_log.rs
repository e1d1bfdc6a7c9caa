//! The latest events of a session, for a client that lost its connection for a moment.

use std::collections::VecDeque;
use std::sync::Arc;

use protocol::event::ToolEnded;
use protocol::tool::ContentPart;
use protocol::{Event, EventBody};

use crate::core::{HunkEvent, Receiver};

/// How many events a client may miss and still catch up without a snapshot.
const MOST: usize = 4_096;
/// An event may carry a whole file before and after, so bytes count too.
const MOST_BYTES: usize = 2 * 1024 * 1024;

#[derive(Default)]
pub(super) struct EventLog {
    events: VecDeque<Logged>,
    bytes: usize,
}

/// An event as it can be sent once more, also to a client that was not there.
pub(super) enum Logged {
    Same(Arc<Event>),
    Hunks { session: String, seq: u64, at: u64, event: HunkEvent },
}

impl Logged {
    fn seq(&self) -> u64 {
        match self {
            Self::Same(event) => event.seq,
            Self::Hunks { seq, .. } => *seq,
        }
    }

    fn weight(&self) -> usize {
        match self {
            Self::Same(event) => weight(&event.body),
            Self::Hunks { event, .. } => size_of::<Event>() + event.weight(),
        }
    }

    fn event(&self, receiver: Receiver) -> Event {
        match self {
            Self::Same(event) => event.as_ref().clone(),
            Self::Hunks { session, seq, at, event } => {
                Event::new(session.clone(), *seq, *at, event.body(receiver))
            }
        }
    }
}

impl EventLog {
    pub(super) fn push(&mut self, event: Logged) {
        self.bytes += event.weight();
        self.events.push_back(event);
        while self.events.len() > MOST || (self.bytes > MOST_BYTES && self.events.len() > 1) {
            if let Some(oldest) = self.events.pop_front() {
                self.bytes -= oldest.weight();
            }
        }
    }

    /// Everything after `since`, when the log reaches back that far; `last` is the newest number.
    pub(super) fn after(&self, since: u64, last: u64, receiver: Receiver) -> Option<Vec<Event>> {
        let oldest = self.events.front().map_or(last + 1, Logged::seq);
        if since > last || since.saturating_add(1) < oldest {
            return None;
        }
        let missed = self.events.iter().filter(|event| event.seq() > since);
        Some(missed.map(|event| event.event(receiver)).collect())
    }
}

/// Roughly what an event holds; only texts can be long.
fn weight(body: &EventBody) -> usize {
    let texts = match body {
        EventBody::MessageDelta(delta) => delta.text.len(),
        EventBody::ThoughtDelta(delta) => delta.text.len(),
        EventBody::ToolInputDelta(delta) => delta.text.len(),
        EventBody::ToolUpdated(update) => {
            let output = update.progress.as_ref().and_then(|progress| progress.output.as_ref());
            let input = update.input.as_ref().map_or(0, |input| input.to_string().len());
            output.map_or(0, String::len) + input
        }
        EventBody::ToolEnded(ended) => ended_weight(ended),
        _ => 0,
    };
    size_of::<Event>() + texts
}

fn ended_weight(ended: &ToolEnded) -> usize {
    let text = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let parts = ended.content.iter().map(|part| match part {
        ContentPart::Text(part) => part.text.len(),
        ContentPart::Output(part) => part.text.len(),
        ContentPart::Image(part) => part.data.as_ref().map_or(0, String::len),
        ContentPart::Diff(part) => text(&part.old_text) + text(&part.new_text),
        _ => 0,
    });
    let diff = ended.diff.as_ref().map_or(0, |diff| text(&diff.old_text) + text(&diff.new_text));
    parts.sum::<usize>() + diff
}

#[cfg(test)]
mod tests {
    use protocol::event::MessageDelta;
    use protocol::snapshot::Role;

    use super::*;

    fn delta(seq: u64, text: String) -> Logged {
        let delta = MessageDelta { message_id: "m".into(), role: Role::Assistant, text };
        Logged::Same(Arc::new(Event::new("s", seq, 0, delta)))
    }

    #[test]
    fn what_is_too_old_or_too_new_wants_a_snapshot() {
        let mut log = EventLog::default();
        for seq in 1..=10 {
            log.push(delta(seq, String::new()));
        }
        let after = |since| log.after(since, 10, Receiver::INTERNAL).map(|events| events.len());
        assert_eq!(after(0), Some(10));
        assert_eq!(after(7), Some(3));
        assert_eq!(after(10), Some(0));
        assert_eq!(after(11), None);
        for seq in 11..=20 {
            log.push(delta(seq, "x".repeat(MOST_BYTES / 4)));
        }
        assert_eq!(log.after(10, 20, Receiver::INTERNAL).map(|events| events.len()), None);
        assert!(log.after(18, 20, Receiver::INTERNAL).is_some());
    }
}
