//! What is on its way to the server.

use serde_json::{Map, Value, json};

use crate::server::frame;

/// Bytes that are written from the front while more come behind.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    bytes: Vec<u8>,
    written: usize,
}

impl Outgoing {
    pub(super) fn rest(&self) -> &[u8] {
        self.bytes.get(self.written..).unwrap_or_default()
    }

    pub(super) fn sent(&mut self, count: usize) {
        self.written = (self.written + count).min(self.bytes.len());
        // Moved only when more is gone than is left, so that a large text is not moved again and
        // again.
        if self.written > self.bytes.len() / 2 {
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    pub(super) fn push(&mut self, message: &Value) {
        self.bytes.extend(frame::encode(message));
    }

    pub(super) fn notify(&mut self, method: &str, params: Value) {
        self.call(None, method, params);
    }

    pub(super) fn request(&mut self, id: i64, method: &str, params: Value) {
        self.call(Some(id), method, params);
    }

    fn call(&mut self, id: Option<i64>, method: &str, params: Value) {
        let mut message = Map::new();
        message.insert("jsonrpc".into(), json!("2.0"));
        message.extend(id.map(|id| ("id".to_owned(), json!(id))));
        message.insert("method".into(), json!(method));
        // `shutdown` and `exit` have no parameters, which is not the same as null.
        if !params.is_null() {
            message.insert("params".into(), params);
        }
        self.push(&Value::Object(message));
    }
}
