//! The loop: one event after the other, in the order they came.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use workspace::DocumentUri;

use super::commands;
use super::door::{Door, DoorId};
use super::event::{Company, CoreHandle, EVENT_QUEUE, Event};
use super::notifications;
use super::on_demand;
use super::requests;
use super::rewind;
use super::rpc::Reply;
use super::state::State;
use crate::context::HostContext;
use crate::session::{Limits, Msg, SessionHandle};

/// Starts the loop; it ends when the last handle is gone.
pub fn spawn(host: Arc<HostContext>, limits: Limits) -> CoreHandle {
    let (events, inbox) = mpsc::channel(EVENT_QUEUE);
    let core = CoreHandle { events };
    let _ = host.given.set(limits.given.clone());
    let state = State::new(host, core.clone(), limits);
    tokio::spawn(run(state, inbox));
    core
}

async fn run(mut state: State, mut inbox: mpsc::Receiver<Event>) {
    while let Some(event) = inbox.recv().await {
        state.on(event);
        state.tell_hunks();
    }
}

impl State {
    fn on(&mut self, event: Event) {
        match event {
            Event::DoorOpened(door) => {
                self.doors.insert(door.id, door);
            }
            Event::DoorClosed(door) => self.on_door_closed(door),
            Event::Request { door, method, params, reply } => {
                requests::dispatch(self, &door, &method, params.as_deref(), reply);
            }
            Event::Notification { door, method, params } => {
                notifications::dispatch(self, &door, &method, params.as_deref());
            }
            Event::Sync { door, sync } => self.on_sync(&door, sync),
            Event::MessageLost { door, lost } => self.on_message_lost(&door, lost),
            Event::FullText { uri, opened, version, text } => {
                self.on_full_text(uri, opened, version, &text);
            }
            Event::Focus { doors, reply } => {
                let _ = reply.send(self.focused(&doors));
            }
            Event::Snapshot(reply) => {
                let _ = reply.send(self.buffers.snapshot());
            }
            Event::Refresh(refresh) => on_demand::refresh(self, refresh),
            Event::Edit(edit) => self.on_edit(*edit),
            Event::EditAnswered { edit, outcome } => {
                let ended = self.edits.answered(edit, outcome, &self.buffers);
                self.on_ended(ended);
            }
            Event::ClosedFileRead { edit, text } => {
                let ended = self.edits.file_read(edit, text);
                self.on_ended(ended);
            }
            Event::EditExpired { edit } => {
                let ended = self.edits.expired(edit, &self.buffers);
                self.on_ended(ended);
            }
            Event::Write(edit) => self.on_write(*edit),
            Event::Written(written) => self.on_written(*written),
            Event::DiskSeen(seen) => self.on_disk_seen(*seen),
            Event::Rewind(rewind) => rewind::start(self, *rewind),
            Event::BeforeCommand(command) => commands::before(self, *command),
            Event::AfterCommand(command) => commands::after(self, *command),
            Event::Findings { uri, version, session, reply } => {
                self.diagnostics.ask(uri, version, session, reply);
            }
            Event::KnownFindings { uri, reply } => {
                let version =
                    self.buffers.version(&uri).filter(|_| self.diagnostics.has_source(&uri));
                let _ = reply.send(version.map(|version| self.diagnostics.known(&uri, version)));
            }
            Event::FindingsDue { question } => self.diagnostics.expired(question),
            Event::Owner { uri, reply } => {
                let _ = reply.send(self.owner(uri.as_ref()));
            }
            Event::Direct { session, direct } => {
                self.send_to_session(&session, Msg::Direct(direct));
            }
            Event::DirectTools { session, reply } => {
                self.send_to_session(&session, Msg::DirectTools(reply));
            }
            Event::GoOn(work) => work(self),
            Event::SessionEnded { id } => {
                self.sessions.remove(&id);
            }
            Event::Stored(stored) => requests::open_stored(self, *stored),
            Event::Company(reply) => {
                let busy = self.sessions.values().any(SessionHandle::is_busy);
                let _ = reply.send(Company { doors: self.doors.len(), busy });
            }
            Event::Shutdown(done) => self.on_shutdown(done),
        }
    }

    /// Who has a document open; without one, any client whose language servers can be asked.
    fn owner(&self, uri: Option<&DocumentUri>) -> Option<Arc<Door>> {
        let bridges = |door: &&Arc<Door>| {
            let editor = door.profile().agent.editor;
            editor.and_then(|editor| editor.language_server) == Some(true)
        };
        let owner = uri.and_then(|uri| self.buffers.owner(uri));
        owner.or_else(|| self.doors.values().find(bridges)).cloned()
    }

    fn on_door_closed(&mut self, door: DoorId) {
        self.doors.remove(&door);
        self.focus.forget(door);
        self.cards.forget(door);
        self.undo.forget(door);
        for uri in self.buffers.forget(door) {
            let key = self.ledgers.key(&uri);
            self.on_reset(&uri, &key);
            self.hand_over(&uri);
        }
        for session in self.sessions.values() {
            let _ = session.inbox.try_send(Msg::Detach { door, reply: None });
        }
    }

    /// Closes every session; whoever asked is told when the last one has written its journal.
    fn on_shutdown(&mut self, done: oneshot::Sender<()>) {
        let closing = self.sessions.drain().map(|(_, session)| async move {
            let (reply, answered) = oneshot::channel::<()>();
            let reply = Reply::new(move |_| {
                let _ = reply.send(());
            });
            // Behind whatever waits in the inbox; a session that is gone drops the reply.
            let _ = session.inbox.send(Msg::Close { reply: Some(reply) }).await;
            let _ = answered.await;
        });
        let closing: Vec<_> = closing.collect();
        let store = self.ledgers.store().clone();
        tokio::spawn(async move {
            futures::future::join_all(closing).await;
            store.flush(move || {
                let _ = done.send(());
            });
        });
    }
}
