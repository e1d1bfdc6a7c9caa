//! One turn: from a prompt to its end, through as many model answers and tool calls as it takes.
//!
//! A [`Turn`] is a machine with no hands. The session task feeds it [`Input`]s and carries out the
//! [`Effect`]s it returns, in order. It promises: every tool call gets exactly one result, results
//! are in the order of the calls, no call is started twice, and `End` comes exactly once, also
//! after a cancel or an error.
//!
//! This file is the way of a turn that goes well. What happens when the model fails is in
//! `recover`, what happens when it says that it is done in `finish`.

mod answer;
mod budget;
mod calls;
mod finish;
mod reason;
mod recover;
mod repeats;
mod retry;
mod rules;
#[cfg(test)]
mod tests;
mod texts;
mod words;

use crate::journal::Record;
use crate::message::Block;
use crate::models;
use crate::spending::Spending;
use crate::stream::{ModelError, ModelErrorKind, StopReason, StreamEvent};

use answer::Answer;
use budget::{Goal, Spent};
use calls::Calls;
pub use calls::MAX_PARALLEL;
pub use reason::{EndReason, Ending, Why};
use recover::{Pending, Recovery};
use repeats::{Repeats, Verdict};
use retry::Retries;
pub use rules::{AnswerCheck, Budget, Parallel, Rules};
use texts::{GivenUp, INTERRUPTED, NOT_RUN, UNFINISHED};
pub use words::{CallOutcome, Effect, Input, Room, Shown, StopVerdict, ToolCall};

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
enum Phase {
    /// Waiting for the prompt.
    New,
    /// A request is under way.
    Answering,
    /// The answer is complete; calls are still running.
    Working,
    /// The last request failed, and it is too early for the next.
    Waiting,
    /// The conversation is being made smaller.
    MakingRoom,
    /// The model is done; the stop hooks are asked.
    Asking,
    /// Cancelled, or the model failed; calls that run are being stopped.
    Stopping,
    Ended,
}

pub struct Turn {
    id: String,
    phase: Phase,
    rules: Rules,
    answer: Answer,
    calls: Calls,
    /// The call that ended last, until its result is recorded.
    last_ended: Option<String>,
    /// What the user added since the last request.
    steered: Vec<(String, Vec<Block>)>,
    /// Counts requests; their answers are named by it.
    requests: u32,
    answers: u32,
    spent: Spent,
    /// Which of the models is asked.
    model: usize,
    retries: Retries,
    recovery: Recovery,
    repeats: Repeats,
    goal: Goal,
    /// Answers that did not pass the check.
    unchecked: u32,
    /// The stop hooks made the model go on before.
    hooked: bool,
    /// The last answer paused and goes back as it is.
    paused: bool,
    /// What the turn ends with once the calls have stopped.
    ending: Option<(EndReason, Option<ModelError>)>,
    /// What follows the results, when the stream broke off after a call had begun.
    pending: Option<Pending>,
}

/// How the model is to be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask<'a> {
    pub model: &'a str,
    /// With all the room that the model has for an answer.
    pub longer: bool,
}

impl Turn {
    pub fn new(id: impl Into<String>, rules: Rules) -> Self {
        Self {
            id: id.into(),
            phase: Phase::New,
            rules,
            answer: Answer::default(),
            calls: Calls::default(),
            last_ended: None,
            steered: Vec::new(),
            requests: 0,
            answers: 0,
            spent: Spent::default(),
            model: 0,
            retries: Retries::default(),
            recovery: Recovery::default(),
            repeats: Repeats::default(),
            goal: Goal::default(),
            unchecked: 0,
            hooked: false,
            paused: false,
            ending: None,
            pending: None,
        }
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    pub fn ask(&self) -> Ask<'_> {
        Ask { model: self.model_name(), longer: self.recovery.longer }
    }

    /// The id of the answer that is asked for.
    pub fn answer_id(&self) -> &str {
        self.answer.id()
    }

    /// The id that a call gets which the model begins under this one.
    pub fn call_id(&self, id: String) -> String {
        self.answer.free_id(id)
    }

    /// From the next request on, this model is asked.
    pub fn use_model(&mut self, model: &str) {
        if let Some(name) = self.rules.models.get_mut(self.model) {
            model.clone_into(name);
        }
    }

