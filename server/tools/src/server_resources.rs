//! What MCP servers have to read: two tools of ours that are there while some server has resources.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use mcp::{Resource, Server};
use policy::Subject;
use serde_json::{Value, json};

use crate::context::Context;
use crate::foreign::{Annotations, ForeignTool};
use crate::server_answer;
use crate::tool::{Outcome, Preview, Problem};

const LIST: &str = "ListMcpResourcesTool";
const READ: &str = "ReadMcpResourceTool";
/// So many are listed at once; the others are found with the words of a query.
const MOST: usize = 200;

type Servers = Arc<[Arc<Server>]>;

/// The tools for the resources of these servers; none where they have none.
pub fn resource_tools(servers: &[Arc<Server>]) -> Vec<Arc<dyn ForeignTool>> {
    let has = |server: &&Arc<Server>| {
        let offer = server.now().offer;
        !offer.resources.is_empty() || !offer.templates.is_empty()
    };
    let servers: Servers = servers.iter().filter(has).cloned().collect();
    if servers.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = servers.iter().map(|server| server.name()).collect();
    let server = json!({ "type": "string", "description": format!("One of: {}.", names.join(", ")) });
    let list = ListResources {
        schema: json!({ "type": "object", "properties": {
            "server": server,
            "query": { "type": "string", "description": "Only those whose address, name or \
                description has these words." },
        }, "additionalProperties": false }),
        servers: servers.clone(),
    };
    let read = ReadResource {
        schema: json!({ "type": "object", "properties": {
            "server": server,
            "uri": { "type": "string", "description": "The resource's address, as it was listed." },
        }, "required": ["server", "uri"], "additionalProperties": false }),
        servers,
    };
    vec![Arc::new(list), Arc::new(read)]
}

fn find(servers: &Servers, name: &str) -> Result<Arc<Server>, Problem> {
    let found = servers.iter().find(|server| mcp::names_server(name, server.name()));
    found.cloned().ok_or_else(|| {
        let names: Vec<&str> = servers.iter().map(|server| server.name()).collect();
        Problem(format!("No MCP server {name:?} has resources; these do: {}.", names.join(", ")))
    })
}

fn text<'a>(input: &'a Value, key: &str) -> Option<&'a str> {
    input.get(key).and_then(Value::as_str)
}

struct ListResources {
    schema: Value,
    servers: Servers,
}

impl ForeignTool for ListResources {
    fn name(&self) -> &str {
        LIST
    }

    fn description(&self) -> &str {
        "Lists what MCP servers have to read: addresses, and patterns of addresses to be filled in. \
         Read one with ReadMcpResourceTool."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn annotations(&self) -> Annotations {
        let title = Some("List resources of MCP servers".to_owned());
        Annotations { title, read_only: true, always_load: false }
    }

    fn subjects(&self, _: &Value) -> Vec<Subject> {
        vec![Subject::Internal]
    }

    fn call(&self, input: Value, _: Context) -> BoxFuture<'static, Result<Outcome, Problem>> {
        std::future::ready(self.list(&input)).boxed()
    }
}

impl ListResources {
    fn list(&self, input: &Value) -> Result<Outcome, Problem> {
        let wanted: Vec<Arc<Server>> = match text(input, "server") {
            Some(name) => vec![find(&self.servers, name)?],
            None => self.servers.to_vec(),
        };
        let words = text(input, "query").unwrap_or_default().to_lowercase();
        let fits = |resource: &Resource| {
            let all = format!("{} {} {}", resource.uri, resource.name, resource.description);
            let all = all.to_lowercase();
            words.split_whitespace().all(|word| all.contains(word))
        };
        let mut lines = Vec::new();
        for server in wanted {
            let offer = server.now().offer;
            let plain = offer.resources.iter().map(|resource| (resource, ""));
            let patterns = offer.templates.iter().map(|resource| (resource, " (a pattern)"));
            let fitting = plain.chain(patterns).filter(|(resource, _)| fits(resource));
            lines.extend(fitting.map(|(resource, kind)| line(server.name(), resource, kind)));
        }
        if lines.is_empty() {
            return Ok(Outcome::text("No resource fits."));
        }
        if lines.len() > MOST {
            let more = lines.len() - MOST;
            lines.truncate(MOST);
            lines.push(format!("… and {more} more; use `query`."));
        }
        Ok(Outcome::text(lines.join("\n")))
    }
}

fn line(server: &str, resource: &Resource, kind: &str) -> String {
    let Resource { uri, name, description, mime_type } = resource;
    let about = description.split_whitespace().collect::<Vec<_>>().join(" ");
    let about = &about[..about.floor_char_boundary(200)];
    let mime_type = mime_type.as_deref().map(|it| format!(", {it}")).unwrap_or_default();
    format!("{server}: {uri}{kind} ({name}{mime_type}) {about}").trim_end().to_owned()
}

struct ReadResource {
    schema: Value,
    servers: Servers,
}

impl ForeignTool for ReadResource {
    fn name(&self) -> &str {
        READ
    }

    fn description(&self) -> &str {
        "Reads a resource of an MCP server by its address. What is no text and no picture is written \
         to a file, whose name you get."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn annotations(&self) -> Annotations {
        let title = Some("Read a resource of an MCP server".to_owned());
        Annotations { title, read_only: true, always_load: false }
    }

    /// An address is the model's to make up, so it may tell the server something.
    fn subjects(&self, input: &Value) -> Vec<Subject> {
        let server = mcp::server_key(text(input, "server").unwrap_or_default());
        vec![Subject::Mcp { server, tool: READ.to_owned(), only_a_person: None }]
    }

    fn preview(&self, input: &Value) -> Preview {
        Preview::Server {
            server: text(input, "server").unwrap_or_default().to_owned(),
            tool: READ.to_owned(),
            input: input.clone(),
        }
    }

    fn call(&self, input: Value, cx: Context) -> BoxFuture<'static, Result<Outcome, Problem>> {
        let found = find(&self.servers, text(&input, "server").unwrap_or_default());
        let uri = text(&input, "uri").unwrap_or_default().to_owned();
        async move {
            let server = found?;
            if uri.trim().is_empty() {
                return Err(Problem::new("`uri` is missing; ListMcpResourcesTool lists them."));
            }
            let parts = tokio::select! {
                biased;
                () = cx.cancel.cancelled() => return Err(Problem::new("The call was stopped.")),
                parts = server.read_resource(&uri) => parts.map_err(Problem)?,
            };
            let limit = server_answer::limit(&cx, None);
            let content = server_answer::told(&uri, parts, limit, &cx).await;
            Ok(Outcome { content, ..Outcome::default() })
        }
        .boxed()
    }
}
