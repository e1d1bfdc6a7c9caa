//! Planned prompts: the wait until each is due.

use std::time::Duration;

use chrono::{DateTime, Datelike as _, Local, TimeDelta, Timelike as _, Utc};
use tokio_util::sync::CancellationToken;
use tools::{Cron, Minute, Scheduled, TaskEnd, TaskState};

use super::kept::stopped;
use crate::context::Clock;

/// A session that is forgotten does not work for ever.
const LASTS: TimeDelta = TimeDelta::days(7);
/// Nothing is looked for further ahead; a year has all the minutes there are.
const AHEAD: i64 = 366 * 24 * 60;

/// Tells each time the prompt is due, until it was due for the last time.
pub(super) async fn wait<F: Future<Output = ()>>(
    prompt: Scheduled,
    clock: Clock,
    cancel: CancellationToken,
    due: impl Fn() -> F,
) -> TaskEnd {
    let until = clock.now() + LASTS;
    let mut now = clock.now();
    while let Some(next) = next_due(&prompt.cron, now).filter(|next| *next <= until) {
        let pause = (next - clock.now()).to_std().unwrap_or(Duration::ZERO);
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            () = cancel.cancelled() => return stopped(),
        }
        due().await;
        if !prompt.recurring {
            return over("was due");
        }
        now = next.max(clock.now());
    }
    over("has expired")
}

/// Whether it will be due at all while it lasts.
pub(super) fn comes(cron: &Cron, now: DateTime<Utc>) -> bool {
    next_due(cron, now).is_some_and(|next| next <= now + LASTS)
}

fn over(how: &str) -> TaskEnd {
    TaskEnd { state: TaskState::Completed, exit_code: None, how: how.to_owned(), notes: Vec::new() }
}

/// The first whole minute after `now` that the expression names, in the time of this machine.
fn next_due(cron: &Cron, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    let start = now.with_second(0)?.with_nanosecond(0)?;
    (1..=AHEAD).map(|ahead| start + TimeDelta::minutes(ahead)).find(|at| {
        let local = at.with_timezone(&Local);
        cron.matches(Minute {
            minute: local.minute(),
            hour: local.hour(),
            day: local.day(),
            month: local.month(),
            weekday: local.weekday().num_days_from_sunday(),
        })
    })
}
