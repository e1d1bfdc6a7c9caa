//! Which models may be used, and at whose door: what `availableModels`, `deniedModels` and
//! `allowedProviders` of the settings say.

use super::{ALIASES, bare, resolve, same};

/// The limits of all settings files together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permitted {
    /// A model must be in each of these lists: aliases, ids or beginnings of ids.
    pub available: Vec<Vec<String>>,
    /// An entry of these lists means the one model it names, not all that begin so.
    pub exact: bool,
    /// The lists hold for the default model as well.
    pub enforced: bool,
    pub denied: Vec<String>,
    /// Those that may be asked; `None`: anybody.
    pub providers: Option<Vec<String>>,
}

/// Whether somebody named a model, or it is what one gets without naming any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    ByName,
    ByDefault,
}

/// Why a model may not be used: one sentence, with what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error(
        "Model `{model}` may not be used: `deniedModels` of the settings names `{by}`; choose another one."
    )]
    Denied { model: String, by: String },
    #[error("Model `{model}` may not be used: `availableModels` of the settings has {}.", listed(.available))]
    NotAvailable { model: String, available: Vec<String> },
    #[error("Model `{model}` may not be asked at `{provider}`: `allowedProviders` of the managed policy has {}.", listed(.allowed))]
    Provider { model: String, provider: String, allowed: Vec<String> },
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "no entry".to_owned(),
        names => names.join(", "),
    }
}

impl Permitted {
    /// Whether the model may be used, whoever serves it.
    pub fn check(&self, model: &str, chosen: Chosen) -> Result<(), Refused> {
        if let Some(by) = self.denied.iter().find(|entry| begins(entry, model)) {
            return Err(Refused::Denied { model: model.to_owned(), by: by.clone() });
        }
        if chosen == Chosen::ByDefault && !self.enforced {
            return Ok(());
        }
        let means = |entry: &String| match self.exact {
            true => same(plain(entry), plain(model)),
            false => begins(entry, model),
        };
        match self.available.iter().find(|list| !list.iter().any(means)) {
            Some(list) => {
                let (model, available) = (model.to_owned(), list.clone());
                Err(Refused::NotAvailable { model, available })
            }
            None => Ok(()),
        }
    }

    /// Whether somebody may be asked who goes by one of these names.
    pub fn check_provider(&self, model: &str, names: &[&str]) -> Result<(), Refused> {
        let Some(allowed) = &self.providers else { return Ok(()) };
        let named = |entry: &String| names.iter().any(|name| entry.eq_ignore_ascii_case(name));
        match allowed.iter().any(named) {
            true => Ok(()),
            false => Err(Refused::Provider {
                model: model.to_owned(),
                provider: names.first().copied().unwrap_or_default().to_owned(),
                allowed: allowed.clone(),
            }),
        }
    }

    /// What may stand in for a default that may not be used, in the order of the list.
    pub fn instead(&self) -> impl Iterator<Item = &str> {
        let first = self.available.first().into_iter().flatten();
        first.map(String::as_str).filter(|entry| self.check(resolve(entry), Chosen::ByName).is_ok())
    }
}

/// Without what says who serves it, and how much of the window is used.
fn plain(name: &str) -> &str {
    let name = name.trim();
    let name = name.strip_prefix("openai:").unwrap_or(name);
    name.strip_suffix("[1m]").unwrap_or(name)
}

/// Whether an entry means the model: `opus` means the family, `claude-opus-4` and `opus-4` every
/// version that begins so, a full id itself, with a date or without.
fn begins(entry: &str, model: &str) -> bool {
    let (entry, model) = (plain(entry).to_ascii_lowercase(), plain(model).to_ascii_lowercase());
    let (entry, model) = (bare(&entry), bare(&model));
    if entry.is_empty() {
        return false;
    }
    if entry == "*" || same(entry, model) {
        return true;
    }
    let family = ALIASES.iter().any(|(alias, _)| *alias == entry && *alias != "default");
    if family && model.split(['-', '/', ':']).any(|part| part == entry) {
        return true;
    }
    let starts = |text: &str| {
        let rest = text.strip_prefix(entry);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '@', ':', '.']))
    };
    starts(model) || model.strip_prefix("claude-").is_some_and(starts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(entries: &[&str]) -> Vec<String> {
        entries.iter().map(|entry| (*entry).to_owned()).collect()
    }

    #[test]
    fn entries_mean_families_versions_and_ids() {
        let check = |entry: &str, model: &str, expect: bool| {
            assert_eq!(begins(entry, model), expect, "{entry} {model}");
        };
        check("opus", "claude-opus-5-5", true);
        check("opus", "claude-opus-4-5-20251101", true);
        check("opus", "us.anthropic.claude-opus-4-5-20251101-v1:0", true);
        check("OPUS", "Claude-Opus-5-5", true);
        check("opus[1m]", "claude-opus-5-5", true);
        check("opus", "claude-sonnet-5-5", false);
        check("claude-opus-4", "claude-opus-4-8", true);
        check("opus-4", "claude-opus-4-8", true);
        check("claude-opus-4", "claude-opus-40", false);
        check("claude-opus-4-5", "claude-opus-4-5-20251101", true);
        check("claude-opus-5", "claude-opus-5-5", true);
        check("gpt-5", "openai:gpt-5-mini", true);
        check("openai:gpt-5", "gpt-5", true);
        check("gpt", "gpt4all", false);
        check("", "claude-opus-5-5", false);
        check("*", "anything", true);
    }

    #[test]
    fn every_list_must_have_it_and_a_denial_is_stronger() {
        let limits = Permitted {
            available: vec![names(&["sonnet", "opus"]), names(&["sonnet"])],
            denied: names(&["claude-sonnet-4-5"]),
            ..Permitted::default()
        };
        let check = |model: &str| limits.check(model, Chosen::ByName);
        assert_eq!(check("claude-sonnet-5-5"), Ok(()));
        let refused = check("claude-opus-5-5").unwrap_err().to_string();
        assert!(refused.ends_with("has sonnet."), "{refused}");
        assert!(check("claude-sonnet-4-5-20250929").unwrap_err().to_string().contains("denied"));
        assert_eq!(limits.check("claude-haiku-5-5", Chosen::ByDefault), Ok(()), "not enforced");
        let enforced = Permitted { enforced: true, ..limits.clone() };
        assert!(enforced.check("claude-haiku-5-5", Chosen::ByDefault).is_err());
        assert_eq!(enforced.instead().collect::<Vec<_>>(), ["sonnet"]);
        let exact = Permitted { exact: true, ..limits };
        assert!(exact.check("claude-sonnet-5", Chosen::ByName).is_err(), "the alias is 5.5");
        assert_eq!(exact.check("claude-sonnet-5-5", Chosen::ByName), Ok(()));
        let none = Permitted { available: vec![Vec::new()], ..Permitted::default() };
        assert!(none.check("rehearsal", Chosen::ByName).is_err(), "an empty list has no model");
    }

    #[test]
    fn whoever_is_not_named_is_not_asked() {
        let limits = Permitted { providers: Some(names(&["bedrock"])), ..Permitted::default() };
        assert_eq!(limits.check_provider("m", &["bedrock"]), Ok(()));
        let refused = limits.check_provider("m", &["anthropic"]).unwrap_err().to_string();
        assert!(refused.contains("`anthropic`") && refused.contains("has bedrock"), "{refused}");
        let nobody = Permitted { providers: Some(Vec::new()), ..Permitted::default() };
        assert!(nobody.check_provider("m", &["anthropic"]).is_err());
    }
}
