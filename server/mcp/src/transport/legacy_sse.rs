//! HTTP with server-sent events, as servers did it before streamable HTTP: a stream that stays open
//! brings the server's messages, its first event says where to post ours.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use futures::stream::BoxStream;
use futures::{Sink, Stream, StreamExt as _};
use http::StatusCode;
use http::header::{CONTENT_TYPE, HeaderMap, WWW_AUTHENTICATE};
use rmcp::RoleClient;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::streamable_http_client::{
    SseError, StreamableHttpClient as _, StreamableHttpError,
};
use sse_stream::Sse;
use url::Url;

use super::admitted::Admitted;
use super::lines::read_message;
use super::{Connected, Failure, MESSAGE_CAP, Surroundings, handshake, innermost};
use crate::access::{NoAccess, Refusal};
use crate::client::Client;
use crate::config::ServerConfig;
use crate::log::Log;

/// How long the server may take to accept one message. The answer comes by the stream.
const ACCEPTED_WITHIN: Duration = Duration::from_secs(60);
/// Events that may come before the one that says where to post.
const PATIENCE: usize = 16;

type Events = BoxStream<'static, Result<Sse, SseError>>;

pub(super) async fn connect(
    config: &ServerConfig,
    around: &Arc<dyn Surroundings>,
    client: Client,
) -> Result<Connected, Failure> {
    let (url, access) = super::way_in(config, around)?;
    let http = around.http(url).map_err(Failure::Final)?;
    let admitted = Admitted { http, access };
    let opened = admitted.get_stream_with_max_sse_event_size(
        url.into(),
        None,
        None,
        None,
        HashMap::new(),
        MESSAGE_CAP,
    );
    let mut events = opened.await.map_err(|error| failure(&error))?;
    let endpoint = endpoint(&mut events, url).await?;
    let messages = (outgoing(Post { admitted, endpoint }), incoming(events, client.log()));
    Ok(Connected { service: handshake(messages, client).await?, process: None })
}

fn failure(error: &StreamableHttpError<reqwest::Error>) -> Failure {
    match error {
        StreamableHttpError::AuthRequired(error) => {
            Failure::SignIn { challenge: Some(error.www_authenticate_header.clone()) }
        }
        StreamableHttpError::InsufficientScope(error) => {
            Failure::SignIn { challenge: Some(error.www_authenticate_header.clone()) }
        }
        error => Failure::Passing(format!("It cannot be reached: {}.", innermost(error))),
    }
}

/// Where to post. It must be the server's own origin: what lets us in goes there, too.
async fn endpoint(events: &mut Events, url: &str) -> Result<Url, Failure> {
    let odd = |why: &str| Failure::Final(format!("It speaks wrongly: {why}."));
    let base = Url::parse(url).map_err(|_| odd("its address is none"))?;
    for _ in 0..PATIENCE {
        let Some(Ok(event)) = events.next().await else { break };
        if event.event.as_deref() != Some("endpoint") {
            continue;
        }
        let said = event.data.unwrap_or_default();
        let endpoint = base.join(said.trim()).map_err(|_| odd("its endpoint is no address"))?;
        return match endpoint.origin() == base.origin() {
            true => Ok(endpoint),
            false => Err(odd("its endpoint is on another server")),
        };
    }
    Err(Failure::Passing(
        "It did not say where to post; is it a streamable HTTP server?".to_owned(),
    ))
}

fn incoming(
    events: Events,
    log: Arc<Log>,
) -> impl Stream<Item = RxJsonRpcMessage<RoleClient>> + Send + Unpin {
    let messages = events.scan(log, |log, event| {
        let next = match event {
            Ok(event) if matches!(event.event.as_deref(), None | Some("message" | "")) => {
                Some(event.data.and_then(|data| read_message(data.as_bytes(), log)))
            }
            Ok(_) => Some(None),
            Err(error) => {
                log.note(&format!("The stream broke: {}.", innermost(&error)));
                None
            }
        };
        std::future::ready(next)
    });
    Box::pin(messages.filter_map(std::future::ready))
}

struct Post {
    admitted: Admitted,
    endpoint: Url,
}

fn outgoing(
    post: Post,
) -> impl Sink<TxJsonRpcMessage<RoleClient>, Error = io::Error> + Send + Unpin {
    let send = |post: Post, message: TxJsonRpcMessage<RoleClient>| async move {
        let text = serde_json::to_string(&message).map_err(io::Error::other)?;
        post.send(&text).await.map_err(io::Error::other)?;
        Ok(post)
    };
    Box::pin(futures::sink::unfold(post, send))
}

impl Post {
    async fn send(&self, text: &str) -> Result<(), NoAccess> {
        let access = &self.admitted.access;
        let shown = access.headers().await?;
        let Some(refusal) = self.try_once(text, &shown).await? else { return Ok(()) };
        let better = access.again(&shown, &refusal).await?;
        match self.try_once(text, &better).await? {
            None => Ok(()),
            Some(_) => Err(NoAccess::SignIn),
        }
    }

    async fn try_once(&self, text: &str, shown: &HeaderMap) -> Result<Option<Refusal>, NoAccess> {
        let request = self.admitted.http.post(self.endpoint.clone()).headers(shown.clone());
        let request = request.header(CONTENT_TYPE, "application/json").body(text.to_owned());
        let answer = request.timeout(ACCEPTED_WITHIN).send().await;
        let answer = answer.map_err(|error| NoAccess::Failed(innermost(&error)))?;
        match answer.status() {
            status if status.is_success() => Ok(None),
            status @ (StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => {
                Ok(Some(refused(status, answer.headers())))
            }
            status => Err(NoAccess::Failed(format!("the server answered {status}"))),
        }
    }
}

pub(super) fn refused(status: StatusCode, headers: &HeaderMap) -> Refusal {
    let challenge = headers.get(WWW_AUTHENTICATE).and_then(|value| value.to_str().ok());
    Refusal { status: status.as_u16(), challenge: challenge.map(str::to_owned) }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn check(said: &str, expect: Result<&str, &str>) {
        let first = Ok(Sse::default().event("endpoint").data(said));
        let mut events: Events = futures::stream::iter([Ok(Sse::default()), first]).boxed();
        let got = endpoint(&mut events, "https://x.example/a/sse").await;
        let got = got.map(String::from).map_err(|failure| failure.to_string());
        assert_eq!(got.as_deref().map_err(String::as_str), expect, "{said}");
    }

    #[tokio::test]
    async fn messages_go_to_the_same_server_only() {
        check("/messages?s=1", Ok("https://x.example/messages?s=1")).await;
        check("https://x.example/m", Ok("https://x.example/m")).await;
        check("m", Ok("https://x.example/a/m")).await;
        let other = Err("It speaks wrongly: its endpoint is on another server.");
        for said in
            ["https://evil.example/m", "//evil.example/m", "http://x.example/m", "file:///m"]
        {
            check(said, other).await;
        }
    }
}
