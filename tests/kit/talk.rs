//! What people do: open, type, ask, allow, refuse.

use protocol::Event;
use protocol::event::{EventBody, TurnEnded};
use protocol::permission::{OptionKind, PermissionAnswer, PermissionRequestParams};
use protocol::prompt::Block;
use protocol::session::{
    Delivery, SessionAttach, SessionAttachParams, SessionAttachResult, SessionCancel,
    SessionCancelParams, SessionCancelResult, SessionClose, SessionNew, SessionNewParams,
    SessionPrompt, SessionPromptParams, SessionPromptResult, SessionRef,
};
use protocol::snapshot::Role;
use protocol::tool::{ContentPart, ToolStatus};
use protocol::trust::{Trust, TrustDecision, TrustParams, TrustState, TrustStateParams};
use serde_json::{Value, json};

use crate::client::{Asked, Client};

/// A turn from its beginning to its end.
#[derive(Debug)]
pub struct Turned {
    pub ended: TurnEnded,
    pub events: Vec<Event>,
}

/// A call as it ended.
#[derive(Debug, PartialEq)]
pub struct Called {
    pub name: String,
    pub status: ToolStatus,
    pub text: String,
}

impl Turned {
    /// All that the model said, without what was taken back.
    pub fn text(&self) -> String {
        let taken_back = |id: &str| {
            self.events.iter().any(|event| match &event.body {
                EventBody::MessageRetracted(retracted) => retracted.message_id == id,
                _ => false,
            })
        };
        let deltas = self.events.iter().filter_map(|event| match &event.body {
            EventBody::MessageDelta(delta) if delta.role == Role::Assistant => Some(delta),
            _ => None,
        });
        let said = deltas.filter(|delta| !taken_back(&delta.message_id));
        said.map(|delta| delta.text.as_str()).collect()
    }

    /// The calls, in the order in which they began.
    pub fn calls(&self) -> Vec<Called> {
        let started = self.events.iter().filter_map(|event| match &event.body {
            EventBody::ToolStarted(started)
                if !matches!(started.name.as_str(), "InlineEdit" | "MagicDoc")
                    && started.parent_tool_call_id.is_none() =>
            {
                Some(started)
            }
            _ => None,
        });
        started.map(|call| self.called(&call.tool_call_id, &call.name)).collect()
    }

    /// The only call.
    pub fn call(&self) -> Called {
        let mut calls = self.calls();
        assert_eq!(calls.len(), 1, "{calls:?}");
        calls.remove(0)
    }

    fn called(&self, id: &str, name: &str) -> Called {
        let ended = self.events.iter().find_map(|event| match &event.body {
            EventBody::ToolEnded(ended) if ended.tool_call_id == id => Some(ended),
            _ => None,
        });
        let ended = ended.unwrap_or_else(|| panic!("{id} has no end"));
        let text = ended.content.iter().map(|part| match part {
            ContentPart::Text(text) => text.text.clone(),
            ContentPart::Output(output) => output.text.clone(),
            other => format!("{other:?}"),
        });
        let text = text.collect::<Vec<_>>().join("\n");
        Called { name: name.to_owned(), status: ended.status.clone(), text }
    }

    pub fn types(&self) -> Vec<&str> {
        self.events.iter().map(|event| event.body.name()).collect()
    }
}

impl Client {
    /// Trusts a folder with all that it shows.
    pub async fn trust(&mut self, cwd: &str) {
        let params = TrustStateParams { cwd: cwd.to_owned() };
        let state = self.request::<TrustState>(params).await;
        let shown = Some(state.items.into_iter().map(|item| item.hash).collect());
        let (cwd, decision) = (cwd.to_owned(), TrustDecision::Trust);
        self.request::<Trust>(TrustParams { cwd, decision, shown }).await;
    }

    /// Opens a document with this text, whatever the disk has.
    pub fn open(&mut self, uri: &str, text: &str) {
        let params = self.editor.open(uri, text);
        self.notify("textDocument/didOpen", params);
    }

    /// Selects the first `old` and types `new`.
    pub fn replace(&mut self, uri: &str, old: &str, new: &str) {
        let params = self.editor.replace(uri, old, new);
        self.notify("textDocument/didChange", params);
    }

    /// Types behind the first `place`.
    pub fn type_after(&mut self, uri: &str, place: &str, typed: &str) {
        let at = self.editor.text(uri).find(place).expect("a place to type at") + place.len();
        let params = self.editor.splice(uri, at..at, typed);
        self.notify("textDocument/didChange", params);
    }

