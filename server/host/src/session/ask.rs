//! Questions to the user: put to every door that can show one, answered by the first.

mod card;
mod options;
mod proposal;
mod question;
mod request;

use std::sync::Arc;

use policy::Host;
use protocol::Notification as _;
use protocol::permission::{
    OptionKind, OptionScope, PermissionAnswer, PermissionOption, PermissionRequestParams,
    PermissionRespondParams, RequestResolved, RequestResolvedParams, ResolvedBy, Subject,
};
use protocol::session::SessionStatus;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tools::Answer;

use super::plan::Then;
use super::{Msg, Session};
use crate::core::{Door, DoorId, Reply, RpcError};
use options::{ACCEPT_EDITS, AUTO, DENY};
pub(super) use options::{
    Keeps, for_host as host_options, for_mode as mode_options, for_trust as trust_options,
};
pub(super) use question::message_box;
use question::question;
pub(super) use request::{Asker, permission_request, request_id};

/// What the model reads when the session goes on.
const PUT_OFF: &str = "A hook put this call off until somebody has decided about it. When the session goes \
                       on, that has happened: make the same call again, first of all.";
/// What a plan comes to where nobody can approve it.
const ONLY_A_PLAN: &str = "The plan cannot be approved here: give it as your answer.";

pub(super) struct PendingAsk {
    pub(super) params: PermissionRequestParams,
    purpose: Purpose,
    /// Those who were asked and have not answered; dropping the task withdraws the request.
    asked: Vec<(DoorId, AbortHandle)>,
}

/// Who waits for the answer.
pub enum Purpose {
    /// A call in the pipeline.
    Call(oneshot::Sender<Answer>),
    /// A connection of a command in the sandbox; the error says why not.
    Host { host: Host, port: u16, answer: oneshot::Sender<Result<(), String>> },
    /// The session itself: may the folder set policy and run these things?
    Trust { hashes: Vec<String> },
    /// May the session be in the mode that asks nothing?
    Bypass,
}

/// What the user chose.
pub(super) struct Chosen {
    option: Option<PermissionOption>,
    edited_input: Option<serde_json::Value>,
    feedback: Option<String>,
}

impl Chosen {
    /// How long the yes holds; `None` for a no.
    pub(super) fn scope(&self) -> Option<&OptionScope> {
        self.option.as_ref().map(|option| &option.scope)
    }
}

impl Session {
    pub(super) fn on_ask(&mut self, params: PermissionRequestParams, purpose: Purpose) {
        let Some((params, purpose)) = self.ask_root(params, purpose) else { return };
        let request_id = params.request_id.clone();
        let doors: Vec<_> = self.doors.iter().filter(|door| can_ask(door)).cloned().collect();
        if doors.is_empty() {
            let call = params.tool_call.as_ref().map(|call| call.tool_call_id.as_str());
            if call.is_some_and(|call| self.hooks.is_deferred(call)) {
                return purpose.put_off();
            }
            let is_plan = matches!(params.subject, Subject::Plan(_));
            return purpose.nobody_there(if is_plan { ONLY_A_PLAN } else { &params.reason });
        }
        self.fire_notification("permission_prompt", &params.reason);
        let asked = doors.iter().map(|door| (door.id, self.put_question(door, &params))).collect();
        self.asks.insert(request_id, PendingAsk { params, purpose, asked });
        if self.running.is_some() {
            self.set_status(SessionStatus::Waiting);
        }
    }

    pub(super) fn somebody_can_be_asked(&self) -> bool {
        self.doors.iter().any(can_ask)
    }

    fn put_question(&self, door: &Arc<Door>, params: &PermissionRequestParams) -> AbortHandle {
        let (own, door, params) = (self.own.clone(), door.clone(), params.clone());
        let core = self.core.clone();
        let task = tokio::spawn(async move {
            let answer = {
                let (shown, answer) =
                    (proposal::show(&door, &params), question(&core, &door, &params));
                tokio::pin!(shown, answer);
                // The change first: some editors show nothing more while they ask.
                tokio::select! {
                    biased;
                    () = &mut shown => answer.await,
                    answer = &mut answer => answer,
                }
            };
            let asked = Msg::Asked { request_id: params.request_id, door: door.id, answer };
            let _ = own.send(asked).await;
        });
        task.abort_handle()
    }

