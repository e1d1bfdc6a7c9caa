//! What a session is to its servers: walls, folders, lines to its client, and a user to ask.

use std::sync::{Arc, Mutex, PoisonError};

use exec::{Disk, Walls};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use mcp::{Elicitation, Elicited, SdkLine};
use tokio::sync::mpsc;
use tools::SessionState;

use super::elicit;
use crate::core::ClientServers;
use crate::servers::Master;
use crate::session::Msg;
use crate::session::shelter::Shelter;

/// The servers that live in the session's clients.
#[derive(Clone, Default)]
pub(super) struct Lines(Arc<Mutex<Vec<Arc<dyn ClientServers>>>>);

impl Lines {
    /// Says whether there is anything to connect to, or was.
    pub(super) fn set(&self, offers: Vec<Arc<dyn ClientServers>>) -> bool {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let any = !known.is_empty() || !offers.is_empty();
        *known = offers;
        any
    }

    pub(super) fn names(&self) -> Vec<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.iter().flat_map(|offer| offer.names()).collect()
    }

    fn line(&self, server: &str) -> Option<SdkLine> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        known.iter().find_map(|offer| offer.line(server))
    }
}

pub(super) struct SessionMaster {
    shelter: Arc<Shelter>,
    state: Arc<SessionState>,
    lines: Lines,
    /// The session that asks the user, and the way to it.
    asks: (String, mpsc::Sender<Msg>),
}

impl SessionMaster {
    pub(super) fn new(
        shelter: Arc<Shelter>,
        state: Arc<SessionState>,
        lines: Lines,
        asks: (String, mpsc::Sender<Msg>),
    ) -> SessionMaster {
        SessionMaster { shelter, state, lines, asks }
    }
}

/// What a server's process is called where commands are named by their calls.
pub(in crate::session) const SERVER: &str = "mcp:";

impl Master for SessionMaster {
    fn walls(&self, server: &str) -> Result<Walls, String> {
        match self.shelter.missing() {
            Some(missing) => Err(missing),
            None => self.shelter.of_command(&format!("{SERVER}{server}"), Disk::Entries),
        }
    }

    fn own_walls(&self) -> Result<Walls, String> {
        match self.shelter.missing() {
            Some(missing) => Err(missing),
            None => Ok(self.shelter.of_own()),
        }
    }

    fn roots(&self) -> Vec<String> {
        let roots = self.state.permissions().roots;
        let uri = |root: &std::path::PathBuf| workspace::DocumentUri::from_path(root);
        roots.iter().filter_map(uri).map(|uri| uri.as_str().to_owned()).collect()
    }

    fn line(&self, server: &str) -> Option<SdkLine> {
        self.lines.line(server)
    }

    fn elicit(&self, server: &str, asked: Elicitation) -> BoxFuture<'static, Elicited> {
        let ((session, own), server) = (self.asks.clone(), server.to_owned());
        async move { elicit::elicit(&own, &session, &server, asked).await }.boxed()
    }
}
