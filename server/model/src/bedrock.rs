//! Amazon Bedrock: the Messages API behind AWS's signatures and framing.
//!
//! Chosen with `BOWLINE_USE_BEDROCK=1` (or `CLAUDE_CODE_USE_BEDROCK=1`). The region is `AWS_REGION`;
//! credentials are `AWS_BEARER_TOKEN_BEDROCK`, or the usual `AWS_ACCESS_KEY_ID`,
//! `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or the profile `AWS_PROFILE` in
//! `~/.aws/credentials`. A gateway may stand at `ANTHROPIC_BEDROCK_BASE_URL`.

mod frames;
mod sign;

use std::sync::Arc;

use agent::{CacheTtl, ModelError, ModelErrorKind, ModelRequest, StreamEvent};
use chrono::{DateTime, Utc};
use futures::stream::{self, BoxStream};
use futures::{StreamExt, TryStreamExt};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use url::Url;

use crate::anthropic::body::{self, Dress};
use crate::anthropic::{Events, caching};
use crate::endpoint::{Endpoint, host_of};
use crate::env::{ConfigError, Env};
use crate::fault::Origin;
use crate::hidden::Hidden;
use crate::outside::Outside;
use crate::patience::Patience;
use sign::{Credentials, Request, Scope, authorization, encoded};

const PROFILES: &str = "~/.aws/credentials";

#[derive(Clone)]
pub(crate) struct Bedrock {
    /// Without a path; each model has its own.
    base: Endpoint,
    region: String,
    key: Key,
    outside: Arc<dyn Outside>,
    caching: CacheTtl,
}

#[derive(Clone)]
enum Key {
    Bearer(HeaderValue),
    Known(Credentials),
    /// A file, and the profile in it.
    Profile(String, String),
}

impl Bedrock {
    pub(crate) fn new(env: &Env) -> Result<Self, ConfigError> {
        let region = env.get("AWS_REGION").or(env.get("AWS_DEFAULT_REGION"));
        let region = region.ok_or(ConfigError::Missing {
            what: "Bedrock needs a region",
            variable: "AWS_REGION",
        })?;
        let usual = format!("https://bedrock-runtime.{region}.amazonaws.com");
        let variable = "ANTHROPIC_BEDROCK_BASE_URL";
        let value = env.get(variable).unwrap_or(&usual);
        let url = Url::parse(value).map_err(|_| ConfigError::BadUrl {
            variable,
            value: value.to_owned(),
            example: "https://bedrock-runtime.us-east-1.amazonaws.com",
        })?;
        let origin = Origin {
            host: host_of(&url),
            model: String::new(),
            key_variable: "AWS_PROFILE or AWS_ACCESS_KEY_ID",
            url_variable: "AWS_REGION",
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
        let (outside, caching) = (env.outside(), caching(env));
        Ok(Self { base, region: region.to_owned(), key: key(env)?, outside, caching })
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
            let body = body::write(&request, this.caching, Dress::Bedrock);
            let id = this.model_id(&request.model);
            let origin = Origin { model: request.model, ..this.base.origin.clone() };
            let path = format!("/model/{}/invoke-with-response-stream", encoded(&id, false));
            let endpoint = this.signed(&path, &body)?;
            let format = Events::new(origin.clone());
            endpoint.ask(body, origin, format, frames::events).await
        };
        stream::once(opened).try_flatten().map_err(move |error| hidden.clean(error)).boxed()
    }

    /// Our ids are those of the API; a full one of the service's own is taken as it is.
    fn model_id(&self, model: &str) -> String {
        if model.contains("anthropic.") || model.starts_with("arn:") {
            return model.to_owned();
        }
        let part = match self.region.split('-').next() {
            Some("eu") => "eu",
            Some("ap") => "apac",
            _ => "us",
        };
        format!("{part}.anthropic.{model}")
    }

