//! Which models a session works with: its own, a quick one, and those that stand in.

use extend::Settings;

use super::Limits;
use super::config::SessionConfig;
use crate::context::HostContext;
use crate::store::Loaded;

/// What providers are made from, within what the settings permit.
pub(super) fn model_env(host: &HostContext, settings: &Settings) -> model::Env {
    let ttl = settings.model_options.cache_ttl.unwrap_or_default();
    host.model_env.clone().with_caching(ttl).with_permitted(settings.models.clone())
}

/// A stored session whose model is gone (its key is not set any more, or the settings do not permit
/// it) opens with the default one, and the reason is told.
pub(super) fn provider(
    env: &model::Env,
    wanted: Option<&str>,
    loaded: &Loaded,
) -> Result<((model::Provider, String), Option<String>), String> {
    match model::provider_for(env, wanted) {
        Err(gone) if loaded.model.as_deref() == wanted && wanted.is_some() => {
            let found = model::provider_for(env, None).map_err(|error| error.to_string())?;
            let told = format!("The model of this session is gone, {} answers: {gone}", found.1);
            Ok((found, Some(told)))
        }
        found => found.map(|found| (found, None)).map_err(|error| error.to_string()),
    }
}

/// What `fastModel` or the environment names for quick work. A name that cannot be used is told, and
/// the session's own model does the work.
pub(super) fn fast_model(
    env: &model::Env,
    settings: &Settings,
) -> (Option<(model::Provider, String)>, Option<String>) {
    let variable = |name| env.get(name).map(str::to_owned);
    let named = settings.fast_model.clone();
    let named = named.or_else(|| variable("BOWLINE_FAST_MODEL"));
    let Some(name) = named.or_else(|| variable("ANTHROPIC_SMALL_FAST_MODEL")) else {
        return (None, None);
    };
    match model::provider_for(env, Some(&name)) {
        Ok(found) => (Some(found), None),
        Err(error) => {
            let problem = format!("The model for quick edits is not used: {error}");
            (None, Some(problem))
        }
    }
}

/// Whom helpers ask: the quick model, and where none is named, the small one of Anthropic's own
/// server. Behind another address it may not be known, so there helpers rest until one is named.
pub(super) fn helper_model(config: &SessionConfig) -> Option<(model::Provider, String)> {
    let off = config.model_env.get("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC");
    let elsewhere = config.model_env.get("ANTHROPIC_BASE_URL").is_some();
    let is_real = |name: &str| name != model::Provider::rehearsal().name();
    if off.is_some_and(|value| value != "0") || !is_real(config.provider.name()) {
        return None;
    }
    let small = || {
        let small = config.provider.name() == "anthropic" && !elsewhere;
        small.then(|| model::provider_for(&config.model_env, Some("haiku")).ok()).flatten()
    };
    config.fast.clone().or_else(small).filter(|(provider, _)| is_real(provider.name()))
}

/// Who stands in when the model is overloaded. A name that cannot be used is told and left out.
pub(super) fn fallback_models(
    env: &model::Env,
    settings: &Settings,
    limits: &Limits,
) -> (Vec<(model::Provider, String)>, Vec<String>) {
    let given = &limits.fallback_models;
    let names = if given.is_empty() { &settings.fallback_models } else { given };
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    for name in names {
        match model::provider_for(env, Some(name)) {
            Ok(fallback) => found.push(fallback),
            Err(error) => problems.push(format!("The fallback model is not used: {error}")),
        }
    }
    (found, problems)
}
