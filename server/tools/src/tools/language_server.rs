//! LanguageServer: what a language server knows about the code, and its renaming.

mod aim;
mod answer;
mod rename;

use std::path::Path;

use language::{Answer, Query, Symbol};
use schemars::JsonSchema;
use serde::Deserialize;
use workspace::syntax::{Language, Tree};

use crate::context::Context;
use crate::place::{Place, blocking, sentence, shown_as_given};
use crate::show::reminder;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

use aim::Aim;

pub(crate) struct LanguageServer;

/// Asks a language server about code: it knows what names mean, where text search only finds
/// letters. `definition`, `references`, `hover` and `rename` are about a name in a file: give the
/// line and the `symbol` as it stands there. `symbols` lists what a file declares, `diagnostics`
/// what is wrong in it, `workspace_symbols` finds declarations by name in the whole project.
/// Unsaved changes in the user's editor are part of what it sees. `rename` changes every file that
/// uses the name.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// What to ask.
    operation: Operation,
    /// The file, best as an absolute path. For `workspace_symbols`, any file of the language.
    file_path: String,
    /// The line of the name, counted from 1.
    line: Option<u32>,
    /// The name in that line.
    symbol: Option<String>,
    /// The column of the name, counted in characters from 1, when it is more than once in the line.
    column: Option<u32>,
    /// What `rename` calls it from now on.
    new_name: Option<String>,
    /// What `workspace_symbols` looks for: a name, or a part of one.
    query: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Operation {
    Definition,
    References,
    Hover,
    Symbols,
    WorkspaceSymbols,
    Rename,
    Diagnostics,
}

impl Tool for LanguageServer {
    type Input = Input;
    const NAME: &'static str = "LanguageServer";
    const KIND: Kind = Kind::Search;
    const RARE: bool = true;

    fn title(input: &Input, cwd: &Path) -> String {
        let path = shown_as_given(cwd, &input.file_path);
        let name = input.symbol.as_deref().unwrap_or("a name");
        match input.operation {
            Operation::Definition => format!("Find the definition of {name} in {path}"),
            Operation::References => format!("Find the uses of {name} in {path}"),
            Operation::Hover => format!("Look up {name} in {path}"),
            Operation::Symbols => format!("List the symbols of {path}"),
            Operation::WorkspaceSymbols => {
                format!("Find symbols named {}", input.query.as_deref().unwrap_or("anything"))
            }
            Operation::Rename => {
                let to = input.new_name.as_deref().unwrap_or("another name");
                format!("Rename {name} in {path} to {to}")
            }
            Operation::Diagnostics => format!("List the problems of {path}"),
        }
    }

    fn parallel(input: &Input) -> bool {
        input.operation != Operation::Rename
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, &input.file_path).await?;
        if input.operation == Operation::Rename {
            return rename::plan(input, place, cx).await;
        }
        let path = place.path.clone();
        Ok(Plan::new(vec![place.read()], move |cx| run(input, place, cx)).location(path))
    }
}

async fn run(input: Input, place: Place, cx: Context) -> Result<Outcome, Problem> {
    place.check_unmoved().await?;
    let query = query(&input, &place, &cx).await?;
    let (answer, note) = match ask(&cx, query).await {
        Ok(answer) => (answer, None),
        Err(Problem(reason)) if input.operation == Operation::Symbols => {
            let symbols = by_syntax(&place, &cx).await?.ok_or(Problem(reason.clone()))?;
            let note = format!("{reason} This is what the syntax of the file says.");
            (Answer::Symbols(symbols), Some(note))
        }
        Err(problem) => return Err(problem),
    };
    let mut text = answer::print(input.operation, answer, &place, &cx).await?;
    text.extend(note.map(|note| format!("\n{}", reminder(&note))));
    Ok(Outcome::text(text))
}

/// Where nobody serves a language, its syntax still tells what a file declares.
async fn by_syntax(place: &Place, cx: &Context) -> Result<Option<Vec<Symbol>>, Problem> {
    let path = place.resolved.clone();
    let Some(language) = Language::of(&path) else { return Ok(None) };
    let file = place.text(cx).await?.map_err(|error| sentence(&error))?;
    blocking(move || {
        let Some(tree) = Tree::parse(language, &file.text) else { return Ok(None) };
        let symbols = tree.outline().into_iter().map(|item| {
            let line = |index: usize| u32::try_from(index + 1).unwrap_or(u32::MAX);
            let (start, end) = ((line(item.lines.start), 1), (line(item.lines.end), 1));
            Symbol {
                name: item.name,
                kind: item.kind.to_owned(),
                container: None,
                depth: item.depth,
                place: language::Place { path: path.clone(), start, end },
            }
        });
        Ok(Some(symbols.collect()))
    })
    .await?
}

/// Asks, for as long as the call is wanted.
async fn ask(cx: &Context, query: Query) -> Result<Answer, Problem> {
    tokio::select! {
        answer = cx.world.ask_language_server(query) => answer.map_err(Problem),
        () = cx.cancel.cancelled() => Err(Problem::new("The question was called off.")),
    }
}

/// The question in the words of the server.
async fn query(input: &Input, place: &Place, cx: &Context) -> Result<Query, Problem> {
    let path = place.resolved.clone();
    let aim = Aim { line: input.line, symbol: input.symbol.clone(), column: input.column };
    Ok(match input.operation {
        Operation::Symbols => Query::Symbols { path },
        Operation::Diagnostics => Query::Diagnostics { path },
        Operation::WorkspaceSymbols => match input.query.as_deref().map(str::trim) {
            Some(name) if !name.is_empty() => {
                Query::WorkspaceSymbols { name: name.to_owned(), near: path }
            }
            _ => return Err(Problem::new("query is missing. Give the name to look for.")),
        },
        Operation::Definition => Query::Definition(aim.at(place, cx).await?),
        Operation::References => Query::References(aim.at(place, cx).await?),
        Operation::Hover => Query::Hover(aim.at(place, cx).await?),
        Operation::Rename => {
            let to = match input.new_name.as_deref().map(str::trim) {
                Some(name) if !name.is_empty() => name.to_owned(),
                _ => return Err(Problem::new("new_name is missing. Say what it is called then.")),
            };
            Query::Rename { at: aim.at(place, cx).await?, to }
        }
    })
}

#[cfg(test)]
mod tests;
