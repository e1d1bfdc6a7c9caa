//! Notifications of the `agent/*` family: what the editor tells without being asked.

use std::sync::Arc;

use protocol::Notification;
use protocol::edit::InlineResolved;
use protocol::editor::{
    EditorDiagnostics, EditorDiagnosticsParams, EditorDirty, EditorDirtyParams, EditorFocus,
    EditorFollow,
};
use serde_json::value::RawValue;
use workspace::DocumentUri;

use super::door::Door;
use super::requests;
use super::state::State;

/// Tells the state. What nobody reads, or cannot be read, is logged and forgotten.
pub fn dispatch(state: &mut State, door: &Arc<Door>, method: &str, params: Option<&RawValue>) {
    if let Some(params) = read::<EditorDiagnostics>(method, params) {
        diagnostics(state, &params);
    } else if let Some(params) = read::<EditorDirty>(method, params) {
        dirty(state, &params);
    } else if let Some(params) = read::<EditorFocus>(method, params) {
        state.focus.note(door, params);
    } else if let Some(params) = read::<EditorFollow>(method, params) {
        door.follow(params.on);
    } else if let Some(params) = read::<InlineResolved>(method, params) {
        requests::inline_resolved(state, door, params);
    } else {
        tracing::debug!(?door, method, "a notification that has no reader");
    }
}

fn read<N: Notification>(method: &str, params: Option<&RawValue>) -> Option<N::Params> {
    if method != N::METHOD {
        return None;
    }
    let params = serde_json::from_str(params.map_or("null", RawValue::get));
    params.inspect_err(|error| tracing::warn!(%error, method, "a notification is wrong")).ok()
}

fn diagnostics(state: &mut State, params: &EditorDiagnosticsParams) {
    let uri = DocumentUri::new(&params.uri);
    // What is not open has no version to be true to.
    if state.buffers.version(&uri).is_none() {
        return;
    }
    // Without a version nobody can tell which text it is about: never the present one.
    let version = params.version.unwrap_or(i32::MIN);
    let late = state.diagnostics.note(&uri, params.source.clone(), version, &params.items);
    late.iter().for_each(|late| state.tell_model(&late.session, &late.text));
}

fn dirty(state: &mut State, params: &EditorDirtyParams) {
    state.buffers.set_dirty(&DocumentUri::new(&params.uri), params.dirty);
}
