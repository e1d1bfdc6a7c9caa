//! The running turn: the model's stream and the calls under way.

use std::collections::{HashMap, VecDeque};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;

use agent::turn::{Effect, Input, ToolCall, Turn};
use agent::{ModelError, Record, ResultPart, StreamEvent};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, FuturesUnordered};
use protocol::event::{Severity, ToolUpdated};
use protocol::lsp::Location;
use protocol::tool::{ToolProgress, ToolStatus};
use serde_json::Value;
use tokio::task::AbortHandle;
use tokio::time::Sleep;
use tokio_util::sync::CancellationToken;
use tools::{Board, CallReport, CallStatus, Context, Kind, Step, run_call};

use super::announce::EndedCall;
use super::ask::Purpose;
use super::hooks::Hooking;
use super::output::OutputSlot;
use super::traced::Traced;
use super::world::SessionWorld;
use super::{CallNews, Session};
use crate::core::Reply;
use crate::store::JournalError;
use crate::telemetry::spans;

pub(super) struct Running {
    pub(super) turn: Turn,
    pub(super) stream: Option<BoxStream<'static, Vec<Result<StreamEvent, ModelError>>>>,
    /// Until a request that failed is sent again.
    pub(super) wait: Option<Pin<Box<Sleep>>>,
    pub(super) calls: FuturesUnordered<BoxFuture<'static, (String, CallReport)>>,
    stops: HashMap<String, CallHandle>,
    pub(super) started: Instant,
    /// Hooks that the turn waits for, and what follows them.
    pub(super) hooking: Option<Hooking>,
    pub(super) held: VecDeque<Effect>,
    /// How often hooks made the model go on in a row.
    pub(super) stop_blocks: u64,
    /// Calls that ended, until their results are recorded.
    pub(super) ended: HashMap<String, EndedCall>,
    /// The calls of this answer, for hooks that look at all of them.
    pub(super) batch: Vec<Value>,
    /// Those who asked to cancel, and want to know when it is done.
    pub(super) cancelling: Vec<Reply>,
    pub(super) traced: Traced,
}

struct CallHandle {
    cancel: CancellationToken,
    task: AbortHandle,
    started: Instant,
    name: String,
    /// Known once it is planned.
    title: String,
    output: OutputSlot,
    work: Option<spans::Work>,
}

/// A call never outlives its turn: dropping its task kills what it started.
impl Drop for CallHandle {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Running {
    pub(super) fn new(turn: Turn, traced: Traced) -> Self {
        Self {
            turn,
            stream: None,
            wait: None,
            calls: FuturesUnordered::new(),
            stops: HashMap::new(),
            started: Instant::now(),
            hooking: None,
            held: VecDeque::new(),
            stop_blocks: 0,
            ended: HashMap::new(),
            batch: Vec::new(),
            cancelling: Vec::new(),
            traced,
        }
    }

    pub(super) fn stop_call(&self, id: &str) -> bool {
        let Some(handle) = self.stops.get(id) else { return false };
        handle.cancel.cancel();
        true
    }
}

impl Session {
    pub(super) fn start_call(&mut self, mut call: ToolCall) {
        if let Some(meant) = self.limits.tool_aliases.get(&call.name) {
            call.name.clone_from(meant);
        }
        let cancel = CancellationToken::new();
        let own = self.own.clone();
        let id = call.id.clone();
        let output = OutputSlot::default();
        let progress = output.progress(own, id.clone());
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let turn = turn.unwrap_or_default();
        let world = Arc::new(self.world(turn.clone(), id.clone()));
        let cx = Context {
            world,
            session: self.state.clone(),
            call_id: id.clone(),
            cancel: cancel.clone(),
            progress,
            also: Arc::default(),
        };
        let input = Some(call.input.clone());
        self.tool_updated(&id, ToolStatus::Pending, |update| update.input = input);
        let gate = self.gate(turn, cancel.clone());
        let Some(running) = self.running.as_mut() else { return };
        running.batch.extend(self.hooks.batch_entry(&call));
        let registry = self.registry.clone();
        let name = call.name.clone();
        let task = tokio::spawn(async move { run_call(&registry, call, cx, &gate).await });
        let (abort, started) = (task.abort_handle(), Instant::now());
        let title = name.clone();
        let work = Some(spans::tool(Some(running.traced.span()), &self.id, &id, &name));
        let handle = CallHandle { cancel, task: abort, started, title, name, output, work };
        running.stops.insert(id.clone(), handle);
        // A tool that panics costs its own call and nothing else.
        let ended = task
            .map(|report| report.unwrap_or_else(|error| CallReport::crashed(&error.to_string())));
        running.calls.push(ended.map(move |report| (id, report)).boxed());
    }