    /// What its answers took so far.
    pub fn spent(&self) -> &Spending {
        &self.spent.answers
    }

    /// US dollars that went elsewhere while the turn runs; they come out of its budget, too.
    pub fn also_spent(&mut self, cost_usd: f64) {
        self.spent.beside_usd += cost_usd;
    }

    /// Takes one input and says what is to be done. An input that makes no sense in the present
    /// phase (a late stream event after a cancel, a result for an unknown call) changes nothing.
    pub fn on(&mut self, input: Input) -> Vec<Effect> {
        use Phase::{Answering, Asking, Ended, MakingRoom, New, Stopping, Waiting, Working};
        let mut effects = Vec::new();
        match (self.phase, input) {
            (New, Input::Prompt { message_id, content }) => {
                effects.push(self.user_record(message_id, content));
                self.resume(Why::Prompt, &mut effects);
            }
            (Answering, Input::Model(event)) => self.on_stream(event, &mut effects),
            (Answering, Input::ModelFailed { error, jitter }) => {
                self.on_failure(error, jitter, &mut effects);
            }
            (Answering, Input::Full { message }) => {
                let error = ModelError::new(ModelErrorKind::PromptTooLong, message);
                self.end(EndReason::BlockingLimit, Some(error), &mut effects);
            }
            (Answering, Input::Recount) if self.spent.exceeds(&self.rules.budget) => {
                self.end(EndReason::BudgetExhausted, None, &mut effects);
            }
            (Waiting, Input::Waited) => self.ask_again(Why::Retry, &mut effects),
            (MakingRoom, Input::RoomMade { made }) => self.on_room(made, &mut effects),
            (Asking, Input::StopHooks(verdict)) => self.on_verdict(verdict, &mut effects),
            (Answering | Working | Stopping, Input::CallEnded { id, outcome }) => {
                self.on_call_ended(id, outcome, &mut effects);
            }
            (New | Ended, Input::Steer { .. }) => {}
            (_, Input::Steer { message_id, content }) => self.steered.push((message_id, content)),
            (
                New | Stopping | Ended,
                Input::Cancel | Input::HookStopped { .. } | Input::Deferred,
            ) => {}
            (_, Input::Deferred) => self.stop(EndReason::ToolDeferred, None, &mut effects),
            (phase, Input::Cancel) => {
                let reason = match phase {
                    Working => EndReason::AbortedTools,
                    _ => EndReason::AbortedStreaming,
                };
                self.stop(reason, None, &mut effects);
            }
            (_, Input::HookStopped { message }) => {
                let error = ModelError::new(ModelErrorKind::InvalidRequest, message);
                self.stop(EndReason::HookStopped, Some(error), &mut effects);
            }
            _ => {}
        }
        effects
    }

    /// What was steered in too late to be sent; the session starts a new turn with it.
    pub fn take_steered(&mut self) -> Vec<(String, Vec<Block>)> {
        std::mem::take(&mut self.steered)
    }

    fn model_name(&self) -> &str {
        self.rules.models.get(self.model).map_or("", String::as_str)
    }

    fn user_record(&self, message_id: String, content: Vec<Block>) -> Effect {
        Effect::Journal(Record::User { id: message_id, turn: self.id.clone(), content })
    }

    fn call_model(&mut self, why: Why, effects: &mut Vec<Effect>) {
        self.requests += 1;
        self.answers += u32::from(!why.repeats());
        self.answer = Answer::new(&self.id, self.requests, self.model_name());
        self.phase = Phase::Answering;
        effects.push(Effect::CallModel(why));
    }

