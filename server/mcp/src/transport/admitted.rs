//! Streamable HTTP with [`Access`]: each request carries what lets us in, and is made once more
//! when the server refuses that and there is something better.

use std::collections::HashMap;
use std::future::Future;
use std::io;
use std::sync::Arc;

use futures::stream::BoxStream;
use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::ClientJsonRpcMessage;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, SseError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};

use crate::access::{Access, NoAccess, Refusal};

/// A client that is let in.
#[derive(Clone)]
pub(super) struct Admitted {
    pub(super) http: reqwest::Client,
    pub(super) access: Arc<Access>,
}

type Headers = HashMap<HeaderName, HeaderValue>;
type Failed = StreamableHttpError<reqwest::Error>;

impl Admitted {
    async fn call<T, F, Fut>(&self, own: Headers, request: F) -> Result<T, Failed>
    where
        F: Fn(Headers) -> Fut,
        Fut: Future<Output = Result<T, Failed>>,
    {
        let shown = self.access.headers().await.map_err(no_access)?;
        let error = match request(joined(&own, &shown)).await {
            Err(error) => error,
            done => return done,
        };
        let Some(refusal) = refusal(&error) else { return Err(error) };
        match self.access.again(&shown, &refusal).await {
            Ok(better) => request(joined(&own, &better)).await,
            // The SDK knows by this what is to be done.
            Err(NoAccess::SignIn) => Err(match error {
                error @ StreamableHttpError::InsufficientScope(_) => error,
                _ => sign_in(refusal.challenge),
            }),
            Err(NoAccess::Failed(_)) => Err(error),
        }
    }
}

/// What the SDK wants to send wins: the session's id and such.
fn joined(own: &Headers, shown: &HeaderMap) -> Headers {
    let mut all: Headers =
        shown.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
    all.extend(own.iter().map(|(name, value)| (name.clone(), value.clone())));
    all
}

fn refusal(error: &Failed) -> Option<Refusal> {
    let plain = |status: u16| Refusal { status, challenge: None };
    match error {
        StreamableHttpError::AuthRequired(error) => {
            Some(Refusal { status: 401, challenge: Some(error.www_authenticate_header.clone()) })
        }
        StreamableHttpError::InsufficientScope(error) => {
            Some(Refusal { status: 403, challenge: Some(error.www_authenticate_header.clone()) })
        }
        StreamableHttpError::Client(error) => {
            let status = error.status().map(|status| status.as_u16());
            status.filter(|status| matches!(status, 401 | 403)).map(plain)
        }
        // The SDK puts the status of a refusal without a challenge into words.
        StreamableHttpError::UnexpectedServerResponse(text) => [401, 403]
            .into_iter()
            .find(|status| text.starts_with(&format!("HTTP {status}")))
            .map(plain),
        _ => None,
    }
}

fn sign_in(challenge: Option<String>) -> Failed {
    StreamableHttpError::AuthRequired(AuthRequiredError::new(challenge.unwrap_or_default()))
}

fn no_access(why: NoAccess) -> Failed {
    match why {
        NoAccess::SignIn => sign_in(None),
        NoAccess::Failed(why) => StreamableHttpError::Io(io::Error::other(why)),
    }
}

impl StreamableHttpClient for Admitted {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        let cap = super::MESSAGE_CAP;
        self.post_message_with_max_sse_event_size(
            uri,
            message,
            session_id,
            auth_header,
            custom_headers,
            cap,
        )
        .await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session_id: Option<Arc<str>>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<StreamableHttpPostResponse, Failed> {
        self.call(custom_headers, |headers| {
            self.http.post_message_with_max_sse_event_size(
                uri.clone(),
                message.clone(),
                session_id.clone(),
                auth_header.clone(),
                headers,
                max_sse_event_size,
            )
        })
        .await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session_id: Arc<str>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<(), Failed> {
        self.call(custom_headers, |headers| {
            self.http.delete_session(uri.clone(), session_id.clone(), auth_header.clone(), headers)
        })
        .await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
    ) -> Result<BoxStream<'static, Result<sse_stream::Sse, SseError>>, Failed> {
        self.get_stream_with_max_sse_event_size(
            uri,
            session_id,
            last_event_id,
            auth_header,
            custom_headers,
            super::MESSAGE_CAP,
        )
        .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session_id: Option<Arc<str>>,
        last_event_id: Option<String>,
        auth_header: Option<String>,
        custom_headers: Headers,
        max_sse_event_size: usize,
    ) -> Result<BoxStream<'static, Result<sse_stream::Sse, SseError>>, Failed> {
        self.call(custom_headers, |headers| {
            self.http.get_stream_with_max_sse_event_size(
                uri.clone(),
                session_id.clone(),
                last_event_id.clone(),
                auth_header.clone(),
                headers,
                max_sse_event_size,
            )
        })
        .await
    }
}
