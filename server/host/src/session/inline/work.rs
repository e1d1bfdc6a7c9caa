//! One inline edit from the wish to the text: permission, the model's words, the smallest change
//! that says the same, and the editor's receipt for it.

use std::path::{Path, PathBuf};

use agent::inline::{self, Replacement};
use agent::models::{self, Model, ThinkingSupport};
use agent::{Block, Effort, ModelRequest, Piece, Role, StopReason, StreamEvent, Thinking, Usage};
use futures::StreamExt as _;
use model::Provider;
use policy::Subject;
use protocol::tool::ToolStatus;
use text::{Author, Edit, PositionEncoding, Splice, Text};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tools::{EditError, EditRequest, Edited, FileChange, World as _};
use workspace::{Document, FileText, Located, View};

use super::deltas::Deltas;
use super::place::{Selected, Source, select};
use super::{InlineEnded, InlineJob, InlineNews};
use crate::core::{Computed, CoreHandle, OpenEdit, Purpose, Stop, land_inline};
use crate::session::Msg;
use crate::session::world::SessionWorld;
use crate::telemetry::spans;

/// A replacement longer than this is no edit of a selection.
const ANSWER_CAP: usize = 1024 * 1024;
const MAX_TOKENS: u32 = 32_000;
const LABEL: &str = "Bowline: Inline edit";

pub(super) struct Work {
    pub(super) session: String,
    pub(super) edit_id: String,
    pub(super) core: CoreHandle,
    pub(super) world: SessionWorld,
    pub(super) own: mpsc::Sender<Msg>,
    pub(super) cwd: PathBuf,
    pub(super) provider: Provider,
    pub(super) model: String,
    pub(super) path: PathBuf,
    pub(super) document: Option<Document>,
    pub(super) encoding: PositionEncoding,
    pub(super) job: InlineJob,
    pub(super) stop: Stop,
    pub(super) deltas: Deltas,
}

/// Why nothing was changed.
enum Failure {
    Denied(String),
    Failed(String),
}

use Failure::{Denied, Failed};

/// The text to work on: as the user saw it, or as the disk has it.
struct Looked {
    text: Text,
    /// Only for what is not open.
    file: Option<FileText>,
    selected: Selected,
}

impl Work {
    /// Ends with a message to the session, whatever happens.
    pub(super) fn spawn(self) -> AbortHandle {
        let (own, id, model) = (self.own.clone(), self.edit_id.clone(), self.model.clone());
        let task = tokio::spawn(self.run());
        let abort = task.abort_handle();
        tokio::spawn(async move {
            let ended = task.await.unwrap_or_else(|error| InlineEnded {
                status: ToolStatus::Failed,
                message: format!("The edit broke down ({error}). Please report this."),
                change: None,
                model,
                usage: Usage::default(),
            });
            let news = InlineNews::Ended(Box::new(ended));
            let _ = own.send(Msg::InlineNews { id, news }).await;
        });
        abort
    }

    async fn run(self) -> InlineEnded {
        let mut usage = Usage::default();
        let done = tokio::select! {
            biased;
            () = self.stop.wanted() => None,
            done = self.carry_out(&mut usage) => Some(done),
        };
        let (status, message, change) = match done {
            Some(Ok((message, change))) => (ToolStatus::Completed, message, change),
            Some(Err(Denied(message))) => (ToolStatus::Denied, message, None),
            Some(Err(Failed(message))) if !self.stop.is_wanted() => {
                (ToolStatus::Failed, message, None)
            }
            _ => (ToolStatus::Cancelled, self.stop.why().to_owned(), None),
        };
        InlineEnded { status, message, change, model: self.model.clone(), usage }
    }

