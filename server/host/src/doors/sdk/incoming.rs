//! What the host may say: one message a line.

use serde_json::Value;

pub(super) enum Incoming {
    /// Something to be done, and answered.
    Request {
        id: Value,
        subtype: String,
        request: Value,
    },
    /// The answer to something we asked.
    Answer {
        id: String,
        answer: Result<Value, String>,
    },
    /// The host does not want this answer any more.
    Cancel {
        id: String,
    },
    User(Value),
    /// Nothing to do about it.
    Nothing,
}

impl Incoming {
    /// The error is a sentence about the line.
    pub(super) fn read(line: &str) -> Result<Incoming, String> {
        let mut message: Value = serde_json::from_str(line)
            .map_err(|error| format!("A line of standard input is not JSON ({error})."))?;
        let kind = message["type"].as_str().unwrap_or_default().to_owned();
        let text = |value: &Value| value.as_str().map(str::to_owned);
        Ok(match kind.as_str() {
            "user" => Incoming::User(message),
            "control_request" => {
                let subtype = text(&message["request"]["subtype"]).unwrap_or_default();
                let id = message["request_id"].take();
                Incoming::Request { id, subtype, request: message["request"].take() }
            }
            "control_response" => {
                let response = &mut message["response"];
                let id =
                    text(&response["request_id"]).ok_or("A control_response has no request_id.")?;
                let answer = match response["subtype"].as_str() {
                    Some("success") => Ok(response["response"].take()),
                    _ => Err(text(&response["error"]).unwrap_or_default()),
                };
                Incoming::Answer { id, answer }
            }
            "control_cancel_request" => {
                let id = message["request_id"].as_str();
                Incoming::Cancel { id: id.unwrap_or_default().to_owned() }
            }
            "keep_alive" => Incoming::Nothing,
            "" => return Err("A line of standard input has no type.".to_owned()),
            other => {
                tracing::debug!(kind = other, "a message of the host is not known");
                Incoming::Nothing
            }
        })
    }
}
