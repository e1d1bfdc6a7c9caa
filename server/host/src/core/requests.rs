//! Requests of the `agent/*` family, and those of the standard that are about the same things: the
//! table, and one file for each.
//!
//! Every handler runs in the loop and returns at once. What takes time is handed to the session,
//! or to a thread of its own, together with the reply.

mod ask_respond;
mod code_action;
mod code_lens;
mod complete;
mod completion;
mod edit_inline;
mod execute_command;
mod fix_diagnostics;
mod hover;
mod inline_resolved;
mod mcp;
mod memory_add;
mod permission_respond;
mod permission_rules;
mod review_diff;
mod review_list;
mod review_resolve;
mod session_attach;
mod session_close;
mod session_delete;
mod session_export;
mod session_fork;
mod session_list;
pub(super) mod session_new;
mod session_rename;
mod session_unrewind;
mod status;
mod tasks;
mod text_document_content;
mod trust;

use std::sync::Arc;

use protocol::Request;
use protocol::session as wire;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use super::door::Door;
use super::ledgers::Receiver;
use super::rpc::{Reply, RpcError};
use super::state::State;
use crate::session::Msg;

pub use code_action::KINDS as ACTION_KINDS;
pub use complete::FileIndex;
pub use execute_command::COMMANDS;
pub use inline_resolved::handle as inline_resolved;
pub use session_attach::open as open_stored;

/// The methods of the family that this server answers. What it does not is named in
/// `initialize`'s `features` by its absence.
#[rustfmt::skip]
pub fn dispatch(state: &mut State, door: &Arc<Door>, method: &str, params: Option<&RawValue>, reply: Reply) {
    let request = Incoming { state, door, method, params, reply: Some(reply) };
    request
        .on::<wire::SessionNew>(session_new::handle)
        .on::<wire::SessionList>(session_list::handle)
        .on::<wire::SessionAttach>(session_attach::handle)
        .on::<wire::SessionClose>(session_close::handle)
        .on::<wire::SessionDelete>(session_delete::handle)
        .on::<wire::SessionFork>(session_fork::handle)
        .on::<wire::SessionRename>(session_rename::handle)
        .on::<wire::SessionExport>(session_export::handle)
        .forward::<wire::SessionDetach>(|p| &p.session_id, |_, door, reply| Msg::Detach { door: door.id, reply: Some(reply) })
        .forward::<wire::SessionPrompt>(|p| &p.session_id, |params, _, reply| Msg::Prompt { params, reply })
        .forward::<wire::SessionCancel>(|p| &p.session_id, |params, _, reply| Msg::Cancel { params, reply })
        .forward::<wire::SessionShell>(|p| &p.session_id, |p, _, reply| Msg::Shell { command: p.command, reply })
        .forward::<wire::SessionQueue>(|p| &p.session_id, |params, _, reply| Msg::Queue { params, reply })
        .forward::<wire::SessionConfig>(|p| &p.session_id, |p, _, reply| Msg::Config { set: p.set, reply })
        .forward::<wire::SessionCompact>(|p| &p.session_id, |p, _, reply| Msg::Compact { instructions: p.instructions, reply })
        .forward::<wire::SessionContext>(|p| &p.session_id, |_, _, reply| Msg::Context { reply })
        .forward::<wire::SessionCost>(|p| &p.session_id, |_, _, reply| Msg::Cost { reply })
        .forward::<wire::SessionRewind>(|p| &p.session_id, |params, door, reply| Msg::Rewind { params, receiver: Receiver::from(door), reply })
        .on::<wire::SessionUnrewind>(session_unrewind::handle)
        .on::<protocol::review::ReviewList>(review_list::handle)
        .on::<protocol::review::ReviewResolve>(review_resolve::handle)
        .on::<protocol::review::ReviewDiff>(review_diff::handle)
        .on::<protocol::edit::EditInline>(edit_inline::handle)
        .on::<protocol::edit::FixDiagnostics>(fix_diagnostics::handle)
        .on::<protocol::permission::PermissionRespond>(permission_respond::handle)
        .on::<protocol::ask::AskRespond>(ask_respond::handle)
        .on::<protocol::permission::PermissionRules>(permission_rules::handle)
        .on::<protocol::complete::Complete>(complete::handle)
        .on::<protocol::tasks::Tasks>(tasks::handle)
        .on::<protocol::mcp::Mcp>(mcp::handle)
        .on::<protocol::memory::MemoryAdd>(memory_add::handle)
        .forward::<protocol::memory::MemoryList>(|p| &p.session_id, |params, _, reply| Msg::MemoryList { params, reply })
        .on::<protocol::trust::Trust>(trust::handle)
        .on::<protocol::trust::TrustState>(trust::state)
        .on::<protocol::status::Status>(status::handle)
        .standard(EXECUTE_COMMAND, execute_command::handle)
        .standard(CODE_ACTION, code_action::handle)
        .standard(CODE_LENS, code_lens::handle)
        .standard(COMPLETION, completion::handle)
        .standard(HOVER, hover::handle)
        .standard(PAGE_CONTENT, text_document_content::handle)
        .finish();
}

