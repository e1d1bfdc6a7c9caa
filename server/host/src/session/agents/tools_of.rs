//! Which tools an agent gets.

use extend::AgentDefinition;
use tools::Registry;

/// These belong to the one who speaks with the user.
const NEVER: &[&str] =
    &["AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "CronCreate", "CronDelete", "CronList"];

/// All that an agent in the background has, besides the tools of servers.
const BACKGROUND: &[&str] = &[
    "Read",
    "Grep",
    "Glob",
    "LanguageServer",
    "Bash",
    "Edit",
    "Write",
    "NotebookEdit",
    "WebFetch",
    "WebSearch",
    "TodoWrite",
    "TaskCreate",
    "TaskUpdate",
    "TaskGet",
    "TaskList",
    "Skill",
    "ToolSearch",
    "Monitor",
    "TaskStop",
    "SendMessage",
];

/// Those of the one who starts it, as far as the agent may have them.
pub(super) fn of(
    registry: &Registry,
    agent: &AgentDefinition,
    background: bool,
    may_start_others: bool,
) -> Registry {
    registry.only(|name| {
        let fits = !background || BACKGROUND.contains(&name) || name.starts_with("mcp__");
        // Whoever is written to must be able to write back.
        let answers = name == "SendMessage";
        fits && !NEVER.contains(&name)
            && (may_start_others || name != "Agent")
            && (answers || agent.tools.allows(name))
    })
}
