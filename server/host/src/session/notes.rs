//! What the model is told besides what the user says: that a change of its was rejected. It is in
//! the journal at once, and goes out with the next message.

use agent::turn::Input;
use agent::{Block, Record};

use super::{AnswerSchema, Session};

/// How the messages of a turn that are only notes are called.
const NOTE: &str = "note";

impl Session {
    /// Notes that wait, as blocks in front of what is said next.
    pub(super) fn notes(&self) -> Vec<Block> {
        let schema = self.limits.schema.as_ref().map(AnswerSchema::instruction);
        let notes = self.conversation.notes().iter().map(String::as_str).chain(schema.as_deref());
        notes.map(|note| Block::text(tools::reminder(note))).collect()
    }

    /// Something new to tell. A running turn learns of it with its next results.
    pub(super) async fn on_note(&mut self, text: String) {
        let content = vec![Block::text(tools::reminder(&text))];
        if let Err(error) = self.journal(&Record::Note { text }) {
            tracing::error!(%error, "a note to the model could not be journalled");
        }
        if self.running.is_some() {
            let message_id = self.next_id(NOTE);
            self.feed(Input::Steer { message_id, content }).await;
        }
    }
}
