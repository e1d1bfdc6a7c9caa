//! What happens to texts, from the editor's side and from ours, and what follows from it for the
//! ledgers.

use std::sync::Arc;
use std::time::Duration;

use agent::Record;
use text::Text;
use tokio::sync::mpsc::error::TrySendError;
use tools::{Edited, OwnChange};
use workspace::DocumentUri;

use super::buffers::{Replaced, Synced};
use super::commits;
use super::door::Door;
use super::edits::{Ended, Landed};
use super::event::{ClosedEdit, DiskSeen, Event, OpenEdit, Purpose, Sync, Written, Wrote};
use super::ledgers::HunkNews;
use super::load::real;
use super::resync;
use super::state::State;
use super::writes::Job;
use crate::session::Msg;
use crate::store::{self, Journal};

/// So long after a key stroke in a hunk its clients are told; those that follow go with it.
const TYPING_PAUSES: Duration = Duration::from_millis(300);

impl State {
    pub(super) fn on_sync(&mut self, door: &Arc<Door>, sync: Sync) {
        let (opens, saves) = match &sync {
            Sync::Open { uri, .. } => (Some(uri.clone()), None),
            Sync::Save { uri, .. } => (None, Some(uri.clone())),
            Sync::Change { .. } | Sync::Close { .. } => (None, None),
        };
        let named = sync.uri().clone();
        let key = self.ledgers.key(&named);
        match self.buffers.sync(door, sync) {
            Synced::Changed { uri, edit, steps } => self.on_changed(&uri, &edit, &steps),
            Synced::OutOfStep { uri, error } => {
                tracing::warn!(%error, "a change did not fit");
                self.inline.reset(&uri);
                if let Some(opened) = self.buffers.opened(&uri) {
                    resync::start(&self.core, door, uri, opened);
                }
            }
            Synced::Reset { uri } => {
                // Before what waits goes on: the ledger of what is open now is not known yet.
                if let (Some(_), Some(now)) = (&opens, self.text(&uri)) {
                    self.ledgers.opened(&uri, &now);
                }
                self.on_reset(&uri, &key);
            }
            Synced::Other => {}
        }
        // What another client has open is not looked at in the name of this one.
        let is_owner = self.buffers.owner(&named).is_some_and(|owner| owner.id == door.id);
        if !is_owner {
            self.ledgers.copy_changed(&named);
        }
        if let Some(uri) = opens.filter(|_| is_owner) {
            self.look_at_disk(uri);
        }
        if let Some(uri) = saves.filter(|_| is_owner) {
            if let Some(now) = self.text(&uri) {
                self.ledgers.saved(&uri, &now);
            }
            self.on_chat_saved(door, &uri);
            self.look_at_disk(uri);
        }
        self.hand_over(&named);
    }

    /// A document that was closed may be open elsewhere, too.
    pub(super) fn hand_over(&mut self, uri: &DocumentUri) {
        if let Some((door, open)) = self.buffers.heir(uri) {
            self.on_sync(&door, open);
        }
    }

    /// A document, which the ledger knew by `key`, was closed or opened anew: what was under way for the old text is over, and what
    /// waited goes where the text is now.
    pub(super) fn on_reset(&mut self, uri: &DocumentUri, key: &DocumentUri) {
        let mut ended = match self.text(uri) {
            Some(text) => self.edits.reopened(uri, key, &text),
            None => self.edits.closed(uri, key),
        };
        self.inline.reset(uri);
        if self.buffers.opened(uri).is_none() {
            self.ledgers.closed(uri);
        }
        self.diagnostics.closed(uri);
        ended.extend(self.next_edits(uri));
        self.on_ended(ended);
    }

    pub(super) fn on_full_text(&mut self, uri: DocumentUri, opened: u64, version: i32, text: &str) {
        match self.buffers.replace(&uri, opened, version, text) {
            Replaced::Done(edit) => self.on_changed(&uri, &edit, &[]),
            Replaced::TooOld => {
                if let Some(door) = self.buffers.owner(&uri) {
                    resync::start(&self.core, door, uri, opened);
                }
            }
            Replaced::Gone => {}
        }
    }

