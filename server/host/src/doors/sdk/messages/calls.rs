//! `user`: the results of calls, with what they did in a shape that programs read.

use std::collections::{HashMap, HashSet};
use std::time::Instant;

use agent::ResultPart;
use serde_json::{Value, json};

use super::{Teller, ids, output};
use crate::session::{CallTold, Speaker};

/// The calls under way.
#[derive(Default)]
pub(super) struct Calls {
    known: HashMap<String, Call>,
    denied_by_host: HashSet<String>,
}

pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
    pub(super) parent: Option<String>,
    pub(super) began: Instant,
    /// When the host last heard that it goes on.
    pub(super) told: Instant,
}

impl Calls {
    pub(super) fn began(&mut self, block: &Value, by: Option<&Speaker>) {
        let now = Instant::now();
        let call = Call {
            name: block["name"].as_str().unwrap_or_default().to_owned(),
            input: block["input"].clone(),
            parent: by.map(|agent| agent.call.clone()),
            began: now,
            told: now,
        };
        let id = block["id"].as_str().unwrap_or_default();
        self.known.insert(id.to_owned(), call);
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Call> {
        self.known.get_mut(id)
    }

    pub(super) fn denied_by_host(&mut self, id: String) {
        self.denied_by_host.insert(id);
    }
}

impl Teller {
    pub(super) fn called(&mut self, by: Option<&Speaker>, told: &CallTold) {
        // One whose words never came whole has no call that a host knows of.
        let Some(call) = self.calls.known.remove(&told.id) else { return };
        let by_host = self.calls.denied_by_host.remove(&told.id);
        if told.denied {
            self.denied(&call, told, by_host);
        }
        let mut result = json!({
            "type": "tool_result",
            "tool_use_id": told.id,
            "content": content(&told.content),
        });
        if told.is_error {
            result["is_error"] = true.into();
        }
        let mut line = json!({
            "type": "user",
            "message": { "role": "user", "content": [result] },
            "parent_tool_use_id": by.map(|agent| &agent.call),
            "tool_use_result": output::of(&call, told),
            "uuid": ids::of_result(&told.id),
            "timestamp": self.shared.host.clock.now().to_rfc3339(),
        });
        if let Some(agent) = by {
            line["agent_id"] = agent.id.clone().into();
            line["subagent_type"] = agent.agent.clone().into();
        }
        self.push(line);
    }
}

/// One text is told as such.
fn content(parts: &[ResultPart]) -> Value {
    match parts {
        [ResultPart::Text { text }] => text.clone().into(),
        parts => serde_json::to_value(parts).unwrap_or_default(),
    }
}

/// The words of a result.
pub(super) fn text(parts: &[ResultPart]) -> String {
    let texts = parts.iter().filter_map(|part| match part {
        ResultPart::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}
