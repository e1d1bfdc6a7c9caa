//! `agent/review/resolve`: keeps hunks, or takes them back out of the text.

use std::sync::Arc;

use protocol::edit::ReviewAction;
use protocol::review::{
    HunkResult, HunkState as WireState, LineSpan, ReviewResolveParams, ReviewResolveResult,
};
use text::{HunkNo, HunkState};
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::hunk_at;
use crate::core::ledgers::{Receiver, hunk_id, is_of, parse_id};
use crate::core::load::{Wanted, with_ledgers};
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::core::switch::{self, Switch, Switched};
use crate::core::undo::{UndoStep, group};

pub fn handle(state: &mut State, door: &Arc<Door>, params: ReviewResolveParams, reply: Reply) {
    let wanted = match wanted(&params) {
        Ok(wanted) => wanted,
        Err(message) => return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message)),
    };
    let door = door.clone();
    with_ledgers(state, wanted, move |state, keys| resolve(state, &door, &keys, params, reply));
}

/// The files whose hunks are meant.
fn wanted(params: &ReviewResolveParams) -> Result<Wanted, &'static str> {
    let ReviewResolveParams { hunk_ids, uri, turn_id, session_id, tool_call_id, at, .. } = params;
    if params.lines.is_some() && hunk_ids.as_ref().is_none_or(|ids| ids.len() != 1) {
        return Err("Lines can be chosen of one hunk only: name it in hunkIds.");
    }
    if tool_call_id.is_some() && session_id.is_none() {
        return Err("Name the session of toolCallId in sessionId.");
    }
    match (hunk_ids, uri, turn_id, session_id, at) {
        (Some(ids), None, None, None, None) => {
            let files = ids.iter().filter_map(|id| parse_id(id)).map(|(file, _)| file.to_owned());
            Ok(Wanted::OfHunks(files.collect()))
        }
        (None, Some(uri), None, _, None) => Ok(Wanted::File(DocumentUri::new(uri))),
        (None, None, Some(turn), None, None) => Ok(Wanted::OfTurn(turn.clone())),
        (None, None, None, Some(session), None) => Ok(Wanted::OfSession(session.clone())),
        (None, None, None, None, Some(at)) => Ok(Wanted::File(DocumentUri::new(&at.uri))),
        _ => Err("Name exactly one of hunkIds, uri, turnId, sessionId and at."),
    }
}

