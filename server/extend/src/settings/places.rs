//! Which files there could be, strongest first, and what the command line adds.

use std::path::{Path, PathBuf};

use policy::Source;
use serde_json::{Map, Value};

use super::host_policy;
use crate::files;

/// Where settings are looked for, besides the project.
#[derive(Clone, Debug)]
pub struct Locations {
    pub bowline_home: PathBuf,
    pub home: Option<PathBuf>,
    /// The folder that holds `bowline/` and `claude-code/` of the administrator; `/etc`.
    pub managed: PathBuf,
}

impl Locations {
    /// Whose settings file this is, in the words that hooks know.
    pub fn source_of(&self, file: &Path, cwd: &Path) -> &'static str {
        let local = file.file_name().is_some_and(|name| name == "settings.local.json");
        match file {
            file if file.starts_with(&self.managed) => "policy_settings",
            file if file.starts_with(&self.bowline_home) => "user_settings",
            file if file.starts_with(cwd) && local => "local_settings",
            file if file.starts_with(cwd) => "project_settings",
            _ => "user_settings",
        }
    }
}

/// What the command line says about settings: `--settings`, `--setting-sources`, `--mcp-config` and
/// `--strict-mcp-config`.
#[derive(Clone, Debug, Default)]
pub struct Given {
    settings: Option<GivenSettings>,
    /// What a program that drives us changed since; stronger than the former.
    changed: Map<String, Value>,
    /// `--managed-settings`: what the program that started us forbids.
    policy: Option<String>,
    sources: Sources,
    mcp: Vec<GivenSettings>,
    /// Of MCP servers, only those of the command line count.
    pub(super) only_given_mcp: bool,
    /// `--plugin-dir` and `--plugin-dir-no-mcp`.
    pub(super) plugins: Vec<GivenPlugin>,
}

/// A plugin's folder that counts for a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenPlugin {
    pub folder: PathBuf,
    /// Its MCP servers count, too.
    pub servers: bool,
}

/// A file, or the settings themselves.
#[derive(Clone, Debug)]
enum GivenSettings {
    File(PathBuf),
    Text(String),
}

/// Which of the weaker files are read at all.
#[derive(Clone, Copy, Debug)]
struct Sources {
    user: bool,
    project: bool,
    local: bool,
}

impl Default for Sources {
    fn default() -> Self {
        Self { user: true, project: true, local: true }
    }
}

/// A text longer than this is no setting; files have the same limit.
const LONGEST: usize = 2 * 1024 * 1024;

impl Given {
    /// `settings` is a path, or JSON when it begins with a brace; `sources` is a list such as
    /// `user,project`. The error is one sentence.
    pub fn new(settings: Option<&str>, sources: Option<&str>, cwd: &Path) -> Result<Given, String> {
        let settings = settings.map(|value| GivenSettings::read("--settings", value, cwd));
        let (settings, sources) = (settings.transpose()?, sources_named(sources)?);
        Ok(Given { settings, sources, ..Given::default() })
    }

    /// Each of `configs` is a path, or JSON when it begins with a brace: `{"mcpServers": {…}}`.
    /// `only`: no other servers count.
    pub fn with_mcp(mut self, configs: &[String], only: bool, cwd: &Path) -> Result<Given, String> {
        let read = |value: &String| GivenSettings::read("--mcp-config", value, cwd);
        self.mcp = configs.iter().map(read).collect::<Result<_, _>>()?;
        self.only_given_mcp = only;
        Ok(self)
    }

    /// Folders of plugins that count for this run.
    pub fn with_plugins(mut self, plugins: Vec<GivenPlugin>) -> Given {
        self.plugins = plugins;
        self
    }

    /// More of them, for the next time that settings are read.
    pub fn add_plugins(&mut self, plugins: Vec<GivenPlugin>) {
        for plugin in plugins {
            if !self.plugins.iter().any(|known| known.folder == plugin.folder) {
                self.plugins.push(plugin);
            }
        }
    }

