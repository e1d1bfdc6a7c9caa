//! The head of an agent: which fields it may have, and what is wrong with those that do not count.

use std::ops::RangeInclusive;

use agent::Effort;
use policy::Mode;
use serde_json::{Map, Value};

use super::filter::split;
use super::{AgentDefinition, AgentMemory, AgentSource};

/// A name becomes part of a path and of a rule.
const LONGEST_NAME: usize = 64;
const MOST_TURNS: u64 = 10_000;
/// Less holds no conversation, more no model.
const SMALLEST_WINDOW: u64 = 10_000;
const LARGEST_WINDOW: u64 = 10_000_000;
/// What every client can tell apart.
const COLORS: [&str; 8] = ["red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan"];

/// Each with the field that it is about.
pub(super) type Problems = Vec<(String, String)>;

/// `None` where what must be there is not. Everything else that is wrong is left out and told.
pub(super) fn read(
    map: &Map<String, Value>,
    source: AgentSource,
    problems: &mut Problems,
) -> Option<AgentDefinition> {
    let text = |key: &str| {
        let text = map.get(key).and_then(Value::as_str).map(str::trim);
        text.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let Some(name) = text("name") else {
        problems.push(("name".to_owned(), "an agent needs a `name`.".to_owned()));
        return None;
    };
    if !is_name(&name) {
        let message = format!("{name:?} cannot be a name; use letters, digits, - and _.");
        problems.push(("name".to_owned(), message));
        return None;
    }
    let Some(description) = text("description") else {
        let message = format!("{name} needs a `description` that says when to use it.");
        problems.push(("name".to_owned(), message));
        return None;
    };
    let mut reader = Reader { map, source, problems };
    let mut agent = AgentDefinition::new(name, source);
    agent.description = description;
    agent.tools.allowed = reader.names("tools");
    agent.tools.denied = reader.names("disallowedTools").unwrap_or_default();
    agent.model = reader.text("model").filter(|model| !model.eq_ignore_ascii_case("inherit"));
    agent.permission_mode = reader.mode();
    agent.max_turns = reader.max_turns();
    agent.skills = reader.names("skills").unwrap_or_default();
    agent.mcp_servers = reader.servers();
    agent.hooks = reader.only_of_people("hooks");
    agent.memory = reader.memory();
    if agent.memory.is_some() {
        agent.tools.keeps_notes();
    }
    agent.background = reader.yes("background");
    agent.effort = reader.effort();
    agent.worktree = reader.isolation();
    agent.color = reader.color();
    agent.initial_prompt = reader.text("initialPrompt");
    agent.omit_instructions = reader.yes("omitClaudeMd");
    agent.compact_window = reader.compact_window();
    Some(agent)
}

/// The line of a field in a head, from zero.
pub(super) fn line_of(head: &str, key: &str) -> Option<usize> {
    head.lines().position(|line| {
        line.strip_prefix(key).is_some_and(|rest| rest.trim_start().starts_with(':'))
    })
}

fn is_name(name: &str) -> bool {
    let letter = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(letter)
}

struct Reader<'a> {
    map: &'a Map<String, Value>,
    source: AgentSource,
    problems: &'a mut Problems,
}

