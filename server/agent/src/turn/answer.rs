//! One answer of the model while it streams in: blocks grow here until they are whole.

use serde_json::Value;

use super::{Effect, Shown};
use crate::journal::Record;
use crate::message::Block;
use crate::stream::{StopReason, StreamEvent};
use crate::usage::Usage;

#[derive(Default)]
pub(super) struct Answer {
    message_id: String,
    turn: String,
    /// Who was asked, and who answered by its own account.
    asked: String,
    model: String,
    /// A person has seen something of it.
    shown: bool,
    /// Some of its blocks are in the journal.
    recorded: bool,
    pub(super) usage: Usage,
    /// By the provider's index; `None` is a block that was dropped or never started.
    blocks: Vec<Option<Growing>>,
}

#[derive(Clone)]
enum Growing {
    Text { text: String, ended: bool },
    Thinking { thinking: String, signature: String, ended: bool },
    Tool { id: String, name: String, json: String, input: Option<Value> },
    Opaque(Value),
}

/// A call whose input has arrived whole, or is broken for good.
pub(super) struct WrittenCall {
    /// Which block of the answer it is.
    pub(super) index: usize,
    pub(super) id: String,
    pub(super) name: String,
    pub(super) input: Result<Value, String>,
}

impl Answer {
    pub(super) fn new(turn: &str, number: u32, asked: &str) -> Self {
        let (turn, asked) = (turn.to_owned(), asked.to_owned());
        let message_id = format!("{turn}.{number}");
        Self { message_id, turn, model: asked.clone(), asked, ..Self::default() }
    }

    pub(super) fn id(&self) -> &str {
        &self.message_id
    }

    /// The id under which a person has seen something of it.
    pub(super) fn into_shown(self) -> Option<String> {
        self.shown.then_some(self.message_id)
    }

    pub(super) fn is_recorded(&self) -> bool {
        self.recorded
    }

    /// The words of the answer, without thoughts and calls.
    pub(super) fn text(&self) -> String {
        let texts = self.blocks.iter().flatten().filter_map(|block| match block {
            Growing::Text { text, .. } => Some(text.as_str()),
            _ => None,
        });
        texts.collect()
    }

    /// Takes a stream event; returns a call when one is complete.
    pub(super) fn on(
        &mut self,
        event: StreamEvent,
        effects: &mut Vec<Effect>,
    ) -> Option<WrittenCall> {
        let message_id = || self.message_id.clone();
        let (index, block, shown) = match event {
            StreamEvent::Started { model, usage } => {
                self.model = model;
                self.usage.update(usage);
                return None;
            }
            StreamEvent::TextStarted { index } => {
                let shown = Shown::MessageStarted { message_id: message_id() };
                (index, Growing::Text { text: String::new(), ended: false }, Some(shown))
            }
            StreamEvent::ThinkingStarted { index } => {
                let shown = Shown::ThoughtStarted { message_id: message_id() };
                let (thinking, signature) = Default::default();
                (index, Growing::Thinking { thinking, signature, ended: false }, Some(shown))
            }
            StreamEvent::ToolStarted { index, id, name } => {
                let id = self.free_id(id);
                let shown = Shown::ToolStarted { id: id.clone(), name: name.clone() };
                (index, Growing::Tool { id, name, json: String::new(), input: None }, Some(shown))
            }
            StreamEvent::Opaque { index, block } => (index, Growing::Opaque(block), None),
            StreamEvent::BlockEnded { index } => return self.end_block(index, effects),
            delta => {
                self.grow(delta, effects);
                return None;
            }
        };
        // A block that has begun cannot begin again: it may be a call that already runs. And a
        // provider that numbers its blocks wildly must not make us allocate wildly.
        if index >= self.blocks.len() {
            self.shown |= shown.is_some();
            effects.extend(shown.map(Effect::Show));
            let complete = matches!(block, Growing::Opaque(_));
            self.blocks.push(Some(block));
            if complete {
                self.record_block(self.blocks.len() - 1, effects);
            }
        }
        None
    }

