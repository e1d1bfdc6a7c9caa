//! ToolSearch: what a tool takes that the model knows by its name only.

use std::path::Path;

use agent::ResultPart;
use policy::Subject;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::context::Context;
use crate::shelf::Loading;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

const USUAL: usize = 5;
const MOST: usize = 20;

pub(crate) struct ToolSearch;

/// Loads tools whose names you know but not what they take. Such a tool can be called only after it
/// was loaded. Name the tools you want ("select:NotebookEdit,CronCreate"), or describe them by a few
/// words ("notebook cell"); a word with a plus must occur ("+mail send"). Load all that you need for
/// a piece of work at once.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// "select:A,B" for tools by name, or words that describe them.
    query: String,
    /// How many tools to load at most when they are described by words: 5, if left out.
    max_results: Option<u64>,
}

impl Tool for ToolSearch {
    type Input = Input;
    const NAME: &'static str = "ToolSearch";
    const KIND: Kind = Kind::Think;

    fn title(input: &Input, _: &Path) -> String {
        format!("Look for tools: {}", super::bash::one_line(&input.query, None))
    }

    async fn plan(input: Input, _: Context) -> Result<Plan, Problem> {
        if input.query.trim().is_empty() {
            return Err(Problem::new("The query is empty. Say \"select:NAME\", or a few words."));
        }
        Ok(Plan::new(vec![Subject::Internal], move |cx| async move {
            let found = find(&input, &cx);
            // What is looked for may be a tool of a server that is still on its way.
            let found = match found.is_empty() && cx.world.await_servers().await {
                true => find(&input, &cx),
                false => found,
            };
            load(&input, found, &cx)
        }))
    }
}

fn find(input: &Input, cx: &Context) -> Vec<String> {
    let wanted = input.max_results.map_or(USUAL, |most| most.clamp(1, MOST as u64) as usize);
    let shelf = cx.session.shelf();
    shelf.find(&input.query, wanted).iter().map(|book| book.name.clone()).collect()
}

fn load(input: &Input, found: Vec<String>, cx: &Context) -> Result<Outcome, Problem> {
    let shelf = cx.session.shelf();
    if found.is_empty() {
        let names: Vec<&str> = shelf.books.iter().map(|book| book.name.as_str()).collect();
        let query = &input.query;
        return Err(Problem(format!(
            "No tool fits {query:?}. These can be loaded: {}.",
            names.join(", ")
        )));
    }
    cx.session.load_tools(&found);
    let content = match shelf.loading {
        Loading::References => {
            let part = |name: &String| json!({ "type": "tool_reference", "tool_name": name });
            found.iter().map(|name| ResultPart::Other(part(name))).collect()
        }
        Loading::Added => {
            let text = format!("Loaded, and in your list of tools now: {}.", found.join(", "));
            vec![ResultPart::Text { text }]
        }
    };
    Ok(Outcome { content, loaded: found, ..Outcome::default() })
}

#[cfg(test)]
mod tests;
