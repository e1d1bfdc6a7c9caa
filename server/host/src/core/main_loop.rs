//! The loop: one event after the other, in the order they came.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use workspace::DocumentUri;

use super::buffers::{Replaced, Synced};
use super::door::{Door, DoorId};
use super::event::{CoreHandle, EVENT_QUEUE, Event, Sync};
use super::requests;
use super::resync;
use super::rpc::Reply;
use super::state::State;
use crate::context::HostContext;
use crate::session::{Limits, Msg};

/// Starts the loop; it ends when the last handle is gone.
pub fn spawn(host: Arc<HostContext>, limits: Limits) -> CoreHandle {
    let (events, inbox) = mpsc::channel(EVENT_QUEUE);
    let core = CoreHandle { events };
    let state = State::new(host, core.clone(), limits);
    tokio::spawn(run(state, inbox));
    core
}

async fn run(mut state: State, mut inbox: mpsc::Receiver<Event>) {
    while let Some(event) = inbox.recv().await {
        state.on(event);
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
            Event::Notification { door, method, .. } => {
                tracing::debug!(?door, method, "a notification that has no reader");
            }
            Event::Sync { door, sync } => self.on_sync(&door, sync),
            Event::FullText { uri, opened, version, text } => {
                self.on_full_text(uri, opened, version, &text);
            }
            Event::Snapshot(reply) => {
                let _ = reply.send(self.buffers.snapshot());
            }
            Event::Edit(edit) => self.edits.start(*edit, &self.buffers),
            Event::EditAnswered { edit, outcome } => {
                self.edits.answered(edit, outcome, &self.buffers);
            }
            Event::EditExpired { edit } => self.edits.expired(edit, &self.buffers),
            Event::SessionEnded { id } => {
                self.sessions.remove(&id);
            }
            Event::Stored(stored) => requests::open_stored(self, *stored),
            Event::Shutdown(done) => self.on_shutdown(done),
        }
    }

    fn on_sync(&mut self, door: &Arc<Door>, sync: Sync) {
        match self.buffers.sync(door, sync) {
            Synced::Changed { uri, edit } => self.edits.changed(&uri, &edit, &self.buffers),
            Synced::OutOfStep { uri, error } => {
                tracing::warn!(%error, "a change did not fit");
                if let Some(opened) = self.buffers.opened(&uri) {
                    resync::start(&self.core, door, uri, opened);
                }
            }
            Synced::Reset { uri } => self.edits.reset(&uri),
            Synced::Other => {}
        }
    }

    fn on_full_text(&mut self, uri: DocumentUri, opened: u64, version: i32, text: &str) {
        match self.buffers.replace(&uri, opened, version, text) {
            Replaced::Done(edit) => self.edits.changed(&uri, &edit, &self.buffers),
            Replaced::TooOld => {
                if let Some(door) = self.buffers.owner(&uri) {
                    resync::start(&self.core, door, uri, opened);
                }
            }
            Replaced::Gone => {}
        }
    }

    fn on_door_closed(&mut self, door: DoorId) {
        self.doors.remove(&door);
        for uri in self.buffers.forget(door) {
            self.edits.reset(&uri);
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
        tokio::spawn(async move {
            futures::future::join_all(closing).await;
            let _ = done.send(());
        });
    }
}
