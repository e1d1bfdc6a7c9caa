//! What the host knows from the environment, as a value. This crate never asks the process.

use std::collections::HashMap;
use std::sync::Arc;

use agent::CacheTtl;
use agent::models::{Permitted, Refused};
use url::Url;

use crate::http::Http;
use crate::keys::{KeySource, Keys, Service};
use crate::outside::{Nothing, Outside};

/// The provider's features to switch on, separated by commas.
const BETAS: &str = "ANTHROPIC_BETAS";

/// Variables by name, and the HTTP client they configure. Clones share both, so every session of a
/// process uses one connection pool.
#[derive(Clone)]
pub struct Env {
    values: Arc<HashMap<String, String>>,
    http: Http,
    keys: Option<Arc<dyn Keys>>,
    caching: CacheTtl,
    permitted: Arc<Permitted>,
    #[cfg(any(feature = "bedrock", feature = "vertex"))]
    outside: Arc<dyn Outside>,
}

impl Env {
    pub fn new(values: impl IntoIterator<Item = (String, String)>) -> Self {
        let values: HashMap<_, _> = values.into_iter().collect();
        let outside: Arc<dyn Outside> = Arc::new(Nothing);
        let http = Http::new(|name| values.get(name).cloned(), outside.clone());
        Self {
            values: Arc::new(values),
            http,
            keys: None,
            caching: CacheTtl::default(),
            permitted: Arc::default(),
            #[cfg(any(feature = "bedrock", feature = "vertex"))]
            outside,
        }
    }

    /// Where files are read and the time is told.
    #[must_use]
    pub fn with_outside(self, outside: Arc<dyn Outside>) -> Self {
        let http = Http::new(|name| self.values.get(name).cloned(), outside.clone());
        Self {
            http,
            #[cfg(any(feature = "bedrock", feature = "vertex"))]
            outside,
            ..self
        }
    }

    #[cfg(any(feature = "bedrock", feature = "vertex"))]
    pub(crate) fn outside(&self) -> Arc<dyn Outside> {
        self.outside.clone()
    }

    /// With these features of the provider switched on, besides those that a variable names.
    #[must_use]
    pub fn with_betas(self, betas: &[String]) -> Self {
        if betas.is_empty() {
            return self;
        }
        let named = self.get(BETAS).map(str::to_owned).into_iter();
        let all = named.chain(betas.iter().cloned()).collect::<Vec<_>>().join(",");
        let mut values = HashMap::clone(&self.values);
        values.insert(BETAS.to_owned(), all);
        Self { values: Arc::new(values), ..self }
    }

    /// Where to look for a key that no variable holds.
    #[must_use]
    pub fn with_keys(self, keys: Arc<dyn Keys>) -> Self {
        Self { keys: Some(keys), ..self }
    }

    /// How long the prompt cache keeps where no variable says anything about it.
    #[must_use]
    pub fn with_caching(self, caching: CacheTtl) -> Self {
        Self { caching, ..self }
    }

    /// Which models may be chosen. Whatever a provider is made for, it is checked here.
    #[must_use]
    pub fn with_permitted(self, permitted: Permitted) -> Self {
        Self { permitted: Arc::new(permitted), ..self }
    }

    pub(crate) fn permitted(&self) -> &Arc<Permitted> {
        &self.permitted
    }

    pub(crate) fn caching(&self) -> CacheTtl {
        self.caching
    }

    /// The keys for the server at `url`, if there may be any.
    pub(crate) fn keys(&self, service: Service, url: &Url) -> Option<KeySource> {
        let host = crate::endpoint::host_of(url);
        let keys = self.keys.clone().filter(|keys| keys.has(service, &host))?;
        Some(KeySource { keys, service, host })
    }

    /// The trimmed value; a variable that is set to nothing counts as not set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    pub fn http(&self) -> &Http {
        &self.http
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Env {
    fn from(values: [(&str, &str); N]) -> Self {
        Self::new(values.map(|(name, value)| (name.to_owned(), value.to_owned())))
    }
}

/// The configuration asks for something that cannot work. One sentence, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    #[error(
        "Model `{model}` needs a key: run `bowline auth login`, or set ANTHROPIC_API_KEY (or ANTHROPIC_AUTH_TOKEN)."
    )]
    NoAnthropicKey { model: String },
    #[error(
        "Model `openai:{model}` needs a server: set OPENAI_BASE_URL (for instance \
         http://localhost:11434/v1) or OPENAI_API_KEY."
    )]
    NoOpenAiServer { model: String },
    #[error(
        "No model is named for {server}: set OPENAI_MODEL to one that it serves, or choose \
         `openai:NAME`."
    )]
    NoOpenAiModel { server: String },
    #[error(
        "There is no model `{model}` without a provider{}: use `rehearsal`, or set \
         ANTHROPIC_API_KEY or OPENAI_BASE_URL.",
        nearest.as_ref().map(|id| format!(" (did you mean `{id}`?)")).unwrap_or_default()
    )]
    UnknownModel { model: String, nearest: Option<String> },
    #[error("{variable} is not a web address: `{value}` should look like {example}.")]
    BadUrl { variable: &'static str, value: String, example: &'static str },
    #[error("{what}: set {variable}.")]
    Missing { what: &'static str, variable: &'static str },
    #[error("This program was built without {cloud}: build it with the feature `{feature}`.")]
    NotBuilt { cloud: &'static str, feature: &'static str },
    #[error(transparent)]
    Refused(#[from] Refused),
    #[error("{variable} holds a character that no HTTP header may carry; set it again.")]
    BadHeader { variable: &'static str },
}
