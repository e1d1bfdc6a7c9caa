//! Settings: which files there are, what each may say, and what they say together.
//!
//! From strong to weak: managed policy, the command line, the project's local file, the project's
//! file, the user's. Rules, folders and other lists of all files add up; of a single value the
//! strongest file's counts, and where only one direction is strict, the strict one. Files of a
//! project are not even opened before the folder is trusted, and what they switch on counts only
//! as far as it was approved.
//!
//! A file that is broken (unreadable, no JSON, or with a restriction that cannot be understood) is
//! a problem to be shown, and it makes everything stricter: nothing that it allows or opens counts,
//! and no file's `defaultMode` may be looser than `default`. A deny or ask rule that cannot be read
//! becomes an ask rule for the whole tool it names (or for every tool), so that what it was to stop
//! never runs unasked, whatever other files allow.

mod brings;
mod claude_json;
mod credentials;
mod explain;
mod helper_commands;
mod hooks;
mod host_policy;
mod language_servers;
mod mcp_limits;
mod merge;
mod model;
mod models;
mod parse;
mod parsed;
mod places;
mod plugins;
mod plugins_only;
mod sandbox;
mod schema;
mod scope;
mod skills;
mod spelling;
#[cfg(test)]
mod tests;
mod tighten;
mod unused;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use agent::models::Permitted;
use policy::{Mode, Rules, Source};

use crate::hooks::HookSetting;
use crate::styles::StyleRoot;
use crate::trust::Standing;
use crate::{files, memory};
pub use brings::{Brings, BringsKind, Brought, bring, hash_of_allow, one_line};
pub use explain::{Effective, Origin};
pub use helper_commands::{HelperCommand, StatusLine};
pub use language_servers::LanguageServerSetting;
pub use mcp_limits::McpAdmission;
pub use model::ModelOptions;
pub(crate) use parse::options;
use parse::{At, CONSEQUENCE, Parsed};
pub use places::{Given, GivenPlugin, Locations};
use places::{Kind, Place, places};
pub use plugins::{Chosen, PluginSettings, check_plugin};
pub use plugins_only::PluginsOnly;
pub use sandbox::SandboxSettings;
pub use skills::{SkillSettings, SkillShown};
pub use spelling::nearest;

/// What all files say together.
#[derive(Debug, Default)]
pub struct Settings {
    pub rules: Rules,
    pub default_mode: Option<Mode>,
    pub model: Option<String>,
    pub max_turns: Option<u32>,
    /// The agent that leads sessions.
    pub agent: Option<String>,
    /// Who stands in when the model is overloaded, in order.
    pub fallback_models: Vec<String>,
    /// The model for small and quick work, such as edits in place.
    pub fast_model: Option<String>,
    pub model_options: ModelOptions,
    /// Which models may be used, and at whose door.
    pub models: Permitted,
    /// What happens to unsaved files of the agent before a command runs.
    pub save_before_commands: Option<SaveBeforeCommands>,
    /// The model is told which file the user looks at, and what is selected. Not from a project's
    /// files.
    pub share_editor_focus: Option<bool>,
    /// Commands run in the client's terminal, where it has one, and outside the sandbox.
    pub commands_in_terminal: Option<bool>,
    /// Strongest first, each name once.
    pub language_servers: Vec<LanguageServerSetting>,
    /// Absolute, in the order of the files, each once.
    pub additional_directories: Vec<PathBuf>,
    /// Not from a project's files.
    pub env: BTreeMap<String, String>,
    /// The files that configure MCP servers, strongest first.
    pub mcp_servers: Vec<McpServers>,
    /// Servers of the project that the settings switch off.
    pub mcp_disabled: Vec<String>,
    /// Which servers may be there that no file configures.
    pub mcp_admission: McpAdmission,
    pub sandbox: SandboxSettings,
    /// Those that are to run: what `disableAllHooks` and `allowManagedHooksOnly` take away is not
    /// among them.
    pub hooks: Vec<HookSetting>,
    pub disable_all_hooks: bool,
    pub allow_managed_hooks_only: bool,
    /// The administrator wants no hooks, not even their own.
    no_hooks_at_all: bool,
    pub http_hooks: HttpHookLimits,
    /// A command whose output is the status line.
    pub status_line: Option<StatusLine>,
    /// A command that offers files for `@`.
    pub file_suggestion: Option<HelperCommand>,
    /// A command that prints the key. Not from a project's files.
    pub api_key_helper: Option<String>,
    /// A person has agreed, on this machine, to the mode that asks nothing. Only the user's and the
    /// administrator's own files say so.
    pub bypass_agreed: bool,
    pub limits: PermissionLimits,
    pub auto_mode: AutoMode,
    pub prompting: Prompting,
    pub compact: CompactSettings,
    pub helpers: HelperSettings,
    pub tools: ToolSettings,
    pub skills: SkillSettings,
    pub kept: KeptSettings,
    pub plugins: PluginSettings,
    pub plugins_only: PluginsOnly,
    /// What is switched on in a trusted folder's files but was not approved as it now is. None of
    /// it is used.
    pub unapproved: Vec<Brings>,
    pub problems: Vec<SettingsProblem>,
    /// The folder brings settings or instructions, and they were left unread because it is not
    /// trusted.
    pub project_ignored: bool,
    /// Some file is broken, and what it was to restrict may be lost.
    pub broken: bool,
    effective: Vec<Effective>,
}

