//! The HTTP of a sign-in: every request the SDK's OAuth code makes goes through here.
//!
//! Addresses are checked, redirects are not followed, answers are small and quick, and every token
//! in an answer is known to the redactor before anybody else sees it.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use ::http::header::{ACCEPT, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use futures::StreamExt as _;
use reqwest::{Client, Method, StatusCode};
use rmcp::transport::auth::{
    AuthorizationMetadata, OAuthHttpClient, OAuthHttpClientError, OAuthHttpClientFuture,
    OAuthHttpRequest,
};
use serde_json::Value;
use url::Url;

use super::Vault;
use super::addresses::{Addresses, Lookup};

/// Metadata and tokens are small.
const LARGEST: usize = 256 * 1024;
const WITHIN: Duration = Duration::from_secs(30);
/// Shorter texts are no secrets, and redacting them would hide ordinary words.
const SHORTEST_SECRET: usize = 8;
const SECRETS: [&str; 5] =
    ["access_token", "refresh_token", "id_token", "client_secret", "registration_access_token"];

/// Makes clients for an address with the user's certificates and proxies. The rest is up to whoever
/// asks.
pub type ClientBuilder = Arc<dyn Fn(&Url) -> Result<reqwest::ClientBuilder, String> + Send + Sync>;

pub(crate) struct Careful {
    builder: ClientBuilder,
    /// For the outside world.
    far: OnceLock<Client>,
    /// For plain HTTP on this machine.
    near: OnceLock<Client>,
    addresses: Arc<Addresses>,
    vault: Arc<dyn Vault>,
}

impl Careful {
    pub(crate) fn new(
        builder: ClientBuilder,
        addresses: Arc<Addresses>,
        vault: Arc<dyn Vault>,
    ) -> Careful {
        Careful { builder, far: OnceLock::new(), near: OnceLock::new(), addresses, vault }
    }

    fn client(&self, url: &Url) -> Result<Client, OAuthHttpClientError> {
        let cell = if url.scheme() == "http" { &self.near } else { &self.far };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let builder = (self.builder)(url)?
            .redirect(reqwest::redirect::Policy::none())
            .timeout(WITHIN)
            .dns_resolver(Arc::new(Lookup(self.addresses.clone())));
        let client = builder.build()?;
        Ok(cell.get_or_init(|| client).clone())
    }

    /// What the server says to somebody it does not know. Many answer only to a message.
    pub(crate) async fn challenge(&self, url: &Url) -> Option<String> {
        let mut request = reqwest::Request::new(Method::POST, url.clone());
        let both = HeaderValue::from_static("application/json, text/event-stream");
        request.headers_mut().insert(ACCEPT, both);
        let json = HeaderValue::from_static("application/json");
        request.headers_mut().insert(CONTENT_TYPE, json);
        *request.body_mut() = Some(r#"{"jsonrpc":"2.0","id":0,"method":"ping"}"#.into());
        let answer = self.send(request).await.ok()?;
        let refused = answer.status() == StatusCode::UNAUTHORIZED;
        let challenge = answer.headers().get(WWW_AUTHENTICATE).filter(|_| refused)?;
        challenge.to_str().ok().map(str::to_owned)
    }

    /// The metadata at an address that the configuration names.
    pub(crate) async fn metadata(&self, url: &Url) -> Result<AuthorizationMetadata, String> {
        let host = url.host_str().unwrap_or_default();
        let request = reqwest::Request::new(Method::GET, url.clone());
        let failed = |why: &str| format!("The metadata at {host} cannot be used: {why}.");
        let answer = self.send(request).await.map_err(|error| failed(&error.to_string()))?;
        if answer.status() != StatusCode::OK {
            return Err(failed(&format!("the answer was {}", answer.status())));
        }
        serde_json::from_slice(answer.body()).map_err(|_| failed("it is no such document"))
    }

    async fn send(
        &self,
        request: reqwest::Request,
    ) -> Result<http::Response<Vec<u8>>, OAuthHttpClientError> {
        let host = request.url().host_str().unwrap_or_default().to_owned();
        self.addresses.ask(request.url()).map_err(|why| format!("the address at {host} {why}"))?;
        let response = self.client(request.url())?.execute(request).await?;
        let mut answer =
            http::Response::builder().status(response.status()).version(response.version());
        for (name, value) in response.headers() {
            answer = answer.header(name, value);
        }
        let mut body = Vec::new();
        let mut chunks = response.bytes_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk?;
            if body.len() + chunk.len() > LARGEST {
                return Err(format!("{host} answered with more than {LARGEST} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        learn(&body, &*self.vault);
        Ok(answer.body(body)?)
    }
}

impl OAuthHttpClient for Careful {
    fn execute(&self, request: OAuthHttpRequest) -> OAuthHttpClientFuture<'_> {
        Box::pin(async { self.send(reqwest::Request::try_from(request.request)?).await })
    }
}

fn learn(body: &[u8], vault: &dyn Vault) {
    let Ok(Value::Object(answer)) = serde_json::from_slice(body) else { return };
    let texts = SECRETS.iter().filter_map(|name| answer.get(*name)?.as_str());
    texts.filter(|text| text.len() >= SHORTEST_SECRET).for_each(|text| vault.learn(text));
}
