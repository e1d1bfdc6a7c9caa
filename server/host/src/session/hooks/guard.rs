//! Hooks that look at a call before it runs (`PreToolUse`), or before the user is asked about it
//! (`PermissionRequest`), as guards of the pipeline, which hears them and knows what they may change.
//! `TaskCreated` and `TaskCompleted` are guards, too: of the calls that do so.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use extend::hooks::HookEvent;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::{Rule, Verdict};
use protocol::permission::{PermissionRulesParams, RuleBehavior, RuleOp, RuleScope};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tools::{Guard, Guarded, Guards, Moment, Opinion, Ruling};

use super::output::{Decision, Said};
use super::{Hook, Hooks};
use crate::core::Reply;
use crate::session::Msg;

/// More rules than this in one answer are a mistake.
const MOST_RULES: usize = 20;
/// Fields that name files; a hook gets whole paths.
const PATHS: [&str; 3] = ["file_path", "notebook_path", "path"];

struct HookGuard {
    hooks: Hooks,
    hook: Arc<Hook>,
    name: String,
}

impl Hooks {
    /// Those that stand in the way of calls, in the order of their sources.
    pub(super) fn guards(&self) -> Guards {
        use HookEvent::{PermissionRequest, PreToolUse, TaskCompleted, TaskCreated};
        let set = self.set();
        let events = [PreToolUse, PermissionRequest, TaskCreated, TaskCompleted];
        let hooks = events.iter().filter_map(|event| set.by_event.get(event)).flatten();
        let guard = |hook: &Arc<Hook>| {
            let (hooks, name) = (self.clone(), hook.name());
            Arc::new(HookGuard { hooks, hook: hook.clone(), name }) as Arc<dyn Guard>
        };
        hooks.map(guard).collect()
    }
}

impl Guard for HookGuard {
    fn name(&self) -> &str {
        &self.name
    }

    fn watches(&self, moment: Moment, call: &Guarded<'_>) -> bool {
        let (name, input) = (call.call.name.as_str(), &call.call.input);
        let here = match self.hook.event {
            HookEvent::PreToolUse => moment == Moment::BeforeCall,
            HookEvent::PermissionRequest => moment == Moment::BeforeAsk,
            HookEvent::TaskCreated => moment == Moment::BeforeCall && name == "TaskCreate",
            HookEvent::TaskCompleted => {
                let completes = input.get("status").is_some_and(|status| status == "completed");
                moment == Moment::BeforeCall && name == "TaskUpdate" && completes
            }
            _ => false,
        };
        here && self.hook.wants(Some(name), &|rule| call.falls_under(rule))
    }

    /// A little more than the hook has, which then ends by itself.
    fn deadline(&self) -> Duration {
        self.hook.timeout + Duration::from_secs(10)
    }

    fn judge<'a>(
        &'a self,
        _: Moment,
        call: &'a Guarded<'a>,
    ) -> BoxFuture<'a, Result<Opinion, String>> {
        async move {
            let (event, id) = (self.hook.event, call.call.id.as_str());
            let fields = self.fields(call);
            let input = Arc::new(self.hooks.0.around.input(event, fields));
            match self.hooks.run_one(&self.hook, &input, Some(id), None).await {
                Ok(mut said) => {
                    self.keep_rules(said.more.updated_permissions.take()).await;
                    if matches!(said.decision, Some((Decision::Defer, _))) {
                        self.hooks.defer(id);
                    }
                    Ok(opinion(said))
                }
                Err(wrong) if self.hook.failure_blocks => Err(wrong),
                Err(wrong) => {
                    let wrong = wrong.trim_end_matches('.');
                    let notice = Some(format!("{} {wrong}.", self.hook.sentence()));
                    Ok(Opinion { notice, ..Opinion::default() })
                }
            }
        }
        .boxed()
    }
}

impl HookGuard {
    fn fields(&self, guarded: &Guarded<'_>) -> Value {
        let call = guarded.call;
        match self.hook.event {
            HookEvent::TaskCreated | HookEvent::TaskCompleted => self.task_fields(&call.input),
            event => {
                let mut fields = json!({
                    "tool_name": call.name,
                    "tool_input": whole_paths(&call.input, guarded),
                    "tool_use_id": call.id,
                });
                if let Some(server) = mcp_server(&call.name) {
                    fields["mcp_server"] = json!({ "name": server });
                }
                if event == HookEvent::PermissionRequest {
                    fields["permission_suggestions"] = suggestions(guarded.suggestions);
                }
                fields
            }
        }
    }

    /// Rules that come along with a yes hold for the session, wherever the hook wanted them: it may
    /// answer for the user here, and has no say in their files.
    async fn keep_rules(&self, updates: Option<Vec<Value>>) {
        for (behavior, rule) in updates.iter().flatten().flat_map(added_rules).take(MOST_RULES) {
            let params = PermissionRulesParams {
                op: RuleOp::Add,
                rule: Some(rule),
                behavior: Some(behavior),
                scope: Some(RuleScope::Session),
                session_id: None,
            };
            let (done, kept) = oneshot::channel();
            let reply = Reply::new(move |result| drop(done.send(result)));
            let _ = self.hooks.0.around.own.send(Msg::Rules { params, reply }).await;
            if let Ok(Err(error)) = kept.await {
                tracing::warn!(hook = self.name, error = error.message, "its rule is not kept");
            }
        }
    }