impl Settings {
    /// Every value that counts, with the file and line it comes from.
    pub fn explain(&self) -> &[Effective] {
        &self.effective
    }

    /// The keys that are set and that nothing here uses.
    pub fn unused(&self) -> Vec<String> {
        unused::among(&self.effective)
    }
}

/// Which small questions may be put to a quick model beside the conversation. Nothing said is a
/// yes, but for `tool_summaries`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HelperSettings {
    pub suggestion: Option<bool>,
    pub title: Option<bool>,
    pub tool_summaries: Option<bool>,
    pub magic_docs: Option<bool>,
    pub away_summary: Option<bool>,
    /// Notes on the session, kept while it goes on.
    pub session_memory: Option<bool>,
}

/// Where hooks may send things, and what of the environment goes along. `None`: nobody says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HttpHookLimits {
    /// Addresses, with `*` for anything.
    pub urls: Option<Vec<String>>,
    pub variables: Option<Vec<String>>,
    /// The administrator's list is the only one.
    is_managed: bool,
}

/// Switches that only make things stricter: `true` in any file counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PermissionLimits {
    /// `bypassPermissions` cannot be chosen.
    pub no_bypass: bool,
    /// `auto` cannot be chosen.
    pub no_auto: bool,
    /// Only the managed policy's allow rules count: none of a flag, a session or another file.
    pub managed_rules_only: bool,
    /// Only the managed policy says which hosts may be reached.
    pub managed_hosts_only: bool,
    /// What would be asked is denied.
    pub deny_instead_of_asking: bool,
    pub block_reads_outside: bool,
    pub block_writes_outside: bool,
    /// In the mode auto every command is judged, whatever rules and walls there are.
    pub judge_all_commands: bool,
}

/// What the classifier of the auto mode is told, in the user's words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AutoMode {
    pub allow: Vec<String>,
    pub soft_deny: Vec<String>,
    pub hard_deny: Vec<String>,
    pub environment: Vec<String>,
}

/// Which tools there are, and how they become known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolSettings {
    /// Tasks that depend on each other, in place of a plain list of steps.
    pub tasks: Option<bool>,
    /// `true`, `false`, `auto` or `auto:N`.
    pub search: Option<String>,
    pub web_search: Option<WebSearchSetting>,
}

/// A service that searches the web. Not from a project's files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebSearchSetting {
    pub url: String,
    /// `Name: value`.
    pub headers: Vec<String>,
}

