//! `agent/review/diff`: a file with the agent's pending changes switched off, and as it is now.

use std::sync::Arc;

use protocol::review::{ReviewDiffParams, ReviewDiffResult};
use protocol::tool::FileDiff;
use text::{HunkNo, HunkState, Text};
use workspace::DocumentUri;

use crate::core::door::Door;
use crate::core::ledgers::Receiver;
use crate::core::load::{Wanted, with_ledgers};
use crate::core::rpc::Reply;
use crate::core::state::State;

pub fn handle(state: &mut State, door: &Arc<Door>, params: ReviewDiffParams, reply: Reply) {
    let receiver = Receiver::from(&**door);
    let wanted = Wanted::File(DocumentUri::new(&params.uri));
    with_ledgers(state, wanted, move |state, keys| {
        let diff = keys.first().and_then(|key| {
            let (before, now) = without_pending(state, key)?;
            let client = state.ledgers.client_text(key, receiver, Some(&state.buffers));
            Some(FileDiff {
                uri: client.uri().to_owned(),
                version: client.version_of(&now),
                old_text: Some(before.to_string()),
                new_text: Some(now.to_string()),
            })
        });
        reply.ok(&ReviewDiffResult { diff });
    });
}

/// The text of a file without what is pending in it, and its text; nothing when nothing is pending.
pub fn without_pending(state: &State, key: &DocumentUri) -> Option<(Text, Text)> {
    let ledger = state.ledgers.ledger(key)?;
    let pending: Vec<HunkNo> = ledger
        .hunks()
        .filter(|hunk| hunk.state == HunkState::Pending && hunk.active)
        .map(|hunk| hunk.no)
        .collect();
    if pending.is_empty() {
        return None;
    }
    let below = ledger.uncovered_by(&pending, |_| true);
    let off: Vec<_> = pending.into_iter().chain(below).collect();
    let snapshot = state.buffers.snapshot();
    let open = state.ledgers.open_as(key).and_then(|uri| snapshot.by_uri(uri));
    let now = open.map_or_else(|| ledger.text().clone(), |document| document.text.clone());
    let before = |text: &Text| {
        let edit = state.ledgers.preview(key, &off, false, text).ok()?;
        edit.apply(text).ok()
    };
    match before(&now) {
        Some(text) => Some((text, now)),
        // The editor's text has a change that the ledger is only about to learn of.
        None => before(ledger.text()).map(|text| (text, ledger.text().clone())),
    }
}
