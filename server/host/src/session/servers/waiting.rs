//! Servers that the first request waits for: those whose tools are to be in every request, a few
//! seconds; those that the command line names where nobody could ask again, as long as a server may
//! take to start. All others join when they are there.

use std::time::Duration;

use mcp::{Scope, Server};
use tokio::time::Instant;

use super::ServerNews;
use crate::session::{Msg, Session};

/// For servers whose tools are always there.
const ALWAYS_LOADED: Duration = Duration::from_secs(5);

#[derive(Clone, Copy)]
pub(super) struct Awaited {
    until: Instant,
    which: Which,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Which {
    AlwaysLoaded,
    Given,
    All,
}

impl Which {
    fn is(self, server: &Server) -> bool {
        match self {
            Which::AlwaysLoaded => server.config.always_load,
            Which::Given => server.config.always_load || server.config.scope == Scope::Session,
            Which::All => true,
        }
    }
}

impl Session {
    /// The session begins: the clock runs from here on, not from the first prompt.
    pub(super) fn await_servers(&mut self) {
        let (within, which) = match self.limits.waits_for_servers {
            true => (self.servers.hub.patience().start, Which::Given),
            false => (ALWAYS_LOADED, Which::AlwaysLoaded),
        };
        self.servers.awaited = Some(Awaited { until: Instant::now() + within, which });
    }

    /// An agent was given its servers for its work, so it waits for them.
    pub(super) fn await_own_servers(&mut self) {
        let until = Instant::now() + self.servers.hub.patience().start;
        self.servers.awaited = Some(Awaited { until, which: Which::All });
    }

    /// Whether the next request waits for this one, so that it will be there.
    pub(super) fn is_awaited(&self, server: &Server) -> bool {
        self.servers.awaited.is_some_and(|awaited| awaited.which.is(server))
    }

    /// Before a request: whether it has to wait. It goes on with [`ServerNews::Settled`].
    pub(in crate::session) fn waits_for_servers(&mut self) -> bool {
        let Some(Awaited { until, which }) = self.servers.awaited.take() else { return false };
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let (hub, own) = (self.servers.hub.clone(), self.own.clone());
        let (Some(turn), false) = (turn, hub.servers().is_empty()) else { return false };
        tokio::spawn(async move {
            // At once where none of them is on its way: the session may not have looked yet.
            let left = until.saturating_duration_since(Instant::now());
            hub.settled(left, |server| which.is(server)).await;
            let _ = own.send(Msg::Server(ServerNews::Settled { turn })).await;
        });
        true
    }

    /// The request that waited is sent, with the tools there are now.
    pub(super) async fn on_servers_settled(&mut self, turn: &str) {
        self.look_at_servers().await;
        // Whoever cancelled it meanwhile wants no answer.
        if self.running.as_ref().is_some_and(|running| running.turn.id() == turn) {
            self.call_model().await;
        }
    }
}
