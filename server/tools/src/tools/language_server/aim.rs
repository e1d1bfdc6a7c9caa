//! Where a name is that the model asks about. Models count columns badly, so they name the line and
//! what stands there.

use language::At;
use text::Text;

use crate::context::Context;
use crate::place::{Place, blocking, sentence};
use crate::show::line_count;
use crate::tool::Problem;

/// So many lines are named for somebody who gave the wrong one.
const LISTED: usize = 10;

pub(super) struct Aim {
    pub(super) line: Option<u32>,
    pub(super) symbol: Option<String>,
    pub(super) column: Option<u32>,
}

impl Aim {
    pub(super) async fn at(self, place: &Place, cx: &Context) -> Result<At, Problem> {
        let file = place.text(cx).await?.map_err(|error| sentence(&error))?;
        let path = place.resolved.clone();
        blocking(move || {
            let (line, column) = self.find(&file.text)?;
            Ok(At { path, line, column })
        })
        .await?
    }

    /// Line and column from one, the column in characters.
    fn find(&self, text: &Text) -> Result<(u32, u32), Problem> {
        let symbol = self.symbol.as_deref().map(str::trim).filter(|symbol| !symbol.is_empty());
        let Some(line) = self.line else {
            let advice = symbol.map(|symbol| elsewhere(text, symbol));
            let advice = advice.unwrap_or_else(|| "Say in which line the name is.".to_owned());
            return Err(Problem(format!("line is missing. {advice}")));
        };
        let index = (line as usize).checked_sub(1).filter(|index| *index < line_count(text));
        let Some(content) = index.and_then(|index| text.line(index)) else {
            let lines = line_count(text);
            return Err(Problem(format!("The file has {lines} lines, and no line {line}.")));
        };
        let content = content.trim_end_matches(['\r', '\n']);
        let column = match (self.column, symbol) {
            (Some(column), _) => {
                let columns = content.chars().count();
                if column == 0 || column as usize > columns + 1 {
                    return Err(Problem(format!(
                        "Line {line} has {columns} columns, and no column {column}."
                    )));
                }
                column
            }
            (None, Some(symbol)) => column_of(content, symbol).ok_or_else(|| {
                let others = elsewhere(text, symbol);
                Problem(format!(
                    "{symbol:?} is not in line {line}, which reads:\n{content}\n{others}"
                ))
            })?,
            (None, None) => {
                return Err(Problem(format!(
                    "symbol is missing. Name what is meant in line {line}, which reads:\n{content}"
                )));
            }
        };
        Ok((line, column))
    }
}

/// The column of a name in a line; as a word of its own if it is one anywhere. Of a path such as
/// `a.b` or `a::b` the last part is meant.
fn column_of(line: &str, symbol: &str) -> Option<u32> {
    let places = || line.match_indices(symbol).map(|(at, _)| at);
    let start = places().find(|at| is_word(line, *at, symbol)).or_else(|| places().next())?;
    let last_part = symbol.rfind(|c: char| !is_name(c)).map_or(0, |at| {
        let sign = symbol[at..].chars().next().map_or(0, char::len_utf8);
        if at + sign < symbol.len() { at + sign } else { 0 }
    });
    u32::try_from(line[..start + last_part].chars().count() + 1).ok()
}

fn is_word(line: &str, at: usize, symbol: &str) -> bool {
    let before = line[..at].chars().next_back();
    let after = line[at + symbol.len()..].chars().next();
    !before.is_some_and(is_name) && !after.is_some_and(is_name)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A sentence on where else the name is.
fn elsewhere(text: &Text, symbol: &str) -> String {
    let lines = (0..line_count(text)).filter(|index| {
        let line = text.line(*index).unwrap_or_default();
        line.match_indices(symbol).any(|(at, _)| is_word(&line, at, symbol))
    });
    let lines: Vec<String> = lines.take(LISTED + 1).map(|index| (index + 1).to_string()).collect();
    match lines.as_slice() {
        [] => "The file does not have it.".to_owned(),
        [only] => format!("It is in line {only}."),
        lines if lines.len() > LISTED => {
            format!("It is in the lines {}, ….", lines[..LISTED].join(", "))
        }
        lines => format!("It is in the lines {}.", lines.join(", ")),
    }
}

#[cfg(test)]
mod tests;
