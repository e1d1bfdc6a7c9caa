//! `agent/session/list`: the sessions there are, newest first, a page at a time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use protocol::session::{SessionInfo, SessionListParams, SessionListResult, SessionStatus};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::repository;
use crate::store::{self, StoredSession};

const PAGE: u32 = 50;
const LARGEST_PAGE: u32 = 1000;
/// So long the texts of sessions are looked into.
const WITHIN: Duration = Duration::from_secs(5);

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionListParams, reply: Reply) {
    let sessions = state.host.sessions_dir();
    let live: HashMap<String, SessionStatus> =
        state.sessions.iter().map(|(id, session)| (id.clone(), session.status())).collect();
    tokio::task::spawn_blocking(move || {
        let start = match params.cursor.as_deref().map(str::parse::<usize>).transpose() {
            Ok(start) => start.unwrap_or(0),
            Err(_) => {
                let message = "`cursor` must be the `next` of an earlier page.";
                return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
        };
        let cwd = params.cwd.map(PathBuf::from);
        let cwd = cwd.map(|cwd| workspace::real_path(&cwd).unwrap_or(cwd));
        let folders = cwd.map(|cwd| match params.worktrees.unwrap_or(false) {
            true => repository::same_folder_everywhere(&cwd),
            false => vec![cwd],
        });
        let mut stored = store::list(&sessions, folders.as_deref());
        if let Some(query) = params.query {
            stored = store::search(stored, &query, Some(WITHIN));
        }
        let limit = params.limit.unwrap_or(PAGE).clamp(1, LARGEST_PAGE) as usize;
        let end = start.saturating_add(limit);
        let next = (stored.len() > end).then(|| end.to_string());
        let page = stored.into_iter().skip(start).take(limit);
        let sessions = page.map(|session| info(session, &live)).collect();
        reply.ok(&SessionListResult { sessions, next });
    });
}

fn info(session: StoredSession, live: &HashMap<String, SessionStatus>) -> SessionInfo {
    let status = live.get(&session.id);
    SessionInfo {
        title: session.title,
        cwd: session.cwd.display().to_string(),
        branch: session.branch,
        updated_at: session.updated_at,
        messages: session.messages,
        live: status.is_some(),
        status: status.cloned().unwrap_or_default(),
        session_id: session.id,
    }
}
