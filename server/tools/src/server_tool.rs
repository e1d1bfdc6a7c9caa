//! A tool of an MCP server, as the model calls it.
//!
//! What the server says about it is believed where it makes things stricter or costs nothing:
//! whether a call may run is the policy's to say, and no hint makes a question go away.
//!
//! A call that takes long goes on in the background, as a task, and its answer comes when it is there.

use std::sync::Arc;
use std::time::Duration;

use agent::ResultPart;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use policy::Subject;
use serde_json::Value;

use crate::context::{Context, Step};
use crate::foreign::{Annotations, ForeignTool};
use crate::server_answer;
use crate::tasks::{NewTask, Reserved, TaskEnd, TaskKind, TaskState};
use crate::tool::{Outcome, Preview, Problem};

pub struct ServerTool {
    server: Arc<mcp::Server>,
    tool: mcp::Tool,
    /// Why a person has to agree to each call, as a sentence.
    only_a_person: Option<String>,
    /// How long the conversation waits for an answer; `None`: to its end.
    aside: Option<Duration>,
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
        aside: Option<Duration>,
    ) -> ServerTool {
        ServerTool { server, tool, only_a_person, aside }
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
        let (server, tool, aside) = (self.server.clone(), self.tool.clone(), self.aside);
        async move {
            let Value::Object(arguments) = input else {
                return Err(Problem(format!("{} takes an object.", tool.full_name)));
            };
            let (name, progress) = (tool.name.clone(), cx.progress.clone());
            let called = server.clone();
            let mut calling: Calling = async move {
                let report = |report: mcp::Progress| progress.step(step(&report));
                called.call_tool(&name, arguments, report).await
            }
            .boxed();
            let late = async {
                match aside {
                    Some(aside) => tokio::time::sleep(aside).await,
                    None => std::future::pending().await,
                }
            };
            let answer = tokio::select! {
                biased;
                // Dropping the call tells the server.
                () = cx.cancel.cancelled() => return Err(Problem::new("The call was stopped.")),
                answer = &mut calling => answer.map_err(Problem)?,
                () = late => return leave(calling, server.name(), &tool, &cx).await,
            };
            let (is_error, content) = told(answer, &tool, &cx).await;
            Ok(Outcome { content, is_error, ..Outcome::default() })
        }
        .boxed()
    }
}

type Calling = BoxFuture<'static, Result<mcp::Answer, String>>;

async fn told(answer: mcp::Answer, tool: &mcp::Tool, cx: &Context) -> (bool, Vec<ResultPart>) {
    let limit = server_answer::limit(cx, tool.hints.largest_result);
    let content = server_answer::told(&tool.full_name, answer.parts, limit, cx).await;
    (answer.is_error, content)
}

/// The call goes on as a task of the session, which tells the model its answer.
async fn leave(
    calling: Calling,
    server: &str,
    tool: &mcp::Tool,
    cx: &Context,
) -> Result<Outcome, Problem> {
    let Reserved { id, output } = cx.world.tasks().reserve(TaskKind::Mcp).map_err(Problem)?;
    let cancel = tokio_util::sync::CancellationToken::new();
    let (stopped, told_to, tool_called) = (cancel.clone(), output.clone(), tool.clone());
    let inner = Context { cancel: cancel.clone(), ..cx.clone() };
    let work = async move {
        tokio::select! {
            biased;
            () = stopped.cancelled() => ended(TaskState::Stopped, "was stopped", None),
            answer = calling => match answer {
                Ok(answer) => {
                    let (is_error, content) = told(answer, &tool_called, &inner).await;
                    let text = server_answer::words_of(&content, &inner);
                    server_answer::keep_words(told_to, &text).await;
                    match is_error {
                        true => ended(TaskState::Failed, "failed", Some(text)),
                        false => ended(TaskState::Completed, "answered", Some(text)),
                    }
                }
                Err(why) => ended(TaskState::Failed, "failed", Some(why)),
            },
        }
    };
    let title = format!("{server}: {}", tool.name);
    let new = NewTask {
        id: id.clone(),
        kind: TaskKind::Mcp,
        title,
        call_id: cx.call_id.clone(),
        output,
        cancel,
        work: work.boxed(),
    };
    cx.world.tasks().keep(new).await.map_err(Problem)?;
    Ok(Outcome::text(format!(
        "The call takes long and goes on in the background as task {id}. You will be told its answer \
         when it is there; go on with other work, or end your turn. TaskStop stops it."
    )))
}

fn ended(state: TaskState, how: &str, said: Option<String>) -> TaskEnd {
    let notes = said.map(|said| format!("It said:\n{said}")).into_iter().collect();
    TaskEnd { state, exit_code: None, how: how.to_owned(), notes }
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
