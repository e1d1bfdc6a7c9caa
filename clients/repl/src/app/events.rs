//! What happens in the session, and what it changes on the screen.

use protocol::event::{
    CompactionEnded, EventBody, HookEnded, HookOutcome, HunkAdded, HunkResolved, HunkUpdated,
    MessageEnded, MessageStarted, Severity, StopReason, TaskEnded, TaskStarted, TaskUpdated,
    ToolEnded, ToolStarted, ToolUpdated, TurnEnded,
};
use protocol::review::Hunk;
use protocol::snapshot::{Role, Todo};
use protocol::tool::{ToolCallState, ToolKind, ToolStatus};
use tokio::time::Instant;

use super::App;
use crate::render::hunk::counted;
use crate::render::line::Line;
use crate::render::safe::{safe, strict};
use crate::render::{count, duration, theme};
use crate::state::session::Turn;

impl App {
    pub(super) fn on_event(&mut self, event: EventBody, now: Instant) {
        match event {
            EventBody::MessageDelta(delta) => {
                if !self.hidden.contains(&delta.message_id) && delta.role != Role::User {
                    self.doing("Writing");
                    self.transcript.answer(&delta.message_id, &delta.text);
                }
            }
            EventBody::ThoughtDelta(delta) => {
                if !self.hidden.contains(&delta.message_id) {
                    self.doing("Thinking");
                    self.transcript.thought(&delta.message_id, &delta.text);
                }
            }
            EventBody::TurnStarted(started) => {
                if let Some(text) = self.unechoed.get(&started.message_id).cloned() {
                    self.say(&started.message_id, &text);
                    self.echo(&started.message_id, &text);
                }
                self.suggestion = None;
                self.queue.taken_up();
                self.turn = Some(Turn::new(Some(started.turn_id), now));
                self.say_now("Bowline works.");
            }
            EventBody::TurnEnded(ended) => self.turn_ended(ended, now),
            EventBody::MessageStarted(started) => self.message_started(started),
            EventBody::MessageEnded(ended) => self.message_ended(&ended),
            EventBody::MessageRetracted(retracted) => {
                self.transcript.retract(&retracted.message_id);
            }
            EventBody::ThoughtEnded(ended) => {
                if !self.hidden.contains(&ended.message_id) {
                    self.transcript.end_text(&ended.message_id, true, ended.text.as_deref());
                }
            }
            EventBody::ToolStarted(started) => self.tool_started(started),
            EventBody::ToolUpdated(updated) => self.tool_updated(updated),
            EventBody::ToolEnded(ended) => self.tool_ended(ended),
            other => self.on_rare_event(other),
        }
    }

    fn on_rare_event(&mut self, event: EventBody) {
        match event {
            EventBody::TodosUpdated(todos) => self.steps_changed(todos.items),
            EventBody::PlanUpdated(plan) => {
                let item = |entry: protocol::event::PlanEntry| Todo {
                    content: entry.content,
                    active_form: None,
                    status: entry.status,
                };
                self.steps_changed(plan.entries.into_iter().map(item).collect());
            }
            EventBody::QueueUpdated(updated) => {
                self.queue.update(&updated.queue, self.turn.is_some());
            }
            EventBody::ConfigUpdated(updated) => {
                self.config_changed(updated.config);
            }
            EventBody::CommandsUpdated(updated) => {
                if let Some(session) = &mut self.session {
                    session.commands = updated.commands;
                }
                // Somebody may be typing one of them.
                self.complete();
            }
            EventBody::UsageUpdated(usage) => {
                if let Some(session) = &mut self.session {
                    session.usage.used = usage.used;
                    session.usage.window = usage.window;
                    session.usage.cost_usd = usage.cost_usd;
                }
            }
            EventBody::SessionUpdated(updated) => {
                if let (Some(session), Some(title)) = (&mut self.session, updated.title) {
                    session.title = Some(title);
                }
            }
            EventBody::HunkAdded(HunkAdded { hunk })
            | EventBody::HunkUpdated(HunkUpdated { hunk })
            | EventBody::HunkResolved(HunkResolved { hunk }) => self.hunk_changed(hunk),
            EventBody::SessionRewound(rewound) => {
                let token = rewound.undo_token.as_deref();
                self.rewound(&rewound.to_message, &rewound.what, token);
            }
            EventBody::SessionUnrewound(_) => self.unrewound(),
            EventBody::CompactionStarted(_) => self.summing_up(),
            EventBody::CompactionEnded(ended) => self.summed_up(ended),
            EventBody::Retry(retry) => {
                let seconds = retry.delay_ms.div_ceil(1000);
                let message = retry.error.message;
                self.doing(&format!(
                    "Trying again in {} (attempt {}: {message})",
                    duration(seconds),
                    retry.attempt
                ));
            }
            EventBody::CommandOutput(output) => {
                self.echo(&output.message_id, &output.command);
                let rows = output.text.lines().map(|line| Line::plain(safe(line)));
                self.transcript.rows(rows.collect());
            }
            EventBody::Notice(notice) => self.notice(notice.severity, &notice.text),
            EventBody::StatusLineUpdated(line) => self.status_lines = line.lines,
            EventBody::Suggestion(suggestion) => self.suggestion = Some(suggestion.text),
            EventBody::ToolsSummarized(summary) => self.notice(Severity::Info, &summary.text),
            EventBody::AwaySummarized(summary) => {
                self.notice(Severity::Info, &format!("While you were away: {}", summary.text));
            }
            other => self.on_helper_event(other),
        }
    }