    /// Changes settings of the command line, key by key; null takes one out again. The error is a
    /// sentence, and nothing is changed then.
    pub fn change_settings(&mut self, settings: Map<String, Value>) -> Result<(), String> {
        let mut changed = self.changed.clone();
        for (key, value) in settings {
            match value {
                Value::Null => drop(changed.remove(&key)),
                value => drop(changed.insert(key, value)),
            }
        }
        let text = Value::Object(changed.clone()).to_string();
        match super::problems_of(&text, false).into_iter().next() {
            Some(problem) => Err(problem),
            None if text.len() > LONGEST => Err("These are too many settings.".to_owned()),
            None => {
                self.changed = changed;
                Ok(())
            }
        }
    }

    /// `--managed-settings`: a policy of the program that started us. Gives what of it does not count.
    /// The error is one sentence.
    pub fn with_policy(mut self, policy: Option<&str>) -> Result<(Given, Vec<String>), String> {
        let Some(policy) = policy else { return Ok((self, Vec::new())) };
        let (kept, left_out) = host_policy::restrictive(policy)
            .map_err(|problem| format!("--managed-settings: {problem}"))?;
        self.policy = Some(kept.to_string());
        Ok((self, left_out))
    }

    /// Whether files of that kind are read at all.
    pub(crate) fn has(&self, source: Source) -> bool {
        match source {
            Source::User => self.sources.user,
            Source::Project => self.sources.project,
            Source::ProjectLocal => self.sources.local,
            _ => true,
        }
    }
}

impl GivenSettings {
    fn read(flag: &str, value: &str, cwd: &Path) -> Result<GivenSettings, String> {
        if value.trim_start().starts_with('{') {
            return match value.len() > LONGEST {
                true => Err(format!("{flag}: The text is longer than 2 MiB; shorten it.")),
                false => Ok(GivenSettings::Text(value.to_owned())),
            };
        }
        let file = cwd.join(value);
        match files::exists(&file) {
            true => Ok(GivenSettings::File(file)),
            false => Err(format!(
                "{flag}: There is no file {}; name one, or write JSON in braces.",
                value.escape_debug()
            )),
        }
    }

    fn place(&self, flag: &str, kind: Kind) -> Place {
        let (file, text) = match self {
            GivenSettings::File(file) => (file.clone(), None),
            GivenSettings::Text(text) => (PathBuf::from(flag), Some(text.clone())),
        };
        Place { source: Source::CommandLine, file, kind, text }
    }
}

fn sources_named(list: Option<&str>) -> Result<Sources, String> {
    let Some(list) = list else { return Ok(Sources::default()) };
    let mut sources = Sources { user: false, project: false, local: false };
    for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
        match name {
            "user" => sources.user = true,
            "project" => sources.project = true,
            "local" => sources.local = true,
            other => {
                return Err(format!(
                    "--setting-sources: There is no source `{}`; use user, project and local.",
                    other.escape_debug()
                ));
            }
        }
    }
    Ok(sources)
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Settings,
    /// Language servers by their names and nothing else, so that a broken one is only a problem.
    LanguageServers,
    /// MCP servers and nothing else; the same holds.
    McpServers,
    /// The user's file of Claude Code: the servers for everywhere, or for this folder.
    ClaudeUser,
    ClaudeLocal,
}

impl Kind {
    /// Whether a change of the file is worth a look. Claude Code writes its own file all the time.
    pub(super) fn is_watched(self) -> bool {
        !matches!(self, Kind::ClaudeUser | Kind::ClaudeLocal)
    }
}

/// One file there could be.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) source: Source,
    pub(super) file: PathBuf,
    pub(super) kind: Kind,
    /// What was written on the command line instead of a file.
    pub(super) text: Option<String>,
}

impl Place {
    fn settings(source: Source, file: PathBuf) -> Place {
        Place { source, file, kind: Kind::Settings, text: None }
    }

    pub(super) fn is_project(&self) -> bool {
        is_project(self.source)
    }
}

