//! What the turn machine asks for, carried out: asking the model, waiting, making room.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use agent::context::clear::Moment;
use agent::turn::{Ask, Budget, Effect, Input, Room, Rules, Why};
use agent::{ModelError, ModelRequest, Record, models};
use futures::StreamExt as _;
use protocol::event::{Retry, Severity};

use super::compact::{Shaped, Then, Trigger};
use super::{Said, Session, events};
use crate::store::JournalError;

/// How many of the model's words are taken at once when they come fast.
const STREAM_BATCH: usize = 64;

impl Session {
    /// What holds for a turn that begins now.
    pub(super) fn turn_rules(&self) -> Rules {
        let registry = self.registry.clone();
        let parallel = Arc::new(move |name: &str, input: &_| registry.parallel(name, input));
        let number = |name: &str| self.host.var(name)?.to_str()?.trim().parse::<u64>().ok();
        let tries = number("BOWLINE_MAX_RETRIES").or_else(|| number("CLAUDE_CODE_MAX_RETRIES"));
        let limits = models::limits(&self.config.model);
        let mut rules = Rules::new(&self.config.model, parallel);
        rules.models.extend(self.config.fallbacks.iter().map(|(_, model)| model.clone()));
        rules.max_answers = self.limits.max_turns;
        rules.max_retries = tries.map_or(rules.max_retries, |n| n.min(100) as u32);
        rules.first_wait_ms = number("BOWLINE_RETRY_DELAY_MS").unwrap_or(rules.first_wait_ms);
        let longest = number("BOWLINE_MAX_RETRY_AFTER_MS");
        rules.longest_asked_ms = longest.unwrap_or(rules.longest_asked_ms);
        let spent = self.conversation.cost_usd();
        let cost_usd = self.limits.max_budget_usd.map(|budget| budget - spent);
        rules.budget = Budget { tokens: self.limits.task_budget, cost_usd };
        rules.can_answer_longer = self.config.max_tokens(limits) < limits.max_output;
        rules.stop_hooks = self.wants_stop();
        rules.check = self.limits.schema.as_ref().map(|schema| schema.check());
        rules
    }

    /// The model that is asked now: the session's own, or one that stands in for it.
    pub(super) fn asked_model(&self) -> &str {
        let asked = self.running.as_ref().map(|running| running.turn.ask().model);
        asked.filter(|model| !model.is_empty()).unwrap_or(&self.config.model)
    }

    pub(super) async fn perform(&mut self, effects: Vec<Effect>) {
        self.perform_after(effects, None).await;
    }

    /// What follows a record that could not be written is not done.
    pub(super) async fn perform_after(
        &mut self,
        effects: Vec<Effect>,
        mut failed: Option<JournalError>,
    ) {
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let mut effects = VecDeque::from(effects);
        while let Some(effect) = effects.pop_front() {
            match effect {
                // What cannot be written down did not happen, and nothing may build on it.
                Effect::Journal(_)
                | Effect::CallModel(_)
                | Effect::StartCall(_)
                | Effect::MakeRoom(_)
                | Effect::Wait { .. }
                    if failed.is_some() => {}
                Effect::Journal(record) => {
                    let record = self.fit_results(record).await;
                    let record = self.attach_to_results(record);
                    failed = self.journal(&record).err();
                    self.tell_answered(&record);
                    if let (Record::Results { content, .. }, None) = (&record, &failed) {
                        self.sum_up_calls(content);
                    }
                }
                // Who looks at all results of an answer does so before the model.
                Effect::CallModel(Why::NextTurn) if self.wants_batch() => {
                    effects.push_front(effect);
                    match self.hold_for_batch(effects) {
                        None => return,
                        Some(left) => effects = left,
                    }
                }
                Effect::CallModel(why) => {
                    failed = self.journal_why(why).err();
                    if failed.is_none() && !self.waits_for_servers() {
                        self.call_model().await;
                    }
                }
                Effect::Wait { attempt, delay_ms, error } => self.wait(attempt, delay_ms, &error),
                Effect::UseFallback { model, error } => self.fall_back(&model, &error),
                Effect::MakeRoom(room) => Box::pin(self.make_room(room)).await,
                Effect::AskStopHooks { again } => self.ask_stop_hooks(again).await,
                Effect::StopModel => {
                    if let Some(running) = self.running.as_mut() {
                        running.stream = None;
                        running.wait = None;
                        running.hooking = None;
                        running.held.clear();
                        self.abandon_compacting();
                    }
                }
                Effect::StartCall(call) => {
                    // What the user has just forbidden must not run.
                    self.look_at_settings().await;
                    self.start_call(call);
                }
                Effect::StopCall { id } => {
                    if let Some(running) = self.running.as_ref() {
                        running.stop_call(&id);
                    }
                    // At once: an answer that is on its way must not have any effect.
                    self.withdraw_asks_of(&id);
                }
                Effect::Show(shown) => self.show(shown),
                Effect::End(ending) => self.end_turn(ending).await,
            }
        }
        if let Some(error) = failed {
            self.notice(
                Severity::Error,
                format!("The session can no longer be saved: {error} The turn was stopped."),
            );
            if self.running.as_ref().map(|running| running.turn.id()) == turn.as_deref() {
                Box::pin(self.feed(Input::Cancel)).await;
            }
        }
    }

