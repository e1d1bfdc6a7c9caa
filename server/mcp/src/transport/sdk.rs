//! A server that lives in the client that started us. Whoever opened that door carries the messages;
//! here they go through a pair of channels.

use std::io;
use std::sync::Arc;

use futures::{Sink, Stream};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{Connected, Failure, Surroundings, handshake};
use crate::client::Client;
use crate::config::ServerConfig;
use crate::log::Log;

/// Our end of the line to such a server. Each value is one JSON-RPC message.
pub struct SdkLine {
    pub to_server: mpsc::Sender<Value>,
    pub from_server: mpsc::Receiver<Value>,
}

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let Some(line) = around.sdk(&config.name) else {
        return Err(Failure::Final("No client offers this server.".to_owned()));
    };
    let incoming = incoming(line.from_server, client.log());
    let service = handshake((outgoing(line.to_server), incoming), client).await?;
    Ok(Connected { service, process: None })
}

fn incoming(
    messages: mpsc::Receiver<Value>,
    log: Arc<Log>,
) -> impl Stream<Item = RxJsonRpcMessage<RoleClient>> + Send + Unpin {
    let next = |(mut messages, log): (mpsc::Receiver<Value>, Arc<Log>)| async move {
        loop {
            let value = messages.recv().await?;
            match serde_json::from_value(value) {
                Ok(message) => return Some((message, (messages, log))),
                Err(error) => log.garbage(&error.to_string()),
            }
        }
    };
    Box::pin(futures::stream::unfold((messages, log), next))
}

fn outgoing(
    to_server: mpsc::Sender<Value>,
) -> impl Sink<TxJsonRpcMessage<RoleClient>, Error = io::Error> + Send + Unpin {
    let send = |to_server: mpsc::Sender<Value>, message: TxJsonRpcMessage<RoleClient>| async move {
        let value = serde_json::to_value(&message).map_err(io::Error::other)?;
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        to_server.send(value).await.map_err(gone)?;
        Ok(to_server)
    };
    Box::pin(futures::sink::unfold(to_server, send))
}
