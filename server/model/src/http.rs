//! The HTTP client: certificates, proxies, timeouts. Built on the first request and not before,
//! because reading the machine's certificates costs milliseconds that `initialize` must not pay.

mod trust;

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use agent::{ModelError, ModelErrorKind};
use reqwest::{Certificate, Client, ClientBuilder, NoProxy, Proxy};
use url::Url;

use crate::outside::Outside;
use trust::Trust;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// A shared client that exists once somebody has asked for it.
#[derive(Clone)]
pub struct Http(Arc<Inner>);

struct Inner {
    proxies: Proxies,
    trust: Trust,
    outside: Arc<dyn Outside>,
    /// For the outside world: all certificates, all proxies.
    full: OnceLock<Client>,
    /// For plain HTTP on this machine: neither, which saves most of the building time, and a proxy
    /// meant for the outside never gets between us and a local model.
    local: OnceLock<Client>,
}

#[derive(Default)]
struct Proxies {
    http: Option<String>,
    https: Option<String>,
    all: Option<String>,
    no_proxy: Option<String>,
}

impl Http {
    pub(crate) fn new(value: impl Fn(&str) -> Option<String>, outside: Arc<dyn Outside>) -> Self {
        let either = |upper: &str| {
            let found = value(&upper.to_ascii_lowercase()).or_else(|| value(upper));
            found.filter(|text| !text.trim().is_empty())
        };
        let proxies = Proxies {
            // HTTP_PROXY in capitals may come from a request header in CGI, but we are not CGI.
            http: either("HTTP_PROXY"),
            https: either("HTTPS_PROXY"),
            all: either("ALL_PROXY"),
            no_proxy: either("NO_PROXY"),
        };
        let trust = Trust::new(&value, outside.clone());
        let (full, local) = (OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { proxies, trust, outside, full, local }))
    }

    pub(crate) fn now(&self) -> SystemTime {
        self.0.outside.now()
    }

    /// The client for this address.
    pub fn client(&self, url: &Url) -> Result<Client, ModelError> {
        let cell = if is_local(url) { &self.0.local } else { &self.0.full };
        if let Some(client) = cell.get() {
            return Ok(client.clone());
        }
        let client = self.builder(url)?.build().map_err(|error| cannot_start(&error))?;
        // Two first requests at once may both build; one of the clients is kept.
        Ok(cell.get_or_init(|| client).clone())
    }

    /// As [`Http::client`], but not finished: for whoever needs more care, and a client of their own.
    pub fn builder(&self, url: &Url) -> Result<ClientBuilder, ModelError> {
        let begun = match is_local(url) {
            true => local_builder(),
            false => self.0.proxies.add_to(self.0.trust.add_to(builder())?),
        };
        begun.map_err(|error| cannot_start(&error))
    }

    #[cfg(test)]
    pub(crate) fn is_built(&self) -> bool {
        self.0.full.get().is_some() || self.0.local.get().is_some()
    }
}

fn cannot_start(error: &reqwest::Error) -> ModelError {
    let text = format!("The HTTP client cannot start: {}.", crate::fault::cause(error));
    ModelError::new(ModelErrorKind::Network, text)
}

/// Plain HTTP on this machine.
fn is_local(url: &Url) -> bool {
    url.scheme() == "http" && is_loopback(url)
}

pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

fn builder() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("bowline/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        // A redirect would carry the key to whoever it names.
        .redirect(reqwest::redirect::Policy::none())
}

fn local_builder() -> reqwest::Result<ClientBuilder> {
    let one = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter().take(1);
    let roots = one.map(|der| Certificate::from_der(der)).collect::<reqwest::Result<Vec<_>>>()?;
    Ok(builder().no_proxy().tls_certs_only(roots).http1_only())
}

impl Proxies {
    fn add_to(&self, builder: ClientBuilder) -> reqwest::Result<ClientBuilder> {
        let bundled = webpki_root_certs::TLS_SERVER_ROOT_CERTS.iter();
        let roots =
            bundled.map(|der| Certificate::from_der(der)).collect::<reqwest::Result<Vec<_>>>()?;
        // Merged, not replaced: on a machine without a certificate store the client would not even
        // build, and a company's own authority is only in the machine's store.
        let mut builder = builder.tls_certs_merge(roots);
        if self.is_set() || cfg!(not(any(target_os = "macos", target_os = "windows"))) {
            builder = builder.no_proxy();
            for proxy in self.list()? {
                builder = builder.proxy(proxy);
            }
        }
        Ok(builder)
    }

    fn is_set(&self) -> bool {
        self.http.is_some() || self.https.is_some() || self.all.is_some()
    }

    fn list(&self) -> reqwest::Result<Vec<Proxy>> {
        let exempt = || self.no_proxy.as_deref().and_then(NoProxy::from_string);
        let http = self.http.as_ref().map(Proxy::http);
        let https = self.https.as_ref().map(Proxy::https);
        let all = self.all.as_ref().map(Proxy::all);
        let proxies = [http, https, all].into_iter().flatten();
        proxies.map(|proxy| Ok(proxy?.no_proxy(exempt()))).collect()
    }
}

#[cfg(test)]
mod tests;
