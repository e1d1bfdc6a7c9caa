//! What becomes of the sessions when a client leaves: they end with the client that the server was
//! started for, unless somebody else is with them, or was promised that they go on.

use std::time::Duration;

use tokio::sync::oneshot;

use crate::core::{Company, CoreHandle, Event};

/// Sessions stop within five seconds (see `Session::stop`); an editor does not wait for ever.
pub(super) const CLOSE_WITHIN: Duration = Duration::from_secs(8);
/// So often it is looked whether anybody is still there, once the first client has left.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// In which way a client is here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leave {
    /// The server is there for this client. While others are here too it stays for them; alone, a
    /// turn that runs goes on for this long.
    Host { patience: Duration },
    /// The client has joined a server that is there without it.
    Guest,
}

impl Leave {
    /// The sessions end with the client.
    pub const ALONE: Leave = Leave::Host { patience: Duration::ZERO };

    /// The client says goodbye, and waits for an answer: what is going to end, ends before it.
    pub(super) async fn announced(self, core: &CoreHandle) {
        if let Leave::Host { patience } = self
            && let Some(Company { doors, busy }) = company(core).await
            // It is still here itself.
            && doors <= 1
            && (!busy || patience.is_zero())
        {
            close_sessions(core).await;
        }
    }

    /// The client is gone. Returns when nothing keeps the server.
    pub(super) async fn gone(self, core: &CoreHandle) {
        let Leave::Host { patience } = self else { return };
        let mut alone = Duration::ZERO;
        while let Some(Company { doors, busy }) = company(core).await {
            if doors == 0 && !(busy && alone < patience) {
                break;
            }
            tokio::time::sleep(LOOK_EVERY).await;
            alone = if doors == 0 { alone + LOOK_EVERY } else { Duration::ZERO };
        }
        close_sessions(core).await;
    }
}

async fn company(core: &CoreHandle) -> Option<Company> {
    let (reply, answer) = oneshot::channel();
    core.send(Event::Company(reply)).await;
    answer.await.ok()
}

/// Ends every turn and writes every journal.
pub async fn close_sessions(core: &CoreHandle) {
    let (done, closed) = oneshot::channel();
    core.send(Event::Shutdown(done)).await;
    if tokio::time::timeout(CLOSE_WITHIN, closed).await.is_err() {
        tracing::warn!("a session did not close in time");
    }
}
