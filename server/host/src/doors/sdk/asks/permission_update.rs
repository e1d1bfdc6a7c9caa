//! Changes of permissions: those that are suggested with a question, and those that come with a yes.

use protocol::permission::{
    OptionScope, PermissionRequestParams, PermissionRules, PermissionRulesParams, RuleBehavior,
    RuleOp, RuleScope, Subject,
};
use protocol::prompt::Block;
use protocol::session::{
    ConfigChange, Mode, SessionConfig, SessionConfigParams, SessionPrompt, SessionPromptParams,
};
use serde_json::{Value, json};

use super::super::messages::ids;
use super::super::shared::Shared;

/// What would make the question unnecessary: the narrowest place that keeps it.
pub(super) fn suggested(params: &PermissionRequestParams) -> Vec<Value> {
    if matches!(params.subject, Subject::Edit(_)) {
        return vec![json!({
            "type": "setMode",
            "mode": "acceptEdits",
            "destination": "session",
        })];
    }
    let offers = |scope: OptionScope| {
        params.options.iter().find(|option| option.scope == scope && option.rule.is_some())
    };
    let kept = offers(OptionScope::Project).map(|option| (option, "localSettings"));
    let kept = kept.or_else(|| offers(OptionScope::Session).map(|option| (option, "session")));
    let Some((option, destination)) = kept else { return Vec::new() };
    let rules = option.rule.as_deref().unwrap_or_default();
    let rules = policy::Rule::parse_list(rules).unwrap_or_default();
    let rules: Vec<Value> = rules.iter().map(|rule| wire(&rule.to_string())).collect();
    vec![json!({
        "type": "addRules",
        "rules": rules,
        "behavior": "allow",
        "destination": destination,
    })]
}

/// `Bash(ls *)` in two parts.
fn wire(rule: &str) -> Value {
    match rule.strip_suffix(')').and_then(|rule| rule.split_once('(')) {
        Some((tool, content)) => json!({ "toolName": tool, "ruleContent": content }),
        None => json!({ "toolName": rule }),
    }
}

fn text(rule: &Value) -> Result<String, String> {
    let tool = rule["toolName"].as_str().ok_or("A rule has no toolName.")?;
    Ok(match rule["ruleContent"].as_str() {
        Some(content) => format!("{tool}({content})"),
        None => tool.to_owned(),
    })
}

/// The error is a sentence about what was not done.
pub(super) async fn apply(shared: &Shared, update: &Value) -> Result<(), String> {
    let scope = scope(update["destination"].as_str());
    match update["type"].as_str().unwrap_or_default() {
        "addRules" => change(shared, update, RuleOp::Add, scope).await,
        "removeRules" => change(shared, update, RuleOp::Remove, scope).await,
        "replaceRules" => {
            forget(shared, update, scope.clone()).await?;
            change(shared, update, RuleOp::Add, scope).await
        }
        "setMode" => {
            let mode = update["mode"].as_str().ok_or("setMode names no mode.")?;
            let set = ConfigChange { mode: Some(Mode::from(mode)), ..ConfigChange::default() };
            let session_id = shared.session().to_owned();
            let params = SessionConfigParams { session_id, set: Some(set) };
            shared.ask::<SessionConfig>(&params).await.map_err(|error| error.message)?;
            Ok(())
        }
        "addDirectories" => add_directories(shared, &update["directories"]).await,
        other => Err(format!("A change of permissions of the type {other:?} is not made here.")),
    }
}

fn scope(destination: Option<&str>) -> RuleScope {
    match destination {
        Some("userSettings") => RuleScope::User,
        Some("projectSettings") => RuleScope::Project,
        Some("localSettings") => RuleScope::Local,
        _ => RuleScope::Session,
    }
}

async fn change(
    shared: &Shared,
    update: &Value,
    op: RuleOp,
    scope: RuleScope,
) -> Result<(), String> {
    for rule in update["rules"].as_array().into_iter().flatten() {
        let params = params(shared, op.clone(), Some(text(rule)?), update, &scope);
        shared.ask::<PermissionRules>(&params).await.map_err(|error| error.message)?;
    }
    Ok(())
}

/// The rules of that place which say the same kind of thing go.
async fn forget(shared: &Shared, update: &Value, scope: RuleScope) -> Result<(), String> {
    let list = params(shared, RuleOp::List, None, update, &scope);
    let listed = shared.ask::<PermissionRules>(&list).await.map_err(|error| error.message)?;
    let same =
        listed.rules.into_iter().filter(|rule| Some(&rule.behavior) == list.behavior.as_ref());
    for rule in same {
        let params = params(shared, RuleOp::Remove, Some(rule.rule), update, &scope);
        shared.ask::<PermissionRules>(&params).await.map_err(|error| error.message)?;
    }
    Ok(())
}

fn params(
    shared: &Shared,
    op: RuleOp,
    rule: Option<String>,
    update: &Value,
    scope: &RuleScope,
) -> PermissionRulesParams {
    PermissionRulesParams {
        op,
        rule,
        behavior: Some(RuleBehavior::from(update["behavior"].as_str().unwrap_or("allow"))),
        scope: Some(scope.clone()),
        session_id: Some(shared.session().to_owned()),
    }
}

/// By the command that users have for it.
async fn add_directories(shared: &Shared, directories: &Value) -> Result<(), String> {
    for directory in directories.as_array().into_iter().flatten().filter_map(Value::as_str) {
        let params = SessionPromptParams {
            session_id: shared.session().to_owned(),
            content: vec![Block::text(format!("/add-dir {directory}"))],
            delivery: None,
            client_message_id: Some(ids::fresh()),
        };
        shared.ask::<SessionPrompt>(&params).await.map_err(|error| error.message)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_in_two_parts() {
        for rule in ["Bash(ls *)", "Read", "Edit(//tmp/a(b))"] {
            assert_eq!(text(&wire(rule)).unwrap(), rule);
        }
        let bare = json!({ "toolName": "Bash", "ruleContent": null });
        assert_eq!(text(&bare).unwrap(), "Bash");
        assert!(text(&json!({})).is_err());
    }
}
