//! Hooks in the head of a skill or an agent: the same shape as in settings, without places.

use std::path::PathBuf;

use policy::Source;
use serde_json::{Value, json};

use super::{HookEvent, HookHandler, HookSetting};
use crate::hash;

/// Whose head it is.
#[derive(Clone, Debug)]
pub struct WrittenBy {
    pub source: Source,
    /// For people, such as `the skill release`.
    pub of: String,
    pub file: PathBuf,
    /// An agent's `Stop` is about the agent, not about the session it works for.
    pub is_agent: bool,
}

/// All hooks of a head. The error says, as a sentence, what cannot be read: then none of them is
/// used, and neither should be what they belong to, because one may have been a guard.
pub fn written(hooks: &Value, by: &WrittenBy) -> Result<Vec<HookSetting>, String> {
    let wrong = |what: &str| format!("The hooks of {} cannot be used: {what}.", by.of);
    let events = hooks.as_object().ok_or_else(|| wrong("`hooks` must be an object of events"))?;
    let mut found = Vec::new();
    for (name, groups) in events {
        let groups = groups.as_array();
        let groups = groups.ok_or_else(|| wrong(&format!("`{name}` must be a list")))?;
        for group in groups {
            let matcher = match group.get("matcher") {
                None | Some(Value::Null) => None,
                Some(Value::String(matcher)) => Some(matcher.clone()),
                Some(_) => return Err(wrong(&format!("a matcher of `{name}` is no string"))),
            };
            let matcher = matcher.filter(|matcher| !matcher.is_empty() && matcher != "*");
            let handlers = group.get("hooks").and_then(Value::as_array);
            let handlers =
                handlers.ok_or_else(|| wrong(&format!("`{name}` needs a list `hooks`")))?;
            for definition in handlers {
                let handler = HookHandler::read(definition.clone());
                let handler =
                    handler.map_err(|what| wrong(&format!("a hook of `{name}` {what}")))?;
                found.push(setting(name, matcher.clone(), handler, by));
            }
        }
    }
    Ok(found)
}

fn setting(
    name: &str,
    matcher: Option<String>,
    handler: HookHandler,
    by: &WrittenBy,
) -> HookSetting {
    let event = match HookEvent::parse(name) {
        Some(HookEvent::Stop) if by.is_agent => Some(HookEvent::SubagentStop),
        event => event,
    };
    let hash = hash::of("hook", &json!([name, matcher, handler.definition, []]));
    HookSetting {
        event,
        event_name: event.map_or_else(|| name.to_owned(), |event| event.name().to_owned()),
        matcher,
        handler,
        env: std::collections::BTreeMap::new(),
        source: by.source,
        of: Some(by.of.clone()),
        file: by.file.clone(),
        line: 1,
        hash,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by(is_agent: bool) -> WrittenBy {
        let (source, of) = (Source::User, "the skill s".to_owned());
        WrittenBy { source, of, file: "SKILL.md".into(), is_agent }
    }

    #[test]
    fn heads_are_read() {
        let hooks = json!({
            "PreToolUse": [{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "a" }] }],
            "Stop": [{ "matcher": "*", "hooks": [{ "type": "command", "command": "b" }] }],
        });
        let found = written(&hooks, &by(false)).unwrap();
        assert_eq!(found[0].matcher.as_deref(), Some("Bash"));
        assert_eq!((found[1].event, &found[1].matcher), (Some(HookEvent::Stop), &None));
        let found = written(&hooks, &by(true)).unwrap();
        assert_eq!(found[1].event, Some(HookEvent::SubagentStop));
        for (wrong, expect) in [
            (json!([]), "an object of events"),
            (json!({ "Stop": {} }), "`Stop` must be a list"),
            (json!({ "Stop": [{}] }), "needs a list `hooks`"),
            (json!({ "Stop": [{ "hooks": [{ "type": "command" }] }] }), "needs a `command`"),
        ] {
            let problem = written(&wrong, &by(false)).unwrap_err();
            assert!(problem.contains(expect) && problem.contains("the skill s"), "{problem}");
        }
    }
}
