//! `bowline.cancel`: ends whatever the client's sessions are doing.

use std::sync::Arc;

use protocol::session::SessionCancelParams;
use serde_json::Value;

use crate::core::door::Door;
use crate::core::rpc::Reply;
use crate::core::state::State;
use crate::session::Msg;

pub(super) fn run(state: &mut State, door: &Arc<Door>, _: Value, reply: Reply) {
    let own: Vec<_> = state.sessions_of(door.id).map(|(id, _)| id.clone()).collect();
    for session_id in own {
        let (turn_id, tool_call_id, task_id) = (None, None, None);
        let id = session_id.clone();
        let params = SessionCancelParams { session_id, turn_id, tool_call_id, task_id };
        // The end is told by the session, as the end of whatever it was doing.
        state.to_session(&id, Reply::new(|_| ()), |reply| Msg::Cancel { params, reply });
    }
    reply.ok(&Value::Null);
}
