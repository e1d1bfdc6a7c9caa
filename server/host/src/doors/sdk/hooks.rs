//! Hooks that the host keeps: named in `initialize`, asked by `hook_callback`.

use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::asks::HOOK_CALLBACK;
use crate::core::Door;
use crate::session::{HookHost, HostedCall, HostedHooks, HostedMatcher};

/// Each hook has a deadline of its own, and nobody waits longer than this.
const ANSWER_WITHIN: Duration = Duration::from_secs(24 * 60 * 60);

struct HostHooks {
    door: Arc<Door>,
    matchers: Vec<HostedMatcher>,
}

impl HookHost for HostHooks {
    fn registered(&self) -> Vec<HostedMatcher> {
        self.matchers.clone()
    }

    fn call(&self, call: HostedCall) -> BoxFuture<'static, Result<Value, String>> {
        let door = self.door.clone();
        async move {
            let question = json!({
                "callback_id": call.callback,
                "input": call.input,
                "tool_use_id": call.tool_use_id,
            });
            let asked = door.ask(HOOK_CALLBACK, &question);
            asked.answer::<Value>(ANSWER_WITHIN).await.map_err(|error| error.message)
        }
        .boxed()
    }
}

pub(super) fn hosted(door: &Arc<Door>, matchers: Vec<HostedMatcher>) -> HostedHooks {
    HostedHooks(Arc::new(HostHooks { door: door.clone(), matchers }))
}

/// `{Event: [{matcher?, hookCallbackIds, timeout?, onFailure?}]}`. The error is a sentence for the host.
pub(super) fn read(hooks: &Value) -> Result<Vec<HostedMatcher>, String> {
    let Value::Object(events) = hooks else {
        return match hooks {
            Value::Null => Ok(Vec::new()),
            _ => Err("`hooks` is an object of events.".to_owned()),
        };
    };
    let mut all = Vec::new();
    for (event, matchers) in events {
        for matcher in matchers.as_array().into_iter().flatten() {
            let callbacks = matcher["hookCallbackIds"].as_array().into_iter().flatten();
            let timeout = match &matcher["timeout"] {
                Value::Null => None,
                seconds => {
                    let timeout = seconds.as_f64().filter(|seconds| *seconds > 0.0);
                    let timeout = timeout.and_then(|it| Duration::try_from_secs_f64(it).ok());
                    Some(timeout.ok_or_else(|| {
                        format!("The timeout of a hook of {event} is no number of seconds.")
                    })?)
                }
            };
            all.push(HostedMatcher {
                event: event.clone(),
                matcher: matcher["matcher"].as_str().map(str::to_owned),
                callbacks: callbacks.filter_map(Value::as_str).map(str::to_owned).collect(),
                timeout,
                // Whatever is not a clear "go on" is meant to be safe.
                failure_blocks: matcher["onFailure"].as_str().map(|what| what != "continue"),
            });
        }
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_host_registers() {
        let hooks = json!({
            "PreToolUse": [
                { "matcher": "Bash", "hookCallbackIds": ["hook_0", "hook_1"], "timeout": 1.5 },
                { "matcher": null, "hookCallbackIds": ["hook_2"], "onFailure": "block" },
            ],
        });
        let [bash, all] = &read(&hooks).unwrap()[..] else { panic!() };
        assert_eq!(bash.matcher.as_deref(), Some("Bash"));
        assert_eq!(bash.callbacks, ["hook_0", "hook_1"]);
        assert_eq!(bash.timeout, Some(Duration::from_millis(1500)));
        assert_eq!((all.matcher.as_ref(), all.failure_blocks), (None, Some(true)));
        assert!(read(&Value::Null).unwrap().is_empty());
        assert!(read(&json!([])).is_err());
        assert!(read(&json!({ "Stop": [{ "timeout": "soon" }] })).is_err());
    }
}
