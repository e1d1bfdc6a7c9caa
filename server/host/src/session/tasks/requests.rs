//! What clients ask about tasks: their output, and to stop one.

use std::path::Path;

use protocol::session::{CancelState, SessionCancelParams, SessionCancelResult};
use protocol::tasks::{TaskOp, TaskOutput, TasksParams, TasksResult};

use super::kept::{SessionTasks, status};
use crate::core::{Reply, RpcError};
use crate::session::Session;

/// The most of an output that one answer holds.
const PIECE: usize = 256 * 1024;
/// More than an output file can hold.
const FILE: u64 = 128 * 1024 * 1024;

impl Session {
    pub(in crate::session) fn on_tasks(&mut self, params: TasksParams, reply: Reply) {
        let Some(id) = params.task_id else {
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, "Name a task."));
        };
        if params.op == TaskOp::Stop {
            return self.stop_task(id, reply);
        }
        let Some((output, state)) = self.tasks.output(&id) else {
            return reply.err(RpcError::failed(no_task(&id)));
        };
        let offset = params.offset.unwrap_or_default();
        tokio::task::spawn_blocking(move || {
            let (text, next_offset) = piece(&read(output.as_deref()), offset);
            let output = TaskOutput { task_id: id, text, next_offset, status: status(state) };
            reply.ok(&TasksResult { tasks: None, output: Some(output) });
        });
    }

    /// Answers once it has really stopped.
    fn stop_task(&self, id: String, reply: Reply) {
        let tasks = self.tasks.clone();
        tokio::spawn(async move {
            match tasks.end(&id, false).await {
                Ok(_) => reply.ok(&TasksResult { tasks: Some(tasks.all()), output: None }),
                Err(problem) => reply.err(RpcError::failed(problem)),
            }
        });
    }

    /// A cancel that names a task; others are given back.
    pub(in crate::session) fn cancel_task(
        &self,
        params: &SessionCancelParams,
        reply: Reply,
    ) -> Option<Reply> {
        let Some(id) = params.task_id.clone() else { return Some(reply) };
        let tasks = self.tasks.clone();
        tokio::spawn(async move {
            let state = match tasks.end(&id, false).await {
                Ok(_) => CancelState::Cancelled,
                Err(_) => CancelState::Idle,
            };
            reply.ok(&SessionCancelResult { state });
        });
        None
    }
}

impl SessionTasks {
    /// The end of what a task has printed so far.
    pub(in crate::session) async fn printed(&self, id: &str) -> Result<String, String> {
        let (output, _) = self.output(id).ok_or_else(|| no_task(id))?;
        let looked = tokio::task::spawn_blocking(move || {
            let bytes = read(output.as_deref());
            String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(PIECE)..]).into_owned()
        });
        looked.await.map_err(|error| error.to_string())
    }
}

fn read(output: Option<&Path>) -> Vec<u8> {
    let bytes = output.and_then(|path| workspace::read_bytes(path, FILE).ok());
    bytes.map(|(bytes, _)| bytes).unwrap_or_default()
}

pub(in crate::session) fn no_task(id: &str) -> String {
    format!("There is no task {id:?}.")
}

/// The text from `offset` on, in whole characters, and where it goes on.
fn piece(bytes: &[u8], offset: u64) -> (String, u64) {
    let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let end = bytes.len().min(start.saturating_add(PIECE));
    let rest = &bytes[start..end];
    // A character whose end has not come yet waits for it.
    let whole = match std::str::from_utf8(rest) {
        Err(error) if error.error_len().is_none() && error.valid_up_to() > 0 => error.valid_up_to(),
        _ => rest.len(),
    };
    (String::from_utf8_lossy(&rest[..whole]).into_owned(), (start + whole) as u64)
}

#[cfg(test)]
mod tests {
    use super::piece;

    #[test]
    fn pieces_of_an_output() {
        let check = |bytes: &[u8], offset, text: &str, next| {
            assert_eq!(piece(bytes, offset), (text.to_owned(), next), "{bytes:?} {offset}");
        };
        check(b"hello", 0, "hello", 5);
        check(b"hello", 3, "lo", 5);
        check(b"hello", 9, "", 5);
        check(b"h\xc3", 0, "h", 1);
        check(b"h\xc3\xa9", 1, "é", 3);
        check(b"a\xffb", 0, "a\u{fffd}b", 3);
    }
}