    fn signed(&self, path: &str, body: &str) -> Result<Endpoint, ModelError> {
        let mut endpoint = self.base.clone();
        let prefix = endpoint.url.path().trim_end_matches('/').to_owned();
        endpoint.url.set_path(&format!("{prefix}{path}"));
        let credentials = match &self.key {
            Key::Bearer(token) => {
                endpoint.headers.insert(AUTHORIZATION, token.clone());
                return Ok(endpoint);
            }
            Key::Known(credentials) => credentials.clone(),
            Key::Profile(file, profile) => self.profile(file, profile)?,
        };
        let time = DateTime::<Utc>::from(self.outside.now()).format("%Y%m%dT%H%M%SZ").to_string();
        let host = host_of(&endpoint.url);
        let mut signed =
            vec![("content-type", "application/json"), ("host", &*host), ("x-amz-date", &*time)];
        if let Some(token) = &credentials.session {
            signed.push(("x-amz-security-token", token));
        }
        let request = Request {
            method: "POST",
            path: endpoint.url.path(),
            query: "",
            headers: &signed,
            body: body.as_bytes(),
        };
        let scope = Scope { time: &time, region: &self.region, service: "bedrock" };
        let authorization = authorization(&request, &scope, &credentials);
        let mut add = |name: &'static str, text: &str| {
            let mut value = HeaderValue::from_str(text).map_err(|_| unusable("AWS credentials"))?;
            value.set_sensitive(true);
            endpoint.headers.insert(name, value);
            Ok::<_, ModelError>(())
        };
        add("authorization", &authorization)?;
        add("x-amz-date", &time)?;
        if let Some(token) = &credentials.session {
            add("x-amz-security-token", token)?;
        }
        Ok(endpoint)
    }

    fn profile(&self, file: &str, profile: &str) -> Result<Credentials, ModelError> {
        let failed = |why: String| {
            let text = format!(
                "There are no AWS credentials: {why}. Set AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY, or AWS_PROFILE."
            );
            ModelError::new(ModelErrorKind::Authentication, text)
        };
        let bytes = self.outside.read(file).map_err(|why| failed(format!("{file} ({why})")))?;
        section(&String::from_utf8_lossy(&bytes), profile)
            .ok_or_else(|| failed(format!("{file} has no keys for the profile `{profile}`")))
    }
}

fn unusable(what: &str) -> ModelError {
    let text = format!("The {what} hold a character that no HTTP header may carry.");
    ModelError::new(ModelErrorKind::Authentication, text)
}

fn key(env: &Env) -> Result<Key, ConfigError> {
    const BEARER: &str = "AWS_BEARER_TOKEN_BEDROCK";
    if let Some(token) = env.get(BEARER) {
        return Ok(Key::Bearer(Endpoint::secret(&format!("Bearer {token}"), BEARER)?));
    }
    let id = env.get("AWS_ACCESS_KEY_ID");
    if let Some((id, secret)) = id.zip(env.get("AWS_SECRET_ACCESS_KEY")) {
        return Ok(Key::Known(Credentials {
            key_id: id.to_owned(),
            secret: secret.to_owned(),
            session: env.get("AWS_SESSION_TOKEN").map(str::to_owned),
        }));
    }
    let file = env.get("AWS_SHARED_CREDENTIALS_FILE").unwrap_or(PROFILES);
    let profile = env.get("AWS_PROFILE").unwrap_or("default");
    Ok(Key::Profile(file.to_owned(), profile.to_owned()))
}

/// One profile of a credentials file.
fn section(file: &str, profile: &str) -> Option<Credentials> {
    let mut inside = false;
    let (mut key_id, mut secret, mut session) = (None, None, None);
    for line in file.lines().map(str::trim) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = name.trim() == profile;
        }
        let Some((name, value)) = line.split_once('=').filter(|_| inside) else { continue };
        let value = Some(value.trim().to_owned());
        match name.trim() {
            "aws_access_key_id" => key_id = value,
            "aws_secret_access_key" => secret = value,
            "aws_session_token" => session = value,
            _ => {}
        }
    }
    Some(Credentials { key_id: key_id?, secret: secret?, session })
}

#[cfg(all(test, feature = "vertex"))]
mod tests;
