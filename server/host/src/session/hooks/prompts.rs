//! Prompts and the beginning of a session: what hooks say about a prompt before anybody else sees it,
//! and what they say when the session begins, which the first prompt waits for.

use std::collections::VecDeque;

use agent::{Block, TitleOrigin, WaitingPrompt};
use extend::hooks::HookEvent;
use protocol::event::{Problem, ProblemKind, Severity, StopReason, TurnEnded, TurnStarted, Usage};
use protocol::session::{Delivery, Disposition, SessionPromptResult};
use serde_json::json;

use super::{Heard, Hooking, Then};
use crate::core::{Reply, RpcError};
use crate::session::queue::{shown, waiting};
use crate::session::{Session, blocks};

/// More than this is not a queue but a mistake.
const MOST_WAITING: usize = 100;

/// A prompt that hooks have yet to speak about.
pub(in crate::session) struct HeldPrompt {
    pub(in crate::session) prompt: WaitingPrompt,
    pub(in crate::session) delivery: Option<Delivery>,
    pub(in crate::session) reply: Reply,
    /// Who says it: `user`, or what made it come again.
    pub(in crate::session) source: &'static str,
}

/// Prompts on their way in.
#[derive(Default)]
pub(in crate::session) struct PromptChecks {
    /// The session's beginning is being told; prompts wait for it.
    starting: Option<Hooking>,
    /// The prompt that is looked at.
    current: Option<(HeldPrompt, Hooking)>,
    /// Those behind it.
    waiting: VecDeque<HeldPrompt>,
    /// What the model is told with the first prompt.
    pub(in crate::session) first_words: Vec<String>,
    /// Changes that wait: of the settings, of the model.
    pub(in crate::session) settings: Option<Hooking>,
    pub(in crate::session) switching: Option<Hooking>,
}

impl Session {
    /// A prompt on its way in: past the hooks, then to the turn or the queue.
    pub(in crate::session) async fn submit(&mut self, held: HeldPrompt) {
        if !self.is_checking() {
            return self.let_in(held, Vec::new()).await;
        }
        if self.prompt_checks.waiting.len() >= MOST_WAITING {
            let message = format!("{MOST_WAITING} prompts are waiting already; wait for them.");
            return held.reply.err(RpcError::new(RpcError::OVERLOADED, message));
        }
        self.prompt_checks.waiting.push_back(held);
        self.check_next().await;
    }

    /// Whether hooks have something to say before a prompt is let in.
    pub(in crate::session) fn is_checking(&self) -> bool {
        let checks = &self.prompt_checks;
        let busy = checks.starting.is_some() || checks.current.is_some();
        let words = !checks.first_words.is_empty();
        busy || words || self.hooks.any(HookEvent::UserPromptSubmit)
    }

    /// Looks at the next prompt that waits, and at those behind it that nobody wants to see.
    async fn check_next(&mut self) {
        while self.prompt_checks.starting.is_none() && self.prompt_checks.current.is_none() {
            let Some(held) = self.prompt_checks.waiting.pop_front() else { return };
            let title = self.title.text().map(str::to_owned);
            let fields = || {
                let prompt = blocks::plain_text(&shown(&held.prompt));
                let mut fields = json!({ "prompt": prompt, "source": held.source });
                if let Some(title) = title {
                    fields["session_title"] = json!(title);
                }
                fields
            };
            let id = held.prompt.id.clone();
            self.hooks.note(|now| now.prompt = Some(id));
            match self.ask_hooks(HookEvent::UserPromptSubmit, None, fields, Then::Prompt) {
                Ok(hooking) => self.prompt_checks.current = Some((held, hooking)),
                Err(_) => self.let_in(held, Vec::new()).await,
            }
        }
    }

    pub(super) async fn on_prompt_checked(&mut self, mut heard: Heard) {
        let Some((held, _)) = self.prompt_checks.current.take() else { return };
        let no = heard.no().map(str::to_owned);
        if let Some(title) = heard.more.session_title.take().filter(|_| no.is_none()) {
            self.take_title(title).await;
        }
        match no {
            Some(reason) => self.turn_away(held, &reason),
            None => self.let_in(held, heard.context).await,
        }
        self.check_next().await;
    }

    async fn take_title(&mut self, title: String) {
        let title = title.trim().to_owned();
        if !title.is_empty()
            && let Err(error) = self.name(title, TitleOrigin::Generated).await
        {
            self.notice(Severity::Warning, format!("The title was not saved: {error}"));
        }
    }

