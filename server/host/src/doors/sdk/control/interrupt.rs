//! `interrupt`: the running turn stops. The receipt says what still waits, and goes out before the
//! turn's result; what waits then goes on.

use std::sync::Arc;

use protocol::session::{
    QueueOp, SessionCancel, SessionCancelParams, SessionQueue, SessionQueueParams,
};
use serde_json::{Value, json};

use crate::doors::sdk::shared::{Mark, Shared};

pub(super) async fn run(shared: &Arc<Shared>, id: &Value, request: &Value) {
    let queued = queue(shared, QueueOp::List, None).await;
    let mut receipt = json!({ "still_queued": queued });
    if request["cancel_queued"] == json!(true) {
        for uuid in &queued {
            queue(shared, QueueOp::Remove, Some(uuid.clone())).await;
            shared.mark(Mark::Dropped { uuid: uuid.clone() });
        }
        receipt = json!({ "still_queued": [], "cancelled": queued });
    }
    shared.reply(id, Ok(receipt));
    let params = SessionCancelParams {
        session_id: shared.session().to_owned(),
        turn_id: None,
        tool_call_id: None,
        task_id: None,
    };
    // An error means that nothing ran.
    let _ = shared.ask::<SessionCancel>(&params).await;
    queue(shared, QueueOp::Start, None).await;
}

/// The ids of the prompts that wait.
async fn queue(shared: &Shared, op: QueueOp, message_id: Option<String>) -> Vec<String> {
    let params = SessionQueueParams {
        session_id: shared.session().to_owned(),
        op,
        message_id,
        content: None,
        to: None,
    };
    let listed = shared.ask::<SessionQueue>(&params).await;
    let queue = listed.map(|listed| listed.queue).unwrap_or_default();
    queue.into_iter().map(|prompt| prompt.message_id).collect()
}
