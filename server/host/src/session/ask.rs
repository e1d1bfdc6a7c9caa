//! Questions to the user: put to every door that can show one, answered by the first.

use std::sync::Arc;
use std::time::Duration;

use policy::{Behavior, Entry, Rule, Source};
use protocol::Request as _;
use protocol::event::Severity;
use protocol::permission::{
    CommandSubject, EditSubject, OptionKind, OptionScope, PermissionAnswer, PermissionOption,
    PermissionRequest, PermissionRequestParams, PermissionRespondParams, ReadSubject,
    RequestResolved, RequestResolvedParams, ResolvedBy, Subject,
};
use protocol::session::SessionStatus;
use protocol::tool::ToolCall;
use protocol::{Empty, Notification as _};
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tools::{Answer, Preview, Proposal};

use super::{Msg, Session, blocks, events};
use crate::core::{Door, DoorId, Reply, RpcError};

/// Long enough for lunch; nobody is asked for ever.
const ANSWER_WITHIN: Duration = Duration::from_secs(60 * 60);

pub(super) struct PendingAsk {
    pub(super) params: PermissionRequestParams,
    answer: oneshot::Sender<Answer>,
    /// Those who were asked and have not answered; dropping the task withdraws the request.
    asked: Vec<(DoorId, AbortHandle)>,
}

/// What the pipeline wants to know, as a prompt can show it.
pub(super) fn permission_request(
    session_id: &str,
    turn_id: &str,
    proposal: &Proposal<'_>,
) -> PermissionRequestParams {
    let call = proposal.call;
    let subject = match proposal.preview {
        Preview::Command { command, cwd } => Subject::Command(CommandSubject {
            command: command.clone(),
            cwd: cwd.display().to_string(),
            parts: None,
            sandbox: None,
        }),
        Preview::Edit { path, version, old, new, others } => Subject::Edit(EditSubject {
            uri: blocks::uri(path),
            version: *version,
            old_text: old.clone(),
            new_text: Some(new.clone()),
            others: (!others.is_empty()).then(|| others.iter().map(blocks::file_diff).collect()),
            target: None,
        }),
        Preview::Read { path } => {
            Subject::Read(ReadSubject { uri: blocks::uri(path), target: None })
        }
        Preview::None => Subject::Command(CommandSubject {
            command: format!("{} {}", call.name, call.input),
            cwd: String::new(),
            parts: None,
            sandbox: None,
        }),
    };
    PermissionRequestParams {
        request_id: request_id(session_id, &call.id),
        session_id: session_id.to_owned(),
        turn_id: Some(turn_id.to_owned()),
        tool_call: Some(ToolCall {
            tool_call_id: call.id.clone(),
            name: call.name.clone(),
            kind: events::tool_kind(Some(proposal.kind)),
            input: Some(call.input.clone()),
            parent_tool_call_id: None,
        }),
        title: format!("{}?", proposal.title),
        reason: proposal.decision.reason.clone(),
        subject,
        options: options(&proposal.decision.suggestions),
        editable: Some(true),
    }
}

/// Names its session, so that an answer from elsewhere finds the way.
fn request_id(session_id: &str, call_id: &str) -> String {
    format!("ask:{session_id}:{call_id}")
}

const ALLOW_ONCE: &str = "allow_once";
const ALLOW_SESSION: &str = "allow_session";
const DENY: &str = "deny_once";

fn options(suggestions: &[Rule]) -> Vec<PermissionOption> {
    let option = |id: &str, label: String, kind, scope, rule| PermissionOption {
        id: id.to_owned(),
        label,
        kind,
        scope,
        rule,
    };
    let once = OptionScope::Once;
    let mut options =
        vec![option(ALLOW_ONCE, "Allow once".to_owned(), OptionKind::Allow, once.clone(), None)];
    if !suggestions.is_empty() {
        let rules = suggestions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        let label = format!("Allow {rules} in this session");
        let scope = OptionScope::Session;
        options.push(option(ALLOW_SESSION, label, OptionKind::Allow, scope, Some(rules)));
    }
    options.push(option(DENY, "Deny".to_owned(), OptionKind::Deny, once, None));
    options
}

/// `window/showMessageRequest`, for editors without our extension.
#[derive(Serialize)]
struct ShowMessageRequest {
    r#type: u8,
    message: String,
    actions: Vec<MessageAction>,
}

#[derive(Serialize, Deserialize)]
struct MessageAction {
    title: String,
}

const MESSAGE_WARNING: u8 = 2;
/// A message box cannot scroll.
const MESSAGE_CAP: usize = 1_500;

impl Session {
    pub(super) fn on_ask(
        &mut self,
        params: PermissionRequestParams,
        answer: oneshot::Sender<Answer>,
    ) {
        let request_id = params.request_id.clone();
        let askable = |door: &&Arc<Door>| {
            let profile = door.profile();
            profile.agent.permission == Some(true) || profile.message_request
        };
        let doors: Vec<_> = self.doors.iter().filter(askable).cloned().collect();
        if doors.is_empty() {
            let reason = format!(
                "{} Nobody is here to be asked, so it was denied; allow it beforehand by a rule \
                 (--allowedTools) or another mode (--permission-mode).",
                params.reason
            );
            let _ = answer.send(Answer::Deny { reason, feedback: None });
            return;
        }
        let asked = doors.iter().map(|door| (door.id, self.put_question(door, &params))).collect();
        self.asks.insert(request_id, PendingAsk { params, answer, asked });
        self.set_status(SessionStatus::Waiting);
    }

