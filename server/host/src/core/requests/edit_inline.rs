//! `agent/edit/inline`: a selection, and what is to become of it. How a fix begins too, because it
//! differs only in who chose the place.

use std::path::PathBuf;
use std::sync::Arc;

use protocol::edit::{EditInlineParams, EditStarted};
use protocol::lsp::VersionedDocument;
use text::{OutsideText, PositionEncoding};
use workspace::{Document, DocumentUri};

use super::session_new;
use crate::core::door::Door;
use crate::core::inline::{Place, Stop, bytes};
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::{InlineJob, InlineStart, Msg};

pub fn handle(state: &mut State, door: &Arc<Door>, params: EditInlineParams, reply: Reply) {
    let EditInlineParams { text_document, range, instruction, session_id } = params;
    if instruction.trim().is_empty() {
        let message = "`instruction` is empty; say what to do with the selection.";
        return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
    }
    begin(state, door, &text_document, InlineJob::Edit { range, instruction }, session_id, reply);
}

/// Hands an edit to a session: the one that is named, the client's own, or a new one.
pub fn begin(
    state: &mut State,
    door: &Arc<Door>,
    document: &VersionedDocument,
    job: InlineJob,
    session_id: Option<String>,
    reply: Reply,
) {
    let encoding = door.encoding();
    let found = find(state, document).and_then(|(path, document)| {
        let place =
            document.as_ref().map(|document| place(document, &job, encoding)).transpose()?;
        Ok((path, document, place))
    });
    let (path, document, place) = match found {
        Ok(found) => found,
        Err(error) => return reply.err(error),
    };
    let edit_id = format!("edit_{}", uuid::Uuid::now_v7().simple());
    let stop = Stop::default();
    let start = {
        let (edit_id, path, stop) = (edit_id.clone(), path.clone(), stop.clone());
        move |reply| {
            let start = InlineStart { edit_id, path, document, encoding, job, stop, reply };
            Msg::Inline(Box::new(start))
        }
    };
    state.inline.start(edit_id.clone(), place, stop);
    if let Some(session) = session_id.or_else(|| state.session_of(door.id, Some(&path))) {
        return state.to_session(&session, reply, |reply| start(Some(reply)));
    }
    let origin = match state.plan_session(door, Some(&path)) {
        Ok(origin) => origin,
        Err(error) => return reply.err(error),
    };
    let session_id = session_new::new_id();
    // Answered when the session begins, so that the answer comes before its first event.
    let answer = EditStarted { edit_id, session_id: session_id.clone() };
    let begun = Reply::new(move |result| match result {
        Ok(_) => reply.ok(&answer),
        Err(error) => reply.err(error),
    });
    session_new::begin(state, door, session_id.clone(), origin, begun);
    state.to_session(&session_id, Reply::new(|_| ()), |_| start(None));
}

/// The file, and the document when the editor has it open.
fn find(
    state: &State,
    document: &VersionedDocument,
) -> Result<(PathBuf, Option<Document>), RpcError> {
    let uri = DocumentUri::new(&document.uri);
    let Some(path) = uri.to_path() else {
        let message = "Only files can be changed in place; save this document first.";
        return Err(RpcError::failed(message));
    };
    let snapshot = state.buffers.snapshot();
    let open = snapshot.by_uri(&uri);
    let name = path.display();
    match (open, document.version) {
        (Some(open), Some(version)) if open.version != version => Err(RpcError::failed(format!(
            "{name} is at version {} and not {version} any more; try again.",
            open.version
        ))),
        (Some(open), _) if !open.in_sync => Err(RpcError::failed(format!(
            "The editor and the server disagree about {name}; close and reopen it."
        ))),
        (None, Some(_)) => Err(RpcError::failed(format!("{name} is not open; open it first."))),
        (open, _) => Ok((path.clone(), open.cloned())),
    }
}

fn place(
    document: &Document,
    job: &InlineJob,
    encoding: PositionEncoding,
) -> Result<Place, RpcError> {
    let text = &document.text;
    let bytes = match job {
        InlineJob::Edit { range, .. } => bytes(text, range, encoding).map_err(outside)?,
        InlineJob::Fix { diagnostics } => {
            let first = diagnostics.iter().map(|found| found.range.start.line).min();
            let last = diagnostics.iter().map(|found| found.range.end.line).max();
            let start = text.line_to_byte(first.unwrap_or(0) as usize);
            start..text.line_to_byte(last.unwrap_or(0) as usize + 1).max(start)
        }
    };
    Ok(Place::new(document.uri.clone(), bytes, text))
}

pub fn outside(error: OutsideText) -> RpcError {
    RpcError::new(RpcError::INVALID_PARAMS, format!("`range`: {error}."))
}
