//! Models: who answers a request, and how the answer streams in.
//!
//! Three providers speak through one type: the Anthropic Messages API, any OpenAI-compatible
//! server, and the rehearsal model that lives in this binary. The crate also holds the other end of
//! the wire, a loopback server with the same brains, because a client is only tested by a server.
//!
//! The same API behind Amazon Bedrock and Google Vertex AI is there with the features `bedrock` and
//! `vertex`; their tests want both.
//!
//! Nothing here reads the environment or a file: the host hands both in. Nothing here retries; what
//! to do after an error is the turn's decision.

mod answer;
mod anthropic;
#[cfg(feature = "bedrock")]
mod bedrock;
mod endpoint;
mod env;
mod fault;
mod hidden;
mod http;
mod keys;
mod openai;
mod outside;
mod patience;
mod provider;
mod reach;
mod rehearsal;
mod scenario;
mod server;
mod sse;
mod surrogates;
#[cfg(test)]
#[cfg(all(feature = "bedrock", feature = "vertex"))]
mod testing;
#[cfg(feature = "vertex")]
mod vertex;

pub use env::{ConfigError, Env};
pub use http::Http;
pub use keys::{Key, Keys, Service, server_of};
pub use outside::Outside;
pub use provider::{ModelChoice, Provider, provider_for};
pub use reach::reach;
pub use scenario::{Scenario, ScenarioError};
pub use server::{Brain, Captured, TestServer, serve};