    /// A door answered. An error counts as a no only when nobody else is left to ask.
    pub(super) fn on_asked(
        &mut self,
        request_id: &str,
        door: DoorId,
        answer: Result<Option<PermissionAnswer>, RpcError>,
    ) {
        // Who has joined since was told what is asked, and may answer.
        let others = self.doors.iter().any(|other| other.id != door && can_ask(other));
        let Some(pending) = self.asks.get_mut(request_id) else { return };
        pending.asked.retain(|(asked, _)| *asked != door);
        match answer {
            Ok(answer) => self.resolve(request_id, answer, Some(door)),
            Err(error) => {
                tracing::debug!(%error, "a client could not show a question");
                if pending.asked.is_empty() && !others {
                    self.resolve(request_id, None, Some(door));
                }
            }
        }
    }

    pub(super) fn on_respond(&mut self, params: PermissionRespondParams, reply: Reply) {
        let PermissionRespondParams { request_id, option_id, edited_input, feedback } = params;
        if !self.asks.contains_key(&request_id) {
            return reply.err(RpcError::failed(format!("{request_id} was answered already.")));
        }
        self.resolve(
            &request_id,
            Some(PermissionAnswer { option_id, edited_input, feedback }),
            None,
        );
        reply.ok(&protocol::Empty {});
    }

    fn resolve(&mut self, request_id: &str, answer: Option<PermissionAnswer>, by: Option<DoorId>) {
        let Some(pending) = self.asks.remove(request_id) else { return };
        self.close_prompts(&pending, ResolvedBy::Client, by);
        let PendingAsk { params, purpose, .. } = pending;
        let chosen = chosen(&params, answer);
        match purpose {
            Purpose::Call(waiting) => {
                let _ = waiting.send(self.on_call_chosen(chosen));
            }
            Purpose::Host { host, port, answer } => {
                let _ = answer.send(self.on_host_chosen(&host, port, &chosen));
            }
            Purpose::Trust { hashes } => self.on_trust_chosen(chosen.option.is_some(), hashes),
            Purpose::Bypass => self.on_bypass_chosen(chosen.option.is_some()),
        }
        self.after_ask();
    }

    fn on_call_chosen(&mut self, chosen: Chosen) -> Answer {
        let Chosen { option, edited_input, feedback } = chosen;
        let Some(option) = option else {
            return Answer::Deny { reason: "the user said no.".to_owned(), feedback };
        };
        self.planning.then = match option.id.as_str() {
            ACCEPT_EDITS => Then::AcceptEdits,
            AUTO => Then::Auto,
            _ => Then::Ask,
        };
        let reason = match option.rule {
            Some(rules) if option.scope != OptionScope::Once => {
                self.grant(&rules, &option.scope);
                self.settle_by_rule(&rules);
                format!("{rules} allowed by the user for this {}", option.scope)
            }
            _ => "allowed once by the user".to_owned(),
        };
        Answer::Allow { reason, edited_input }
    }

    /// Other questions to which the same rules would have been the answer.
    fn settle_by_rule(&mut self, rules: &str) {
        let same = |pending: &PendingAsk| {
            matches!(pending.purpose, Purpose::Call(_))
                && pending.params.options.iter().any(|option| option.rule.as_deref() == Some(rules))
        };
        let settled = self.asks.extract_if(.., |_, pending| same(pending)).collect::<Vec<_>>();
        for (_, pending) in settled {
            self.close_prompts(&pending, ResolvedBy::Rule, None);
            if let Purpose::Call(waiting) = pending.purpose {
                let reason = format!("{rules} was allowed meanwhile");
                let _ = waiting.send(Answer::Allow { reason, edited_input: None });
            }
        }
    }

