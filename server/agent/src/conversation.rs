//! The conversation: what the journal says was said, ready to be sent.
//!
//! Whatever a journal holds, what comes out is a conversation that every provider takes: calls have
//! their results and results their calls, roles take turns, and nothing is blank, unsigned or
//! damaged. That is seen to once, when a record is applied, so that a request costs nothing but the
//! list of its messages.

mod calls;
mod clean;
mod compact;
mod held;
mod media;
mod noted;
mod partial;
mod rewind;
mod sent;
mod snip;
#[cfg(test)]
mod tests;

use crate::journal::Record;
use crate::message::{Block, Message, Role};
use crate::request::Piece;
use crate::spending::Spending;
use crate::stream::StopReason;
use crate::tokens;

use calls::OpenCalls;
use held::Held;
pub use held::{CLEARED, Clearable};
pub use partial::PartialAnswer;
use sent::{Author, Sent};

/// Built by applying records, live and on replay alike, so that both give the same bytes.
#[derive(Clone, Debug, Default)]
pub struct Conversation {
    entries: Vec<Entry>,
    /// The same, as messages.
    sent: Sent,
    calls: OpenCalls,
    spent: Spending,
    /// Who answered last: an older journal does not say whose a turn's tokens were.
    answered_by: String,
    /// How full the window was at the last answer, in tokens.
    context: u64,
    /// What was added since then, roughly.
    since: u64,
    /// Results that could be cleared.
    held: Vec<Held>,
    turns: u32,
    /// The turns in order, each with the user's message that began it; never cut.
    timeline: Vec<(String, Option<String>)>,
    cuts: Vec<rewind::Cut>,
    /// What the model is to be told with the next message.
    notes: Vec<String>,
    /// The last message that the notes on the session cover.
    noted: Option<String>,
    interrupted: Option<Interrupted>,
    /// What was recorded of the answer that still streams.
    partial: PartialAnswer,
}

/// One record as it is sent, with what shows where it came from.
#[derive(Clone, Debug)]
pub struct Entry {
    /// `None` for what the journal gave no id (tool results).
    pub id: Option<String>,
    pub role: Role,
    piece: Piece,
    /// Who thought what is thought here.
    author: Option<Author>,
    has_media: bool,
    has_calls: bool,
    has_results: bool,
    /// All of its results are errors.
    has_failed: bool,
    /// Roughly.
    tokens: u64,
}

impl Entry {
    pub fn message(&self) -> Result<Message, serde_json::Error> {
        self.piece.message()
    }

    pub fn has_calls(&self) -> bool {
        self.has_calls
    }

    pub fn has_results(&self) -> bool {
        self.has_results
    }

    pub fn has_failed(&self) -> bool {
        self.has_failed
    }

    pub fn tokens(&self) -> u64 {
        self.tokens
    }
}

/// Where a turn was when its session broke off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interrupted {
    /// The prompt has no answer.
    Prompt,
    /// In the middle of the work.
    Work,
}

const LOST: &str = "[The beginning of this conversation was lost.]";

impl Conversation {
    /// Adds what a record says. Only a record that cannot be serialised fails, which a record that
    /// was just read or built cannot.
    pub fn apply(&mut self, record: &Record) -> Result<(), serde_json::Error> {
        for earlier in self.partial.take(record) {
            self.apply_recovered(&earlier)?;
        }
        self.apply_one(record)
    }

    /// For the end of a journal that nobody writes to any more: what was recorded in parts becomes
    /// whole, and calls without a result get one that says so. Returns the records that say the
    /// same, to be written before anything else is.
    pub fn settle(&mut self) -> Result<Vec<Record>, serde_json::Error> {
        let mut recovered = self.partial.flush();
        for record in &recovered {
            self.apply_recovered(record)?;
        }
        let content = self.calls.unanswered();
        if !content.is_empty() {
            let (turn, _) = self.timeline.last().cloned().unwrap_or_default();
            let record = Record::Results { turn, content };
            self.apply_one(&record)?;
            recovered.push(record);
        }
        Ok(recovered)
    }

    /// Nobody has counted the tokens of an answer that was never whole.
    fn apply_recovered(&mut self, record: &Record) -> Result<(), serde_json::Error> {
        let context = self.context;
        self.apply_one(record)?;
        self.context = context;
        Ok(())
    }

