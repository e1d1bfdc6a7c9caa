//! Questions to the doorman: whoever wants the same host at the same time waits for one answer.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt;
use futures::future::{BoxFuture, Shared, WeakShared};
use policy::Host;
use tokio::time::timeout;

use super::Doorman;

/// A host and a port.
pub(super) type Door = (Host, u16);
/// Open, or why not.
pub(super) type Answer = Result<(), Arc<str>>;

type Question = BoxFuture<'static, Answer>;

pub(super) struct Questions {
    doorman: Arc<dyn Doorman>,
    patience: Duration,
    /// Weak, so that a question ends when nobody waits for it any more.
    open: Mutex<HashMap<Door, WeakShared<Question>>>,
}

impl Questions {
    pub(super) fn new(doorman: Arc<dyn Doorman>, patience: Duration) -> Questions {
        Questions { doorman, patience, open: Mutex::default() }
    }

    pub(super) async fn ask(&self, door: &Door) -> Answer {
        let answer = self.question(door).await;
        self.open().retain(|_, question| question.upgrade().is_some_and(|q| q.peek().is_none()));
        answer
    }

    /// Whoever asks from now on gets a new answer.
    pub(super) fn forget(&self) {
        self.open().clear();
    }

    fn question(&self, door: &Door) -> Shared<Question> {
        let mut open = self.open();
        if let Some(question) = open.get(door).and_then(WeakShared::upgrade) {
            return question;
        }
        let (doorman, patience, (host, port)) =
            (Arc::clone(&self.doorman), self.patience, door.clone());
        let ask = async move {
            match timeout(patience, doorman.admit(&host, port)).await {
                Ok(answer) => answer.map_err(Arc::from),
                Err(_) => Err(Arc::from("nobody answered whether it may be reached.")),
            }
        };
        let question = ask.boxed().shared();
        if let Some(weak) = question.downgrade() {
            open.insert(door.clone(), weak);
        }
        question
    }

    fn open(&self) -> MutexGuard<'_, HashMap<Door, WeakShared<Question>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
