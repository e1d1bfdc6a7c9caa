//! `agent/session/export`: the conversation as text, in the answer or, when it is long, in a file.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use protocol::session::{SessionExportParams, SessionExportResult};

use crate::context::HostContext;
use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::export::{self, Format};
use crate::store;

/// More is not sent in one message.
const IN_ONE_MESSAGE: usize = 1024 * 1024;

pub fn handle(state: &mut State, _: &Arc<Door>, params: SessionExportParams, reply: Reply) {
    let live = state.sessions.contains_key(&params.session_id);
    let host = state.host.clone();
    tokio::task::spawn_blocking(move || {
        let Some(path) = store::find(&host.sessions_dir(), &params.session_id) else {
            return reply.err(RpcError::unstored(&params.session_id, live));
        };
        let journal = match &params.agent_id {
            None => Some(path),
            Some(agent) => store::sidechain(&path, agent),
        };
        let Some(path) = journal else {
            let agent = params.agent_id.unwrap_or_default();
            return reply.err(RpcError::failed(format!("There is no agent {agent:?}.")));
        };
        match export(&host, &path, params) {
            Ok(result) => reply.ok(&result),
            Err(problem) => reply.err(RpcError::failed(problem)),
        }
    });
}

fn export(
    host: &HostContext,
    journal: &Path,
    params: SessionExportParams,
) -> Result<SessionExportResult, String> {
    let format = Format::named(params.format.as_str())?;
    let content = export::export(&host.secrets.redactor(), journal, format)?;
    let path = match params.path {
        Some(path) => export::write(&PathBuf::from(path), &content)?,
        None if content.len() > IN_ONE_MESSAGE => export::keep(host, journal, format, &content)?,
        None => return Ok(SessionExportResult { content: Some(content), path: None }),
    };
    Ok(SessionExportResult { content: None, path: Some(path.display().to_string()) })
}
