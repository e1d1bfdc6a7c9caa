//! The agent's change at a position, found in the text that the client saw when it sent the
//! position. What is not known for sure is refused: the wrong change could be rejected otherwise.

use protocol::review::DocumentPosition;
use text::{Bias, HunkNo, Ledger, Text};
use workspace::DocumentUri;

use super::door::Door;
use super::ledgers::Receiver;
use super::rpc::RpcError;
use super::state::State;

const UNKNOWN_VERSION: &str =
    "That version of the document is not known here. Nothing was changed. Try again.";
const NOT_OPEN: &str =
    "The document is not open in this client, so `version` must be null. Nothing was changed.";
const NO_HUNK: &str = "There is no pending change of the agent at this position.";
const OUTSIDE: &str = "The position is outside of the document. Nothing was changed.";

/// The pending hunk whose lines the position is in; of several the smallest, and of those the latest.
pub fn find(
    state: &State,
    door: &Door,
    key: &DocumentUri,
    at: &DocumentPosition,
) -> Result<HunkNo, RpcError> {
    let refused = |reason: &str| RpcError::new(RpcError::INVALID_PARAMS, reason);
    let Some(ledger) = state.ledgers.ledger(key) else { return Err(refused(NO_HUNK)) };
    let offset = offset(state, door, key, at, ledger).map_err(refused)?;
    let line = ledger.text().byte_to_line(offset);
    let ranges = ledger.pending_ranges().into_iter();
    let mut here: Vec<_> =
        ranges.filter(|(_, range)| lines(ledger.text(), range).contains(&line)).collect();
    here.sort_by_key(|(no, range)| (range.is_empty(), range.len(), std::cmp::Reverse(*no)));
    here.first().map(|(no, _)| *no).ok_or_else(|| refused(NO_HUNK))
}

/// The lines that a range covers; one that ends with a line break does not reach into the next.
/// An empty one, where lines were removed, is the line that follows, or at the end the last one.
fn lines(text: &Text, range: &std::ops::Range<usize>) -> std::ops::RangeInclusive<usize> {
    let first = text.byte_to_line(range.start);
    let last = text.byte_to_line(range.end);
    if range.is_empty() && range.end == text.len_bytes() {
        // Not every editor shows an empty line behind the last line break.
        return first.saturating_sub(1)..=last;
    }
    let ends_before = last > first && text.line_to_byte(last) == range.end;
    first..=last - usize::from(ends_before)
}

/// The byte of the ledger's text that a client means.
fn offset(
    state: &State,
    door: &Door,
    key: &DocumentUri,
    at: &DocumentPosition,
    ledger: &Ledger,
) -> Result<usize, &'static str> {
    let uri = DocumentUri::new(&at.uri);
    let own = state.buffers.all_of(&uri).into_iter().find(|(who, _)| who.id == door.id);
    let position = text::Position { line: at.position.line, column: at.position.character };
    let byte = |text: &Text| text.offset(position, door.encoding()).map_err(|_| OUTSIDE);
    let Some((_, document)) = own else {
        return match at.version {
            None => byte(ledger.text()),
            Some(_) => Err(NOT_OPEN),
        };
    };
    let version = at.version.ok_or(UNKNOWN_VERSION)?;
    let offset = if version == document.version {
        byte(&document.text)?
    } else {
        let counts = state.buffers.owner(&uri).is_some_and(|owner| owner.id == door.id);
        let earlier = if counts { state.buffers.since(&uri, version) } else { None };
        let (text, changes) = earlier.ok_or(UNKNOWN_VERSION)?;
        let start = byte(&text)?;
        // A caret in front of a line stays with that line when another is written above.
        let bias = if position.column == 0 { Bias::After } else { Bias::Before };
        changes.iter().fold(start, |offset, change| change.map_offset(offset, bias))
    };
    let client = state.ledgers.client_text(key, Receiver::from(door), Some(&state.buffers));
    Ok(client.offset_in_ledger(ledger.text(), offset))
}