    /// What others do for the session: agents and hooks.
    fn on_helper_event(&mut self, event: EventBody) {
        match event {
            EventBody::AgentStarted(agent) => {
                let what = agent.description.unwrap_or_default();
                let who = agent.name.as_ref().unwrap_or(&agent.agent_type);
                let colour = theme::of_agent(agent.color.as_deref());
                let text = format!(" ({}) begins: {what}", agent.agent_id);
                let line = Line::styled(strict(who), colour).with(strict(&text), theme::DIM);
                self.transcript.rows(vec![line]);
                self.crew.insert(agent.agent_id, (who.clone(), colour));
            }
            EventBody::AgentEnded(agent) => {
                let known = self.crew.remove(&agent.agent_id);
                let (who, colour) = known.unwrap_or((agent.agent_type.clone(), theme::ACCENT));
                let how = agent.status.map_or_else(|| "ended".to_owned(), |how| how.to_string());
                let calls = agent.tool_calls.and_then(|calls| usize::try_from(calls).ok());
                let calls = calls.map(|calls| format!(", {}", counted(calls, "call")));
                let tokens = agent.tokens.map(|tokens| format!(", {} tokens", count(tokens)));
                let time = agent.duration_ms.map(|ms| format!(", {}", duration(ms / 1000)));
                let parts = [calls, tokens, time].into_iter().flatten().collect::<String>();
                let text = format!(" ({}) {how}{parts}", agent.agent_id);
                let line = Line::styled(strict(&who), colour).with(strict(&text), theme::DIM);
                self.transcript.rows(vec![line]);
            }
            EventBody::TaskStarted(TaskStarted { task })
            | EventBody::TaskUpdated(TaskUpdated { task })
            | EventBody::TaskEnded(TaskEnded { task }) => self.task_changed(task),
            EventBody::HookStarted(hook) => self.doing(&hook.title),
            EventBody::HookEnded(hook) if is_news(&hook) => {
                let text = hook.text.unwrap_or_default();
                let text = format!("Hook {} {}: {text}", hook.event, hook.outcome);
                self.notice(Severity::Info, text.trim_end_matches([':', ' ']));
            }
            _ => {}
        }
    }

    pub(super) fn config_changed(&mut self, config: protocol::session::Config) {
        let Some(session) = &mut self.session else { return };
        let old = std::mem::replace(&mut session.config, config.clone());
        if old.mode != config.mode {
            self.say_now(&format!("The mode is now {}.", config.mode));
        }
        if old.model != config.model {
            let text = format!("The model is now {}.", self.model_name(&config.model));
            self.say_now(&text);
        }
    }

    fn summing_up(&mut self) {
        self.doing("Summing up the conversation");
        if self.turn.is_none() {
            self.notice(Severity::Info, "Summing up the conversation …");
        }
    }

    fn summed_up(&mut self, ended: CompactionEnded) {
        let text = match ended.error {
            Some(problem) => format!("The conversation was not summed up: {}", problem.message),
            None if ended.summary.is_none() => "The conversation was not summed up.".to_owned(),
            None => {
                let (before, after) = (count(ended.before), count(ended.after));
                format!("The conversation was summed up: {before} → {after} tokens.")
            }
        };
        self.notice(Severity::Info, &text);
    }

    fn hunk_changed(&mut self, hunk: Hunk) {
        if let Some(session) = &mut self.session {
            session.changes.update(hunk);
        }
        self.tidy_review();
    }

    fn doing(&mut self, what: &str) {
        if let Some(turn) = &mut self.turn
            && turn.doing != what
        {
            what.clone_into(&mut turn.doing);
        }
    }

    fn turn_ended(&mut self, ended: TurnEnded, now: Instant) {
        self.transcript.end_all();
        self.hidden.clear();
        self.turn = None;
        if ended.stop_reason != StopReason::Cancelled && !self.queue.goes_on() {
            self.call_user("Bowline is done", now);
        }
        if let Some((severity, text)) = ending_notice(&ended) {
            self.failed |= severity == Severity::Error;
            self.notice(severity, &text);
        }
        self.last_ended = Some(ended.turn_id);
        self.say_now("Bowline is done.");
    }

