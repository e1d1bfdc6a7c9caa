//! Tools of others in the registry.

use std::sync::Arc;

use futures::future::BoxFuture;
use policy::Subject;
use serde_json::{Value, json};

use super::*;
use crate::foreign::Annotations;
use crate::testing::Desk;
use crate::tool::Outcome;

struct Mail {
    name: &'static str,
    schema: Value,
}

impl ForeignTool for Mail {
    fn name(&self) -> &str {
        self.name
    }

    fn description(&self) -> &str {
        "Sends a letter."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn annotations(&self) -> Annotations {
        Annotations::default()
    }

    fn subjects(&self, _: &Value) -> Vec<Subject> {
        vec![Subject::Mcp {
            server: "mail".to_owned(),
            tool: "send".to_owned(),
            only_a_person: None,
        }]
    }

    fn call(&self, input: Value, _: Context) -> BoxFuture<'static, Result<Outcome, Problem>> {
        Box::pin(std::future::ready(Ok(Outcome::text(format!("sent {input}")))))
    }
}

fn mail(name: &'static str) -> Arc<dyn ForeignTool> {
    let schema = json!({ "type": "object", "properties": { "to": { "type": "string" } },
        "additionalProperties": false });
    Arc::new(Mail { name, schema })
}

fn registry() -> Registry {
    let rules = policy::Rules::default();
    Registry::builtin(&policy::removed_tools(&rules), &Offer::default())
}

#[tokio::test]
async fn a_tool_of_others_goes_the_way_of_every_call() {
    let desk = Desk::new(&[]);
    let own = registry();
    let registry = own.with_foreign(vec![mail("mcp__mail__send"), mail("Read")], false);
    assert_eq!(registry.names().count(), own.names().count() + 1, "our own names stay ours");
    let input = json!({ "to": "the harbour", "bcc": "a stranger", "_hidden": 1 });
    let report = desk.call_in(&registry, "mcp__mail__send", input).await;
    assert_eq!(desk.words(&report), "sent {\"to\":\"the harbour\"}");
    assert_eq!(desk.user.asked().len(), 1, "the user is asked like about any server's tool");
    let gone = registry.with_foreign(Vec::new(), false);
    assert_eq!(gone.names().collect::<Vec<_>>(), own.names().collect::<Vec<_>>());
    let shelf = desk.session.shelf();
    let before = own.definitions(&shelf);
    let after = registry.definitions(&shelf);
    let (before, after) = (before.as_array().unwrap(), after.as_array().unwrap());
    assert_eq!(after[..before.len()], before[..], "what is ours comes first and stays");
}

#[tokio::test]
async fn tools_of_others_are_deferred_where_tools_are_searched_for() {
    let desk = Desk::new(&[]);
    let registry = registry().with_foreign(vec![mail("mcp__mail__send")], true);
    registry.stock(&desk.session, Loading::Added);
    let report = desk.call_in(&registry, "mcp__mail__send", json!({})).await;
    assert!(desk.words(&report).contains("ToolSearch"), "{report:?}");
    desk.call_in(&registry, "ToolSearch", json!({ "query": "letter" })).await;
    let report = desk.call_in(&registry, "mcp__mail__send", json!({})).await;
    assert_eq!(desk.words(&report), "sent {}");
}
