//! A server in this process, made with the same SDK, and surroundings that lead to it.

#![expect(deprecated, reason = "servers of today still ask for roots")]

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use exec::Walls;
use futures::future::BoxFuture;
use rmcp::model::{
    CallToolRequestParams, CallToolResult, CancelledNotificationParam, ContentBlock,
    ElicitRequestParams, GetPromptRequestParams, GetPromptResponse, ListPromptsResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProgressNotificationParam,
    ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig as About,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, serve_server};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};
use tokio::sync::{Notify, mpsc};
use tokio_util::sync::CancellationToken;

use crate::client::{Elicitation, Elicited};
use crate::config::{Scope, ServerConfig, parse_config};
use crate::hub::Hub;
use crate::patience::Patience;
use crate::server::Server;
use crate::transport::{SdkLine, Surroundings};

/// What the server was told, and how it goes on.
#[derive(Default)]
pub(super) struct Told {
    pub(super) connections: AtomicUsize,
    pub(super) calls: AtomicUsize,
    pub(super) cancelled: AtomicUsize,
    pub(super) lists: AtomicUsize,
    pub(super) more_tools: AtomicBool,
    pub(super) asked: Mutex<Vec<Elicitation>>,
    peer: Mutex<Option<Peer<RoleServer>>>,
    line: Mutex<CancellationToken>,
    news: Notify,
}

impl Told {
    pub(super) async fn wait(&self, wanted: impl Fn(&Told) -> bool) {
        let heard = async {
            loop {
                let news = self.news.notified();
                if wanted(self) {
                    return;
                }
                news.await;
            }
        };
        tokio::time::timeout(super::SOON, heard).await.expect("it was never told");
    }

    pub(super) async fn say_changed(&self) {
        let peer = self.peer.lock().unwrap().clone().unwrap();
        peer.notify_tool_list_changed().await.unwrap();
    }

    pub(super) fn hang_up(&self) {
        self.line.lock().unwrap().cancel();
    }

    fn count(&self, what: &AtomicUsize) {
        what.fetch_add(1, Ordering::SeqCst);
        self.news.notify_waiters();
    }
}

#[derive(Clone)]
pub(super) struct Fake {
    /// What the user says to every question.
    pub(super) answer: Elicited,
    pub(super) told: Arc<Told>,
}

impl Default for Fake {
    fn default() -> Fake {
        Fake { answer: Elicited::Declined, told: Arc::default() }
    }
}

/// A hub with this one server.
pub(super) fn one(fake: Fake) -> (Hub, Arc<Server>, Arc<Told>) {
    let told = fake.told.clone();
    let json = r#"{"mcpServers": {"fake": {"type": "sdk"}}}"#;
    let hub = hub(fake, parse_config(json, Scope::Session).0);
    let server = hub.server("fake").unwrap();
    (hub, server, told)
}

pub(super) fn hub(fake: Fake, configs: Vec<ServerConfig>) -> Hub {
    let patience = Patience { pause: std::time::Duration::from_millis(20), ..Patience::default() };
    let hub = Hub::new(Arc::new(fake), patience);
    hub.set(configs);
    hub
}

impl Surroundings for Fake {
    fn cwd(&self) -> PathBuf {
        PathBuf::from("/")
    }

    fn environment(&self) -> Vec<(OsString, OsString)> {
        vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())]
    }

    fn variables(&self) -> BTreeMap<String, String> {
        BTreeMap::new()
    }

    fn walls(&self, _: &ServerConfig) -> Result<Walls, String> {
        Ok(Walls::Open)
    }

    fn http(&self, _: &str) -> Result<reqwest::Client, String> {
        Err("There is no network here.".to_owned())
    }

    fn sdk(&self, _: &str) -> Option<SdkLine> {
        let (to_server, from_client) = mpsc::channel::<Value>(16);
        let (to_client, from_server) = mpsc::channel::<Value>(16);
        let cut = CancellationToken::new();
        *self.told.line.lock().unwrap() = cut.clone();
        tokio::spawn(self.clone().serve(from_client, to_client, cut));
        Some(SdkLine { to_server, from_server })
    }

    fn roots(&self) -> Vec<String> {
        vec!["file:///work".to_owned()]
    }

    fn elicit(&self, _: &str, asked: Elicitation) -> BoxFuture<'static, Elicited> {
        self.told.asked.lock().unwrap().push(asked);
        Box::pin(std::future::ready(self.answer.clone()))
    }
}

