//! `agent/review/list`: the agent's changes, hunk by hunk.

use std::sync::Arc;

use protocol::review::{Hunk, ReviewListParams, ReviewListResult};
use workspace::DocumentUri;

use crate::core::commits;
use crate::core::door::Door;
use crate::core::ledgers::Receiver;
use crate::core::load::{Wanted, with_ledgers};
use crate::core::rpc::Reply;
use crate::core::state::State;

pub fn handle(state: &mut State, door: &Arc<Door>, params: ReviewListParams, reply: Reply) {
    let ReviewListParams { session_id, uri, turn_id } = params;
    let wanted = match (&uri, &session_id, &turn_id) {
        (Some(uri), _, _) => Wanted::File(DocumentUri::new(uri)),
        (None, Some(session), _) => Wanted::OfSession(session.clone()),
        (None, None, Some(turn)) => Wanted::OfTurn(turn.clone()),
        (None, None, None) => Wanted::Known,
    };
    let receiver = Receiver::from(&**door);
    with_ledgers(state, wanted, move |state, keys| {
        let fits = |hunk: &Hunk| {
            session_id.as_ref().is_none_or(|id| hunk.session_id == *id)
                && turn_id.as_ref().is_none_or(|id| hunk.turn_id == *id)
        };
        let mut hunks = Vec::new();
        for key in &keys {
            let Some(ledger) = state.ledgers.ledger(key) else { continue };
            let client = state.ledgers.client_text(key, receiver, Some(&state.buffers));
            let numbers: Vec<_> = ledger.hunks().map(|hunk| hunk.no).collect();
            let of_file = numbers.iter();
            let of_file = of_file.filter_map(|no| state.ledgers.hunk(key, *no, &client));
            let mut of_file: Vec<_> = of_file.filter(fits).collect();
            of_file.sort_by_key(|hunk| (hunk.range.start, hunk.range.end));
            hunks.extend(of_file);
            state.ledgers.record_ranges(key, &numbers, &state.buffers);
        }
        reply.ok(&ReviewListResult { hunks });
        commits::look(state);
    });
}
