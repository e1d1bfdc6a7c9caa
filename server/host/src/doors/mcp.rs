//! The MCP door: the tools themselves, for somebody else's agent. A session without a model carries
//! the calls out; what would be asked is asked through the client where it can ask its user, and
//! denied with a sentence where it cannot.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use agent::ResultPart;
use async_trait::async_trait;
use mcp::{
    Asker, Care, OfferedAnswer, OfferedCall, OfferedPart, OfferedPrompt, OfferedTool, Toolbox,
};
use protocol::event::Severity;
use protocol::negotiation::ClientCapabilities;
use protocol::permission::{PermissionAnswer, PermissionRequest, PermissionRequestParams};
use protocol::session::{SessionClose, SessionNew, SessionNewParams, SessionRef};
use protocol::{EventBody, Request as _};
use serde_json::Value;
use serde_json::value::to_raw_value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tools::{CallStatus, Kind, Progress};

use super::leave::close_sessions;
use crate::context::HostContext;
use crate::core::{CoreHandle, Door, Event, Outgoing, Profile, RpcError, request};
use crate::session::{Direct, DirectTool, Driven, Msg, PromptOffer};

/// Those that make sense without a conversation around them.
const OFFERED: &[&str] = &[
    "Read",
    "Write",
    "Edit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "Bash",
    "TaskStop",
    "WebFetch",
    "LanguageServer",
];

/// Serves one client until it leaves. The error is a sentence.
pub async fn serve(
    host: &HostContext,
    core: CoreHandle,
    cwd: PathBuf,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let counter = Counter::new(core.clone(), cwd);
    let served = mcp::serve(counter, host.version, input, output).await;
    close_sessions(&core).await;
    served
}

/// Serves whoever has the token over HTTP, each in a session of its own.
pub async fn serve_http(
    host: &HostContext,
    core: CoreHandle,
    cwd: PathBuf,
    listener: TcpListener,
    token: Option<String>,
) {
    let make = move || -> Arc<dyn Toolbox> { Counter::new(core.clone(), cwd.clone()) };
    mcp::serve_http(make, host.version, listener, token).await;
}

struct Counter {
    core: CoreHandle,
    door: Arc<Door>,
    cwd: PathBuf,
    session: OnceLock<String>,
}

impl Counter {
    fn new(core: CoreHandle, cwd: PathBuf) -> Arc<Self> {
        Arc::new(Self { core, door: Door::new(), cwd, session: OnceLock::new() })
    }

    async fn want<T: Send + 'static>(
        &self,
        wish: impl FnOnce(oneshot::Sender<T>) -> Driven + Send,
    ) -> Option<T> {
        let (reply, answer) = oneshot::channel();
        let (wish, session) = (wish(reply), self.session.get().cloned().unwrap_or_default());
        self.core.go_on(move |state| state.tell(&session, Msg::Driven(Box::new(wish)))).await;
        answer.await.ok()
    }

    async fn direct_tools(&self) -> Vec<DirectTool> {
        let (reply, tools) = oneshot::channel();
        let session = self.session.get().cloned().unwrap_or_default();
        self.core.send(Event::DirectTools { session, reply }).await;
        let tools: Vec<DirectTool> = tools.await.unwrap_or_default();
        let offered = |tool: &DirectTool| {
            tool.definition["name"].as_str().is_some_and(|name| OFFERED.contains(&name))
        };
        tools.into_iter().filter(offered).collect()
    }
}

/// The client is gone, and its session with it.
impl Drop for Counter {
    fn drop(&mut self) {
        self.door.close();
        let (core, door, session) = (self.core.clone(), self.door.clone(), self.session.take());
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(async move {
            if let Some(session_id) = session {
                let _ = request::<SessionClose>(&core, &door, &SessionRef { session_id }).await;
            }
            core.send(Event::DoorClosed(door.id)).await;
        });
    }
}

#[async_trait]
impl Toolbox for Counter {
    async fn open(&self, asker: Asker) -> Result<(), String> {
        let agent = ClientCapabilities {
            version: protocol::VERSION,
            permission: Some(asker.can_ask()),
            ..ClientCapabilities::default()
        };
        self.door.set_profile(Profile { agent, ..Profile::default() });
        self.core.send(Event::DoorOpened(self.door.clone())).await;
        tokio::spawn(answer_questions(self.door.clone(), asker));
        let params = SessionNewParams {
            cwd: self.cwd.display().to_string(),
            ephemeral: Some(true),
            ..SessionNewParams::default()
        };
        let made = request::<SessionNew>(&self.core, &self.door, &params).await;
        let made = made.map_err(|error| error.message)?;
        // Opened once, so nothing is there yet.
        let _ = self.session.set(made.session_id);
        Ok(())
    }

