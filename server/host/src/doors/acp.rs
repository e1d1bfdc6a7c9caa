//! The ACP door: the Agent Client Protocol, version 1, one JSON object a line over a pair of pipes.
//!
//! A translation and nothing else: requests of the client become our own (`agent/*`), events become
//! `session/update`, questions become `session/request_permission` and `elicitation/create`, and the
//! client's files (`fs/*`) are the open documents. Nothing outside this folder names the schema.

mod client;
mod config;
mod content;
mod front;
mod lines;
mod methods;
mod peer;
mod prompts;
mod replay;
mod servers;
mod texts;
mod transport;
mod updates;
mod writer;

/// The one place where the protocol's types come from.
mod schema {
    pub use agent_client_protocol_schema::ProtocolVersion;
    pub use agent_client_protocol_schema::v1::*;
}

pub use transport::serve;