    async fn carry_out(&self, usage: &mut Usage) -> Result<(String, Option<FileChange>), Failure> {
        let path = self.path.clone();
        let found = blocking(move || workspace::locate(&path)).await?;
        let found = found.map_err(|error| Failed(sentence(&error)))?;
        self.permitted(&found, false).await?;
        let looked = self.look(&found.path).await?;
        let new = self.ask(&looked.selected, usage).await?;
        let Looked { text, file, selected } = looked;
        let length = text.len_bytes();
        let edit = blocking(move || smallest(length, &selected, &new)).await?;
        let edit = edit.map_err(|error| Failed(sentence(&error)))?;
        if edit.is_empty() {
            return Ok(("There was nothing to change.".to_owned(), None));
        }
        self.permitted(&found, true).await?;
        let landed = match file {
            None => self.land(&text, edit).await?,
            Some(file) => self.write(found.path, file, edit).await?,
        };
        let (old, new) = match &landed.own {
            Some(own) => (own.before.to_string(), own.after.to_string()),
            None => (text.to_string(), landed.text.to_string()),
        };
        let (added, removed) = text::stat(&old, &new);
        let shown = self.path.strip_prefix(&self.cwd).unwrap_or(&self.path).display();
        let mut message = format!("Changed {shown} (+{added} −{removed} lines).");
        if let Some(deviation) = landed.deviation {
            message = format!("{message} {deviation}");
        }
        let (path, version, old) = (self.path.clone(), landed.version, Some(old));
        Ok((message, Some(FileChange { path, version, old, new })))
    }

    async fn permitted(&self, found: &Located, acts: bool) -> Result<(), Failure> {
        let links = found.stamp.map_or(0, |stamp| stamp.links());
        let (path, resolved) = (self.path.clone(), found.path.clone());
        let subject = Subject::Edit { path, resolved, links };
        let (answer, answered) = oneshot::channel();
        let news = InlineNews::Permit { subject, acts, answer };
        let _ = self.own.send(Msg::InlineNews { id: self.edit_id.clone(), news }).await;
        let answer = answered.await.unwrap_or_else(|_| Err("The session ended.".to_owned()));
        answer.map_err(Denied)
    }

    async fn look(&self, resolved: &Path) -> Result<Looked, Failure> {
        let resolved = resolved.to_owned();
        let (path, document) = (self.path.clone(), self.document.clone());
        let (job, encoding) = (self.job.clone(), self.encoding);
        let shown = self.path.strip_prefix(&self.cwd).unwrap_or(&self.path).display().to_string();
        let languages = self.world.languages.clone();
        let look = move || {
            let language = document.as_ref().map(|document| document.language.clone());
            let (text, file) = match document {
                Some(document) => (document.text, None),
                None => {
                    let file = View::default().read(&resolved).map_err(|error| sentence(&error))?;
                    (file.text.clone(), Some(file))
                }
            };
            let trees = &languages.trees;
            let source = Source { path: &path, shown, language, text: &text, encoding, trees };
            let selected = select(&source, &job)?;
            Ok(Looked { text, file, selected })
        };
        blocking(look).await?.map_err(Failed)
    }

    /// What the model puts in place of the selection.
    async fn ask(&self, selected: &Selected, usage: &mut Usage) -> Result<String, Failure> {
        let limits = models::limits(&self.model);
        let content = [Block::text(selected.question.text())];
        let message = Piece::of(Role::User, &content).map_err(|error| Failed(sentence(&error)))?;
        let request = ModelRequest {
            model: self.model.clone(),
            max_tokens: limits.max_output.min(MAX_TOKENS),
            system: inline::system(),
            tools: "[]".into(),
            messages: vec![message],
            thinking: thinking(limits),
            effort: Some(Effort::Low).filter(|_| limits.effort),
            format: None,
            clear_above: None,
            session: self.session.clone(),
        };
        let work = spans::request(None, &self.session, "inline", &self.model);
        let mut stream = self.provider.stream(request);
        let mut replacement = Replacement::new(selected.frame.clone());
        let mut said = 0;
        let broke_off = "The model's answer broke off before its end. Try again.";
        loop {
            let event = stream.next().await.ok_or_else(|| Failed(broke_off.to_owned()))?;
            match event.map_err(|error| Failed(error.message))? {
                StreamEvent::Started { usage: read, .. } => usage.update(read),
                StreamEvent::Usage(now) => usage.update(now),
                StreamEvent::TextDelta { text, .. } => {
                    said += text.len();
                    if said > ANSWER_CAP {
                        return Err(Failed(TOO_LONG.to_owned()));
                    }
                    self.deltas.push(&replacement.push(&text));
                }
                StreamEvent::Stopped { reason } => {
                    work.end_with("completed", &self.model, *usage);
                    complete(&reason)?;
                    break;
                }
                _ => {}
            }
        }
        let nothing =
            "The model gave no text, so nothing was changed. Say more exactly what to do.";
        let (rest, text) = replacement.finish().ok_or_else(|| Failed(nothing.to_owned()))?;
        self.deltas.push(&rest);
        Ok(text)
    }