    /// The world as a call of the session sees it.
    pub(super) fn world(&self, turn: String, call: String) -> SessionWorld {
        let terminal = self.terminal(&call);
        SessionWorld {
            core: self.core.clone(),
            state: self.state.clone(),
            languages: self.languages.clone(),
            shelter: self.shelter.clone(),
            hub: self.servers.hub.clone(),
            tasks: self.tasks.clone(),
            agents: self.agents.gateway(self.own.clone(), call.clone()),
            own: self.own.clone(),
            saves: self.config.saves,
            // What an agent changes is a change of the session it works for.
            session: self.agents.root().to_owned(),
            turn: self.agents.member.as_ref().map_or(turn, |member| member.turn.clone()),
            call,
            changes: super::world::Changes::Agents,
            takes_documents: self.config.provider_of(self.asked_model()).takes_documents(),
            terminal,
        }
    }

    pub(super) async fn on_call_ended(&mut self, id: String, mut report: CallReport) {
        let mut handle = self.running.as_mut().and_then(|running| running.stops.remove(&id));
        if let Some(work) = handle.as_mut().and_then(|handle| handle.work.take()) {
            trace(work, &report);
        }
        let duration_ms = handle.as_ref().map(|handle| millis(handle.started));
        self.withdraw_asks_of(&id);
        let name = handle.as_ref().map(|handle| handle.name.clone()).unwrap_or_default();
        if let (CallStatus::Denied, Some(handle)) = (report.status, &handle) {
            let text = report.outcome.content.iter().find_map(|part| match part {
                ResultPart::Text { text } => Some(text.as_str()),
                _ => None,
            });
            self.remember_denial(&handle.name, &handle.title, text.unwrap_or_default());
        }
        self.note_batch(&id, &name, &report);
        self.count_lines(&report);
        self.fire_folder();
        if let Some(board) = &report.board {
            self.keep_board(board);
        }
        let loaded = std::mem::take(&mut report.loaded);
        self.on_tools_loaded(loaded);
        let (outcome, stop) = (report.outcome.clone(), report.stop.take());
        let put_off = self.hooks.take_deferred(&id) && report.status == CallStatus::Denied;
        self.hold_announcement(&id, EndedCall { name, report, duration_ms });
        if put_off && !self.somebody_can_be_asked() {
            self.feed(Input::Deferred).await;
        } else if let Some(reason) = stop {
            // First the turn, so that the result of this call is not sent to the model any more.
            let message = format!("A hook stopped the turn: {reason}");
            self.feed(Input::HookStopped { message }).await;
        }
        self.feed(Input::CallEnded { id: id.clone(), outcome }).await;
        // A turn that does not wait for it any more records nothing of it.
        self.announce_call(&id);
    }

    /// For the status line, where there is one.
    fn count_lines(&mut self, report: &CallReport) {
        if self.has_status_line() {
            let (added, removed) = lines_changed(report);
            self.helper_commands.changed.0 += added as u64;
            self.helper_commands.changed.1 += removed as u64;
        }
    }

    /// A later life of the session goes on with these tasks.
    pub(super) fn keep_board(&mut self, board: &Board) {
        let kept = serde_json::to_value(board).map_err(|error| error.to_string());
        let kept = kept.and_then(|board| {
            self.journal(&Record::Steps { board }).map_err(|error| error.to_string())
        });
        if let Err(error) = kept {
            tracing::error!(error, "the tasks could not be journalled");
        }
    }

    /// The name and the title of a call under way, or of one that left its command running.
    pub(super) fn called(&self, id: &str) -> (String, String) {
        let handle = self.running.as_ref().and_then(|running| running.stops.get(id));
        let running = handle.map(|handle| (handle.name.clone(), handle.title.clone()));
        let left = || Some(("Bash".to_owned(), self.tasks.title_of_call(id)?));
        let server = || {
            let name = id.strip_prefix(super::servers::SERVER)?;
            Some(("mcp".to_owned(), format!("the MCP server {name}")))
        };
        running.or_else(left).or_else(server).unwrap_or_default()
    }

    /// Who follows the agent sees the file that it is about to read. (Where it writes is seen when it
    /// has written.)
    fn reveal_read(&self, id: &str, locations: &[Location]) {
        let (name, _) = self.called(id);
        let ([place], Some(Kind::Read)) = (locations, self.registry.kind(&name)) else { return };
        self.doors.iter().for_each(|door| door.reveal_file(place.uri.clone()));
    }

