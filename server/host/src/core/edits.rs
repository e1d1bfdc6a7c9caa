//! Changing what the editor has open: sent with its version, and believed only when the editor's
//! own change arrives and the text is what it should be.
//!
//! Editors differ in which comes first, the answer or the change, so both are waited for, each in
//! its own time. Text the user typed meanwhile moves the edit; text typed at the same place wins.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::editor::{EditorApply, EditorApplyParams, EditorApplyResult};
use protocol::lsp::{DocumentChange, TextDocumentEdit, VersionedDocument, WorkspaceEdit};
use serde::{Deserialize, Serialize};
use text::{Edit, Splice, Text};
use tools::{EditError, Edited};
use workspace::{Document, DocumentUri};

use super::buffers::{Buffers, text_edits};
use super::door::Door;
use super::event::{CoreHandle, EditAnswer, EditReply, Event, OpenEdit};
use super::rpc::RpcError;

const TRIES: u32 = 3;
/// An editor that answers at all does so in milliseconds; one that asks its user first may not.
const ANSWER_WITHIN: Duration = Duration::from_secs(20);
/// Seen in the field: up to a quarter of a second between the answer and the change, and eglot,
/// which sends nothing while its user types on.
const CHANGE_WITHIN: Duration = Duration::from_secs(10);
/// Once the text has changed in another way than expected, the edit's own change is close behind
/// or will not come.
const SETTLED_WITHIN: Duration = Duration::from_millis(500);
/// Who refuses because its text is newer sends that text soon.
const NEWER_TEXT_WITHIN: Duration = Duration::from_secs(1);

pub struct Edits {
    core: CoreHandle,
    next: u64,
    pending: BTreeMap<u64, Pending>,
}

struct Pending {
    uri: DocumentUri,
    label: String,
    call_id: String,
    reply: EditReply,
    tries: u32,
    /// The edit in terms of the present text, as long as it does not overlap with newer text.
    edit: Option<Edit>,
    /// What the text should be afterwards: as sent, and as it is now that others changed it too.
    expected: Vec<Text>,
    /// Others changed the text since the edit was sent.
    moved: bool,
    answer: Answered,
    /// Sent with a version that the editor checks.
    versioned: bool,
    /// Ask by the standard method, because the editor does not know ours.
    standard: bool,
}

/// What the editor said about the edit as it was sent last.
enum Answered {
    NotYet,
    Applied,
    /// With its reason.
    Refused(String),
}

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

impl Edits {
    pub fn new(core: CoreHandle) -> Self {
        Self { core, next: 1, pending: BTreeMap::new() }
    }

    /// Starts an edit; the answer goes to its reply when the editor's text has it.
    pub fn start(&mut self, request: OpenEdit, buffers: &Buffers) {
        let OpenEdit { uri, base_version, base, edit, label, call_id, reply } = request;
        let snapshot = buffers.snapshot();
        let (Some(document), Some(door)) = (snapshot.by_uri(&uri), buffers.owner(&uri)) else {
            let _ = reply.send(None);
            return;
        };
        if !document.in_sync {
            let _ = reply.send(Some(Err(out_of_step(&uri))));
            return;
        }
        let Some(edit) = buffers.rebase(document, base_version, &base, &edit) else {
            let _ = reply.send(Some(Err(EditError::Conflict { path: name(&uri), excerpt: None })));
            return;
        };
        if edit.is_empty() {
            // The editor would have nothing to change and nothing to tell.
            let edited = Edited {
                text: document.text.clone(),
                version: Some(document.version),
                deviation: None,
            };
            let _ = reply.send(Some(Ok(edited)));
            return;
        }
        let id = self.next;
        self.next += 1;
        let standard = !speaks_ours(door);
        if standard && !door.profile().apply_edit {
            let reason = "it does not offer workspace/applyEdit; close the file there, and the \
                          change will be written to disk";
            let (path, reason) = (name(&uri), reason.to_owned());
            let _ = reply.send(Some(Err(EditError::Refused { path, reason })));
            return;
        }
        let mut pending = Pending {
            uri,
            label,
            call_id,
            reply,
            tries: 0,
            edit: Some(edit),
            expected: Vec::new(),
            moved: false,
            answer: Answered::NotYet,
            versioned: false,
            standard,
        };
        if pending.send(id, document, door, &self.core) {
            self.pending.insert(id, pending);
        } else {
            pending.answer = Answered::Refused("the edit does not fit the text".to_owned());
            pending.refuse();
        }
    }