    fn message_started(&mut self, started: MessageStarted) {
        if started.parent_tool_call_id.is_some() {
            // A helper agent's words are for the agent that called it.
            self.hidden.insert(started.message_id);
            return;
        }
        match (&started.role, &started.text) {
            (Role::User, Some(text)) => {
                self.say(&started.message_id, text);
                self.echo(&started.message_id, text);
                self.with_attachments(&started.attachments.unwrap_or_default());
            }
            (Role::User, None) => {}
            (_, Some(text)) => self.transcript.answer(&started.message_id, text),
            (_, None) => self.doing("Thinking"),
        }
    }

    fn message_ended(&mut self, ended: &MessageEnded) {
        if ended.role == Role::User || self.hidden.contains(&ended.message_id) {
            return;
        }
        self.transcript.end_text(&ended.message_id, false, ended.text.as_deref());
    }

    fn tool_started(&mut self, started: ToolStarted) {
        self.doing(&started.title);
        if let Some(session) = &mut self.session {
            session.said.call(&started.tool_call_id);
        }
        self.transcript.tool_started(ToolCallState {
            tool_call_id: started.tool_call_id,
            name: started.name,
            title: started.title,
            kind: started.kind,
            status: ToolStatus::Pending,
            input: started.input,
            content: Vec::new(),
            diff: None,
            locations: None,
            parent_tool_call_id: started.parent_tool_call_id,
        });
    }

    fn tool_updated(&mut self, updated: ToolUpdated) {
        let Some(view) = self.transcript.tool(&updated.tool_call_id) else { return };
        view.call.status = updated.status;
        if let Some(title) = updated.title {
            view.call.title = title;
        }
        if updated.input.is_some() {
            view.call.input = updated.input;
        }
        if let Some(progress) = updated.progress {
            view.progress(progress);
        }
        // What is read or changed is done before anybody has heard of it.
        let long = view.call.status == ToolStatus::Running && view.call.kind == ToolKind::Execute;
        let begins = long && !std::mem::replace(&mut view.announced, true);
        if begins {
            let title = view.call.title.clone();
            self.say_now(&format!("Running: {title}"));
            return self.doing(&title);
        }
        let doing = match view.call.status {
            ToolStatus::Waiting => "Waiting for your answer".to_owned(),
            _ => view.call.title.clone(),
        };
        self.doing(&doing);
    }

    fn tool_ended(&mut self, ended: ToolEnded) {
        if let Some(view) = self.transcript.tool(&ended.tool_call_id) {
            view.call.status = ended.status;
            view.call.content = ended.content;
            view.call.diff = ended.diff;
        }
        self.shell_ended(&ended.tool_call_id);
        self.doing("Thinking");
    }
}

/// What to say when a turn did not simply end.
fn ending_notice(ended: &TurnEnded) -> Option<(Severity, String)> {
    let problem = ended.error.as_ref().map(|problem| problem.message.clone());
    let (severity, text) = match &ended.stop_reason {
        StopReason::EndTurn => return problem.map(|text| (Severity::Error, text)),
        StopReason::Cancelled => return Some((Severity::Info, "Stopped.".into())),
        StopReason::MaxTokens => (Severity::Warning, "The answer was cut off at its longest."),
        StopReason::MaxTurns => {
            (Severity::Warning, "The limit of steps is reached; say \"go on\" to continue.")
        }
        StopReason::MaxBudget => (Severity::Warning, "The budget is used up."),
        StopReason::Refusal => (Severity::Warning, "The model declined to answer."),
        StopReason::HookStopped => (Severity::Warning, "A hook stopped the turn."),
        StopReason::ToolDeferred => {
            (Severity::Warning, "A hook put a call off; resume the session.")
        }
        StopReason::PromptTooLong => {
            (Severity::Error, "The conversation no longer fits the model; /clear starts a new one.")
        }
        StopReason::ModelError => (Severity::Error, "The model failed."),
        StopReason::Blocked => (Severity::Warning, "The prompt was blocked."),
        StopReason::Other(_) => (Severity::Warning, "The turn ended early."),
    };
    Some((severity, problem.unwrap_or_else(|| text.to_owned())))
}

/// What a hook said no to is mostly shown where it happens, and one that failed is told by the server.
fn is_news(hook: &HookEnded) -> bool {
    const SHOWN: [&str; 3] = ["PreToolUse", "PermissionRequest", "UserPromptSubmit"];
    hook.outcome == HookOutcome::Blocked && !SHOWN.contains(&hook.event.as_str())
}
