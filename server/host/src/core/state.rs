//! What the main loop owns.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use super::buffers::Buffers;
use super::cards::Cards;
use super::commits::Commits;
use super::diagnostics::Diagnostics;
use super::door::{Door, DoorId};
use super::edits::Edits;
use super::event::CoreHandle;
use super::focus::Focus;
use super::inline::InlineEdits;
use super::ledgers::Ledgers;
use super::lenses::LensRefresh;
use super::rpc::{Reply, RpcError};
use super::undo::Undo;
use super::writes::Writes;
use crate::context::HostContext;
use crate::session::{Limits, Msg, SessionHandle};
use crate::store::LedgerStore;

pub struct State {
    pub host: Arc<HostContext>,
    pub core: CoreHandle,
    /// Fixed for all sessions of this process by its command line.
    pub limits: Limits,
    pub doors: HashMap<DoorId, Arc<Door>>,
    pub sessions: HashMap<String, SessionHandle>,
    pub buffers: Buffers,
    pub edits: Edits,
    pub writes: Writes,
    pub ledgers: Ledgers,
    pub undo: Undo,
    pub commits: Commits,
    /// Inline edits under way, with the place each works at.
    pub inline: InlineEdits,
    pub lenses: LensRefresh,
    pub diagnostics: Diagnostics,
    /// What users look at, where they share it.
    pub focus: Focus,
    /// Questions that are shown in texts.
    pub cards: Cards,
    /// Hunks that were typed in will be told about soon.
    pub settling: bool,
    pub started: Instant,
    /// Files for `@` completion, by folder, walked once and again when they are old.
    pub files: Arc<super::requests::FileIndex>,
}

impl State {
    pub fn new(host: Arc<HostContext>, core: CoreHandle, limits: Limits) -> Self {
        let store = LedgerStore::new(&host.locations.bowline_home);
        Self {
            host,
            edits: Edits::new(core.clone()),
            writes: Writes::default(),
            ledgers: Ledgers::new(store),
            undo: Undo::default(),
            commits: Commits::default(),
            inline: InlineEdits::default(),
            lenses: LensRefresh::default(),
            diagnostics: Diagnostics::new(core.clone()),
            focus: Focus::default(),
            cards: Cards::default(),
            settling: false,
            core,
            limits,
            doors: HashMap::new(),
            sessions: HashMap::new(),
            buffers: Buffers::default(),
            started: Instant::now(),
            files: Arc::default(),
        }
    }

    /// Tells a session something that nobody waits for. One that is gone or overloaded misses it.
    pub fn tell(&self, id: &str, msg: Msg) {
        if let Some(session) = self.sessions.get(id)
            && session.inbox.try_send(msg).is_err()
        {
            tracing::warn!(session = id, "a session could not be told something");
        }
    }

    /// Passes a message on to a session. The loop does not wait: a session whose inbox is full is
    /// overloaded, and the caller is told so.
    pub fn to_session(&self, id: &str, reply: Reply, msg: impl FnOnce(Reply) -> Msg) {
        let Some(session) = self.sessions.get(id) else {
            return reply.err(RpcError::no_session(id));
        };
        match session.inbox.try_reserve() {
            Ok(permit) => permit.send(msg(reply)),
            Err(_) if session.inbox.is_closed() => reply.err(RpcError::no_session(id)),
            Err(_) => {
                let message = "The session has too many messages waiting; try again in a moment.";
                reply.err(RpcError::new(RpcError::OVERLOADED, message));
            }
        }
    }
}
