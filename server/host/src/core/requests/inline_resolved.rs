//! `agent/inline/resolved`: what the user did with an inline edit. Rejected while it still streams,
//! it is stopped; afterwards the answer is one about its hunks.

use std::sync::Arc;

use protocol::edit::{InlineResolvedParams, ReviewAction};
use protocol::review::ReviewResolveParams;

use super::review_resolve;
use crate::core::door::Door;
use crate::core::rpc::Reply;
use crate::core::state::State;

pub fn handle(state: &mut State, door: &Arc<Door>, params: InlineResolvedParams) {
    let InlineResolvedParams { edit_id, action } = params;
    let rejects = action == ReviewAction::Reject;
    if rejects && state.inline.stop(&edit_id, "Rejected before it was done.") {
        return;
    }
    let resolve =
        ReviewResolveParams { turn_id: Some(edit_id), ..ReviewResolveParams::new(action) };
    let reply = Reply::new(|result| {
        if let Err(error) = result {
            tracing::debug!(%error, "an inline edit was resolved in vain");
        }
    });
    review_resolve::handle(state, door, resolve, reply);
}
