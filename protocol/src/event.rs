//! `agent/event`: everything that happens in a session, in one gapless sequence.
//!
//! Events are the hot path of the wire (an answer of 5 MB is 100,000 of them), so an event is
//! written straight from its struct, and read without a buffer when its header comes first.

mod body;
mod part;

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::macros::methods;
use crate::tagged::{Replay, Tagged, Text};

pub use body::*;
pub use part::*;

methods! {
    /// Something happened in a session.
    ToClient EventNotification = "agent/event" (Event);
}

/// One event of a session: the header, then the fields of its type beside it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// The session it happened in.
    pub session_id: String,
    /// Its number in the session: one more than the event before, no gaps.
    pub seq: u64,
    /// When, in milliseconds since 1970 UTC.
    pub at: u64,
    /// What happened: `type` and the fields of that type.
    #[serde(flatten)]
    pub body: EventBody,
}

impl Event {
    /// An event from its parts.
    pub fn new(
        session_id: impl Into<String>,
        seq: u64,
        at: u64,
        body: impl Into<EventBody>,
    ) -> Self {
        Self { session_id: session_id.into(), seq, at, body: body.into() }
    }
}

impl JsonSchema for Event {
    fn schema_name() -> Cow<'static, str> {
        "Event".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let body = generator.subschema_for::<EventBody>();
        json_schema!({
            "description": "One event of a session: the header, then the fields of its type beside it.",
            "type": "object",
            "properties": {
                "sessionId": { "type": "string", "description": "The session it happened in." },
                "seq": {
                    "type": "integer",
                    "description": "Its number in the session: one more than the event before, no gaps.",
                },
                "at": {
                    "type": "integer",
                    "description": "When, in milliseconds since 1970 UTC.",
                },
            },
            "required": ["sessionId", "seq", "at"],
            "allOf": [body],
        })
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EventVisitor)
    }
}

struct EventVisitor;

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `sessionId`, `seq`, `at` and `type`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let (mut session_id, mut seq, mut at, mut name) = (None, None, None, None);
        // Fields of the body that came before the header was complete.
        let mut early = Vec::new();
        while session_id.is_none() || seq.is_none() || at.is_none() || name.is_none() {
            let Some(key) = map.next_key::<Text<'de>>()? else { break };
            match &*key.0 {
                "sessionId" => session_id = Some(map.next_value()?),
                "seq" => seq = Some(map.next_value()?),
                "at" => at = Some(map.next_value()?),
                EventBody::TAG => name = Some(map.next_value::<Text<'de>>()?),
                _ => early.push((key.0.into_owned(), map.next_value()?)),
            }
        }
        let missing = A::Error::missing_field;
        let name = name.ok_or_else(|| missing(EventBody::TAG))?;
        Ok(Event {
            session_id: session_id.ok_or_else(|| missing("sessionId"))?,
            seq: seq.ok_or_else(|| missing("seq"))?,
            at: at.ok_or_else(|| missing("at"))?,
            body: EventBody::read(&name.0, Replay::new(early, map))?,
        })
    }
}

#[cfg(test)]
mod tests;