    /// The editor's text changed: perhaps this is what an edit waits for.
    pub fn changed(&mut self, uri: &DocumentUri, change: &Edit, buffers: &Buffers) {
        let snapshot = buffers.snapshot();
        let Some(document) = snapshot.by_uri(uri) else { return };
        let waiting = self.pending.iter_mut().filter(|(_, pending)| pending.uri == *uri);
        let (mut done, mut again) = (Vec::new(), Vec::new());
        for (id, pending) in waiting {
            if pending.expected.contains(&document.text) {
                done.push(*id);
                continue;
            }
            pending.follow(change, &document.text);
            match pending.answer {
                Answered::NotYet => {}
                Answered::Applied => expire_later(&self.core, *id, SETTLED_WITHIN),
                Answered::Refused(_) => again.push(*id),
            }
        }
        for id in done {
            self.finish(id, document);
        }
        for id in again {
            self.retry(id, buffers);
        }
    }

    /// The editor answered.
    pub fn answered(&mut self, id: u64, outcome: Result<EditAnswer, RpcError>, buffers: &Buffers) {
        let Some(pending) = self.pending.get_mut(&id) else { return };
        let reason = match outcome {
            Ok(EditAnswer { applied: true, .. }) => {
                pending.answer = Answered::Applied;
                let within = if pending.moved { SETTLED_WITHIN } else { CHANGE_WITHIN };
                return expire_later(&self.core, id, within);
            }
            Ok(EditAnswer { reason, .. }) => reason.unwrap_or_else(|| "it gave no reason".into()),
            Err(error) if error.code == RpcError::CANCELLED => return self.expired(id, buffers),
            // It does not know our method (eglot says so by answering nothing): use the standard.
            Err(_) if !pending.standard => {
                pending.standard = true;
                return self.retry(id, buffers);
            }
            Err(error) => error.message,
        };
        pending.answer = Answered::Refused(reason);
        if pending.moved {
            self.retry(id, buffers);
        } else {
            // The text it refused for is on its way; asking again about the old one is of no use.
            expire_later(&self.core, id, NEWER_TEXT_WITHIN);
        }
    }

    /// Under a new id, so that what was still to come for the old one does not count.
    fn retry(&mut self, id: u64, buffers: &Buffers) {
        let Some(mut pending) = self.pending.remove(&id) else { return };
        let snapshot = buffers.snapshot();
        let document = snapshot.by_uri(&pending.uri);
        let (Some(document), Some(door)) = (document, buffers.owner(&pending.uri)) else {
            let _ = pending.reply.send(None);
            return;
        };
        // Nobody waits for it any more: the turn was stopped, and stopped means stopped.
        if pending.reply.is_closed() {
            return;
        }
        if !document.in_sync {
            let error = out_of_step(&pending.uri);
            let _ = pending.reply.send(Some(Err(error)));
            return;
        }
        let id = self.next;
        self.next += 1;
        if pending.edit.is_none() {
            let path = name(&pending.uri);
            let _ = pending.reply.send(Some(Err(EditError::Conflict { path, excerpt: None })));
        } else if pending.tries < TRIES && pending.send(id, document, door, &self.core) {
            self.pending.insert(id, pending);
        } else {
            pending.refuse();
        }
    }

    /// The document was closed or opened anew: its text is not the one the edits were made for.
    pub fn reset(&mut self, uri: &DocumentUri) {
        let void = self.pending.iter().filter(|(_, pending)| pending.uri == *uri);
        let void: Vec<_> = void.map(|(id, _)| *id).collect();
        for pending in void.iter().filter_map(|id| self.pending.remove(id)) {
            let outcome = match pending.answer {
                // Surely not applied: whoever asked may look again where the text is now.
                Answered::Refused(_) => None,
                Answered::NotYet | Answered::Applied => {
                    Some(Err(EditError::Unexpected { path: name(uri) }))
                }
            };
            let _ = pending.reply.send(outcome);
        }
    }

    /// Time is up: what the text says now decides.
    pub fn expired(&mut self, id: u64, buffers: &Buffers) {
        let Some(pending) = self.pending.get(&id) else { return };
        let snapshot = buffers.snapshot();
        let document = snapshot.by_uri(&pending.uri);
        match document {
            Some(document) if pending.expected.contains(&document.text) => {
                self.finish(id, document);
            }
            Some(document) if pending.was_skipped(&document.text) => self.retry(id, buffers),
            _ => {
                let Some(pending) = self.pending.remove(&id) else { return };
                if matches!(pending.answer, Answered::Applied) {
                    let path = name(&pending.uri);
                    let _ = pending.reply.send(Some(Err(EditError::Unexpected { path })));
                } else {
                    pending.refuse();
                }
            }
        }
    }