    fn on_stream(&mut self, event: StreamEvent, effects: &mut Vec<Effect>) {
        match event {
            StreamEvent::Stopped { reason } => return self.on_stopped(reason, effects),
            StreamEvent::Usage(usage) => {
                self.answer.usage.update(usage);
                let answer = self.answer.usage;
                let now = answer.cost(models::limits(self.model_name()));
                let cost_usd = self.spent.answers.cost_usd() + now;
                effects.push(Effect::Show(Shown::Usage { answer, cost_usd }));
                return;
            }
            _ => {}
        }
        let Some(call) = self.answer.on(event, effects) else { return };
        match call.input {
            Ok(input) => {
                let parallel = (self.rules.parallel)(&call.name, &input);
                let written = ToolCall { id: call.id, name: call.name, input };
                self.calls.add(call.index, written, parallel);
                effects.extend(self.calls.start().into_iter().map(Effect::StartCall));
            }
            Err(problem) => {
                let message = texts::bad_input(&problem);
                let outcome = CallOutcome::error(message.clone());
                effects.push(self.call_record(&call.id, outcome.clone()));
                effects.push(Effect::Show(Shown::ToolDropped {
                    id: call.id.clone(),
                    cancelled: false,
                    message,
                }));
                self.calls.add_finished(call.index, call.id, &call.name, outcome);
            }
        }
    }

    fn on_stopped(&mut self, reason: StopReason, effects: &mut Vec<Effect>) {
        self.retries.worked();
        let unfinished = self.answer.close(effects);
        show_dropped(unfinished, &UNFINISHED, effects);
        if reason == StopReason::MaxTokens && self.may_answer_longer() {
            return self.answer_longer(effects);
        }
        let text = self.answer.text();
        let said_something = self.journal_answer(Some(reason.clone()), effects);
        self.phase = Phase::Working;
        if !self.calls.is_empty() {
            return self.advance(effects);
        }
        match reason {
            // A paused answer goes back as it is: text of the user after it would end it.
            StopReason::PauseTurn => {
                self.paused = true;
                self.resume(Why::Paused, effects);
            }
            StopReason::MaxTokens => self.on_cut_off(effects),
            StopReason::Refusal => self.end(EndReason::Refusal, None, effects),
            StopReason::ModelContextWindowExceeded => self.on_window_full(effects),
            _ if !said_something => self.on_nothing_said(effects),
            _ => self.on_done(&text, effects),
        }
    }

    /// Those who watch are told of the end of a call once its result is recorded: with the others
    /// of the answer when it is the last of them, else by itself.
    fn on_call_ended(&mut self, id: String, outcome: CallOutcome, effects: &mut Vec<Effect>) {
        if !self.calls.finish(&id, outcome.clone()) {
            return;
        }
        if self.phase == Phase::Answering || !self.calls.all_finished() {
            effects.push(self.call_record(&id, outcome));
            effects.push(Effect::Show(Shown::ToolEnded { id }));
        } else {
            self.last_ended = Some(id);
        }
        self.advance(effects);
    }

    fn call_record(&self, call: &str, outcome: CallOutcome) -> Effect {
        let CallOutcome { content, is_error } = outcome;
        let (turn, call) = (self.id.clone(), call.to_owned());
        Effect::Journal(Record::CallResult { turn, call, content, is_error })
    }

    /// Starts what may start; when everything has its result, goes on.
    fn advance(&mut self, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Stopping {
            effects.extend(self.calls.start().into_iter().map(Effect::StartCall));
        }
        if self.phase == Phase::Answering || !self.calls.all_finished() {
            return;
        }
        let verdict = self.journal_results(effects);
        match (self.ending.take(), self.pending.take()) {
            (Some((reason, error)), _) => self.end(reason, error, effects),
            (None, _) if verdict == Verdict::Stop => {
                let error = texts::repeated(self.repeats.failures());
                self.end(EndReason::RepeatedFailure, Some(error), effects);
            }
            (None, Some(pending)) => self.proceed(pending, effects),
            (None, None) => {
                self.recovery = Recovery::default();
                self.next_request(Why::NextTurn, effects);
            }
        }
    }

    fn at_limit(&self) -> bool {
        self.rules.max_answers.is_some_and(|max| self.answers >= max)
    }

    fn next_request(&mut self, why: Why, effects: &mut Vec<Effect>) {
        if !self.at_limit() {
            self.send_steered(effects);
        }
        self.resume(why, effects);
    }

    fn send_steered(&mut self, effects: &mut Vec<Effect>) {
        for (message_id, content) in std::mem::take(&mut self.steered) {
            effects.push(self.user_record(message_id, content));
        }
    }

    fn resume(&mut self, why: Why, effects: &mut Vec<Effect>) {
        self.paused = why == Why::Paused;
        if self.at_limit() {
            return self.end(EndReason::MaxTurns, None, effects);
        }
        self.ask_within_budget(why, effects);
    }

