//! Changing what the editor has open: sent with its version, and believed only when the editor's
//! own change arrives and the text is what it should be.
//!
//! Editors differ in which comes first, the answer or the change, so both are waited for, each in
//! its own time. Text the user typed meanwhile moves the edit; text typed at the same place wins.
//! One edit of a document is under way at a time: those of other writers wait their turn, and are
//! moved over whatever came before them.

mod receipt;
mod wire;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

use text::Edit;
use tools::{EditError, Edited, OwnChange};
use workspace::{Document, DocumentUri};

use super::buffers::Buffers;
use super::event::{CoreHandle, EditAnswer, EditReply, OpenEdit, Purpose};
use super::ledgers::Ledgers;
use super::rpc::RpcError;
pub use receipt::Landed;
use receipt::{Sent, Verdict};
use wire::{Letter, expire_later, speaks_ours};

const TRIES: u32 = 3;
/// More edits of one document than this at once are no work, but a mistake.
const WAITING: usize = 256;
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
    /// Behind the one that is under way, by document.
    waiting: HashMap<DocumentUri, VecDeque<OpenEdit>>,
}

struct Pending {
    uri: DocumentUri,
    label: String,
    undo_group: String,
    purpose: Purpose,
    reply: EditReply,
    tries: u32,
    /// What others changed before it was sent again.
    passed: Vec<Landed>,
    sent: Sent,
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

/// An edit is over: what happened to the text while it was under way, and whom to tell.
pub struct Ended {
    pub uri: DocumentUri,
    pub purpose: Purpose,
    pub landed: Vec<Landed>,
    pub reply: EditReply,
    /// `None`: the document was closed, and the disk is the truth now.
    pub outcome: Option<Result<Edited, EditError>>,
}

impl Edits {
    pub fn new(core: CoreHandle) -> Self {
        Self { core, next: 1, pending: BTreeMap::new(), waiting: HashMap::new() }
    }

    /// Takes an edit; it ends when the editor's text has it.
    pub fn start(
        &mut self,
        request: OpenEdit,
        buffers: &Buffers,
        ledgers: &Ledgers,
    ) -> Option<Ended> {
        let waits = self.is_under_way(&request.uri) || ledgers.is_loading(&request.uri);
        if !waits {
            return self.begin(request, buffers, ledgers);
        }
        let queue = self.waiting.entry(request.uri.clone()).or_default();
        if queue.len() < WAITING {
            queue.push_back(request);
            return None;
        }
        let reason = "too many changes wait for it".to_owned();
        let error = EditError::Refused { path: name(&request.uri), reason };
        Some(request.ended(Some(Err(error))))
    }

    /// Goes on with what waits for a document that is free again.
    pub fn go_on(&mut self, uri: &DocumentUri, buffers: &Buffers, ledgers: &Ledgers) -> Vec<Ended> {
        let mut ended = Vec::new();
        while !self.is_under_way(uri) && !ledgers.is_loading(uri) {
            let Some(queue) = self.waiting.get_mut(uri) else { break };
            let Some(request) = queue.pop_front() else {
                self.waiting.remove(uri);
                break;
            };
            // Nobody waits for it any more: the turn was stopped, and stopped means stopped.
            if !request.reply.is_closed() {
                ended.extend(self.begin(request, buffers, ledgers));
            }
        }
        ended
    }

    pub fn is_under_way(&self, uri: &DocumentUri) -> bool {
        self.pending.values().any(|pending| pending.uri == *uri)
    }