impl Fake {
    async fn serve(
        self,
        from: mpsc::Receiver<Value>,
        to: mpsc::Sender<Value>,
        cut: CancellationToken,
    ) {
        let incoming = futures::stream::unfold(from, |mut from| async move {
            let value = from.recv().await?;
            Some((serde_json::from_value(value).ok()?, from))
        });
        let outgoing = futures::sink::unfold(to, |to: mpsc::Sender<Value>, message| {
            let value = serde_json::to_value(&message).unwrap_or_default();
            async move { to.send(value).await.map(|()| to).map_err(std::io::Error::other) }
        });
        let told = self.told.clone();
        let serving = serve_server(self, (Box::pin(outgoing), Box::pin(incoming))).await.unwrap();
        *told.peer.lock().unwrap() = Some(serving.peer().clone());
        told.count(&told.connections);
        let stop = serving.cancellation_token();
        tokio::select! {
            _ = serving.waiting() => {}
            () = cut.cancelled() => stop.cancel(),
        }
    }

    async fn answer(
        &self,
        asked: Value,
        cx: RequestContext<RoleServer>,
    ) -> Result<String, ErrorData> {
        if asked["ask"] == true {
            let form = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
            let question = ElicitRequestParams::FormElicitationParams {
                meta: None,
                message: "Who are you?".to_owned(),
                requested_schema: read(form)?,
            };
            let answer = cx.peer.create_elicitation(question).await.map_err(broken)?;
            return Ok(answer.content.unwrap_or_default().to_string());
        }
        if asked["roots"] == true {
            let roots = cx.peer.list_roots().await.map_err(broken)?;
            return Ok(roots.roots[0].uri.clone());
        }
        if let Some(token) = cx.meta.get_progress_token() {
            let half = ProgressNotificationParam::new(token, 0.5).with_message("half of it");
            cx.peer.notify_progress(half).await.map_err(broken)?;
        }
        Ok(asked["text"].as_str().unwrap_or_default().to_owned())
    }
}

fn broken(error: impl std::fmt::Display) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(broken)
}

type Page = Option<PaginatedRequestParams>;

impl ServerHandler for Fake {
    fn get_info(&self) -> About {
        let mut capabilities = ServerCapabilities::default();
        capabilities.tools = Some(Default::default());
        capabilities.prompts = Some(Default::default());
        capabilities.resources = Some(Default::default());
        let mut about = About::new(capabilities);
        about.instructions = Some("Be kind.".to_owned());
        about
    }

    async fn list_tools(
        &self,
        _: Page,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.told.count(&self.told.lists);
        let mut names = vec!["echo", "slow"];
        if self.told.more_tools.load(Ordering::SeqCst) {
            names.push("late");
        }
        let tool = |name| json!({ "name": name, "inputSchema": { "type": "object" } });
        read(json!({ "tools": names.into_iter().map(tool).collect::<Vec<_>>() }))
    }

    async fn list_prompts(
        &self,
        _: Page,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        read(json!({ "prompts": [{ "name": "greet", "arguments": [{ "name": "who" }] }] }))
    }

    async fn list_resources(
        &self,
        _: Page,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        read(json!({ "resources": [{ "uri": "note://one", "name": "one" }] }))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        read(json!({ "contents": [{ "uri": request.uri, "text": "the note" }] }))
            .map(ReadResourceResponse::Complete)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let who = request.arguments.unwrap_or_default()["who"].clone();
        let text = format!("Say hello to {}.", who.as_str().unwrap_or_default());
        let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
        read(json!({ "messages": [message] })).map(GetPromptResponse::Complete)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<rmcp::model::CallToolResponse, ErrorData> {
        self.told.count(&self.told.calls);
        if request.name == "slow" {
            std::future::pending::<()>().await;
        }
        let arguments = Value::Object(request.arguments.unwrap_or_default());
        let text = self.answer(arguments, context).await?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    async fn on_cancelled(
        &self,
        _: CancelledNotificationParam,
        _: NotificationContext<RoleServer>,
    ) {
        self.told.count(&self.told.cancelled);
    }
}