    /// A block is complete: first it is recorded, then those who watch are told.
    fn end_block(&mut self, index: usize, effects: &mut Vec<Effect>) -> Option<WrittenCall> {
        let block = self.blocks.get_mut(index)?.as_mut()?;
        let (shown, call) = block.end(index, &self.message_id)?;
        self.record_block(index, effects);
        effects.extend(shown.map(Effect::Show));
        call
    }

    /// What would not be part of the answer's own record is not recorded.
    fn record_block(&mut self, index: usize, effects: &mut Vec<Effect>) {
        let block = self.blocks.get(index).and_then(Option::as_ref);
        let Some(block) = block.filter(|block| !block.is_blank() && !block.is_unsealed()) else {
            return;
        };
        self.recorded = true;
        effects.push(Effect::Journal(Record::AnswerBlock {
            id: self.message_id.clone(),
            turn: self.turn.clone(),
            model: self.model.clone(),
            asked: Some(self.asked.clone()).filter(|asked| *asked != self.model),
            index,
            block: block.clone().into_block(),
        }));
    }

    /// Two calls of one answer under one id would be taken for one: by clients, and by us when a
    /// result comes. The later one gets a number.
    pub(super) fn free_id(&self, id: String) -> String {
        let is_taken = |wanted: &str| {
            self.blocks.iter().flatten().any(|block| match block {
                Growing::Tool { id, .. } => id == wanted,
                _ => false,
            })
        };
        let numbered = (2..).map(|number: usize| format!("{id}-{number}"));
        let mut ids = std::iter::once(id.clone()).chain(numbered);
        ids.find(|id| !is_taken(id)).unwrap_or(id)
    }

    fn grow(&mut self, event: StreamEvent, effects: &mut Vec<Effect>) {
        let index = match &event {
            StreamEvent::TextDelta { index, .. }
            | StreamEvent::ThinkingDelta { index, .. }
            | StreamEvent::Signature { index, .. }
            | StreamEvent::InputDelta { index, .. } => *index,
            _ => return,
        };
        let message_id = &self.message_id;
        let Some(block) = self.blocks.get_mut(index).and_then(Option::as_mut) else { return };
        match (block, event) {
            (Growing::Text { text, ended: false }, StreamEvent::TextDelta { text: more, .. }) => {
                text.push_str(&more);
                let message_id = message_id.clone();
                effects.push(Effect::Show(Shown::MessageDelta { message_id, text: more }));
            }
            (
                Growing::Thinking { thinking, ended: false, .. },
                StreamEvent::ThinkingDelta { text: more, .. },
            ) => {
                thinking.push_str(&more);
                let message_id = message_id.clone();
                effects.push(Effect::Show(Shown::ThoughtDelta { message_id, text: more }));
            }
            (
                Growing::Thinking { signature, .. },
                StreamEvent::Signature { signature: more, .. },
            ) => signature.push_str(&more),
            (
                Growing::Tool { id, json, input: None, .. },
                StreamEvent::InputDelta { json: more, .. },
            ) => {
                json.push_str(&more);
                effects.push(Effect::Show(Shown::ToolInput { id: id.clone(), json: more }));
            }
            _ => {}
        }
    }

    /// Ends the blocks the provider left open, at the regular end of an answer, and returns the
    /// ids of calls that were never finished.
    pub(super) fn close(&mut self, effects: &mut Vec<Effect>) -> Vec<String> {
        self.end_open_blocks(effects);
        let dropped = self.drop_unwritten_calls();
        self.drop_unsealed_end();
        dropped
    }

    /// An answer that ran out of tokens while thinking ends in thinking without its seal, which
    /// the provider would refuse with every later request. It led to nothing, so it goes.
    fn drop_unsealed_end(&mut self) {
        for slot in self.blocks.iter_mut().rev() {
            match slot {
                Some(block) if block.is_unsealed() => *slot = None,
                Some(block) if !block.is_blank() => break,
                _ => {}
            }
        }
    }

