//! Which tools an agent has: those it names, without those it does without.

/// Two lists, as the head of an agent's file writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolFilter {
    /// `None`: all of them.
    pub(super) allowed: Option<Vec<String>>,
    pub(super) denied: Vec<String>,
}

impl ToolFilter {
    pub(super) fn of(allowed: &[&str], denied: &[&str]) -> Self {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let allowed = Some(own(allowed)).filter(|names| !names.is_empty());
        Self { allowed, denied: own(denied) }
    }

    pub fn allows(&self, tool: &str) -> bool {
        let named = |names: &[String]| names.iter().any(|name| speaks_of(name, tool));
        self.allowed.as_deref().is_none_or(named) && !self.denies(tool)
    }

    /// Whether it does without the tool, whoever brings it.
    pub fn denies(&self, tool: &str) -> bool {
        self.denied.iter().any(|name| speaks_of(name, tool))
    }

    /// Whoever keeps notes has to read and write them, whatever else it may.
    pub(super) fn keeps_notes(&mut self) {
        for name in ["Read", "Write", "Edit"] {
            if let Some(allowed) = &mut self.allowed
                && !allowed.iter().any(|known| speaks_of(known, name))
            {
                allowed.push(name.to_owned());
            }
        }
    }

    /// `Agent(a, b)` among the tools: the only agents it may start itself. `None`: any.
    pub fn may_start(&self) -> Option<Vec<&str>> {
        let listed = self.allowed.as_deref()?.iter().filter(|name| head(name) == "Agent");
        let specs: Vec<&str> = listed.filter_map(|name| spec(name)).collect();
        let names = specs.iter().flat_map(|spec| spec.split(',')).map(str::trim);
        (!specs.is_empty()).then(|| names.filter(|name| !name.is_empty()).collect())
    }
}

/// Splits `Read, Bash(git *), Agent(a, b)` at the commas that are not inside parentheses.
pub(super) fn split(list: &str) -> Vec<String> {
    let mut depth = 0_i32;
    let between = |letter: char| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth <= 0
    };
    let names = list.split(between).map(|name| name.trim().to_owned());
    names.filter(|name| !name.is_empty()).collect()
}

/// `*`, a tool's name with or without something in parentheses, `mcp__server` or `mcp__*`.
fn speaks_of(name: &str, tool: &str) -> bool {
    let name = head(name);
    match name.strip_prefix("mcp__") {
        Some("*") => tool.starts_with("mcp__"),
        Some(_) => {
            let server = name.strip_suffix("__*").unwrap_or(name);
            tool == name || tool.strip_prefix(server).is_some_and(|rest| rest.starts_with("__"))
        }
        None => name == "*" || name == tool,
    }
}

/// Older names, and those that other agents use, mean the tools of today.
fn head(name: &str) -> &str {
    match name.split('(').next().unwrap_or(name).trim() {
        "Task" => "Agent",
        "KillShell" | "KillBash" => "TaskStop",
        "ListPeers" => "ListAgents",
        "LSP" => "LanguageServer",
        name => name,
    }
}

fn spec(name: &str) -> Option<&str> {
    name.split_once('(')?.1.strip_suffix(')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn which_tools_an_agent_has() {
        let check = |allowed: &str, denied: &str, tool: &str, expect: bool| {
            let allowed = Some(split(allowed)).filter(|names| !names.is_empty());
            let filter = ToolFilter { allowed, denied: split(denied) };
            assert_eq!(filter.allows(tool), expect, "{filter:?} {tool}");
        };
        check("", "", "Read", true);
        check("Read, Grep", "", "Read", true);
        check("Read, Grep", "", "Edit", false);
        check("*", "Edit", "Edit", false);
        check("Bash(git *, x), Read", "", "Bash", true);
        check("Task", "", "Agent", true);
        check("mcp__git", "", "mcp__git__log", true);
        check("mcp__git", "", "mcp__github__log", false);
        check("", "mcp__*", "mcp__git__log", false);
        check("mcp__git__log", "", "mcp__git__log", true);
        check("mcp__git__*", "", "mcp__git__log", true);
    }

    #[test]
    fn which_agents_an_agent_may_start() {
        let filter = |list: &str| ToolFilter { allowed: Some(split(list)), denied: Vec::new() };
        assert_eq!(filter("Read, Agent(a, b)").may_start(), Some(vec!["a", "b"]));
        assert_eq!(filter("Read, Agent").may_start(), None);
        assert_eq!(ToolFilter::default().may_start(), None);
    }
}
