//! The world, as a session's tools see it: through the main loop, which knows what the editor has
//! open and keeps the ledgers.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use extend::SaveBeforeCommands;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use language::{Answer, Query};
use text::Author;
use tokio::sync::{mpsc, oneshot};
use tools::{
    EditError, EditRequest, Edited, EditedFile, Findings, Found, LeftPlan, Quick, Rewritten,
    Search, SessionState, Tasks, Unsaved, UserAnswer, UserQuestion, World,
};
use workspace::{Document, FileText, Origin, Snapshot};

use super::agents::Gateway;
use super::checkpoint;
use super::languages::Languages;
use super::shelter::Shelter;
use super::tasks::SessionTasks;
use super::{CallNews, Msg, ServerNews, Spent, asking};
use crate::core::{
    AfterCommand, BeforeCommand, ClosedEdit, Computed, CoreHandle, Event, OpenEdit, Purpose,
    Refresh, Wanted,
};

use crate::private_folder::private_folder;
use crate::repository;

/// One for each call.
pub(super) struct SessionWorld {
    pub(super) core: CoreHandle,
    pub(super) state: Arc<SessionState>,
    pub(super) languages: Arc<Languages>,
    pub(super) shelter: Arc<Shelter>,
    pub(super) hub: Arc<mcp::Hub>,
    pub(super) tasks: SessionTasks,
    pub(super) agents: Gateway,
    pub(super) own: mpsc::Sender<Msg>,
    pub(super) saves: SaveBeforeCommands,
    pub(super) session: String,
    pub(super) turn: String,
    pub(super) call: String,
    /// Who changes files through it.
    pub(super) changes: Changes,
    /// The model takes PDFs as they are.
    pub(super) takes_documents: bool,
    /// Where the user wants commands to run.
    pub(super) terminal: Option<Arc<dyn tools::Terminal>>,
}

/// Whose changes they are, for the ledger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Changes {
    Agents,
    /// The user said what is to be written: there is nothing to review.
    Users,
}

/// A file may be opened and closed while it is being changed; then the other way is tried.
const TRIES: u32 = 3;
const OVER: &str = "The session is over.";

impl SessionWorld {
    /// Nothing where there is no repository.
    async fn keep(&self, folder: PathBuf) -> Option<String> {
        let (shelter, home) = (self.shelter.clone(), self.state.permissions().home);
        let ready = tokio::task::spawn_blocking(move || {
            let repository = repository::around(&folder)?;
            let walls = shelter.of_helper(exec::Disk::Roots);
            let temp = private_folder().map_err(|error| error.to_string());
            Some((repository, walls, temp))
        });
        let (repository, walls, temp) = ready.await.ok()??;
        let (walls, temp) = match (walls, temp) {
            (Ok(walls), Ok(temp)) => (walls, temp),
            (Err(why), _) | (_, Err(why)) => {
                return Some(format!("Nothing was kept before the command: {why}"));
            }
        };
        let place = match &walls {
            exec::Walls::Within(confinement) => confinement.temp.clone(),
            _ => temp.path().to_owned(),
        };
        let index = place.join(format!("index-{}", self.call));
        let home = home.map(PathBuf::into_os_string);
        let keeper = checkpoint::Keeper { repository, walls, home, index };
        Some(keeper.keep(&self.session).await)
    }

    async fn tell(&self, news: CallNews) {
        // The session outlives its calls; if it is gone, whoever waits for an answer learns it.
        let _ = self.own.send(Msg::Call { id: self.call.clone(), news }).await;
    }

    async fn look(&self) -> Snapshot {
        let (reply, answer) = oneshot::channel();
        self.core.send(Event::Snapshot(reply)).await;
        answer.await.unwrap_or_default()
    }

    async fn refresh(&self, path: &Path, what: Wanted) {
        let (done, is_done) = oneshot::channel();
        self.core.send(Event::Refresh(Refresh { path: path.to_owned(), what, done })).await;
        let _ = is_done.await;
    }

