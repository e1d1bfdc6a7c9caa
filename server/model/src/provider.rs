//! The three providers behind one type, and the choice between them.

use std::sync::Arc;

use agent::models::{self, Chosen, MODELS, Permitted, Refused};
use agent::{CacheTtl, ModelError, ModelErrorKind, ModelRequest, StreamEvent};
use futures::StreamExt;
use futures::stream::BoxStream;
use url::Url;

use crate::anthropic::{self, Anthropic};
#[cfg(feature = "bedrock")]
use crate::bedrock::Bedrock;
use crate::env::{ConfigError, Env};
use crate::fault::nearest;
use crate::keys::Service;
use crate::openai::{self, OpenAi};
use crate::rehearsal;
#[cfg(feature = "vertex")]
use crate::vertex::Vertex;

/// Somebody who answers requests. Cheap to clone.
#[derive(Clone)]
pub struct Provider(Arc<Inner>);

struct Inner {
    kind: Kind,
    /// What the settings said when it was made.
    permitted: Arc<Permitted>,
    default_model: String,
    models: Vec<ModelChoice>,
}

enum Kind {
    Anthropic(Anthropic),
    #[cfg(feature = "bedrock")]
    Bedrock(Bedrock),
    #[cfg(feature = "vertex")]
    Vertex(Vertex),
    OpenAi(OpenAi),
    Rehearsal,
    /// The settings do not permit it any more: every request is answered with why.
    Refused(Refused),
}

impl Kind {
    /// What `allowedProviders` calls it, the most telling name first.
    fn goes_by(&self) -> &'static [&'static str] {
        match self {
            Kind::Anthropic(anthropic) if anthropic.is_first_party() => &["anthropic"],
            Kind::Anthropic(_) => &["customEndpoint", "gateway"],
            #[cfg(feature = "bedrock")]
            Kind::Bedrock(_) => &["bedrock"],
            #[cfg(feature = "vertex")]
            Kind::Vertex(_) => &["vertex"],
            Kind::OpenAi(openai) if openai.is_first_party() => &["openai"],
            Kind::OpenAi(_) => &["customEndpoint", "gateway"],
            Kind::Rehearsal | Kind::Refused(_) => &[],
        }
    }
}

/// A model a person can choose, whichever provider serves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelChoice {
    pub id: String,
    pub name: String,
    /// How many tokens fit.
    pub window: u64,
}

impl Provider {
    /// Asks. The stream does nothing until it is polled, and dropping it closes the request.
    pub fn stream(
        &self,
        request: ModelRequest,
    ) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
        // Whoever chose the model was told already; nobody asks a denied one by another road.
        if let Err(why) = self.0.permitted.check(&request.model, Chosen::ByDefault) {
            return refusal(&why);
        }
        match &self.0.kind {
            Kind::Anthropic(anthropic) => anthropic.stream(request),
            #[cfg(feature = "bedrock")]
            Kind::Bedrock(bedrock) => bedrock.stream(request),
            #[cfg(feature = "vertex")]
            Kind::Vertex(vertex) => vertex.stream(request),
            Kind::OpenAi(openai) => openai.stream(request),
            Kind::Rehearsal => rehearsal::stream(&request).boxed(),
            Kind::Refused(why) => refusal(why),
        }
    }

    /// How many tokens the provider would read for this request, where it can tell. Otherwise
    /// `agent::tokens` has an estimate.
    pub async fn count_tokens(&self, request: &ModelRequest) -> Option<u64> {
        match &self.0.kind {
            Kind::Anthropic(anthropic) => anthropic.count_tokens(request).await,
            _ => None,
        }
    }

    /// How long what was sent stays in the provider's prompt cache.
    pub fn caching(&self) -> CacheTtl {
        match &self.0.kind {
            Kind::Anthropic(anthropic) => anthropic.caching(),
            #[cfg(feature = "bedrock")]
            Kind::Bedrock(bedrock) => bedrock.caching(),
            #[cfg(feature = "vertex")]
            Kind::Vertex(vertex) => vertex.caching(),
            Kind::OpenAi(_) | Kind::Rehearsal | Kind::Refused(_) => CacheTtl::Off,
        }
    }

    /// Whether a PDF can be sent as it is. Who cannot take one is sent its words.
    pub fn takes_documents(&self) -> bool {
        match &self.0.kind {
            Kind::Anthropic(_) => true,
            #[cfg(feature = "bedrock")]
            Kind::Bedrock(_) => true,
            #[cfg(feature = "vertex")]
            Kind::Vertex(_) => true,
            Kind::OpenAi(_) | Kind::Rehearsal | Kind::Refused(_) => false,
        }
    }

    pub fn name(&self) -> &str {
        match self.0.kind {
            Kind::Anthropic(_) => "anthropic",
            #[cfg(feature = "bedrock")]
            Kind::Bedrock(_) => "bedrock",
            #[cfg(feature = "vertex")]
            Kind::Vertex(_) => "vertex",
            Kind::OpenAi(_) => "openai",
            Kind::Rehearsal => rehearsal::ID,
            Kind::Refused(_) => "none",
        }
    }

    /// The provider's own tool that searches the web, by its type.
    pub fn web_search(&self) -> Option<&'static str> {
        matches!(self.0.kind, Kind::Anthropic(_)).then_some("web_search_20250305")
    }

    /// Whether it shows a model the tools that a result refers to. Gateways often do not, so it
    /// must be known by its address, or said.
    pub fn takes_tool_references(&self, said: bool) -> bool {
        matches!(&self.0.kind, Kind::Anthropic(anthropic) if said || anthropic.is_first_party())
    }

    pub fn default_model(&self) -> String {
        self.0.default_model.clone()
    }

    /// Everything that can be chosen with this configuration, the provider's own models first.
    pub fn models(&self) -> Vec<ModelChoice> {
        self.0.models.clone()
    }

    /// The model inside this binary: no key, no network.
    pub fn rehearsal() -> Self {
        let models = vec![rehearsal_choice()];
        Self::new(Kind::Rehearsal, rehearsal::ID.to_owned(), models, Arc::default())
    }

    /// Stands in for one that may not be asked any more.
    pub fn refused(why: Refused, model: &str) -> Self {
        Self::new(Kind::Refused(why), model.to_owned(), Vec::new(), Arc::default())
    }

    fn new(
        kind: Kind,
        default_model: String,
        models: Vec<ModelChoice>,
        permitted: Arc<Permitted>,
    ) -> Self {
        Self(Arc::new(Inner { kind, permitted, default_model, models }))
    }
}

