//! A small world for the tests of the tools: a folder, an editor that does what it is told, and a
//! user who answers the same to every question.

mod agents;
mod tasks;

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use agent::ResultPart;
use agent::turn::ToolCall;
use futures::future::BoxFuture;
use language::{Answer as Answered, Query};
use policy::{Behavior, Entry, Mode, Rules, Source};
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use workspace::{DocumentUri, Documents, Expected, Snapshot, WriteOptions};

use crate::asked::{UserAnswer, UserQuestion};
use crate::context::{Context, Permissions, Progress, SessionState};
use crate::guard::Guards;
use crate::pipeline::{Answer, CallReport, Gate, Judgement, Proposal, run_call};
use crate::registry::{Offer, Registry};
use crate::tasks::Tasks;
use crate::tool::{Preview, Problem};
use crate::world::{
    EditError, EditRequest, Edited, EditedFile, Findings, Found, LeftPlan, Quick, Rewritten,
    Search, Shelter, Unsaved, World,
};

pub(crate) use tasks::Errands;

pub(crate) struct Desk {
    _keep: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) editor: Arc<Editor>,
    pub(crate) session: Arc<SessionState>,
    pub(crate) cancel: CancellationToken,
    pub(crate) printed: Arc<Mutex<String>>,
    pub(crate) user: User,
}

