//! The loop: one event after the other, in the order they came.

use std::sync::Arc;

use tokio::sync::{mpsc, oneshot};
use workspace::DocumentUri;

use super::buffers::Synced;
use super::door::{Door, DoorId};
use super::event::{CoreHandle, EVENT_QUEUE, Event, Sync};
use super::requests;
use super::resync;
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
            Event::FullText { uri, version, text } => self.on_full_text(&uri, version, &text),
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
            Synced::OutOfStep { uri, error } => resync::start(&self.core, door, uri, &error),
            Synced::Other => {}
        }
    }

    fn on_full_text(&mut self, uri: &DocumentUri, version: i32, text: &str) {
        if let Some(edit) = self.buffers.replace(uri, version, text) {
            self.edits.changed(uri, &edit, &self.buffers);
        }
    }

    fn on_door_closed(&mut self, door: DoorId) {
        self.doors.remove(&door);
        self.buffers.forget(door);
        for session in self.sessions.values() {
            let _ = session.inbox.try_send(Msg::Detach { door, reply: None });
        }
    }

    /// Closes every session; whoever asked is told when the last one has written its journal.
    fn on_shutdown(&mut self, done: oneshot::Sender<()>) {
        let mut closed = Vec::new();
        for (_, session) in self.sessions.drain() {
            let (reply, answered) = oneshot::channel::<()>();
            let reply = super::rpc::Reply::new(move |_| {
                let _ = reply.send(());
            });
            // A full inbox belongs to a session that will find its inbox closed soon enough.
            let _ = session.inbox.try_send(Msg::Close { reply: Some(reply) });
            closed.push(answered);
        }
        tokio::spawn(async move {
            for answered in closed {
                let _ = answered.await;
            }
            let _ = done.send(());
        });
    }
}
