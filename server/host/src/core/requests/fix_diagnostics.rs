//! `agent/fix/diagnostics`: an inline edit of the place where something is wrong.

use std::sync::Arc;

use protocol::edit::FixDiagnosticsParams;

use super::edit_inline;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::InlineJob;

pub fn handle(state: &mut State, door: &Arc<Door>, params: FixDiagnosticsParams, reply: Reply) {
    let FixDiagnosticsParams { text_document, diagnostics, session_id } = params;
    if diagnostics.is_empty() {
        let message = "`diagnostics` is empty; there is nothing to fix.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    }
    let job = InlineJob::Fix { diagnostics };
    edit_inline::begin(state, door, &text_document, job, session_id, reply);
}
