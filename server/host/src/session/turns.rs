//! Turns: how one begins, how its effects are carried out, how it ends.

use agent::turn::{Effect, Ending, Input, Turn};
use agent::{ModelError, ModelErrorKind, Record, StreamEvent, WaitingPrompt};
use protocol::event::{
    CheckpointCreated, MessageEnded, MessageStarted, Notice, Severity, TurnEnded, TurnStarted,
};
use protocol::session::{
    CancelState, Delivery, SessionCancelParams, SessionCancelResult, SessionPromptParams,
    SessionStatus,
};
use protocol::snapshot::Role;

use super::calls::{Running, millis};
use super::commands::Told;
use super::driver::coalesce;
use super::hooks::HeldPrompt;
use super::prompt_media::Prompt;
use super::queue::{not_kept, shown, waiting};
use super::{Held, Said, Session, blocks, events};
use crate::core::{Reply, RpcError};
use crate::store::{self, JournalError};

impl Session {
    pub(super) async fn on_prompt(&mut self, params: SessionPromptParams, reply: Reply) {
        if let Some(before) = params.client_message_id.as_ref().and_then(|id| self.answered(id)) {
            return reply.ok(&before);
        }
        self.look_at_agents().await;
        let Prompt { content, shown, .. } = match self.read_prompt(params.content).await {
            Ok(prompt) => prompt,
            Err(problem) => {
                return reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem));
            }
        };
        let message_id = params.client_message_id.unwrap_or_else(|| self.next_id("msg"));
        let more: Vec<_> = content.iter().skip(1).cloned().collect();
        let content = match self.run_command(&message_id, &shown, content).await {
            Ok(Told::Prompt(content)) => content,
            Ok(Told::Handled) => return self.accept_handled(message_id, reply),
            Ok(Told::Later(expansion)) => {
                let delivery = params.delivery;
                let held = Held { message_id, shown, more, delivery, reply };
                return self.expand_prompt(*expansion, held).await;
            }
            Ok(Told::Asked(filling)) => {
                let delivery = params.delivery;
                return self
                    .fill_prompt(*filling, Held { message_id, shown, more, delivery, reply });
            }
            Err(problem) => return reply.err(RpcError::new(RpcError::INVALID_PARAMS, problem)),
        };
        let content = self.with_agents_named(&shown, content);
        let prompt = waiting(message_id, content, &shown);
        let (delivery, source) = (params.delivery, "user");
        self.submit(HeldPrompt { prompt, delivery, reply, source }).await;
    }

    /// To the turn that runs, to the queue, or as a turn of its own.
    pub(super) async fn deliver(
        &mut self,
        prompt: WaitingPrompt,
        delivery: Option<Delivery>,
        reply: Reply,
    ) {
        // While an idle session is being summed up, or an earlier prompt made ready, prompts wait.
        let busy = self.compacting.is_some() || self.is_expanding();
        let waits = self.running.is_none() && busy;
        match (self.running.is_some() || waits, delivery.unwrap_or_default()) {
            (true, _) if waits => drop(self.enqueue(prompt, reply).await),
            (true, Delivery::Steer) => self.steer(prompt, reply).await,
            (true, _) => drop(self.enqueue(prompt, reply).await),
            // Who steers wants to be heard now; what was left in the queue stays there.
            (false, Delivery::Steer) => self.start_turn(prompt, Some(reply)).await,
            // Prompts that a cancel or a restart left in the queue come first; this one wakes them.
            (false, _) if !self.prompts.queue.is_empty() => {
                if self.enqueue(prompt, reply).await {
                    self.prompts.held = false;
                    self.start_next().await;
                }
            }
            (false, _) => self.start_turn(prompt, Some(reply)).await,
        }
    }

    /// The prompt is on the disk before it is acknowledged, and acknowledged before the model is
    /// asked.
    pub(super) async fn start_turn(&mut self, prompt: WaitingPrompt, reply: Option<Reply>) {
        self.stop_helpers();
        // What is told along with the prompt follows the rules, too.
        self.look_at_settings().await;
        self.look_at_memory().await;
        self.look_at_skills().await;
        self.look_at_servers().await;
        self.note_for_hooks(&prompt.id);
        let turn_id = self.next_id("turn");
        if let Err(error) = self.begin_journal().await {
            return self.not_written(&error, reply);
        }
        self.note_checkout().await;
        let waited = self.prompts.queue.contains(&prompt.id);
        let mut turn = Turn::new(turn_id.clone(), self.turn_rules());
        let message_id = prompt.id.clone();
        let content = self.attach_to_prompt(prompt.content.clone()).await;
        let mut effects =
            turn.on(Input::Prompt { message_id: message_id.clone(), content }).into_iter();
        if let Some(Effect::Journal(record)) = effects.next()
            && let Err(error) = self.journal_durably(&record).await
        {
            return self.not_written(&error, reply);
        }
        if waited {
            self.show_queue();
        }
        if let Some(reply) = reply {
            self.accept(&message_id, reply);
        }
        let traced = self.traced(&turn_id, &blocks::plain_text(&shown(&prompt)));
        self.running = Some(Running::new(turn, traced));
        self.begin_terms(&message_id);
        self.set_status(SessionStatus::Running);
        self.verbatim(|| Said::Began(Box::new(self.equipment())));
        self.emit(TurnStarted { turn_id, message_id: message_id.clone() });
        self.emit(CheckpointCreated { message_id: message_id.clone() });
        if !prompt.announced {
            self.show_user_message(message_id, &shown(&prompt));
        }
        self.show_shared();
        self.perform(effects.collect()).await;
    }

    pub(super) fn show_user_message(
        &mut self,
        message_id: String,
        shown: &[protocol::prompt::Block],
    ) {
        let role = Role::User;
        self.emit(MessageStarted {
            message_id: message_id.clone(),
            role: role.clone(),
            text: Some(blocks::plain_text(shown)),
            attachments: blocks::attachments(shown),
            parent_tool_call_id: None,
        });
        self.emit(MessageEnded { message_id, role, text: None });
    }

    /// A prompt from the queue was acknowledged already; it is still there.
    fn not_written(&mut self, error: &JournalError, reply: Option<Reply>) {
        self.attachments.forget();
        let message = not_kept(error);
        match reply {
            Some(reply) => reply.err(RpcError::failed(message)),
            None => self.notice(Severity::Error, message),
        }
    }

    pub(super) async fn on_cancel(&mut self, params: &SessionCancelParams, reply: Reply) {
        let Some(reply) = self.cancel_task(params, reply) else { return };
        let Some(reply) = self.cancel_inlines(params, reply) else { return };
        if let Some(call) = params.tool_call_id.as_ref().filter(|call| self.shells.stop(call)) {
            self.withdraw_asks_of(call);
            return reply.ok(&SessionCancelResult { state: CancelState::Cancelled });
        }
        let Some(running) = self.running.as_mut() else {
            let stopped = self.stop_checking() || self.stop_compacting() || self.stop_expanding();
            let state = if stopped { CancelState::Cancelled } else { CancelState::Idle };
            return reply.ok(&SessionCancelResult { state });
        };
        if let Some(call) = &params.tool_call_id {
            let state =
                if running.stop_call(call) { CancelState::Cancelled } else { CancelState::Running };
            self.withdraw_asks_of(call);
            return reply.ok(&SessionCancelResult { state });
        }
        if params.turn_id.as_deref().is_some_and(|turn| turn != running.turn.id()) {
            return reply.ok(&SessionCancelResult { state: CancelState::Idle });
        }
        running.cancelling.push(reply);
        self.cancel_turn().await;
    }

    pub(super) async fn cancel_turn(&mut self) {
        self.feed(Input::Cancel).await;
    }

    pub(super) async fn on_stream(&mut self, events: Vec<Result<StreamEvent, ModelError>>) {
        for event in coalesce(events) {
            if let Some(running) = self.running.as_mut() {
                match &event {
                    Ok(event) => running.traced.heard(event),
                    Err(_) => running.traced.answered("failed"),
                }
            }
            let input = match event {
                Ok(StreamEvent::Cleared { results, tokens }) => {
                    self.note_cleared(results, tokens);
                    continue;
                }
                Ok(event @ StreamEvent::BlockEnded { .. }) => {
                    self.on_block_ended(event).await;
                    continue;
                }
                Ok(event) => {
                    self.tell_piece(&event);
                    Input::Model(event)
                }
                Err(error) => Input::ModelFailed { error, jitter: jitter() },
            };
            // After the last word of an answer the rest of the stream is of no interest.
            let last = matches!(
                input,
                Input::ModelFailed { .. } | Input::Model(StreamEvent::Stopped { .. })
            );
            if let (true, Some(running)) = (last, self.running.as_mut()) {
                running.stream = None;
            }
            self.feed(input).await;
            if last {
                break;
            }
        }
    }

    /// The block is recorded before anybody is told that it ended.
    async fn on_block_ended(&mut self, event: StreamEvent) {
        let Some(running) = self.running.as_mut() else { return };
        let mut effects = running.turn.on(Input::Model(event.clone()));
        let mut failed = None;
        if let Some(Effect::Journal(record)) = effects.first() {
            let record = record.clone();
            effects.remove(0);
            failed = self.journal(&record).err();
        }
        self.tell_piece(&event);
        self.perform_after(effects, failed).await;
    }

    pub(super) async fn on_stream_ended(&mut self) {
        if let Some(running) = self.running.as_mut() {
            running.stream = None;
            running.traced.answered("failed");
        }
        let message = "The model's answer broke off before its end. Send the prompt again.";
        let error = ModelError::new(ModelErrorKind::BrokenStream, message);
        self.feed(Input::ModelFailed { error, jitter: jitter() }).await;
    }

    /// Gives the turn an input and does what it says.
    pub(super) async fn feed(&mut self, input: Input) {
        let Some(running) = self.running.as_mut() else { return };
        let effects = running.turn.on(input);
        self.perform(effects).await;
    }

    pub(super) async fn end_turn(&mut self, ending: Ending) {
        let Some(mut running) = self.running.take() else { return };
        self.abandon_compacting();
        let turn_id = running.turn.id().to_owned();
        let (usage, cost_usd) = (ending.spent.usage(), ending.spent.cost_usd());
        let terminal = ending.reason.name().to_owned();
        running.traced.ended(&terminal);
        let record = Record::TurnEnded {
            turn: turn_id.clone(),
            reason: ending.reason.stop_reason().to_owned(),
            terminal: Some(terminal.clone()),
            usage,
            cost_usd,
            models: ending.spent.clone(),
            error: ending.error.as_ref().map(ToString::to_string),
        };
        if let Err(error) = self.journal_durably(&record).await {
            tracing::error!(%error, "the end of a turn could not be journalled");
        }
        self.verbatim(|| Said::Spent(Box::new(self.cost())));
        self.emit(TurnEnded {
            turn_id,
            stop_reason: events::stop_reason(ending.reason),
            usage: events::usage(usage),
            cost_usd,
            duration_ms: millis(running.started),
            answers: Some(ending.answers),
            error: ending.error.as_ref().map(events::problem),
            terminal_reason: Some(terminal),
        });
        for reply in running.cancelling.drain(..) {
            reply.ok(&SessionCancelResult { state: CancelState::Cancelled });
        }
        self.forget_turn();
        self.return_loans();
        // What was steered in too late became a prompt of its own.
        self.prompts.queue.settle();
        if !running.turn.take_steered().is_empty() {
            self.show_queue();
        }
        self.fire_failure(&ending);
        self.set_status(SessionStatus::Idle);
        if !ending.reason.is_abort() && !self.prompts.held {
            Box::pin(self.start_next()).await;
        }
        self.help_after_turn(&ending);
        self.watch_idleness();
        self.note_worked(running.started.elapsed());
        self.touch_status_line();
    }

    pub(super) fn notice(&mut self, severity: Severity, text: impl Into<String>) {
        self.emit(Notice { severity, text: text.into() });
    }

    /// Appends to the journal and, only then, to the conversation.
    pub(super) fn journal(&mut self, record: &Record) -> Result<(), JournalError> {
        self.journal.append(record)?;
        for line in self.journal.take_mirrored() {
            self.verbatim(|| Said::Kept(line));
        }
        self.prompts.queue.apply(record);
        let before = self.conversation.cost_usd();
        self.conversation.apply(record).map_err(JournalError::from)?;
        self.prompt_cache.journalled(record);
        self.note_spent(record);
        if let Record::Assistant { usage, .. } = record {
            let ttl = self.config.provider_of(self.asked_model()).caching();
            self.prompt_cache.answered(usage, ttl, self.host.clock.millis());
        }
        // A turn that runs pays for what is asked beside it.
        if let Some(running) = self.running.as_mut() {
            running.turn.also_spent(self.conversation.cost_usd() - before);
        }
        Ok(())
    }

    pub(super) async fn journal_durably(&mut self, record: &Record) -> Result<(), JournalError> {
        self.journal(record)?;
        self.journal.sync().await
    }

    /// The first prompt makes the file.
    pub(super) async fn begin_journal(&mut self) -> Result<(), JournalError> {
        if self.journal.is_new() {
            let head = Record::Session {
                version: agent::journal::VERSION,
                id: self.id.clone(),
                cwd: self.state.cwd().display().to_string(),
                model: self.config.model.clone(),
                mode: self.state.permissions().mode.name().to_owned(),
                forked_from: None,
            };
            self.journal.create(&head).await?;
            if self.journal.path().is_some() {
                let home = self.host.locations.bowline_home.clone();
                let _ = tokio::task::spawn_blocking(move || store::stamp(&home)).await;
            }
            if let Some(member) = self.agents.member.clone() {
                self.journal(&member.record)?;
            }
            if let Some(title) = self.title.record() {
                self.journal(&title)?;
            }
            if !self.config.options.chosen().is_empty() {
                self.journal_config()?;
            }
        }
        Ok(())
    }
}

/// A random number from 0 to 1, so that clients that failed together do not come back together.
fn jitter() -> f64 {
    use std::hash::{BuildHasher as _, Hasher as _};
    let random = std::hash::RandomState::new().build_hasher().finish();
    random as f64 / u64::MAX as f64
}
