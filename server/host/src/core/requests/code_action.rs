//! `textDocument/codeAction`: what can be done here. Answered from memory; every action is a
//! command, so that nothing happens before it is chosen.

use std::ops::Range;
use std::sync::Arc;

use protocol::lsp::Diagnostic;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use text::{PositionEncoding, Text};
use workspace::{Document, DocumentUri};

use super::execute_command as commands;
use crate::core::cards::Card;
use crate::core::door::Door;
use crate::core::inline::bytes;
use crate::core::ledgers::Receiver;
use crate::core::rpc::Reply;
use crate::core::state::State;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    text_document: Named,
    range: protocol::lsp::Range,
    context: ActionContext,
}

#[derive(Deserialize)]
struct Named {
    uri: String,
}

#[derive(Deserialize)]
struct ActionContext {
    /// As they came: other servers put things in that are theirs to read.
    #[serde(default)]
    diagnostics: Vec<Value>,
    only: Option<Vec<String>>,
}

#[derive(Serialize)]
struct Action {
    title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Value>,
    command: Command,
}

/// A command with its name for people.
#[derive(Serialize)]
pub struct Command {
    pub title: String,
    pub command: &'static str,
    pub arguments: [Value; 1],
}

const QUICK_FIX: &str = "quickfix";
const REWRITE: &str = "refactor.rewrite";
/// For `initialize`.
pub const KINDS: [&str; 2] = [QUICK_FIX, REWRITE];

pub fn handle(state: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    let Params { text_document, range, context } = params;
    let uri = DocumentUri::new(&text_document.uri);
    let snapshot = state.buffers.snapshot();
    let mut actions = Vec::new();
    if let Some(document) = snapshot.by_uri(&uri) {
        actions.extend(review(state, door, &uri, &range));
        let mut found = readable(&context.diagnostics);
        if found.is_empty() {
            // Some editors show a server only what it found itself; ours told us the rest.
            found = state.diagnostics.within(&uri, document.version, &range);
        } else {
            state.diagnostics.glimpse(&uri, document.version, &found);
        }
        actions.extend(fix(document, &context.diagnostics, &found));
        actions.extend(on_selection(document, &range, door.encoding()));
    }
    actions.extend(state.cards.of(door.id).flat_map(answers));
    if state.undo.has_decided(door.id) && door.profile().agent.version == 0 {
        let title = "Undo the last decision about changes";
        actions.push(action(title, None, commands::UNDO, json!({})));
    }
    if state.sessions_of(door.id).any(|(_, session)| session.is_busy()) {
        actions.push(action("Stop Bowline", None, commands::CANCEL, json!({})));
    }
    let wanted = context.only.filter(|only| !only.is_empty());
    actions.retain(|action| wanted.as_ref().is_none_or(|only| fits(action.kind, only)));
    if door.profile().action_literals {
        reply.ok(&actions);
    } else {
        reply.ok(&actions.into_iter().map(|action| action.command).collect::<Vec<_>>());
    }
}

/// Kinds are paths: who asks for `refactor` wants `refactor.rewrite` too.
fn fits(kind: Option<&str>, only: &[String]) -> bool {
    let Some(kind) = kind else { return false };
    only.iter().any(|wanted| {
        let rest = kind.strip_prefix(wanted.as_str());
        rest.is_some_and(|rest| wanted.is_empty() || rest.is_empty() || rest.starts_with('.'))
    })
}

fn action(
    title: &str,
    kind: Option<&'static str>,
    command: &'static str,
    argument: Value,
) -> Action {
    let command = Command { title: title.to_owned(), command, arguments: [argument] };
    Action { title: title.to_owned(), kind, diagnostics: Vec::new(), command }
}

/// The answers to a question that is shown as a diagnostic: wherever the caret is, because a session
/// waits for them.
fn answers(card: &Card) -> Vec<Action> {
    let answers = card.options.iter().map(|(id, label)| {
        let title = format!("{label}: {}", card.title);
        let argument = json!({ "requestId": card.request_id, "optionId": id });
        action(&title, Some(QUICK_FIX), commands::ANSWER, argument)
    });
    answers.collect()
}

