//! Putting a question to one client, in the way it understands.

use std::sync::Arc;
use std::time::Duration;

use protocol::Request as _;
use protocol::permission::{
    OptionKind, OptionScope, PermissionAnswer, PermissionOption, PermissionRequest,
    PermissionRequestParams, Subject,
};
use serde::{Deserialize, Serialize};
use workspace::DocumentUri;

use super::card;
use crate::core::{CoreHandle, Door, RpcError, diff_page, page_name, show_page};

const MESSAGE_REQUEST: &str = "window/showMessageRequest";

/// Long enough for lunch; nobody is asked for ever.
const ANSWER_WITHIN: Duration = Duration::from_secs(60 * 60);
const MESSAGE_WARNING: u8 = 2;
/// A message box cannot scroll.
const MESSAGE_CAP: usize = 1_500;

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

pub(super) async fn question(
    core: &CoreHandle,
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
    let (message, whole) = message(params);
    // Trust approves what is shown, so all of it must be.
    let is_trust = matches!(params.subject, Subject::Trust(_));
    let fits = |option: &&PermissionOption| {
        fits_a_box(option) && (whole || !is_trust || option.kind == OptionKind::Deny)
    };
    let offered: Vec<&PermissionOption> = params.options.iter().filter(fits).collect();
    let card = card::card(params, &message, &offered);
    let by_action = profile.edits_after_actions && matches!(params.subject, Subject::Edit(_));
    if by_action || !profile.message_request || door.is_unknown(MESSAGE_REQUEST) {
        return card::alone(core, door, card).await;
    }
    let message = ShowMessageRequest {
        r#type: MESSAGE_WARNING,
        message: in_sight(core, door, params, message).await,
        actions: offered
            .iter()
            .map(|option| MessageAction { title: option.label.clone() })
            .collect(),
    };
    let answer = door.ask(MESSAGE_REQUEST, &message).answer::<Option<MessageAction>>(ANSWER_WITHIN);
    tokio::pin!(answer);
    let chosen = match tokio::time::timeout(card::UNANSWERED, &mut answer).await {
        Ok(Err(error)) if error.code == RpcError::METHOD_NOT_FOUND => {
            card::alone(core, door, card).await?
        }
        Ok(chosen) => chosen?,
        Err(_) => card::wait(core, door, card, answer).await?,
    };
    let option =
        chosen.and_then(|chosen| offered.into_iter().find(|option| option.label == chosen.title));
    Ok(option.map(|option| PermissionAnswer {
        option_id: option.id.clone(),
        edited_input: None,
        feedback: None,
    }))
}

/// The part of a message that the editor has room for. A change that does not fit is shown beside.
async fn in_sight(
    core: &CoreHandle,
    door: &Arc<Door>,
    params: &PermissionRequestParams,
    message: String,
) -> String {
    let most = door.profile().message_lines.unwrap_or(usize::MAX);
    let lines = message.lines().count();
    if lines <= most {
        return message;
    }
    let Subject::Edit(edit) = &params.subject else { return message };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let uri = DocumentUri::new(&edit.uri);
    let page = diff_page(&uri, &text(&edit.old_text), &text(&edit.new_text));
    let asked = door.clone();
    core.go_on(move |state| show_page(state, &asked, &page_name(&uri), page, false)).await;
    let shown = message.lines().take(most).collect::<Vec<_>>().join("\n");
    format!("{shown}\n… ({} more lines, shown beside)", lines - most)
}

/// A box with buttons for something that is no permission. Nothing where it was closed.
pub(in crate::session) async fn message_box(
    door: &Arc<Door>,
    text: &str,
    buttons: &[&str],
) -> Option<String> {
    let text = policy::visible(text);
    let message = ShowMessageRequest {
        r#type: MESSAGE_WARNING,
        message: text[..text.floor_char_boundary(MESSAGE_CAP)].to_owned(),
        actions: buttons.iter().map(|title| MessageAction { title: (*title).to_owned() }).collect(),
    };
    let asked = door.ask(MESSAGE_REQUEST, &message);
    let chosen: Option<MessageAction> = asked.answer(ANSWER_WITHIN).await.ok().flatten();
    chosen.map(|action| action.title)
}

/// A message box has room for few buttons: a turn is nearly a session, and a rule for everywhere
/// deserves more thought than a box gives.
fn fits_a_box(option: &PermissionOption) -> bool {
    option.rule.is_none() || !matches!(option.scope, OptionScope::Turn | OptionScope::User)
}

/// What the box says, with nothing hidden in it, and whether that is all of it.
fn message(params: &PermissionRequestParams) -> (String, bool) {
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
        Subject::Trust(trust) => trust.what.join("\n"),
        Subject::Plan(plan) => plan.text.clone(),
        Subject::Fetch(fetch) => fetch.url.clone(),
        Subject::Mcp(call) => {
            let input = serde_json::to_string_pretty(&call.input).unwrap_or_default();
            format!("{} of the MCP server {}\n{input}", call.tool, call.server)
        }
        _ => String::new(),
    };
    let message = format!("{}\n{}\n{detail}", params.title, params.reason);
    let lines = message.lines().map(|line| policy::visible(line));
    let mut message = lines.collect::<Vec<_>>().join("\n");
    if message.len() <= MESSAGE_CAP {
        return (message, true);
    }
    let left_out = message.len() - MESSAGE_CAP;
    message.truncate(message.floor_char_boundary(MESSAGE_CAP));
    message.push_str(&format!("… ({left_out} more bytes: look at them in a terminal first)"));
    (message, false)
}
