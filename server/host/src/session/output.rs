//! What a running command prints, on its way to those who watch.
//!
//! A command prints faster than anybody reads. Its output waits in one slot, joined and capped, and
//! there is at most one message about it in the session's inbox: a flood never stands in the way of
//! a cancel, and never fills the memory. The result has what counts.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;
use tools::{Progress, Step};

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
    /// How far the call has come; only the last word counts.
    step: Option<Step>,
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
        let (slot, steps) = (self.clone(), self.clone());
        let (to, of) = (own.clone(), call.clone());
        let output = Progress::new(move |text: &str| {
            let mut slot = slot.lock();
            let room = SLOT.saturating_sub(slot.waiting.len()).min(SHOWN_PER_CALL - slot.shown);
            let piece = &text[..text.floor_char_boundary(room)];
            slot.waiting.push_str(piece);
            slot.shown += piece.len();
            slot.tell(&own, &call);
        });
        output.with_steps(move |step| {
            let mut slot = steps.lock();
            slot.step = Some(step);
            slot.tell(&to, &of);
        })
    }

    pub(super) fn take(&self) -> (String, Option<Step>) {
        let mut slot = self.lock();
        slot.told = false;
        (std::mem::take(&mut slot.waiting), slot.step.take())
    }
}

impl Slot {
    fn tell(&mut self, own: &mpsc::Sender<Msg>, call: &str) {
        if !self.told && (!self.waiting.is_empty() || self.step.is_some()) {
            let news = Msg::Call { id: call.to_owned(), news: CallNews::Output };
            self.told = own.try_send(news).is_ok();
        }
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
        let (taken, _) = slot.take();
        assert!(taken.len() <= SLOT && taken.starts_with("ünsinn"), "{}", taken.len());
        progress.output("more");
        assert!(inbox.try_recv().is_ok());
        assert_eq!(slot.take().0, "more");
        for done in 0..100 {
            progress.step(Step { done: Some(done), ..Step::default() });
        }
        assert!(inbox.try_recv().is_ok() && inbox.try_recv().is_err());
        assert_eq!(slot.take().1.and_then(|step| step.done), Some(99));
    }
}
