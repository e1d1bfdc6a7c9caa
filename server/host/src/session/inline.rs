//! Inline edits: a selection that the model rewrites while the user watches, beside whatever the
//! conversation is doing.
//!
//! Each one is a task of its own ([`work`]) that asks the session for what only the session may do:
//! decide, write down, tell.

mod deltas;
mod place;
mod work;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Instant;

use agent::{Record, Usage, models};
use policy::{Mode, Subject, Verdict};
use protocol::Notification as _;
use protocol::edit::{EditDelta, EditDeltaParams, EditStarted};
use protocol::event::{ToolEnded, ToolStarted, ToolUpdated, UsageUpdated};
use protocol::lsp::{Diagnostic, Location, Range};
use protocol::session::{CancelState, SessionCancelParams, SessionCancelResult};
use protocol::tool::{ContentPart, ToolKind, ToolStatus};
use serde_json::{Value, json};
use text::PositionEncoding;
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tools::FileChange;
use workspace::Document;

use super::calls::millis;
use super::{Msg, Session, blocks};
use crate::core::{Reply, RpcError, Stop};
use deltas::Deltas;
use work::Work;

/// What clients see as the name of the call.
pub const INLINE_EDIT: &str = "InlineEdit";
/// More at once is a key that got stuck.
const MOST: usize = 16;

/// An inline edit, as the loop hands it over.
pub struct InlineStart {
    pub edit_id: String,
    pub path: PathBuf,
    /// As the editor has it; without it the disk counts.
    pub document: Option<Document>,
    pub encoding: PositionEncoding,
    pub job: InlineJob,
    pub stop: Stop,
    pub reply: Option<Reply>,
}

#[derive(Clone, Debug)]
pub enum InlineJob {
    Edit {
        range: Range,
        instruction: String,
    },
    /// The place is where the diagnostics are.
    Fix {
        diagnostics: Vec<Diagnostic>,
    },
}

/// What an inline edit has to say to its session.
pub enum InlineNews {
    /// Something waits in its slot.
    Delta,
    /// May this file be changed? Once before the model is asked, and once more, then written down,
    /// before the change is made.
    Permit {
        subject: Subject,
        acts: bool,
        answer: oneshot::Sender<Result<(), String>>,
    },
    Ended(Box<InlineEnded>),
}

pub struct InlineEnded {
    pub status: ToolStatus,
    /// One sentence for people.
    pub message: String,
    pub change: Option<FileChange>,
    pub model: String,
    pub usage: Usage,
}

/// The inline edits of a session.
#[derive(Default)]
pub(super) struct Inlines {
    running: HashMap<String, Inline>,
    /// Those who asked to stop them all, and want to know when it is done.
    cancelling: Vec<Reply>,
}

struct Inline {
    stop: Stop,
    task: AbortHandle,
    started: Instant,
    deltas: Deltas,
    input: Value,
    uri: String,
    version: Option<i32>,
}

/// An edit never outlives its session.
impl Drop for Inline {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Inlines {
    pub(super) fn is_empty(&self) -> bool {
        self.running.is_empty()
    }

