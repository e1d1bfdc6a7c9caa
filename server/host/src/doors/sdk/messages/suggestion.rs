//! `prompt_suggestion`: a guess at what the user will say next, after the result.

use serde_json::json;

use super::Teller;

impl Teller {
    pub(super) fn on_suggestion(&mut self, text: &str) {
        self.push(json!({ "type": "prompt_suggestion", "suggestion": text }));
    }
}
