//! A tool of an MCP server, as the model calls it.
//!
//! What the server says about it is believed where it makes things stricter or costs nothing:
//! whether a call may run is the policy's to say, and no hint makes a question go away.

use std::sync::Arc;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::Subject;
use serde_json::Value;

use crate::context::{Context, Step};
use crate::foreign::{Annotations, ForeignTool};
use crate::server_answer;
use crate::tool::{Outcome, Preview, Problem};

pub struct ServerTool {
    server: Arc<mcp::Server>,
    tool: mcp::Tool,
    /// Why a person has to agree to each call, as a sentence.
    only_a_person: Option<String>,
}

/// Why no rule may allow a tool, where its server says so.
pub fn only_a_person(server: &mcp::Server, tool: &mcp::Tool) -> Option<String> {
    let (server, tool, hints) = (server.name(), &tool.name, &tool.hints);
    let sentence =
        || format!("The server {server} wants a person to agree to each call of {tool}.");
    hints.needs_user.then(sentence)
}

impl ServerTool {
    pub fn new(
        server: Arc<mcp::Server>,
        tool: mcp::Tool,
        only_a_person: Option<String>,
    ) -> ServerTool {
        ServerTool { server, tool, only_a_person }
    }
}

impl ForeignTool for ServerTool {
    fn name(&self) -> &str {
        self.tool.full_name.as_str()
    }

    fn description(&self) -> &str {
        &self.tool.description
    }

    fn schema(&self) -> &Value {
        &self.tool.schema
    }

    fn annotations(&self) -> Annotations {
        let hints = &self.tool.hints;
        let title = hints.title.as_deref().unwrap_or(&self.tool.name);
        Annotations {
            title: Some(format!("{}: {title}", self.server.name())),
            read_only: hints.read_only && !hints.destructive,
            always_load: hints.always_load || self.server.config.always_load,
        }
    }

    fn subjects(&self, _: &Value) -> Vec<Subject> {
        let (server, tool) = mcp::split_tool_name(&self.tool.full_name).unwrap_or_default();
        vec![Subject::Mcp {
            server: server.to_owned(),
            tool: tool.to_owned(),
            only_a_person: self.only_a_person.clone(),
        }]
    }

    fn preview(&self, input: &Value) -> Preview {
        Preview::Server {
            server: self.server.name().to_owned(),
            tool: self.tool.name.clone(),
            input: input.clone(),
        }
    }

    fn call(&self, input: Value, cx: Context) -> BoxFuture<'static, Result<Outcome, Problem>> {
        let (server, tool) = (self.server.clone(), self.tool.clone());
        async move {
            let Value::Object(arguments) = input else {
                return Err(Problem(format!("{} takes an object.", tool.full_name)));
            };
            let progress = cx.progress.clone();
            let calling = server.call_tool(&tool.name, arguments, |report| {
                progress.step(step(&report));
            });
            let answer = tokio::select! {
                biased;
                // Dropping the call tells the server.
                () = cx.cancel.cancelled() => return Err(Problem::new("The call was stopped.")),
                answer = calling => answer.map_err(Problem)?,
            };
            let limit = server_answer::limit(&cx, tool.hints.largest_result);
            let content = server_answer::told(&tool.full_name, answer.parts, limit, &cx).await;
            Ok(Outcome { content, is_error: answer.is_error, ..Outcome::default() })
        }
        .boxed()
    }
}

fn step(report: &mcp::Progress) -> Step {
    // A server may count in whatever it likes.
    let whole = |number: f64| (number.is_finite() && number >= 0.0).then_some(number as u64);
    Step {
        done: whole(report.done),
        total: report.total.and_then(whole),
        message: report.message.as_deref().map(first_line),
    }
}

fn first_line(text: &str) -> String {
    const LONGEST: usize = 300;
    let line = text.trim().lines().next().unwrap_or_default();
    line[..line.floor_char_boundary(LONGEST)].to_owned()
}