    pub(super) async fn on_call_news(&mut self, id: String, news: CallNews) {
        match news {
            CallNews::Planned { title, locations } => {
                self.touch_memory(&locations).await;
                self.touch_skills(&locations).await;
                let locations = super::blocks::locations(&locations);
                self.reveal_read(&id, &locations);
                let handle = self.running.as_mut().and_then(|running| running.stops.get_mut(&id));
                if let Some(handle) = handle {
                    handle.title.clone_from(&title);
                }
                self.tool_updated(&id, ToolStatus::Pending, |update| {
                    update.title = Some(title);
                    update.locations = Some(locations);
                });
            }
            CallNews::Ask { params, answer } => {
                self.tool_updated(&id, ToolStatus::Waiting, |_| ());
                self.on_ask(*params, Purpose::Call(answer));
            }
            CallNews::Host { host, port, answer } => self.on_host(&id, &host, port, answer),
            CallNews::Refused { what } => {
                let (name, title) = self.called(&id);
                for what in what {
                    self.remember_denial(&name, &title, &format!("The sandbox refused: {what}"));
                }
            }
            CallNews::Judge { reply } => {
                let court = self.court();
                if court.is_err() {
                    self.hand_over(&id);
                }
                let _ = reply.send(court);
            }
            CallNews::Judged(judged) => self.on_judged(id, *judged),
            CallNews::Quick { reply } => drop(reply.send(self.quick())),
            CallNews::Spent(spent) => self.on_spent(id, *spent),
            CallNews::Search { reply } => drop(reply.send(self.searcher())),
            CallNews::Stands { call, reply } => drop(reply.send(self.result_stands(&call))),
            CallNews::Questions => self.on_questions(&id),
            CallNews::Answered => self.on_answered(&id),
            CallNews::Agent { request, reply } => {
                drop(reply.send(self.launch(&id, *request).map(Box::new)));
            }
            CallNews::EnterPlan { done } => drop(done.send(self.enter_plan())),
            CallNews::LeavePlan { plan, left } => drop(left.send(self.leave_plan(&plan))),
            CallNews::Skill { name, args, reply } => {
                self.on_skill_called(&name, &args, reply).await;
            }
            CallNews::SkillReady { ready, said } => self.on_skill_ready(*ready, said).await,
            CallNews::SkillLent { terms, done } => {
                self.lend(&terms);
                let _ = done.send(());
            }
            CallNews::Notice(text) => self.notice(Severity::Info, text),
            CallNews::Withdraw { request_id } => self.withdraw(&request_id),
            CallNews::Record { record, done } => {
                let written = self.journal_permission(&record).await;
                if let Record::Permission { tool, allowed: true, .. } = &*record {
                    self.agree_to(tool);
                }
                let _ = done.send(written.map_err(|error| error.to_string()));
            }
            CallNews::Running => {
                self.on_allowed(&id);
                self.tool_updated(&id, ToolStatus::Running, |_| ());
            }
            CallNews::Output => self.show_output(&id),
        }
    }

    /// A client that is behind misses output rather than getting further behind.
    fn show_output(&mut self, id: &str) {
        let handle = self.running.as_ref().and_then(|running| running.stops.get(id));
        let slot = handle.map(|handle| &handle.output).or_else(|| self.shells.output(id));
        let Some((text, step)) = slot.map(OutputSlot::take) else { return };
        let nothing = text.is_empty() && step.is_none();
        if nothing || self.doors.iter().any(|door| door.outbox.is_behind()) {
            return;
        }
        let output = Some(text).filter(|text| !text.is_empty());
        let Step { done, total, message } = step.unwrap_or_default();
        let progress = ToolProgress { message, output, done, total };
        self.tool_updated(id, ToolStatus::Running, |update| update.progress = Some(progress));
    }

    /// Before the first byte of an effect leaves us, its permission is on the disk. What only looks
    /// is written down too, but need not outlive a power cut.
    async fn journal_permission(&mut self, record: &Record) -> Result<(), JournalError> {
        let looks = match record {
            Record::Permission { tool, .. } => {
                matches!(self.registry.kind(tool), Some(Kind::Read | Kind::Search | Kind::Think))
            }
            _ => false,
        };
        if looks { self.journal(record) } else { self.journal_durably(record).await }
    }

    pub(super) fn tool_updated(
        &mut self,
        id: &str,
        status: ToolStatus,
        fill: impl FnOnce(&mut ToolUpdated),
    ) {
        let mut update = ToolUpdated {
            tool_call_id: id.to_owned(),
            status,
            title: None,
            input: None,
            progress: None,
            locations: None,
        };
        fill(&mut update);
        self.emit(update);
    }
}

/// What a call did, for whoever watches. Counting lines costs something, so only then.
fn trace(work: spans::Work, report: &CallReport) {
    if !work.span().is_disabled() {
        let (added, removed) = lines_changed(report);
        work.changed(added, removed);
    }
    work.end(match report.status {
        CallStatus::Completed => "completed",
        CallStatus::Failed => "failed",
        CallStatus::Denied => "denied",
        CallStatus::Cancelled => "cancelled",
    });
}

fn lines_changed(report: &CallReport) -> (usize, usize) {
    let changes = report.diffs.iter();
    let counts = changes.map(|it| text::stat(it.old.as_deref().unwrap_or_default(), &it.new));
    counts.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

pub(super) fn millis(since: Instant) -> u64 {
    u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX)
}
