//! `session/cancel`: stops the turn, and whatever of this client waits behind it. Their prompts are
//! answered `cancelled`, never with an error.

use std::sync::Arc;

use protocol::session::{
    QueueOp, SessionCancel, SessionCancelParams, SessionQueue, SessionQueueParams,
};

use crate::doors::acp::peer::{Peer, response};
use crate::doors::acp::prompts::Waiting;
use crate::doors::acp::schema::{CancelNotification, PromptResponse, StopReason};

pub(in crate::doors::acp) async fn handle(peer: &Arc<Peer>, params: CancelNotification) {
    stop(peer, &params.session_id.0).await;
}

pub(super) async fn stop(peer: &Arc<Peer>, session: &str) {
    let behind = |waiting: &Waiting| waiting.session == session && waiting.turn.is_none();
    for message_id in withdraw_waiting(peer, behind) {
        let wish = SessionQueueParams {
            session_id: session.to_owned(),
            op: QueueOp::Remove,
            message_id: Some(message_id),
            content: None,
            to: None,
        };
        // One that is not in the queue yet is stopped as a turn, below.
        peer.ask::<SessionQueue>(&wish, |_| ()).await;
    }
    let (session_id, turn_id, tool_call_id, task_id) = (session.to_owned(), None, None, None);
    let wish = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
    peer.ask::<SessionCancel>(&wish, |_| ()).await;
}

/// Answers prompts whose turn will not come; their messages are named.
pub(super) fn withdraw_waiting(peer: &Peer, is_it: impl Fn(&Waiting) -> bool) -> Vec<String> {
    let withdrawn = peer.prompts.take(is_it).into_iter().map(|waiting| {
        let answer = PromptResponse::new(StopReason::Cancelled);
        peer.door.outbox.push(response(waiting.id, Ok(&answer)));
        waiting.message
    });
    withdrawn.collect()
}
