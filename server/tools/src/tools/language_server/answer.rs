//! Answers of a language server, as the model reads them: paths as short as can be, with the text of
//! the line, and nothing of files that may not be read.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use language::{Answer, Place as Spot, Symbol};
use policy::Verdict;
use text::Text;
use workspace::View;

use super::Operation;
use crate::context::Context;
use crate::findings;
use crate::place::{Place, Sight, blocking, shown, view};
use crate::show::{counted, head_and_tail, reminder};
use crate::tool::Problem;

/// More places than this are not looked at one by one.
const PLACES: usize = 100;
const SYMBOLS: usize = 400;
const PROBLEMS: usize = 50;
/// The most of a hover text, and of a line of code.
const HOVER: usize = 10_000;
const LINE: usize = 200;
/// The most text of other files that is looked at for one answer.
const LOOKED_AT: usize = 64 * 1024 * 1024;

pub(super) async fn print(
    operation: Operation,
    answer: Answer,
    place: &Place,
    cx: &Context,
) -> Result<String, Problem> {
    match answer {
        Answer::Places(places) => {
            let what = match operation {
                Operation::Definition => "definition",
                _ => "use",
            };
            print_places(what, places, cx).await
        }
        Answer::Hover(text) if text.trim().is_empty() => Ok("Nothing is known about it.".into()),
        Answer::Hover(text) => Ok(head_and_tail(text.trim(), HOVER)),
        Answer::Symbols(symbols) => {
            let whole_project = operation == Operation::WorkspaceSymbols;
            print_symbols(symbols, whole_project, cx).await
        }
        Answer::Diagnostics { findings, verified } => {
            let path = shown(cx.session.cwd(), &place.path);
            let mut text = match findings.as_slice() {
                [] => "No problems are known.".to_owned(),
                all => {
                    let all = all.iter().map(|finding| (path.as_str(), finding));
                    findings::list(all.collect(), PROBLEMS)
                }
            };
            if !verified {
                text.push('\n');
                text.push_str(findings::UNVERIFIED);
            }
            Ok(text)
        }
        Answer::Edits(_) => Err(Problem::new("The language server answered something else.")),
    }
}

/// What may be told about the files an answer names.
struct Files {
    view: View,
    sight: Sight,
    cwd: PathBuf,
    known: BTreeMap<PathBuf, (Verdict, Option<Text>)>,
    /// How many bytes may still be looked at.
    budget: usize,
}

impl Files {
    async fn of(cx: &Context) -> Files {
        Files {
            view: view(cx).await,
            sight: Sight::of(&cx.session),
            cwd: cx.session.cwd().to_owned(),
            known: BTreeMap::new(),
            budget: LOOKED_AT,
        }
    }

    fn look(&mut self, path: &Path) -> &(Verdict, Option<Text>) {
        let Files { view, sight, known, budget, .. } = self;
        known.entry(path.to_owned()).or_insert_with(|| {
            let (verdict, resolved) = sight.of_reading(path);
            let readable = resolved.filter(|_| verdict == Verdict::Allow && *budget > 0);
            let text = readable.and_then(|path| view.read(&path).ok()).map(|file| file.text);
            *budget = budget.saturating_sub(text.as_ref().map_or(0, Text::len_bytes));
            (verdict, text)
        })
    }

    fn may_name(&mut self, path: &Path) -> bool {
        self.look(path).0 != Verdict::Deny
    }

    /// `path:line:column: the line`; without the line where a question would have to come first.
    fn line(&mut self, spot: &Spot) -> String {
        let (line, column) = spot.start;
        let path = shown(&self.cwd, &spot.path);
        let (_, text) = self.look(&spot.path);
        let index = (line as usize).saturating_sub(1);
        let content = text.as_ref().and_then(|text| text.line(index));
        let content = content.as_deref().map(str::trim).unwrap_or_default();
        let cut = content.floor_char_boundary(LINE);
        let dots = if cut < content.len() { "…" } else { "" };
        let content = match &content[..cut] {
            "" => String::new(),
            content => format!(": {content}{dots}"),
        };
        format!("{path}:{line}:{column}{content}")
    }
}

async fn print_places(what: &str, places: Vec<Spot>, cx: &Context) -> Result<String, Problem> {
    if places.is_empty() {
        return Ok(format!("No {what} was found."));
    }
    let mut files = Files::of(cx).await;
    let what = what.to_owned();
    blocking(move || {
        let all = places.len();
        let mut spots = places;
        spots.sort_by(|a, b| (&a.path, a.start).cmp(&(&b.path, b.start)));
        spots.dedup();
        let cut = spots.len().saturating_sub(PLACES);
        spots.truncate(PLACES);
        spots.retain(|spot| files.may_name(&spot.path));
        let mut lines: Vec<String> = spots.iter().map(|spot| files.line(spot)).collect();
        if what == "use" {
            let named = files.known.values().filter(|(verdict, _)| *verdict != Verdict::Deny);
            let files = counted(named.count(), "file");
            lines.insert(0, format!("{} in {files}:", counted(all, "use")));
        }
        if cut > 0 {
            let note = format!("{cut} more places are not shown. Search for less with Grep.");
            lines.push(reminder(&note));
        }
        if spots.is_empty() {
            return "It is in files that may not be read.".to_owned();
        }
        lines.join("\n")
    })
    .await
}

async fn print_symbols(
    symbols: Vec<Symbol>,
    whole_project: bool,
    cx: &Context,
) -> Result<String, Problem> {
    if symbols.is_empty() {
        return Ok("No symbols were found.".to_owned());
    }
    let mut files = Files::of(cx).await;
    blocking(move || {
        let mut symbols = symbols;
        let most = if whole_project { PLACES } else { SYMBOLS };
        let cut = symbols.len().saturating_sub(most);
        symbols.truncate(most);
        symbols.retain(|symbol| files.may_name(&symbol.place.path));
        let lines = symbols.iter().map(|symbol| {
            let Symbol { name, kind, .. } = symbol;
            if whole_project {
                let within = symbol.container.as_ref().map(|within| format!(" in {within}"));
                let line = files.line(&symbol.place);
                return format!("{kind} {name}{} {line}", within.unwrap_or_default());
            }
            let indent = "  ".repeat(symbol.depth.min(20) as usize);
            format!("{:>6}\t{indent}{kind} {name}", symbol.place.start.0)
        });
        let mut lines: Vec<String> = lines.collect();
        if cut > 0 {
            lines.push(reminder(&format!("{cut} more symbols are not shown.")));
        }
        lines.join("\n")
    })
    .await
}
