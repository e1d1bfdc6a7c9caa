//! `agent/session/unrewind`: takes back a rewind, or a decision about hunks.

use std::collections::BTreeMap;
use std::sync::Arc;

use protocol::Empty;
use protocol::session::SessionUnrewindParams;
use text::HunkState;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::core::switch::{self, Switch};
use crate::core::undo::UndoStep;
use crate::session::Msg;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionUnrewindParams, reply: Reply) {
    let token = params.undo_token;
    let Some(step) = state.undo.take(&token) else {
        let message = "There is nothing to take back under this token; each is good once.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    };
    let UndoStep { switched, marked, session } = step;
    let switches = switched.into_iter().map(|(key, hunks, active)| {
        let state = if active { HunkState::Pending } else { HunkState::Rejected };
        Switch { key, hunks, active, state }
    });
    let switches: Vec<_> = switches.collect();
    switch::start(state, switches, "Bowline: Undo", "bowline.undo", move |state, switched| {
        let mut failed = BTreeMap::new();
        for done in &switched {
            if let Err(reason) = &done.outcome {
                failed.insert(done.switch.key.as_str().to_owned(), reason.clone());
            }
        }
        for (key, no, was) in marked {
            if !failed.contains_key(key.as_str()) {
                state.ledgers.mark(&key, &[no], was);
            }
        }
        if let Some(session) = session {
            return state.to_session(&session, reply, |reply| Msg::Unrewind { token, reply });
        }
        match failed.into_iter().next() {
            Some((_, reason)) => reply.err(RpcError::failed(reason)),
            None => reply.ok(&Empty {}),
        }
    });
}
