//! Which text an inline edit is about, and what the model is shown around it.

use std::ops::Range;
use std::path::Path;

use agent::inline::{Frame, Question};
use protocol::lsp::Diagnostic;
use text::{Newline, PositionEncoding, Text};
use workspace::DocumentUri;
use workspace::syntax::{Language, Tree, Trees};

use super::InlineJob;
use crate::core::bytes;

/// Shown around a selection, besides the item it is in.
const LINES_AROUND: usize = 30;
/// A fix may change so much around a diagnostic where nothing is known about the language.
const LINES_FIXED: usize = 5;
/// An item longer than this is too much to write anew for one diagnostic.
const ITEM_FIXED: usize = 8 * 1024;
/// The most a model is asked to rewrite; what it writes takes as long as this is.
const SELECTION_CAP: usize = 64 * 1024;
const CONTEXT_CAP: usize = 32 * 1024;

/// The bytes to replace, how the new text meets what stands around, and the question.
pub(super) struct Selected {
    pub(super) bytes: Range<usize>,
    pub(super) old: String,
    pub(super) frame: Frame,
    pub(super) question: Question,
}

/// The text as it was when the user asked.
pub(super) struct Source<'a> {
    pub(super) path: &'a Path,
    pub(super) shown: String,
    pub(super) language: Option<String>,
    pub(super) text: &'a Text,
    pub(super) encoding: PositionEncoding,
    /// Parses of the texts before it: only what changed is parsed anew.
    pub(super) trees: &'a Trees,
}

pub(super) fn select(source: &Source<'_>, job: &InlineJob) -> Result<Selected, String> {
    let text = source.text;
    let language = Language::of(source.path);
    let named = DocumentUri::from_path(source.path);
    let tree =
        language.zip(named).and_then(|(language, uri)| source.trees.of(&uri, language, text));
    let tree = tree.as_deref();
    let bytes = match job {
        InlineJob::Edit { range, .. } => {
            let bytes = bytes(text, range, source.encoding);
            with_indentation(text, bytes.map_err(|error| format!("The range is wrong: {error}."))?)
        }
        InlineJob::Fix { diagnostics } => broken(text, tree, diagnostics),
    };
    if bytes.len() > SELECTION_CAP {
        return Err("The selection is too long to be rewritten in one piece; select less.".into());
    }
    let around = around(text, tree, &bytes);
    let slice = |range: Range<usize>| text.slice(range).map(|slice| slice.into_owned());
    let pieces =
        (slice(around.start..bytes.start), slice(bytes.clone()), slice(bytes.end..around.end));
    let (Some(before), Some(selection), Some(after)) = pieces else {
        return Err("The selection cuts a character; select again.".into());
    };
    let newline = Newline::of(&format!("{before}{selection}{after}")).as_str().unwrap_or("\n");
    let frame = Frame::new(&before, &selection, &after, newline);
    let (problems, instruction) = match job {
        InlineJob::Edit { instruction, .. } => (Vec::new(), instruction.clone()),
        InlineJob::Fix { diagnostics } => (problems(diagnostics), FIX.to_owned()),
    };
    let named = language.map(|language| language.name().to_owned());
    let question = Question {
        path: source.shown.clone(),
        language: source.language.clone().or(named).unwrap_or_default(),
        line: text.byte_to_line(bytes.start) + 1,
        before,
        selection: selection.clone(),
        after,
        problems,
        instruction,
    };
    Ok(Selected { bytes, old: selection, frame, question })
}

const FIX: &str = "Fix the problems listed above, and nothing else.";

/// Selections often begin behind the indentation of their first line. Models do better with it.
fn with_indentation(text: &Text, bytes: Range<usize>) -> Range<usize> {
    let start = text.line_to_byte(text.byte_to_line(bytes.start));
    let blank = |slice: &str| slice.chars().all(|c| c == ' ' || c == '\t');
    match text.slice(start..bytes.start) {
        Some(slice) if !bytes.is_empty() && blank(&slice) => start..bytes.end,
        _ => bytes,
    }
}

/// The items that diagnostics are in, or some lines around them.
fn broken(text: &Text, tree: Option<&Tree>, diagnostics: &[Diagnostic]) -> Range<usize> {
    let places = diagnostics.iter().map(|found| {
        let (first, last) = (found.range.start.line as usize, found.range.end.line as usize);
        let lines = lines(text, first, last, 0);
        let item = tree.and_then(|tree| tree.enclosing(lines.clone()));
        let item =
            item.map(|item| text.line_to_byte(item.lines.start)..text.line_to_byte(item.lines.end));
        item.filter(|item| item.len() <= ITEM_FIXED)
            .unwrap_or_else(|| self::lines(text, first, last, LINES_FIXED))
    });
    let joined = |one: Range<usize>, other: Range<usize>| {
        let both = one.start.min(other.start)..one.end.max(other.end);
        // What is far away is left for the next time.
        if both.len() <= SELECTION_CAP { both } else { one }
    };
    places.reduce(joined).unwrap_or(0..0)
}

/// Whole lines, and some more on both sides.
fn lines(text: &Text, first: usize, last: usize, more: usize) -> Range<usize> {
    let start = text.line_to_byte(first.saturating_sub(more));
    start..text.line_to_byte(last.saturating_add(more + 1)).max(start)
}

fn around(text: &Text, tree: Option<&Tree>, bytes: &Range<usize>) -> Range<usize> {
    let (first, last) = (text.byte_to_line(bytes.start), text.byte_to_line(bytes.end));
    let near = lines(text, first, last, LINES_AROUND);
    let near = if near.len() <= CONTEXT_CAP + bytes.len() { near } else { bytes.clone() };
    let item = tree.and_then(|tree| tree.enclosing(bytes.clone())).map(|item| item.bytes);
    match item.filter(|item| item.len() <= CONTEXT_CAP) {
        Some(item) => near.start.min(item.start)..near.end.max(item.end),
        None => near,
    }
}

fn problems(diagnostics: &[Diagnostic]) -> Vec<String> {
    let problem = |found: &Diagnostic| {
        let line = found.range.start.line.saturating_add(1);
        let message = found.message.lines().map(str::trim).collect::<Vec<_>>().join("; ");
        let code = found.code.as_ref().map(|code| match code {
            serde_json::Value::String(code) => code.clone(),
            code => code.to_string(),
        });
        let from: Vec<_> = found.source.iter().cloned().chain(code).collect();
        match from.is_empty() {
            true => format!("line {line}: {message}"),
            false => format!("line {line}: {message} [{}]", from.join(" ")),
        }
    };
    diagnostics.iter().map(problem).collect()
}

#[cfg(test)]
mod tests;
