//! Chat documents, for editors with no other place to talk: a saved block whose lines begin with `>`
//! is a prompt, and its answer grows below it.

mod prompt;
mod writer;

use std::collections::HashMap;
use std::sync::Arc;

use protocol::prompt::Block;
use protocol::session::{SessionPromptParams, SessionPromptResult};
use workspace::DocumentUri;

use super::door::Door;
use super::rpc::{Reply, RpcResult};
use super::state::State;
use crate::session::Msg;

pub use writer::Writer;

/// Files by these names are chat documents, wherever they are.
const SUFFIX: &str = ".bowline.md";
/// And this one of a project's folder.
const IN_FOLDER: &str = ".bowline/chat.md";

pub fn is_chat(uri: &DocumentUri) -> bool {
    let Some(path) = uri.path() else { return false };
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(SUFFIX) || path.ends_with(IN_FOLDER)
}

/// The answers of one client that are to be written into documents.
#[derive(Default)]
pub struct Chats {
    /// By the message that asked.
    by_message: HashMap<String, Arc<Writer>>,
    /// By session: a prompt that has no message yet.
    unanswered: HashMap<String, Arc<Writer>>,
    /// What was asked last in each document, below how many answers: saving it again asks nothing,
    /// wherever it has moved.
    asked: HashMap<DocumentUri, (String, usize)>,
}

impl Chats {
    /// Where the answer to a message goes.
    pub fn writer(&self, session: &str, message: &str) -> Option<Arc<Writer>> {
        self.by_message.get(message).or_else(|| self.unanswered.get(session)).cloned()
    }

    pub fn done(&mut self, message: &str) {
        self.by_message.remove(message);
    }

    fn accepted(&mut self, session: &str, message: String, writer: Arc<Writer>) {
        self.unanswered.remove(session);
        self.by_message.insert(message, writer);
    }
}

impl State {
    /// A document was saved: if it is a chat and ends with a prompt, that is asked.
    pub(super) fn on_chat_saved(&mut self, door: &Arc<Door>, uri: &DocumentUri) {
        if door.profile().agent.version != 0 || !is_chat(uri) {
            return;
        }
        let snapshot = self.buffers.snapshot();
        let Some(document) = snapshot.by_uri(uri) else { return };
        let Some(asked) = prompt::at_end(&document.text.to_string()) else { return };
        let this = (asked.words.clone(), asked.answers);
        if door.chats().asked.insert(uri.clone(), this.clone()) == Some(this) {
            return;
        }
        let writer = Writer::start(self.core.clone(), door, document, asked.end);
        let content = vec![Block::text(asked.words)];
        let (own, answers) = (door.clone(), writer.clone());
        let (session_cell, named) = (Arc::new(std::sync::OnceLock::new()), door.clone());
        let told = session_cell.clone();
        let reply = Reply::new(move |result| {
            let session: Option<&String> = session_cell.get();
            accepted(&own, session.map_or("", String::as_str), result, answers);
        });
        self.tell_own_session(door, document.path.as_deref(), reply, |session, reply| {
            let _ = told.set(session.to_owned());
            named.chats().unanswered.insert(session.to_owned(), writer);
            let (session_id, delivery, client_message_id) = (session.to_owned(), None, None);
            let params = SessionPromptParams { session_id, content, delivery, client_message_id };
            Msg::Prompt { params, reply }
        });
    }
}

/// The session has the prompt, or does not want it.
fn accepted(door: &Door, session: &str, result: RpcResult, writer: Arc<Writer>) {
    let result = result.map(|raw| serde_json::from_str::<SessionPromptResult>(raw.get()));
    match result {
        Ok(Ok(prompt)) => door.chats().accepted(session, prompt.message_id, writer),
        Ok(Err(error)) => tracing::error!(%error, "the answer to a prompt cannot be read"),
        Err(error) => {
            door.chats().unanswered.remove(session);
            writer.push(&error.message);
            writer.end();
        }
    }
}
