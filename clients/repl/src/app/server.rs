//! What the server says: answers to our requests, and requests of its own.

use protocol::Request;
use protocol::complete::Complete;
use protocol::event::Severity;
use protocol::memory::{MemoryAdd, MemoryList};
use protocol::permission::{PermissionRules, ResolvedBy};
use protocol::review::{ReviewList, ReviewResolve};
use protocol::session::{
    Disposition, SessionAttach, SessionConfig, SessionExport, SessionFork, SessionList, SessionNew,
    SessionPrompt, SessionPromptResult, SessionQueue, SessionRewind, SessionShell,
};
use protocol::tasks::Tasks;
use protocol::trust::TrustState;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::time::Instant;

use super::{App, Ending, Listing, SessionWish, Waiting};
use crate::connection::{Incoming, RpcError};
use crate::prompt::Origin;
use crate::state::session::Turn;
use crate::state::transcript::Look;

impl App {
    pub(super) fn on_server(&mut self, incoming: Incoming, now: Instant) {
        match incoming {
            Incoming::Event(event) => {
                let ours = self.session.as_ref().is_some_and(|own| own.id == event.session_id);
                if ours && event.seq > self.seq {
                    self.seq = event.seq;
                    self.on_event(event.body, now);
                }
            }
            Incoming::Permission(id, request) => {
                self.call_user(&format!("Bowline asks: {}", request.title), now);
                self.ask_permission(Origin::Request(id), *request);
            }
            Incoming::Ask(id, request) => {
                self.call_user("Bowline has a question", now);
                self.ask_question(Origin::Request(id), *request);
            }
            Incoming::Resolved(resolved) => {
                if self.close_dialog(&resolved.request_id) && resolved.by == ResolvedBy::Client {
                    self.notice(Severity::Info, "Answered elsewhere.");
                }
            }
            Incoming::Withdrawn(id) => self.withdraw(&id),
            Incoming::Answer { id, outcome } => {
                if let Some(why) = self.outbox.answered(id) {
                    self.on_answer(why, outcome, now);
                }
            }
            Incoming::Refused { id, error } => self.outbox.refuse(&id, &error),
            Incoming::Closed(reason) => {
                let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
                self.ending =
                    Some(Ending::Broken(format!("The server ended unexpectedly{reason}.")));
            }
        }
    }

    fn on_answer(&mut self, why: Waiting, outcome: Result<Box<RawValue>, RpcError>, now: Instant) {
        let result = match outcome {
            Ok(result) => result,
            Err(error) => return self.on_refusal(&why, &error),
        };
        let result = result.get();
        match why {
            Waiting::Initialize => match serde_json::from_str::<Value>(result) {
                Ok(value) => self.initialized(&value),
                Err(error) => self.broken("initialize", &error),
            },
            Waiting::NewSession => self.take::<SessionNew>(result, Self::session_started),
            Waiting::Attach => {
                self.take::<SessionAttach>(result, |app, attached| app.attached(attached, now));
            }
            Waiting::Fork => {
                self.take::<SessionFork>(result, |app, copy| app.attach(&copy.session_id));
            }
            Waiting::Latest => self.take::<SessionList>(result, Self::take_latest),
            Waiting::Pick(query) => self.take::<SessionList>(result, |app, list| {
                app.pick_session(list, query.as_deref());
            }),
            Waiting::Prompt(text) => self.take::<SessionPrompt>(result, |app, accepted| {
                app.accepted(text, accepted, now);
            }),
            Waiting::Config(_) => self.take::<SessionConfig>(result, |app, changed| {
                app.config_changed(changed.config);
            }),
            Waiting::Complete { generation } => {
                let items = read::<Complete>(result).map(|result| result.items).unwrap_or_default();
                self.completed(generation, items);
            }
            Waiting::Rewind(rewinding) => self.take::<SessionRewind>(result, |app, result| {
                app.rewind_answered(rewinding, &result);
            }),
            Waiting::Unrewind(token, what) => self.rewind_undone(&token, &what),
            Waiting::Reattach => {
                self.take::<SessionAttach>(result, |app, attached| app.reattached(&attached));
            }
            Waiting::Changes(why) => {
                self.take::<ReviewList>(result, |app, list| app.changes_listed(&why, list));
            }
            Waiting::Resolve(verdict) => {
                self.take::<ReviewResolve>(result, |app, result| app.resolved(&verdict, result));
            }
            Waiting::Undecide(decision) => self.undecided(&decision),
            Waiting::Rules(why) => {
                self.take::<PermissionRules>(result, |app, rules| app.rules_listed(why, rules));
            }
            Waiting::Trust(decision) => self.trusted(&decision),
            Waiting::Remember => self.take::<MemoryAdd>(result, |app, written| {
                app.remembered(&written.path);
            }),
            Waiting::TrustState { agreed } => self.take::<TrustState>(result, |app, state| {
                app.trust_looked_at(agreed, &state);
            }),
            Waiting::Memory(path) => self.take::<MemoryList>(result, |app, listed| {
                app.memory_listed(path.as_deref(), listed);
            }),
            Waiting::Queue(wish) => self.take::<SessionQueue>(result, |app, result| {
                app.queue_answered(&wish, &result);
            }),
            Waiting::Tasks(id) => self.take::<Tasks>(result, |app, result| {
                app.tasks_answered(id.as_deref(), result);
            }),
            Waiting::Session(wish) => self.on_session_answer(&wish, result),
            Waiting::Shell(command) => self.take::<SessionShell>(result, |app, result| {
                app.shell_began(result.tool_call_id, command, now);
            }),
            Waiting::Cancel | Waiting::Decision => {}
        }
    }