/// How much of old sessions is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeptSettings {
    pub days: Option<u64>,
    pub megabytes: Option<u64>,
}

/// What shapes the system prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prompting {
    pub output_style: Option<String>,
    /// The language to answer in.
    pub language: Option<String>,
    /// Memory files that are not wanted, as patterns on their paths.
    pub memory_excludes: Vec<String>,
    /// What the administrator wants every session to know.
    pub managed_memory: Option<String>,
    /// `false`: what git says is left out.
    pub git: Option<bool>,
    /// `false`: the agent keeps no notes of its own.
    pub auto_memory: Option<bool>,
    /// Where plugins keep output styles.
    pub plugin_styles: Vec<StyleRoot>,
}

/// When the conversation is summed up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CompactSettings {
    /// `false`: only when the user asks.
    pub auto: Option<bool>,
    /// How much of the window is used, in tokens.
    pub window: Option<u64>,
}

/// Whether files that the agent changed and nobody saved are saved before a command runs, so that
/// the command sees them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SaveBeforeCommands {
    #[default]
    Save,
    Ask,
    Never,
}

impl SaveBeforeCommands {
    fn from_name(name: &str) -> Option<SaveBeforeCommands> {
        match name {
            "save" => Some(SaveBeforeCommands::Save),
            "ask" => Some(SaveBeforeCommands::Ask),
            "never" => Some(SaveBeforeCommands::Never),
            _ => None,
        }
    }
}

/// The MCP servers one file configures: `{"mcpServers": {…}}` as plain JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct McpServers {
    pub source: Source,
    /// The user's word about this folder alone.
    pub local: bool,
    pub file: PathBuf,
    pub json: String,
}

/// Something in a settings file that a person has to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingsProblem {
    pub file: PathBuf,
    /// Counted from 1, like the column; `None` when the file as a whole is meant.
    pub line: Option<usize>,
    pub column: Option<usize>,
    /// One sentence: what is wrong and what to do.
    pub message: String,
}

impl SettingsProblem {
    fn new(file: &Path, at: Option<At>, message: String) -> Self {
        let (line, column) = at.map(|at| (at.line, at.column)).unzip();
        Self { file: file.to_owned(), line, column, message }
    }
}

impl fmt::Display for SettingsProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}

/// Reads and merges all settings for a session in `cwd`, given by its real path.
pub fn load(locations: &Locations, cwd: &Path, standing: &Standing, given: &Given) -> Settings {
    let home = locations.home.as_deref();
    let mut settings = Settings::default();
    let mut layers = Vec::new();
    for place in places(locations, cwd, given) {
        if place.is_project() && !standing.is_trusted() {
            settings.project_ignored |= files::is_something(&place.file);
            continue;
        }
        layers.extend(read(&place, cwd, home).map(|parsed| Scoped { place, parsed }));
    }
    if !standing.is_trusted() {
        settings.project_ignored |= !memory::brought(locations, cwd).is_empty();
        settings.project_ignored |= !crate::skills::brought(locations, cwd).is_empty();
    }
    settings.broken = layers.iter().any(|layer| layer.parsed.broken);
    tighten::all(&mut layers);
    let choice = merge::McpChoice::of(&layers);
    settings.plugins_only = plugins_only::apply(&mut layers);
    settings.skills.only_plugins = settings.plugins_only.skills;
    settings.mcp_admission = mcp_limits::apply(&mut layers, given);
    for Scoped { parsed, .. } in layers.iter_mut().filter(|layer| layer.place.is_project()) {
        let (off, on): (Vec<_>, Vec<_>) =
            parsed.mcp.drain(..).partition(|(name, _)| choice.disabled.contains(name));
        parsed.mcp = on;
        settings.mcp_disabled.extend(off.into_iter().map(|(name, _)| name));
        brings::sift(parsed, cwd, home, &mut |item| {
            let approved = standing.has_approved(&item.hash) || choice.approves(&item);
            if !approved && !settings.unapproved.contains(&item) {
                settings.unapproved.push(item);
            }
            approved
        });
    }
    if standing.is_trusted() {
        let grants = brings::grants_of_skills(locations, cwd);
        settings.unapproved.extend(grants.filter(|item| !standing.has_approved(&item.hash)));
    }
    settings.models = models::permitted(&layers);
    settings.effective = explain::effective(&layers);
    for layer in layers {
        settings.merge(layer, cwd, home);
    }
    settings.load_plugins(locations, given);
    settings.prompting.plugin_styles = StyleRoot::of(&settings.plugins.loaded);
    settings.finish();
    settings
}