    fn task_fields(&self, input: &Value) -> Value {
        let text = |key: &str| input.get(key).and_then(Value::as_str);
        let board = self.hooks.0.around.state.board();
        let id = text("taskId").map_or_else(|| board.next_id(), str::to_owned);
        let (subject, description) = board.about(&id).unwrap_or_default();
        let mut fields = json!({
            "task_id": id,
            "task_subject": text("subject").unwrap_or(subject),
        });
        let description = text("description").unwrap_or(description);
        if !description.is_empty() {
            fields["task_description"] = json!(description);
        }
        fields
    }
}

/// The rules that a change of permissions adds: what each says, and the rule.
fn added_rules(update: &Value) -> Vec<(RuleBehavior, String)> {
    if update["type"] != "addRules" {
        return Vec::new();
    }
    let behavior = RuleBehavior::from(update["behavior"].as_str().unwrap_or("allow"));
    let rule = |rule: &Value| {
        let tool = rule["toolName"].as_str()?;
        Some(match rule["ruleContent"].as_str() {
            Some(content) => format!("{tool}({content})"),
            None => tool.to_owned(),
        })
    };
    let rules = update["rules"].as_array().into_iter().flatten().filter_map(rule);
    rules.map(|rule| (behavior.clone(), rule)).collect()
}

/// The server of a tool that is an MCP server's.
pub(super) fn mcp_server(tool: &str) -> Option<&str> {
    tool.strip_prefix("mcp__")?.split("__").next()
}

fn opinion(said: Said) -> Opinion {
    let Said { decision, blocked, stop, notice, context, more, .. } = said;
    let ruling = match (blocked, decision) {
        (Some(reason), _) => Some(Ruling { verdict: Verdict::Deny, reason }),
        (None, Some((decision, reason))) => {
            let verdict = match decision {
                Decision::Allow => Verdict::Allow,
                // The user is asked now; where there is none, the turn ends until there is.
                Decision::Ask | Decision::Defer => Verdict::Ask,
                Decision::Deny => Verdict::Deny,
            };
            Some(Ruling { verdict, reason })
        }
        (None, None) => None,
    };
    let input = more.updated_input.map(Value::Object);
    Opinion { ruling, input, context, notice, stop }
}

fn suggestions(rules: &[Rule]) -> Value {
    let rules: Vec<Value> = rules
        .iter()
        .map(|rule| match rule.spec() {
            Some(spec) => json!({ "toolName": rule.tool(), "ruleContent": spec }),
            None => json!({ "toolName": rule.tool() }),
        })
        .collect();
    if rules.is_empty() {
        return json!([]);
    }
    let (kind, behavior, destination) = ("addRules", "allow", "session");
    json!([{ "type": kind, "rules": rules, "behavior": behavior, "destination": destination }])
}

fn whole_paths(input: &Value, guarded: &Guarded<'_>) -> Value {
    with_whole_paths(input, |path| {
        let below_home = path.strip_prefix("~/").zip(guarded.home);
        below_home.map_or_else(|| guarded.cwd.join(path), |(rest, home)| home.join(rest))
    })
}

/// A hook need not know where relative paths begin.
pub(super) fn with_whole_paths(input: &Value, whole: impl Fn(&str) -> PathBuf) -> Value {
    let mut input = input.clone();
    for name in PATHS {
        if let Some(Value::String(path)) = input.get_mut(name) {
            *path = whole(path).display().to_string();
        }
    }
    input
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::turn::ToolCall;
    use policy::Mode;
    use std::path::Path;

    #[test]
    fn paths_are_whole_and_rules_are_spelled_out() {
        let input = json!({ "file_path": "a.txt", "path": "~/b", "content": "./c" });
        let call = ToolCall { id: "c1".into(), name: "Write".into(), input };
        let guarded = Guarded {
            call: &call,
            cwd: Path::new("/w"),
            home: Some(Path::new("/home/u")),
            mode: Mode::AcceptEdits,
            subjects: &[],
            suggestions: &[],
        };
        let expect = json!({ "file_path": "/w/a.txt", "path": "/home/u/b", "content": "./c" });
        assert_eq!(whole_paths(&call.input, &guarded), expect);
        let rules = ["Edit(/w/**)".parse().unwrap(), "Write".parse().unwrap()];
        let expect =
            json!([{ "toolName": "Edit", "ruleContent": "/w/**" }, { "toolName": "Write" }]);
        assert_eq!(suggestions(&rules)[0]["rules"], expect);
        assert_eq!(suggestions(&[]), json!([]));
        assert_eq!(mcp_server("mcp__git__log"), Some("git"));
        assert_eq!(mcp_server("Bash"), None);
    }

    #[test]
    fn the_words_of_a_hook_as_an_opinion() {
        let said = |decision: Decision| Said {
            decision: Some((decision, "r".to_owned())),
            ..Said::default()
        };
        let verdict = |said: Said| opinion(said).ruling.map(|ruling| ruling.verdict);
        assert_eq!(verdict(said(Decision::Allow)), Some(Verdict::Allow));
        assert_eq!(verdict(said(Decision::Ask)), Some(Verdict::Ask));
        assert_eq!(verdict(said(Decision::Defer)), Some(Verdict::Ask));
        assert_eq!(verdict(said(Decision::Deny)), Some(Verdict::Deny));
        let blocked = Said { blocked: Some("no".to_owned()), ..said(Decision::Allow) };
        assert_eq!(verdict(blocked), Some(Verdict::Deny));
        assert_eq!(opinion(Said::default()), Opinion::default());
    }
}
