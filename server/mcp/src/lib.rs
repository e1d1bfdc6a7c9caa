//! MCP servers: which ones are configured, how they are reached, what they offer and what their
//! tools are called.
//!
//! The one place that speaks the protocol. A server is somebody else's program: it may crash, hang,
//! flood or lie, and that must cost nobody but itself. So every message, list and wait has a cap,
//! and each server has a task of its own.

#![expect(dead_code, reason = "the tasks that use the transports come next")]

mod access;
mod auth;
mod client;
mod config;
mod expand;
mod headers_helper;
mod log;
mod name;
mod transport;

pub use access::Access;
pub use auth::{ClientBuilder, OAuth, SignIn, Vault};
pub use client::{Elicitation, Elicited, Progress};
pub use config::{
    ConfigProblem, OAuthConfig, RemoteKind, Scope, ServerConfig, Transport, parse_config,
};
pub use headers_helper::HeadersHelper;
pub use name::{server_key, split_tool_name, tool_name};
pub use transport::{SdkLine, Surroundings};
