//! The new text on its way to those who watch. It waits in one slot, joined, with at most one
//! message about it in the session's inbox: a fast model makes larger pieces, not a longer queue.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::{InlineNews, Msg};

#[derive(Clone)]
pub(super) struct Deltas {
    own: mpsc::Sender<Msg>,
    edit_id: String,
    slot: Arc<Mutex<Slot>>,
}

#[derive(Default)]
struct Slot {
    waiting: String,
    /// The session has been told that something waits.
    told: bool,
}

impl Deltas {
    pub(super) fn new(own: mpsc::Sender<Msg>, edit_id: String) -> Deltas {
        Deltas { own, edit_id, slot: Arc::default() }
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn push(&self, text: &str) {
        let mut slot = self.lock();
        slot.waiting.push_str(text);
        if !slot.told && !slot.waiting.is_empty() {
            let msg = Msg::InlineNews { id: self.edit_id.clone(), news: InlineNews::Delta };
            slot.told = self.own.try_send(msg).is_ok();
        }
    }

    pub(super) fn take(&self) -> String {
        let mut slot = self.lock();
        slot.told = false;
        std::mem::take(&mut slot.waiting)
    }

    /// Not now; the next piece says it again.
    pub(super) fn wait(&self) {
        self.lock().told = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_words_are_one_message_and_none_is_lost() {
        let (own, mut inbox) = mpsc::channel(2);
        let deltas = Deltas::new(own, "e".into());
        for word in ["one ", "two ", "three"] {
            deltas.push(word);
        }
        assert!(inbox.try_recv().is_ok() && inbox.try_recv().is_err());
        deltas.wait();
        deltas.push(" four");
        assert!(inbox.try_recv().is_ok());
        assert_eq!(deltas.take(), "one two three four");
        deltas.push("");
        assert!(inbox.try_recv().is_err());
    }
}
