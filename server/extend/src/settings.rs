//! Settings: which files there are, what each may say, and what they say together.
//!
//! From strong to weak: managed policy, the project's local file, the project's file, the user's.
//! Rules and folders of all files add up; of a single value the strongest file's counts. Files of
//! a project are not even opened before the folder is trusted.
//!
//! A file that is broken (unreadable, no JSON, or with a restriction that cannot be understood) is
//! a problem to be shown, and it makes everything stricter: none of its allow rules and added
//! folders count, and no file's `defaultMode` may be looser than `default`. A deny or ask rule that
//! cannot be read becomes an ask rule for the whole tool it names (or for every tool), so that
//! what it was to stop never runs unasked, whatever other files allow.

mod language_servers;
mod parse;
mod scope;
mod spelling;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use policy::{Behavior, Entry, Mode, Rules, Source};

use crate::files;
pub use language_servers::LanguageServerSetting;
use parse::{At, CONSEQUENCE, Parsed};

/// Where settings are looked for, besides the project.
#[derive(Clone, Debug)]
pub struct Locations {
    pub bowline_home: PathBuf,
    pub home: Option<PathBuf>,
    /// The folder that holds `bowline/` and `claude-code/` of the administrator; `/etc`.
    pub managed: PathBuf,
}

/// What all files say together.
#[derive(Debug, Default)]
pub struct Settings {
    pub rules: Rules,
    pub default_mode: Option<Mode>,
    pub model: Option<String>,
    pub max_turns: Option<u32>,
    /// The model for small and quick work, such as edits in place.
    pub fast_model: Option<String>,
    /// What happens to unsaved files of the agent before a command runs.
    pub save_before_commands: Option<SaveBeforeCommands>,
    /// Strongest first, each name once.
    pub language_servers: Vec<LanguageServerSetting>,
    /// Absolute, in the order of the files, each once.
    pub additional_directories: Vec<PathBuf>,
    /// Only from the user's files and the managed policy.
    pub env: BTreeMap<String, String>,
    /// The files that configure MCP servers, strongest first.
    pub mcp_servers: Vec<McpServers>,
    pub problems: Vec<SettingsProblem>,
    /// The folder brings settings, and they were left unread because it is not trusted.
    pub project_ignored: bool,
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

/// Reads and merges all settings for a session in `cwd`.
pub fn load(locations: &Locations, cwd: &Path, trusted: bool) -> Settings {
    let mut settings = Settings::default();
    let mut layers = Vec::new();
    for (source, file, kind) in places(locations, cwd) {
        if is_project(source) && !trusted {
            settings.project_ignored |= files::exists(&file);
            continue;
        }
        let Some(mut parsed) = read(&file, kind) else { continue };
        if is_project(source) {
            scope::restrict(&mut parsed, cwd, locations.home.as_deref());
        }
        layers.push(Layer { source, file, parsed });
    }
    let strict = layers.iter().any(|layer| layer.parsed.broken);
    for layer in layers {
        settings.merge(layer, strict, cwd, locations.home.as_deref());
    }
    settings.add_mcp_file(&cwd.join(".mcp.json"), trusted);
    // The sources add in the order of the files; `.mcp.json` came last but is the project's.
    settings.mcp_servers.sort_by_key(|servers| strength(servers.source));
    settings
}

struct Layer {
    source: Source,
    file: PathBuf,
    parsed: Parsed,
}

/// What a file holds.
#[derive(Clone, Copy)]
enum Kind {
    Settings,
    /// Language servers by their names and nothing else, so that a broken one is only a problem.
    LanguageServers,
}

/// Every settings file there could be, strongest first.
fn places(locations: &Locations, cwd: &Path) -> Vec<(Source, PathBuf, Kind)> {
    let mut user = vec![locations.bowline_home.join("settings.json")];
    user.extend(locations.home.as_ref().map(|home| home.join(".claude/settings.json")));
    // In the home directory the user's file looks like a project's.
    let own: Vec<_> = user.iter().map(|file| files::real(file)).collect();
    let project = |source: Source, name: &str| {
        let files = [".bowline", ".claude"].map(|folder| cwd.join(folder).join(name));
        files.map(|file| (source, file))
    };
    let managed = ["bowline", "claude-code"]
        .map(|folder| locations.managed.join(folder).join("managed-settings.json"))
        .map(|file| (Source::Managed, file));
    let of_project = project(Source::ProjectLocal, "settings.local.json")
        .into_iter()
        .chain(project(Source::Project, "settings.json"))
        .filter(|(_, file)| !own.contains(&files::real(file)));
    let of_user = user.into_iter().map(|file| (Source::User, file));
    let lists = [".bowline/lsp.json", ".lsp.json"]
        .map(|name| (Source::Project, cwd.join(name), Kind::LanguageServers));
    let settings = |(source, file)| (source, file, Kind::Settings);
    let stronger = managed.into_iter().chain(of_project).map(settings);
    stronger.chain(lists).chain(of_user.map(settings)).collect()
}

fn is_project(source: Source) -> bool {
    matches!(source, Source::Project | Source::ProjectLocal)
}

fn strength(source: Source) -> u8 {
    match source {
        Source::Managed => 0,
        Source::ProjectLocal => 1,
        Source::Project => 2,
        _ => 3,
    }
}

/// A mode that lets more happen unasked than `default` does.
fn is_loose(mode: Mode) -> bool {
    matches!(mode, Mode::AcceptEdits | Mode::BypassPermissions)
}

fn read(file: &Path, kind: Kind) -> Option<Parsed> {
    match (files::read(file), kind) {
        (Ok(text), Kind::Settings) => text.map(|text| parse::parse(&text)),
        (Ok(text), Kind::LanguageServers) => text.map(|text| {
            let language_servers::Servers { servers, problems } = language_servers::file(&text);
            let problems = problems.into_iter().map(|(at, message)| (Some(at), message));
            let problems = problems.collect();
            Parsed { language_servers: servers, problems, ..Parsed::default() }
        }),
        (Err(error), kind) => {
            let broken = matches!(kind, Kind::Settings);
            let then = if broken { format!(", {CONSEQUENCE}") } else { String::new() };
            let message = format!("The file {error}; mend or remove it{then}.");
            Some(Parsed { problems: vec![(None, message)], broken, ..Parsed::default() })
        }
    }
}

impl Settings {
    /// Adds a weaker file to the stronger ones. `strict` says that some file is broken.
    fn merge(&mut self, layer: Layer, strict: bool, cwd: &Path, home: Option<&Path>) {
        let Layer { source, file, parsed } = layer;
        let rules = parsed.rules.into_iter().map(|located| located.value);
        let usable = rules.filter(|(behavior, _)| !parsed.broken || *behavior != Behavior::Allow);
        self.rules.extend(usable.map(|(behavior, rule)| Entry { behavior, rule, source }));

        let mode = parsed.mode.map(|mode| mode.value).filter(|mode| !strict || !is_loose(*mode));
        self.default_mode = self.default_mode.or(mode);
        self.model = self.model.take().or(parsed.model);
        self.max_turns = self.max_turns.or(parsed.max_turns);
        self.fast_model = self.fast_model.take().or(parsed.fast_model);
        self.save_before_commands = self.save_before_commands.or(parsed.save_before_commands);
        for server in parsed.language_servers {
            if self.language_servers.iter().all(|stronger| stronger.name != server.name) {
                self.language_servers.push(server);
            }
        }
        for (name, value) in parsed.env.map(|env| env.value).unwrap_or_default() {
            self.env.entry(name).or_insert(value);
        }
        if !parsed.broken {
            for written in parsed.directories {
                let folder = scope::absolute(&written.value, cwd, home);
                if !self.additional_directories.contains(&folder) {
                    self.additional_directories.push(folder);
                }
            }
        }
        let problems = parsed.problems.into_iter();
        self.problems.extend(problems.map(|(at, text)| SettingsProblem::new(&file, at, text)));
        self.mcp_servers.extend(parsed.mcp.map(|json| McpServers { source, file, json }));
    }

    /// The project's own list of MCP servers. It holds no restriction, so a broken one is only a
    /// problem.
    fn add_mcp_file(&mut self, file: &Path, trusted: bool) {
        if !trusted {
            self.project_ignored |= files::exists(file);
            return;
        }
        let problem = match files::read(file).map(|text| text.map(|text| parse::plain(&text))) {
            Ok(None) => return,
            Ok(Some(Ok(json))) => {
                let source = Source::Project;
                self.mcp_servers.push(McpServers { source, file: file.to_owned(), json });
                return;
            }
            Ok(Some(Err((at, message)))) => SettingsProblem::new(file, Some(at), message),
            Err(error) => {
                let message = format!("The file {error}; mend or remove it.");
                SettingsProblem::new(file, None, message)
            }
        };
        self.problems.push(problem);
    }
}
