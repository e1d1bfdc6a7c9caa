//! Keys that are not in the environment: the host knows where they are kept and how to get them.

use std::sync::Arc;

use agent::{ModelError, ModelErrorKind};
use futures::future::BoxFuture;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use url::Url;

use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::{anthropic, openai};

/// Whose key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Service {
    Anthropic,
    OpenAi,
}

/// A key, and how it is shown to the server.
#[derive(Clone, PartialEq, Eq)]
pub enum Key {
    /// As the service itself wants it.
    Own(String),
    /// From a helper, which may stand before any gateway: in both ways that are in use.
    Any(String),
}

impl Key {
    fn text(&self) -> &str {
        match self {
            Key::Own(text) | Key::Any(text) => text,
        }
    }
}

/// Where keys come from. Implemented by the host, which alone reads files and runs programs.
pub trait Keys: Send + Sync {
    /// Whether there may be a key for this server. Runs nothing.
    fn has(&self, service: Service, host: &str) -> bool;

    /// The key for this server, and for no other. `fresh` after a server refused the last one.
    /// An error is a sentence that holds no secret.
    fn key<'a>(
        &'a self,
        service: Service,
        host: &'a str,
        fresh: bool,
    ) -> BoxFuture<'a, Result<Option<Key>, String>>;
}

/// The server that a service's requests go to, as keys are filed under it.
pub fn server_of(env: &Env, service: Service) -> Result<String, ConfigError> {
    base_of(env, service).map(|url| host_of(&url))
}

/// Where the service is.
pub(crate) fn base_of(env: &Env, service: Service) -> Result<Url, ConfigError> {
    let (variable, default) = match service {
        Service::Anthropic => ("ANTHROPIC_BASE_URL", anthropic::DEFAULT),
        Service::OpenAi => ("OPENAI_BASE_URL", openai::DEFAULT),
    };
    Endpoint::url(env, variable, default, &[])
}

/// The keys for one server.
#[derive(Clone)]
pub(crate) struct KeySource {
    pub(crate) keys: Arc<dyn Keys>,
    pub(crate) service: Service,
    pub(crate) host: String,
}

impl KeySource {
    /// What to look at when such a key is refused.
    pub(crate) const NAME: &str = "the stored key or the key helper";

    /// Adds the key to a request's headers.
    pub(crate) async fn add(&self, headers: &mut HeaderMap, fresh: bool) -> Result<(), ModelError> {
        let failed = |text| ModelError::new(ModelErrorKind::Authentication, text);
        let key = self.keys.key(self.service, &self.host, fresh).await.map_err(failed)?;
        let Some(key) = key else { return Ok(()) };
        let header = |text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(|_| {
                failed("The key holds a character that no HTTP header may carry.".to_owned())
            })?;
            value.set_sensitive(true);
            Ok(value)
        };
        let any = matches!(key, Key::Any(_));
        if self.service == Service::Anthropic {
            headers.insert("x-api-key", header(key.text())?);
        }
        if any || self.service == Service::OpenAi {
            headers.insert(AUTHORIZATION, header(&format!("Bearer {}", key.text()))?);
        }
        Ok(())
    }
}
