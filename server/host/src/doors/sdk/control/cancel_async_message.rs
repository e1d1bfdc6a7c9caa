//! `cancel_async_message`: a prompt that waits is taken back.

use protocol::session::{QueueOp, SessionQueue, SessionQueueParams};
use serde_json::{Value, json};

use super::{Answer, text};
use crate::doors::sdk::shared::{Mark, Shared};

pub(super) async fn handle(shared: &Shared, request: &Value) -> Answer {
    let uuid = text(request, "message_uuid")?.to_owned();
    let params = SessionQueueParams {
        session_id: shared.session().to_owned(),
        op: QueueOp::Remove,
        message_id: Some(uuid.clone()),
        content: None,
        to: None,
    };
    let cancelled = shared.ask::<SessionQueue>(&params).await.is_ok();
    if cancelled {
        shared.mark(Mark::Dropped { uuid });
    }
    Ok(json!({ "cancelled": cancelled }))
}
