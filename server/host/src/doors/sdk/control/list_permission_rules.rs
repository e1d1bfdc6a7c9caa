//! `list_permission_rules`: what answers by itself.

use protocol::permission::{PermissionRules, PermissionRulesParams, RuleOp, RuleScope};
use serde_json::{Value, json};

use super::Answer;
use crate::doors::sdk::shared::Shared;
use crate::session::Driven;

pub(super) async fn handle(shared: &Shared) -> Answer {
    let params = PermissionRulesParams {
        op: RuleOp::List,
        rule: None,
        behavior: None,
        scope: None,
        session_id: Some(shared.session().to_owned()),
    };
    let listed = shared.ask::<PermissionRules>(&params).await.map_err(|error| error.message)?;
    let rules: Vec<Value> = listed
        .rules
        .iter()
        .map(|rule| {
            let (source, editability) = place(&rule.scope);
            json!({
                "behavior": rule.behavior.as_str(),
                "source": source,
                "rule": rule.rule,
                "editability": editability,
            })
        })
        .collect();
    let settings = shared.want(Driven::Settings).await?;
    let managed_only = settings
        .explain()
        .iter()
        .any(|it| it.key == "allowManagedPermissionRulesOnly" && it.value == true);
    let state = json!({
        "rules": rules,
        "workspaceDirectories": shared.want(Driven::Roots).await?,
        "originalCwd": shared.cwd(),
        "managedOnly": managed_only,
    });
    Ok(json!({ "state": state }))
}

fn place(scope: &RuleScope) -> (&'static str, &'static str) {
    match scope {
        RuleScope::User => ("userSettings", "persistent"),
        RuleScope::Project => ("projectSettings", "persistent"),
        RuleScope::Local => ("localSettings", "persistent"),
        RuleScope::Managed => ("policySettings", "readonly"),
        _ => ("session", "session"),
    }
}