    /// The answer will not be finished: keeps whole blocks and text, and returns the ids of calls
    /// that were still being written. Thinking without its seal cannot be replayed, so it goes.
    pub(super) fn abandon(&mut self, effects: &mut Vec<Effect>) -> Vec<String> {
        self.end_open_blocks(effects);
        for slot in &mut self.blocks {
            if slot.as_ref().is_some_and(Growing::is_unsealed) {
                *slot = None;
            }
        }
        self.drop_unwritten_calls()
    }

    fn end_open_blocks(&mut self, effects: &mut Vec<Effect>) {
        for index in 0..self.blocks.len() {
            if self.blocks[index].as_ref().is_some_and(|block| !block.is_call()) {
                self.end_block(index, effects);
            }
        }
    }

    fn drop_unwritten_calls(&mut self) -> Vec<String> {
        let mut dropped = Vec::new();
        for slot in &mut self.blocks {
            if let Some(Growing::Tool { id, input: None, .. }) = slot {
                dropped.push(std::mem::take(id));
                *slot = None;
            }
        }
        dropped
    }

    pub(super) fn has_content(&self) -> bool {
        self.blocks.iter().flatten().any(|block| !block.is_blank())
    }

    pub(super) fn into_record(self, stop_reason: Option<StopReason>) -> Record {
        let whole = self.blocks.into_iter().flatten().filter(|block| !block.is_blank());
        let content = whole.map(Growing::into_block).collect();
        let Self { message_id: id, turn, asked, model, usage, .. } = self;
        let asked = Some(asked).filter(|asked| *asked != model);
        Record::Assistant { id, turn, model, asked, content, stop_reason, usage }
    }
}

impl Growing {
    /// The API refuses empty text, so an empty block is as good as none.
    fn is_blank(&self) -> bool {
        matches!(self, Growing::Text { text, .. } if text.trim().is_empty())
    }

    fn is_call(&self) -> bool {
        matches!(self, Growing::Tool { .. })
    }

    /// Thinking without its seal cannot be replayed.
    fn is_unsealed(&self) -> bool {
        matches!(self, Growing::Thinking { signature, .. } if signature.is_empty())
    }

    /// What is shown of its end, and the call that it is; nothing when it had ended before.
    fn end(
        &mut self,
        index: usize,
        message_id: &str,
    ) -> Option<(Option<Shown>, Option<WrittenCall>)> {
        let message_id = || message_id.to_owned();
        match self {
            Growing::Text { ended: ended @ false, .. } => {
                *ended = true;
                Some((Some(Shown::MessageEnded { message_id: message_id() }), None))
            }
            Growing::Thinking { ended: ended @ false, .. } => {
                *ended = true;
                Some((Some(Shown::ThoughtEnded { message_id: message_id() }), None))
            }
            Growing::Tool { id, name, json, input: input @ None } => {
                let parsed = parse_input(json);
                // The model is shown an empty object for what it could not write.
                *input = Some(parsed.clone().unwrap_or_else(|_| Value::Object(Default::default())));
                let call = WrittenCall { index, id: id.clone(), name: name.clone(), input: parsed };
                Some((None, Some(call)))
            }
            _ => None,
        }
    }

    fn into_block(self) -> Block {
        match self {
            Growing::Text { text, .. } => Block::Text { text },
            Growing::Thinking { thinking, signature, .. } => {
                Block::Thinking { thinking, signature }
            }
            Growing::Tool { id, name, input, .. } => {
                Block::ToolUse { id, name, input: input.unwrap_or_default() }
            }
            Growing::Opaque(block) => Block::Other(block),
        }
    }
}

/// No text at all is how a call without arguments looks on the wire.
fn parse_input(json: &str) -> Result<Value, String> {
    if json.trim().is_empty() {
        return Ok(Value::Object(Default::default()));
    }
    match serde_json::from_str(json) {
        Ok(Value::Object(object)) => Ok(Value::Object(object)),
        Ok(_) => Err("it is not an object".to_owned()),
        Err(error) => Err(error.to_string()),
    }
}