pub(super) fn is_project(source: Source) -> bool {
    matches!(source, Source::Project | Source::ProjectLocal)
}

/// Every file there could be for a session in `cwd`, strongest first.
pub(super) fn places(locations: &Locations, cwd: &Path, given: &Given) -> Vec<Place> {
    let user = user_files(locations);
    // In the home directory the user's file looks like a project's.
    let own: Vec<_> = user.iter().map(|file| files::real(file)).collect();
    let mut places = managed(locations);
    // The administrator of the machine goes before whoever starts us.
    if let Some(policy) = &given.policy
        && !places.iter().any(|place| files::exists(&place.file))
    {
        let (file, text) = (PathBuf::from("--managed-settings"), Some(policy.clone()));
        places.push(Place { text, ..Place::settings(Source::Managed, file) });
    }
    if !given.changed.is_empty() {
        let text = Value::Object(given.changed.clone()).to_string();
        let changed = GivenSettings::Text(text).place("--settings", Kind::Settings);
        places.push(changed);
    }
    places.extend(given.settings.iter().map(|given| given.place("--settings", Kind::Settings)));
    places.extend(given.mcp.iter().map(|given| given.place("--mcp-config", Kind::McpServers)));
    let claude = locations.home.as_ref().map(|home| home.join(".claude.json"));
    let of_claude = |kind: Kind| {
        claude.clone().map(|file| Place { kind, ..Place::settings(Source::User, file) })
    };
    places.extend(of_claude(Kind::ClaudeLocal));
    let of_project = project_places(cwd).into_iter();
    places.extend(of_project.filter(|place| !own.contains(&files::real(&place.file))));
    places.extend(user.into_iter().map(|file| Place::settings(Source::User, file)));
    places.extend(of_claude(Kind::ClaudeUser));
    places.retain(|place| given.has(place.source));
    places
}

/// The files a project may bring, strongest first.
pub(super) fn project_places(cwd: &Path) -> Vec<Place> {
    let of = |source: Source, name: &str| {
        [".bowline", ".claude"].map(|folder| Place::settings(source, cwd.join(folder).join(name)))
    };
    let list =
        |name: &str, kind: Kind| Place { kind, ..Place::settings(Source::Project, cwd.join(name)) };
    let mut places = Vec::from(of(Source::ProjectLocal, "settings.local.json"));
    places.extend(of(Source::Project, "settings.json"));
    places.push(list(".bowline/lsp.json", Kind::LanguageServers));
    places.push(list(".lsp.json", Kind::LanguageServers));
    places.push(list(".mcp.json", Kind::McpServers));
    places
}

fn user_files(locations: &Locations) -> Vec<PathBuf> {
    let mut user = vec![locations.bowline_home.join("settings.json")];
    user.extend(locations.home.as_ref().map(|home| home.join(".claude/settings.json")));
    user
}

/// The administrator's further files are in this folder.
pub(super) const PARTS: &str = "managed-settings.d";

/// The administrator's files: of those in `managed-settings.d`, the last name is the strongest.
fn managed(locations: &Locations) -> Vec<Place> {
    let mut places = Vec::new();
    for folder in managed_folders(locations) {
        let mut parts = files::list(&folder.join(PARTS));
        parts.retain(|part| {
            let hidden = |name: &std::ffi::OsStr| name.as_encoded_bytes().starts_with(b".");
            part.extension().is_some_and(|ending| ending == "json")
                && !part.file_name().is_some_and(hidden)
        });
        parts.sort();
        parts.reverse();
        parts.push(folder.join("managed-settings.json"));
        places.extend(parts.into_iter().map(|file| Place::settings(Source::Managed, file)));
        let mcp = Place::settings(Source::Managed, folder.join("managed-mcp.json"));
        places.push(Place { kind: Kind::McpServers, ..mcp });
    }
    places
}

pub(super) fn managed_folders(locations: &Locations) -> [PathBuf; 2] {
    ["bowline", "claude-code"].map(|folder| locations.managed.join(folder))
}