    /// The text of an open document is another one now.
    fn on_changed(&mut self, uri: &DocumentUri, change: &text::Edit, steps: &[text::Edit]) {
        self.inline.changed(uri, change);
        let (under_way, ended) = self.edits.changed(uri, change, steps, &self.buffers);
        if !under_way && let Some(now) = self.text(uri) {
            self.ledgers.follow(uri, change, steps, &now);
        }
        self.on_ended(ended);
    }

    fn text(&self, uri: &DocumentUri) -> Option<Text> {
        self.buffers.snapshot().by_uri(uri).map(|document| document.text.clone())
    }

    pub(super) fn on_edit(&mut self, edit: OpenEdit) {
        let uri = edit.uri.clone();
        let ended = self.edits.start(edit, &self.buffers, &self.ledgers);
        self.intend(&uri);
        self.on_ended(ended);
    }

    /// Goes on with edits of a document that is free again.
    fn next_edits(&mut self, uri: &DocumentUri) -> Vec<Ended> {
        let ended = self.edits.go_on(uri, &self.buffers, &self.ledgers);
        self.intend(uri);
        ended
    }

    /// What is on its way to the editor is in the store before the editor can have it.
    fn intend(&mut self, uri: &DocumentUri) {
        let (Some((edit, author)), Some(now)) = (self.edits.on_its_way(uri), self.text(uri)) else {
            return;
        };
        let key = self.ledgers.key(uri);
        self.ledgers.intend(&key, Some(&now), edit, author);
    }

    /// Edits that are over: the ledger learns what they did, then whoever waited is told, then the
    /// next one begins.
    pub(super) fn on_ended(&mut self, ended: impl IntoIterator<Item = Ended>) {
        let mut ended: Vec<_> = ended.into_iter().collect();
        while let Some(one) = ended.pop() {
            let Ended { uri, key, purpose, landed, later, reply, outcome, text, notice } = one;
            let own = landed.iter().any(|part| matches!(part, Landed::Own { .. }));
            if let (Purpose::Agent(author), true) = (&purpose, own) {
                self.buffers.claim(&uri, later, &author.session);
            }
            if let (Some(notice), Some(owner)) = (notice, self.buffers.owner(&uri)) {
                owner.show_message(notice);
            }
            let key = key.unwrap_or_else(|| self.ledgers.key(&uri));
            match self.text(&uri).or(text) {
                Some(now) => self.ledgers.edit_ended(&key, &landed, &purpose, &now),
                None => self.ledgers.not_carried_out(&key),
            }
            // Whoever waits is told when the store has it: a kill must not lose what was said.
            self.ledgers.store().flush(move || drop(reply.send(outcome)));
            ended.extend(self.next_edits(&uri));
        }
    }

    pub(super) fn on_write(&mut self, request: ClosedEdit) {
        let Some(key) = DocumentUri::from_path(&request.path) else {
            let _ = request.reply.send(Some(Err(tools::EditError::Gone)));
            return;
        };
        // What the editor has of it is not known, and must not be bypassed.
        if self.buffers.is_unread(&key) {
            let path = request.path.clone();
            let error = workspace::ReadError::TooLargeInEditor { path };
            let _ = request.reply.send(Some(Err(tools::EditError::Disk(format!("{error}.")))));
            return;
        }
        // Opened since it was looked for: the editor has it now.
        if self.ledgers.open_as(&key).is_some() {
            let _ = request.reply.send(None);
            return;
        }
        let load = !self.ledgers.is_loaded(&key);
        if let Some(job) = self.writes.start(Job { key, request, load }) {
            self.run_write(job);
        }
    }

    pub(super) fn on_written(&mut self, written: Written) {
        let Written { key, purpose, reply, outcome } = written;
        if outcome.is_err() {
            self.ledgers.not_carried_out(&key);
        }
        let outcome = outcome.map(|Wrote { before, edit, after }| {
            match &purpose {
                Purpose::Agent(author) => {
                    self.ledgers.carried_out(&key, before.as_ref(), &edit, author);
                }
                Purpose::Switch { hunks, active } => {
                    self.ledgers.align(&key, &before.clone().unwrap_or_default());
                    self.ledgers.switch(&key, hunks, *active);
                }
                Purpose::Foreign => {}
            }
            self.ledgers.written(&key, &after);
            let before = before.unwrap_or_default();
            let own = edit.apply(&before).ok().map(|after| OwnChange { before, after });
            Edited { text: after, version: None, deviation: None, own }
        });
        self.ledgers.store().flush(move || drop(reply.send(Some(outcome))));
        match self.writes.next(&key) {
            Some(job) => self.run_write(job),
            None => self.ledgers.forget_some(),
        }
    }