    fn finish(&mut self, id: u64, document: &Document) {
        if let Some(pending) = self.pending.remove(&id) {
            let edited = Edited {
                text: document.text.clone(),
                version: Some(document.version),
                deviation: None,
            };
            let _ = pending.reply.send(Some(Ok(edited)));
        }
    }
}

impl Pending {
    /// Sends the edit with the document's present version; `false` when it does not fit.
    fn send(&mut self, id: u64, document: &Document, door: &Arc<Door>, core: &CoreHandle) -> bool {
        self.tries += 1;
        self.moved = false;
        self.answer = Answered::NotYet;
        let Some(Ok(after)) = self.edit.as_ref().map(|edit| edit.apply(&document.text)) else {
            return false;
        };
        self.expected = vec![after];
        self.versioned = !self.standard || door.profile().versioned_edits;
        let edits = match &self.edit {
            Some(edit) => text_edits(edit, &document.text, door.encoding()),
            None => return false,
        };
        let uri = document.uri.as_str().to_owned();
        let lowest = if self.standard && door.profile().zero_is_unchecked { 1 } else { i32::MIN };
        let version = Some(document.version.max(lowest));
        let text_document = VersionedDocument { uri: uri.clone(), version };
        let versioned = |edits| WorkspaceEdit {
            document_changes: vec![DocumentChange::Edit(TextDocumentEdit { text_document, edits })],
        };
        let label = self.label.clone();
        if self.standard {
            let edit = if self.versioned {
                PlainWorkspaceEdit::Versioned(versioned(edits))
            } else {
                PlainWorkspaceEdit::Changes { changes: BTreeMap::from([(uri, edits)]) }
            };
            let asked = door.ask("workspace/applyEdit", &ApplyEditParams { label, edit });
            await_answer(core, id, async move {
                let result: ApplyEditResult = asked.answer(ANSWER_WITHIN).await?;
                Ok(EditAnswer { applied: result.applied, reason: result.failure_reason })
            });
        } else {
            let undo_group = self.call_id.clone();
            let params = EditorApplyParams { label, undo_group, edit: versioned(edits) };
            let asked = door.ask(EditorApply::METHOD, &params);
            await_answer(core, id, async move {
                let result: EditorApplyResult = asked.answer(ANSWER_WITHIN).await?;
                Ok(EditAnswer { applied: result.applied, reason: result.reason })
            });
        }
        true
    }

    /// Others changed the text while the edit was on its way: it moves along.
    fn follow(&mut self, change: &Edit, now: &Text) {
        self.moved = true;
        self.edit = self.edit.take().and_then(|edit| edit.rebase(change).ok());
        if let Some(Ok(after)) = self.edit.as_ref().map(|edit| edit.apply(now)) {
            self.expected.push(after);
        }
    }

    /// Neovim says that it applied an edit it left out because its text was newer. The edit is not
    /// in the text when every change since kept away from its places; only for what it inserts
    /// between others' text must one look. Who checks no versions may have put it anywhere.
    fn was_skipped(&self, now: &Text) -> bool {
        if !self.moved || !self.versioned {
            return false;
        }
        let Some(edit) = &self.edit else { return false };
        let stands = |splice: &Splice| {
            let start = splice.range.start.checked_sub(splice.text.len());
            let before = start.and_then(|start| now.slice(start..splice.range.start));
            splice.range.is_empty() && before.is_some_and(|before| before == splice.text)
        };
        matches!(self.answer, Answered::Applied) && !edit.splices().iter().any(stands)
    }

    fn refuse(self) {
        let path = name(&self.uri);
        let reason = match self.answer {
            Answered::Refused(reason) => reason,
            Answered::NotYet | Answered::Applied => "it did not answer in time".to_owned(),
        };
        let _ = self.reply.send(Some(Err(EditError::Refused { path, reason })));
    }
}

fn out_of_step(uri: &DocumentUri) -> EditError {
    let reason = "its text is not in step with ours; reopen the file there".to_owned();
    EditError::Refused { path: name(uri), reason }
}

fn speaks_ours(door: &Door) -> bool {
    let editor = door.profile().agent.editor;
    let announced = editor.and_then(|editor| editor.apply).unwrap_or(false);
    announced && !door.is_unknown(EditorApply::METHOD)
}

fn name(uri: &DocumentUri) -> String {
    uri.to_path().map_or_else(|| uri.as_str().to_owned(), |path| path.display().to_string())
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

fn expire_later(core: &CoreHandle, edit: u64, after: Duration) {
    let core = core.clone();
    tokio::spawn(async move {
        tokio::time::sleep(after).await;
        core.send(Event::EditExpired { edit }).await;
    });
}
