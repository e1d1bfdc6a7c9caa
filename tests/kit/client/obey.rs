//! What an editor does by itself when the server asks: edits, its text, progress. What a
//! person decides is left to the test.

use serde_json::{Value, json};

use super::{Asked, Client, Out};
use crate::editor::{Applied, Batch, Editor};
use crate::profile::{Change, Unknown};

impl Client {
    pub(super) fn on_request(&mut self, method: &str, id: &Value, message: Value) {
        let custom = method.starts_with("agent/");
        assert!(self.profile.extension || !custom, "a plain client was asked {method}");
        if self.held.contains(&method) {
            return self.requests.push_back(message);
        }
        if self.forgets.contains(&method) {
            return self.forget(id);
        }
        let params = &message["params"];
        match method {
            "agent/editor/apply" | "workspace/applyEdit" => {
                assert!(!custom || !params["undoGroup"].as_str().unwrap().is_empty());
                self.apply(method, id, &params["edit"]);
            }
            "agent/editor/text" => {
                let uri = params["uri"].as_str().unwrap();
                let text =
                    json!({ "version": self.editor.version(uri), "text": self.editor.text(uri) });
                self.respond(id, "result", text);
            }
            "agent/editor/save" if self.saves => {
                let uris = params["uris"].clone();
                uris.as_array().unwrap().iter().for_each(|uri| self.save(uri.as_str().unwrap()));
                self.respond(id, "result", json!({ "saved": uris, "failed": [] }));
            }
            "workspace/codeLens/refresh" => {
                assert!(self.profile.lens_refresh);
                self.lens_refreshes += 1;
                self.respond(id, "result", Value::Null);
            }
            "client/registerCapability" if self.profile.pages => {
                self.respond(id, "result", Value::Null);
            }
            "window/workDoneProgress/create" => {
                assert!(self.profile.progress);
                self.respond(id, "result", Value::Null);
            }
            "agent/permission/request" | "agent/ask" | "window/showMessageRequest" => {
                self.requests.push_back(message);
            }
            _ => self.forget(id),
        }
    }

    /// What editors do with a request they do not know.
    fn forget(&mut self, id: &Value) {
        match self.profile.unknown {
            Unknown::Null => self.respond(id, "result", Value::Null),
            Unknown::MethodNotFound => {
                self.respond(id, "error", json!({ "code": -32601, "message": "Method not found" }));
            }
        }
    }

    pub(super) fn apply(&mut self, method: &str, id: &Value, edit: &Value) {
        let versioned = edit.get("documentChanges").is_some();
        assert_eq!(versioned, self.profile.versioned_edits || method.starts_with("agent/"));
        let done = self.editor.apply(edit);
        let answer = answer(method, &done);
        let order = if done.changes_first { Change::BeforeTheAnswer } else { self.profile.change };
        self.answer_with_changes(id, answer, order, done.changes);
    }

    /// Applies an edit that was held while the user types, and tells of all that in one message.
    pub fn apply_while_typing(
        &mut self,
        asked: Asked,
        params: &Value,
        batch: Batch,
        typing: impl FnOnce(&mut Editor, &str) -> Vec<Value>,
    ) {
        let uri = self.editor.edited(&params["edit"]);
        let before = self.editor.text(&uri).to_owned();
        let done = self.editor.apply(&params["edit"]);
        let answer = answer(&asked.method, &done);
        let mut changes = done.changes;
        changes.extend(typing(&mut self.editor, &uri));
        let change = self.editor.batch(batch, &uri, &before, &changes);
        self.answer_with_changes(&asked.id, answer, self.profile.change, vec![change]);
    }

    /// Answers an edit request that was held with what the editor did.
    pub fn answer_edit(&mut self, asked: &Asked, done: &Applied) {
        self.respond(&asked.id, "result", answer(&asked.method, done));
    }

    fn answer_with_changes(
        &mut self,
        id: &Value,
        answer: Value,
        order: Change,
        changes: Vec<Value>,
    ) {
        match order {
            Change::BeforeTheAnswer => {
                self.tell(changes);
                self.respond(id, "result", answer);
            }
            Change::AfterTheAnswer(later) => {
                self.respond(id, "result", answer);
                let _ = self.outgoing.send(Out::Pause(later));
                self.tell(changes);
            }
        }
    }

    fn tell(&self, changes: Vec<Value>) {
        for change in changes {
            self.notify("textDocument/didChange", change);
        }
    }
}

/// The answer to an edit request.
fn answer(method: &str, done: &Applied) -> Value {
    let why = if method == "workspace/applyEdit" { "failureReason" } else { "reason" };
    let mut answer = json!({ "applied": done.applied });
    if let Some(reason) = &done.reason {
        answer[why] = json!(reason);
    } else if method == "agent/editor/apply" {
        answer["versions"] = json!(done.versions);
    }
    answer
}
