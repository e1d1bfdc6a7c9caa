//! Hooks that look at a call when it is over: `PostToolUse`, `PostToolUseFailure`, and
//! `PermissionDenied` where the mode auto said no.

use agent::ResultPart;
use agent::turn::ToolCall;
use extend::hooks::HookEvent;
use serde_json::{Map, Value, json};
use tools::{Amended, CallReport, CallStatus, EndedCall};

use super::guard::{mcp_server, with_whole_paths};
use super::news::{HeardNews, HookNews};
use super::{Heard, Hooks, Then};
use crate::session::{Msg, Session};

/// The hooks, as a gate of the pipeline holds them.
#[derive(Clone)]
pub(in crate::session) struct AfterCalls(pub(in crate::session) Hooks);

impl AfterCalls {
    pub(in crate::session) fn wanted(&self) -> bool {
        use HookEvent::{PermissionDenied, PostToolUse, PostToolUseFailure};
        [PostToolUse, PostToolUseFailure, PermissionDenied].iter().any(|event| self.0.any(*event))
    }

    pub(in crate::session) async fn ended(&self, ended: EndedCall<'_>) -> Amended {
        let event = match ended.report.status {
            CallStatus::Completed => HookEvent::PostToolUse,
            CallStatus::Failed | CallStatus::Cancelled => HookEvent::PostToolUseFailure,
            CallStatus::Denied if ended.report.checked_away => HookEvent::PermissionDenied,
            CallStatus::Denied => return Amended::default(),
        };
        let hooks = &self.0;
        let (name, id) = (ended.call.name.as_str(), ended.call.id.as_str());
        let due = hooks.due(event, Some(name), &|rule| ended.falls_under(rule));
        if due.is_empty() {
            return Amended::default();
        }
        let response = response(name, &ended.call.input, ended.report);
        let fields = fields(event, &ended, &response);
        if ended.report.status == CallStatus::Cancelled {
            // Whoever stopped the call does not wait.
            let (hooks, id) = (hooks.clone(), id.to_owned());
            tokio::spawn(async move {
                let heard = hooks.run_all(event, due, fields, Some(&id)).await;
                hooks.tell(event, heard).await;
            });
            return Amended::default();
        }
        let mut heard = hooks.run_all(event, due, fields, Some(id)).await;
        let amended = amended(event, &mut heard, name, &response);
        heard.context.clear();
        heard.blocked = None;
        hooks.tell(event, heard).await;
        amended
    }
}

impl Session {
    /// What came of a call, for those who look at all calls of an answer.
    pub(in crate::session) fn note_batch(&mut self, id: &str, name: &str, report: &CallReport) {
        let batch = self.running.as_mut().map(|running| &mut running.batch);
        let mut calls = batch.into_iter().flatten();
        if let Some(call) = calls.find(|call| call["tool_use_id"] == id) {
            let answer = response(name, &call["tool_input"], report);
            call["tool_response"] = answer;
        }
    }
}

impl Hooks {
    /// A call that begins, for those who look at all calls of an answer.
    pub(in crate::session) fn batch_entry(&self, call: &ToolCall) -> Option<Value> {
        let ToolCall { id, name, input } = call;
        let entry = || json!({ "tool_name": name, "tool_input": input, "tool_use_id": id });
        self.any(HookEvent::PostToolBatch).then(entry)
    }

    /// The rest is for the user.
    async fn tell(&self, event: HookEvent, heard: Heard) {
        if heard.notices.is_empty() && heard.failures.is_empty() {
            return;
        }
        let heard = HeardNews { event, heard, then: Then::Tell };
        let news = HookNews::Heard(Box::new(heard));
        let _ = self.0.around.own.send(Msg::Hook(Box::new(news))).await;
    }
}

fn amended(event: HookEvent, heard: &mut Heard, name: &str, response: &Value) -> Amended {
    let mut context = std::mem::take(&mut heard.context);
    if let Some(reason) = heard.blocked.take().filter(|reason| !reason.trim().is_empty()) {
        context.push(format!("A hook that looked at this result says: {reason}"));
    }
    if event == HookEvent::PermissionDenied && heard.more.retry == Some(true) {
        context.push("A hook says that you may try this call again.".to_owned());
    }
    let more = &mut heard.more;
    let of_server = more.updated_mcp_tool_output.take().filter(|_| mcp_server(name).is_some());
    let updated = of_server.or_else(|| more.updated_tool_output.take());
    let text = match updated.filter(|_| event == HookEvent::PostToolUse) {
        None => None,
        Some(updated) => match text_of(&updated, response) {
            Some(text) => Some(text),
            None => {
                let wrong = format!(
                    "A hook wanted to change a result of {name} to something of another shape; the \
                     result stays as it is."
                );
                heard.failures.push(wrong);
                None
            }
        },
    };
    Amended { text, context, stop: heard.stop.take() }
}