const EXECUTE_COMMAND: &str = "workspace/executeCommand";
const CODE_ACTION: &str = "textDocument/codeAction";
const CODE_LENS: &str = "textDocument/codeLens";
const COMPLETION: &str = "textDocument/completion";
const HOVER: &str = "textDocument/hover";
const PAGE_CONTENT: &str = "workspace/textDocumentContent";
/// The standard's own methods that the loop answers.
pub const STANDARD: &[&str] =
    &[EXECUTE_COMMAND, CODE_ACTION, CODE_LENS, COMPLETION, HOVER, PAGE_CONTENT];

/// The names of what [`dispatch`] answers, for `initialize`.
pub const FEATURES: &[&str] = &[
    "session",
    "fork",
    "export",
    "queue",
    "config",
    "compact",
    "permission",
    "ask",
    "inline",
    "review",
    "rewind",
    "complete",
    "tasks",
    "mcp",
    "memory",
    "trust",
    "status",
];

/// A request on its way down the table; taken out by the first row that knows it.
struct Incoming<'a> {
    state: &'a mut State,
    door: &'a Arc<Door>,
    method: &'a str,
    params: Option<&'a RawValue>,
    reply: Option<Reply>,
}

impl Incoming<'_> {
    fn on<R: Request>(self, handle: fn(&mut State, &Arc<Door>, R::Params, Reply)) -> Self {
        self.standard(R::METHOD, handle)
    }

    fn standard<P: DeserializeOwned>(
        mut self,
        method: &str,
        handle: fn(&mut State, &Arc<Door>, P, Reply),
    ) -> Self {
        if let Some((params, reply)) = self.take(method) {
            handle(self.state, self.door, params, reply);
        }
        self
    }

    /// A request that only the session can answer.
    fn forward<R: Request>(
        mut self,
        session: fn(&R::Params) -> &str,
        msg: fn(R::Params, &Door, Reply) -> Msg,
    ) -> Self {
        if let Some((params, reply)) = self.take::<R::Params>(R::METHOD) {
            let id = session(&params).to_owned();
            let door = self.door;
            self.state.to_session(&id, reply, |reply| msg(params, door, reply));
        }
        self
    }

    /// The parameters and the duty to answer, when this is the method; wrong parameters are
    /// answered here.
    fn take<P: DeserializeOwned>(&mut self, method: &str) -> Option<(P, Reply)> {
        if self.method != method {
            return None;
        }
        let reply = self.reply.take()?;
        let params = self.params.map_or("{}", RawValue::get);
        match serde_json::from_str(params) {
            Ok(params) => Some((params, reply)),
            Err(error) => {
                let message = format!("The parameters of {method} are wrong: {error}.");
                reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
                None
            }
        }
    }

    fn finish(self) {
        if let Some(reply) = self.reply {
            let message = format!("This server does not offer {}.", self.method);
            reply.err(RpcError::new(RpcError::METHOD_NOT_FOUND, message));
        }
    }
}