    fn journal_why(&mut self, why: Why) -> Result<(), JournalError> {
        let Some(running) = self.running.as_ref().filter(|_| why.is_unusual()) else {
            return Ok(());
        };
        let turn = running.turn.id().to_owned();
        self.journal(&Record::Continued { turn, why: why.name().to_owned() })
    }

    pub(super) async fn call_model(&mut self) {
        self.servers.seen = true;
        self.keep_notes(false);
        match self.shape_request() {
            Shaped::Fits => self.send_request(),
            // Goes on when the summary is there.
            Shaped::Later => {}
            Shaped::TooLong(message) => Box::pin(self.feed(Input::Full { message })).await,
        }
    }

    /// Sends the conversation as it now stands.
    pub(super) fn send_request(&mut self) {
        self.note_asked();
        let Some(running) = self.running.as_ref() else { return };
        let ask = running.turn.ask();
        let request = self.request(&ask);
        self.state.with_reads(tools::ReadLedger::note_request);
        let provider = self.config.provider_of(ask.model).clone();
        let model = request.model.clone();
        self.prompt_cache.asked(&request);
        self.host.on_request();
        let message_id = running.turn.answer_id();
        self.verbatim(|| Said::Asked { message_id: message_id.to_owned(), model: model.clone() });
        let stream = provider.stream(request);
        if let Some(running) = self.running.as_mut() {
            running.traced.asked(&self.id, &model);
            running.stream = Some(stream.ready_chunks(STREAM_BATCH).boxed());
        }
    }

    /// The conversation as a request.
    pub(super) fn request(&self, ask: &Ask<'_>) -> ModelRequest {
        let config = &self.config;
        let limits = models::limits(ask.model);
        let usual = config.max_tokens(limits);
        ModelRequest {
            model: ask.model.to_owned(),
            max_tokens: if ask.longer { limits.max_output.max(usual) } else { usual },
            system: config.system.clone(),
            tools: config.tools.clone(),
            messages: self.conversation.pieces(ask.model),
            thinking: config.options.thinking(limits),
            effort: config.options.effort(),
            format: self.limits.schema.as_ref().map(|schema| schema.json()),
            clear_above: Some(self.window().clear_above()),
            session: self.agents.root().to_owned(),
        }
    }

    fn wait(&mut self, attempt: u32, delay_ms: u64, error: &ModelError) {
        self.emit(Retry { attempt, delay_ms, error: events::problem(error) });
        if let Some(running) = self.running.as_mut() {
            running.wait = Some(Box::pin(tokio::time::sleep(Duration::from_millis(delay_ms))));
        }
    }

    pub(super) async fn on_waited(&mut self) {
        if let Some(running) = self.running.as_mut() {
            running.wait = None;
        }
        self.feed(Input::Waited).await;
    }

    fn fall_back(&mut self, model: &str, error: &ModelError) {
        let text = format!("{error} For the rest of this turn {model} stands in.");
        self.notice(Severity::Warning, text);
    }

    /// Makes the conversation smaller, and tells the turn whether it is.
    async fn make_room(&mut self, room: Room) {
        let made = match room {
            Room::StripMedia => self.strip_media(),
            Room::Drain => self.clear_results(Moment::Refused),
            // Each try costs the user money.
            Room::Compact if self.compaction.has_given_up() => false,
            Room::Compact if self.conversation.was_answered() => {
                return self.start_compacting(Trigger::Reactive, None, Then::RoomMade);
            }
            // A first prompt that is too long cannot be said in fewer words by anybody else.
            Room::Compact => false,
        };
        self.feed(Input::RoomMade { made }).await;
    }

    fn strip_media(&mut self) -> bool {
        let turn = self.running.as_ref().map(|running| running.turn.id().to_owned());
        let (true, Some(turn)) = (self.conversation.has_media(), turn) else { return false };
        let made = self.journal(&Record::MediaStripped { turn }).is_ok();
        if made {
            let text = "The provider refused an image or a document; all of them were left out.";
            self.notice(Severity::Warning, text);
        }
        made
    }
}
