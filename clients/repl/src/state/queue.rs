//! The prompts that wait at the server.

use protocol::prompt::Block;
use protocol::session::QueuedPrompt;

#[derive(Debug, Default)]
pub(crate) struct Queue {
    prompts: Vec<Waiting>,
    /// They were there before us, and wait for a word of ours.
    from_before: bool,
    /// A turn has run since we joined.
    ran: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Waiting {
    pub id: String,
    pub text: String,
}

impl Queue {
    pub fn update(&mut self, queue: &[QueuedPrompt], running: bool) {
        self.prompts = queue.iter().map(waiting).collect();
        self.from_before = !running && !self.ran;
    }

    /// A turn begins: what waits comes after it.
    pub fn taken_up(&mut self) {
        (self.from_before, self.ran) = (false, true);
    }

    pub fn is_empty(&self) -> bool {
        self.prompts.is_empty()
    }

    /// The server will take up the next one by itself.
    pub fn goes_on(&self) -> bool {
        !self.prompts.is_empty() && !self.from_before
    }

    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.prompts.iter().map(|prompt| prompt.text.as_str())
    }

    /// The prompt with this number, counted from one as the list shows it.
    pub fn numbered(&self, number: usize) -> Option<&Waiting> {
        self.prompts.get(number.checked_sub(1)?)
    }
}

pub(crate) fn waiting(prompt: &QueuedPrompt) -> Waiting {
    let text = prompt.content.iter().find_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    Waiting { id: prompt.message_id.clone(), text: text.unwrap_or("(attachment)").to_owned() }
}
