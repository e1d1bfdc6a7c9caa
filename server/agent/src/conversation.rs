//! The conversation: what the journal says was said, ready to be sent.

mod rewind;

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
    /// The turns in order, each with the user's message that began it; never cut.
    timeline: Vec<(String, Option<String>)>,
    cuts: Vec<rewind::Cut>,
    /// What the model is to be told with the next message.
    notes: Vec<String>,
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
            Record::User { id, turn, content } => {
                self.mark_turn(turn, Some(id));
                self.forget_cuts();
                self.notes.clear();
                self.close_calls()?;
                self.push(Some(id), Role::User, content)?;
            }
            Record::Assistant { id, content, usage, .. } => {
                self.close_calls()?;
                self.open_calls = content.iter().filter_map(call_id).collect();
                self.context = usage.context();
                self.push(Some(id), Role::Assistant, content)?;
            }
            Record::Results { content, .. } => {
                let content = content.iter().filter(|block| self.is_wanted(block)).cloned();
                let content: Vec<_> = content.collect();
                self.push(None, Role::User, &content)?;
            }
            Record::Permission { turn, .. } => self.mark_turn(turn, None),
            Record::Note { text } => self.notes.push(text.clone()),
            Record::Rewound { to, token } => self.rewind(to, token),
            Record::Unrewound { token } => self.unrewind(token),
            Record::Inline { usage, cost_usd, .. } | Record::Judged { usage, cost_usd, .. } => {
                self.usage.add(*usage);
                self.cost_usd += cost_usd;
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
    fn push(
        &mut self,
        id: Option<&String>,
        role: Role,
        content: &[Block],
    ) -> Result<(), serde_json::Error> {
        if content.is_empty() {
            return Ok(());
        }
        self.entries.push(Entry { id: id.cloned(), role, piece: Piece::of(role, content)? });
        Ok(())
    }

    /// A result answers one open call, once; one that answers none (its call was lost with a
    /// damaged line) would be refused with everything that follows.
    fn is_wanted(&mut self, block: &Block) -> bool {
        let Block::ToolResult { tool_use_id, .. } = block else { return true };
        let open = self.open_calls.iter().position(|id| id == tool_use_id);
        open.map(|at| self.open_calls.remove(at)).is_some()
    }

    /// After a crash the last answer may have calls without results, which the API refuses. They
    /// are closed before anything else is said.
    fn close_calls(&mut self) -> Result<(), serde_json::Error> {
        let closed = std::mem::take(&mut self.open_calls).into_iter().map(|id| Block::ToolResult {
            tool_use_id: id,
            content: vec![ResultPart::Text { text: UNANSWERED.to_owned() }],
            is_error: true,
        });
        let closed: Vec<_> = closed.collect();
        self.push(None, Role::User, &closed)
    }

    /// The messages in the order they are sent.
    pub fn pieces(&self) -> Vec<Piece> {
        self.entries.iter().map(|entry| entry.piece.clone()).collect()
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the model is to be told with the next message.
    pub fn notes(&self) -> &[String] {
        &self.notes
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

    fn call(id: &str) -> Block {
        Block::ToolUse { id: id.into(), name: "Bash".into(), input: serde_json::json!({}) }
    }

    fn results(ids: &[&str]) -> Record {
        let result = |id: &&str| Block::ToolResult {
            tool_use_id: (*id).to_owned(),
            content: Vec::new(),
            is_error: false,
        };
        Record::Results { turn: "t".into(), content: ids.iter().map(result).collect() }
    }

    /// Every message as its blocks: `call c1`, `result c1`, or the text.
    fn shape(records: &[Record]) -> Vec<String> {
        let mut conversation = Conversation::default();
        for record in records {
            conversation.apply(record).unwrap();
        }
        let blocks = |entry: &Entry| {
            let blocks = entry.message().unwrap().content.into_iter().map(|block| match block {
                Block::ToolUse { id, .. } => format!("call {id}"),
                Block::ToolResult { tool_use_id, .. } => format!("result {tool_use_id}"),
                Block::Text { text } => text,
                _ => String::new(),
            });
            blocks.collect::<Vec<_>>().join(" ")
        };
        conversation.entries().iter().map(blocks).collect()
    }

    #[test]
    fn whatever_was_lost_every_call_has_one_result() {
        let calls = || assistant(vec![call("c1"), call("c2")]);
        // A crash before the results.
        let got = shape(&[calls(), user("on")]);
        assert_eq!(got, ["call c1 call c2", "result c1 result c2", "on"]);
        // The line with the results was damaged.
        let got = shape(&[calls(), assistant(vec![call("c3")]), results(&["c3"])]);
        assert_eq!(got, ["call c1 call c2", "result c1 result c2", "call c3", "result c3"]);
        // The line with the calls was.
        assert_eq!(shape(&[user("go"), results(&["c1"]), user("on")]), ["go", "on"]);
        // Some results twice, some never.
        let got = shape(&[calls(), results(&["c1", "c1"]), results(&["c1"]), user("on")]);
        assert_eq!(got, ["call c1 call c2", "result c1", "result c2", "on"]);
    }

    #[test]
    fn unknown_records_are_skipped() {
        let record: Record = serde_json::from_str(r#"{"type":"from_the_future","x":1}"#).unwrap();
        assert_eq!(record, Record::Unknown);
    }
}
