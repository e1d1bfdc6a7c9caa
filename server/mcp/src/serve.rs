//! The other side of the protocol: tools of ours, offered to somebody else's agent over a pair of
//! pipes. What they do and who is asked is the business of whoever brings them ([`Toolbox`]).

mod http;
mod logging;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequestParams,
    ElicitationAction, ElicitationSchema, EnumSchema, ErrorData, GetPromptRequestParams,
    GetPromptResponse, GetPromptResult, Implementation, ListPromptsResult, ListToolsResult,
    PaginatedRequestParams, PrimitiveSchemaDefinition, ProgressNotificationParam, ProgressToken,
    Prompt, PromptArgument, PromptMessage, Role, ServerCapabilities, ServerConfig, Tool,
    ToolAnnotations,
};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, ServerHandler, ServiceExt as _};
use serde_json::{Map, Value};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OnceCell, mpsc};
use tokio_util::sync::CancellationToken;

pub use http::serve_http;
pub use logging::Care;
use logging::Least;

/// Progress that nobody has read yet; what does not fit is dropped.
const REPORTS: usize = 16;
/// The field of the form that holds an answer.
const ANSWER: &str = "answer";

/// What is offered.
#[async_trait]
pub trait Toolbox: Send + Sync + 'static {
    /// The first thing that happens. The error is a sentence for the client.
    async fn open(&self, client: Asker) -> Result<(), String>;

    async fn tools(&self) -> Vec<OfferedTool>;

    async fn call(&self, call: OfferedCall) -> OfferedAnswer;

    async fn prompts(&self) -> Vec<OfferedPrompt>;

    /// The words of one of them. The error is a sentence for the client.
    async fn prompt(
        &self,
        name: String,
        arguments: BTreeMap<String, String>,
    ) -> Result<String, String>;
}

/// Something that a user may want to say.
#[derive(Clone, Debug)]
pub struct OfferedPrompt {
    pub name: String,
    pub description: String,
    /// What can be filled in, and what that may be.
    pub arguments: Vec<String>,
    pub hint: Option<String>,
}

/// A tool as others see it.
#[derive(Clone, Debug)]
pub struct OfferedTool {
    pub name: String,
    pub description: String,
    pub schema: Map<String, Value>,
    /// It changes nothing.
    pub reads_only: bool,
}

/// One call of it.
pub struct OfferedCall {
    pub name: String,
    pub input: Value,
    /// The client does not want it any more.
    pub cancel: CancellationToken,
    /// For what it prints on its way, where the client wants to see that.
    pub progress: Option<mpsc::Sender<String>>,
}

/// What came of it.
#[derive(Clone, Debug, Default)]
pub struct OfferedAnswer {
    pub parts: Vec<OfferedPart>,
    pub failed: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OfferedPart {
    Text(String),
    /// In Base64.
    Picture {
        mime_type: String,
        data: String,
    },
}

/// The way to the user behind the client, where there is one.
#[derive(Clone)]
pub struct Asker {
    peer: Peer<RoleServer>,
    can_ask: bool,
    /// The client wants to hear of what matters at least so much.
    least: Least,
}

impl Asker {
    pub fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// Tells the client something that its user should know, if it wants to hear it.
    pub async fn note(&self, care: Care, text: &str) {
        self.least.tell(&self.peer, care, text).await;
    }

    /// Lets the user choose one of several answers. `None`: they chose none, or nobody was there.
    pub async fn choose(&self, message: String, answers: Vec<String>) -> Option<String> {
        let schema = EnumSchema::builder(answers).build();
        let schema = ElicitationSchema::builder()
            .required_property(ANSWER, PrimitiveSchemaDefinition::Enum(schema))
            .build()
            .ok()?;
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message,
            requested_schema: schema,
        };
        let answer = self.peer.create_elicitation(params).await.ok()?;
        if answer.action != ElicitationAction::Accept {
            return None;
        }
        Some(answer.content?.get(ANSWER)?.as_str()?.to_owned())
    }
}

/// Serves one client until it leaves. The error is a sentence about a beginning that went wrong.
pub async fn serve(
    toolbox: Arc<dyn Toolbox>,
    version: &str,
    input: impl AsyncRead + Send + Unpin + 'static,
    output: impl AsyncWrite + Send + Unpin + 'static,
) -> Result<(), String> {
    let counter = Counter::new(toolbox, version);
    let running = counter.serve((input, output)).await.map_err(|error| error.to_string())?;
    running.waiting().await.map(drop).map_err(|error| error.to_string())
}