impl<'a> Reader<'a> {
    fn get(&self, key: &str) -> Option<&'a Value> {
        self.map.get(key).filter(|value| !value.is_null())
    }

    fn wrong(&mut self, key: &str, message: impl Into<String>) {
        self.problems.push((key.to_owned(), format!("`{key}`: {}", message.into())));
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.get(key)? {
            Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
            Value::Number(number) => Some(number.to_string()),
            _ => {
                self.wrong(key, "write a text.");
                None
            }
        }
    }

    /// A list, or one text with commas in it.
    fn names(&mut self, key: &str) -> Option<Vec<String>> {
        match self.get(key)? {
            Value::String(text) => Some(split(text)),
            Value::Array(items) if items.iter().all(Value::is_string) => {
                let items = items.iter().filter_map(Value::as_str);
                Some(items.flat_map(split).collect())
            }
            _ => {
                self.wrong(key, "write a list of names.");
                // Nobody can say which were meant, so none is there.
                Some(Vec::new())
            }
        }
    }

    fn yes(&mut self, key: &str) -> bool {
        match self.get(key) {
            None => false,
            Some(Value::Bool(yes)) => *yes,
            Some(Value::String(word)) if matches!(word.as_str(), "yes" | "on" | "true") => true,
            Some(Value::String(word)) if matches!(word.as_str(), "no" | "off" | "false") => false,
            Some(_) => {
                self.wrong(key, "say true or false.");
                false
            }
        }
    }

    fn mode(&mut self) -> Option<Mode> {
        const KEY: &str = "permissionMode";
        let word = self.text(KEY)?;
        if self.source == AgentSource::Plugin {
            self.wrong(KEY, "an agent of a plugin cannot set it.");
            return None;
        }
        let Ok(mode) = word.parse::<Mode>() else {
            self.wrong(KEY, format!("there is no mode {word}."));
            return None;
        };
        let loosens = !matches!(mode, Mode::Default | Mode::Plan | Mode::DontAsk);
        if loosens && self.source == AgentSource::Project {
            self.wrong(
                KEY,
                format!("a project's agent cannot choose {mode}, only stricter modes."),
            );
            return None;
        }
        Some(mode)
    }

    /// A number, also when it is written as a text.
    fn number(&mut self, key: &str, fitting: RangeInclusive<u64>) -> Option<u64> {
        let value = self.get(key)?;
        let number = value.as_u64().or_else(|| value.as_str()?.trim().parse().ok());
        let number = number.filter(|number| fitting.contains(number));
        if number.is_none() {
            let (least, most) = fitting.into_inner();
            self.wrong(key, format!("write a number from {least} to {most}."));
        }
        number
    }

    fn max_turns(&mut self) -> Option<u32> {
        self.number("maxTurns", 1..=MOST_TURNS).and_then(|turns| u32::try_from(turns).ok())
    }

    fn compact_window(&mut self) -> Option<u64> {
        self.number("autoCompactWindow", SMALLEST_WINDOW..=LARGEST_WINDOW)
    }

    fn color(&mut self) -> Option<String> {
        let color = self.text("color")?.to_ascii_lowercase();
        if !COLORS.contains(&color.as_str()) {
            let names = COLORS.join(", ");
            self.wrong("color", format!("there is no colour {color}; there are {names}."));
            return None;
        }
        Some(color)
    }

    /// What starts programs or connects is not taken from a project or a plugin: nobody approved it.
    fn only_of_people(&mut self, key: &str) -> Option<Value> {
        let value = self.get(key)?;
        if matches!(self.source, AgentSource::Project | AgentSource::Plugin) {
            let whose = self.source.name();
            self.wrong(key, format!("not taken from a {whose}'s agent; put it into the settings."));
            return None;
        }
        Some(value.clone())
    }

    /// A name stands for a server that is approved already, so anybody may write it.
    fn servers(&mut self) -> Vec<Value> {
        const KEY: &str = "mcpServers";
        let items = match self.get(KEY) {
            None => return Vec::new(),
            Some(Value::Array(items)) => items.clone(),
            Some(Value::String(list)) => split(list).into_iter().map(Value::String).collect(),
            Some(Value::Object(map)) => {
                let one = |(name, value): (&String, &Value)| {
                    Value::Object(Map::from_iter([(name.clone(), value.clone())]))
                };
                map.iter().map(one).collect()
            }
            Some(_) => {
                self.wrong(KEY, "write a list of servers.");
                return Vec::new();
            }
        };
        let (names, configured): (Vec<_>, Vec<_>) = items.into_iter().partition(Value::is_string);
        match configured.is_empty() || self.only_of_people(KEY).is_some() {
            true => names.into_iter().chain(configured).collect(),
            false => names,
        }
    }

    fn memory(&mut self) -> Option<AgentMemory> {
        match self.text("memory")?.as_str() {
            "user" => Some(AgentMemory::User),
            "project" => Some(AgentMemory::Project),
            "local" => Some(AgentMemory::Local),
            other => {
                self.wrong(
                    "memory",
                    format!("there is no scope {other}; say user, project or local."),
                );
                None
            }
        }
    }

    fn effort(&mut self) -> Option<Effort> {
        let word = self.text("effort")?;
        let effort = Effort::parse(&word);
        if effort.is_none() {
            let names = Effort::ALL.map(Effort::name).join(", ");
            self.wrong("effort", format!("there is no effort {word}; there are {names}."));
        }
        effort
    }

    fn isolation(&mut self) -> bool {
        match self.text("isolation").as_deref() {
            None => false,
            Some("worktree") => true,
            Some(other) => {
                self.wrong("isolation", format!("{other} is unknown; say worktree."));
                false
            }
        }
    }
}