fn resolve(
    state: &mut State,
    door: &Door,
    keys: &[DocumentUri],
    mut params: ReviewResolveParams,
    reply: Reply,
) {
    if let (Some(at), Some(key)) = (params.at.take(), keys.first()) {
        match hunk_at::find(state, door, key, &at) {
            Ok(no) => params.hunk_ids = Some(vec![hunk_id(key, no)]),
            Err(error) => return reply.err(error),
        }
    }
    let (mut chosen, mut results) = choose(state, keys, &params);
    if let Some(lines) = &params.lines
        && let Err(error) = take_lines(state, &mut chosen, lines)
    {
        return reply.err(error);
    }
    match params.action {
        ReviewAction::Accept => {
            let mut step = UndoStep::default();
            for (key, hunks) in chosen {
                let was = states(state, &key, &hunks);
                step.marked.extend(was.into_iter().map(|(no, was)| (key.clone(), no, was)));
                state.ledgers.mark(&key, &hunks, HunkState::Accepted);
                results.extend(hunks.iter().map(|no| result(&key, *no, WireState::Accepted, None)));
            }
            let undo_token = state.undo.remember(step);
            reply.ok(&ReviewResolveResult { results, undo_token });
        }
        ReviewAction::Reject => {
            let rejected = HunkState::Rejected;
            let switches = chosen.into_iter().map(|(key, hunks)| Switch {
                key,
                hunks,
                active: false,
                state: rejected,
            });
            let switches: Vec<_> = switches.collect();
            let comment = params.comment.clone();
            let told = rejections(state, &switches, comment.as_deref());
            let group = group("review");
            switch::start(state, switches, "Bowline: Reject", &group, move |state, switched| {
                for done in switched.iter().filter(|done| done.outcome.is_ok()) {
                    let about = told.iter().filter(|told| told.key == done.switch.key);
                    about.for_each(|told| state.tell_model(&told.session, &told.text));
                }
                results.extend(switched.iter().flat_map(rejected_results));
                let undo_token = state.undo.remember(UndoStep::of(&switched));
                reply.ok(&ReviewResolveResult { results, undo_token });
            });
        }
        _ => {
            let message = "`action` is accept or reject.";
            reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    }
}

/// By file, each once.
type Chosen = Vec<(DocumentUri, Vec<HunkNo>)>;

/// The hunks that are meant, by file, and answers for those that cannot be decided about.
fn choose(
    state: &State,
    keys: &[DocumentUri],
    params: &ReviewResolveParams,
) -> (Chosen, Vec<HunkResult>) {
    let mut chosen = Chosen::new();
    let mut results = Vec::new();
    for key in keys {
        let Some(ledger) = state.ledgers.ledger(key) else { continue };
        let mut of_file = Vec::new();
        for hunk in ledger.hunks() {
            let named = match &params.hunk_ids {
                Some(ids) => ids.contains(&hunk_id(key, hunk.no)),
                None => is_of_whole(params, hunk),
            };
            let pending = hunk.state == HunkState::Pending;
            // Who names a hunk may change a decision; a rejected one has nothing to decide about.
            let open = pending || (params.hunk_ids.is_some() && hunk.active);
            if named && open {
                of_file.push(hunk.no);
            } else if named && params.hunk_ids.is_some() {
                let reason = "It is not in the text any more.".to_owned();
                results.push(result(key, hunk.no, WireState::Rejected, Some(reason)));
            }
        }
        if params.hunk_ids.is_none() && params.action == ReviewAction::Reject {
            // Who rejects a whole does not want to be asked about what lies below it.
            let below = ledger.uncovered_by(&of_file, |hunk| is_of_whole(params, hunk));
            of_file.extend(below);
        }
        if !of_file.is_empty() {
            chosen.push((key.clone(), of_file));
        }
    }
    for id in params.hunk_ids.iter().flatten() {
        let known = parse_id(id).is_some_and(|(file, no)| {
            let of = keys.iter().find(|key| is_of(file, key));
            let ledger = of.and_then(|key| state.ledgers.ledger(key));
            ledger.is_some_and(|ledger| ledger.hunk(no).is_some())
        });
        if !known {
            let reason = Some("There is no such change.".to_owned());
            let state = WireState::Superseded;
            results.push(HunkResult { hunk_id: id.clone(), state, reason });
        }
    }
    (chosen, results)
}

/// Whether a hunk belongs to the document, turn, session or call that is decided about.
fn is_of_whole(params: &ReviewResolveParams, hunk: &text::Hunk) -> bool {
    let ReviewResolveParams { turn_id, session_id, tool_call_id, .. } = params;
    turn_id.as_ref().is_none_or(|turn| hunk.author.turn == *turn)
        && session_id.as_ref().is_none_or(|session| hunk.author.session == *session)
        && tool_call_id.as_ref().is_none_or(|call| hunk.author.call == *call)
}

/// Narrows the one chosen hunk down to some lines of it.
fn take_lines(state: &mut State, chosen: &mut Chosen, lines: &[LineSpan]) -> Result<(), RpcError> {
    let Some((key, hunks)) = chosen.first_mut() else { return Ok(()) };
    let Some(no) = hunks.first().copied() else { return Ok(()) };
    let lines = lines.iter().map(|span| span.start as usize..span.end as usize).collect();
    let made = state.ledgers.split(key, no, lines);
    let made = made.map_err(|error| RpcError::new(RpcError::INVALID_PARAMS, error))?;
    *hunks = made;
    Ok(())
}

/// What the model is told about one file.
struct Told {
    key: DocumentUri,
    session: String,
    text: String,
}

/// The longest piece of a change that is repeated to the model.
const QUOTED: usize = 600;

/// Made before the switch, while the hunks still show what they changed.
fn rejections(state: &State, switches: &[Switch], comment: Option<&str>) -> Vec<Told> {
    let of_file = |switch: &Switch| {
        let client = state.ledgers.client_text(&switch.key, Receiver::INTERNAL, None);
        let hunks = switch.hunks.iter().filter_map(|no| {
            let hunk = state.ledgers.hunk(&switch.key, *no, &client)?;
            // The model replaced it itself.
            if hunk.state == WireState::Superseded {
                return None;
            }
            let path = switch.key.to_path().unwrap_or_default();
            let line = hunk.range.start.line + 1;
            let mut text = format!(
                "The user rejected your change of {} at line {line}; the text is again as it was \
                 before. What you had written there:\n{}",
                path.display(),
                cut(&hunk.new_text)
            );
            if let Some(comment) = comment.filter(|comment| !comment.trim().is_empty()) {
                text.push_str("\nThe user says: ");
                text.push_str(comment.trim());
            }
            Some(Told { key: switch.key.clone(), session: hunk.session_id, text })
        });
        hunks.collect::<Vec<_>>()
    };
    switches.iter().flat_map(of_file).collect()
}

fn cut(text: &str) -> String {
    if text.len() <= QUOTED {
        return text.trim_end().to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(QUOTED)])
}

fn states(state: &State, key: &DocumentUri, hunks: &[HunkNo]) -> Vec<(HunkNo, HunkState)> {
    let Some(ledger) = state.ledgers.ledger(key) else { return Vec::new() };
    let named = hunks.iter().filter_map(|no| ledger.hunk(*no));
    named.map(|hunk| (hunk.no, hunk.state)).collect()
}

fn rejected_results(done: &Switched) -> Vec<HunkResult> {
    let key = &done.switch.key;
    let one = |no: &HunkNo| match &done.outcome {
        Ok(()) => result(key, *no, WireState::Rejected, None),
        Err(reason) => result(key, *no, WireState::Pending, Some(reason.clone())),
    };
    done.switch.hunks.iter().map(one).collect()
}

fn result(key: &DocumentUri, no: HunkNo, state: WireState, reason: Option<String>) -> HunkResult {
    HunkResult { hunk_id: hunk_id(key, no), state, reason }
}
