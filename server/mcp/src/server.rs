//! One server, as others see it: where it stands, what it offers, and how it is asked.
//!
//! The state is written by the server's keeper alone; everybody else looks at it.

use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleClient;
use rmcp::service::Peer;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;

use crate::catalogue::Offer;
use crate::client::Shared;
use crate::config::{ServerConfig, Transport};
use crate::keeper::Order;
use crate::patience::Patience;
use crate::sign_in::SignIns;
use crate::transport::Surroundings;

/// Where a server stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Status {
    /// On the way, for the first time or again.
    #[default]
    Connecting,
    Connected,
    Failed,
    /// Waits for the user to sign in.
    NeedsAuth,
    Disabled,
}

/// What is known of a server at one moment.
#[derive(Clone, Debug, Default)]
pub struct Now {
    pub status: Status,
    /// Why it is not connected, in one sentence.
    pub error: Option<String>,
    /// Kept while a lost server is called again, so that lists do not flicker.
    pub offer: Arc<Offer>,
    /// What the server said when it wanted a sign-in.
    pub challenge: Option<String>,
    pub(crate) peer: Option<Peer<RoleClient>>,
}

pub struct Server {
    /// As it is written: with its `${VAR}`, so that it can be shown.
    pub config: ServerConfig,
    pub(crate) patience: Patience,
    pub(crate) shared: Arc<Shared>,
    pub(crate) now: watch::Sender<Now>,
    pub(crate) orders: mpsc::Sender<Order>,
    pub(crate) around: Arc<dyn Surroundings>,
    pub(crate) sign_ins: SignIns,
}

impl Server {
    pub fn name(&self) -> &str {
        &self.config.name
    }

    pub fn now(&self) -> Now {
        self.now.borrow().clone()
    }

    /// It may be there in a moment.
    pub fn is_on_its_way(&self) -> bool {
        self.now.borrow().status == Status::Connecting
    }

    /// What happened lately, the oldest line first.
    pub fn log(&self) -> Vec<String> {
        self.shared.log.lines()
    }

    /// Adds a line to the log.
    pub fn note(&self, line: &str) {
        self.shared.log.note(line);
    }

    /// A connection to ask through. One that is on its way is waited for.
    pub(crate) async fn peer(&self) -> Result<Peer<RoleClient>, String> {
        let mut now = self.now.subscribe();
        let settled = now.wait_for(|now| now.peer.is_some() || now.status != Status::Connecting);
        let name = self.name();
        match timeout(self.patience.start, settled).await {
            Ok(Ok(now)) => match &now.peer {
                Some(peer) => Ok(peer.clone()),
                None => Err(self.absent(&now)),
            },
            Ok(Err(_)) => Err(format!("The MCP server {name} was closed.")),
            Err(_) => Err(format!("The MCP server {name} is not connected yet. Try again later.")),
        }
    }

    fn absent(&self, now: &Now) -> String {
        let name = self.name();
        let error = now.error.as_deref().unwrap_or_default();
        match now.status {
            Status::NeedsAuth => format!("The MCP server {name} wants the user to sign in first."),
            Status::Disabled => format!("The MCP server {name} is switched off."),
            _ => format!("The MCP server {name} is not connected. {error}").trim_end().to_owned(),
        }
    }

    /// How long nothing may happen in a call, and how long it may take in all.
    pub(crate) fn call_limits(&self) -> (Duration, Duration) {
        let idle = match self.config.transport {
            Transport::Stdio { .. } | Transport::Sdk => self.patience.idle_process,
            Transport::Remote { .. } => self.patience.idle_remote,
        };
        let whole = self.config.timeout.unwrap_or(self.patience.call);
        (idle.min(whole), whole)
    }
}
