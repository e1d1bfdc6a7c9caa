//! The Anthropic Messages API, streamed.

mod body;
mod events;

use std::time::Duration;

use agent::{ModelError, ModelRequest, StreamEvent};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue};

use crate::answer::Answer;
use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::keys::{KeySource, Service};

/// The API pings every few seconds while it thinks, so this much silence is a dead connection.
const IDLE: Duration = Duration::from_secs(120);

/// Still served, and the one version that every gateway understands.
const VERSION: &str = "2023-06-01";

pub(crate) const DEFAULT: &str = "https://api.anthropic.com";

#[derive(Clone)]
pub(crate) struct Anthropic {
    endpoint: Endpoint,
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
        if let Some(betas) = env.get("ANTHROPIC_BETAS") {
            headers.insert("anthropic-beta", Endpoint::secret(betas, "ANTHROPIC_BETAS")?);
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
        let (patience, hidden) = (IDLE, Hidden::default());
        Ok(Self { endpoint: Endpoint { http, url, headers, keys, hidden, patience, origin } })
    }

    pub(crate) fn stream(
        &self,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
        let endpoint = self.endpoint.clone();
        let hidden = endpoint.hidden.clone();
        let origin = Origin { model: request.model.clone(), ..endpoint.origin.clone() };
        let opened = async move {
            let response = endpoint.post(body::write(&request), &origin).await?;
            drop(request);
            let format = events::Events::new(origin.clone());
            Ok(Answer::new(response, IDLE, origin, format))
        };
        stream::once(opened).try_flatten().map_err(move |error| hidden.clean(error)).boxed()
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
