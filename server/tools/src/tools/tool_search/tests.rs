//! Deferred tools as a session calls them: through the pipeline.

use agent::ResultPart;
use serde_json::{Value, json};

use crate::registry::{Offer, Registry};
use crate::shelf::Loading;
use crate::testing::Desk;

fn deferring() -> Registry {
    let rules = policy::Rules::default();
    Registry::builtin(&policy::removed_tools(&rules), &Offer { defer: true, ..Offer::default() })
}

fn names(definitions: &Value) -> Vec<&str> {
    definitions.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_deferred_tool_is_loaded_and_added_at_the_end() {
    let desk = Desk::new(&[]);
    let registry = deferring();
    registry.stock(&desk.session, Loading::Added);
    let before = registry.definitions(&desk.session.shelf());
    assert!(!names(&before).contains(&"CronList"), "{before}");
    let search = before.as_array().unwrap().iter().find(|tool| tool["name"] == "ToolSearch");
    assert!(search.unwrap()["description"].as_str().unwrap().contains("CronList"));

    let report = desk.call_in(&registry, "CronList", json!({})).await;
    assert!(report.outcome.is_error);
    assert!(desk.words(&report).contains("ToolSearch with the query \"select:CronList\""));
    let report = desk.call_in(&registry, "ToolSearch", json!({ "query": "select:CronList" })).await;
    assert_eq!(desk.words(&report), "Loaded, and in your list of tools now: CronList.");
    assert_eq!(report.loaded, ["CronList"]);
    let report = desk.call_in(&registry, "CronList", json!({})).await;
    assert!(!report.outcome.is_error, "{report:?}");

    let after = registry.definitions(&desk.session.shelf());
    let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
    assert_eq!(after[..before.len()], before[..], "the list only grows");
    assert_eq!(after[before.len()]["name"], "CronList");
    let report = desk.call_in(&registry, "ToolSearch", json!({ "query": "sextant" })).await;
    assert!(desk.words(&report).contains("These can be loaded: NotebookEdit"), "{report:?}");
}

#[tokio::test]
async fn where_the_provider_knows_references_the_list_never_changes() {
    let desk = Desk::new(&[]);
    let registry = deferring();
    registry.stock(&desk.session, Loading::References);
    let before = registry.definitions(&desk.session.shelf());
    let cron = before.as_array().unwrap().iter().find(|tool| tool["name"] == "CronList").unwrap();
    assert_eq!(cron["defer_loading"], true);
    let last = before.as_array().unwrap().last().unwrap();
    assert!(last.get("defer_loading").is_none(), "the cache's mark stands on the last one");
    let report = desk.call_in(&registry, "ToolSearch", json!({ "query": "cell notebook" })).await;
    let reference = json!({ "type": "tool_reference", "tool_name": "NotebookEdit" });
    assert_eq!(report.outcome.content, [ResultPart::Other(reference)]);
    assert_eq!(registry.definitions(&desk.session.shelf()), before);
}
