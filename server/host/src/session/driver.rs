//! What a session waits for, and the order in which it looks: messages before the model's words
//! before results, so that a cancel is never behind a long answer.

use agent::{ModelError, StreamEvent};
use futures::StreamExt as _;
use tools::CallReport;

use super::{Msg, Session};
use crate::core::{Door, DoorId};
use std::sync::Arc;

pub(super) enum Wake {
    Msg(Msg),
    /// Everything the model has said since the last look.
    Stream(Vec<Result<StreamEvent, ModelError>>),
    /// The model's stream is over without a last word.
    StreamEnded,
    /// A request that failed may be sent again.
    Waited,
    Call(String, Box<CallReport>),
    /// A client does not read what it is sent.
    Stalled(DoorId),
    /// Nobody can reach the session any more.
    Over,
}

impl Session {
    pub(super) async fn next(&mut self) -> Wake {
        let doors = &self.doors;
        let Some(running) = self.running.as_mut() else {
            return self.inbox.recv().await.map_or(Wake::Over, Wake::Msg);
        };
        let (stream, wait) = (&mut running.stream, &mut running.wait);
        let waited = async {
            match wait {
                Some(wait) => wait.as_mut().await,
                None => std::future::pending().await,
            }
        };
        let words = async {
            match stream {
                Some(stream) => {
                    if let Some(stalled) = stalled(doors).await {
                        return Wake::Stalled(stalled);
                    }
                    stream.next().await.map_or(Wake::StreamEnded, Wake::Stream)
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            msg = self.inbox.recv() => msg.map_or(Wake::Over, Wake::Msg),
            Some((id, report)) = running.calls.next() => Wake::Call(id, Box::new(report)),
            wake = words => wake,
            () = waited => Wake::Waited,
        }
    }
}

/// Waits until every client can take more; returns one that cannot.
async fn stalled(doors: &[Arc<Door>]) -> Option<DoorId> {
    for door in doors {
        if !door.outbox.room().await {
            return Some(door.id);
        }
    }
    None
}

/// Joins neighbouring deltas of one block: fewer events, the same text.
pub(super) fn coalesce(
    events: Vec<Result<StreamEvent, ModelError>>,
) -> Vec<Result<StreamEvent, ModelError>> {
    let mut joined: Vec<Result<StreamEvent, ModelError>> = Vec::with_capacity(events.len());
    for event in events {
        match (joined.last_mut(), event) {
            (
                Some(Ok(StreamEvent::TextDelta { index, text })),
                Ok(StreamEvent::TextDelta { index: same, text: more }),
            ) if *index == same => text.push_str(&more),
            (
                Some(Ok(StreamEvent::ThinkingDelta { index, text })),
                Ok(StreamEvent::ThinkingDelta { index: same, text: more }),
            ) if *index == same => text.push_str(&more),
            (
                Some(Ok(StreamEvent::InputDelta { index, json })),
                Ok(StreamEvent::InputDelta { index: same, json: more }),
            ) if *index == same => json.push_str(&more),
            (_, event) => joined.push(event),
        }
    }
    joined
}
