//! Which tools a session has, and which of them the model knows by name only.

use std::sync::Arc;

use agent::Record;
use extend::Settings;
use model::Provider;
use tools::{ForeignTool, Loading, Offer, Registry, SearchService};

use super::Session;
use super::config::SessionConfig;
use crate::context::HostContext;

/// Where tools of others wait to be asked for, they would take this much of the window otherwise.
const USUAL_PERCENT: u64 = 10;

/// Whether tools are searched for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Searching {
    Off,
    /// Also our own that are rarely needed.
    On,
    /// Those of others, when they would take more than this share of the window, in percent.
    Auto(u64),
}

impl Searching {
    /// `ENABLE_TOOL_SEARCH` goes before the setting.
    pub(super) fn of(host: &HostContext, settings: &Settings) -> Searching {
        let said = host.var("ENABLE_TOOL_SEARCH").and_then(|value| value.to_str());
        Self::parse(said.or(settings.tools.search.as_deref()).unwrap_or("auto"))
    }

    /// What cannot be read counts as `auto`.
    fn parse(word: &str) -> Searching {
        match word.trim() {
            "true" | "1" | "on" => Searching::On,
            "false" | "0" | "off" => Searching::Off,
            word => {
                let percent = word.strip_prefix("auto:").and_then(|percent| percent.parse().ok());
                Searching::Auto(percent.unwrap_or(USUAL_PERCENT).min(100))
            }
        }
    }

    fn loading(self, provider: &Provider) -> Loading {
        match provider.takes_tool_references(self == Searching::On) {
            true => Loading::References,
            false => Loading::Added,
        }
    }
}

/// What the settings and the environment want of our own tools. It holds for as long as the session
/// is open: another list would cost the provider's cache.
pub(super) fn offer(
    host: &HostContext,
    settings: &Settings,
    config: &SessionConfig,
    search_service: bool,
) -> Offer {
    let on = |name: &str| {
        let value = host.var(name)?.to_str()?.trim().to_ascii_lowercase();
        Some(!matches!(value.as_str(), "" | "0" | "false" | "off"))
    };
    let tasks = on("CLAUDE_CODE_ENABLE_TASKS").or(settings.tools.tasks);
    Offer {
        tasks: tasks.unwrap_or_default(),
        web_search: search_service || searcher(config).is_some(),
        defer: config.searching == Searching::On,
        defer_foreign: config.searching == Searching::On,
    }
}

/// A model whose provider searches the web: the quick one, or the session's own.
pub(super) fn searcher(config: &SessionConfig) -> Option<(Provider, String)> {
    let own = (config.provider.clone(), config.model.clone());
    [config.quick(), own].into_iter().find(|(provider, _)| provider.web_search().is_some())
}

/// The user's own search service, or what is wrong with it.
pub(super) fn search_service(settings: &Settings) -> (Option<SearchService>, Option<String>) {
    let Some(wanted) = &settings.tools.web_search else { return (None, None) };
    match SearchService::new(&wanted.url, &wanted.headers) {
        Ok(service) => (Some(service), None),
        Err(problem) => (None, Some(format!("The search service is not used: {problem}"))),
    }
}

impl Session {
    /// Makes the list that requests carry: at the beginning, and whenever something in it changes.
    pub(super) fn rebuild_tools(&mut self) {
        let loading = self.config.searching.loading(&self.config.provider);
        self.registry.stock(&self.state, loading);
        let definitions = self.registry.definitions(&self.state.shelf());
        self.config.tools = definitions.to_string().into();
    }

    /// The model has asked for these; a later life of the session knows them, too.
    pub(super) fn on_tools_loaded(&mut self, names: Vec<String>) {
        if names.is_empty() {
            return;
        }
        if let Err(error) = self.journal(&Record::ToolsLoaded { names }) {
            tracing::error!(%error, "loaded tools could not be journalled");
        }
        self.rebuild_tools();
    }

    /// About how many tokens a list takes.
    fn size_of(&self, registry: &Registry) -> u64 {
        registry.definitions(&self.state.shelf()).to_string().len() as u64 / 4
    }

    /// Tools of others, in place of those there were. Calls under way keep the tools they began with;
    /// the model is told of a difference, where it might have noticed one.
    pub(super) async fn on_foreign_tools(&mut self, tools: Vec<Arc<dyn ForeignTool>>) {
        let tools = self.for_lead(tools);
        let before: Vec<String> = self.registry.names().map(str::to_owned).collect();
        let whole = self.registry.with_foreign(tools.clone(), false);
        let defer = match self.config.searching {
            Searching::Off => false,
            Searching::On => true,
            Searching::Auto(percent) => {
                let own = self.registry.with_foreign(Vec::new(), false);
                let more = self.size_of(&whole).saturating_sub(self.size_of(&own));
                let window = agent::models::limits(&self.config.model).window;
                more.saturating_mul(100) > window.saturating_mul(percent)
            }
        };
        self.registry = Arc::new(if defer { whole.with_foreign(tools, true) } else { whole });
        self.rebuild_tools();
        let after: Vec<&str> = self.registry.names().collect();
        let new: Vec<&str> =
            after.iter().copied().filter(|name| !before.iter().any(|it| it == name)).collect();
        let gone: Vec<&str> =
            before.iter().map(String::as_str).filter(|name| !after.contains(name)).collect();
        if let Some(note) = change(&new, &gone, defer, self.servers.seen) {
            self.on_note(note).await;
        }
    }
}

/// What the model is told about tools that came and went. Those that it sees in its list from the
/// first request on need no words; those that it knows by name only always do.
fn change(new: &[&str], gone: &[&str], defer: bool, seen: bool) -> Option<String> {
    let mut note = Vec::new();
    if defer && !new.is_empty() {
        note.push(format!("More tools can be loaded with ToolSearch: {}.", new.join(", ")));
    } else if seen && !new.is_empty() {
        note.push(format!("You have more tools now: {}.", new.join(", ")));
    }
    if seen && !gone.is_empty() {
        note.push(format!("These tools are not there any more: {}.", gone.join(", ")));
    }
    (!note.is_empty()).then(|| note.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn when_tools_are_searched_for() {
        for (word, expect) in [
            ("true", Searching::On),
            ("false", Searching::Off),
            ("auto", Searching::Auto(10)),
            ("auto:5", Searching::Auto(5)),
            ("auto:500", Searching::Auto(100)),
            ("nonsense", Searching::Auto(10)),
        ] {
            assert_eq!(Searching::parse(word), expect, "{word}");
        }
    }
}
