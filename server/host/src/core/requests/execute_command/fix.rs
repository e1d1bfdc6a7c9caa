//! `bowline.fix`: mends what diagnostics say.

use std::sync::Arc;

use protocol::edit::FixDiagnosticsParams;
use protocol::lsp::{Diagnostic, VersionedDocument};
use serde::Deserialize;
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::requests::fix_diagnostics;
use crate::core::rpc::Reply;
use crate::core::state::State;

#[derive(Deserialize)]
pub(super) struct Broken {
    uri: String,
    version: Option<i32>,
    diagnostics: Vec<Diagnostic>,
}

pub(super) fn run(state: &mut State, door: &Arc<Door>, broken: Broken, reply: Reply) {
    let Broken { uri, version, diagnostics } = broken;
    let version = version.or_else(|| state.buffers.version(&DocumentUri::new(&uri)));
    let text_document = VersionedDocument { uri, version };
    let params = FixDiagnosticsParams { text_document, diagnostics, session_id: None };
    fix_diagnostics::handle(state, door, params, reply);
}
