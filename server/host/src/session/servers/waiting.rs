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
    /// All of them; else those whose tools are always loaded.
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
        let waits = self.limits.waits_for_servers;
        let patience = self.servers.hub.patience().start;
        let (within, which) = match waits {
            true => (patience, Which::Given),
            false => (ALWAYS_LOADED, Which::AlwaysLoaded),
        };
        self.servers.awaited = Some(Awaited { until: Instant::now() + within, which });
    }

    /// An agent was given its servers for its work, so it waits for them.
    pub(super) fn await_own_servers(&mut self) {
        let until = Instant::now() + self.servers.hub.patience().start;
        self.servers.awaited = Some(Awaited { until, which: Which::All });
    }

    /// Before a request: whether it has to wait. It goes on with [`ServerNews::Settled`].
    pub(in crate::session) fn waits_for_servers(&mut self) -> bool {
        let Some(Awaited { until, which }) = self.servers.awaited.take() else { return false };
        let coming = |server: &Server| server.is_on_its_way() && which.is(server);
        let Some(running) = self.running.as_ref() else { return false };
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() || !self.servers.hub.servers().iter().any(|server| coming(server)) {
            // Some may have come since the session last looked.
            return !self.servers.hub.servers().is_empty() && self.settle_soon(Duration::ZERO, which);
        }
        let _ = running;
        self.settle_soon(left, which)
    }

    fn settle_soon(&self, within: Duration, which: Which) -> bool {
        let Some(running) = self.running.as_ref() else { return false };
        let (turn, own, hub) =
            (running.turn.id().to_owned(), self.own.clone(), self.servers.hub.clone());
        tokio::spawn(async move {
            hub.settled(within, |server| which.is(server)).await;
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