/// Where the client stands.
struct Counter {
    toolbox: Arc<dyn Toolbox>,
    version: String,
    opened: OnceCell<Result<(), String>>,
    least: Least,
}

impl Counter {
    fn new(toolbox: Arc<dyn Toolbox>, version: &str) -> Self {
        let least = Least::default();
        Self { toolbox, version: version.to_owned(), opened: OnceCell::new(), least }
    }

    async fn open(&self, context: &RequestContext<RoleServer>) -> Result<(), ErrorData> {
        let can_ask = context.client_capabilities().is_some_and(|can| can.elicitation.is_some());
        let asker = Asker { peer: context.peer.clone(), can_ask, least: self.least.clone() };
        let opened = self.opened.get_or_init(|| self.toolbox.open(asker)).await;
        opened.clone().map_err(|problem| ErrorData::internal_error(problem, None))
    }
}

impl ServerHandler for Counter {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(logging::offered(ServerCapabilities::builder()))
            .with_server_info(Implementation::new("bowline", &self.version))
    }

    #[expect(deprecated, reason = "clients of this version of the protocol still set it")]
    async fn set_level(
        &self,
        request: rmcp::model::SetLevelRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.least.set(&request);
        Ok(())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.open(&context).await?;
        let prompts = self.toolbox.prompts().await.into_iter().map(|offered| {
            let argument = |name: String| {
                let argument = PromptArgument::new(name).with_required(false);
                match &offered.hint {
                    Some(hint) => argument.with_description(hint.clone()),
                    None => argument,
                }
            };
            let arguments = offered.arguments.into_iter().map(argument).collect();
            Prompt::new(offered.name, Some(offered.description), Some(arguments))
        });
        Ok(ListPromptsResult::with_all_items(prompts.collect()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        self.open(&context).await?;
        let arguments = request.arguments.unwrap_or_default().into_iter();
        let text = |value: Value| match value {
            Value::String(text) => text,
            other => other.to_string(),
        };
        let arguments = arguments.map(|(name, value)| (name, text(value))).collect();
        let words = self.toolbox.prompt(request.name, arguments).await;
        let words = words.map_err(|problem| ErrorData::invalid_params(problem, None))?;
        let message = PromptMessage::new_text(Role::User, words);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.open(&context).await?;
        let tools = self.toolbox.tools().await.into_iter().map(|tool| {
            let annotations = ToolAnnotations::new().read_only(tool.reads_only);
            Tool::new(tool.name, tool.description, Arc::new(tool.schema))
                .with_annotations(annotations)
        });
        Ok(ListToolsResult::with_all_items(tools.collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.open(&context).await?;
        let name = request.name.into_owned();
        if !self.toolbox.tools().await.iter().any(|tool| tool.name == name) {
            let message: Cow<'static, str> = format!("There is no tool {name}.").into();
            return Err(ErrorData::invalid_params(message, None));
        }
        let progress = context.meta.get_progress_token();
        let progress = progress.map(|token| report(context.peer.clone(), token));
        let input = Value::Object(request.arguments.unwrap_or_default());
        let call = OfferedCall { name, input, cancel: context.ct.clone(), progress };
        let OfferedAnswer { parts, failed } = self.toolbox.call(call).await;
        let content = parts.into_iter().map(|part| match part {
            OfferedPart::Text(text) => ContentBlock::text(text),
            OfferedPart::Picture { mime_type, data } => ContentBlock::image(data, mime_type),
        });
        let content = content.collect();
        let result = match failed {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        Ok(result.into())
    }
}

/// Tells the client what is printed, a piece at a time.
fn report(peer: Peer<RoleServer>, token: ProgressToken) -> mpsc::Sender<String> {
    let (reports, mut printed) = mpsc::channel::<String>(REPORTS);
    tokio::spawn(async move {
        let mut done = 0.0;
        while let Some(message) = printed.recv().await {
            done += 1.0;
            let news = ProgressNotificationParam::new(token.clone(), done).with_message(message);
            if peer.notify_progress(news).await.is_err() {
                return;
            }
        }
    });
    reports
}