    pub(super) fn stop_all(&self, why: &'static str) {
        self.running.values().for_each(|inline| inline.stop.now(why));
    }
}

impl Session {
    pub(super) fn on_inline(&mut self, start: InlineStart) {
        let InlineStart { edit_id, path, document, encoding, job, stop, reply } = start;
        if self.inlines.running.len() >= MOST {
            let message = format!("{MOST} edits are under way; wait until one has ended.");
            let error = RpcError::new(RpcError::OVERLOADED, message);
            return reply.into_iter().for_each(|reply| reply.err(error.clone()));
        }
        if let Some(reply) = reply {
            reply.ok(&EditStarted { edit_id: edit_id.clone(), session_id: self.id.clone() });
        }
        let title = title(&job, &path, self.state.cwd());
        let input = input(&job, &path);
        let uri = document.as_ref().map_or_else(|| blocks::uri(&path), |at| at.uri.as_str().into());
        let version = document.as_ref().map(|document| document.version);
        self.emit(ToolStarted {
            tool_call_id: edit_id.clone(),
            name: INLINE_EDIT.to_owned(),
            title,
            kind: ToolKind::Edit,
            input: Some(input.clone()),
            parent_tool_call_id: None,
        });
        let location = Location { uri: uri.clone(), version, range: Some(range(&job)) };
        self.emit(ToolUpdated {
            tool_call_id: edit_id.clone(),
            status: ToolStatus::Running,
            title: None,
            input: None,
            progress: None,
            locations: Some(vec![location]),
        });
        let deltas = Deltas::new(self.own.clone(), edit_id.clone());
        let (provider, model) = self.config.quick();
        let work = Work {
            session: self.id.clone(),
            edit_id: edit_id.clone(),
            core: self.core.clone(),
            world: self.world(edit_id.clone(), edit_id.clone()),
            own: self.own.clone(),
            cwd: self.state.cwd().to_owned(),
            provider,
            model,
            path,
            document,
            encoding,
            job,
            stop: stop.clone(),
            deltas: deltas.clone(),
        };
        let task = work.spawn();
        let started = Instant::now();
        let inline = Inline { stop, task, started, deltas, input, uri, version };
        self.inlines.running.insert(edit_id, inline);
        self.note_inlines();
    }

    pub(super) async fn on_inline_news(&mut self, id: String, news: InlineNews) {
        match news {
            InlineNews::Delta => self.show_delta(&id),
            InlineNews::Permit { subject, acts, answer } => {
                let permitted = self.permit_inline(&id, subject, acts).await;
                let _ = answer.send(permitted);
            }
            InlineNews::Ended(ended) => self.on_inline_ended(&id, *ended),
        }
    }

    /// A client that is behind gets the same words later, in one piece.
    fn show_delta(&mut self, id: &str) {
        let Some(inline) = self.inlines.running.get(id) else { return };
        let watching = self.doors.iter().filter(|door| door.profile().agent.version >= 1);
        let watching: Vec<_> = watching.collect();
        if watching.iter().any(|door| door.outbox.is_behind()) {
            return inline.deltas.wait();
        }
        let text = inline.deltas.take();
        if text.is_empty() {
            return;
        }
        let (uri, version) = (inline.uri.clone(), inline.version);
        let params = EditDeltaParams { edit_id: id.to_owned(), uri, version, text };
        for door in watching {
            door.notify(EditDelta::METHOD, &params);
        }
    }

    /// The user asked for the edit, so nobody has to be asked; what is forbidden stays forbidden.
    async fn permit_inline(
        &mut self,
        id: &str,
        subject: Subject,
        acts: bool,
    ) -> Result<(), String> {
        let permissions = self.state.permissions();
        let mode = match permissions.mode {
            Mode::DontAsk => Mode::Default,
            mode => mode,
        };
        let decision = policy::decide(
            &policy::Request { tool: "Edit", subjects: &[subject], params: &[] },
            &policy::Context {
                mode,
                rules: &permissions.rules,
                roots: &permissions.roots,
                home: permissions.home.as_deref(),
            },
        );
        let (allowed, reason) = match decision.verdict {
            Verdict::Deny => (false, decision.reason),
            Verdict::Ask => (true, "Asked for by the user in the editor.".to_owned()),
            Verdict::Allow => (true, decision.reason),
        };
        if allowed && !acts {
            return Ok(());
        }
        let input = self.inlines.running.get(id).map(|inline| inline.input.clone());
        let record = Record::Permission {
            turn: id.to_owned(),
            call: id.to_owned(),
            tool: INLINE_EDIT.to_owned(),
            input: input.unwrap_or_default(),
            allowed,
            reason: reason.clone(),
        };
        let written = match self.begin_journal().await {
            Ok(()) => self.journal_durably(&record).await,
            Err(error) => Err(error),
        };
        match written {
            _ if !allowed => Err(reason),
            Ok(()) => Ok(()),
            Err(error) => Err(format!("The session can no longer be saved: {error}")),
        }
    }

