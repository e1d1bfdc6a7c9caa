//! All files together, strongest first: lists add up, of a single value the first one counts.

use std::path::Path;

use policy::{Entry, Mode, Source};
use serde_json::{Map, Value};

use super::brings::{Brings, BringsKind};
use super::explain::TRUE_WINS;
use super::parse::Parsed;
use super::places::Kind;
use super::sandbox::{join, root, texts};
use super::{McpServers, Scoped, Settings, SettingsProblem, WebSearchSetting, scope};

/// What was said about the MCP servers of projects. A project's word never approves.
#[derive(Debug, Default)]
pub(super) struct McpChoice {
    all: bool,
    enabled: Vec<String>,
    pub(super) disabled: Vec<String>,
}

impl McpChoice {
    pub(super) fn of(layers: &[Scoped]) -> McpChoice {
        let mut choice = McpChoice::default();
        let mut all = None;
        for Scoped { parsed, .. } in layers {
            let here = parsed.bools.get("enableAllProjectMcpServers").map(|found| found.value);
            all = all.or(here);
            join(&mut choice.enabled, texts(parsed, "enabledMcpjsonServers"));
            join(&mut choice.disabled, texts(parsed, "disabledMcpjsonServers"));
        }
        choice.all = all.unwrap_or_default();
        choice
    }

    pub(super) fn approves(&self, item: &Brings) -> bool {
        let named = |name: &String| item.name.as_ref() == Some(name);
        item.kind == BringsKind::McpServer && (self.all || self.enabled.iter().any(named))
    }
}

impl Settings {
    /// Adds a weaker file to the stronger ones.
    pub(super) fn merge(&mut self, layer: Scoped, cwd: &Path, home: Option<&Path>) {
        let Scoped { place, mut parsed } = layer;
        self.limit(&parsed);
        self.hooks_limits(&parsed, place.source);
        self.helper_commands(&parsed);
        self.help(&parsed);
        self.shape(&parsed, place.source);
        self.model_options.merge(&parsed);
        self.plugins.merge(&parsed, &place);
        self.skills.merge(&parsed);
        let agreed = parsed.bools.get(scope::BYPASS_AGREED).is_some_and(|found| found.value);
        self.bypass_agreed |= agreed;
        self.sandbox.merge(&parsed, root(&place.file, place.is_project(), cwd), home);
        let search_headers = texts(&parsed, "webSearch.headers").collect();
        let rules = std::mem::take(&mut parsed.rules).into_iter().map(|located| located.value);
        let source = place.source;
        self.rules.extend(rules.map(|(behavior, rule)| Entry { behavior, rule, source }));
        self.default_mode = self.default_mode.or(parsed.mode.map(|mode| mode.value));
        let mut text = |key: &str| parsed.texts.remove(key).map(|found| found.value);
        self.model = self.model.take().or_else(|| text("model"));
        self.fast_model = self.fast_model.take().or_else(|| text("fastModel"));
        self.api_key_helper = self.api_key_helper.take().or_else(|| text("apiKeyHelper"));
        self.tools.search = self.tools.search.take().or_else(|| text("toolSearch"));
        if self.tools.web_search.is_none() {
            let url = text("webSearch.url");
            self.tools.web_search =
                url.map(|url| WebSearchSetting { url, headers: search_headers });
        }
        let tasks = parsed.bools.get("taskTools").map(|found| found.value);
        self.tools.tasks = self.tools.tasks.or(tasks);
        let auto = parsed.bools.get("autoCompactEnabled").map(|found| found.value);
        self.compact.auto = self.compact.auto.or(auto);
        let shares = parsed.bools.get("shareEditorFocus").map(|found| found.value);
        self.share_editor_focus = self.share_editor_focus.or(shares);
        let shown = parsed.bools.get("commandsInTerminal").map(|found| found.value);
        self.commands_in_terminal = self.commands_in_terminal.or(shown);
        let window = parsed.numbers.get("autoCompactWindow").copied();
        self.compact.window = self.compact.window.or(window);
        let number = |key: &str| parsed.numbers.get(key).copied();
        self.kept.days = self.kept.days.or_else(|| number("cleanupPeriodDays"));
        self.kept.megabytes = self.kept.megabytes.or_else(|| number("sessionsMaxMegabytes"));
        self.max_turns = self.max_turns.or(parsed.max_turns);
        if self.fallback_models.is_empty() {
            self.fallback_models = parsed.fallback_models.unwrap_or_default();
        }
        self.save_before_commands = self.save_before_commands.or(parsed.save_before_commands);
        for server in parsed.language_servers {
            if self.language_servers.iter().all(|stronger| stronger.name != server.name) {
                self.language_servers.push(server);
            }
        }
        for (name, value) in parsed.env.map(|env| env.value).unwrap_or_default() {
            self.env.entry(name).or_insert(value);
        }
        for located in parsed.hooks {
            let hash = located.value.hash(place.is_project().then_some(cwd));
            let hook = located.value.setting((source, place.file.clone(), located.at.line), hash);
            if !self.hooks.iter().any(|known| known.is_same(&hook)) {
                self.hooks.push(hook);
            }
        }
        let folders = parsed.directories.iter();
        let folders = folders.map(|written| scope::absolute(&written.value, cwd, home));
        join(&mut self.additional_directories, folders);
        let problems = parsed.problems.into_iter();
        self.problems
            .extend(problems.map(|(at, text)| SettingsProblem::new(&place.file, at, text)));
        if !parsed.mcp.is_empty() {
            let servers: Map<String, Value> = parsed.mcp.into_iter().collect();
            let json = serde_json::json!({ "mcpServers": servers }).to_string();
            let local = place.kind == Kind::ClaudeLocal || source == Source::ProjectLocal;
            self.mcp_servers.push(McpServers { source, local, file: place.file, json });
        }
    }