    async fn let_in(&mut self, held: HeldPrompt, context: Vec<String>) {
        let HeldPrompt { mut prompt, delivery, reply, .. } = held;
        let words = std::mem::take(&mut self.prompt_checks.first_words).into_iter().chain(context);
        prompt.content.extend(words.map(|words| Block::text(tools::reminder(&words))));
        Box::pin(self.deliver(prompt, delivery, reply)).await;
    }

    /// The prompt goes nowhere: neither the model nor the journal gets to see it.
    fn turn_away(&mut self, held: HeldPrompt, reason: &str) {
        let HeldPrompt { prompt, reply, .. } = held;
        let message = match reason.trim() {
            "" => "A hook did not let the prompt through.".to_owned(),
            reason => format!("A hook did not let the prompt through: {reason}"),
        };
        if self.running.is_some() || self.compacting.is_some() {
            return reply.err(RpcError::failed(message));
        }
        let turn_id = self.next_id("turn");
        let (message_id, disposition) = (prompt.id, Disposition::Started);
        reply.ok(&SessionPromptResult {
            message_id: message_id.clone(),
            turn_id: Some(turn_id.clone()),
            disposition,
        });
        self.emit(TurnStarted { turn_id: turn_id.clone(), message_id });
        self.emit(TurnEnded {
            turn_id,
            stop_reason: StopReason::Blocked,
            usage: Usage::default(),
            cost_usd: 0.0,
            duration_ms: 0,
            answers: Some(0),
            error: Some(Problem { kind: ProblemKind::InvalidRequest, message, status: None }),
            terminal_reason: Some("hook_stopped".to_owned()),
        });
    }

    /// The user does not want what is looked at any more. True when there was something.
    pub(in crate::session) fn stop_checking(&mut self) -> bool {
        let held = self.prompt_checks.current.take().map(|(held, _)| held);
        let all: Vec<_> = held.into_iter().chain(self.prompt_checks.waiting.drain(..)).collect();
        let any = !all.is_empty();
        for held in all {
            held.reply.err(RpcError::failed("The prompt was stopped before it began."));
        }
        any
    }

    /// What hooks of this turn are told besides.
    pub(in crate::session) fn note_for_hooks(&self, prompt: &str) {
        let effort = self.config.options.effort().map(|effort| effort.name().to_owned());
        let prompt = prompt.to_owned();
        self.hooks.note(|now| {
            now.prompt = Some(prompt);
            now.effort = effort;
        });
    }

    /// A session begins, or begins anew: first the setting up, where it is wanted, then this.
    pub(in crate::session) fn begin_hooks(&mut self, source: &'static str) {
        // An agent's beginning is another event.
        if self.agents.member.is_some() {
            return;
        }
        self.start_source = source;
        if let Some(trigger) = self.limits.setup.take() {
            let fields = || json!({ "trigger": trigger.name() });
            let word = Some(trigger.name());
            if let Ok(hooking) = self.ask_hooks(HookEvent::Setup, word, fields, Then::SetUp) {
                self.prompt_checks.starting = Some(hooking);
                return;
            }
        }
        self.begin_start();
    }

    pub(super) fn begin_start(&mut self) {
        let source = self.start_source;
        let fields = || {
            let mut fields = json!({ "source": source, "model": self.config.model });
            if let Some(lead) = &self.agents.lead {
                fields["agent_type"] = json!(lead.name);
            }
            if let Some(title) = self.title.text() {
                fields["session_title"] = json!(title);
            }
            if source != "startup" {
                fields["context_tokens"] = json!(self.used());
            }
            fields
        };
        let word = Some(source);
        self.prompt_checks.starting =
            self.ask_hooks(HookEvent::SessionStart, word, fields, Then::Begun).ok();
    }

    pub(super) async fn on_begun(&mut self, heard: Heard) {
        self.prompt_checks.starting = None;
        if let Some(reason) = &heard.stop {
            self.notice(Severity::Warning, format!("A hook wanted no session here: {reason}"));
        }
        for words in heard.context {
            self.tell_model(words).await;
        }
        let more = heard.more;
        if let Some(title) = more.session_title {
            self.take_title(title).await;
        }
        if let Some(paths) = more.watch_paths {
            self.watch_more(&paths);
        }
        if more.reload_skills == Some(true) {
            self.read_skills_again().await;
        }
        if let Some(first) = more.initial_user_message.filter(|it| !it.trim().is_empty()) {
            let content = vec![Block::text(first.clone())];
            let shown = vec![protocol::prompt::Block::text(first)];
            let prompt = waiting(self.next_id("msg"), content, &shown);
            let (delivery, source, reply) = (None, "system", Reply::new(|_| ()));
            self.prompt_checks.waiting.push_front(HeldPrompt { prompt, delivery, reply, source });
        }
        self.check_next().await;
    }
}
