//! Whether a request that failed is sent again, when, and to whom.

use super::rules::Rules;
use crate::stream::{ModelError, ModelErrorKind};

/// No wait of our own is longer.
const LONGEST_WAIT_MS: u64 = 32_000;
/// So many overloads in a row, and another model stands in.
const OVERLOADS: u32 = 3;

/// The failures since the last complete answer.
#[derive(Default)]
pub(super) struct Retries {
    attempts: u32,
    overloads: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Retry {
    Wait {
        attempt: u32,
        delay_ms: u64,
        error: ModelError,
    },
    Fallback(ModelError),
    /// Told to the user as it is.
    No(ModelError),
}

impl Retries {
    /// An answer came: what went wrong before is forgotten.
    pub(super) fn worked(&mut self) {
        *self = Self::default();
    }

    pub(super) fn failed(
        &mut self,
        error: ModelError,
        jitter: f64,
        rules: &Rules,
        has_fallback: bool,
    ) -> Retry {
        let overloaded = error.kind == ModelErrorKind::Overloaded;
        self.overloads = if overloaded { self.overloads + 1 } else { 0 };
        if self.overloads >= OVERLOADS && has_fallback {
            self.worked();
            return Retry::Fallback(error);
        }
        if !error.may_retry.unwrap_or_else(|| is_passing(error.kind)) {
            return Retry::No(error);
        }
        let asked = error.retry_after_ms.unwrap_or_default();
        if asked > rules.longest_asked_ms {
            return Retry::No(too_long(error, asked));
        }
        self.attempts += 1;
        if self.attempts > rules.max_retries {
            return Retry::No(error);
        }
        let delay_ms = backoff(self.attempts, rules.first_wait_ms, jitter).max(asked);
        Retry::Wait { attempt: self.attempts, delay_ms, error }
    }
}

/// Whether the same request may well work in a moment.
fn is_passing(kind: ModelErrorKind) -> bool {
    use ModelErrorKind as Kind;
    match kind {
        Kind::RateLimited
        | Kind::Overloaded
        | Kind::Server
        | Kind::Network
        | Kind::BrokenStream
        | Kind::TimedOut => true,
        Kind::Authentication
        | Kind::Forbidden
        | Kind::SpendLimit
        | Kind::UnknownModel
        | Kind::InvalidRequest
        | Kind::PromptTooLong
        | Kind::RequestTooLarge
        | Kind::MediaTooLarge => false,
    }
}

/// Twice as long each time, and up to a quarter more, so that clients that failed together do not
/// come back together.
fn backoff(attempt: u32, first_ms: u64, jitter: f64) -> u64 {
    let doubled = first_ms.saturating_mul(1 << attempt.saturating_sub(1).min(20));
    let wait = doubled.min(LONGEST_WAIT_MS);
    let share = if jitter.is_finite() { jitter.clamp(0.0, 1.0) } else { 0.0 };
    wait + (wait as f64 * 0.25 * share) as u64
}

fn too_long(mut error: ModelError, asked_ms: u64) -> ModelError {
    let minutes = asked_ms.div_ceil(60_000);
    let when = match minutes {
        0..=1 => "a minute".to_owned(),
        120.. => format!("{} hours", minutes.div_ceil(60)),
        _ => format!("{minutes} minutes"),
    };
    error.message = format!("{} Send the prompt again in {when}.", error.message);
    error
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn error(kind: ModelErrorKind) -> ModelError {
        ModelError::new(kind, "It failed.")
    }

    fn rules() -> Rules {
        Rules { max_retries: 3, ..Rules::new("m", Arc::new(|_, _| true)) }
    }

    #[test]
    fn waits_grow_and_have_an_end() {
        let waits: Vec<_> = (1..=9).map(|attempt| backoff(attempt, 500, 0.0)).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 8000, 16_000, 32_000, 32_000, 32_000]);
        assert_eq!(backoff(1, 500, 1.0), 625);
        assert_eq!(backoff(u32::MAX, u64::MAX, f64::NAN), 32_000);
    }

    #[test]
    fn what_the_provider_asks_for_is_the_least() {
        let check = |asked: Option<u64>, expect: Result<u64, &str>| {
            let mut failure = error(ModelErrorKind::RateLimited);
            failure.retry_after_ms = asked;
            let got = match Retries::default().failed(failure, 0.0, &rules(), false) {
                Retry::Wait { delay_ms, .. } => Ok(delay_ms),
                Retry::No(error) => Err(error.message),
                Retry::Fallback(_) => unreachable!(),
            };
            assert_eq!(got, expect.map_err(str::to_owned), "{asked:?}");
        };
        check(None, Ok(500));
        check(Some(0), Ok(500));
        check(Some(1000), Ok(1000));
        check(Some(60_000), Ok(60_000));
        check(Some(60_001), Err("It failed. Send the prompt again in 2 minutes."));
        check(Some(3_600_000), Err("It failed. Send the prompt again in 60 minutes."));
        check(Some(86_400_000), Err("It failed. Send the prompt again in 24 hours."));
    }

    #[test]
    fn only_what_passes_is_tried_again_and_only_so_often() {
        let mut retries = Retries::default();
        let mut fail = |error| retries.failed(error, 0.0, &rules(), false);
        for attempt in 1..=3 {
            let got = fail(error(ModelErrorKind::Network));
            assert!(matches!(got, Retry::Wait { attempt: n, .. } if n == attempt), "{got:?}");
        }
        assert!(matches!(fail(error(ModelErrorKind::Network)), Retry::No(_)));
        let said = |kind, may_retry| {
            let error = ModelError { may_retry, ..error(kind) };
            matches!(Retries::default().failed(error, 0.0, &rules(), false), Retry::Wait { .. })
        };
        assert!(!said(ModelErrorKind::SpendLimit, None));
        assert!(!said(ModelErrorKind::RateLimited, Some(false)));
        assert!(said(ModelErrorKind::InvalidRequest, Some(true)));
    }

    #[test]
    fn three_overloads_in_a_row_call_for_another_model() {
        let run = |kinds: &[ModelErrorKind], has_fallback| {
            let mut retries = Retries::default();
            let last =
                kinds.iter().map(|kind| retries.failed(error(*kind), 0.0, &rules(), has_fallback));
            last.last().unwrap()
        };
        use ModelErrorKind::{Overloaded as O, Server as S};
        assert!(matches!(run(&[O, O], true), Retry::Wait { .. }));
        assert!(matches!(run(&[O, O, O], true), Retry::Fallback(_)));
        assert!(matches!(run(&[O, O, O], false), Retry::Wait { .. }));
        assert!(matches!(run(&[O, S, O], true), Retry::Wait { .. }));
    }
}
