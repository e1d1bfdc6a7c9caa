//! One file per tool, in the order the model reads about them.

mod bash;
mod edit;
mod glob;
mod grep;
mod language_server;
mod notebook_edit;
mod read;
mod todo_write;
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
        boxed::<todo_write::TodoWrite>(),
    ]
}

#[cfg(test)]
mod tests;