/// The changes of the agent that the range touches.
fn review(
    state: &State,
    door: &Door,
    uri: &DocumentUri,
    range: &protocol::lsp::Range,
) -> Vec<Action> {
    let pending = state.ledgers.pending(uri, Receiver::from(door), &state.buffers);
    let touched = pending.iter().filter(|hunk| {
        let (start, end) = (hunk.range.start, hunk.range.end);
        // Whole lines end in front of the next one.
        let ends_before = end.character == 0 && end.line > start.line;
        start.line <= range.end.line && end.line - u32::from(ends_before) >= range.start.line
    });
    let ids: Vec<_> = touched.map(|hunk| hunk.id.as_str()).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    let fix = Some(QUICK_FIX);
    let these = json!({ "hunkIds": ids });
    let mut actions = vec![
        action("Accept this change", fix, commands::ACCEPT, these.clone()),
        action("Reject this change", fix, commands::REJECT, these),
    ];
    let file = json!({ "uri": uri.as_str() });
    actions.push(action("Show the changes of this file", fix, commands::DIFF, file));
    if pending.len() > ids.len() {
        let all = json!({ "uri": uri.as_str() });
        actions.push(action("Accept all in this file", fix, commands::ACCEPT, all.clone()));
        actions.push(action("Reject all in this file", fix, commands::REJECT, all));
    }
    actions
}

/// What is no diagnostic to us is left to others.
fn readable(diagnostics: &[Value]) -> Vec<Diagnostic> {
    diagnostics.iter().filter_map(|found| Diagnostic::deserialize(found).ok()).collect()
}

/// The action carries the diagnostics as they came, because an editor compares them.
fn fix(document: &Document, shown: &[Value], found: &[Diagnostic]) -> Option<Action> {
    if found.is_empty() {
        return None;
    }
    let (uri, version) = (document.uri.as_str(), document.version);
    let argument = json!({ "uri": uri, "version": version, "diagnostics": found });
    let fix = action("Fix with Bowline", Some(QUICK_FIX), commands::FIX, argument);
    Some(Action { diagnostics: shown.to_vec(), ..fix })
}

fn on_selection(
    document: &Document,
    range: &protocol::lsp::Range,
    encoding: PositionEncoding,
) -> Vec<Action> {
    let Ok(selected) = bytes(&document.text, range, encoding) else { return Vec::new() };
    if selected.is_empty() {
        return Vec::new();
    }
    let text = &document.text;
    let selected = meant(text, selected);
    let position = |offset| {
        let position = text.position(offset, encoding);
        protocol::lsp::Position { line: position.line, character: position.column }
    };
    let range =
        protocol::lsp::Range { start: position(selected.start), end: position(selected.end) };
    let uri = document.uri.as_str();
    let argument = json!({ "uri": uri, "version": document.version, "range": range });
    let rewrite = Some(REWRITE);
    vec![
        action("Edit with Bowline…", rewrite, commands::EDIT, argument.clone()),
        action("Document with Bowline", rewrite, commands::DOCUMENT, argument.clone()),
        action("Explain with Bowline", None, commands::EXPLAIN, argument.clone()),
        action("Write tests with Bowline", None, commands::TESTS, argument),
    ]
}

/// In some editors the caret itself is a selection of one character. Nobody means that character:
/// its line is meant.
fn meant(text: &Text, selected: Range<usize>) -> Range<usize> {
    let slice = text.slice(selected.clone());
    let one = slice.is_some_and(|slice| slice.chars().count() == 1);
    if !one {
        return selected;
    }
    let line = text.byte_to_line(selected.start);
    let content = text.line(line).unwrap_or_default();
    let start = text.line_to_byte(line);
    start..start + content.trim_end_matches(['\r', '\n']).len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_paths() {
        let check = |kind, only: &[&str], expect| {
            let only: Vec<_> = only.iter().map(|kind| (*kind).to_owned()).collect();
            assert_eq!(fits(kind, &only), expect, "{kind:?} {only:?}");
        };
        check(Some(QUICK_FIX), &["quickfix"], true);
        check(Some(REWRITE), &["refactor"], true);
        check(Some(REWRITE), &["refactor.rewrite"], true);
        check(Some(REWRITE), &["refactor.rew"], false);
        check(Some(REWRITE), &["source", "quickfix"], false);
        check(Some(REWRITE), &[""], true);
        check(None, &["refactor"], false);
    }

    #[test]
    fn one_character_means_its_line() {
        let text = Text::from("one\r\n\ttwo ☃\nthree");
        assert_eq!(meant(&text, 6..9), 6..9);
        assert_eq!(meant(&text, 6..7), 5..13);
        assert_eq!(meant(&text, 10..13), 5..13);
        assert_eq!(meant(&text, 3..5), 3..5);
        assert_eq!(meant(&text, 13..14), 5..13);
    }
}