impl Desk {
    pub(crate) fn new(files: &[(&str, &str)]) -> Desk {
        let keep = tempfile::tempdir().unwrap();
        let root = workspace::real_path(keep.path()).unwrap();
        let permissions = Permissions {
            mode: Mode::Default,
            roots: vec![root.join("w")],
            home: Some(root.join("home")),
            ..Permissions::default()
        };
        let env = vec![("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into())];
        let session = SessionState::new(root.join("w"), env, permissions, Vec::new());
        let desk = Desk {
            _keep: keep,
            root,
            editor: Arc::default(),
            session: Arc::new(session),
            cancel: CancellationToken::new(),
            printed: Arc::default(),
            user: User::new(),
        };
        *desk.editor.errands.folder.lock().unwrap() = desk.path("tasks");
        desk.session.set_outputs(desk.path("tasks"));
        desk.write("w/.keep", "");
        files.iter().for_each(|(name, content)| desk.write(name, content));
        desk
    }

    /// Files are named from the folder that holds the workspace `w` and the world outside of it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let options = WriteOptions { create_parents: true, ..WriteOptions::default() };
        workspace::write_atomic(&self.path(name), content.as_ref(), &options).unwrap();
    }

    pub(crate) fn on_disk(&self, name: &str) -> String {
        let (bytes, _) = workspace::read_bytes(&self.path(name), 1 << 20).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    pub(crate) fn open(&self, name: &str, text: &str) {
        let uri = DocumentUri::from_path(&self.path(name)).unwrap();
        self.editor.documents.lock().unwrap().open(uri, String::new(), 1, text);
    }

    /// Opens a file as it is on the disk.
    pub(crate) fn open_saved(&self, name: &str) {
        let text = self.on_disk(name);
        self.open(name, &text);
        let uri = DocumentUri::from_path(&self.path(name)).unwrap();
        let base = workspace::common_base(&self.path(name), &text.into());
        self.editor.documents.lock().unwrap().set_base(&uri, base);
    }

    /// The user changes an open file, and does not save it.
    pub(crate) fn type_in(&self, name: &str, text: &str) {
        self.editor.type_in(&self.path(name), text);
    }

    pub(crate) fn in_editor(&self, name: &str) -> String {
        let snapshot = self.editor.documents.lock().unwrap().snapshot();
        snapshot.get(&self.path(name)).unwrap().text.to_string()
    }

    /// The editor sends a change that does not fit, so its text is not known any more.
    pub(crate) fn lose_step(&self, name: &str) {
        let uri = DocumentUri::from_path(&self.path(name)).unwrap();
        let nowhere = text::Position { line: 999, column: 0 };
        let change = workspace::Change { range: Some(nowhere..nowhere), text: String::new() };
        let mut documents = self.editor.documents.lock().unwrap();
        let encoding = text::PositionEncoding::Utf16;
        documents.change(&uri, 2, vec![change], encoding).unwrap_err();
    }

    /// From now on a language server answers.
    pub(crate) fn serve(
        &self,
        answer: impl Fn(&Query) -> Result<Answered, String> + Send + 'static,
    ) {
        *self.editor.server.lock().unwrap() = Some(Box::new(answer));
    }

    pub(crate) fn rule(&self, behavior: Behavior, rule: &str) {
        let rule = rule.parse().unwrap();
        let entry = Entry { behavior, rule, source: Source::User };
        self.session.update_permissions(|permissions| permissions.rules.add(entry));
    }

    pub(crate) fn context(&self) -> Context {
        let printed = Arc::clone(&self.printed);
        Context {
            world: Arc::<Editor>::clone(&self.editor),
            session: Arc::clone(&self.session),
            call_id: "call-1".to_owned(),
            cancel: self.cancel.clone(),
            progress: Progress::new(move |text| printed.lock().unwrap().push_str(text)),
            also: Arc::default(),
        }
    }

    /// A call in an answer of its own.
    pub(crate) async fn call(&self, name: &str, input: Value) -> CallReport {
        self.session.with_reads(crate::ReadLedger::note_request);
        self.call_in_same_answer(name, input).await
    }

    pub(crate) async fn call_in_same_answer(&self, name: &str, input: Value) -> CallReport {
        let steps = matches!(name, "TaskCreate" | "TaskUpdate" | "TaskGet" | "TaskList");
        let offer = Offer { tasks: steps, web_search: true, ..Offer::default() };
        let registry = Registry::builtin(&policy::removed_tools(&Rules::default()), &offer);
        self.call_in(&registry, name, input).await
    }

    pub(crate) async fn call_in(
        &self,
        registry: &Registry,
        name: &str,
        input: Value,
    ) -> CallReport {
        let call = ToolCall { id: "call-1".to_owned(), name: name.to_owned(), input };
        run_call(registry, call, self.context(), &self.user).await
    }

    /// The words of a call that must succeed, with our folder named `$`.
    pub(crate) async fn ok(&self, name: &str, input: Value) -> String {
        let report = self.call(name, input).await;
        assert!(!report.outcome.is_error, "{:?}", report.outcome);
        self.words(&report)
    }

    /// The words of a call that must fail.
    pub(crate) async fn err(&self, name: &str, input: Value) -> String {
        let report = self.call(name, input).await;
        assert!(report.outcome.is_error, "{:?}", report.outcome);
        self.words(&report)
    }

    pub(crate) fn words(&self, report: &CallReport) -> String {
        let texts = report.outcome.content.iter().map(|part| match part {
            ResultPart::Text { text } => text.as_str(),
            other => panic!("{other:?}"),
        });
        texts.collect::<Vec<_>>().join("\n").replace(&self.root.display().to_string(), "$")
    }
}

/// What somebody else than the tools would say, settable by a test.
#[derive(Default)]
pub(crate) struct Editor {
    documents: Mutex<Documents>,
    /// Instead of what it is asked to do, the editor does this and says that.
    pub(crate) deviates: Mutex<Option<(String, String)>>,
    pub(crate) unsaved: Mutex<Unsaved>,
    pub(crate) rewritten: Mutex<Vec<Rewritten>>,
    pub(crate) findings: Mutex<Findings>,
    /// What the user was shown.
    pub(crate) notices: Mutex<Vec<String>>,
    /// The edits that findings were asked for.
    pub(crate) looked_at: Mutex<Vec<EditedFile>>,
    server: Mutex<Option<Server>>,
    /// What keeps commands in.
    pub(crate) kept_in: Mutex<Option<Shelter>>,
    /// What goes on in the background.
    pub(crate) errands: Arc<Errands>,
    /// What the quick model was asked, and whether there is none.
    pub(crate) quick: Mutex<Vec<Quick>>,
    pub(crate) no_quick: Mutex<bool>,
    /// What was searched for, and what is found.
    pub(crate) searched: Mutex<Vec<Search>>,
    pub(crate) found: Mutex<Option<Found>>,
    /// What the user says to questions with choices.
    pub(crate) answer: Mutex<Option<UserAnswer>>,
    /// The model takes no documents.
    pub(crate) only_words: Mutex<bool>,
    /// No result stands in the conversation any more.
    pub(crate) forgets: Mutex<bool>,
    /// A file that nobody can write to.
    pub(crate) locked: Mutex<Option<PathBuf>>,
}

type Server = Box<dyn Fn(&Query) -> Result<Answered, String> + Send>;

impl World for Editor {
    fn snapshot(&self) -> BoxFuture<'_, Snapshot> {
        Box::pin(std::future::ready(self.documents.lock().unwrap().snapshot()))
    }

    fn edit(&self, request: EditRequest) -> BoxFuture<'_, Result<Edited, EditError>> {
        Box::pin(std::future::ready(self.apply(&request)))
    }