    fn on_session_answer(&mut self, wish: &SessionWish, result: &str) {
        match wish {
            SessionWish::List { .. } | SessionWish::Search { .. } => {
                self.take::<SessionList>(result, |app, list| app.sessions_listed(wish, list));
            }
            SessionWish::Preview(id) => {
                self.take::<SessionExport>(result, |app, result| app.session_previewed(id, result));
            }
            SessionWish::Rename { .. } | SessionWish::Delete(_) => self.session_changed(wish),
        }
    }

    /// Takes an answer as what it should be. One that is not is the end: the server is another.
    fn take<R: Request>(&mut self, result: &str, then: impl FnOnce(&mut Self, R::Result)) {
        match read::<R>(result) {
            Ok(result) => then(self, result),
            Err(error) => self.broken(R::METHOD, &error),
        }
    }

    fn on_refusal(&mut self, why: &Waiting, error: &RpcError) {
        let message = error.message.trim_end_matches('.');
        match why {
            Waiting::Initialize => {
                self.ending =
                    Some(Ending::Broken(format!("The server refused to start: {message}.")));
            }
            Waiting::NewSession if self.session.is_none() => {
                self.ending =
                    Some(Ending::Broken(format!("No session could be started: {message}.")));
            }
            Waiting::Attach | Waiting::Fork if self.session.is_none() => {
                self.ending = Some(Ending::Broken(format!(
                    "The session cannot be resumed: {message}. `bowline --resume` without an \
                         id lets you choose."
                )));
            }
            Waiting::Prompt(text) => {
                self.sending.retain(|sent| sent != text);
                self.failed = true;
                // A command that failed says all there is to say.
                let text = match text.starts_with('/') {
                    true => error.message.clone(),
                    false => format!("The prompt was not accepted: {message}."),
                };
                self.notice(Severity::Error, &text);
            }
            Waiting::Config(what) => {
                self.notice(Severity::Error, &format!("The {what} stays as it is: {message}."));
            }
            Waiting::Complete { generation } => self.completed(*generation, Vec::new()),
            Waiting::Cancel => {
                if let Some(turn) = &mut self.turn {
                    turn.stopping = false;
                }
                self.notice(Severity::Error, &format!("The turn could not be stopped: {message}."));
            }
            Waiting::Rewind(_) => {
                self.notice(Severity::Error, &format!("Nothing was rewound: {message}."));
            }
            Waiting::Unrewind(token, _) => self.rewind_kept(token, error),
            Waiting::Resolve(_) => self.decision_refused(error),
            Waiting::Undecide(decision) => self.undo_refused(decision, error),
            Waiting::Session(wish) => self.sessions_refused(wish, message),
            Waiting::Tasks(id) => self.tasks_refused(id.as_deref(), &format!("{message}.")),
            // Asked by nobody: what waits for a review is not known then.
            Waiting::Changes(Listing::Count) | Waiting::Decision => {}
            _ => self.notice(Severity::Error, &format!("{message}.")),
        }
    }

    fn broken(&mut self, method: &str, error: &serde_json::Error) {
        self.ending = Some(Ending::Broken(format!(
            "The server's answer to {method} cannot be read ({error}); are client and server of \
             the same version?"
        )));
    }

    fn accepted(&mut self, text: String, result: SessionPromptResult, now: Instant) {
        if let Some(at) = self.sending.iter().position(|sent| *sent == text) {
            self.sending.remove(at);
        }
        if result.disposition == Disposition::Queued {
            self.unechoed.insert(result.message_id, text);
            return;
        }
        self.echo(&result.message_id, &text);
        if result.disposition != Disposition::Handled {
            self.say(&result.message_id, &text);
        }
        let over = result.turn_id.is_some() && result.turn_id == self.last_ended;
        if result.disposition == Disposition::Started && self.turn.is_none() && !over {
            self.turn = Some(Turn::new(result.turn_id, now));
        }
    }

    /// A message of the user is part of the conversation from now on.
    pub(super) fn say(&mut self, message: &str, text: &str) {
        let now = (self.start.clock)();
        if let Some(session) = &mut self.session {
            session.said.add(message, text, Some(now));
        }
    }

    /// Puts a prompt into the transcript, once; whoever wrote it into a pipe knows it.
    pub(super) fn echo(&mut self, message: &str, text: &str) {
        self.unechoed.remove(message);
        let fresh = self.echoed.insert(message.to_owned());
        if fresh && matches!(self.start.look, Look::Rich(_)) {
            self.transcript.user(text);
        }
    }
}

fn read<R: Request>(result: &str) -> serde_json::Result<R::Result> {
    serde_json::from_str(result)
}
