//! Asking a server something: calling a tool, reading a resource, getting a prompt.
//!
//! Whoever drops such a future has cancelled the request, and the server is told. Every request has
//! a deadline for the whole and one for silence, which progress puts off.

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, CancelledNotificationParam, ClientRequest,
    GetPromptRequest, GetPromptRequestParams, ReadResourceRequest, ReadResourceRequestParams,
    RequestId,
};
use rmcp::service::{Peer, PeerRequestOptions};
use rmcp::{RoleClient, ServiceError};
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use crate::answer::{self, Answer, Part};
use crate::client::Progress;
use crate::keeper::Order;
use crate::lists::{wants_sign_in, why};
use crate::server::Server;

/// So much progress may wait to be read.
const PROGRESS: usize = 16;

impl Server {
    /// Calls a tool by the server's own name for it. The error is a sentence for the model.
    pub async fn call_tool(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
        progress: impl Fn(Progress) + Send,
    ) -> Result<Answer, String> {
        let params = CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments);
        let result = self.ask(CallToolRequest::new(params).into(), progress).await;
        let result = result.map_err(|why| {
            format!("The tool {tool} of the MCP server {} failed: {why}.", self.name())
        });
        Ok(Answer::read(&result?))
    }

    /// The error is a sentence for the model.
    pub async fn read_resource(&self, uri: &str) -> Result<Vec<Part>, String> {
        let params = ReadResourceRequestParams::new(uri);
        let result = self.ask(ReadResourceRequest::new(params).into(), |_| ()).await;
        let result = result.map_err(|why| {
            format!("The MCP server {} did not give the resource {uri}: {why}.", self.name())
        });
        Ok(answer::resource(&result?))
    }

    /// The messages of a prompt: whether the user says it, and what. The error is a sentence for
    /// the user.
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: Map<String, Value>,
    ) -> Result<Vec<(bool, Part)>, String> {
        let params = GetPromptRequestParams::new(name).with_arguments(arguments);
        let result = self.ask(GetPromptRequest::new(params).into(), |_| ()).await;
        let result = result.map_err(|why| {
            format!("The MCP server {} did not give the prompt {name}: {why}.", self.name())
        });
        Ok(answer::prompt(&result?))
    }

    /// The folders the user works in have changed.
    pub async fn roots_changed(&self) {
        let peer = self.now.borrow().peer.clone();
        if let Some(peer) = peer {
            drop(peer.notify_roots_list_changed().await);
        }
    }

    /// The error is the end of a sentence.
    async fn ask(
        &self,
        request: ClientRequest,
        progress: impl Fn(Progress) + Send,
    ) -> Result<Value, String> {
        let so_far = self.sign_ins_so_far();
        match self.ask_once(request.clone(), &progress).await {
            // Another sign-in may help, if somebody is there.
            Err(Refused::SignIn) if self.sign_in_meanwhile(so_far).await => {
                self.ask_once(request, &progress).await
            }
            answer => answer,
        }
        .map_err(|refused| match refused {
            Refused::SignIn => {
                // The keeper finds out how it stands, and tells the user.
                let _ = self.orders.try_send(Order::Reconnect);
                format!("it wants the user to sign in; `/mcp login {}` does that", self.name())
            }
            Refused::Otherwise(why) => why,
        })
    }

    async fn ask_once(
        &self,
        request: ClientRequest,
        progress: &(impl Fn(Progress) + Send),
    ) -> Result<Value, Refused> {
        let absent = |why: String| Refused::Otherwise(why.trim_end_matches('.').to_owned());
        let peer = self.peer().await.map_err(absent)?;
        let (idle, whole) = self.call_limits();
        let options = PeerRequestOptions::with_timeout(idle)
            .reset_timeout_on_progress()
            .with_max_total_timeout(whole);
        let failed = |error: ServiceError| match &error {
            ServiceError::TransportSend(error) if wants_sign_in(error) => Refused::SignIn,
            error => Refused::Otherwise(why(error)),
        };
        let handle = peer.send_cancellable_request(request, options).await.map_err(failed)?;
        let (to, mut reports) = mpsc::channel(PROGRESS);
        self.shared.listen(handle.progress_token.clone(), to);
        let token = handle.progress_token.clone();
        let mut abandoned = Abandoned { of: Some((peer, handle.id.clone())) };
        let mut answered = std::pin::pin!(handle.await_response());
        let answer = loop {
            tokio::select! {
                biased;
                Some(report) = reports.recv() => progress(report),
                answer = &mut answered => break answer,
            }
        };
        abandoned.of = None;
        self.shared.unlisten(&token);
        let answer = answer.map_err(failed)?;
        serde_json::to_value(answer).map_err(|error| Refused::Otherwise(error.to_string()))
    }
}

/// Why there is no answer.
enum Refused {
    SignIn,
    /// The end of a sentence.
    Otherwise(String),
}

/// A request that nobody waits for any more when this is dropped.
struct Abandoned {
    of: Option<(Peer<RoleClient>, RequestId)>,
}

impl Drop for Abandoned {
    fn drop(&mut self) {
        let Some((peer, id)) = self.of.take() else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            let reason = Some("The user stopped it.".to_owned());
            let cancelled = CancelledNotificationParam::new(Some(id), reason);
            drop(peer.notify_cancelled(cancelled).await);
        });
    }
}