    fn before_command(&self) -> BoxFuture<'_, Unsaved> {
        Box::pin(std::future::ready(self.unsaved.lock().unwrap().clone()))
    }

    fn after_command(&self, rewritten: Vec<Rewritten>) -> BoxFuture<'_, ()> {
        self.rewritten.lock().unwrap().extend(rewritten);
        Box::pin(std::future::ready(()))
    }

    fn findings(&self, edited: EditedFile) -> BoxFuture<'_, Findings> {
        self.looked_at.lock().unwrap().push(edited);
        Box::pin(std::future::ready(self.findings.lock().unwrap().clone()))
    }

    fn ask_language_server(&self, query: Query) -> BoxFuture<'_, Result<Answered, String>> {
        let nobody = || Err("There is no language server here.".to_owned());
        let answer = self.server.lock().unwrap().as_ref().map_or_else(nobody, |ask| ask(&query));
        Box::pin(std::future::ready(answer))
    }

    fn shelter(&self) -> Result<Option<Shelter>, String> {
        Ok(self.kept_in.lock().unwrap().clone())
    }

    fn walls(&self, _: bool) -> BoxFuture<'_, Result<exec::Walls, String>> {
        Box::pin(std::future::ready(Err("There is no sandbox here.".to_owned())))
    }

    fn keep_work(&self, _: Vec<PathBuf>) -> BoxFuture<'_, Vec<String>> {
        Box::pin(std::future::ready(Vec::new()))
    }

    fn ask_quick_model(&self, question: Quick) -> BoxFuture<'_, Result<String, String>> {
        let last = question.prompt.rsplit("question: ").next().unwrap_or_default().to_owned();
        self.quick.lock().unwrap().push(question);
        let none = *self.no_quick.lock().unwrap();
        let answer =
            if none { Err("there is none".to_owned()) } else { Ok(format!("quick: {last}")) };
        Box::pin(std::future::ready(answer))
    }

    fn search_web(&self, search: Search) -> BoxFuture<'_, Result<Found, String>> {
        self.searched.lock().unwrap().push(search);
        let found = self.found.lock().unwrap().clone();
        Box::pin(std::future::ready(found.ok_or_else(|| "nobody searches here".to_owned())))
    }

    fn ask_user(&self, _: Vec<UserQuestion>) -> BoxFuture<'_, Result<UserAnswer, String>> {
        let answer = self.answer.lock().unwrap().clone();
        let answer = answer.ok_or_else(|| "Nobody is here to be asked.".to_owned());
        Box::pin(std::future::ready(answer))
    }

    fn enter_plan_mode(&self) -> BoxFuture<'_, Result<PathBuf, String>> {
        Box::pin(std::future::ready(Ok(PathBuf::from("/plans/p.md"))))
    }

    fn leave_plan_mode(&self, _: String) -> BoxFuture<'_, Result<LeftPlan, String>> {
        let left = LeftPlan { file: PathBuf::from("/plans/p.md"), mode: Mode::Default };
        Box::pin(std::future::ready(Ok(left)))
    }

    fn takes_documents(&self) -> bool {
        !*self.only_words.lock().unwrap()
    }

    fn use_skill(&self, name: String, args: String) -> BoxFuture<'_, Result<String, String>> {
        Box::pin(std::future::ready(Ok(format!("{name}: {args}"))))
    }

    fn result_stands(&self, _: &str) -> BoxFuture<'_, bool> {
        let stands = !*self.forgets.lock().unwrap();
        Box::pin(std::future::ready(stands))
    }

    fn await_servers(&self) -> BoxFuture<'_, bool> {
        Box::pin(std::future::ready(false))
    }

    fn tasks(&self) -> &dyn Tasks {
        &self.errands
    }

    fn agents(&self) -> &dyn crate::agents::Agents {
        &agents::Nobody
    }

    fn notify_user(&self, text: String) -> BoxFuture<'_, ()> {
        self.notices.lock().unwrap().push(text);
        Box::pin(std::future::ready(()))
    }

    fn refused(&self, _: &[exec::Denial]) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

impl Editor {
    pub(crate) fn type_in(&self, path: &std::path::Path, text: &str) {
        let uri = DocumentUri::from_path(path).unwrap();
        self.documents.lock().unwrap().replace(&uri, 2, text).unwrap();
    }

