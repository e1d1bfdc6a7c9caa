//! A server behind a WebSocket. The connection begins as an HTTP request of our usual client, so
//! that certificates, proxies and sign-ins are the same as everywhere.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::{Sink, SinkExt as _, Stream, StreamExt as _};
use http::StatusCode;
use http::header::{
    CONNECTION, HeaderMap, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use reqwest::Upgraded;
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::client::generate_key;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

use super::legacy_sse::refused;
use super::lines::read_message;
use super::{Connected, Failure, MESSAGE_CAP, Surroundings, handshake, innermost};
use crate::access::{NoAccess, Refusal};
use crate::client::Client;
use crate::config::ServerConfig;
use crate::log::Log;

/// How long the server may take to take in one message.
const SENT_WITHIN: Duration = Duration::from_secs(60);
const PROTOCOL: &str = "mcp";

type Socket = WebSocketStream<Upgraded>;

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let (url, access) = super::way_in(config, around)?;
    // `ws` and `wss` stand for the two schemes of HTTP.
    let url = url.replacen("ws", "http", 1).replacen("WS", "http", 1);
    // A connection that others share (HTTP/2) cannot become something else.
    let builder = around.http_builder(&url).map_err(Failure::Final)?.http1_only();
    let http = builder.build().map_err(|error| Failure::Final(innermost(&error)))?;
    let failed = |why: NoAccess| match why {
        NoAccess::SignIn => Failure::SignIn { challenge: access.challenge() },
        NoAccess::Failed(why) => Failure::Passing(format!("It cannot be reached: {why}.")),
    };
    let shown = access.headers().await.map_err(failed)?;
    let socket = match open(&http, &url, shown.clone()).await? {
        Opened::Socket(socket) => socket,
        Opened::Refused(refusal) => {
            let better = access.again(&shown, &refusal).await.map_err(failed)?;
            match open(&http, &url, better).await? {
                Opened::Socket(socket) => socket,
                Opened::Refused(refusal) => {
                    return Err(Failure::SignIn { challenge: refusal.challenge });
                }
            }
        }
    };
    let (sink, stream) = socket.split();
    let messages = (outgoing(sink), incoming(stream, client.log()));
    Ok(Connected { service: handshake(messages, client).await?, process: None })
}

enum Opened {
    Socket(Box<Socket>),
    Refused(Refusal),
}

async fn open(http: &reqwest::Client, url: &str, shown: HeaderMap) -> Result<Opened, Failure> {
    let passing = |why: String| Failure::Passing(format!("It cannot be reached: {why}."));
    let key = generate_key();
    let request = http
        .get(url)
        .headers(shown)
        .header(CONNECTION, "Upgrade")
        .header(UPGRADE, "websocket")
        .header(SEC_WEBSOCKET_VERSION, "13")
        .header(SEC_WEBSOCKET_PROTOCOL, PROTOCOL)
        .header(SEC_WEBSOCKET_KEY, &key);
    let answer = request.send().await.map_err(|error| passing(innermost(&error)))?;
    match answer.status() {
        StatusCode::SWITCHING_PROTOCOLS => {}
        status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
            return Ok(Opened::Refused(refused(status, answer.headers())));
        }
        status => return Err(passing(format!("the answer was {status}, not a WebSocket"))),
    }
    let expected = derive_accept_key(key.as_bytes());
    let accepted = answer.headers().get(SEC_WEBSOCKET_ACCEPT);
    if accepted.is_none_or(|accepted| accepted.as_bytes() != expected.as_bytes()) {
        return Err(Failure::Final("It speaks wrongly: that is no WebSocket.".to_owned()));
    }
    let raw = answer.upgrade().await.map_err(|error| passing(innermost(&error)))?;
    let limits = WebSocketConfig::default()
        .max_message_size(Some(MESSAGE_CAP))
        .max_frame_size(Some(MESSAGE_CAP));
    let socket = WebSocketStream::from_raw_socket(raw, Role::Client, Some(limits)).await;
    Ok(Opened::Socket(Box::new(socket)))
}

fn incoming(
    stream: impl Stream<Item = Result<Message, Error>> + Send + Unpin + 'static,
    log: Arc<Log>,
) -> impl Stream<Item = RxJsonRpcMessage<RoleClient>> + Send + Unpin {
    let messages = stream.scan(log, |log, message| {
        let next = match message {
            Ok(message @ (Message::Text(_) | Message::Binary(_))) => {
                Some(read_message(&message.into_data(), log))
            }
            Ok(Message::Close(_)) => None,
            // Pings are answered underneath.
            Ok(_) => Some(None),
            Err(error) => {
                log.note(&format!("The connection broke: {}.", innermost(&error)));
                None
            }
        };
        std::future::ready(next)
    });
    Box::pin(messages.filter_map(std::future::ready))
}

fn outgoing(
    sink: impl Sink<Message, Error = Error> + Send + Unpin + 'static,
) -> impl Sink<TxJsonRpcMessage<RoleClient>, Error = io::Error> + Send + Unpin {
    let send = |mut sink: _, message: TxJsonRpcMessage<RoleClient>| async move {
        let text = serde_json::to_string(&message).map_err(io::Error::other)?;
        let sent = tokio::time::timeout(SENT_WITHIN, send_text(&mut sink, text)).await;
        sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))??;
        Ok(sink)
    };
    Box::pin(futures::sink::unfold(sink, send))
}

async fn send_text(
    sink: &mut (impl Sink<Message, Error = Error> + Unpin),
    text: String,
) -> Result<(), io::Error> {
    sink.send(Message::text(text)).await.map_err(io::Error::other)
}
