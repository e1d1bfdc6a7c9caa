//! MCP servers that live in a client: in-process servers of a program that embeds Bowline.
//!
//! **The seam for such a door.** It implements [`ClientServers`], hands it over with
//! [`Door::offer_servers`](super::Door::offer_servers) before it asks for a session
//! (`agent/session/new` or `attach`), and from then on the session's hub treats each name as a server
//! of the type `sdk`. When the hub connects it calls [`ClientServers::line`], whose two ends
//! [`client_line`] makes: what comes out of [`ClientLine::from_hub`] is to be carried to the client, one
//! JSON-RPC message each (the SDK's `mcp_message`), and what the client says goes into `to_hub`. Dropping either end ends the
//! connection; the hub asks for a new line when it calls again. A client whose servers change offers
//! them anew and then sends `agent/mcp` with the operation `set`, which makes the session look again.

use mcp::SdkLine;
use serde_json::Value;
use tokio::sync::mpsc;

/// Messages that may wait on a line, each way.
const WAITING: usize = 64;

/// What a door knows of the servers in its client.
pub trait ClientServers: Send + Sync {
    /// As the client calls them.
    fn names(&self) -> Vec<String>;

    /// A new line to one of them; `None` when the client does not have it.
    fn line(&self, server: &str) -> Option<SdkLine>;
}

/// The door's end of a line. Each value is one JSON-RPC message.
pub struct ClientLine {
    /// What the hub says to the server.
    pub from_hub: mpsc::Receiver<Value>,
    /// What the server says to the hub.
    pub to_hub: mpsc::Sender<Value>,
}

/// Both ends of a new line: the hub's, to be given by [`ClientServers::line`], and the door's.
pub fn client_line() -> (SdkLine, ClientLine) {
    let (to_server, from_hub) = mpsc::channel(WAITING);
    let (to_hub, from_server) = mpsc::channel(WAITING);
    (SdkLine { to_server, from_server }, ClientLine { from_hub, to_hub })
}
