//! OpenAI-compatible chat completions, streamed: local servers (Ollama, llama.cpp, vLLM, LM Studio)
//! and gateways. The format is followed as these servers speak it, not as any one document has it.

mod body;
mod events;

use agent::{ModelError, ModelErrorKind, ModelRequest, StreamEvent};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap};

use crate::answer;
use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::keys::{KeySource, Service};
use crate::patience::Patience;

pub(crate) const DEFAULT: &str = "https://api.openai.com/v1";

#[derive(Clone)]
pub(crate) struct OpenAi {
    endpoint: Endpoint,
}

impl OpenAi {
    pub(crate) fn new(env: &Env) -> Result<Self, ConfigError> {
        let url = Endpoint::url(env, "OPENAI_BASE_URL", DEFAULT, &["chat", "completions"])?;
        let mut headers = HeaderMap::new();
        if let Some(key) = env.get("OPENAI_API_KEY") {
            let bearer = Endpoint::secret(&format!("Bearer {key}"), "OPENAI_API_KEY")?;
            headers.insert(AUTHORIZATION, bearer);
        }
        let in_headers = headers.contains_key(AUTHORIZATION);
        let keys = if in_headers { None } else { env.keys(Service::OpenAi, &url) };
        let origin = Origin {
            host: host_of(&url),
            model: String::new(),
            key_variable: keys.as_ref().map_or("OPENAI_API_KEY", |_| KeySource::NAME),
            url_variable: "OPENAI_BASE_URL",
            knows_models: false,
        };
        let http = env.http().clone();
        let (patience, hidden) = (Patience::OPENAI.read(env), Hidden::default());
        Ok(Self { endpoint: Endpoint { http, url, headers, keys, hidden, patience, origin } })
    }

    pub(crate) fn is_first_party(&self) -> bool {
        self.endpoint.url.host_str() == Some("api.openai.com")
    }

    pub(crate) fn stream(
        &self,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
        let endpoint = self.endpoint.clone();
        let hidden = endpoint.hidden.clone();
        let origin = Origin { model: request.model.clone(), ..endpoint.origin.clone() };
        let opened = async move {
            let body = body::write(&request).map_err(|error| {
                let text = format!("The conversation cannot be sent to this server: {error}.");
                ModelError::new(ModelErrorKind::InvalidRequest, text)
            })?;
            drop(request);
            let format = events::Events::new(origin.clone());
            endpoint.ask(body, origin, format, answer::sse_events).await
        };
        stream::once(opened).try_flatten().map_err(move |error| hidden.clean(error)).boxed()
    }
}
