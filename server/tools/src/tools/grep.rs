//! Grep: text in files, the unsaved one included.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;
use workspace::{GrepResult, Line, LineKind, Mode, Output, Query, Stopped};

use crate::context::Context;
use crate::place::{Place, SearchBounds, blocking, sentence, shown, shown_as_given};
use crate::show::reminder;
use crate::tool::{Kind, Outcome, Plan, Problem, Tool};

/// How many entries come back unless another number is asked for.
const ENTRIES: usize = 250;
/// The most of a result that one call shows.
const BYTES: usize = 60_000;

pub(crate) struct Grep;

/// Searches the text of files with a regular expression (Rust syntax, as ripgrep takes it: braces
/// and parentheses meant literally need a backslash). Unsaved changes in the user's editor are
/// searched, files that .gitignore names and binary files are not. Use it instead of running grep
/// or rg. Several searches can run at once.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Input {
    /// The regular expression.
    pattern: String,
    /// The file or folder to search in; the working directory if left out.
    path: Option<String>,
    /// Only files whose name fits, such as `*.rs` or `*.{ts,tsx}`; with `!` in front, all others.
    glob: Option<String>,
    /// What to show: matching lines, the names of files with matches (the default), or the number
    /// of matches in each file.
    #[serde(default)]
    output_mode: OutputMode,
    /// Lines to show before each match, for `content`.
    #[serde(rename = "-B")]
    before: Option<usize>,
    /// Lines to show after each match, for `content`.
    #[serde(rename = "-A")]
    after: Option<usize>,
    /// Lines to show before and after each match, for `content`.
    #[serde(rename = "-C")]
    around: Option<usize>,
    /// The same as `-C`.
    context: Option<usize>,
    /// Show line numbers, for `content`. On unless set to false.
    #[serde(rename = "-n")]
    line_numbers: Option<bool>,
    /// Do not tell upper from lower case.
    #[serde(rename = "-i", default)]
    case_insensitive: bool,
    /// Show only the matching part of each line, for `content`.
    #[serde(rename = "-o", default)]
    only_matching: bool,
    /// Only files of one type, such as `rust`, `js`, `py`, `go`.
    #[serde(rename = "type")]
    file_type: Option<String>,
    /// The most lines or files to show: 250 if left out, 0 for all.
    head_limit: Option<usize>,
    /// How many lines or files to leave out at the start, to page through a long result.
    #[serde(default)]
    offset: usize,
    /// Let a match span lines, and `.` match the ends of lines.
    #[serde(default)]
    multiline: bool,
}

#[derive(Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum OutputMode {
    Content,
    #[default]
    FilesWithMatches,
    Count,
}

impl Tool for Grep {
    type Input = Input;
    const NAME: &'static str = "Grep";
    const KIND: Kind = Kind::Search;

    fn title(input: &Input, cwd: &Path) -> String {
        match &input.path {
            Some(path) => format!("Search {:?} in {}", input.pattern, shown_as_given(cwd, path)),
            None => format!("Search {:?}", input.pattern),
        }
    }

    fn parallel(_: &Input) -> bool {
        true
    }

    async fn plan(input: Input, cx: Context) -> Result<Plan, Problem> {
        let place = Place::find(&cx, input.path.as_deref().unwrap_or(".")).await?;
        Ok(Plan::new(vec![place.read()], move |cx| run(input, place, cx)))
    }
}

impl Input {
    fn query(&self, place: &Place) -> Query {
        let around = self.around.or(self.context).unwrap_or(0);
        Query {
            pattern: self.pattern.clone(),
            root: place.resolved.clone(),
            shown: Some(place.path.clone()),
            glob: self.glob.clone(),
            file_type: self.file_type.clone(),
            mode: match self.output_mode {
                OutputMode::Content => Mode::Content,
                OutputMode::FilesWithMatches => Mode::FilesWithMatches,
                OutputMode::Count => Mode::Count,
            },
            before: self.before.unwrap_or(around),
            after: self.after.unwrap_or(around),
            case_insensitive: self.case_insensitive,
            only_matching: self.only_matching,
            multiline: self.multiline,
            head_limit: match self.head_limit {
                Some(0) => None,
                limit => Some(limit.unwrap_or(ENTRIES)),
            },
            offset: self.offset,
        }
    }
}

async fn run(input: Input, place: Place, cx: Context) -> Result<Outcome, Problem> {
    place.check_unmoved().await?;
    let query = input.query(&place);
    let snapshot = cx.world.snapshot_below(&place.resolved).await;
    let bounds = SearchBounds::new(&cx, &place);
    let search = move || bounds.search(|limits| workspace::grep(&snapshot, &query, limits));
    let found = blocking(search).await?.map_err(|error| sentence(&error))?;
    if found.stopped == Some(Stopped::Cancelled) {
        return Err(Problem::new("The search was interrupted."));
    }
    Ok(Outcome::text(print(&found, &input, &cx)))
}

fn print(found: &GrepResult, input: &Input, cx: &Context) -> String {
    let entries: Vec<String> = match &found.output {
        Output::Files { paths, .. } => {
            paths.iter().map(|path| shown(cx.session.cwd(), path)).collect()
        }
        Output::Counts { counts, .. } => counts
            .iter()
            .map(|(path, count)| format!("{}:{count}", shown(cx.session.cwd(), path)))
            .collect(),
        Output::Content(lines) => {
            let numbers = input.line_numbers.unwrap_or(true);
            lines.iter().map(|line| print_line(line, numbers, cx)).collect()
        }
    };
    let (mut text, printed) = joined(&entries);
    if entries.is_empty() {
        text.push_str("No matches found.");
    }
    match &found.output {
        Output::Files { total, .. } if *total > 0 => {
            text = format!(
                "{total} {} a match:\n{text}",
                one_or_more(*total, "file has", "files have")
            );
        }
        Output::Counts { files, matches, .. } if *files > 0 => {
            text.push_str(&format!("\n{matches} matches in {files} files in all."));
        }
        _ => {}
    }
    for note in notes(found, printed < entries.len(), input.offset + printed) {
        text.push('\n');
        text.push_str(&reminder(&note));
    }
    text
}

/// As many entries as fit, and how many those are.
fn joined(entries: &[String]) -> (String, usize) {
    let mut text = String::new();
    for (printed, entry) in entries.iter().enumerate() {
        if text.len() + entry.len() > BYTES {
            return (text, printed);
        }
        if printed > 0 {
            text.push('\n');
        }
        text.push_str(entry);
    }
    (text, entries.len())
}

/// As ripgrep prints it: `:` around the number of a match, `-` around that of its context.
fn print_line(line: &Line, numbers: bool, cx: &Context) -> String {
    let mark = match line.kind {
        LineKind::Match => ':',
        LineKind::Context => '-',
        LineKind::Break => return "--".to_owned(),
    };
    let path = shown(cx.session.cwd(), &line.path);
    if numbers {
        format!("{path}{mark}{}{mark}{}", line.number, line.text)
    } else {
        format!("{path}{mark}{}", line.text)
    }
}

fn notes(found: &GrepResult, cut: bool, next: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if found.truncated || cut {
        notes.push(format!("There is more: go on with offset {next}, or search for less."));
    }
    if found.stopped.is_some() {
        notes.push("The search took too long and was ended early; there may be more.".to_owned());
    }
    if found.unreadable > 0 {
        notes.push(format!("{} files or folders could not be read.", found.unreadable));
    }
    notes
}

fn one_or_more<'a>(count: usize, one: &'a str, more: &'a str) -> &'a str {
    if count == 1 { one } else { more }
}

#[cfg(test)]
mod tests;
