//! Calls that a client makes itself, without a model: through the same pipeline, with the same policy,
//! the same walls and the same questions.

use std::sync::Arc;

use agent::turn::ToolCall;
use serde_json::Value;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tools::{CallReport, Context, Kind, Progress, run_call};

use super::Session;

/// One such call.
pub struct Direct {
    pub name: String,
    pub input: Value,
    pub cancel: CancellationToken,
    pub progress: Progress,
    pub reply: oneshot::Sender<CallReport>,
}

/// A tool as a client sees it that calls it itself.
#[derive(Clone, Debug)]
pub struct DirectTool {
    /// As the Messages API has it.
    pub definition: Value,
    pub kind: Option<Kind>,
}

impl Session {
    pub(super) fn direct_tools(&self) -> Vec<DirectTool> {
        let definitions = self.registry.definitions(&self.state.shelf());
        let Value::Array(definitions) = definitions else { return Vec::new() };
        let tools = definitions.into_iter().map(|definition| {
            let kind = definition["name"].as_str().and_then(|name| self.registry.kind(name));
            DirectTool { definition, kind }
        });
        tools.collect()
    }

    /// Carries it out beside whatever else goes on.
    pub(super) fn on_direct(&mut self, direct: Direct) {
        let Direct { name, input, cancel, progress, mut reply } = direct;
        let id = self.next_id("direct");
        let state = self.state.clone();
        let report = self.direct_call(ToolCall { id: id.clone(), name, input }, cancel, progress);
        tokio::spawn(async move {
            tokio::select! {
                report = report => {
                    // The client has it, and whoever it works for.
                    state.with_reads(|reads| reads.note_delivered(&id));
                    drop(reply.send(report));
                }
                // Nobody waits for it any more: what it started goes with it.
                () = reply.closed() => {}
            }
        });
    }

    /// A call that no model made.
    pub(super) fn direct_call(
        &self,
        call: ToolCall,
        cancel: CancellationToken,
        progress: Progress,
    ) -> impl Future<Output = CallReport> + Send + 'static {
        let id = call.id.clone();
        let cx = Context {
            world: Arc::new(self.world(id.clone(), id.clone())),
            session: self.state.clone(),
            call_id: id.clone(),
            cancel: cancel.clone(),
            progress,
            also: Arc::default(),
        };
        let gate = self.gate(id, cancel);
        let registry = self.registry.clone();
        async move { run_call(&registry, call, cx, &gate).await }
    }
}