    /// The same question once more. What the user added meanwhile goes along.
    fn ask_again(&mut self, why: Why, effects: &mut Vec<Effect>) {
        if !self.paused {
            self.send_steered(effects);
        }
        self.ask_within_budget(why, effects);
    }

    fn ask_within_budget(&mut self, why: Why, effects: &mut Vec<Effect>) {
        match self.spent.exceeds(&self.rules.budget) {
            true => self.end(EndReason::BudgetExhausted, None, effects),
            false => self.call_model(why, effects),
        }
    }

    /// Ends the turn from outside, whatever it is doing.
    fn stop(&mut self, reason: EndReason, error: Option<ModelError>, effects: &mut Vec<Effect>) {
        if self.phase != Phase::Working {
            effects.push(Effect::StopModel);
        }
        if self.phase == Phase::Answering {
            self.abandon_answer(&NOT_RUN, effects);
        }
        if self.calls.is_empty() {
            if reason.is_abort() {
                effects.push(self.note(INTERRUPTED));
            }
            return self.end(reason, error, effects);
        }
        self.ending = Some((reason, error));
        self.stop_calls(&NOT_RUN, effects);
    }

    /// Gives up what waits, stops what runs, and goes on when every call has its result.
    fn stop_calls(&mut self, why: &GivenUp, effects: &mut Vec<Effect>) {
        self.phase = Phase::Stopping;
        let dropped = self.calls.drop_queued(why.message);
        let record = |id: &String| self.call_record(id, CallOutcome::error(why.message));
        effects.extend(dropped.iter().map(record));
        show_dropped(dropped, why, effects);
        effects.extend(self.calls.running().into_iter().map(|id| Effect::StopCall { id }));
        self.advance(effects);
    }

    /// Something the model is told that nobody said.
    fn note(&self, text: impl Into<String>) -> Effect {
        Effect::Journal(Record::Results { turn: self.id.clone(), content: vec![Block::text(text)] })
    }

    /// Keeps what is whole of an answer that will not be finished.
    fn abandon_answer(&mut self, why: &GivenUp, effects: &mut Vec<Effect>) {
        let unfinished = self.answer.abandon(effects);
        show_dropped(unfinished, why, effects);
        self.journal_answer(None, effects);
    }

    /// Says whether there was anything to write down.
    fn journal_answer(
        &mut self,
        stop_reason: Option<StopReason>,
        effects: &mut Vec<Effect>,
    ) -> bool {
        let answer = std::mem::take(&mut self.answer);
        self.pay(&answer);
        let has_content = answer.has_content();
        if has_content {
            effects.push(Effect::Journal(answer.into_record(stop_reason)));
        }
        has_content
    }

    /// What an answer took counts, whatever becomes of the answer.
    fn pay(&mut self, answer: &Answer) {
        let model = self.rules.models.get(self.model).map_or("", String::as_str);
        self.spent.answers.add(model, answer.usage);
    }

    fn journal_results(&mut self, effects: &mut Vec<Effect>) -> Verdict {
        let (mut content, marks) = self.calls.take_results();
        let verdict = self.repeats.look(marks.into_iter());
        if verdict == Verdict::Tell {
            content.push(Block::text(texts::REPEATING));
        }
        if self.ending.as_ref().is_some_and(|(reason, _)| reason.is_abort()) {
            content.push(Block::text(INTERRUPTED));
        }
        effects.push(Effect::Journal(Record::Results { turn: self.id.clone(), content }));
        let ended = self.last_ended.take();
        effects.extend(ended.map(|id| Effect::Show(Shown::ToolEnded { id })));
        verdict
    }

    fn end(&mut self, reason: EndReason, error: Option<ModelError>, effects: &mut Vec<Effect>) {
        self.phase = Phase::Ended;
        let spent = std::mem::take(&mut self.spent.answers);
        let ending = Ending { reason, spent, answers: self.answers, error };
        effects.push(Effect::End(ending));
    }
}

fn show_dropped(ids: Vec<String>, why: &GivenUp, effects: &mut Vec<Effect>) {
    effects.extend(ids.into_iter().map(|id| {
        let message = why.message.to_owned();
        Effect::Show(Shown::ToolDropped { id, cancelled: why.cancelled, message })
    }));
}