    fn apply(&self, request: &EditRequest) -> Result<Edited, EditError> {
        if self.locked.lock().unwrap().as_ref() == Some(&request.path) {
            return Err(EditError::Conflict { path: "it".to_owned(), excerpt: None });
        }
        let base = request.base.as_ref().map(|file| file.text.clone()).unwrap_or_default();
        let mut text = request.edit.apply(&base).unwrap();
        let mut deviation = None;
        if let Some((really, says)) = self.deviates.lock().unwrap().clone() {
            (text, deviation) = (really.into(), Some(says));
        }
        let mut documents = self.documents.lock().unwrap();
        let open = documents.snapshot().at(&request.path).map(|doc| (doc.uri.clone(), doc.version));
        if let Some((uri, version)) = open {
            documents.replace(&uri, version + 1, &text.to_string()).unwrap();
            return Ok(Edited { text, version: Some(version + 1), deviation, own: None });
        }
        let (format, expected) = match &request.base {
            Some(file) => (file.format, Expected::Text(file.fingerprint())),
            None => {
                let newline = text::Newline::Lf;
                (text::Format { encoding: text::Encoding::Utf8, newline }, Expected::Absent)
            }
        };
        let options = WriteOptions { expected: Some(expected), create_parents: true };
        workspace::write_text(&request.path, &text.to_string(), &format, &options)
            .map_err(|error| EditError::Disk(error.to_string()))?;
        Ok(Edited { text, version: None, deviation, own: None })
    }
}

pub(crate) type Meanwhile = Box<dyn FnMut() + Send>;

/// What a user saw of a question.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) title: String,
    pub(crate) reason: String,
    pub(crate) preview: Preview,
}

pub(crate) struct User {
    pub(crate) answer: Answer,
    pub(crate) guards: Guards,
    /// What auto mode's check says.
    pub(crate) judgement: Judgement,
    /// What happens while it is being decided: the world does not stand still.
    pub(crate) meanwhile: Mutex<Option<Meanwhile>>,
    pub(crate) told: Mutex<Vec<String>>,
    pub(crate) asked: Mutex<Vec<Asked>>,
    /// What was written down before the call acted.
    pub(crate) recorded: Mutex<Vec<bool>>,
}

impl User {
    fn new() -> User {
        let answer = Answer::Allow { reason: "the user said yes".to_owned(), edited_input: None };
        User {
            answer,
            guards: Guards::default(),
            judgement: Judgement::Unclear { why: "Nobody judged.".to_owned() },
            meanwhile: Mutex::default(),
            told: Mutex::default(),
            asked: Mutex::default(),
            recorded: Mutex::default(),
        }
    }

    fn time_passes(&self) {
        if let Some(meanwhile) = self.meanwhile.lock().unwrap().as_mut() {
            meanwhile();
        }
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }
}

impl Gate for User {
    fn planned<'a>(&'a self, _: &'a Proposal<'_>) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }

    fn guards(&self) -> &Guards {
        &self.guards
    }

    fn judge<'a>(&'a self, _: &'a Proposal<'_>) -> BoxFuture<'a, Judgement> {
        self.time_passes();
        Box::pin(std::future::ready(self.judgement.clone()))
    }

    fn tell_user<'a>(&'a self, _: &'a ToolCall, text: String) -> BoxFuture<'a, ()> {
        self.told.lock().unwrap().push(text);
        Box::pin(std::future::ready(()))
    }

    fn ask<'a>(&'a self, proposal: &'a Proposal<'_>) -> BoxFuture<'a, Answer> {
        self.time_passes();
        let asked = Asked {
            title: proposal.title.to_owned(),
            reason: proposal.decision.reason.clone(),
            preview: proposal.preview.clone(),
        };
        self.asked.lock().unwrap().push(asked);
        Box::pin(std::future::ready(self.answer.clone()))
    }

    fn record<'a>(
        &'a self,
        _: &'a ToolCall,
        allowed: bool,
        _: &'a str,
    ) -> BoxFuture<'a, Result<(), Problem>> {
        self.recorded.lock().unwrap().push(allowed);
        Box::pin(std::future::ready(Ok(())))
    }

    fn running<'a>(&'a self, _: &'a ToolCall) -> BoxFuture<'a, ()> {
        Box::pin(std::future::ready(()))
    }
}
