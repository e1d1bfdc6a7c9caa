//! Changing what the editor has open: sent with its version, and believed only when the editor's
//! own change arrives and the text is what it should be.
//!
//! Editors differ in which comes first, the answer or the change, so both are waited for, each in
//! its own time. Text the user typed meanwhile moves the edit; text typed at the same place wins.
//! One edit of a document is under way at a time: those of other writers wait their turn, and are
//! moved over whatever came before them.

mod closing;
mod pending;
mod receipt;
mod wire;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::{Duration, Instant};

use text::{Author, Edit, PositionEncoding, Text};
use tools::{EditError, Edited};
use workspace::{Document, DocumentUri};

use super::buffers::Buffers;
use super::door::Door;
use super::event::{CoreHandle, EditAnswer, EditReply, OpenEdit, Purpose};
use super::ledgers::Ledgers;
use super::rpc::RpcError;
use closing::Closing;
use pending::{Answered, Pending};
pub use receipt::Landed;
use receipt::{Finding, Observed, Sent, Verdict};
use wire::{expire_later, speaks_ours};

const TRIES: u32 = 3;
/// More edits of one document than this at once are no work, but a mistake.
const WAITING: usize = 256;
/// Seen in the field: up to a quarter of a second between the answer and the change, and eglot,
/// which sends nothing while its user types on.
const CHANGE_WITHIN: Duration = Duration::from_secs(10);
/// Once the text has changed in another way than expected, the edit's own change is close behind
/// or will not come.
const SETTLED_WITHIN: Duration = Duration::from_secs(1);
/// Who refuses because its text is newer sends that text soon.
const NEWER_TEXT_WITHIN: Duration = Duration::from_secs(1);

pub struct Edits {
    core: CoreHandle,
    next: u64,
    pending: BTreeMap<u64, Pending>,
    /// Their documents were closed before the receipt; the files are being read.
    closing: BTreeMap<u64, Closing>,
    /// Behind the one that is under way, by document.
    waiting: HashMap<DocumentUri, VecDeque<OpenEdit>>,
}

/// An edit is over: what happened to the text while it was under way, and whom to tell.
pub struct Ended {
    pub uri: DocumentUri,
    /// How the ledger knew the document before it was closed.
    pub key: Option<DocumentUri>,
    pub purpose: Purpose,
    pub landed: Vec<Landed>,
    /// How many messages of the editor came after the one that had the edit.
    pub later: usize,
    pub reply: EditReply,
    /// `None`: the document was closed, and the disk is the truth now.
    pub outcome: Option<Result<Edited, EditError>>,
    /// What the file says, when its document was closed meanwhile.
    pub text: Option<Text>,
    /// For the user.
    pub notice: Option<&'static str>,
}