    /// The call that asked is gone.
    pub(super) fn withdraw(&mut self, request_id: &str) {
        self.withdraw_at_root(request_id);
        if let Some(pending) = self.asks.remove(request_id) {
            self.close_prompts(&pending, ResolvedBy::Cancelled, None);
            pending.purpose.cancelled();
            self.after_ask();
        }
    }

    /// Its own question, and those of its command about hosts.
    pub(super) fn withdraw_asks_of(&mut self, call_id: &str) {
        let own = request_id(&self.id, call_id);
        self.withdraw_at_root(&own);
        self.withdraw_with(&own);
    }

    /// The question of this id, and those whose ids begin with it.
    pub(super) fn withdraw_with(&mut self, own: &str) {
        let of_hosts = format!("{own}:");
        let asks = self.asks.keys().filter(|id| *id == own || id.starts_with(&of_hosts));
        for request_id in asks.cloned().collect::<Vec<_>>() {
            self.withdraw(&request_id);
        }
    }

    fn close_prompts(&self, pending: &PendingAsk, by: ResolvedBy, answered: Option<DoorId>) {
        for (_, task) in &pending.asked {
            task.abort();
        }
        let request_id = pending.params.request_id.clone();
        let params = RequestResolvedParams { request_id, by };
        for door in &self.doors {
            if Some(door.id) != answered && door.profile().agent.permission == Some(true) {
                door.notify(RequestResolved::METHOD, &params);
            }
        }
    }

    pub(super) fn forget_door_in_asks(&mut self, door: DoorId) {
        let mut left = Vec::new();
        for (request_id, pending) in &mut self.asks {
            pending.asked.retain(|(asked, task)| {
                if *asked == door {
                    task.abort();
                }
                *asked != door
            });
            if pending.asked.is_empty() && !self.doors.iter().any(can_ask) {
                left.push(request_id.clone());
            }
        }
        for request_id in left {
            self.resolve(&request_id, None, None);
        }
    }

    pub(super) fn after_ask(&mut self) {
        if self.asks.is_empty() && self.questions.is_empty() && self.running.is_some() {
            self.set_status(SessionStatus::Running);
        }
    }
}

impl Purpose {
    /// Nobody is there to be asked, and so the answer is no.
    fn nobody_there(self, why_asked: &str) {
        let reason = format!(
            "{why_asked} Nobody is here to be asked, so it was denied; allow it beforehand by a rule \
             (--allowedTools) or another mode (--permission-mode)."
        );
        match self {
            Purpose::Call(waiting) => {
                let _ = waiting.send(Answer::Deny { reason, feedback: None });
            }
            Purpose::Host { answer, .. } => {
                let _ = answer.send(Err(reason));
            }
            Purpose::Trust { .. } | Purpose::Bypass => {}
        }
    }

    /// A hook left the decision to somebody who is not here yet.
    fn put_off(self) {
        if let Purpose::Call(waiting) = self {
            let reason = PUT_OFF.to_owned();
            let _ = waiting.send(Answer::Deny { reason, feedback: None });
        }
    }

    fn cancelled(self) {
        match self {
            Purpose::Call(waiting) => {
                let _ = waiting.send(Answer::Cancelled);
            }
            Purpose::Host { answer, .. } => {
                let _ = answer.send(Err("The question was withdrawn.".to_owned()));
            }
            Purpose::Trust { .. } | Purpose::Bypass => {}
        }
    }
}

fn can_ask(door: &Arc<Door>) -> bool {
    let profile = door.profile();
    profile.agent.permission == Some(true) || profile.message_request || profile.cards
}

/// Only an option that was offered, and that allows, is a yes.
fn chosen(params: &PermissionRequestParams, answer: Option<PermissionAnswer>) -> Chosen {
    let (option_id, edited_input, feedback) = match answer {
        Some(answer) => (answer.option_id, answer.edited_input, answer.feedback),
        None => (DENY.to_owned(), None, None),
    };
    let allows =
        |option: &&PermissionOption| option.id == option_id && option.kind == OptionKind::Allow;
    let option = params.options.iter().find(allows).cloned();
    Chosen { option, edited_input, feedback }
}
