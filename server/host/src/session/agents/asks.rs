//! Questions of an agent: put to the user by the root, in the agent's name.

use protocol::permission::PermissionRequestParams;

use super::Member;
use crate::session::Session;
use crate::session::ask::{Purpose, request_id};

/// What an agent's session hands to the root.
pub enum Bubble {
    Ask {
        params: Box<PermissionRequestParams>,
        purpose: Purpose,
    },
    /// The question of this id, and those that belong to it, are of no use any more.
    Withdraw {
        request_id: String,
    },
}

impl Session {
    /// An agent's question goes to the root; any other is given back.
    pub(in crate::session) fn ask_root(
        &self,
        params: PermissionRequestParams,
        purpose: Purpose,
    ) -> Option<(PermissionRequestParams, Purpose)> {
        let Some(member) = &self.agents.member else { return Some((params, purpose)) };
        let params = Box::new(as_the_roots(params, self.agents.root(), member));
        self.agents.family.bubble(Bubble::Ask { params, purpose });
        None
    }

    /// The same for a question that is withdrawn, by the id that this session knows it by.
    pub(in crate::session) fn withdraw_at_root(&self, own: &str) {
        if self.agents.member.is_some() {
            let request_id = request_id(self.agents.root(), own);
            self.agents.family.bubble(Bubble::Withdraw { request_id });
        }
    }

    pub(super) fn take_bubbles(&mut self) {
        for bubble in self.agents.family.take_bubbles() {
            match bubble {
                Bubble::Ask { mut params, purpose } => {
                    let running = self.running.as_ref();
                    params.turn_id = running.map(|running| running.turn.id().to_owned());
                    self.on_ask(*params, purpose);
                }
                Bubble::Withdraw { request_id } => self.withdraw_with(&request_id),
            }
        }
    }
}

/// The id names the root, so that an answer finds the way, and then the agent's own.
fn as_the_roots(
    mut params: PermissionRequestParams,
    root: &str,
    member: &Member,
) -> PermissionRequestParams {
    params.request_id = request_id(root, &params.request_id);
    root.clone_into(&mut params.session_id);
    params.title = format!("{}: {}", member.called, params.title);
    params.agent = Some(member.called.clone());
    if let Some(call) = &mut params.tool_call {
        call.tool_call_id = member.outer(&call.tool_call_id);
        call.parent_tool_call_id = Some(member.call.clone());
    }
    params
}
