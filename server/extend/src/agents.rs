//! Agents that users write: Markdown files below `agents/`, whose head says what an agent may do and
//! whose body is its system prompt; the same as JSON on the command line (`--agents`); and those that
//! are built in.
//!
//! Of one name the strongest counts: the administrator's, the command line's, the project's (the
//! nearest folder first, and only when it is trusted), the user's, those of plugins, the built-in ones.

mod built_in;
mod fields;
mod filter;
mod places;

use std::fmt;
use std::path::{Path, PathBuf};

use agent::Effort;
use policy::Mode;
use serde_json::{Map, Value};

use crate::files::Stamp;
use crate::settings::Locations;
use crate::trust::Standing;
use crate::{files, frontmatter};
pub use built_in::{COORDINATOR, FORK};
pub use filter::ToolFilter;
pub use places::AgentRoot;

/// As system prompts go, this is long.
const LONGEST: usize = 200 * 1024;

/// Where an agent comes from, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AgentSource {
    Managed,
    CommandLine,
    Project,
    User,
    Plugin,
    BuiltIn,
}

impl AgentSource {
    pub fn name(self) -> &'static str {
        match self {
            AgentSource::Managed => "managed",
            AgentSource::CommandLine => "command line",
            AgentSource::Project => "project",
            AgentSource::User => "user",
            AgentSource::Plugin => "plugin",
            AgentSource::BuiltIn => "built in",
        }
    }
}

/// Where an agent keeps its own notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentMemory {
    /// For all projects.
    User,
    /// With the project, for everybody who works on it.
    Project,
    /// With the project, for this user alone.
    Local,
}

/// What an agent is.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentDefinition {
    pub name: String,
    /// When to use it, for the model that decides.
    pub description: String,
    /// Its whole system prompt.
    pub prompt: String,
    pub source: AgentSource,
    pub file: Option<PathBuf>,
    pub tools: ToolFilter,
    /// `None`: the model of whoever starts it.
    pub model: Option<String>,
    pub permission_mode: Option<Mode>,
    pub max_turns: Option<u32>,
    /// Skills whose text it gets from the beginning.
    pub skills: Vec<String>,
    /// Names of servers, or `{name: configuration}`.
    pub mcp_servers: Vec<Value>,
    /// As in settings.
    pub hooks: Option<Value>,
    pub memory: Option<AgentMemory>,
    /// Always runs in the background.
    pub background: bool,
    pub effort: Option<Effort>,
    /// Works in a git worktree of its own.
    pub worktree: bool,
    pub color: Option<String>,
    /// What it is told first when it leads a session.
    pub initial_prompt: Option<String>,
    /// It does without the instructions of the project and the user.
    pub omit_instructions: bool,
    /// How much of the window it uses, in tokens, before its conversation is summed up.
    pub compact_window: Option<u64>,
}

impl AgentDefinition {
    fn new(name: String, source: AgentSource) -> Self {
        Self {
            name,
            description: String::new(),
            prompt: String::new(),
            source,
            file: None,
            tools: ToolFilter::default(),
            model: None,
            permission_mode: None,
            max_turns: None,
            skills: Vec::new(),
            mcp_servers: Vec::new(),
            hooks: None,
            memory: None,
            background: false,
            effort: None,
            worktree: false,
            color: None,
            initial_prompt: None,
            omit_instructions: false,
            compact_window: None,
        }
    }

    /// The folder for its notes, where it is to keep any.
    pub fn memory_folder(&self, locations: &Locations, cwd: &Path) -> Option<PathBuf> {
        // A plugin's agent has a colon in its name, and a folder should not.
        let name = self.name.replace(':', "-");
        let base = match self.memory? {
            AgentMemory::User => locations.bowline_home.join("agent-memory"),
            AgentMemory::Project => cwd.join(".claude/agent-memory"),
            AgentMemory::Local => cwd.join(".claude/agent-memory-local"),
        };
        Some(base.join(name))
    }
}

/// Something in a definition that does not count, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProblem {
    pub file: Option<PathBuf>,
    pub line: Option<usize>,
    pub message: String,
}

impl fmt::Display for AgentProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{}:{line}: {}", file.display(), self.message),
            (Some(file), None) => write!(f, "{}: {}", file.display(), self.message),
            (None, _) => write!(f, "--agents: {}", self.message),
        }
    }
}

/// Whose agents are wanted.
pub struct AgentQuery<'a> {
    pub locations: &'a Locations,
    pub cwd: &'a Path,
    pub trusted: bool,
    /// Only plugins and the administrator bring any.
    pub only_plugins: bool,
    /// What `--agents` says.
    pub given: Option<&'a str>,
    /// Further folders, such as those of plugins.
    pub more: &'a [AgentRoot],
    /// The built-in ones are wanted.
    pub built_in: bool,
}

/// Every agent there is, each name once.
#[derive(Clone, Debug, Default)]
pub struct Agents {
    pub list: Vec<AgentDefinition>,
    pub problems: Vec<AgentProblem>,
    /// Every place that was looked at, with what was there.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    /// Where plugins keep theirs, for another look.
    more: Vec<AgentRoot>,
    /// Only those count.
    only_plugins: bool,
}