    /// Finds out, outside the loop, what the disk says about a document, and its ledger.
    pub(super) fn look_at_disk(&self, uri: DocumentUri) {
        let snapshot = self.buffers.snapshot();
        let Some(text) = snapshot.by_uri(&uri).map(|document| document.text.clone()) else {
            return;
        };
        let Some(opened) = self.buffers.opened(&uri) else { return };
        let (core, store) = (self.core.clone(), self.ledgers.store().clone());
        let load = self.ledgers.is_loading(&uri);
        tokio::spawn(async move {
            let named = uri.clone();
            let look = move || {
                let key = real(&named);
                let base = named.to_path().map(|path| workspace::common_base(&path, &text));
                let ledger = if load { store.load(&key) } else { None };
                (key, base, ledger)
            };
            let looked = tokio::task::spawn_blocking(look).await;
            let (key, base, ledger) = looked.unwrap_or_else(|_| (uri.clone(), None, None));
            let seen = DiskSeen { uri, opened, base, key, ledger };
            core.send(Event::DiskSeen(Box::new(seen))).await;
        });
    }

    pub(super) fn on_disk_seen(&mut self, seen: DiskSeen) {
        let DiskSeen { uri, opened, base, key, ledger } = seen;
        if self.buffers.opened(&uri) != Some(opened) {
            return;
        }
        if let Some(base) = base {
            self.buffers.set_base(&uri, base);
        }
        if self.ledgers.is_loading(&uri)
            && let Some(now) = self.text(&uri)
        {
            self.ledgers.found(&uri, key, ledger, &now);
            let ended = self.next_edits(&uri);
            self.on_ended(ended);
        }
    }

    /// After every event: what changed in the ledgers goes to the sessions it is about.
    pub(super) fn tell_hunks(&mut self) {
        if self.ledgers.has_typed_in() && !self.settling {
            self.settling = true;
            let core = self.core.clone();
            tokio::spawn(async move {
                tokio::time::sleep(TYPING_PAUSES).await;
                core.go_on(|state| {
                    state.settling = false;
                    state.ledgers.settle();
                })
                .await;
            });
        }
        let news = self.ledgers.take_news(&self.buffers);
        if news.iter().any(|news| news.event.is_added()) {
            commits::look(self);
        }
        if !news.is_empty() {
            self.refresh_lenses();
        }
        for news in news {
            self.send_when_recorded(news);
        }
    }

    /// A hunk is told of when the store has it.
    fn send_when_recorded(&self, news: HunkNews) {
        let Some(handle) = self.sessions.get(&news.session) else { return };
        let (inbox, runtime) = (handle.inbox.clone(), tokio::runtime::Handle::current());
        self.ledgers.store().flush(move || {
            let msg = Msg::Hunks(vec![news]);
            if let Err(TrySendError::Full(msg)) = inbox.try_send(msg) {
                runtime.spawn(async move {
                    let _ = inbox.send(msg).await;
                });
            }
        });
    }

    /// Sends without an answer. A session that is behind gets it later, and in order.
    pub(super) fn send_to_session(&self, session: &str, msg: Msg) {
        let Some(handle) = self.sessions.get(session) else { return };
        if let Err(TrySendError::Full(msg)) = handle.inbox.try_send(msg) {
            let inbox = handle.inbox.clone();
            tokio::spawn(async move {
                let _ = inbox.send(msg).await;
            });
        }
    }

    /// Leaves a note for the model of a session, whether that runs or not.
    pub(super) fn tell_model(&self, session: &str, note: &str) {
        if self.sessions.contains_key(session) {
            return self.send_to_session(session, Msg::Note(note.to_owned()));
        }
        let (sessions, clock) = (self.host.sessions_dir(), self.host.clock);
        let (id, text) = (session.to_owned(), note.to_owned());
        tokio::task::spawn_blocking(move || {
            let Some(path) = store::find(&sessions, &id) else { return };
            let noted = Journal::resume(path, clock)
                .and_then(|mut journal| journal.append(&Record::Note { text }));
            if let Err(error) = noted {
                tracing::warn!(%error, session = id, "a note to the model was lost");
            }
        });
    }
}
