//! `agent/session/unrewind`: takes back a rewind, or a decision about hunks.

use std::sync::Arc;

use protocol::Empty;
use protocol::session::SessionUnrewindParams;
use text::HunkState;
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::core::switch::{self, Switch};
use crate::core::undo::{UndoStep, group};
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
    let group = group("undo");
    switch::start(state, switches, "Bowline: Undo", &group, move |state, switched| {
        let failed = switched.iter().filter(|done| done.outcome.is_err());
        let failed: Vec<_> = failed.map(|done| done.switch.clone()).collect();
        let reason = switched.iter().find_map(|done| done.outcome.clone().err());
        let is_back = |key: &DocumentUri| failed.iter().all(|switch| switch.key != *key);
        let (back, not_back): (Vec<_>, Vec<_>) =
            marked.into_iter().partition(|(key, _, _)| is_back(key));
        for (key, no, was) in back {
            state.ledgers.mark(&key, &[no], was);
        }
        if !failed.is_empty() {
            let switched = failed.into_iter().map(|one| (one.key, one.hunks, one.active));
            let (switched, session) = (switched.collect(), None);
            state.undo.put_back(token.clone(), UndoStep { switched, marked: not_back, session });
        }
        match (session, reason) {
            (Some(session), reason) => {
                state.to_session(&session, reply, |reply| Msg::Unrewind { token, reason, reply });
            }
            (None, Some(reason)) => reply.err(RpcError::failed(reason)),
            (None, None) => reply.ok(&Empty {}),
        }
    });
}
