//! What a hook says, with its exit code and its output, or in a JSON object of its own.
//!
//! Code 0 lets its words count, and code 2 is a no where there is something to say no to; JSON cannot
//! take that no back. With any other code only JSON counts. What begins like JSON and is not the
//! JSON we know is a hook that broke down.

use std::borrow::Cow;

use extend::hooks::{HookEvent, OnTwo};
use policy::Redactor;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a process, a server or a tool gave back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Printed {
    pub(super) code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
}

impl Printed {
    pub(super) fn words(stdout: String) -> Printed {
        Printed { code: 0, stdout, stderr: String::new() }
    }
}

/// What a hook decides about a call, a question or a change, the mildest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::session) enum Decision {
    Allow,
    Ask,
    /// Somebody else is to decide later.
    Defer,
    Deny,
}

/// What one hook says; nothing at all is fine, too.
#[derive(Clone, Debug, Default, PartialEq)]
pub(in crate::session) struct Said {
    pub(in crate::session) decision: Option<(Decision, String)>,
    /// A no, or words for the model where there is nothing left to say no to.
    pub(in crate::session) blocked: Option<String>,
    /// Everything should end here, with this as its reason.
    pub(in crate::session) stop: Option<String>,
    /// For the user.
    pub(in crate::session) notice: Option<String>,
    /// For the model.
    pub(in crate::session) context: Option<String>,
    /// It goes on in the background, for so many milliseconds at most.
    pub(in crate::session) detached: Option<Option<u64>>,
    pub(in crate::session) more: Specific,
}

impl Said {
    /// A secret that a hook came across is shown neither to the model nor to the user. What becomes
    /// part of a call stays as it is.
    pub(super) fn without_secrets(mut self, redactor: &Redactor) -> Said {
        let reason = self.decision.as_mut().map(|(_, reason)| reason);
        let texts = [&mut self.blocked, &mut self.stop, &mut self.notice, &mut self.context];
        for text in texts.into_iter().filter_map(Option::as_mut).chain(reason) {
            if let Cow::Owned(redacted) = redactor.redact(text) {
                *text = redacted;
            }
        }
        self
    }
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Output {
    r#continue: Option<bool>,
    stop_reason: Option<String>,
    system_message: Option<String>,
    /// The older way of saying it.
    decision: Option<Older>,
    reason: Option<String>,
    r#async: Option<bool>,
    async_timeout: Option<u64>,
    hook_specific_output: Option<Specific>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Older {
    #[serde(alias = "allow")]
    Approve,
    #[serde(alias = "deny")]
    Block,
    Ask,
}

/// What only some events have.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(in crate::session) struct Specific {
    hook_event_name: Option<String>,
    permission_decision: Option<Decision>,
    permission_decision_reason: Option<String>,
    additional_context: Option<String>,
    decision: Option<Behaviour>,
    pub(in crate::session) updated_input: Option<Map<String, Value>>,
    /// Only in the answer to a question about a call.
    #[serde(skip)]
    pub(in crate::session) updated_permissions: Option<Vec<Value>>,
    pub(in crate::session) updated_tool_output: Option<Value>,
    #[serde(rename = "updatedMCPToolOutput")]
    pub(in crate::session) updated_mcp_tool_output: Option<Value>,
    pub(in crate::session) session_title: Option<String>,
    pub(in crate::session) suppress_original_prompt: Option<bool>,
    pub(in crate::session) initial_user_message: Option<String>,
    pub(in crate::session) watch_paths: Option<Vec<String>>,
    pub(in crate::session) reload_skills: Option<bool>,
    pub(in crate::session) retry: Option<bool>,
    pub(in crate::session) action: Option<Action>,
    pub(in crate::session) content: Option<Map<String, Value>>,
    pub(in crate::session) worktree_path: Option<String>,
    pub(in crate::session) display_content: Option<String>,
}

/// The answer to what a server wants to know, in the user's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::session) enum Action {
    Accept,
    Decline,
    Cancel,
}

/// The answer to a question about a call, in the user's place.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "behavior", rename_all = "lowercase", rename_all_fields = "camelCase")]
enum Behaviour {
    Allow { updated_input: Option<Map<String, Value>>, updated_permissions: Option<Vec<Value>> },
    Deny { message: Option<String>, interrupt: Option<bool> },
}

