//! Our side of a connection: what a server may ask of us and tell us.
//!
//! Everything here is bounded: news that nobody has read yet are flags, progress that nobody reads
//! is dropped, and a server has one question to the user at a time. Models are not lent to servers
//! (`sampling`): the request is refused.

#![expect(deprecated, reason = "servers of today still ask for roots and send log messages")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::{
    ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    ElicitationCapability, ErrorData, FormElicitationCapability, Implementation, ListRootsResult,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    Root, RootsCapabilities, UrlElicitationCapability,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ClientHandler, RoleClient};
use serde_json::Value;
use tokio::sync::{Notify, Semaphore, mpsc};

use crate::log::Log;
use crate::transport::Surroundings;

/// The last one that begins with this handshake: what is newer begins otherwise.
const VERSION: ProtocolVersion = ProtocolVersion::LATEST_WITH_INITIALIZE;

/// The version of the protocol that servers are greeted with.
pub fn protocol_version() -> String {
    VERSION.to_string()
}

/// Questions of one server that may wait for the user.
const WAITING: usize = 4;
/// Words of a server above a question.
const MESSAGE: usize = 2000;
/// A form larger than this is nobody's to fill in.
const FORM: usize = 64 * 1024;

/// What a server wants to know from the user.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicitation {
    /// A form: a JSON schema of one flat object.
    Form { message: String, schema: Value },
    /// A page to open, which is where the answer is given.
    Page { message: String, url: String },
}

/// What the user said to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Elicited {
    /// With what was filled in, where there was a form.
    Accepted(Option<Value>),
    Declined,
    /// Closed without a word, or nobody was there.
    Cancelled,
}

/// How far a call has come.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub done: f64,
    pub total: Option<f64>,
    pub message: Option<String>,
}

/// What the handler, the keeper of the server and its calls have in common.
pub(crate) struct Shared {
    pub(crate) log: Arc<Log>,
    pub(crate) changes: Changes,
    listeners: Mutex<HashMap<ProgressToken, mpsc::Sender<Progress>>>,
    questions: Semaphore,
    /// Only one of them is shown at a time.
    asking: tokio::sync::Mutex<()>,
    /// Held while a process is being started, on a thread that nobody can stop.
    pub(crate) starting: Arc<tokio::sync::Mutex<()>>,
}

/// Which lists are not what they were. Flags, so that a server may say so as often as it likes.
#[derive(Default)]
pub(crate) struct Changes {
    pub(crate) tools: AtomicBool,
    pub(crate) prompts: AtomicBool,
    pub(crate) resources: AtomicBool,
    pub(crate) told: Notify,
}

impl Changes {
    fn tell(&self, which: &AtomicBool) {
        which.store(true, Ordering::Release);
        self.told.notify_one();
    }
}

impl Shared {
    pub(crate) fn new() -> Arc<Shared> {
        Arc::new(Shared {
            log: Arc::default(),
            changes: Changes::default(),
            listeners: Mutex::default(),
            questions: Semaphore::new(WAITING),
            asking: tokio::sync::Mutex::default(),
            starting: Arc::default(),
        })
    }

    /// Progress of the request with this token goes here until [`Shared::unlisten`].
    pub(crate) fn listen(&self, token: ProgressToken, to: mpsc::Sender<Progress>) {
        self.listeners().insert(token, to);
    }

    pub(crate) fn unlisten(&self, token: &ProgressToken) {
        self.listeners().remove(token);
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<ProgressToken, mpsc::Sender<Progress>>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The handler of one connection.
#[derive(Clone)]
pub(crate) struct Client {
    server: String,
    around: Arc<dyn Surroundings>,
    shared: Arc<Shared>,
}

impl Client {
    pub(crate) fn new(server: &str, around: Arc<dyn Surroundings>, shared: Arc<Shared>) -> Client {
        Client { server: server.to_owned(), around, shared }
    }

    pub(crate) fn log(&self) -> Arc<Log> {
        self.shared.log.clone()
    }

    /// Until this is dropped, whoever gives up on the server waits before they go.
    pub(crate) async fn starting(&self) -> tokio::sync::OwnedMutexGuard<()> {
        self.shared.starting.clone().lock_owned().await
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut elicitation = ElicitationCapability::default();
        elicitation.form = Some(FormElicitationCapability::default());
        elicitation.url = Some(UrlElicitationCapability::default());
        let mut roots = RootsCapabilities::default();
        roots.list_changed = Some(true);
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(elicitation);
        capabilities.roots = Some(roots);
        let own = Implementation::new("bowline", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(capabilities, own).with_protocol_version(VERSION)
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        let roots = self.around.roots().into_iter().map(Root::new);
        Ok(ListRootsResult::new(roots.collect()))
    }

    async fn create_elicitation(
        &self,
        request: ElicitRequestParams,
        context: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let asked = elicitation(request).map_err(|why| {
            self.shared.log.note(&format!("A question of its was refused: {why}"));
            ErrorData::invalid_params(why, None)
        })?;
        let Ok(_waits) = self.shared.questions.try_acquire() else {
            self.shared.log.note("Too many questions at once; one was declined.");
            return Ok(ElicitResult::new(ElicitationAction::Decline));
        };
        let answered = async {
            let _alone = self.shared.asking.lock().await;
            self.around.elicit(&self.server, asked).await
        };
        let answer = tokio::select! {
            answer = answered => answer,
            () = context.ct.cancelled() => Elicited::Cancelled,
        };
        Ok(match answer {
            Elicited::Accepted(content) => {
                let mut result = ElicitResult::new(ElicitationAction::Accept);
                result.content = content;
                result
            }
            Elicited::Declined => ElicitResult::new(ElicitationAction::Decline),
            Elicited::Cancelled => ElicitResult::new(ElicitationAction::Cancel),
        })
    }

    async fn on_progress(
        &self,
        params: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let listener = self.shared.listeners().get(&params.progress_token).cloned();
        if let Some(listener) = listener {
            let ProgressNotificationParam { progress, total, message, .. } = params;
            // Whoever does not keep up misses some.
            drop(listener.try_send(Progress { done: progress, total, message }));
        }
    }

    async fn on_logging_message(
        &self,
        params: LoggingMessageNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        let said = match params.data {
            Value::String(text) => text,
            data => data.to_string(),
        };
        let level = format!("{:?}", params.level).to_lowercase();
        self.shared.log.note(&format!("{level}: {said}"));
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.shared.changes.tell(&self.shared.changes.tools);
    }

    async fn on_prompt_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.shared.changes.tell(&self.shared.changes.prompts);
    }

    async fn on_resource_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.shared.changes.tell(&self.shared.changes.resources);
    }
}

/// The question as we put it; the error says why we do not.
fn elicitation(request: ElicitRequestParams) -> Result<Elicitation, &'static str> {
    let short = |message: String| message[..message.floor_char_boundary(MESSAGE)].to_owned();
    match request {
        ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } => {
            let schema = serde_json::to_value(&requested_schema).unwrap_or_default();
            if schema.to_string().len() > FORM {
                return Err("The form is too large.");
            }
            Ok(Elicitation::Form { message: short(message), schema })
        }
        ElicitRequestParams::UrlElicitationParams { message, url, .. } => {
            // Nothing but a page is ever opened: other schemes start programs.
            let page = reqwest::Url::parse(&url)
                .is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.host().is_some());
            if !page || url.len() > MESSAGE {
                return Err("The address is no page of the web.");
            }
            Ok(Elicitation::Page { message: short(message), url })
        }
        _ => Err("This kind of question is not known."),
    }
}