fn refusal(why: &Refused) -> BoxStream<'static, Result<StreamEvent, ModelError>> {
    let error = ModelError::new(ModelErrorKind::Forbidden, why.to_string());
    futures::stream::once(async move { Err(error) }).boxed()
}

/// Chooses a provider for a model's name, or for no name at all, and says the model's full id.
/// What the settings do not permit is an error; a default that is not permitted gives way to the
/// first model that is.
pub fn provider_for(env: &Env, model: Option<&str>) -> Result<(Provider, String), ConfigError> {
    let asked = model.map(str::trim).filter(|name| !name.is_empty() && *name != "default");
    let Some(name) = asked else { return by_default(env) };
    made(env, Wanted::parse(name, env)?, Chosen::ByName)
}

fn by_default(env: &Env) -> Result<(Provider, String), ConfigError> {
    let wanted = Wanted::by_configuration(env)?;
    let chosen = match env.get("ANTHROPIC_MODEL").or_else(|| env.get("OPENAI_MODEL")) {
        Some(_) => Chosen::ByName,
        None => Chosen::ByDefault,
    };
    let refused = match made(env, wanted, chosen) {
        Err(ConfigError::Refused(refused)) if chosen == Chosen::ByDefault => refused,
        found => return found,
    };
    let instead = env.permitted().instead().map(str::to_owned).collect::<Vec<_>>();
    let mut why = ConfigError::from(refused);
    for name in instead {
        match provider_for(env, Some(&name)) {
            Ok(found) => return Ok(found),
            Err(ConfigError::Refused(_)) => {}
            // It could be used, but for this.
            Err(lacking) => why = lacking,
        }
    }
    Err(why)
}

fn made(env: &Env, wanted: Wanted, chosen: Chosen) -> Result<(Provider, String), ConfigError> {
    let (id, permitted) = (wanted.id(), env.permitted());
    permitted.check(&id, chosen)?;
    let kind = match &wanted {
        Wanted::Anthropic(_) => anthropic_kind(env)?,
        Wanted::OpenAi(_) => Kind::OpenAi(OpenAi::new(env)?),
        Wanted::Rehearsal => Kind::Rehearsal,
    };
    // The model inside this binary asks nobody.
    if !matches!(kind, Kind::Rehearsal) {
        permitted.check_provider(&id, kind.goes_by())?;
    }
    let default = match (&wanted, Wanted::by_configuration(env)) {
        (Wanted::Anthropic(_), Ok(Wanted::Anthropic(default))) => default,
        (Wanted::OpenAi(_), Ok(Wanted::OpenAi(default))) => default,
        _ => wanted.id(),
    };
    let mut choices = choices(env, &wanted);
    choices.retain(|choice| permitted.check(&choice.id, Chosen::ByName).is_ok());
    Ok((Provider::new(kind, default, choices, permitted.clone()), id))
}

/// Anthropic's models, at whichever door the environment points to.
fn anthropic_kind(env: &Env) -> Result<Kind, ConfigError> {
    match cloud(env) {
        #[cfg(feature = "bedrock")]
        Some(Cloud::Bedrock) => Ok(Kind::Bedrock(Bedrock::new(env)?)),
        #[cfg(not(feature = "bedrock"))]
        Some(Cloud::Bedrock) => {
            Err(ConfigError::NotBuilt { cloud: "Amazon Bedrock", feature: "bedrock" })
        }
        #[cfg(feature = "vertex")]
        Some(Cloud::Vertex) => Ok(Kind::Vertex(Vertex::new(env)?)),
        #[cfg(not(feature = "vertex"))]
        Some(Cloud::Vertex) => {
            Err(ConfigError::NotBuilt { cloud: "Google Vertex AI", feature: "vertex" })
        }
        None => Ok(Kind::Anthropic(Anthropic::new(env)?)),
    }
}