    fn begin(&mut self, request: OpenEdit, buffers: &Buffers, ledgers: &Ledgers) -> Option<Ended> {
        let snapshot = buffers.snapshot();
        let document = snapshot.by_uri(&request.uri);
        let (Some(document), Some(door)) = (document, buffers.owner(&request.uri)) else {
            return Some(request.ended(None));
        };
        if !document.in_sync {
            let error = out_of_step(&request.uri);
            return Some(request.ended(Some(Err(error))));
        }
        let edit = match present(&request, document, buffers, ledgers) {
            Ok(edit) if edit.is_empty() => {
                // The editor would have nothing to change and nothing to tell.
                let edited = edited(document, None);
                return Some(request.ended(Some(Ok(edited))));
            }
            Ok(edit) => edit,
            Err(at) => {
                let error = conflict(document, at);
                return Some(request.ended(Some(Err(error))));
            }
        };
        let standard = !speaks_ours(door);
        if standard && !door.profile().apply_edit {
            let reason = "it does not offer workspace/applyEdit; close the file there, and the \
                          change will be written to disk";
            let (path, reason) = (name(&request.uri), reason.to_owned());
            return Some(request.ended(Some(Err(EditError::Refused { path, reason }))));
        }
        let Some(sent) = Sent::new(&document.text, edit) else {
            let (path, reason) = (name(&request.uri), "the edit does not fit the text".to_owned());
            return Some(request.ended(Some(Err(EditError::Refused { path, reason }))));
        };
        let OpenEdit { uri, label, undo_group, purpose, reply, .. } = request;
        let mut pending = Pending {
            uri,
            label,
            undo_group,
            purpose,
            reply,
            tries: 0,
            passed: Vec::new(),
            sent,
            answer: Answered::NotYet,
            versioned: false,
            standard,
        };
        let id = self.id();
        pending.send(id, document, buffers, &self.core);
        self.pending.insert(id, pending);
        None
    }

    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The editor's text changed. `false` when no edit is under way: the change is somebody's own.
    pub fn changed(
        &mut self,
        uri: &DocumentUri,
        change: &Edit,
        buffers: &Buffers,
    ) -> (bool, Option<Ended>) {
        let snapshot = buffers.snapshot();
        let under_way = self.pending.iter_mut().find(|(_, pending)| pending.uri == *uri);
        let (Some(document), Some((id, pending))) = (snapshot.by_uri(uri), under_way) else {
            return (false, None);
        };
        let id = *id;
        if let Some(landed) = pending.sent.changed(change, &document.text) {
            let edited = edited(document, None);
            return (true, self.end(id, landed, Some(Ok(edited))));
        }
        match pending.answer {
            Answered::NotYet => (true, None),
            Answered::Applied => {
                expire_later(&self.core, id, SETTLED_WITHIN);
                (true, None)
            }
            Answered::Refused(_) => (true, self.retry(id, buffers)),
        }
    }

