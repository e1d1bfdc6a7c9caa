//! `session/list`: the sessions there are, newest first, a page at a time.

use std::sync::Arc;

use protocol::session::{self as ours, SessionList, SessionListParams};

use crate::core::Reply;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{ListSessionsRequest, ListSessionsResponse, SessionInfo};

pub(in crate::doors::acp) async fn handle(
    peer: &Arc<Peer>,
    params: ListSessionsRequest,
    reply: Reply,
) {
    let wish = SessionListParams {
        cwd: params.cwd.map(|cwd| cwd.display().to_string()),
        cursor: params.cursor,
        ..SessionListParams::default()
    };
    let then = move |listed: Result<ours::SessionListResult, _>| match listed {
        Ok(listed) => {
            let sessions = listed.sessions.into_iter().map(info).collect();
            reply.ok(&ListSessionsResponse::new(sessions).next_cursor(listed.next));
        }
        Err(error) => reply.err(error),
    };
    peer.ask::<SessionList>(&wish, then).await;
}

fn info(session: ours::SessionInfo) -> SessionInfo {
    let at = i64::try_from(session.updated_at).ok().and_then(chrono::DateTime::from_timestamp_millis);
    SessionInfo::new(session.session_id, session.cwd)
        .title(Some(session.title).filter(|title| !title.is_empty()))
        .updated_at(at.map(|at| at.to_rfc3339()))
}