    async fn change(&self, request: EditRequest) -> Result<Edited, EditError> {
        if request.base.is_none() {
            self.refresh(&request.path, Wanted::Creation).await;
        }
        for _ in 0..TRIES {
            let (snapshot, path) = (self.look().await, request.path.clone());
            // Finding out where a document is asks the disk, which may wait.
            let document = blocking(move || snapshot.at(&path).cloned()).await?;
            let changed = match document {
                Some(document) => self.change_open(&document, &request).await?,
                None => self.change_closed(&request).await?,
            };
            if let Some(edited) = changed {
                return Ok(edited);
            }
        }
        let (path, reason) = (request.path.display().to_string(), "it is being opened and closed");
        Err(EditError::Refused { path, reason: reason.to_owned() })
    }

    /// `None` when it is not open any more.
    async fn change_open(
        &self,
        document: &Document,
        request: &EditRequest,
    ) -> Result<Option<Edited>, EditError> {
        let base = request.base.as_ref();
        let mut version = match base.map(|base| &base.origin) {
            Some(Origin::Buffer { version, .. }) => *version,
            // Read from disk, or not there, and opened since.
            _ => document.version,
        };
        if let Some(file) = base.filter(|file| file.buffer() != &file.text) {
            // The disk is ahead of the editor: first the editor gets what others wrote there.
            let Some(edited) = self.take_over(document, version, file).await? else {
                return Ok(None);
            };
            version = edited.version.unwrap_or(document.version);
        }
        let text = base.map(|base| base.text.clone()).unwrap_or_default();
        let computed = Computed { version, base: text, edit: request.edit.clone() };
        let purpose = self.purpose(&request.call_id);
        self.send_open(document, computed, request.label.clone(), &request.call_id, purpose).await
    }

    async fn take_over(
        &self,
        document: &Document,
        version: i32,
        file: &FileText,
    ) -> Result<Option<Edited>, EditError> {
        let base = file.buffer().clone();
        let edit = text::diff(&base.to_string(), &file.text.to_string());
        let computed = Computed { version, base, edit };
        let label = "Bowline: Take over changes on disk".to_owned();
        let group = format!("bowline.disk.{}", self.call);
        self.send_open(document, computed, label, &group, Purpose::Foreign).await
    }

    async fn send_open(
        &self,
        document: &Document,
        computed: Computed,
        label: String,
        undo_group: &str,
        purpose: Purpose,
    ) -> Result<Option<Edited>, EditError> {
        let (reply, answer) = oneshot::channel();
        let (uri, undo_group) = (document.uri.clone(), undo_group.to_owned());
        let computed = Some(computed);
        let edit = OpenEdit { uri, computed, label, undo_group, purpose, reply };
        self.core.send(Event::Edit(Box::new(edit))).await;
        answer.await.map_err(|_| EditError::Gone)?.transpose()
    }

    /// `None` when it was opened meanwhile.
    async fn change_closed(&self, request: &EditRequest) -> Result<Option<Edited>, EditError> {
        let (reply, answer) = oneshot::channel();
        let edit = ClosedEdit {
            path: request.path.clone(),
            base: request.base.clone(),
            edit: request.edit.clone(),
            remove: false,
            purpose: self.purpose(&request.call_id),
            reply,
        };
        self.core.send(Event::Write(Box::new(edit))).await;
        answer.await.map_err(|_| EditError::Gone)?.transpose()
    }

    /// The same for what the user wants to be written.
    pub(super) fn by_the_user(self) -> Self {
        Self { changes: Changes::Users, ..self }
    }

    fn purpose(&self, call: &str) -> Purpose {
        match self.changes {
            Changes::Agents => Purpose::Agent(self.author(call)),
            Changes::Users => Purpose::Foreign,
        }
    }

    fn author(&self, call: &str) -> Author {
        let (session, turn) = (self.session.clone(), self.turn.clone());
        let call = self.agents.outer(call);
        Author { session, turn, call }
    }
}

impl World for SessionWorld {
    fn terminal(&self) -> Option<Arc<dyn tools::Terminal>> {
        self.terminal.clone()
    }

