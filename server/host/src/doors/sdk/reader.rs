//! Lines in. Answers go straight to who waits for them: the worker may be the one.

use std::sync::Arc;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, BufReader};
use tokio::sync::mpsc;

use super::incoming::Incoming;
use super::shared::Shared;
use super::{asks, control};
use crate::terminal;

/// So much may wait to be done; a host that says more at once waits itself.
pub(super) const WORK: usize = 1024;
/// A prompt with pictures is long; this is longer.
const LONGEST: u64 = 64 * 1024 * 1024;

/// What is done one after the other.
pub(super) enum Work {
    Request { id: Value, subtype: String, request: Value },
    User(Value),
}

/// Until the host closes its end.
pub(super) async fn run(
    input: impl AsyncRead + Send + Unpin,
    shared: Arc<Shared>,
    work: mpsc::Sender<Work>,
) {
    let mut input = BufReader::new(input);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        let line = (&mut input).take(LONGEST).read_until(b'\n', &mut bytes).await;
        if line.map_or(true, |read| read == 0) {
            return;
        }
        let Ok(line) = std::str::from_utf8(&bytes) else {
            terminal::note("A line of standard input is not UTF-8 and was skipped.");
            continue;
        };
        if line.trim().is_empty() {
            continue;
        }
        let todo = match Incoming::read(line) {
            Ok(incoming) => on(&shared, incoming),
            Err(problem) => {
                terminal::note(&problem);
                None
            }
        };
        if let Some(todo) = todo
            && work.send(todo).await.is_err()
        {
            return;
        }
    }
}

/// What is left to be done in its turn.
fn on(shared: &Arc<Shared>, incoming: Incoming) -> Option<Work> {
    match incoming {
        Incoming::User(message) => Some(Work::User(message)),
        Incoming::Request { id, subtype, request } if control::takes_time(&subtype) => {
            control::begin(shared, id, subtype, request);
            None
        }
        Incoming::Request { id, subtype, request } => Some(Work::Request { id, subtype, request }),
        Incoming::Answer { id, answer } => {
            asks::answered(shared, &id, answer);
            None
        }
        Incoming::Cancel { id } => {
            if let Some(task) = shared.slow().remove(&id) {
                task.abort();
            }
            None
        }
        Incoming::Nothing => None,
    }
}