    /// Through the editor, which has the file open.
    async fn land(&self, base: &Text, edit: Edit) -> Result<Edited, Failure> {
        let Some(document) = &self.document else { return Err(Failed(CLOSED.to_owned())) };
        let (reply, answer) = oneshot::channel();
        let author = Author {
            session: self.session.clone(),
            turn: self.edit_id.clone(),
            call: self.edit_id.clone(),
        };
        let edit = OpenEdit {
            uri: document.uri.clone(),
            computed: Some(Computed { version: document.version, base: base.clone(), edit }),
            label: LABEL.to_owned(),
            undo_group: self.edit_id.clone(),
            purpose: Purpose::Agent(author),
            reply,
        };
        land_inline(&self.core, self.edit_id.clone(), edit).await;
        match answer.await {
            Ok(Some(edited)) => edited.map_err(|error| Failed(explain(error))),
            Ok(None) => Err(Failed(CLOSED.to_owned())),
            Err(_) => Err(Failed(self.stop.why().to_owned())),
        }
    }

    /// On the disk, by the road of the tools.
    async fn write(&self, path: PathBuf, base: FileText, edit: Edit) -> Result<Edited, Failure> {
        let (label, call_id) = (LABEL.to_owned(), self.edit_id.clone());
        let request = EditRequest { path, base: Some(base), edit, label, call_id };
        self.world.edit(request).await.map_err(|error| Failed(explain(error)))
    }
}

const CLOSED: &str = "The file was closed before the change could be made.";
const TOO_LONG: &str = "The model's answer was too long; select less, or ask for less at once.";

/// The change of the whole text that turns the selection into the new text.
fn smallest(length: usize, selected: &Selected, new: &str) -> Result<Edit, text::BadEdit> {
    let start = selected.bytes.start;
    let within = text::diff(&selected.old, new);
    let splices = within.splices().iter().map(|splice| {
        Splice::new(splice.range.start + start..splice.range.end + start, splice.text.as_str())
    });
    Edit::new(length, splices.collect())
}

/// Whoever waits with a caret in the text wants no long thoughts.
fn thinking(limits: &Model) -> Thinking {
    match limits.thinking {
        ThinkingSupport::Adaptive => Thinking::Disabled,
        ThinkingSupport::Always | ThinkingSupport::Budget | ThinkingSupport::None => {
            Thinking::Default
        }
    }
}

fn complete(reason: &StopReason) -> Result<(), Failure> {
    match reason {
        StopReason::MaxTokens | StopReason::ModelContextWindowExceeded => {
            Err(Failed(TOO_LONG.to_owned()))
        }
        StopReason::Refusal => {
            Err(Failed("The model refused to do this; nothing was changed.".to_owned()))
        }
        _ => Ok(()),
    }
}

/// For the user; the tools' sentences are for the model.
fn explain(error: EditError) -> String {
    match error {
        EditError::Conflict { path, .. } => {
            format!("{path} was changed at the same place meanwhile, so nothing was replaced.")
        }
        error => sentence(&error),
    }
}

fn sentence(error: &dyn std::fmt::Display) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    let first = chars.next().map(|c| c.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.map_err(|error| Failed(error.to_string()))
}
