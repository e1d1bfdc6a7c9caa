//! The same over streamable HTTP, for clients that cannot start a program. Pages of the web are kept
//! out: a `Host` or `Origin` that is not this machine is refused, and a token is wanted.

use std::convert::Infallible;
use std::sync::Arc;

use http::{Request, Response, StatusCode, header};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::{Counter, Toolbox};

/// Where it is: `http://127.0.0.1:PORT/mcp`.
const PATH: &str = "/mcp";
/// More connections than this wait.
const CONNECTIONS: usize = 64;
/// Pages that are served from this machine may talk to it.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

type Service = StreamableHttpService<Counter, LocalSessionManager>;
type Body = BoxBody<Bytes, Infallible>;

/// Serves whoever has the token, each with a toolbox of its own, until it is dropped.
pub async fn serve_http(
    make: impl Fn() -> Arc<dyn Toolbox> + Send + Sync + 'static,
    version: &str,
    listener: TcpListener,
    token: Option<String>,
) {
    let version = version.to_owned();
    let config = StreamableHttpServerConfig::default().with_allowed_origins(ORIGINS);
    let service: Service = StreamableHttpService::new(
        move || Ok(Counter::new(make(), &version)),
        Arc::new(LocalSessionManager::default()),
        config,
    );
    let (token, room) = (token.map(Arc::<str>::from), Arc::new(Semaphore::new(CONNECTIONS)));
    // The semaphore is never closed, so there is always a permit to wait for.
    while let Ok(permit) = room.clone().acquire_owned().await {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "a connection was lost before it began");
                continue;
            }
        };
        let (service, token) = (service.clone(), token.clone());
        tokio::spawn(async move {
            let answer = service_fn(move |request| {
                let (service, token) = (service.clone(), token.clone());
                async move { Ok::<_, Infallible>(answer(&service, token.as_deref(), request).await) }
            });
            let connection = http1::Builder::new().serve_connection(TokioIo::new(stream), answer);
            if let Err(error) = connection.await {
                tracing::debug!(%error, "a connection broke off");
            }
            drop(permit);
        });
    }
}

async fn answer(
    service: &Service,
    token: Option<&str>,
    request: Request<Incoming>,
) -> Response<Body> {
    if request.uri().path() != PATH {
        return said(StatusCode::NOT_FOUND, "The server is at /mcp.");
    }
    if token.is_some_and(|token| !has_token(&request, token)) {
        let wrong = "Send the token that was printed, as `Authorization: Bearer TOKEN`.";
        return said(StatusCode::UNAUTHORIZED, wrong);
    }
    service.handle(request).await
}

/// Compared by their digests, so that how long it takes says nothing about the token.
fn has_token(request: &Request<Incoming>, token: &str) -> bool {
    let given = request.headers().get(header::AUTHORIZATION);
    let given = given.and_then(|given| given.to_str().ok()?.strip_prefix("Bearer "));
    given.is_some_and(|given| Sha256::digest(given) == Sha256::digest(token))
}

fn said(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}
