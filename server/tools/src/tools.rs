//! One file per tool, in the order the model reads about them.

mod agent;
mod ask_user_question;
mod bash;
mod cron_create;
mod cron_delete;
mod cron_list;
mod edit;
mod enter_plan_mode;
mod exit_plan_mode;
mod glob;
mod grep;
mod language_server;
mod list_agents;
mod monitor;
mod notebook_edit;
mod read;
mod send_message;
mod skill;
mod sleep;
mod task_create;
mod task_get;
mod task_list;
mod task_stop;
mod task_update;
mod todo_write;
mod tool_search;
mod web_fetch;
mod web_search;
mod write;

use std::sync::Arc;

use crate::registry::{AnyTool, Offer, boxed};

/// Those that this session has, in the order the model reads about them.
pub(crate) fn offered(offer: &Offer) -> Vec<Arc<dyn AnyTool>> {
    let steps: &[&str] = &["TaskCreate", "TaskUpdate", "TaskGet", "TaskList"];
    let has = |name: &str| match name {
        "TodoWrite" => !offer.tasks,
        "WebSearch" => offer.web_search,
        "ToolSearch" => offer.tool_search(),
        name => offer.tasks || !steps.contains(&name),
    };
    all().into_iter().filter(|tool| has(tool.name())).collect()
}

/// Wanted later than the others, when there is something to search for.
pub(crate) fn tool_search() -> Arc<dyn AnyTool> {
    boxed::<tool_search::ToolSearch>()
}

fn all() -> Vec<Arc<dyn AnyTool>> {
    vec![
        boxed::<read::Read>(),
        boxed::<edit::Edit>(),
        boxed::<write::Write>(),
        boxed::<notebook_edit::NotebookEdit>(),
        boxed::<glob::Glob>(),
        boxed::<grep::Grep>(),
        boxed::<language_server::LanguageServer>(),
        boxed::<bash::Bash>(),
        boxed::<task_stop::TaskStop>(),
        boxed::<todo_write::TodoWrite>(),
        boxed::<task_create::TaskCreate>(),
        boxed::<task_update::TaskUpdate>(),
        boxed::<task_get::TaskGet>(),
        boxed::<task_list::TaskList>(),
        boxed::<web_fetch::WebFetch>(),
        boxed::<web_search::WebSearch>(),
        boxed::<ask_user_question::AskUserQuestion>(),
        boxed::<skill::Skill>(),
        boxed::<enter_plan_mode::EnterPlanMode>(),
        boxed::<exit_plan_mode::ExitPlanMode>(),
        boxed::<monitor::Monitor>(),
        boxed::<sleep::Sleep>(),
        boxed::<cron_create::CronCreate>(),
        boxed::<cron_delete::CronDelete>(),
        boxed::<cron_list::CronList>(),
        boxed::<agent::Agent>(),
        boxed::<send_message::SendMessage>(),
        boxed::<list_agents::ListAgents>(),
        tool_search(),
    ]
}

#[cfg(test)]
mod tests;