    /// The editor answered.
    pub fn answered(
        &mut self,
        id: u64,
        outcome: Result<EditAnswer, RpcError>,
        buffers: &Buffers,
    ) -> Option<Ended> {
        let pending = self.pending.get_mut(&id)?;
        let reason = match outcome {
            Ok(EditAnswer { applied: true, .. }) => {
                pending.answer = Answered::Applied;
                let moved = pending.sent.is_moved();
                let within = if moved { SETTLED_WITHIN } else { CHANGE_WITHIN };
                expire_later(&self.core, id, within);
                return None;
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
        if pending.sent.is_moved() {
            return self.retry(id, buffers);
        }
        // The text it refused for is on its way; asking again about the old one is of no use.
        expire_later(&self.core, id, NEWER_TEXT_WITHIN);
        None
    }

    /// Under a new id, so that what was still to come for the old one does not count.
    fn retry(&mut self, id: u64, buffers: &Buffers) -> Option<Ended> {
        let mut pending = self.pending.remove(&id)?;
        let snapshot = buffers.snapshot();
        let Some(document) = snapshot.by_uri(&pending.uri) else {
            return Some(pending.ended(None));
        };
        if pending.reply.is_closed() || !document.in_sync {
            let error = out_of_step(&pending.uri);
            return Some(pending.ended(Some(Err(error))));
        }
        let edit = match pending.sent.present() {
            Ok(edit) => edit.clone(),
            Err(at) => {
                let error = conflict(document, at);
                return Some(pending.ended(Some(Err(error))));
            }
        };
        let again = Sent::new(&document.text, edit).filter(|_| pending.tries < TRIES);
        let Some(sent) = again else {
            let error = pending.refusal();
            return Some(pending.ended(Some(Err(error))));
        };
        let earlier = std::mem::replace(&mut pending.sent, sent);
        pending.passed.extend(earlier.foreign());
        let id = self.id();
        pending.send(id, document, buffers, &self.core);
        self.pending.insert(id, pending);
        None
    }

    /// The document was closed or opened anew: its text is not the one the edits were made for.
    pub fn reset(&mut self, uri: &DocumentUri) -> Vec<Ended> {
        let void = self.pending.iter().filter(|(_, pending)| pending.uri == *uri);
        let void: Vec<_> = void.map(|(id, _)| *id).collect();
        let void = void.iter().filter_map(|id| self.pending.remove(id)).map(|pending| {
            let outcome = match pending.answer {
                // Surely not applied: whoever asked may look again where the text is now.
                Answered::Refused(_) => None,
                Answered::NotYet | Answered::Applied => {
                    Some(Err(EditError::Unexpected { path: name(uri) }))
                }
            };
            pending.ended(outcome)
        });
        void.collect()
    }

    /// Time is up: what the text says now decides.
    pub fn expired(&mut self, id: u64, buffers: &Buffers) -> Option<Ended> {
        let pending = self.pending.get(&id)?;
        let snapshot = buffers.snapshot();
        let Some(document) = snapshot.by_uri(&pending.uri) else {
            return self.end(id, Vec::new(), None);
        };
        if !matches!(pending.answer, Answered::Applied) {
            let error = pending.refusal();
            let pending = self.pending.remove(&id)?;
            return Some(pending.ended(Some(Err(error))));
        }
        match pending.sent.verdict(&document.text) {
            Verdict::Applied(landed) => {
                let edited = edited(document, None);
                self.end(id, landed, Some(Ok(edited)))
            }
            Verdict::Deviates(landed, sentence) => {
                let edited = edited(document, Some(sentence));
                self.end(id, landed, Some(Ok(edited)))
            }
            // Neovim says that it applied an edit it left out because its text was newer.
            Verdict::Missing if pending.sent.is_moved() && pending.versioned => {
                self.retry(id, buffers)
            }
            Verdict::Missing => {
                let reason = "it said that it did, but its text has not changed".to_owned();
                let error = EditError::Refused { path: name(&pending.uri), reason };
                let pending = self.pending.remove(&id)?;
                Some(pending.ended(Some(Err(error))))
            }
            Verdict::Overlapped(at) => {
                let error = conflict(document, at);
                let pending = self.pending.remove(&id)?;
                Some(pending.ended(Some(Err(error))))
            }
        }
    }

    fn end(
        &mut self,
        id: u64,
        landed: Vec<Landed>,
        outcome: Option<Result<Edited, EditError>>,
    ) -> Option<Ended> {
        let Pending { uri, purpose, reply, mut passed, .. } = self.pending.remove(&id)?;
        let own = own_change(&landed);
        passed.extend(landed);
        let outcome = outcome.map(|outcome| outcome.map(|edited| Edited { own, ..edited }));
        Some(Ended { uri, purpose, landed: passed, reply, outcome })
    }
}

/// What an edit did, without what others did meanwhile.
fn own_change(landed: &[Landed]) -> Option<OwnChange> {
    landed.iter().rev().find_map(|part| match part {
        Landed::Own { before, edit } => {
            let after = edit.apply(before).ok()?;
            Some(OwnChange { before: before.clone(), after })
        }
        Landed::Foreign(_) => None,
    })
}

impl Pending {
    fn send(&mut self, id: u64, document: &Document, buffers: &Buffers, core: &CoreHandle) {
        self.tries += 1;
        self.answer = Answered::NotYet;
        let (Some(door), Ok(edit)) = (buffers.owner(&self.uri), self.sent.present()) else {
            return;
        };
        let (label, undo_group) = (self.label.clone(), self.undo_group.clone());
        let letter = Letter { id, document, edit, label, undo_group, standard: self.standard };
        self.versioned = letter.send(door, core);
    }

    fn refusal(&self) -> EditError {
        let reason = match &self.answer {
            Answered::Refused(reason) => reason.clone(),
            Answered::NotYet | Answered::Applied => "it did not answer in time".to_owned(),
        };
        EditError::Refused { path: name(&self.uri), reason }
    }

    /// Nothing of it is in the text.
    fn ended(self, outcome: Option<Result<Edited, EditError>>) -> Ended {
        let Pending { uri, purpose, reply, sent, mut passed, .. } = self;
        passed.extend(sent.foreign());
        Ended { uri, purpose, landed: passed, reply, outcome }
    }
}

impl OpenEdit {
    /// It ends before it was sent.
    fn ended(self, outcome: Option<Result<Edited, EditError>>) -> Ended {
        let OpenEdit { uri, purpose, reply, .. } = self;
        Ended { uri, purpose, landed: Vec::new(), reply, outcome }
    }
}

/// The edit in terms of the text as it is now; else the byte where somebody changed the same place.
fn present(
    request: &OpenEdit,
    document: &Document,
    buffers: &Buffers,
    ledgers: &Ledgers,
) -> Result<Edit, usize> {
    match (&request.computed, &request.purpose) {
        (Some(computed), Purpose::Agent(author)) => {
            buffers.rebase(document, computed, Some(&author.session))
        }
        (Some(computed), _) => buffers.rebase(document, computed, None),
        (None, Purpose::Switch { hunks, active, .. }) => {
            ledgers.preview(&request.uri, hunks, *active, &document.text)
        }
        (None, _) => Ok(Edit::identity(document.text.len_bytes())),
    }
}

fn edited(document: &Document, deviation: Option<String>) -> Edited {
    let (text, version) = (document.text.clone(), Some(document.version));
    Edited { text, version, deviation, own: None }
}

fn conflict(document: &Document, at: usize) -> EditError {
    let excerpt = Some(tools::excerpt(&document.text, at..at));
    EditError::Conflict { path: name(&document.uri), excerpt }
}

fn out_of_step(uri: &DocumentUri) -> EditError {
    let reason = "its text is not in step with ours; reopen the file there".to_owned();
    EditError::Refused { path: name(uri), reason }
}

fn name(uri: &DocumentUri) -> String {
    uri.to_path().map_or_else(|| uri.as_str().to_owned(), |path| path.display().to_string())
}
