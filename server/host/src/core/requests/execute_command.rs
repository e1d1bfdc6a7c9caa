//! `workspace/executeCommand`: the same work for editors that know only the standard. Every command
//! returns at once; what it begins is told by the session.

mod answer;
mod ask;
mod diff;
mod edit;
mod explain;
mod fix;
mod instruction;
mod review;
mod stop;
mod undo;

use std::sync::Arc;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;

pub const ASK: &str = "bowline.ask";
pub const CANCEL: &str = "bowline.cancel";
pub const EDIT: &str = "bowline.edit";
pub const FIX: &str = "bowline.fix";
pub const EXPLAIN: &str = "bowline.explain";
pub const TESTS: &str = "bowline.tests";
pub const DOCUMENT: &str = "bowline.document";
pub const ACCEPT: &str = "bowline.accept";
pub const REJECT: &str = "bowline.reject";
pub const UNDO: &str = "bowline.undo";
pub const DIFF: &str = "bowline.diff";
pub const ANSWER: &str = "bowline.answer";

/// For `initialize`.
pub const COMMANDS: &[&str] =
    &[ASK, CANCEL, EDIT, FIX, EXPLAIN, TESTS, DOCUMENT, ACCEPT, REJECT, UNDO, DIFF, ANSWER];

#[derive(Deserialize)]
pub struct Params {
    command: String,
    #[serde(default)]
    arguments: Vec<Value>,
}

pub fn handle(state: &mut State, door: &Arc<Door>, params: Params, reply: Reply) {
    let Params { command, arguments } = params;
    let argument = arguments.into_iter().next().unwrap_or_default();
    let call = Call { state, door, argument };
    match command.as_str() {
        ASK => call.with(reply, ask::run),
        CANCEL => call.with(reply, stop::run),
        EDIT => call.with(reply, edit::run),
        DOCUMENT => call.with(reply, edit::document),
        FIX => call.with(reply, fix::run),
        EXPLAIN => call.with(reply, explain::run),
        TESTS => call.with(reply, explain::tests),
        ACCEPT => call.with(reply, review::accept),
        REJECT => call.with(reply, review::reject),
        UNDO => call.with(reply, undo::run),
        DIFF => call.with(reply, diff::run),
        ANSWER => call.with(reply, answer::run),
        other => {
            let message = format!("There is no command {other}.");
            reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        }
    }
}

/// A command on its way to the one who carries it out.
struct Call<'a> {
    state: &'a mut State,
    door: &'a Arc<Door>,
    argument: Value,
}

impl Call<'_> {
    fn with<A: DeserializeOwned>(self, reply: Reply, run: fn(&mut State, &Arc<Door>, A, Reply)) {
        match A::deserialize(self.argument) {
            Ok(argument) => run(self.state, self.door, argument, reply),
            Err(error) => {
                let message = format!("The command's argument is wrong: {error}.");
                reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
            }
        }
    }
}

/// A piece of an open document, as commands name it.
#[derive(Clone, Deserialize)]
struct Selection {
    uri: String,
    version: Option<i32>,
    range: protocol::lsp::Range,
}
