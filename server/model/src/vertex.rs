//! Google Vertex AI: the Messages API behind Google's addresses and tokens.
//!
//! Chosen with `BOWLINE_USE_VERTEX=1` (or `CLAUDE_CODE_USE_VERTEX=1`). The project is
//! `ANTHROPIC_VERTEX_PROJECT_ID`, the region `CLOUD_ML_REGION` (else `global`). The token is
//! `CLOUDSDK_AUTH_ACCESS_TOKEN`, or made from the file `GOOGLE_APPLICATION_CREDENTIALS`, else from
//! the one that `gcloud auth application-default login` leaves. A gateway may stand at
//! `ANTHROPIC_VERTEX_BASE_URL`.

mod token;

use agent::{CacheTtl, ModelError, ModelRequest, StreamEvent};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap};
use url::Url;

use crate::answer;
use crate::anthropic::body::{self, Dress};
use crate::anthropic::{Events, caching};
use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::patience::Patience;
use token::Tokens;

#[derive(Clone)]
pub(crate) struct Vertex {
    /// Up to `…/models/`; each model has its own.
    base: Endpoint,
    tokens: Tokens,
    caching: CacheTtl,
}

impl Vertex {
    pub(crate) fn new(env: &Env) -> Result<Self, ConfigError> {
        let project = env.get("ANTHROPIC_VERTEX_PROJECT_ID").or(env.get("GOOGLE_CLOUD_PROJECT"));
        let project = project.ok_or(ConfigError::Missing {
            what: "Vertex needs a project",
            variable: "ANTHROPIC_VERTEX_PROJECT_ID",
        })?;
        let region = env.get("CLOUD_ML_REGION").unwrap_or("global");
        let usual = match region {
            "global" => "https://aiplatform.googleapis.com/v1".to_owned(),
            region => format!("https://{region}-aiplatform.googleapis.com/v1"),
        };
        let variable = "ANTHROPIC_VERTEX_BASE_URL";
        let value = env.get(variable).unwrap_or(&usual).trim_end_matches('/');
        let path = format!("projects/{project}/locations/{region}/publishers/anthropic/models");
        let url = Url::parse(&format!("{value}/{path}")).map_err(|_| ConfigError::BadUrl {
            variable,
            value: value.to_owned(),
            example: "https://aiplatform.googleapis.com/v1",
        })?;
        let origin = Origin {
            host: host_of(&url),
            model: String::new(),
            key_variable: "GOOGLE_APPLICATION_CREDENTIALS",
            url_variable: "CLOUD_ML_REGION",
            knows_models: false,
        };
        let base = Endpoint {
            http: env.http().clone(),
            url,
            headers: HeaderMap::new(),
            keys: None,
            hidden: Hidden::default(),
            patience: Patience::ANTHROPIC.read(env),
            origin,
        };
        Ok(Self { base, tokens: Tokens::new(env), caching: caching(env) })
    }

    pub(crate) fn caching(&self) -> CacheTtl {
        self.caching
    }

    pub(crate) fn stream(
        &self,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
        let this = self.clone();
        let hidden = self.base.hidden.clone();
        let opened = async move {
            let body = body::write(&request, this.caching, Dress::Vertex);
            let mut endpoint = this.base.clone();
            if let Ok(mut path) = endpoint.url.path_segments_mut() {
                path.push(&format!("{}:streamRawPredict", model_id(&request.model)));
            }
            endpoint.headers.insert(AUTHORIZATION, this.tokens.bearer().await?);
            let origin = Origin { model: request.model, ..this.base.origin.clone() };
            let format = Events::new(origin.clone());
            endpoint.ask(body, origin, format, answer::sse_events).await
        };
        stream::once(opened).try_flatten().map_err(move |error| hidden.clean(error)).boxed()
    }
}

/// A date is set off with `@` here: `claude-opus-4-5-20251101` is `claude-opus-4-5@20251101`.
fn model_id(model: &str) -> String {
    match model.rsplit_once('-') {
        Some((name, date)) if date.len() == 8 && date.bytes().all(|b| b.is_ascii_digit()) => {
            format!("{name}@{date}")
        }
        _ => model.to_owned(),
    }
}

#[cfg(all(test, feature = "bedrock"))]
mod tests;