    fn on_inline_ended(&mut self, id: &str, ended: InlineEnded) {
        if ended.status == ToolStatus::Completed {
            self.show_delta(id);
        }
        let Some(inline) = self.inlines.running.remove(id) else { return };
        let InlineEnded { status, message, change, model, usage } = ended;
        let cost_usd = usage.cost(models::limits(&model));
        let record = Record::Inline {
            id: id.to_owned(),
            input: inline.input.clone(),
            status: status.as_str().to_owned(),
            message: message.clone(),
            model,
            usage,
            cost_usd,
        };
        // An edit that was stopped before anything was written leaves nothing behind.
        if !self.journal.is_new()
            && let Err(error) = self.journal(&record)
        {
            tracing::error!(%error, "the end of an inline edit could not be journalled");
        }
        let limits = models::limits(&self.config.model);
        let (used, cost_usd) = (self.conversation.context(), self.conversation.cost_usd());
        self.emit(UsageUpdated { used, window: limits.window, cost_usd });
        self.emit(ToolEnded {
            tool_call_id: id.to_owned(),
            status,
            content: vec![ContentPart::text(message)],
            diff: change.as_ref().map(blocks::file_diff),
            duration_ms: Some(millis(inline.started)),
        });
        drop(inline);
        self.note_inlines();
        if self.inlines.is_empty() {
            for reply in self.inlines.cancelling.drain(..) {
                reply.ok(&SessionCancelResult { state: CancelState::Cancelled });
            }
        }
    }

    /// Stops the inline edits that are meant. Gives the reply back when it is for the turn.
    pub(super) fn cancel_inlines(
        &mut self,
        params: &SessionCancelParams,
        reply: Reply,
    ) -> Option<Reply> {
        const STOPPED: &str = "Stopped.";
        if let Some(call) = &params.tool_call_id {
            let Some(inline) = self.inlines.running.get(call) else { return Some(reply) };
            inline.stop.now(STOPPED);
            reply.ok(&SessionCancelResult { state: CancelState::Cancelled });
            return None;
        }
        if params.turn_id.is_some() {
            return Some(reply);
        }
        self.inlines.stop_all(STOPPED);
        if self.running.is_some() || self.inlines.is_empty() {
            return Some(reply);
        }
        self.inlines.cancelling.push(reply);
        None
    }

    fn note_inlines(&self) {
        let count = self.inlines.running.len();
        self.facts.send_modify(|facts| facts.inline_edits = count);
    }
}

/// One line for people: `Edit src/hull.rs:12: simplify`.
fn title(job: &InlineJob, path: &Path, cwd: &Path) -> String {
    let shown = path.strip_prefix(cwd).unwrap_or(path).display();
    let line = range(job).start.line.saturating_add(1);
    let (verb, what) = match job {
        InlineJob::Edit { instruction, .. } => ("Edit", instruction.as_str()),
        InlineJob::Fix { diagnostics } => {
            ("Fix", diagnostics.first().map_or("", |first| first.message.as_str()))
        }
    };
    let what = what.trim().lines().next().unwrap_or_default();
    let short = &what[..what.floor_char_boundary(80)];
    let more = if short.len() < what.len() { "…" } else { "" };
    format!("{verb} {shown}:{line}: {short}{more}")
}

/// What the journal keeps of the wish.
fn input(job: &InlineJob, path: &Path) -> Value {
    let file = path.display().to_string();
    match job {
        InlineJob::Edit { range, instruction } => {
            json!({ "file_path": file, "range": range, "instruction": instruction })
        }
        InlineJob::Fix { diagnostics } => json!({ "file_path": file, "diagnostics": diagnostics }),
    }
}

fn range(job: &InlineJob) -> Range {
    match job {
        InlineJob::Edit { range, .. } => *range,
        InlineJob::Fix { diagnostics } => Range {
            start: diagnostics.iter().map(|found| found.range.start).min().unwrap_or_default(),
            end: diagnostics.iter().map(|found| found.range.end).max().unwrap_or_default(),
        },
    }
}