    fn snapshot(&self) -> BoxFuture<'_, Snapshot> {
        self.look().boxed()
    }

    fn snapshot_for<'a>(&'a self, path: &'a Path) -> BoxFuture<'a, Snapshot> {
        async move {
            self.refresh(path, Wanted::Text).await;
            self.look().await
        }
        .boxed()
    }

    fn snapshot_below<'a>(&'a self, folder: &'a Path) -> BoxFuture<'a, Snapshot> {
        async move {
            self.refresh(folder, Wanted::Below).await;
            self.look().await
        }
        .boxed()
    }

    fn edit(&self, request: EditRequest) -> BoxFuture<'_, Result<Edited, EditError>> {
        self.change(request).boxed()
    }

    fn before_command(&self) -> BoxFuture<'_, Unsaved> {
        async move {
            let (reply, answer) = oneshot::channel();
            let command = BeforeCommand {
                session: self.session.clone(),
                roots: self.state.permissions().roots,
                saves: self.saves,
                reply,
            };
            self.core.send(Event::BeforeCommand(Box::new(command))).await;
            answer.await.unwrap_or_default()
        }
        .boxed()
    }

    fn after_command(&self, rewritten: Vec<Rewritten>) -> BoxFuture<'_, ()> {
        async move {
            let author = self.author(&self.call);
            let (done, is_done) = oneshot::channel();
            let command = AfterCommand { author, rewritten, done };
            self.core.send(Event::AfterCommand(Box::new(command))).await;
            let _ = is_done.await;
        }
        .boxed()
    }

    fn findings(&self, edited: EditedFile) -> BoxFuture<'_, Findings> {
        self.languages.findings(&self.core, &self.session, edited).boxed()
    }

    fn ask_language_server(&self, query: Query) -> BoxFuture<'_, Result<Answer, String>> {
        self.languages.ask(&self.core, query).boxed()
    }

    fn shelter(&self) -> Result<Option<tools::Shelter>, String> {
        match self.shelter.missing() {
            Some(missing) => Err(missing),
            None => Ok(self.shelter.for_tools()),
        }
    }

    fn walls(&self, looks: bool) -> BoxFuture<'_, Result<exec::Walls, String>> {
        let (shelter, call) = (self.shelter.clone(), self.call.clone());
        let disk = if looks { exec::Disk::Closed } else { exec::Disk::Roots };
        let walls = tokio::task::spawn_blocking(move || match shelter.of_command(&call, disk)? {
            exec::Walls::Open => {
                Err("The sandbox was switched off meanwhile; try again.".to_owned())
            }
            walls => Ok(walls),
        });
        walls.map(|walls| walls.unwrap_or_else(|error| Err(error.to_string()))).boxed()
    }

    fn ask_quick_model(&self, question: Quick) -> BoxFuture<'_, Result<String, String>> {
        async move {
            let (reply, quick) = oneshot::channel();
            self.tell(CallNews::Quick { reply }).await;
            let quick = quick.await.map_err(|_| OVER.to_owned())?;
            let Quick { system, prompt, max_tokens } = question;
            let system = agent::prompt::blocks(&[system]);
            let mut usage = agent::Usage::default();
            let answer = quick.ask(system, &prompt, max_tokens, &mut usage).await;
            let spent = Spent { what: "page", model: quick.model, usage };
            self.tell(CallNews::Spent(Box::new(spent))).await;
            answer
        }
        .boxed()
    }

    fn search_web(&self, search: Search) -> BoxFuture<'_, Result<Found, String>> {
        async move {
            let (reply, searcher) = oneshot::channel();
            self.tell(CallNews::Search { reply }).await;
            let searcher = searcher.await.map_err(|_| OVER.to_owned())?;
            let Some(searcher) = searcher else {
                return Err("no provider of this session searches the web".to_owned());
            };
            let mut usage = agent::Usage::default();
            let found = searcher.search(&search, &mut usage).await;
            let spent = Spent { what: "search", model: searcher.model, usage };
            self.tell(CallNews::Spent(Box::new(spent))).await;
            found
        }
        .boxed()
    }

    fn ask_user(&self, questions: Vec<UserQuestion>) -> BoxFuture<'_, Result<UserAnswer, String>> {
        async move {
            self.tell(CallNews::Questions).await;
            let answer = asking::ask(&self.own, &self.session, &self.call, &questions).await;
            self.tell(CallNews::Answered).await;
            answer
        }
        .boxed()
    }

    fn enter_plan_mode(&self) -> BoxFuture<'_, Result<PathBuf, String>> {
        async move {
            let (done, is_done) = oneshot::channel();
            self.tell(CallNews::EnterPlan { done }).await;
            is_done.await.map_err(|_| OVER.to_owned())
        }
        .boxed()
    }

    fn leave_plan_mode(&self, plan: String) -> BoxFuture<'_, Result<LeftPlan, String>> {
        async move {
            let (left, has_left) = oneshot::channel();
            self.tell(CallNews::LeavePlan { plan: plan.clone(), left }).await;
            let left = has_left.await.map_err(|_| OVER.to_owned())?;
            let file = left.file.clone();
            let kept = tokio::task::spawn_blocking(move || crate::store::keep_plan(&file, &plan));
            match kept.await {
                Ok(Ok(file)) => Ok(LeftPlan { file, ..left }),
                Ok(Err(error)) => {
                    Err(format!("Plan mode is over, but the plan was not kept: {error}"))
                }
                Err(error) => Err(error.to_string()),
            }
        }
        .boxed()
    }

    fn use_skill(&self, name: String, args: String) -> BoxFuture<'_, Result<String, String>> {
        async move {
            let (reply, called) = oneshot::channel();
            self.tell(CallNews::Skill { name, args, reply }).await;
            let expansion = called.await.map_err(|_| OVER.to_owned())??;
            let ready = Box::new(expansion.run().await?);
            if let Some(reported) = expansion.delegate(&ready).await {
                return reported;
            }
            let (said, is_said) = oneshot::channel();
            self.tell(CallNews::SkillReady { ready, said }).await;
            is_said.await.map_err(|_| OVER.to_owned())
        }
        .boxed()
    }

    fn takes_documents(&self) -> bool {
        self.takes_documents
    }

    fn result_stands(&self, call: &str) -> BoxFuture<'_, bool> {
        let call = call.to_owned();
        async move {
            let (reply, stands) = oneshot::channel();
            self.tell(CallNews::Stands { call, reply }).await;
            stands.await.unwrap_or(false)
        }
        .boxed()
    }

    fn await_servers(&self) -> BoxFuture<'_, bool> {
        async move {
            if !self.hub.servers().iter().any(|server| server.is_on_its_way()) {
                return false;
            }
            self.hub.settled(self.hub.patience().start, |_| true).await;
            let (done, is_done) = oneshot::channel();
            let _ = self.own.send(Msg::Server(ServerNews::Look { done })).await;
            is_done.await.is_ok()
        }
        .boxed()
    }

    fn tasks(&self) -> &dyn Tasks {
        &self.tasks
    }

    fn agents(&self) -> &dyn tools::Agents {
        &self.agents
    }

    fn keep_work(&self, folders: Vec<PathBuf>) -> BoxFuture<'_, Vec<String>> {
        async move {
            let mut notes = Vec::new();
            for folder in folders {
                notes.extend(self.keep(folder).await);
            }
            notes
        }
        .boxed()
    }

    fn notify_user(&self, text: String) -> BoxFuture<'_, ()> {
        self.tell(CallNews::Notice(text)).boxed()
    }

    fn refused(&self, denials: &[exec::Denial]) -> BoxFuture<'_, ()> {
        let is_left = |it: &&exec::Denial| matches!(it, exec::Denial::Obeyed { aside: None, .. });
        let left: Vec<String> = denials.iter().filter(is_left).map(tools::refusal).collect();
        let refused = denials.iter().filter(|denial| !is_left(denial));
        let mut news = vec![CallNews::Refused { what: refused.map(tools::refusal).collect() }];
        if !left.is_empty() {
            let text = format!("The sandbox let a command {}; look at it.", left.join("; "));
            news.push(CallNews::Notice(text));
        }
        async move {
            for news in news {
                self.tell(news).await;
            }
        }
        .boxed()
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, EditError> {
    tokio::task::spawn_blocking(work).await.map_err(|error| EditError::Disk(error.to_string()))
}
