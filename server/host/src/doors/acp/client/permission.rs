//! `session/request_permission`: a question of ours with its options. Where none is chosen, the
//! answer is no.

use std::time::Duration;

use protocol::permission::{
    EditSubject, OptionKind, OptionScope, PermissionAnswer, PermissionOption as OurOption,
    PermissionRequestParams, Subject,
};

use crate::core::RpcError;
use crate::doors::acp::content;
use crate::doors::acp::peer::Peer;
use crate::doors::acp::schema::{
    PermissionOption, PermissionOptionKind, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use crate::doors::acp::updates::kind;

/// The session gives up sooner.
const ANSWER_WITHIN: Duration = Duration::from_secs(2 * 60 * 60);

pub(super) async fn ask(
    peer: &Peer,
    params: PermissionRequestParams,
) -> Result<Option<PermissionAnswer>, RpcError> {
    let options = params.options.iter().map(option).collect();
    let (session, is_about_a_call) = (params.session_id.clone(), is_about_the_call(&params));
    let call = if is_about_a_call { of_call(&params) } else { of_its_own(peer, &params) };
    let id = call.tool_call_id.clone();
    let request = RequestPermissionRequest::new(session.clone(), call, options);
    let asked = peer.door.ask("session/request_permission", &request);
    let answer = asked.answer::<RequestPermissionResponse>(ANSWER_WITHIN).await;
    if !is_about_a_call {
        let fields = ToolCallUpdateFields::new().status(ToolCallStatus::Completed);
        peer.update(&session, SessionUpdate::ToolCallUpdate(ToolCallUpdate::new(id, fields)));
    }
    Ok(match answer?.outcome {
        RequestPermissionOutcome::Selected(selected) => Some(PermissionAnswer {
            option_id: selected.option_id.0.to_string(),
            edited_input: None,
            feedback: None,
        }),
        _ => None,
    })
}

fn option(option: &OurOption) -> PermissionOption {
    let kind = match (&option.kind, &option.scope) {
        (OptionKind::Allow, OptionScope::Once) => PermissionOptionKind::AllowOnce,
        (OptionKind::Allow, _) => PermissionOptionKind::AllowAlways,
        (_, OptionScope::Once) => PermissionOptionKind::RejectOnce,
        _ => PermissionOptionKind::RejectAlways,
    };
    PermissionOption::new(option.id.clone(), &option.label, kind)
}

/// A host that a running command wants to reach is another question than the command itself.
fn is_about_the_call(params: &PermissionRequestParams) -> bool {
    params.tool_call.is_some() && !matches!(params.subject, Subject::Host(_))
}

/// The call was told before; what it is about to do is told with the question.
fn of_call(params: &PermissionRequestParams) -> ToolCallUpdate {
    let call = params.tool_call.as_ref();
    let mut fields = ToolCallUpdateFields::new()
        .title(params.title.trim_end_matches('?').to_owned())
        .status(ToolCallStatus::Pending);
    fields.kind = call.map(|call| kind(&call.kind));
    fields.raw_input = call.and_then(|call| call.input.clone());
    fields.content = Some(content(params));
    let id = call.map(|call| call.tool_call_id.clone()).unwrap_or_default();
    ToolCallUpdate::new(id, fields)
}

/// A question that no call asks gets one that stands for it.
fn of_its_own(peer: &Peer, params: &PermissionRequestParams) -> ToolCallUpdate {
    let call = ToolCall::new(params.request_id.clone(), &params.title)
        .kind(ToolKind::Other)
        .status(ToolCallStatus::Pending)
        .content(content(params));
    peer.update(&params.session_id, SessionUpdate::ToolCall(call.clone()));
    call.into()
}

fn content(params: &PermissionRequestParams) -> Vec<ToolCallContent> {
    let detail = match &params.subject {
        Subject::Edit(edit) => return changes(edit),
        Subject::Command(command) => content::fenced(&command.command),
        Subject::Plan(plan) => plan.text.clone(),
        Subject::Fetch(fetch) => fetch.url.clone(),
        Subject::Read(read) => content::path(&read.uri).display().to_string(),
        Subject::Host(host) => format!("{}:{}", host.host, host.port),
        Subject::Trust(trust) => trust.what.join("\n"),
        Subject::Mcp(mcp) => format!("{} of {}", mcp.tool, mcp.server),
        Subject::Mode(_) | Subject::Unknown(_) => String::new(),
    };
    let words = [params.reason.as_str(), &detail].map(str::trim);
    let words: Vec<_> = words.into_iter().filter(|words| !words.is_empty()).collect();
    vec![content::text(words.join("\n\n")).into()]
}

fn changes(edit: &EditSubject) -> Vec<ToolCallContent> {
    let first = content::change(&edit.uri, edit.old_text.as_ref(), edit.new_text.as_ref());
    let others = edit.others.iter().flatten().map(content::of_file);
    std::iter::once(first).chain(others).collect()
}
