//! One file per tool, in the order the model reads about them.

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
mod monitor;
mod notebook_edit;
mod read;
mod sleep;
mod task_stop;
mod todo_write;
mod web_fetch;
mod write;

use crate::registry::{AnyTool, boxed};

pub(crate) fn all() -> Vec<Box<dyn AnyTool>> {
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
        boxed::<web_fetch::WebFetch>(),
        boxed::<ask_user_question::AskUserQuestion>(),
        boxed::<enter_plan_mode::EnterPlanMode>(),
        boxed::<exit_plan_mode::ExitPlanMode>(),
        boxed::<monitor::Monitor>(),
        boxed::<sleep::Sleep>(),
        boxed::<cron_create::CronCreate>(),
        boxed::<cron_delete::CronDelete>(),
        boxed::<cron_list::CronList>(),
    ]
}

#[cfg(test)]
mod tests;
