//! MCP servers: which ones are configured, how they are reached, what they offer and what their
//! tools are called.
//!
//! The one place that speaks the protocol. A server is somebody else's program: it may crash, hang,
//! flood or lie, and that must cost nobody but itself. So every message, list and wait has a cap,
//! and each server has a task of its own.

mod access;
mod answer;
mod ask;
mod auth;
mod catalogue;
mod client;
mod config;
mod expand;
mod headers_helper;
mod hub;
mod keeper;
mod lists;
mod log;
mod name;
mod patience;
mod serve;
mod server;
mod sign_in;
mod transport;

pub use access::Access;
pub use answer::{Answer, Part};
pub use auth::{ClientBuilder, OAuth, SignIn, Vault};
pub use catalogue::{Argument, Hints, Offer, Prompt, Resource, Tool, names_server};
pub use client::{Elicitation, Elicited, Progress, protocol_version};
pub use config::{
    ConfigProblem, Keeping, OAuthConfig, RemoteKind, Scope, ServerConfig, Transport, parse_config,
};
pub use headers_helper::HeadersHelper;
pub use hub::Hub;
pub use name::{server_key, split_tool_name, tool_name};
pub use patience::Patience;
/// What [`Surroundings::http`] gives, by names that others can write.
pub use reqwest::{Client as HttpClient, ClientBuilder as HttpClientBuilder};
pub use serve::{
    Asker, Care, OfferedAnswer, OfferedCall, OfferedPart, OfferedPrompt, OfferedTool, Toolbox,
    serve, serve_http,
};
pub use server::{Now, Server, Status};
pub use transport::{SdkLine, Surroundings};