    fn apply_one(&mut self, record: &Record) -> Result<(), serde_json::Error> {
        match record {
            Record::User { id, turn, content } => {
                self.mark_turn(turn, Some(id));
                self.forget_cuts();
                self.notes.clear();
                self.interrupted = Some(Interrupted::Prompt);
                self.add_user(Some(id), content)?;
            }
            Record::Assistant { id, model, asked, content, stop_reason, usage, .. } => {
                self.interrupted = Some(Interrupted::Work);
                (self.context, self.since) = (usage.context(), 0);
                asked.as_ref().unwrap_or(model).clone_into(&mut self.answered_by);
                let names = std::iter::once(model).chain(asked).cloned().collect();
                let paused = *stop_reason == Some(StopReason::PauseTurn);
                self.add_answer(id, content, names, paused)?;
            }
            Record::Results { content, .. } => {
                self.interrupted = Some(Interrupted::Work);
                self.add_user(None, content)?;
            }
            Record::AnswerBlock { .. } | Record::CallResult { .. } => {
                self.interrupted = Some(Interrupted::Work);
            }
            Record::MediaStripped { .. } => self.strip_media()?,
            Record::Snipped { answers, shortened } => self.snip(answers, shortened)?,
            Record::Cleared { calls, .. } => self.clear_results(calls)?,
            Record::Compacted { id, content, kept, after, model, usage, cost_usd, .. } => {
                self.spent.add_paid(model, *usage, *cost_usd);
                self.compact(id, content, *kept, *after)?;
            }
            Record::Permission { turn, .. } => self.mark_turn(turn, None),
            Record::Noted { until } => self.noted = Some(until.clone()),
            Record::Note { text } => self.notes.push(text.clone()),
            Record::Rewound { to, token } => self.rewind(to, token),
            Record::Unrewound { token } => self.unrewind(token),
            Record::Inline { model, usage, cost_usd, .. }
            | Record::Judged { model, usage, cost_usd, .. }
            | Record::Helped { model, usage, cost_usd, .. } => {
                self.spent.add_paid(model, *usage, *cost_usd);
            }
            Record::TurnEnded { usage, cost_usd, models, .. } => {
                self.interrupted = None;
                match models.is_empty() {
                    true => self.spent.add_paid(&self.answered_by, *usage, *cost_usd),
                    false => self.spent.merge(models),
                }
                self.turns += 1;
            }
            _ => {}
        }
        Ok(())
    }

    /// Results come first, those of a user's message too; then what is said. Calls that nobody
    /// answered are closed before anything else is said.
    fn add_user(
        &mut self,
        id: Option<&String>,
        content: &[Block],
    ) -> Result<(), serde_json::Error> {
        let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
        let results = content.iter().filter(|block| is_result(block));
        let mut results: Vec<_> = results.filter_map(|block| self.calls.answer(block)).collect();
        let said: Vec<_> = content.iter().filter(|block| !is_result(block)).collect();
        let said = clean::said(&said);
        if id.is_some() || !said.is_empty() {
            results.extend(self.calls.close());
        }
        self.push(None, Role::User, &results, None)?;
        self.push(id, Role::User, &said, None)
    }

    fn add_answer(
        &mut self,
        id: &String,
        content: &[Block],
        names: Vec<String>,
        paused: bool,
    ) -> Result<(), serde_json::Error> {
        let closed: Vec<_> = self.calls.close().collect();
        self.push(None, Role::User, &closed, None)?;
        let mut content = clean::answer(content, paused);
        self.calls.open(&mut content);
        let author = Author::of(names, &content)?;
        if self.entries.is_empty() && !content.is_empty() {
            self.push(None, Role::User, &[Block::text(LOST)], None)?;
        }
        self.push(Some(id), Role::Assistant, &content, author)
    }

    /// An empty message would be refused by every provider, for this and all later requests.
    fn push(
        &mut self,
        id: Option<&String>,
        role: Role,
        content: &[Block],
        author: Option<Author>,
    ) -> Result<(), serde_json::Error> {
        if content.is_empty() {
            return Ok(());
        }
        let (piece, has_media) = (Piece::of(role, content)?, media::any(content));
        let is_result = |block: &Block| matches!(block, Block::ToolResult { .. });
        let works = |block: &Block| matches!(block, Block::ToolResult { is_error: false, .. });
        let has_results = content.iter().any(is_result);
        self.entries.push(Entry {
            id: id.cloned(),
            role,
            piece,
            author,
            has_media,
            has_calls: content.iter().any(|block| matches!(block, Block::ToolUse { .. })),
            has_results,
            has_failed: has_results && !content.iter().any(works),
            tokens: tokens::of_blocks(content),
        });
        self.sent.add(&self.entries);
        self.hold_at(self.entries.len() - 1, content);
        if role == Role::User {
            self.since += tokens::of_blocks(content);
        }
        Ok(())
    }

    /// The messages in the order they are sent to a model. What another one thought is left out:
    /// it is sealed for that one alone.
    pub fn pieces(&self, model: &str) -> Vec<Piece> {
        self.sent.pieces(&self.entries, model)
    }

    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// What the model is to be told with the next message.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Adds to the notes what need not be in the journal, because it follows from it.
    pub fn note(&mut self, text: impl Into<String>) {
        self.notes.push(text.into());
    }

    /// How the last turn was left, when it has no end.
    pub fn interrupted(&self) -> Option<Interrupted> {
        self.interrupted
    }

    /// Over all turns that ended, and what was asked beside them.
    pub fn spent(&self) -> &Spending {
        &self.spent
    }

    pub fn cost_usd(&self) -> f64 {
        self.spent.cost_usd()
    }

    pub fn context(&self) -> u64 {
        self.context
    }

    pub fn turns(&self) -> u32 {
        self.turns
    }
}