    /// Writes a document to the disk, and says so.
    pub fn save(&mut self, uri: &str) {
        let path = std::path::Path::new(uri.strip_prefix("file://").expect("a file"));
        crate::files::write(path, self.editor.text(uri));
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri } }));
    }

    pub fn close_document(&mut self, uri: &str) {
        self.editor.close(uri);
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }

    pub async fn session(&mut self) -> String {
        self.session_with(SessionNewParams::default()).await
    }

    /// In the project's folder, unless another one is named.
    pub async fn session_with(&mut self, mut params: SessionNewParams) -> String {
        if params.cwd.is_empty() {
            params.cwd = self.root.display().to_string();
        }
        let made = self.request::<SessionNew>(params).await;
        self.laws.joined(&made.session_id, made.seq, None);
        made.session_id
    }

    pub async fn attach(&mut self, session: &str, since: Option<u64>) -> SessionAttachResult {
        let params = SessionAttachParams { session_id: session.to_owned(), since, cwd: None };
        let attached = self.request::<SessionAttach>(params).await;
        let session = &attached.session_id;
        match (&attached.snapshot, since) {
            (None, Some(since)) => self.laws.rejoined(session, since),
            (snapshot, _) => {
                let turn = snapshot.as_ref().and_then(|snapshot| snapshot.turn_id.as_deref());
                self.laws.joined(session, attached.seq, turn);
            }
        }
        for event in &attached.events {
            self.happened(event.clone());
        }
        attached
    }

    pub async fn close_session(&mut self, session: &str) {
        self.request::<SessionClose>(SessionRef { session_id: session.to_owned() }).await;
        self.laws.closed(session);
    }

    pub async fn prompt(&mut self, session: &str, text: &str) -> SessionPromptResult {
        self.deliver(session, text, None).await
    }

    pub async fn deliver(
        &mut self,
        session: &str,
        text: &str,
        delivery: Option<Delivery>,
    ) -> SessionPromptResult {
        self.request::<SessionPrompt>(SessionPromptParams {
            session_id: session.to_owned(),
            content: vec![Block::text(text)],
            delivery,
            client_message_id: None,
        })
        .await
    }

    /// Waits for the end of the turn that runs, or is about to.
    pub async fn turn_ended(&mut self, session: &str) -> Turned {
        let is_end = |event: &Event| {
            event.session_id == session && matches!(event.body, EventBody::TurnEnded(_))
        };
        let last = self.next_event("the end of the turn", is_end).await;
        let EventBody::TurnEnded(ended) = last.body else { unreachable!() };
        let started = self.log.iter().rposition(|event| {
            matches!(&event.body, EventBody::TurnStarted(started) if started.turn_id == ended.turn_id)
        });
        let of_turn = self.log[started.unwrap_or(0)..].iter();
        let of_turn = of_turn.filter(|event| event.session_id == session && event.seq <= last.seq);
        let events = of_turn.cloned().collect();
        Turned { ended, events }
    }

    /// A prompt and its whole turn, in which nothing is to be decided.
    pub async fn ask(&mut self, session: &str, text: &str) -> Turned {
        self.prompt(session, text).await;
        let turned = self.turn_ended(session).await;
        assert!(self.is_asked().is_none(), "nobody wanted to be asked: {:?}", self.is_asked());
        turned
    }

    pub async fn cancel(&mut self, session: &str) -> SessionCancelResult {
        let session_id = session.to_owned();
        let (turn_id, tool_call_id, task_id) = (None, None, None);
        let params = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
        self.request::<SessionCancel>(params).await
    }

    pub async fn permission(&mut self) -> (Asked, PermissionRequestParams) {
        self.expect_before_the_end("agent/permission/request").await
    }

    /// The next question of a turn, or `None` when the turn ends without one.
    pub async fn turn_or_question(
        &mut self,
        session: &str,
    ) -> Option<(Asked, PermissionRequestParams)> {
        self.request_or_end("agent/permission/request", session).await
    }

    /// Says yes in the first way that is offered.
    pub fn allow_first(&mut self, asked: Asked, request: &PermissionRequestParams) {
        let yes = request.options.iter().find(|option| option.kind == OptionKind::Allow).unwrap();
        self.choose(asked, &yes.id);
    }

    /// Waits for a notice that says this.
    pub async fn notice_with(&mut self, text: &str) {
        let says =
            |event: &Event| event.body.name() == "notice" && format!("{event:?}").contains(text);
        self.next_event("a notice", says).await;
    }

    pub fn allow(&mut self, asked: Asked) {
        self.choose(asked, "allow_once");
    }

    pub fn choose(&mut self, asked: Asked, option: &str) {
        self.answer(asked, json!({ "optionId": option }));
    }

    pub fn deny(&mut self, asked: Asked, feedback: Option<&str>) {
        let option_id = "deny_once".to_owned();
        let feedback = feedback.map(str::to_owned);
        let answer = PermissionAnswer { option_id, edited_input: None, feedback };
        self.answer(asked, serde_json::to_value(answer).unwrap());
    }

    /// Says no to every question that waits.
    pub fn deny_what_waits(&mut self) {
        while let Some(asked) = self.next_permission() {
            self.deny(asked, None);
        }
    }

    /// The message box of a plain client.
    pub async fn message_box(&mut self) -> (Asked, Value) {
        self.expect_before_the_end("window/showMessageRequest").await
    }

    /// A prompt from a client without our extension.
    pub async fn command(&mut self, command: &str, arguments: Value) -> Value {
        let params = json!({ "command": command, "arguments": arguments });
        self.call("workspace/executeCommand", params).await.unwrap()
    }
}

impl Client {
    /// The id of the first message of the user, as the events told it.
    pub fn first_message(&self) -> String {
        let started = self.log.iter().find_map(|event| match &event.body {
            EventBody::TurnStarted(started) => Some(started.message_id.clone()),
            _ => None,
        });
        started.expect("a turn has started")
    }
}
