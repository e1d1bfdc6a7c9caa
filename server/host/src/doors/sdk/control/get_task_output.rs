//! `get_task_output`: the end of what a task has printed.

use protocol::tasks::{TaskOp, Tasks, TasksParams};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::Shared;

/// Hosts show the end only.
const LONGEST: usize = 8 * 1024;

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let task_id = text(request, "task_id")?;
    let (mut offset, mut output) = (0, String::new());
    // The output comes in pieces; the last one is empty.
    loop {
        let params = TasksParams {
            session_id: Some(shared.session().to_owned()),
            op: TaskOp::Output,
            task_id: Some(task_id.to_owned()),
            offset: Some(offset),
        };
        let piece = shared.ask::<Tasks>(&params).await.map_err(|error| error.message)?;
        let Some(piece) = piece.output.filter(|piece| !piece.text.is_empty()) else { break };
        if piece.next_offset <= offset {
            break;
        }
        offset = piece.next_offset;
        output.push_str(&piece.text);
        let surplus = output.len().saturating_sub(LONGEST);
        output.drain(..output.ceil_char_boundary(surplus));
    }
    let truncated = offset > output.len() as u64;
    Ok(json!({ "output": output, "total_bytes": offset, "truncated": truncated }))
}
