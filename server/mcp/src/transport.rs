//! The ways to a server: one file for each kind of transport.
//!
//! [`connect`] is the only door. Whatever the way, what comes out is the same: a running service of
//! the SDK whose handshake is done, and the process behind it if there is one.

mod admitted;
mod http;
mod legacy_sse;
mod lines;
mod sdk;
mod stdio;
mod websocket;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use exec::{Process, Walls};
use futures::future::BoxFuture;
use rmcp::RoleClient;
use rmcp::service::{ClientInitializeError, RunningService, serve_client};
use rmcp::transport::IntoTransport;
use tokio::time::timeout;

use crate::access::Access;
use crate::client::{Client, Elicitation, Elicited};
use crate::config::{RemoteKind, ServerConfig, Transport};
pub use sdk::SdkLine;

/// The longest message a server may send. A longer one ends the connection: what it answers could
/// not be known.
pub(crate) const MESSAGE_CAP: usize = 16 * 1024 * 1024;

/// What servers need of whoever uses them.
pub trait Surroundings: Send + Sync + 'static {
    /// The folder servers are started in, and told of.
    fn cwd(&self) -> PathBuf;

    /// The variables a process begins with; those of its configuration come on top.
    fn environment(&self) -> Vec<(OsString, OsString)>;

    /// What `${VAR}` in a configuration stands for.
    fn variables(&self) -> BTreeMap<String, String>;

    /// The walls around a server's process. May wait for the disk.
    fn walls(&self, config: &ServerConfig) -> Result<Walls, String>;

    /// The client for this address. It must not follow redirects by itself.
    fn http(&self, url: &str) -> Result<reqwest::Client, String>;

    /// As [`Surroundings::http`], but not finished yet: for connections that need more care.
    fn http_builder(&self, url: &str) -> Result<reqwest::ClientBuilder, String> {
        Err(format!("There is no client for {url}."))
    }

    /// What lets us into a remote server. One for all connections to it, so that what was learnt is
    /// not asked for again.
    fn access(&self, config: &ServerConfig) -> Result<Arc<Access>, String> {
        Access::by_headers(config).map(Arc::new)
    }

    /// The line to a server that lives in the client that started us.
    fn sdk(&self, server: &str) -> Option<SdkLine>;

    /// The folders the user works in, as URIs.
    fn roots(&self) -> Vec<String>;

    /// A server wants to know something from the user. Dropped when the server takes it back.
    fn elicit(&self, server: &str, asked: Elicitation) -> BoxFuture<'static, Elicited>;
}

/// A server that has introduced itself.
pub(crate) struct Connected {
    pub(crate) service: Service,
    pub(crate) process: Option<Process>,
}

pub(crate) type Service = RunningService<RoleClient, Client>;

/// Why there is no connection. One sentence each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Failure {
    #[error("The user has to sign in first.")]
    SignIn {
        /// What the server's `WWW-Authenticate` said.
        challenge: Option<String>,
    },
    /// It would be the same the next time.
    #[error("{0}")]
    Final(String),
    /// It may pass.
    #[error("{0}")]
    Passing(String),
}

/// Starts or calls a server and waits, no longer than `within`, until it has introduced itself. Its
/// configuration must be expanded.
pub(crate) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
    within: Duration,
) -> Result<Connected, Failure> {
    let connecting = async {
        match &config.transport {
            Transport::Stdio { .. } => stdio::connect(config, around, client).await,
            Transport::Remote { kind: RemoteKind::Http, .. } => {
                http::connect(config, around, client).await
            }
            Transport::Remote { kind: RemoteKind::Sse, .. } => {
                legacy_sse::connect(config, around, client).await
            }
            Transport::Remote { kind: RemoteKind::Ws, .. } => {
                websocket::connect(config, around, client).await
            }
            Transport::Sdk => sdk::connect(config, around, client).await,
        }
    };
    let late = || Failure::Passing(format!("It did not answer within {} ms.", within.as_millis()));
    timeout(within, connecting).await.unwrap_or_else(|_| Err(late()))
}

/// The address of a remote server, and what lets us in.
fn way_in<'a>(
    config: &'a ServerConfig,
    around: &Arc<dyn Surroundings>,
) -> Result<(&'a str, Arc<Access>), Failure> {
    let Transport::Remote { url, .. } = &config.transport else {
        return Err(Failure::Final("It has no address.".to_owned()));
    };
    Ok((url, around.access(config).map_err(Failure::Final)?))
}

/// Introduces us to whoever is at the other end.
async fn handshake<T, E, A>(transport: T, client: Client) -> Result<Service, Failure>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    serve_client(client, transport).await.map_err(|error| failure(&error))
}

fn failure(error: &ClientInitializeError) -> Failure {
    if error.is_authorization_required() {
        return Failure::SignIn { challenge: error.auth_challenge().map(str::to_owned) };
    }
    match error {
        ClientInitializeError::ConnectionClosed(_) => {
            Failure::Passing("It ended before it introduced itself.".to_owned())
        }
        ClientInitializeError::TransportError { error, .. } => {
            Failure::Passing(format!("It cannot be reached: {}.", innermost(error)))
        }
        ClientInitializeError::JsonRpcError(error) => {
            Failure::Final(format!("It refused us: {}.", one_line(&error.message)))
        }
        other => Failure::Final(format!("It speaks wrongly: {}.", one_line(&other.to_string()))),
    }
}

/// The cause that says most.
fn innermost(error: &dyn std::error::Error) -> String {
    let mut last = error;
    while let Some(source) = last.source() {
        last = source;
    }
    one_line(&last.to_string())
}

/// A server's words within a sentence of ours.
pub(crate) fn one_line(text: &str) -> String {
    const CAP: usize = 300;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line[..line.floor_char_boundary(CAP)].trim_end_matches('.').to_owned()
}