#[derive(Clone, Copy)]
enum Cloud {
    Bedrock,
    Vertex,
}

fn cloud(env: &Env) -> Option<Cloud> {
    let on = |names: [&str; 2]| {
        let mut set = names.iter().filter_map(|name| env.get(name));
        set.any(|value| !matches!(value, "0" | "false"))
    };
    if on(["BOWLINE_USE_BEDROCK", "CLAUDE_CODE_USE_BEDROCK"]) {
        Some(Cloud::Bedrock)
    } else if on(["BOWLINE_USE_VERTEX", "CLAUDE_CODE_USE_VERTEX"]) {
        Some(Cloud::Vertex)
    } else {
        None
    }
}

enum Wanted {
    Anthropic(String),
    OpenAi(String),
    Rehearsal,
}

impl Wanted {
    fn id(&self) -> String {
        match self {
            Wanted::Anthropic(id) | Wanted::OpenAi(id) => id.clone(),
            Wanted::Rehearsal => rehearsal::ID.to_owned(),
        }
    }

    fn parse(name: &str, env: &Env) -> Result<Self, ConfigError> {
        if name.eq_ignore_ascii_case(rehearsal::ID) {
            return Ok(Wanted::Rehearsal);
        }
        if let Some(model) = name.strip_prefix("openai:") {
            let model = model.to_owned();
            return if has_openai(env) {
                Ok(Wanted::OpenAi(model))
            } else {
                Err(ConfigError::NoOpenAiServer { model })
            };
        }
        // `opus[1m]` asks for the window that these models have anyway.
        let id = models::resolve(name.strip_suffix("[1m]").unwrap_or(name)).to_owned();
        if has_anthropic(env) {
            Ok(Wanted::Anthropic(id))
        } else if id.starts_with("claude-") {
            Err(ConfigError::NoAnthropicKey { model: id })
        } else if has_openai(env) {
            Ok(Wanted::OpenAi(id))
        } else {
            let nearest = nearest(&id).map(str::to_owned);
            Err(ConfigError::UnknownModel { model: id, nearest })
        }
    }

    fn by_configuration(env: &Env) -> Result<Self, ConfigError> {
        let named = env.get("ANTHROPIC_MODEL");
        if has_anthropic(env) {
            return Wanted::parse(named.unwrap_or(models::DEFAULT), env);
        }
        if has_openai(env) {
            let server = || env.get("OPENAI_BASE_URL").unwrap_or("api.openai.com").to_owned();
            let name = env.get("OPENAI_MODEL");
            return name
                .map(|name| Wanted::OpenAi(name.to_owned()))
                .ok_or_else(|| ConfigError::NoOpenAiModel { server: server() });
        }
        Ok(Wanted::Rehearsal)
    }
}

fn has_anthropic(env: &Env) -> bool {
    ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"]
        .iter()
        .any(|name| env.get(name).is_some())
        || cloud(env).is_some()
        || has_key(env, Service::Anthropic, anthropic::DEFAULT)
}

fn has_openai(env: &Env) -> bool {
    env.get("OPENAI_BASE_URL").is_some()
        || env.get("OPENAI_API_KEY").is_some()
        || has_key(env, Service::OpenAi, openai::DEFAULT)
}

/// Whether a key is kept for the service at its own address.
fn has_key(env: &Env, service: Service, url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| env.keys(service, &url).is_some())
}

fn choices(env: &Env, wanted: &Wanted) -> Vec<ModelChoice> {
    let mut anthropic: Vec<ModelChoice> = Vec::new();
    if has_anthropic(env) {
        anthropic.extend(MODELS.iter().map(|model| ModelChoice {
            id: model.id.to_owned(),
            name: model.name.to_owned(),
            window: model.window,
        }));
    }
    let mut openai: Vec<ModelChoice> = Vec::new();
    if has_openai(env) {
        openai.extend(env.get("OPENAI_MODEL").map(|name| ModelChoice {
            id: format!("openai:{name}"),
            name: name.to_owned(),
            window: models::limits(name).window,
        }));
    }
    let rehearsal = vec![rehearsal_choice()];
    match wanted {
        Wanted::Anthropic(_) => [anthropic, openai, rehearsal].concat(),
        Wanted::OpenAi(_) => [openai, anthropic, rehearsal].concat(),
        Wanted::Rehearsal => [rehearsal, anthropic, openai].concat(),
    }
}

fn rehearsal_choice() -> ModelChoice {
    ModelChoice {
        id: rehearsal::ID.to_owned(),
        name: "Rehearsal (built in, offline)".to_owned(),
        window: models::UNKNOWN.window,
    }
}

#[cfg(test)]
mod tests;
