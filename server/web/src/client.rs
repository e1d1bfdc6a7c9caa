//! The HTTP client, made when the first page is wanted.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::header::{ACCEPT, HeaderMap, HeaderValue};
use reqwest::{Certificate, Client};

use crate::guard::Guarded;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);
const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

#[derive(Default)]
pub(crate) struct LazyClient(OnceLock<Client>);

impl LazyClient {
    pub(crate) fn get(&self) -> reqwest::Result<Client> {
        if let Some(client) = self.0.get() {
            return Ok(client.clone());
        }
        // Two first pages at once may both build; one of the clients is kept.
        let client = build()?;
        Ok(self.0.get_or_init(|| client).clone())
    }
}

fn build() -> reqwest::Result<Client> {
    let bundled = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
    let roots =
        bundled.map(|der| Certificate::from_der(der)).collect::<reqwest::Result<Vec<_>>>()?;
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("text/markdown, text/html, */*;q=0.8"));
    Client::builder()
        .user_agent(concat!("bowline/", env!("CARGO_PKG_VERSION"), " (a page for its user)"))
        .default_headers(headers)
        .connect_timeout(CONNECT_TIMEOUT)
        .read_timeout(IDLE_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        // A proxy would look names up by itself, behind the guard's back.
        .no_proxy()
        .dns_resolver(Arc::new(Guarded))
        .tls_certs_merge(roots)
        .build()
}