    fn put_question(&self, door: &Arc<Door>, params: &PermissionRequestParams) -> AbortHandle {
        let (own, door, params) = (self.own.clone(), door.clone(), params.clone());
        let task = tokio::spawn(async move {
            let answer = question(&door, &params).await;
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
        let Some(pending) = self.asks.get_mut(request_id) else { return };
        pending.asked.retain(|(asked, _)| *asked != door);
        match answer {
            Ok(answer) => self.resolve(request_id, answer, Some(door)),
            Err(error) => {
                tracing::debug!(%error, "a client could not show a question");
                if pending.asked.is_empty() {
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
        reply.ok(&Empty {});
    }

    fn resolve(&mut self, request_id: &str, answer: Option<PermissionAnswer>, by: Option<DoorId>) {
        let Some(pending) = self.asks.remove(request_id) else { return };
        let answer = self.understand(&pending.params, answer);
        self.close_prompts(&pending, ResolvedBy::Client, by);
        let _ = pending.answer.send(answer);
        self.after_ask();
    }

    /// Only an option that was offered, and that allows, is a yes.
    fn understand(
        &mut self,
        params: &PermissionRequestParams,
        answer: Option<PermissionAnswer>,
    ) -> Answer {
        let (option_id, edited_input, feedback) = match answer {
            Some(answer) => (answer.option_id, answer.edited_input, answer.feedback),
            None => (DENY.to_owned(), None, None),
        };
        let option = params.options.iter().find(|option| option.id == option_id);
        match option {
            Some(option) if option.kind == OptionKind::Allow => {
                let mut reason = "allowed once by the user".to_owned();
                if let (OptionScope::Session, Some(rules)) = (&option.scope, &option.rule) {
                    self.grant(rules);
                    reason = format!("{rules} allowed by the user for this session");
                }
                Answer::Allow { reason, edited_input }
            }
            _ => Answer::Deny { reason: "the user said no.".to_owned(), feedback },
        }
    }

    fn grant(&mut self, rules: &str) {
        match Rule::parse_list(rules) {
            Ok(rules) => self.state.update_permissions(|permissions| {
                for rule in rules {
                    let (behavior, source) = (Behavior::Allow, Source::Session);
                    permissions.rules.add(Entry { behavior, rule, source });
                }
            }),
            Err(error) => self.notice(Severity::Warning, format!("The rule was not kept: {error}")),
        }
    }

    /// The call that asked is gone.
    pub(super) fn withdraw(&mut self, request_id: &str) {
        if let Some(pending) = self.asks.remove(request_id) {
            self.close_prompts(&pending, ResolvedBy::Cancelled, None);
            let _ = pending.answer.send(Answer::Cancelled);
            self.after_ask();
        }
    }

    pub(super) fn withdraw_asks_of(&mut self, call_id: &str) {
        self.withdraw(&request_id(&self.id, call_id));
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
            if pending.asked.is_empty() {
                left.push(request_id.clone());
            }
        }
        for request_id in left {
            self.resolve(&request_id, None, None);
        }
    }

    fn after_ask(&mut self) {
        if self.asks.is_empty() && self.running.is_some() {
            self.set_status(SessionStatus::Running);
        }
    }
}

/// Asks one client, in the way it understands.
async fn question(
    door: &Arc<Door>,
    params: &PermissionRequestParams,
) -> Result<Option<PermissionAnswer>, RpcError> {
    let profile = door.profile();
    if profile.agent.permission == Some(true) && !door.is_unknown(PermissionRequest::METHOD) {
        let answer = door.ask(PermissionRequest::METHOD, params).answer(ANSWER_WITHIN).await;
        match answer {
            Err(error) if error.code == RpcError::METHOD_NOT_FOUND && profile.message_request => {}
            answer => return answer,
        }
    }
    let message = ShowMessageRequest {
        r#type: MESSAGE_WARNING,
        message: message(params),
        actions: params
            .options
            .iter()
            .map(|option| MessageAction { title: option.label.clone() })
            .collect(),
    };
    let asked = door.ask("window/showMessageRequest", &message);
    let chosen: Option<MessageAction> = asked.answer(ANSWER_WITHIN).await?;
    let option =
        chosen.and_then(|chosen| params.options.iter().find(|option| option.label == chosen.title));
    Ok(option.map(|option| PermissionAnswer {
        option_id: option.id.clone(),
        edited_input: None,
        feedback: None,
    }))
}

fn message(params: &PermissionRequestParams) -> String {
    let detail = match &params.subject {
        Subject::Command(command) => command.command.clone(),
        Subject::Edit(edit) => {
            let unified = |old: &Option<String>, new: &Option<String>| {
                text::unified(
                    old.as_deref().unwrap_or_default(),
                    new.as_deref().unwrap_or_default(),
                    2,
                )
            };
            let mut detail = unified(&edit.old_text, &edit.new_text);
            for other in edit.others.iter().flatten() {
                let change = unified(&other.old_text, &other.new_text);
                detail.push_str(&format!("\n{}\n{change}", other.uri));
            }
            detail
        }
        _ => String::new(),
    };
    let mut message = format!("{}\n{}\n{detail}", params.title, params.reason);
    if message.len() > MESSAGE_CAP {
        message.truncate(message.floor_char_boundary(MESSAGE_CAP));
        message.push('…');
    }
    message
}
