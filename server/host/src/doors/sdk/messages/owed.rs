//! What the host still has coming: a turn for each of its prompts. While something is owed, the session
//! is not idle.

use std::collections::BTreeSet;

use protocol::session::QueuedPrompt;

#[derive(Default)]
pub(super) struct Owed {
    /// Prompts of the host that have not come to an end.
    prompts: BTreeSet<String>,
    /// All of them, ever: one that was steered in too late waits in the queue again.
    known: BTreeSet<String>,
    /// Those that the running turn takes along.
    steered: Vec<String>,
    /// The message that began the running turn.
    turn: Option<String>,
    host_is_done: bool,
    /// Counts whatever may lead to more.
    moves: u64,
}

impl Owed {
    pub(super) fn sent(&mut self, uuid: &str) {
        self.moves += 1;
        self.prompts.insert(uuid.to_owned());
        self.known.insert(uuid.to_owned());
    }

    pub(super) fn steered(&mut self, uuid: &str) {
        self.steered.push(uuid.to_owned());
    }

    pub(super) fn dropped(&mut self, uuid: &str) {
        self.prompts.remove(uuid);
    }

    pub(super) fn queue(&mut self, queue: &[QueuedPrompt]) {
        let ids = queue.iter().map(|prompt| &prompt.message_id);
        let own = ids.filter(|id| self.known.contains(*id)).cloned().collect::<Vec<_>>();
        self.steered.retain(|id| !own.contains(id));
        self.prompts.extend(own);
    }

    pub(super) fn turn_started(&mut self, message: &str) {
        self.moves += 1;
        self.turn = Some(message.to_owned());
    }

    pub(super) fn turn_ended(&mut self) {
        self.moves += 1;
        for ended in self.turn.take().into_iter().chain(self.steered.drain(..)) {
            self.prompts.remove(&ended);
        }
    }

    pub(super) fn host_is_done(&mut self) {
        self.host_is_done = true;
    }

    pub(super) fn moves(&self) -> u64 {
        self.moves
    }

    /// How many turns will follow the one that runs, as far as that is known.
    pub(super) fn queued(&self) -> usize {
        let running = self.turn.as_ref().is_some_and(|turn| self.prompts.contains(turn));
        self.prompts.len().saturating_sub(usize::from(running))
    }

    pub(super) fn is_nothing(&self) -> bool {
        self.turn.is_none() && self.prompts.is_empty()
    }

    pub(super) fn is_done(&self) -> bool {
        self.host_is_done && self.is_nothing()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prompt_is_owed_its_turn() {
        let mut owed = Owed::default();
        owed.sent("a");
        owed.sent("b");
        owed.host_is_done();
        owed.turn_started("a");
        assert_eq!(owed.queued(), 1);
        owed.turn_ended();
        assert!(!owed.is_done());
        owed.turn_started("b");
        owed.turn_ended();
        assert!(owed.is_done());
    }

    #[test]
    fn what_was_steered_in_too_late_waits_again() {
        let mut owed = Owed::default();
        owed.sent("a");
        owed.turn_started("a");
        owed.sent("b");
        owed.steered("b");
        owed.turn_ended();
        assert!(owed.is_nothing());
        let prompt = QueuedPrompt { message_id: "b".into(), content: Vec::new() };
        let other = QueuedPrompt { message_id: "x".into(), content: Vec::new() };
        owed.queue(&[prompt, other]);
        assert!(!owed.is_nothing());
        owed.turn_started("b");
        owed.turn_ended();
        assert!(owed.is_nothing());
    }
}