/// One file and what it says, within what it may say.
#[derive(Debug)]
struct Scoped {
    place: Place,
    parsed: Parsed,
}

/// What the files of a project say, for the question whether to trust it.
fn project_layers(locations: &Locations, cwd: &Path) -> Vec<Scoped> {
    let all = places(locations, cwd, &Given::default()).into_iter();
    let of_project = all.filter(Place::is_project);
    let read = of_project.filter_map(|place| {
        let parsed = read(&place, cwd, locations.home.as_deref())?;
        Some(Scoped { place, parsed })
    });
    read.collect()
}

/// What is wrong with a text as settings, in sentences, each with its line. A project's text may
/// say less.
pub(crate) fn problems_of(text: &str, project: bool) -> Vec<String> {
    let mut parsed = parse::parse(text);
    scope::only_managed(&mut parsed);
    if project {
        scope::restrict(&mut parsed, Path::new("/project"), None);
    }
    parsed.problems.into_iter().map(|(_, message)| message).collect()
}

/// Every file whose change may change the settings of a session in `cwd`.
pub(crate) fn watched(
    locations: &Locations,
    cwd: &Path,
    trusted: bool,
    given: &Given,
) -> Vec<PathBuf> {
    let all = places(locations, cwd, given).into_iter();
    let usable = all.filter(|place| {
        place.text.is_none() && place.kind.is_watched() && (trusted || !place.is_project())
    });
    let mut files: Vec<_> = usable.map(|place| place.file).collect();
    files.extend(places::managed_folders(locations).map(|folder| folder.join(places::PARTS)));
    files.push(locations.bowline_home.join(crate::trust::FILE));
    files.push(crate::plugins::folder(locations).join(crate::plugins::INSTALLED));
    files.push(locations.bowline_home.join(crate::credentials::PLUGIN_FILE));
    files
}

/// What a file says, without what it may not say; `None` when there is no file.
fn read(place: &Place, cwd: &Path, home: Option<&Path>) -> Option<Parsed> {
    let text = match &place.text {
        Some(text) => Ok(Some(text.clone())),
        None => files::read(&place.file),
    };
    let mut parsed = match (text, place.kind) {
        (Ok(text), Kind::Settings) => parse::parse(&text?),
        (Ok(text), Kind::LanguageServers) => language_servers::parsed(&text?),
        (Ok(text), Kind::McpServers) => parse::mcp_file(&text?),
        (Ok(text), Kind::ClaudeUser) => claude_json::parsed(&text?, None),
        (Ok(text), Kind::ClaudeLocal) => claude_json::parsed(&text?, Some(cwd)),
        // It is Claude Code's, and grows with use; without it only its servers are missing.
        (Err(_), Kind::ClaudeUser | Kind::ClaudeLocal) => return None,
        (Err(error), kind) => {
            let broken = kind == Kind::Settings;
            let then = if broken { format!(", {CONSEQUENCE}") } else { String::new() };
            let message = format!("The file {error}; mend or remove it{then}.");
            Parsed { problems: vec![(None, message)], broken, ..Parsed::default() }
        }
    };
    if place.source != Source::Managed {
        scope::only_managed(&mut parsed);
    }
    if place.source == Source::CommandLine {
        scope::not_by_flag(&mut parsed);
    }
    if place.is_project() {
        scope::restrict(&mut parsed, cwd, home);
    }
    Some(parsed)
}
