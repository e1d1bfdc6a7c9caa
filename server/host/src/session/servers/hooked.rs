//! Where hooks and MCP servers meet: tools of servers as hooks, and hooks that answer in the user's
//! place what a server wants to know, or see what the user answered.

use std::sync::Arc;

use extend::HookEvent;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use mcp::{Elicitation, Elicited, Hub};
use serde_json::{Map, Value, json};

use super::form;
use crate::session::Session;
use crate::session::hooks::{Action, Heard, HookTools, Hooks};

/// The tools that hooks of the kind `mcp_tool` may call.
struct HubTools {
    hub: Arc<Hub>,
    /// Those of the sessions that this agent works for.
    inherited: Vec<Arc<Hub>>,
}

impl HookTools for HubTools {
    fn call(
        &self,
        server: String,
        tool: String,
        input: Map<String, Value>,
    ) -> BoxFuture<'static, Result<String, String>> {
        let mut hubs = std::iter::once(&self.hub).chain(&self.inherited);
        let hub = hubs.find(|hub| hub.server(&server).is_some()).unwrap_or(&self.hub).clone();
        async move {
            let called = hub.call_text(&server, &tool, Value::Object(input)).await;
            called.map_err(|error| format!("could not call its tool: {error}"))
        }
        .boxed()
    }
}

impl Session {
    /// Hooks may call the tools of the servers that there are.
    pub(super) fn connect_hooks(&self) {
        let (hub, inherited) = (self.servers.hub.clone(), self.servers.inherited.clone());
        self.hooks.connect_tools(Arc::new(HubTools { hub, inherited }));
    }
}

/// What a hook answers in the user's place; `None`: the user is asked.
pub(super) async fn before(hooks: &Hooks, server: &str, asked: &Elicitation) -> Option<Elicited> {
    let heard = hooks.run(HookEvent::Elicitation, Some(server), || fields(server, asked)).await;
    if heard.no().is_some() {
        return Some(Elicited::Declined);
    }
    let answer = chosen(&heard, asked, None)?;
    tracing::info!(server, "a hook answered in the user's place");
    Some(answer)
}

/// What hooks make of the user's answer.
pub(super) async fn after(
    hooks: &Hooks,
    server: &str,
    asked: &Elicitation,
    answer: Elicited,
) -> Elicited {
    let told = || {
        let mut fields = fields(server, asked);
        fields["action"] = json!(match &answer {
            Elicited::Accepted(_) => "accept",
            Elicited::Declined => "decline",
            Elicited::Cancelled => "cancel",
        });
        if let Elicited::Accepted(Some(content)) = &answer {
            fields["content"] = content.clone();
        }
        fields
    };
    let heard = hooks.run(HookEvent::ElicitationResult, Some(server), told).await;
    if heard.no().is_some() {
        return Elicited::Declined;
    }
    let before = match &answer {
        Elicited::Accepted(content) => content.clone(),
        _ => None,
    };
    chosen(&heard, asked, before).unwrap_or(answer)
}

/// The user is to look this way; nobody waits for who is told.
pub(super) fn notify(hooks: &Hooks, server: &str, asked: &Elicitation) {
    if !hooks.any(HookEvent::Notification) {
        return;
    }
    let (kind, message) = match asked {
        Elicitation::Form { message, .. } => ("elicitation_dialog", message),
        Elicitation::Page { message, .. } => ("elicitation_url_dialog", message),
    };
    let text = format!("The MCP server {server} asks: {message}");
    let hooks = hooks.clone();
    tokio::spawn(async move {
        let fields = || json!({ "message": text, "title": "Bowline", "notification_type": kind });
        drop(hooks.run(HookEvent::Notification, Some(kind), fields).await);
    });
}

fn fields(server: &str, asked: &Elicitation) -> Value {
    match asked {
        Elicitation::Form { message, schema } => json!({
            "mcp_server_name": server, "message": message, "mode": "form",
            "requested_schema": schema,
        }),
        Elicitation::Page { message, url } => json!({
            "mcp_server_name": server, "message": message, "mode": "url", "url": url,
        }),
    }
}

/// What hooks chose. What does not fit the form is no answer.
fn chosen(heard: &Heard, asked: &Elicitation, before: Option<Value>) -> Option<Elicited> {
    match heard.more.action? {
        Action::Decline => Some(Elicited::Declined),
        Action::Cancel => Some(Elicited::Cancelled),
        Action::Accept => match asked {
            Elicitation::Page { .. } => Some(Elicited::Accepted(None)),
            Elicitation::Form { schema, .. } => {
                let written = heard.more.content.clone().map(Value::Object).or(before);
                let Some(Value::Object(content)) = written else { return None };
                let filled = form::complete(schema, content.into_iter().collect());
                let filled =
                    filled.inspect_err(|why| tracing::warn!(why, "a hook's answer does not fit"));
                filled.ok().map(|filled| Elicited::Accepted(Some(filled)))
            }
        },
    }
}
