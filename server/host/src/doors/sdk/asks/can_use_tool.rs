//! `can_use_tool`: may this call run?

use std::sync::Arc;

use protocol::permission::{
    OptionKind, OptionScope, PermissionAnswer, PermissionOption, PermissionRequestParams, Subject,
};
use protocol::session::{SessionCancel, SessionCancelParams};
use serde_json::{Value, json};

use super::super::shared::{Mark, Shared};
use super::{give, permission_update};

/// What hosts call the question for a host that a command wants to reach.
const NETWORK: &str = "SandboxNetworkAccess";

/// Nothing for what only a person at this machine decides: trust in a folder, and the mode that asks
/// nothing.
pub(super) fn request(params: &PermissionRequestParams) -> Option<Value> {
    let (tool, input) = match (&params.subject, &params.tool_call) {
        (Subject::Trust(_) | Subject::Mode(_), _) => return None,
        (Subject::Host(host), _) => {
            (NETWORK.to_owned(), json!({ "host": host.host, "port": host.port }))
        }
        (_, Some(call)) => (call.name.clone(), call.input.clone().unwrap_or_else(|| json!({}))),
        _ => return None,
    };
    let input = match &params.subject {
        Subject::Plan(plan) => with(input, "plan", plan.text.clone()),
        _ => input,
    };
    let mut request = json!({
        "subtype": "can_use_tool",
        "tool_name": tool,
        "display_name": tool,
        "input": input,
        "tool_use_id": params.tool_call.as_ref().map(|call| call.tool_call_id.as_str()),
        "permission_suggestions": permission_update::suggested(params),
        "decision_reason": params.reason,
        "title": params.title,
        "description": params.reason,
    });
    if let Subject::Read(read) = &params.subject {
        request["blocked_path"] = path(&read.uri).into();
    }
    let call = params.tool_call.as_ref().filter(|call| call.parent_tool_call_id.is_some());
    if let Some((agent, _)) = call.and_then(|call| call.tool_call_id.split_once(':')) {
        request["agent_id"] = agent.into();
    }
    Some(request)
}

fn with(mut input: Value, key: &str, value: String) -> Value {
    if input.get(key).is_none() {
        input[key] = value.into();
    }
    input
}

fn path(uri: &str) -> String {
    let path = workspace::DocumentUri::new(uri).to_path();
    path.map_or_else(|| uri.to_owned(), |path| path.display().to_string())
}

pub(super) async fn answered(
    shared: &Arc<Shared>,
    id: &str,
    params: &PermissionRequestParams,
    answer: Result<Value, String>,
) {
    let answer = answer.unwrap_or_else(|problem| json!({ "behavior": "deny", "message": problem }));
    if answer["behavior"] != "allow" {
        let call = params.tool_call.as_ref().map(|call| call.tool_call_id.clone());
        shared.mark(Mark::Denied { call: call.unwrap_or_default() });
        give(shared, id, &denial(params, &answer));
        if answer["interrupt"] == json!(true) {
            stop(shared).await;
        }
        return;
    }
    let updates = answer["updatedPermissions"].as_array().cloned().unwrap_or_default();
    let option = chosen(params, &updates);
    for update in &updates {
        if let Err(problem) = permission_update::apply(shared, update).await {
            tracing::warn!(problem, "a change of permissions by the host was not made");
        }
    }
    let asked = params.tool_call.as_ref().and_then(|call| call.input.clone());
    let edited = Some(&answer["updatedInput"]).filter(|input| input.is_object());
    let edited = edited.filter(|input| Some(*input) != asked.as_ref()).cloned();
    // What was only shown with the question is no part of the input.
    let edited = edited.filter(|_| !matches!(params.subject, Subject::Plan(_) | Subject::Host(_)));
    give(shared, id, &PermissionAnswer { option_id: option, edited_input: edited, feedback: None });
}

fn denial(params: &PermissionRequestParams, answer: &Value) -> PermissionAnswer {
    let deny = params.options.iter().find(|option| option.kind == OptionKind::Deny);
    let message = answer["message"].as_str().filter(|message| !message.trim().is_empty());
    PermissionAnswer {
        option_id: deny.map(|option| option.id.clone()).unwrap_or_default(),
        edited_input: None,
        feedback: message.map(str::to_owned),
    }
}

/// A yes for this once: what else holds from now on, the host says itself. A plan may be carried out
/// without further questions about files.
fn chosen(params: &PermissionRequestParams, updates: &[Value]) -> String {
    let wants = |mode: &str| updates.iter().any(|it| it["type"] == "setMode" && it["mode"] == mode);
    let named = |id: &str| params.options.iter().find(|option| option.id == id);
    let edits = named("allow_edits").filter(|_| wants("acceptEdits"));
    let auto = named("allow_auto").filter(|_| wants("auto"));
    let once = |option: &&PermissionOption| {
        option.kind == OptionKind::Allow && option.scope == OptionScope::Once
    };
    let chosen = edits.or(auto).or_else(|| params.options.iter().find(once));
    chosen.map(|option| option.id.clone()).unwrap_or_default()
}

async fn stop(shared: &Shared) {
    let params = SessionCancelParams {
        session_id: shared.session().to_owned(),
        turn_id: None,
        tool_call_id: None,
        task_id: None,
    };
    let _ = shared.ask::<SessionCancel>(&params).await;
}