    /// What is stricter in any file counts.
    fn limit(&mut self, parsed: &Parsed) {
        let says = |key: &str| parsed.bools.get(key).is_some_and(|found| found.value);
        let [no_bypass, no_auto, no_auto_too, deny, reads, writes, judge] = TRUE_WINS.map(says);
        let limits = &mut self.limits;
        limits.no_bypass |= no_bypass;
        limits.no_auto |= no_auto || no_auto_too;
        limits.deny_instead_of_asking |= deny;
        limits.block_reads_outside |= reads;
        limits.block_writes_outside |= writes;
        limits.judge_all_commands |= judge;
        limits.managed_hosts_only |= says("sandbox.network.allowManagedDomainsOnly");
        limits.managed_rules_only |= says("allowManagedPermissionRulesOnly");
        self.allow_managed_hooks_only |= says("allowManagedHooksOnly");
        self.disable_all_hooks |= says("disableAllHooks");
        join(&mut self.auto_mode.allow, texts(parsed, "autoMode.allow"));
        join(&mut self.auto_mode.soft_deny, texts(parsed, "autoMode.soft_deny"));
        join(&mut self.auto_mode.hard_deny, texts(parsed, "autoMode.hard_deny"));
        join(&mut self.auto_mode.environment, texts(parsed, "autoMode.environment"));
    }

    /// A list of the administrator's is the only one that counts.
    fn hooks_limits(&mut self, parsed: &Parsed, source: Source) {
        let managed = source == Source::Managed;
        let off = parsed.bools.get("disableAllHooks").is_some_and(|found| found.value);
        self.no_hooks_at_all |= managed && off;
        let limits = &mut self.http_hooks;
        for (key, list) in [
            ("allowedHttpHookUrls", &mut limits.urls),
            ("httpHookAllowedEnvVars", &mut limits.variables),
        ] {
            if parsed.lists.contains_key(key) && (managed || !limits.is_managed || list.is_none()) {
                join(list.get_or_insert_default(), texts(parsed, key));
            }
        }
        let says = |key: &str| parsed.lists.contains_key(key);
        limits.is_managed |=
            managed && (says("allowedHttpHookUrls") || says("httpHookAllowedEnvVars"));
    }

    /// What may be asked beside the conversation.
    fn help(&mut self, parsed: &Parsed) {
        let says = |key: &str| parsed.bools.get(key).map(|found| found.value);
        let helpers = &mut self.helpers;
        helpers.suggestion = helpers.suggestion.or(says("promptSuggestionEnabled"));
        helpers.title = helpers.title.or(says("helpers.title"));
        helpers.tool_summaries = helpers.tool_summaries.or(says("helpers.toolSummaries"));
        helpers.magic_docs = helpers.magic_docs.or(says("helpers.magicDocs"));
        helpers.session_memory = helpers.session_memory.or(says("helpers.sessionMemory"));
        helpers.away_summary = helpers.away_summary.or(says("helpers.awaySummary"));
    }

    /// What shapes the system prompt.
    fn shape(&mut self, parsed: &Parsed, source: Source) {
        let text = |key: &str| parsed.texts.get(key).map(|found| found.value.clone());
        self.agent = self.agent.take().or_else(|| text("agent"));
        let prompting = &mut self.prompting;
        prompting.output_style = prompting.output_style.take().or_else(|| text("outputStyle"));
        prompting.language = prompting.language.take().or_else(|| text("language"));
        if let (Source::Managed, Some(memory)) = (source, text("claudeMd")) {
            prompting.managed_memory.get_or_insert(memory);
        }
        let git = parsed.bools.get("includeGitInstructions").map(|found| found.value);
        prompting.git = prompting.git.or(git);
        let notes = parsed.bools.get("autoMemoryEnabled").map(|found| found.value);
        prompting.auto_memory = prompting.auto_memory.or(notes);
        join(&mut prompting.memory_excludes, texts(parsed, "claudeMdExcludes"));
    }

    /// A mode that was switched off is not the one to start with.
    pub(super) fn finish(&mut self) {
        let limits = self.limits;
        self.default_mode = self.default_mode.filter(|mode| match mode {
            Mode::BypassPermissions => !limits.no_bypass,
            Mode::Auto => !limits.no_auto,
            _ => true,
        });
    }
}
