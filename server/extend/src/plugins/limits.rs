//! What the administrator lets marketplaces be: `strictKnownMarketplaces` (only these) and
//! `blockedMarketplaces` (none of these). An entry that cannot be read matches nothing as a
//! permission, and everything as a ban.

use regex::Regex;
use serde_json::Value;

use super::source::PluginSource;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct MarketplaceLimits {
    /// `None` when nothing was said; an empty list allows none.
    pub only: Option<Vec<Value>>,
    pub blocked: Vec<Value>,
}

impl MarketplaceLimits {
    /// Why a marketplace may not be used; `None` when it may.
    pub fn refuses(&self, source: &PluginSource) -> Option<&'static str> {
        if self.blocked.iter().any(|entry| matches(entry, source).unwrap_or(true)) {
            return Some("The managed policy blocks this marketplace");
        }
        let allowed = |entry: &Value| matches(entry, source).unwrap_or(false);
        match &self.only {
            Some(only) if !only.iter().any(allowed) => {
                Some("The managed policy does not name this marketplace among those it allows")
            }
            _ => None,
        }
    }
}

/// `None` when the entry makes no sense.
fn matches(entry: &Value, source: &PluginSource) -> Option<bool> {
    let text = |key: &str| entry.get(key).and_then(Value::as_str);
    match text("source")? {
        "hostPattern" => {
            let pattern = whole(text("hostPattern")?)?;
            Some(host(source).is_some_and(|host| pattern.is_match(host)))
        }
        "pathPattern" => {
            let pattern = whole(text("pathPattern")?)?;
            Some(match source {
                PluginSource::Local(path) => {
                    path.to_str().is_some_and(|path| pattern.is_match(path))
                }
                _ => false,
            })
        }
        "github" if text("repo").is_some_and(|repo| repo.ends_with("/*")) => {
            let owner = text("repo")?.strip_suffix('*')?.to_ascii_lowercase();
            let prefix = format!("https://github.com/{owner}");
            Some(match source {
                PluginSource::Git { url, .. } => url.to_ascii_lowercase().starts_with(&prefix),
                _ => false,
            })
        }
        _ => Some(same(&PluginSource::of_marketplace(entry).ok()?, source)),
    }
}

/// The same place; a branch counts only where the entry names one.
fn same(entry: &PluginSource, source: &PluginSource) -> bool {
    match (entry, source) {
        (
            PluginSource::Git { url, reference, .. },
            PluginSource::Git { url: other, reference: wanted, .. },
        ) => {
            let plain =
                |url: &str| url.trim_end_matches('/').trim_end_matches(".git").to_ascii_lowercase();
            plain(url) == plain(other) && (reference.is_none() || reference == wanted)
        }
        (entry, source) => entry == source,
    }
}

fn host(source: &PluginSource) -> Option<&str> {
    let url = match source {
        PluginSource::Git { url, .. }
        | PluginSource::File { url }
        | PluginSource::Archive { url, .. } => url,
        _ => return None,
    };
    let rest = url.split_once("://").map_or(url.as_str(), |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    host.split(':').next()
}

/// A pattern for the whole text, so that `example.org` is not also `example.org.evil.net`.
fn whole(pattern: &str) -> Option<Regex> {
    Regex::new(&format!("^(?:{pattern})$")).ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn refused(only: Option<Value>, blocked: Value, typed: &str) -> bool {
        let list = |value: Value| value.as_array().cloned().unwrap_or_default();
        let limits = MarketplaceLimits { only: only.map(list), blocked: list(blocked) };
        limits.refuses(&PluginSource::typed(typed, Path::new("/w")).unwrap()).is_some()
    }

    #[test]
    fn only_what_is_named() {
        let check = |only: Value, typed: &str, expect: bool| {
            assert_eq!(refused(Some(only.clone()), json!([]), typed), expect, "{only} {typed}");
        };
        check(json!([]), "a/b", true);
        check(json!([{"source": "github", "repo": "a/b"}]), "a/b", false);
        check(json!([{"source": "github", "repo": "A/b"}]), "a/b#v1", false);
        check(json!([{"source": "github", "repo": "a/b", "ref": "v1"}]), "a/b", true);
        check(json!([{"source": "github", "repo": "a/*"}]), "a/other", false);
        check(json!([{"source": "github", "repo": "a/*"}]), "ab/other", true);
        check(
            json!([{"source": "hostPattern", "hostPattern": "git\\.corp"}]),
            "https://git.corp/x",
            false,
        );
        check(
            json!([{"source": "hostPattern", "hostPattern": "git\\.corp"}]),
            "https://git.corp.evil.net/x",
            true,
        );
        check(
            json!([{"source": "hostPattern", "hostPattern": "git\\.corp"}]),
            "https://evil@git.corp/x",
            false,
        );
        check(json!([{"source": "pathPattern", "pathPattern": "/opt/.*"}]), "/opt/m", false);
        check(json!(["nonsense"]), "a/b", true);
        assert!(!refused(None, json!([]), "a/b"));
    }

    #[test]
    fn a_ban_that_cannot_be_read_bans_everything() {
        assert!(refused(None, json!([{"source": "github", "repo": "a/b"}]), "a/b"));
        assert!(!refused(None, json!([{"source": "github", "repo": "a/b"}]), "a/c"));
        assert!(refused(None, json!([{"source": "hostPattern", "hostPattern": "("}]), "a/c"));
        assert!(refused(None, json!([7]), "a/c"));
    }
}
