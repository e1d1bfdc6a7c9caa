//! What the user has said in a session: the points one can go back to, and the rewinds that can
//! be taken back.

use std::collections::HashMap;

use protocol::session::RewindWhat;

#[derive(Debug, Default)]
pub(crate) struct Said {
    /// The oldest first.
    messages: Vec<Message>,
    /// How many messages stood when a tool call began.
    calls: HashMap<String, usize>,
    /// When messages came, also those that a rewind has cut off.
    times: HashMap<String, u64>,
    /// What takes rewinds back, the newest last, and what went back.
    rewinds: Vec<(String, RewindWhat)>,
}

/// One message of the user.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    pub id: String,
    pub text: String,
    /// When, in milliseconds since 1970 UTC.
    pub at: Option<u64>,
}

impl Message {
    /// Its first line that says something.
    pub fn line(&self) -> &str {
        self.text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("(no text)")
    }
}

impl Said {
    /// A message that is in the conversation, once.
    pub fn add(&mut self, id: &str, text: &str, at: Option<u64>) {
        if self.find(id).is_some() {
            return;
        }
        if let Some(at) = at {
            self.times.entry(id.to_owned()).or_insert(at);
        }
        let at = self.times.get(id).copied();
        self.messages.push(Message { id: id.to_owned(), text: text.to_owned(), at });
    }

    /// A tool call began: it belongs to the last message.
    pub fn call(&mut self, id: &str) {
        self.calls.insert(id.to_owned(), self.messages.len());
    }

    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    pub fn find(&self, id: &str) -> Option<&Message> {
        self.messages.iter().rev().find(|message| message.id == id)
    }

    /// The place of the message that led to a call.
    pub fn before_call(&self, call: &str) -> Option<usize> {
        self.calls.get(call)?.checked_sub(1)
    }

    /// The session went back; false when this rewind is known already. The answer to a rewind and
    /// the event about it tell the same, in either order.
    pub fn rewound(&mut self, to: &str, what: &RewindWhat, token: Option<&str>) -> bool {
        let cut = self.messages.iter().position(|message| message.id == to);
        let cut = cut.filter(|_| *what != RewindWhat::Files);
        match token {
            Some(token) if self.rewinds.iter().any(|(known, _)| known == token) => return false,
            Some(token) => self.rewinds.push((token.to_owned(), what.clone())),
            None if cut.is_none() => return false,
            None => {}
        }
        if let Some(cut) = cut {
            self.messages.truncate(cut);
            self.calls.retain(|_, count| *count <= cut);
        }
        true
    }

    /// What takes the last rewind back, and what had gone back.
    pub fn last_rewind(&self) -> Option<&(String, RewindWhat)> {
        self.rewinds.last()
    }

    /// A rewind was taken back.
    pub fn unrewound(&mut self, token: &str) {
        self.rewinds.retain(|(known, _)| known != token);
    }

    /// The conversation will be told anew, from its beginning.
    pub fn start_over(&mut self) {
        self.messages.clear();
        self.calls.clear();
    }
}

#[cfg(test)]
mod tests;
