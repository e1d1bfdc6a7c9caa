//! Fetching a page: redirects within a host, caps on everything, nothing kept that failed.

use std::sync::Arc;
use std::time::Duration;

use policy::Host;
use reqwest::Response;
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use url::Url;

use crate::cache::Cache;
use crate::client::LazyClient;
use crate::page::{Body, Page};

/// Larger pages are not for reading.
const MOST_BYTES: usize = 10 * 1024 * 1024;
/// All in all, redirects included.
const WITHIN: Duration = Duration::from_secs(60);
const MOST_REDIRECTS: usize = 10;

/// The web, with a memory. Clones share it.
#[derive(Clone, Default)]
pub struct Web(Arc<Inner>);

#[derive(Default)]
struct Inner {
    client: LazyClient,
    cache: Cache,
}

/// What an address gave.
#[derive(Clone, Debug)]
pub enum Fetched {
    Page(Arc<Page>),
    /// The page is on another host, which nobody has been asked about.
    Elsewhere {
        to: Url,
        status: u16,
    },
}

/// Why there is no page, as a sentence.
#[derive(Debug, thiserror::Error)]
pub enum WebError {
    #[error("{0} cannot be reached: {1}.")]
    Unreachable(String, String),
    #[error("{0} took longer than {seconds} seconds.", seconds = WITHIN.as_secs())]
    TooSlow(String),
    #[error("The page is larger than {mb} MB; look for a smaller one.", mb = MOST_BYTES / 1024 / 1024)]
    TooLarge,
    #[error("The page redirects more than {MOST_REDIRECTS} times.")]
    Endless,
    #[error("The page redirects to {0}, which is not followed: {1}.")]
    BadRedirect(String, &'static str),
    #[error("The search service cannot be used: {0}.")]
    BadSearch(String),
}

impl Web {
    /// The page at an address that may be fetched.
    pub async fn get(&self, url: &Url) -> Result<Fetched, WebError> {
        if let Some(page) = self.0.cache.get(url.as_str()) {
            return Ok(Fetched::Page(page));
        }
        let host = url.host_str().unwrap_or_default().to_owned();
        let fetched = tokio::time::timeout(WITHIN, self.follow(url.clone())).await;
        let fetched = fetched.map_err(|_| WebError::TooSlow(host))??;
        if let Fetched::Page(page) = &fetched
            && page.status < 400
        {
            self.0.cache.put(url.as_str(), page);
        }
        Ok(fetched)
    }

    /// One answer of a service, with headers for it alone. Nothing is followed or remembered.
    pub(crate) async fn ask(
        &self,
        url: Url,
        headers: &[(String, String)],
    ) -> Result<Page, WebError> {
        let host = url.host_str().unwrap_or_default().to_owned();
        let unreachable =
            |error: &reqwest::Error| WebError::Unreachable(host.clone(), cause(error));
        let client = self.0.client.get().map_err(|error| unreachable(&error))?;
        let mut request = client.get(url.clone()).header(ACCEPT, "application/json");
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let answer = async {
            let response = request.send().await.map_err(|error| unreachable(&error))?;
            read(url, response).await
        };
        let answer = tokio::time::timeout(WITHIN, answer).await;
        answer.map_err(|_| WebError::TooSlow(host.clone()))?
    }

    async fn follow(&self, mut url: Url) -> Result<Fetched, WebError> {
        let unreachable = |url: &Url, error: &reqwest::Error| {
            WebError::Unreachable(url.host_str().unwrap_or_default().to_owned(), cause(error))
        };
        let client = self.0.client.get().map_err(|error| unreachable(&url, &error))?;
        for _ in 0..MOST_REDIRECTS {
            let response = client.get(url.clone()).send().await;
            let response = response.map_err(|error| unreachable(&url, &error))?;
            let status = response.status();
            let target = response.headers().get(LOCATION).filter(|_| status.is_redirection());
            let Some(target) = target.map(|target| String::from_utf8_lossy(target.as_bytes()))
            else {
                return read(url, response).await.map(|page| Fetched::Page(Arc::new(page)));
            };
            let next = redirect(&url, &target)?;
            if !same_host(&url, &next) {
                return Ok(Fetched::Elsewhere { to: next, status: status.as_u16() });
            }
            url = next;
        }
        Err(WebError::Endless)
    }
}

/// Where a redirect leads, if it may lead there at all.
fn redirect(from: &Url, target: &str) -> Result<Url, WebError> {
    let bad = |why| WebError::BadRedirect(target.chars().take(200).collect(), why);
    let next = from.join(target).map_err(|_| bad("it is no address"))?;
    match (from.scheme(), next.scheme()) {
        ("https", "http") => Err(bad("it gives up the encryption")),
        (_, "http" | "https") if !next.username().is_empty() || next.password().is_some() => {
            Err(bad("it carries a login"))
        }
        (_, "http" | "https") => Ok(next),
        _ => Err(bad("only http and https are fetched")),
    }
}

/// The same name and the same port; a `www.` more or less is the same house.
fn same_host(from: &Url, to: &Url) -> bool {
    let name = |url: &Url| {
        let host = Host::of(url).ok()?.to_string();
        Some(host.strip_prefix("www.").map(str::to_owned).unwrap_or(host))
    };
    // From http to https the usual port changes, too.
    let ports = from.port_or_known_default() == to.port_or_known_default()
        || (from.port().is_none() && to.port().is_none());
    ports && name(from).is_some() && name(from) == name(to)
}

async fn read(url: Url, mut response: Response) -> Result<Page, WebError> {
    let status = response.status().as_u16();
    let content_type = response.headers().get(CONTENT_TYPE);
    let content_type =
        content_type.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
    let mut bytes = Vec::new();
    loop {
        let chunk = response.chunk().await.map_err(|error| {
            WebError::Unreachable(url.host_str().unwrap_or_default().to_owned(), cause(&error))
        })?;
        let Some(chunk) = chunk else { break };
        // Counted after unpacking, so that a small download cannot become a huge page.
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(WebError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    let (len, content_type) = (bytes.len(), content_type.unwrap_or_default());
    // Large pages take a while to be read.
    let body = tokio::task::spawn_blocking(move || Body::read(&content_type, bytes)).await;
    let body = body.map_err(|error| {
        WebError::Unreachable(url.host_str().unwrap_or_default().to_owned(), error.to_string())
    })?;
    Ok(Page { url, status, bytes: len, body })
}

/// What really went wrong stands at the end of the chain.
fn cause(error: &reqwest::Error) -> String {
    let mut error: &dyn std::error::Error = error;
    while let Some(source) = error.source() {
        error = source;
    }
    error.to_string().trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests;
