//! An edit on the wire: our own request where the editor has it, the standard one elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::editor::{EditorApply, EditorApplyParams, EditorApplyResult};
use protocol::lsp::{DocumentChange, TextDocumentEdit, VersionedDocument, WorkspaceEdit};
use serde::{Deserialize, Serialize};
use text::Edit;
use workspace::Document;

use crate::core::buffers::text_edits;
use crate::core::door::Door;
use crate::core::event::{CoreHandle, EditAnswer, Event};
use crate::core::rpc::RpcError;

/// An editor that answers at all does so in milliseconds; one that asks its user first may not.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);

/// `workspace/applyEdit`, for editors without our extension.
#[derive(Serialize)]
struct ApplyEditParams {
    label: String,
    edit: PlainWorkspaceEdit,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PlainWorkspaceEdit {
    Versioned(WorkspaceEdit),
    Changes { changes: BTreeMap<String, Vec<protocol::lsp::TextEdit>> },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ApplyEditResult {
    applied: bool,
    failure_reason: Option<String>,
}

/// What is sent: the edit in terms of the document as it is, and how the editor shall call it.
pub(super) struct Letter<'a> {
    pub(super) id: u64,
    pub(super) document: &'a Document,
    pub(super) edit: &'a Edit,
    pub(super) label: String,
    pub(super) undo_group: String,
    /// By the standard method, because the editor does not know ours.
    pub(super) standard: bool,
}

impl Letter<'_> {
    /// Sends it; the answer comes back as an event.
    pub(super) fn send(self, door: &Arc<Door>, core: &CoreHandle) {
        let versioned = !self.standard || door.profile().versioned_edits;
        let edits = text_edits(self.edit, &self.document.text, door.encoding());
        let uri = self.document.uri.as_str().to_owned();
        let lowest = if self.standard && door.profile().zero_is_unchecked { 1 } else { i32::MIN };
        let version = Some(self.document.version.max(lowest));
        let text_document = VersionedDocument { uri: uri.clone(), version };
        let with_version = |edits| WorkspaceEdit {
            document_changes: vec![DocumentChange::Edit(TextDocumentEdit { text_document, edits })],
        };
        let (id, label) = (self.id, self.label);
        if self.standard {
            let edit = if versioned {
                PlainWorkspaceEdit::Versioned(with_version(edits))
            } else {
                PlainWorkspaceEdit::Changes { changes: BTreeMap::from([(uri, edits)]) }
            };
            let asked = door.ask("workspace/applyEdit", &ApplyEditParams { label, edit });
            await_answer(core, id, async move {
                let result: ApplyEditResult = asked.answer(ANSWER_WITHIN).await?;
                Ok(EditAnswer { applied: result.applied, reason: result.failure_reason })
            });
        } else {
            let undo_group = self.undo_group;
            let params = EditorApplyParams { label, undo_group, edit: with_version(edits) };
            let asked = door.ask(EditorApply::METHOD, &params);
            await_answer(core, id, async move {
                let result: EditorApplyResult = asked.answer(ANSWER_WITHIN).await?;
                Ok(EditAnswer { applied: result.applied, reason: result.reason })
            });
        }
    }
}

/// Whether the editor takes our own request for edits.
pub(super) fn speaks_ours(door: &Door) -> bool {
    let editor = door.profile().agent.editor;
    let announced = editor.and_then(|editor| editor.apply).unwrap_or(false);
    announced && !door.is_unknown(EditorApply::METHOD)
}

fn await_answer(
    core: &CoreHandle,
    edit: u64,
    answer: impl Future<Output = Result<EditAnswer, RpcError>> + Send + 'static,
) {
    let core = core.clone();
    tokio::spawn(async move {
        let outcome = answer.await;
        core.send(Event::EditAnswered { edit, outcome }).await;
    });
}

pub(super) fn expire_later(core: &CoreHandle, edit: u64, after: Duration) {
    let core = core.clone();
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        core.send(Event::EditExpired { edit }).await;
    });
}