    async fn tools(&self) -> Vec<OfferedTool> {
        let tools = self.direct_tools().await.into_iter().map(|DirectTool { definition, kind }| {
            let text = |key: &str| definition[key].as_str().unwrap_or_default().to_owned();
            OfferedTool {
                name: text("name"),
                description: text("description"),
                schema: definition["input_schema"].as_object().cloned().unwrap_or_default(),
                reads_only: matches!(kind, Some(Kind::Read | Kind::Search | Kind::Fetch)),
            }
        });
        tools.collect()
    }

    async fn prompts(&self) -> Vec<OfferedPrompt> {
        let offers = self.want(Driven::Prompts).await.unwrap_or_default().into_iter();
        let offered = |offer: PromptOffer| OfferedPrompt {
            name: offer.name,
            description: offer.description,
            arguments: offer.arguments,
            hint: offer.hint,
        };
        offers.map(offered).collect()
    }

    async fn prompt(
        &self,
        name: String,
        arguments: BTreeMap<String, String>,
    ) -> Result<String, String> {
        let text = self.want(|reply| Driven::Prompt { name, arguments, reply }).await;
        text.unwrap_or_else(|| Err("The server is shutting down.".to_owned()))
    }

    async fn call(&self, call: OfferedCall) -> OfferedAnswer {
        let OfferedCall { name, input, cancel, progress } = call;
        let progress = Progress::new(move |text| {
            if let Some(progress) = &progress {
                // What nobody reads is dropped.
                let _ = progress.try_send(text.trim_end().to_owned());
            }
        });
        let (reply, report) = oneshot::channel();
        let direct = Direct { name, input, cancel, progress, reply };
        let session = self.session.get().cloned().unwrap_or_default();
        self.core.send(Event::Direct { session, direct: Box::new(direct) }).await;
        let Ok(report) = report.await else {
            let parts = vec![OfferedPart::Text("The server is shutting down.".to_owned())];
            return OfferedAnswer { parts, failed: true };
        };
        let parts = report.outcome.content.into_iter().filter_map(part).collect();
        OfferedAnswer { parts, failed: report.status != CallStatus::Completed }
    }
}

fn part(part: ResultPart) -> Option<OfferedPart> {
    match part {
        ResultPart::Text { text } => Some(OfferedPart::Text(text)),
        ResultPart::Image { source: agent::ImageSource::Base64 { media_type, data } } => {
            Some(OfferedPart::Picture { mime_type: media_type, data })
        }
        _ => None,
    }
}

/// What the session asks, put to the client's user, and what that user should know. Other events are
/// for screens, and there is none.
async fn answer_questions(door: Arc<Door>, asker: Asker) {
    loop {
        let batch = door.outbox.take().await;
        if batch.is_empty() {
            return;
        }
        for message in batch {
            if let Outgoing::Event(event) = &message
                && let EventBody::Notice(notice) = &event.body
            {
                asker.note(care(&notice.severity), &notice.text).await;
            }
            let Outgoing::Request { id, method, params } = message else { continue };
            let (door, asker) = (door.clone(), asker.clone());
            tokio::spawn(async move {
                let answer = match serde_json::from_str(params.get()) {
                    Ok(params) if method == PermissionRequest::METHOD => {
                        to_raw_value(&permission(&asker, params).await)
                            .map_err(|error| RpcError::new(RpcError::INTERNAL, error.to_string()))
                    }
                    _ => Err(RpcError::new(RpcError::METHOD_NOT_FOUND, "There is no screen.")),
                };
                door.answered(&id, answer);
            });
        }
    }
}

fn care(severity: &Severity) -> Care {
    match severity {
        Severity::Error => Care::Error,
        Severity::Warning => Care::Warning,
        _ => Care::Info,
    }
}

/// A line for each option; whoever chooses none has said no.
async fn permission(asker: &Asker, params: PermissionRequestParams) -> Option<PermissionAnswer> {
    let detail = match serde_json::to_value(&params.subject) {
        Ok(Value::Object(subject)) => {
            subject.get("command").or_else(|| subject.get("uri")).cloned()
        }
        _ => None,
    };
    let detail = detail.as_ref().and_then(Value::as_str).unwrap_or_default();
    let message = format!("{}\n{}\n{detail}", params.title, params.reason);
    let labels = params.options.iter().map(|option| option.label.clone()).collect();
    let chosen = asker.choose(message.trim_end().to_owned(), labels).await?;
    let option = params.options.iter().find(|option| option.label == chosen)?;
    let option_id = option.id.clone();
    Some(PermissionAnswer { option_id, edited_input: None, feedback: None })
}
