//! The loopback model server: a Messages API and chat completions on this machine, with the
//! rehearsal model or a script for a brain.
//!
//! It checks requests as strictly as the real API does, so that what passes here passes there. It
//! never listens on an address that another machine can reach.

mod asked;
mod check;
mod dialect;
mod handler;
mod play;
mod testing;
mod wire;

use std::future::Future;
use std::io;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::scenario::Scenario;
use handler::Handler;
pub(crate) use handler::error_body;
pub use testing::{Captured, TestServer};

/// Who thinks up the answers.
#[derive(Clone)]
pub enum Brain {
    Rehearsal,
    Scenario(Scenario),
}

/// Serves until `shutdown` is over; connections that are open then are closed.
pub async fn serve(
    listener: TcpListener,
    brain: Brain,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    run(listener, Handler::new(brain, None), shutdown).await
}

async fn run(
    listener: TcpListener,
    handler: Handler,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let address = listener.local_addr()?;
    if !address.ip().is_loopback() {
        let text = format!("The model server listens on this machine only, not on {address}.");
        return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
    }
    let mut connections = JoinSet::new();
    let mut shutdown = std::pin::pin!(shutdown);
    loop {
        tokio::select! {
            () = &mut shutdown => return Ok(()),
            accepted = listener.accept() => {
                let (stream, _) = accepted?;
                connections.spawn(connection(stream, handler.clone()));
            }
            Some(_) = connections.join_next() => {}
        }
    }
}

async fn connection(stream: TcpStream, handler: Handler) {
    handler.connected();
    // Without this, the second small packet of an answer waits for the client's acknowledgement.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let service = service_fn(|request: hyper::Request<Incoming>| {
        let handler = handler.clone();
        async move { handler.handle(request).await }
    });
    let served = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
    if let Err(error) = served {
        // A client that hangs up, or a scripted reset: both are ordinary here.
        tracing::debug!(%error, "connection ended early");
    }
}

#[cfg(test)]
mod tests;