/// The text of a result that a hook wrote anew: of the shape that it was shown, or plain text.
fn text_of(updated: &Value, shown: &Value) -> Option<String> {
    match (updated, shown) {
        (Value::String(text), _) => Some(text.clone()),
        (Value::Object(updated), Value::Object(shown)) => {
            let same = |(name, value): (&String, &Value)| {
                shown.get(name).is_some_and(|shown| {
                    std::mem::discriminant(shown) == std::mem::discriminant(value)
                })
            };
            if !updated.iter().all(same) {
                return None;
            }
            let text = |key: &str| updated.get(key).and_then(Value::as_str);
            let joined = |parts: &Vec<Value>| {
                let texts = parts.iter().filter_map(|part| part.get("text")?.as_str());
                texts.collect::<Vec<_>>().join("\n")
            };
            let content = updated.get("content").and_then(Value::as_array).map(joined);
            text("stdout").map(str::to_owned).or(content)
        }
        _ => None,
    }
}

fn fields(event: HookEvent, ended: &EndedCall<'_>, response: &Value) -> Value {
    let whole = |path: &str| {
        let below_home = path.strip_prefix("~/").zip(ended.home);
        below_home.map_or_else(|| ended.cwd.join(path), |(rest, home)| home.join(rest))
    };
    let mut fields = json!({
        "tool_name": ended.call.name,
        "tool_input": with_whole_paths(&ended.call.input, whole),
        "tool_use_id": ended.call.id,
    });
    let duration = u64::try_from(ended.duration.as_millis()).unwrap_or(u64::MAX);
    match event {
        HookEvent::PostToolUse => {
            fields["tool_response"] = response.clone();
            fields["duration_ms"] = json!(duration);
        }
        HookEvent::PostToolUseFailure => {
            fields["error"] = json!(text(ended.report));
            fields["is_interrupt"] = json!(ended.report.status == CallStatus::Cancelled);
            fields["duration_ms"] = json!(duration);
        }
        _ => fields["reason"] = json!(text(ended.report)),
    }
    if let Some(server) = mcp_server(&ended.call.name) {
        fields["mcp_server"] = json!({ "name": server });
    }
    fields
}

/// What a call gave, in the shapes that hooks of other agents look for.
pub(in crate::session) fn response(name: &str, input: &Value, report: &CallReport) -> Value {
    let text = text(report);
    match name {
        "Bash" => json!({
            "stdout": text,
            "stderr": "",
            "exitCode": report.exit_code.unwrap_or(0),
            "interrupted": report.status == CallStatus::Cancelled,
            "isImage": false,
        }),
        _ => {
            let mut response = Map::new();
            if let Some(path) = input.get("file_path") {
                response.insert("filePath".to_owned(), path.clone());
            }
            let success = report.status == CallStatus::Completed;
            response.insert("success".to_owned(), json!(success));
            response.insert("content".to_owned(), json!([{ "type": "text", "text": text }]));
            Value::Object(response)
        }
    }
}

fn text(report: &CallReport) -> String {
    let texts = report.outcome.content.iter().filter_map(|part| match part {
        ResultPart::Text { text } if !tools::is_reminder(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_may_be_rewritten_in_its_own_shape() {
        let bash = json!({ "stdout": "a", "stderr": "", "exitCode": 0 });
        let other = json!({ "success": true, "content": [{ "type": "text", "text": "a" }] });
        let check = |updated: Value, shown: &Value, expect: Option<&str>| {
            assert_eq!(text_of(&updated, shown).as_deref(), expect, "{updated}");
        };
        check(json!("plain"), &bash, Some("plain"));
        check(json!({ "stdout": "b" }), &bash, Some("b"));
        check(json!({ "stdout": 1 }), &bash, None);
        check(json!({ "output": "b" }), &bash, None);
        check(json!({ "content": [{ "type": "text", "text": "b" }] }), &other, Some("b"));
        check(json!([1]), &other, None);
    }
}
