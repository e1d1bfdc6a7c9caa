//! `workspace/textDocumentContent`: the text of a virtual document of ours.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

#[derive(Deserialize)]
pub struct Params {
    uri: String,
}

#[derive(Serialize)]
struct Content<'a> {
    text: &'a str,
}

pub fn handle(_: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    match door.pages().get(&params.uri) {
        Some(text) => reply.ok(&Content { text }),
        None => reply.err(RpcError::failed(format!("{} is not kept any more.", params.uri))),
    }
}
