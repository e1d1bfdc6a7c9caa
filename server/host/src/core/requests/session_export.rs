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
        None if params.tail.is_some() => {
            let bytes = params.tail.unwrap_or_default() as usize;
            let content = end_of(&content, bytes.min(IN_ONE_MESSAGE)).to_owned();
            return Ok(SessionExportResult { content: Some(content), path: None });
        }
        None if content.len() > IN_ONE_MESSAGE => export::keep(host, journal, format, &content)?,
        None => return Ok(SessionExportResult { content: Some(content), path: None }),
    };
    Ok(SessionExportResult { content: None, path: Some(path.display().to_string()) })
}

/// The last so many bytes, from the beginning of a line on where there is one.
fn end_of(text: &str, bytes: usize) -> &str {
    let cut = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    if cut == 0 {
        return text;
    }
    let end = &text[cut..];
    end.split_once('\n').map_or(end, |(_, rest)| rest)
}

#[cfg(test)]
mod tests {
    use super::end_of;

    #[test]
    fn the_end_begins_with_a_line() {
        assert_eq!(end_of("one\ntwo\nthree", 7), "three");
        assert_eq!(end_of("one\ntwo\nthree", 100), "one\ntwo\nthree");
        assert_eq!(end_of("日本語", 4), "語");
    }
}
