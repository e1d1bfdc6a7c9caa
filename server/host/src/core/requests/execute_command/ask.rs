//! `bowline.ask`: a prompt to the client's own session.

use std::sync::Arc;

use protocol::prompt::Block;
use serde::Deserialize;

use super::explain::prompt;
use crate::core::door::Door;
use crate::core::rpc::Reply;
use crate::core::state::State;

/// The words alone, or under a name.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Asked {
    Words(String),
    Named { text: String },
    Nothing(()),
}

pub(super) fn run(state: &mut State, door: &Arc<Door>, asked: Asked, reply: Reply) {
    let text = match asked {
        Asked::Words(text) | Asked::Named { text } => text,
        Asked::Nothing(()) => String::new(),
    };
    prompt(state, door, None, vec![Block::text(text)], reply);
}
