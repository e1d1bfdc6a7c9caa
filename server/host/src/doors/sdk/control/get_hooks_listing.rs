//! `get_hooks_listing`: the hooks there are, with where they are from.

use extend::hooks::{Matched, OnTwo};
use extend::{Effective, HookEvent};
use policy::Source;
use serde_json::{Value, json};

use super::Answer;
use crate::doors::sdk::shared::Shared;
use crate::session::{Driven, HookRow};

pub(super) async fn handle(shared: &Shared) -> Answer {
    let rows = shared.want(Driven::Hooks).await?;
    let settings = shared.want(Driven::Settings).await?;
    let count = |event: HookEvent| rows.iter().filter(|row| row.event == event.name()).count();
    let described = |event: HookEvent| {
        json!({
            "name": event.name(),
            "summary": summary(event),
            "supportsMatcher": event.matched() != Matched::Nothing,
        })
    };
    let events = HookEvent::ALL.iter().copied().filter(|event| count(*event) > 0).map(|event| {
        let mut told = described(event);
        told["hookCount"] = count(event).into();
        told
    });
    let all = HookEvent::ALL.iter().copied().map(described);
    let managed = rows.iter().filter(|row| row.from == "the managed policy").count();
    let by_policy = |it: &Effective| it.origin.source == Source::Managed;
    let find = |key: &str| settings.explain().iter().find(|it| it.key == key && it.value == true);
    let set = |key: &str| find(key).is_some();
    Ok(json!({
        "events": events.collect::<Vec<_>>(),
        "hooks": rows.iter().map(row).collect::<Vec<_>>(),
        "eventCatalog": all.collect::<Vec<_>>(),
        "policy": {
            "disabledByPolicy": find("disableAllHooks").is_some_and(by_policy),
            "managedOnly": set("allowManagedHooksOnly"),
            "pluginOnly": set("strictPluginOnlyCustomization"),
            "allDisabled": set("disableAllHooks"),
            "policyHookCount": managed,
        },
    }))
}

/// What a hook of the event can bring about.
fn summary(event: HookEvent) -> &'static str {
    match event.on_two() {
        OnTwo::Blocks => "Before it happens; a hook can keep it from happening",
        OnTwo::TellsModel => "After it happened; a hook can tell the model something",
        OnTwo::TellsUser => "When it happens; a hook can tell the user something",
    }
}

fn row(row: &HookRow) -> Value {
    let label = match row.kind {
        "command" => "Command",
        "http" => "URL",
        "mcp_tool" => "Tool",
        "callback" => "Callback",
        _ => "Prompt",
    };
    json!({
        "event": row.event,
        "matcher": row.matcher.clone().unwrap_or_default(),
        "source": row.from,
        "sourceLabel": row.place.clone().unwrap_or_else(|| row.from.clone()),
        "type": row.kind,
        "displayText": row.title,
        "commandText": row.title,
        "contentLabel": label,
        "timeout": row.timeout.as_secs(),
    })
}
