//! What a running command prints, on its way to those who watch.
//!
//! A command prints faster than anybody reads. Its output waits in one slot, joined and capped, and
//! there is at most one message about it in the session's inbox: a flood never stands in the way of
//! a cancel, and never fills the memory. The result has what counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tools::Progress;

use super::{CallNews, Msg};

/// As much as a screen or two.
const SLOT: usize = 32 * 1024;
/// Who watches has seen enough by then.
const SHOWN_PER_CALL: usize = 1024 * 1024;

#[derive(Clone, Default)]
pub(super) struct OutputSlot(Arc<Mutex<Slot>>);

#[derive(Default)]
struct Slot {
    waiting: String,
    shown: usize,
    /// The session has been told that something waits.
    told: bool,
}

impl OutputSlot {
    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the call reports. What finds no room is left out.
    pub(super) fn progress(&self, own: mpsc::Sender<Msg>, call: String) -> Progress {
        let slot = self.clone();
        Progress::new(move |text: &str| {
            let mut slot = slot.lock();
            let room = SLOT.saturating_sub(slot.waiting.len()).min(SHOWN_PER_CALL - slot.shown);
            let piece = &text[..text.floor_char_boundary(room)];
            slot.waiting.push_str(piece);
            slot.shown += piece.len();
            if !slot.told && !slot.waiting.is_empty() {
                slot.told =
                    own.try_send(Msg::Call { id: call.clone(), news: CallNews::Output }).is_ok();
            }
        })
    }

    pub(super) fn take(&self) -> String {
        let mut slot = self.lock();
        slot.told = false;
        std::mem::take(&mut slot.waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_one_message_and_a_slot_of_text() {
        let (own, mut inbox) = mpsc::channel(8);
        let slot = OutputSlot::default();
        let progress = slot.progress(own, "c1".into());
        for _ in 0..10_000 {
            progress.output("ünsinn\n");
        }
        assert!(inbox.try_recv().is_ok() && inbox.try_recv().is_err());
        let taken = slot.take();
        assert!(taken.len() <= SLOT && taken.starts_with("ünsinn"), "{}", taken.len());
        progress.output("more");
        assert!(inbox.try_recv().is_ok());
        assert_eq!(slot.take(), "more");
    }
}
