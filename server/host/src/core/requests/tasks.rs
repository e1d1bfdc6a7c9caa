//! `agent/tasks`: what runs in the background.

use std::sync::Arc;

use protocol::tasks::{Task, TaskOp, TasksParams, TasksResult};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::Msg;

/// Lists are made from what the sessions have said; the rest only the session can do.
pub fn handle(state: &mut State, _: &Arc<Door>, params: TasksParams, reply: Reply) {
    if let Some(id) = params.session_id.as_ref().filter(|id| !state.sessions.contains_key(*id)) {
        return reply.err(RpcError::no_session(id));
    }
    let wanted = |id: &str| params.session_id.as_deref().is_none_or(|wanted| wanted == id);
    let sessions = state.sessions.iter().filter(|(id, _)| wanted(id));
    if params.op == TaskOp::List {
        let mut tasks: Vec<Task> = sessions.flat_map(|(_, session)| session.tasks()).collect();
        tasks.sort_by_key(|task| std::cmp::Reverse(task.started_at));
        return reply.ok(&TasksResult { tasks: Some(tasks), output: None });
    }
    let has = |task: &Task| params.task_id.as_ref() == Some(&task.task_id);
    let owner = sessions.into_iter().find(|(_, session)| session.tasks().iter().any(has));
    match owner.map(|(id, _)| id.clone()) {
        Some(id) => state.to_session(&id, reply, |reply| Msg::Tasks { params, reply }),
        None => {
            let id = params.task_id.unwrap_or_default();
            reply.err(RpcError::failed(format!("There is no task {id:?}.")));
        }
    }
}
