//! When the model fails: what is tried, in which order, before the user hears of it.
//!
//! A step is taken once until an answer with results shows that it helped. Nothing that was
//! recovered from is an error to anybody.

use super::retry::Retry;
use super::texts::{self, BROKEN_OFF, REPEATED};
use super::{Effect, EndReason, Phase, Room, Shown, Turn, Why, show_dropped};
use crate::journal::Record;
use crate::stream::{ModelError, ModelErrorKind};

/// How often an answer that was cut off is continued.
const MAX_CONTINUATIONS: u32 = 3;

/// What has been tried since the turn last got somewhere.
#[derive(Default)]
pub(super) struct Recovery {
    rooms: Vec<Room>,
    /// Being tried, and what is told when it does not help.
    making: Option<(Room, ModelError)>,
    /// The answer itself filled the window: once there is room it is continued.
    cut_off: bool,
    pub(super) longer: bool,
    continuations: u32,
    nudged: bool,
}

/// How a request that failed goes on.
pub(super) enum Pending {
    Wait { attempt: u32, delay_ms: u64, error: ModelError },
    Fallback(ModelError),
}

impl Recovery {
    /// The next thing to try, each once.
    fn next_room(&mut self, kind: ModelErrorKind) -> Option<Room> {
        let order: &[Room] = match kind {
            ModelErrorKind::PromptTooLong => &[Room::Drain, Room::Compact],
            ModelErrorKind::RequestTooLarge => &[Room::StripMedia, Room::Drain, Room::Compact],
            ModelErrorKind::MediaTooLarge => &[Room::StripMedia],
            _ => &[],
        };
        let room = order.iter().copied().find(|room| !self.rooms.contains(room))?;
        self.rooms.push(room);
        Some(room)
    }
}

impl Turn {
    pub(super) fn on_failure(&mut self, error: ModelError, jitter: f64, effects: &mut Vec<Effect>) {
        let untouched = !self.calls.any_started();
        if untouched && let Some(room) = self.recovery.next_room(error.kind) {
            self.retract_answer(effects);
            return self.make_room(room, error, effects);
        }
        let has_fallback = self.model + 1 < self.rules.models.len();
        let pending = match self.retries.failed(error, jitter, &self.rules, has_fallback) {
            Retry::Wait { attempt, delay_ms, error } => Pending::Wait { attempt, delay_ms, error },
            Retry::Fallback(error) => Pending::Fallback(error),
            Retry::No(error) => return self.give_up(error, effects),
        };
        if untouched {
            self.retract_answer(effects);
            return self.proceed(pending, effects);
        }
        // A call that has begun is never made again: what there is of the answer stands, its calls
        // get their results, and the next request goes on from there.
        self.abandon_answer(&BROKEN_OFF, effects);
        self.pending = Some(pending);
        self.phase = Phase::Working;
        self.advance(effects);
    }

    pub(super) fn proceed(&mut self, pending: Pending, effects: &mut Vec<Effect>) {
        match pending {
            Pending::Wait { attempt, delay_ms, error } => {
                self.phase = Phase::Waiting;
                effects.push(Effect::Wait { attempt, delay_ms, error });
            }
            Pending::Fallback(error) => {
                self.model += 1;
                let model = self.model_name().to_owned();
                effects.push(Effect::UseFallback { model, error });
                self.ask_again(Why::Fallback, effects);
            }
        }
    }

    /// The request is sent again: what was shown of its answer never was.
    fn retract_answer(&mut self, effects: &mut Vec<Effect>) {
        let unfinished = self.answer.abandon(effects);
        show_dropped(unfinished, &REPEATED, effects);
        self.calls.take_results();
        let answer = std::mem::take(&mut self.answer);
        self.pay(&answer);
        if answer.is_recorded() {
            let id = answer.id().to_owned();
            effects.push(Effect::Journal(Record::AnswerRetracted { id }));
        }
        if let Some(message_id) = answer.into_shown() {
            effects.push(Effect::Show(Shown::Retracted { message_id }));
        }
    }

    fn make_room(&mut self, room: Room, error: ModelError, effects: &mut Vec<Effect>) {
        self.recovery.making = Some((room, error));
        self.phase = Phase::MakingRoom;
        effects.push(Effect::MakeRoom(room));
    }

    pub(super) fn on_room(&mut self, made: bool, effects: &mut Vec<Effect>) {
        let Some((room, error)) = self.recovery.making.take() else { return };
        if !made {
            return match self.recovery.next_room(error.kind) {
                Some(room) => self.make_room(room, error, effects),
                None => self.give_up(error, effects),
            };
        }
        if std::mem::take(&mut self.recovery.cut_off) {
            effects.push(self.note(texts::GO_ON));
        }
        let why = match room {
            Room::StripMedia => Why::MediaStripRetry,
            Room::Drain => Why::CollapseDrainRetry,
            Room::Compact => Why::ReactiveCompactRetry,
        };
        self.ask_again(why, effects);
    }

    /// Nothing helped: the user is told, and what is whole of the answer stays.
    fn give_up(&mut self, error: ModelError, effects: &mut Vec<Effect>) {
        let reason = match error.kind {
            ModelErrorKind::PromptTooLong | ModelErrorKind::RequestTooLarge => {
                EndReason::PromptTooLong
            }
            ModelErrorKind::MediaTooLarge => EndReason::ImageError,
            _ => EndReason::ModelError,
        };
        self.abandon_answer(&BROKEN_OFF, effects);
        if self.calls.is_empty() {
            return self.end(reason, Some(error), effects);
        }
        self.ending = Some((reason, Some(error)));
        self.stop_calls(&BROKEN_OFF, effects);
    }

    pub(super) fn may_answer_longer(&self) -> bool {
        self.rules.can_answer_longer && !self.recovery.longer && !self.calls.any_started()
    }

    /// The answer did not fit: the same request, with all the room there is.
    pub(super) fn answer_longer(&mut self, effects: &mut Vec<Effect>) {
        self.retract_answer(effects);
        self.recovery.longer = true;
        self.ask_again(Why::MaxOutputTokensEscalate, effects);
    }

    /// Even so it did not fit: it is continued.
    pub(super) fn on_cut_off(&mut self, effects: &mut Vec<Effect>) {
        if self.recovery.continuations >= MAX_CONTINUATIONS {
            return self.end(EndReason::MaxOutputTokens, None, effects);
        }
        self.recovery.continuations += 1;
        self.tell_and_resume(texts::GO_ON, Why::MaxOutputTokensRecovery, effects);
    }

    /// The window was full before the answer was complete.
    pub(super) fn on_window_full(&mut self, effects: &mut Vec<Effect>) {
        let error = texts::window_full();
        self.recovery.cut_off = true;
        match self.recovery.next_room(error.kind) {
            Some(room) => self.make_room(room, error, effects),
            None => self.give_up(error, effects),
        }
    }

    pub(super) fn on_nothing_said(&mut self, effects: &mut Vec<Effect>) {
        if std::mem::replace(&mut self.recovery.nudged, true) {
            return self.on_done("", effects);
        }
        self.tell_and_resume(texts::SAY_SOMETHING, Why::EmptyAnswer, effects);
    }

    /// Tells the model something of ours; a limit that is reached keeps it from being asked.
    pub(super) fn tell_and_resume(
        &mut self,
        text: impl Into<String>,
        why: Why,
        effects: &mut Vec<Effect>,
    ) {
        if !self.at_limit() {
            effects.push(self.note(text));
        }
        self.next_request(why, effects);
    }
}