/// The error ends a sentence that begins with the hook's name.
pub(super) fn read(event: HookEvent, printed: &Printed) -> Result<Said, String> {
    let stdout = printed.stdout.trim();
    let json = stdout.starts_with('{');
    match printed.code {
        0 if json => parse(event, stdout),
        0 => Ok(words(event, stdout)),
        2 => Ok(refusal(event, printed)),
        // A path that could not be made is no path.
        code if event == HookEvent::WorktreeCreate => Err(ended(code, &printed.stderr)),
        code if json => parse(event, stdout).map_err(|_| ended(code, &printed.stderr)),
        code => Err(ended(code, &printed.stderr)),
    }
}

fn ended(code: i32, stderr: &str) -> String {
    let line = stderr.trim().lines().next_back().unwrap_or_default();
    let said = if line.is_empty() { String::new() } else { format!(" ({line})") };
    format!("ended with exit code {code}{said}")
}

/// Plain words: for the model where the event says so, else for nobody.
fn words(event: HookEvent, stdout: &str) -> Said {
    let mut said = Said::default();
    if stdout.is_empty() {
        return said;
    }
    if event.words_are_context() {
        said.context = Some(stdout.to_owned());
    }
    if event == HookEvent::WorktreeCreate {
        said.more.worktree_path = stdout.lines().next_back().map(str::to_owned);
    }
    said
}

/// A no by exit code. What the hook printed can say why, but cannot take the no back.
fn refusal(event: HookEvent, printed: &Printed) -> Said {
    let stdout = printed.stdout.trim();
    let parsed = if stdout.starts_with('{') { parse(event, stdout).ok() } else { None };
    let mut said = parsed.unwrap_or_default();
    let reason = said.blocked.take().or_else(|| said.decision.take().map(|(_, reason)| reason));
    let written = printed.stderr.trim();
    let reason = if written.is_empty() { reason.unwrap_or_default() } else { written.to_owned() };
    said.more.updated_input = None;
    match event.on_two() {
        OnTwo::TellsUser => said.notice = said.notice.or(Some(reason)).filter(|it| !it.is_empty()),
        OnTwo::Blocks | OnTwo::TellsModel => said.blocked = Some(reason),
    }
    said
}

/// A JSON object that is somebody's answer.
pub(super) fn parse(event: HookEvent, json: &str) -> Result<Said, String> {
    let output: Output = serde_json::from_str(json)
        .map_err(|error| format!("printed JSON that cannot be understood: {error}"))?;
    let mut more = output.hook_specific_output.unwrap_or_default();
    if let Some(name) = more.hook_event_name.take().filter(|name| name != event.name()) {
        return Err(format!("answered about {name}, but was asked about {}", event.name()));
    }
    let mut said = Said {
        notice: output.system_message,
        context: more.additional_context.take(),
        detached: (output.r#async == Some(true)).then_some(output.async_timeout),
        ..Said::default()
    };
    if output.r#continue == Some(false) {
        said.stop = Some(output.stop_reason.unwrap_or_else(stopped));
    }
    let reason = output.reason.unwrap_or_default();
    match event {
        HookEvent::PreToolUse | HookEvent::PreModelSwitch => {
            let why = more.permission_decision_reason.take();
            let newer = more.permission_decision.take();
            let newer = newer.map(|decision| (decision, why.unwrap_or_else(|| reason.clone())));
            let older = || output.decision.map(|older| (older.decision(), reason.clone()));
            said.decision = newer.or_else(older);
        }
        HookEvent::PermissionRequest => match more.decision.take() {
            Some(Behaviour::Allow { updated_input, updated_permissions }) => {
                said.decision = Some((Decision::Allow, String::new()));
                more.updated_input = updated_input;
                more.updated_permissions = updated_permissions;
            }
            Some(Behaviour::Deny { message, interrupt }) => {
                if interrupt == Some(true) {
                    said.stop = Some(message.clone().unwrap_or_else(stopped));
                }
                said.decision = Some((Decision::Deny, message.unwrap_or_default()));
            }
            None => said.decision = output.decision.map(|older| (older.decision(), reason)),
        },
        _ if output.decision == Some(Older::Block) => said.blocked = Some(reason),
        _ => {}
    }
    said.more = more;
    Ok(said)
}

impl Older {
    fn decision(self) -> Decision {
        match self {
            Older::Approve => Decision::Allow,
            Older::Block => Decision::Deny,
            Older::Ask => Decision::Ask,
        }
    }
}

fn stopped() -> String {
    "a hook asked for it.".to_owned()
}

#[cfg(test)]
mod tests;
