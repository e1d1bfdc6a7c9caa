//! The Anthropic Messages API, streamed.

pub(crate) mod body;
mod events;

use std::time::Duration;

use agent::{CacheTtl, ModelError, ModelRequest, StreamEvent};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;

use crate::answer;
use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::keys::{KeySource, Service};
use crate::patience::Patience;
use body::Dress;
pub(crate) use events::Events;

/// Still served, and the one version that every gateway understands.
const VERSION: &str = "2023-06-01";

pub(crate) const DEFAULT: &str = "https://api.anthropic.com";

#[derive(Clone)]
pub(crate) struct Anthropic {
    endpoint: Endpoint,
    caching: CacheTtl,
    /// The provider may clear old results of tools by itself.
    clearing: bool,
}

/// An exact count is a convenience; nobody waits long for it.
const COUNT_PATIENCE: Duration = Duration::from_secs(10);

/// How long the prompt cache is asked to keep: by the environment, else by the settings.
pub(crate) fn caching(env: &Env) -> CacheTtl {
    let on = |name: &str| env.get(name).is_some_and(|value| !matches!(value, "0" | "false"));
    match env.get("BOWLINE_PROMPT_CACHE") {
        Some("off") => CacheTtl::Off,
        Some("5m") => CacheTtl::FiveMinutes,
        Some("1h") => CacheTtl::Hour,
        _ if on("DISABLE_PROMPT_CACHING") => CacheTtl::Off,
        _ if on("FORCE_PROMPT_CACHING_5M") => CacheTtl::FiveMinutes,
        _ if on("ENABLE_PROMPT_CACHING_1H") => CacheTtl::Hour,
        _ => env.caching(),
    }
}

/// What the API wants to hear before it takes `context_management`.
const CLEARING_BETA: &str = "context-management-2025-06-27";

/// Only who asks for it gets it: a gateway that does not know the field would refuse every request,
/// and what we clear ourselves is the same after a restart.
fn clearing(env: &Env) -> bool {
    matches!(env.get("BOWLINE_API_CLEARING"), Some("1" | "on" | "true"))
}

impl Anthropic {
    pub(crate) fn new(env: &Env) -> Result<Self, ConfigError> {
        let url = Endpoint::url(env, "ANTHROPIC_BASE_URL", DEFAULT, &["messages"])?;
        let mut headers = HeaderMap::new();
        headers.insert("anthropic-version", HeaderValue::from_static(VERSION));
        let mut key_variable = "ANTHROPIC_API_KEY";
        if let Some(key) = env.get("ANTHROPIC_API_KEY") {
            headers.insert("x-api-key", Endpoint::secret(key, key_variable)?);
        } else if let Some(token) = env.get("ANTHROPIC_AUTH_TOKEN") {
            key_variable = "ANTHROPIC_AUTH_TOKEN";
            let bearer = Endpoint::secret(&format!("Bearer {token}"), key_variable)?;
            headers.insert(AUTHORIZATION, bearer);
        }
        let in_headers = headers.contains_key("x-api-key") || headers.contains_key(AUTHORIZATION);
        let keys = if in_headers { None } else { env.keys(Service::Anthropic, &url) };
        let clearing = clearing(env);
        let betas = env.get("ANTHROPIC_BETAS").into_iter();
        let betas: Vec<_> = betas.chain(Some(CLEARING_BETA).filter(|_| clearing)).collect();
        if !betas.is_empty() {
            let betas = Endpoint::secret(&betas.join(","), "ANTHROPIC_BETAS")?;
            headers.insert("anthropic-beta", betas);
        }
        custom_headers(env, &mut headers)?;
        let origin = Origin {
            host: host_of(&url),
            model: String::new(),
            key_variable: keys.as_ref().map_or(key_variable, |_| KeySource::NAME),
            url_variable: "ANTHROPIC_BASE_URL",
            knows_models: true,
        };
        let http = env.http().clone();
        let (patience, hidden) = (Patience::ANTHROPIC.read(env), Hidden::default());
        let endpoint = Endpoint { http, url, headers, keys, hidden, patience, origin };
        Ok(Self { endpoint, caching: caching(env), clearing })
    }

    pub(crate) fn stream(
        &self,
        mut request: ModelRequest,
    ) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
        request.clear_above = request.clear_above.filter(|_| self.clearing);
        let endpoint = self.endpoint.clone();
        let (hidden, caching) = (endpoint.hidden.clone(), self.caching);
        let origin = Origin { model: request.model.clone(), ..endpoint.origin.clone() };
        let opened = async move {
            let body = body::write(&request, caching, Dress::Direct);
            drop(request);
            let format = Events::new(origin.clone());
            endpoint.ask(body, origin, format, answer::sse_events).await
        };
        stream::once(opened).try_flatten().map_err(move |error| hidden.clean(error)).boxed()
    }
}

impl Anthropic {
    pub(crate) fn is_first_party(&self) -> bool {
        self.endpoint.url.host_str() == Some("api.anthropic.com")
    }

    pub(crate) fn caching(&self) -> CacheTtl {
        self.caching
    }

    /// How many tokens the provider would read for this request, if it says so in time.
    pub(crate) async fn count_tokens(&self, request: &ModelRequest) -> Option<u64> {
        #[derive(Deserialize)]
        struct Count {
            input_tokens: u64,
        }
        let mut endpoint = self.endpoint.clone();
        endpoint.url.path_segments_mut().ok()?.push("count_tokens");
        endpoint.patience.first = COUNT_PATIENCE;
        let origin = Origin { model: request.model.clone(), ..endpoint.origin.clone() };
        let counted = endpoint.fetch(body::write_to_count(request), &origin).await;
        match counted {
            Ok(text) => serde_json::from_str(&text).ok().map(|count: Count| count.input_tokens),
            Err(error) => {
                tracing::debug!(error = %endpoint.hidden.clean(error), "tokens are not counted");
                None
            }
        }
    }
}

/// `Name: value` lines, which is how gateways get their own headers.
fn custom_headers(env: &Env, headers: &mut HeaderMap) -> Result<(), ConfigError> {
    const VARIABLE: &str = "ANTHROPIC_CUSTOM_HEADERS";
    let lines = env.get(VARIABLE).unwrap_or_default().lines();
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        let name = HeaderName::try_from(name.trim())
            .map_err(|_| ConfigError::BadHeader { variable: VARIABLE })?;
        headers.insert(name, Endpoint::secret(value.trim(), VARIABLE)?);
    }
    Ok(())
}
