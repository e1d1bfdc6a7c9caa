//! The conversation: what the journal says was said, ready to be sent.

use std::collections::HashSet;

use crate::journal::Record;
use crate::message::{Block, Message, ResultPart, Role};
use crate::request::Piece;
use crate::usage::Usage;

/// Built by applying records, live and on replay alike, so that both give the same bytes.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    entries: Vec<Entry>,
    /// Calls of the last answer that have no result yet.
    open_calls: Vec<String>,
    usage: Usage,
    cost_usd: f64,
    /// How full the window was at the last answer, in tokens.
    context: u64,
    turns: u32,
}

/// One message as it is sent, with what shows where it came from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `None` for messages the journal gave no id (tool results).
    pub id: Option<String>,
    pub role: Role,
    piece: Piece,
}

impl Entry {
    pub fn message(&self) -> Result<Message, serde_json::Error> {
        self.piece.message()
    }
}

const UNANSWERED: &str = "The session ended before this call finished; its result is unknown.";

impl Conversation {
    /// Adds what a record says. Only a record that cannot be serialised fails, which a record that
    /// was just read or built cannot.
    pub fn apply(&mut self, record: &Record) -> Result<(), serde_json::Error> {
        match record {
            Record::User { id, content, .. } => {
                self.push(Some(id), Message::user(content.clone()))?;
            }
            Record::Assistant { id, content, usage, .. } => {
                self.open_calls = content.iter().filter_map(call_id).collect();
                self.context = usage.context();
                self.push(Some(id), Message::assistant(content.clone()))?;
            }
            Record::Results { content, .. } => {
                let answered: HashSet<_> = content.iter().filter_map(answered_id).collect();
                self.open_calls.retain(|id| !answered.contains(id.as_str()));
                self.push(None, Message::user(content.clone()))?;
            }
            Record::TurnEnded { usage, cost_usd, .. } => {
                self.usage.add(*usage);
                self.cost_usd += cost_usd;
                self.turns += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// An empty message would be refused by every provider, for this and all later requests.
    fn push(&mut self, id: Option<&String>, message: Message) -> Result<(), serde_json::Error> {
        if message.content.is_empty() {
            return Ok(());
        }
        let entry = Entry { id: id.cloned(), role: message.role, piece: Piece::new(&message)? };
        self.entries.push(entry);
        Ok(())
    }

    /// After a crash the last answer may have calls without results, which the API refuses. The
    /// record returned closes them; it is journalled before the next prompt.
    pub fn repair(&self, turn: &str) -> Option<Record> {
        if self.open_calls.is_empty() {
            return None;
        }
        let result = |id: &String| Block::ToolResult {
            tool_use_id: id.clone(),
            content: vec![ResultPart::Text { text: UNANSWERED.to_owned() }],
            is_error: true,
        };
        let content = self.open_calls.iter().map(result).collect();
        Some(Record::Results { turn: turn.to_owned(), content })
    }

    /// The messages in the order they are sent.
    pub fn pieces(&self) -> Vec<Piece> {
        self.entries.iter().map(|entry| entry.piece.clone()).collect()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Over all turns that ended.
    pub fn usage(&self) -> Usage {
        self.usage
    }

    pub fn cost_usd(&self) -> f64 {
        self.cost_usd
    }

    pub fn context(&self) -> u64 {
        self.context
    }

    pub fn turns(&self) -> u32 {
        self.turns
    }
}

fn call_id(block: &Block) -> Option<String> {
    match block {
        Block::ToolUse { id, .. } => Some(id.clone()),
        _ => None,
    }
}

fn answered_id(block: &Block) -> Option<&str> {
    match block {
        Block::ToolResult { tool_use_id, .. } => Some(tool_use_id),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(text: &str) -> Record {
        Record::User { id: "u".into(), turn: "t".into(), content: vec![Block::text(text)] }
    }

    fn assistant(content: Vec<Block>) -> Record {
        let usage = Usage { input_tokens: 5, output_tokens: 7, ..Usage::default() };
        let (id, turn, model) = ("a".into(), "t".into(), "m".into());
        Record::Assistant { id, turn, model, content, stop_reason: None, usage }
    }

    #[test]
    fn replay_gives_the_same_bytes() {
        let input = serde_json::json!({"z": 1, "a": [1.5, "ü"]});
        let call = Block::ToolUse { id: "c1".into(), name: "Read".into(), input };
        let records = [user("hi"), assistant(vec![Block::text("ok"), call])];
        let mut live = Conversation::default();
        let mut replayed = Conversation::default();
        for record in &records {
            live.apply(record).unwrap();
            let line = serde_json::to_string(record).unwrap();
            replayed.apply(&serde_json::from_str(&line).unwrap()).unwrap();
        }
        let bytes = |conversation: &Conversation| {
            let pieces = conversation.pieces();
            pieces.iter().map(|piece| piece.json().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(bytes(&live), bytes(&replayed));
        assert_eq!(live.context(), 12);
    }

    #[test]
    fn a_crash_leaves_no_call_unanswered() {
        let call = |id: &str| Block::ToolUse {
            id: id.into(),
            name: "Bash".into(),
            input: serde_json::json!({}),
        };
        let mut conversation = Conversation::default();
        conversation.apply(&assistant(vec![call("c1"), call("c2")])).unwrap();
        let Some(repair @ Record::Results { .. }) = conversation.repair("t") else { panic!() };
        conversation.apply(&repair).unwrap();
        assert_eq!(conversation.repair("t"), None);
        assert_eq!(conversation.entries().len(), 2);
    }

    #[test]
    fn unknown_records_are_skipped() {
        let record: Record = serde_json::from_str(r#"{"type":"from_the_future","x":1}"#).unwrap();
        assert_eq!(record, Record::Unknown);
    }
}