impl Edits {
    pub fn new(core: CoreHandle) -> Self {
        let (pending, closing) = (BTreeMap::new(), BTreeMap::new());
        Self { core, next: 1, pending, closing, waiting: HashMap::new() }
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

    /// The agent's change that is on its way to an editor, as it was sent first.
    pub fn on_its_way(&self, uri: &DocumentUri) -> Option<(&Edit, &Author)> {
        let first = |pending: &&Pending| pending.tries == 1 && pending.repair.is_none();
        let pending = self.pending.values().find(|pending| pending.uri == *uri).filter(first)?;
        match (&pending.purpose, pending.sent.present()) {
            (Purpose::Agent(author), Ok(edit)) => Some((edit, author)),
            _ => None,
        }
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
        let unchecked = unchecked(door, standard);
        let Some(sent) = Sent::new(&document.text, edit, unchecked) else {
            let (path, reason) = (name(&request.uri), "the edit does not fit the text".to_owned());
            return Some(request.ended(Some(Err(EditError::Refused { path, reason }))));
        };
        let OpenEdit { uri, label, undo_group, purpose, reply, .. } = request;
        let pending = Pending {
            uri,
            label,
            undo_group,
            purpose,
            reply,
            tries: 0,
            passed: Vec::new(),
            sent,
            answer: Answered::NotYet,
            claimed: false,
            last_deadline: None,
            standard,
            repair: None,
        };
        self.send(pending, document, buffers);
        None
    }

    fn id(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The editor's text changed, by `change` as a whole, or by `steps` where it told of several.
    /// `false` when no edit is under way: the change is somebody's own.
    pub fn changed(
        &mut self,
        uri: &DocumentUri,
        change: &Edit,
        steps: &[Edit],
        buffers: &Buffers,
    ) -> (bool, Option<Ended>) {
        let snapshot = buffers.snapshot();
        let under_way = self.pending.iter_mut().find(|(_, pending)| pending.uri == *uri);
        let (Some(document), Some((id, pending))) = (snapshot.by_uri(uri), under_way) else {
            return (false, None);
        };
        let id = *id;
        let observed = Observed { change, steps, now: &document.text };
        if let Some(found) = pending.sent.changed(&observed) {
            return (true, self.finish(id, found, buffers));
        }
        match pending.answer {
            Answered::NotYet => (true, None),
            Answered::Applied => match pending.sent.claimed() {
                Some(found) => (true, self.finish(id, found, buffers)),
                None => {
                    expire_later(&self.core, id, SETTLED_WITHIN);
                    (true, None)
                }
            },
            Answered::Refused(_) => (true, self.refused(id, buffers)),
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
                pending.claimed = true;
                if let Some(found) = pending.sent.claimed() {
                    return self.finish(id, found, buffers);
                }
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
            return self.refused(id, buffers);
        }
        // The text it refused for is on its way; asking again about the old one is of no use.
        expire_later(&self.core, id, NEWER_TEXT_WITHIN);
        None
    }

    /// The editor refused the edit, and its text is another one by now. An editor that applied an
    /// earlier try refuses this one for that.
    fn refused(&mut self, id: u64, buffers: &Buffers) -> Option<Ended> {
        let pending = self.pending.get_mut(&id)?;
        match pending.sent.explained().filter(|_| pending.claimed) {
            Some(found) => self.finish(id, found, buffers),
            None => self.retry(id, buffers),
        }
    }

    /// Under a new id, so that what was still to come for the old one does not count.
    fn retry(&mut self, id: u64, buffers: &Buffers) -> Option<Ended> {
        let mut pending = self.pending.remove(&id)?;
        let snapshot = buffers.snapshot();
        let (document, door) = (snapshot.by_uri(&pending.uri), buffers.owner(&pending.uri));
        let (Some(document), Some(door)) = (document, door) else {
            return Some(pending.ended(None, None));
        };
        if pending.reply.is_closed() || !document.in_sync {
            let error = out_of_step(&pending.uri);
            return Some(pending.ended(Some(document), Some(Err(error))));
        }
        let edit = match pending.sent.present() {
            Ok(edit) => edit.clone(),
            Err(at) => {
                let error = conflict(document, at);
                return Some(pending.ended(Some(document), Some(Err(error))));
            }
        };
        let unchecked = unchecked(door, pending.standard);
        let again = Sent::new(&document.text, edit, unchecked).filter(|_| pending.tries < TRIES);
        let Some(sent) = again else {
            let error = pending.refusal();
            return Some(pending.ended(Some(document), Some(Err(error))));
        };
        let earlier = std::mem::replace(&mut pending.sent, sent);
        pending.passed.extend(earlier.foreign());
        self.send(pending, document, buffers);
        None
    }

    fn send(&mut self, mut pending: Pending, document: &Document, buffers: &Buffers) {
        let id = self.id();
        pending.send(id, document, buffers, &self.core);
        self.pending.insert(id, pending);
    }

    /// Time is up: what the text says now decides.
    pub fn expired(&mut self, id: u64, buffers: &Buffers) -> Option<Ended> {
        let pending = self.pending.get_mut(&id)?;
        let snapshot = buffers.snapshot();
        let Some(document) = snapshot.by_uri(&pending.uri) else {
            let pending = self.pending.remove(&id)?;
            return Some(pending.ended(None, None));
        };
        let error = if !matches!(pending.answer, Answered::Applied) {
            pending.refusal()
        } else {
            match pending.sent.verdict() {
                Verdict::Applied(found) => return self.finish(id, found, buffers),
                // Neovim says that it applied an edit it left out because its text was newer.
                Verdict::Missing if pending.sent.is_moved() && pending.sent.is_checked() => {
                    if pending.tries < TRIES {
                        return self.retry(id, buffers);
                    }
                    // The last word of the editor was that it did: its change may be late, and
                    // what is typed meanwhile does not shorten the wait.
                    let deadline = match pending.last_deadline {
                        Some(deadline) => deadline,
                        None => {
                            // Taken before the timer starts, so that the timer never ends early.
                            let deadline = Instant::now() + CHANGE_WITHIN;
                            expire_later(&self.core, id, CHANGE_WITHIN);
                            *pending.last_deadline.insert(deadline)
                        }
                    };
                    if Instant::now() < deadline {
                        return None;
                    }
                    pending.refusal()
                }
                Verdict::Missing => {
                    let reason = "it said that it did, but its text has not changed".to_owned();
                    EditError::Refused { path: name(&pending.uri), reason }
                }
                Verdict::Overlapped(at) => conflict(document, at),
            }
        };
        let pending = self.pending.remove(&id)?;
        Some(pending.ended(Some(document), Some(Err(error))))
    }

    /// The edit is in the text; at the wrong place, where the editor does not check versions, and
    /// then that is put right first.
    fn finish(&mut self, id: u64, found: Finding, buffers: &Buffers) -> Option<Ended> {
        let pending = self.pending.remove(&id)?;
        let snapshot = buffers.snapshot();
        let Some(document) = snapshot.by_uri(&pending.uri) else {
            return Some(pending.ended(None, None));
        };
        let door = buffers.owner(&pending.uri);
        let unchecked = door.and_then(|door| unchecked(door, pending.standard));
        match pending.repaired(found, document, unchecked) {
            Ok(repair) => {
                self.send(repair, document, buffers);
                None
            }
            Err(landed) => {
                let (pending, found) = *landed;
                Some(pending.landed(found, document))
            }
        }
    }
}

impl OpenEdit {
    /// It ends before it was sent.
    fn ended(self, outcome: Option<Result<Edited, EditError>>) -> Ended {
        let OpenEdit { uri, purpose, reply, .. } = self;
        let (key, landed, later, text, notice) = (None, Vec::new(), 0, None, None);
        Ended { uri, key, purpose, landed, later, reply, outcome, text, notice }
    }
}

/// How an editor counts columns that does not check the version of an edit it is sent.
fn unchecked(door: &Door, standard: bool) -> Option<PositionEncoding> {
    let checks = !standard || door.profile().versioned_edits;
    (!checks).then(|| door.encoding())
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
