//! Prompts that wait for the end of their turn: a client's request is answered behind the last word
//! that belongs to it.

use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::value::RawValue;

/// More prompts than this nobody means to send at once.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Prompts(Mutex<Vec<Waiting>>);

/// One `session/prompt` that is not answered yet.
pub(super) struct Waiting {
    pub(super) id: Box<RawValue>,
    pub(super) session: String,
    /// The message it became: we choose its name, so that its turn is known when it begins.
    pub(super) message: String,
    pub(super) turn: Option<String>,
    /// It was a command, and what it began is not over yet.
    pub(super) summing_up: bool,
}

impl Prompts {
    fn lock(&self) -> MutexGuard<'_, Vec<Waiting>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `false` when too many wait already.
    pub(super) fn add(&self, id: Box<RawValue>, session: String, message: String) -> bool {
        let mut waiting = self.lock();
        let room = waiting.len() < MOST;
        if room {
            waiting.push(Waiting { id, session, message, turn: None, summing_up: false });
        }
        room
    }

    /// Whether this client sent the message.
    pub(super) fn has(&self, message: &str) -> bool {
        self.lock().iter().any(|waiting| waiting.message == message)
    }

    pub(super) fn begun(&self, message: &str, turn: &str) {
        for waiting in self.lock().iter_mut().filter(|waiting| waiting.message == message) {
            waiting.turn = Some(turn.to_owned());
        }
    }

    pub(super) fn sums_up(&self, message: &str) {
        for waiting in self.lock().iter_mut().filter(|waiting| waiting.message == message) {
            waiting.summing_up = true;
        }
    }

    /// The right to answer, for whoever it belongs to now.
    pub(super) fn take(&self, is_it: impl Fn(&Waiting) -> bool) -> Vec<Waiting> {
        self.lock().extract_if(.., |waiting| is_it(waiting)).collect()
    }

    /// The session of a request that is under way.
    pub(super) fn session_of(&self, id: &RawValue) -> Option<String> {
        let waiting = self.lock();
        let found = waiting.iter().find(|waiting| waiting.id.get() == id.get());
        found.map(|waiting| waiting.session.clone())
    }
}
