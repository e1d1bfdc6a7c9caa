//! What a hook is told, as JSON on its standard input.

use std::path::{Path, PathBuf};

use policy::Rule;
use serde_json::{Value, json};
use tools::{Guarded, Moment};

use super::answer::event;

/// Fields that name files; a hook gets whole paths.
const PATHS: [&str; 3] = ["file_path", "notebook_path", "path"];

pub(super) fn text(
    session: &str,
    transcript: Option<&Path>,
    moment: Moment,
    guarded: &Guarded<'_>,
) -> String {
    let call = guarded.call;
    let mut input = json!({
        "session_id": session,
        "transcript_path": transcript.map(|path| path.display().to_string()).unwrap_or_default(),
        "cwd": guarded.cwd.display().to_string(),
        "permission_mode": guarded.mode.name(),
        "hook_event_name": event(moment),
        "tool_name": call.name,
        "tool_input": with_whole_paths(&call.input, guarded),
        "tool_use_id": call.id,
    });
    if moment == Moment::BeforeAsk {
        let rules: Vec<Value> = guarded.suggestions.iter().map(rule).collect();
        input["permission_suggestions"] = if rules.is_empty() {
            json!([])
        } else {
            let (kind, behavior, destination) = ("addRules", "allow", "session");
            json!([{ "type": kind, "rules": rules, "behavior": behavior, "destination": destination }])
        };
    }
    input.to_string()
}

fn rule(rule: &Rule) -> Value {
    match rule.spec() {
        Some(spec) => json!({ "toolName": rule.tool(), "ruleContent": spec }),
        None => json!({ "toolName": rule.tool() }),
    }
}

fn with_whole_paths(input: &Value, guarded: &Guarded<'_>) -> Value {
    let mut input = input.clone();
    for name in PATHS {
        if let Some(Value::String(path)) = input.get_mut(name) {
            *path = whole(path, guarded).display().to_string();
        }
    }
    input
}

fn whole(path: &str, guarded: &Guarded<'_>) -> PathBuf {
    let below_home = path.strip_prefix("~/").zip(guarded.home);
    below_home.map_or_else(|| guarded.cwd.join(path), |(rest, home)| home.join(rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use agent::turn::ToolCall;
    use policy::Mode;

    #[test]
    fn both_events() {
        let input = json!({ "file_path": "a.txt", "path": "~/b", "content": "./c" });
        let call = ToolCall { id: "c1".into(), name: "Write".into(), input };
        let suggestions = ["Edit(/w/**)".parse().unwrap(), "Write".parse().unwrap()];
        let guarded = Guarded {
            call: &call,
            cwd: Path::new("/w"),
            home: Some(Path::new("/home/u")),
            mode: Mode::AcceptEdits,
            subjects: &[],
            suggestions: &suggestions,
        };
        let text = |moment| text("s1", Some(Path::new("/j.jsonl")), moment, &guarded);
        let told: Value = serde_json::from_str(&text(Moment::BeforeCall)).unwrap();
        let expect = json!({
            "session_id": "s1", "transcript_path": "/j.jsonl", "cwd": "/w",
            "permission_mode": "acceptEdits", "hook_event_name": "PreToolUse",
            "tool_name": "Write", "tool_use_id": "c1",
            "tool_input": { "file_path": "/w/a.txt", "path": "/home/u/b", "content": "./c" },
        });
        assert_eq!(told, expect);
        let told: Value = serde_json::from_str(&text(Moment::BeforeAsk)).unwrap();
        assert_eq!(told["hook_event_name"], "PermissionRequest");
        let rules =
            json!([{ "toolName": "Edit", "ruleContent": "/w/**" }, { "toolName": "Write" }]);
        assert_eq!(told["permission_suggestions"][0]["rules"], rules);
    }
}