impl Agents {
    /// Without the hooks of a project's agents that nobody has approved as they now are.
    #[must_use]
    pub fn approved_by(mut self, standing: &Standing) -> Agents {
        for agent in self.list.iter_mut().filter(|agent| agent.source == AgentSource::Project) {
            let hash = agent.file.as_ref().zip(agent.hooks.as_ref());
            let hash = hash.map(|(file, hooks)| crate::skills::hash_of_hooks(file, hooks));
            if hash.is_some_and(|hash| !standing.has_approved(&hash)) {
                agent.hooks = None;
            }
        }
        self
    }

    /// May wait for the disk.
    pub fn load(query: &AgentQuery<'_>) -> Agents {
        let (more, only_plugins) = (query.more.to_vec(), query.only_plugins);
        let mut agents = Agents { more, only_plugins, ..Agents::default() };
        let (strong, weak): (Vec<_>, Vec<_>) =
            places::roots(query).into_iter().partition(|root| root.source == AgentSource::Managed);
        strong.iter().for_each(|root| agents.read_root(root));
        if let Some(given) = query.given.filter(|_| !query.only_plugins) {
            agents.read_given(given);
        }
        weak.iter().for_each(|root| agents.read_root(root));
        if query.built_in {
            built_in::all().into_iter().for_each(|agent| agents.add(agent));
        }
        agents
    }

    /// Whether something that was looked at is another one now.
    pub fn is_stale(&self) -> bool {
        self.seen.iter().any(|(path, stamp)| files::stamp(path) != *stamp)
    }

    /// The folders of plugins that these were read from.
    pub fn of_plugins(&self) -> (bool, &[AgentRoot]) {
        (self.only_plugins, &self.more)
    }

    /// The agent of that name. Capitals do not matter when no other fits better.
    pub fn find(&self, name: &str) -> Option<&AgentDefinition> {
        let name = name.trim();
        let same = |agent: &&AgentDefinition| agent.name.eq_ignore_ascii_case(name);
        self.list.iter().find(|agent| agent.name == name).or_else(|| self.list.iter().find(same))
    }

    pub fn names(&self) -> Vec<&str> {
        self.list.iter().map(|agent| agent.name.as_str()).collect()
    }

    fn add(&mut self, agent: AgentDefinition) {
        if self.list.iter().all(|known| known.name != agent.name) {
            self.list.push(agent);
        }
    }

    fn read_root(&mut self, root: &AgentRoot) {
        for (file, folders) in places::files_in(&root.folder, &mut self.seen) {
            self.seen.push((file.clone(), files::stamp(&file)));
            self.read_file(root, &file, &folders);
        }
    }

    fn read_file(&mut self, root: &AgentRoot, file: &Path, folders: &[String]) {
        let at =
            |line, message: String| AgentProblem { file: Some(file.to_owned()), line, message };
        let text = match files::read(file) {
            Ok(Some(text)) if text.len() <= LONGEST => text,
            Ok(Some(_)) => return self.problems.push(at(None, "is too long for an agent.".into())),
            Ok(None) => return,
            Err(error) => return self.problems.push(at(None, format!("{error}."))),
        };
        let (head, body) = frontmatter::split(&text);
        // A Markdown file without a head is a note that lies beside the agents.
        let Some(head) = head else { return };
        let map: Map<String, Value> = match frontmatter::parse(head) {
            Ok(map) => map,
            Err(error) => return self.problems.push(at(Some(1), format!("the head: {error}"))),
        };
        let mut found = Vec::new();
        let agent = fields::read(&map, root.source, &mut found);
        // The head begins on the second line of the file.
        let line_of = |key: &str| fields::line_of(head, key).map(|line| line + 2);
        let problems = found.into_iter().map(|(key, message)| at(line_of(&key), message));
        self.problems.extend(problems);
        let Some(mut agent) = agent else { return };
        if let Some(namespace) = &root.namespace {
            let parts =
                std::iter::once(namespace.as_str()).chain(folders.iter().map(String::as_str));
            agent.name = parts.chain([agent.name.as_str()]).collect::<Vec<_>>().join(":");
        }
        agent.prompt = body.trim().to_owned();
        agent.file = Some(file.to_owned());
        self.add(agent);
    }

    /// `{name: {description, prompt, …}}`.
    fn read_given(&mut self, given: &str) {
        let problem = |message: String| AgentProblem { file: None, line: None, message };
        let map: Map<String, Value> = match serde_json::from_str(given) {
            Ok(map) => map,
            Err(error) => return self.problems.push(problem(format!("it is no JSON: {error}."))),
        };
        for (name, value) in map {
            let Value::Object(mut fields) = value else {
                self.problems.push(problem(format!("{name}: write an object.")));
                continue;
            };
            fields.insert("name".to_owned(), Value::String(name.clone()));
            let mut found = Vec::new();
            let agent = fields::read(&fields, AgentSource::CommandLine, &mut found);
            let told = found.into_iter().map(|(_, text)| problem(format!("{name}: {text}")));
            self.problems.extend(told);
            let prompt = fields.get("prompt").and_then(Value::as_str);
            match (agent, prompt) {
                (Some(agent), Some(prompt)) => {
                    self.add(AgentDefinition { prompt: prompt.trim().to_owned(), ..agent });
                }
                (Some(_), None) => {
                    self.problems.push(problem(format!("{name}: it has no prompt.")));
                }
                (None, _) => {}
            }
        }
    }
}

#[cfg(test)]
mod tests;
