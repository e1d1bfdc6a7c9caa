//! Planned prompts in a time that passes by itself.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, TimeDelta, Utc};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tools::{Scheduled, TaskState};

use super::planned::wait;
use crate::context::Clock;

/// The time of the paused runtime, on a day of its own.
fn now() -> DateTime<Utc> {
    static START: OnceLock<Instant> = OnceLock::new();
    let start: DateTime<Utc> = "2026-03-02T10:00:30Z".parse().unwrap();
    let passed = START.get_or_init(Instant::now).elapsed();
    start + TimeDelta::from_std(passed).unwrap()
}

fn prompt(cron: &str, recurring: bool) -> Scheduled {
    let (prompt, call_id) = ("look".to_owned(), "c1".to_owned());
    Scheduled { cron: cron.parse().unwrap(), prompt, recurring, call_id }
}

#[tokio::test(start_paused = true)]
async fn a_prompt_is_due_once_or_for_seven_days() {
    let check = async |cron: &str, recurring, expect: u32| {
        let count = Arc::new(AtomicU32::new(0));
        let counted = count.clone();
        let due = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            std::future::ready(())
        };
        let end = wait(prompt(cron, recurring), Clock(now), CancellationToken::new(), due).await;
        assert_eq!(end.state, TaskState::Completed, "{cron}");
        assert_eq!(count.load(Ordering::Relaxed), expect, "{cron}");
    };
    check("* * * * *", false, 1).await;
    check("* * * * *", true, 7 * 24 * 60).await;
    check("*/30 * * * *", true, 7 * 48).await;
    check("0 0 31 2 *", true, 0).await;
    let stopped = CancellationToken::new();
    stopped.cancel();
    let end = wait(prompt("* * * * *", true), Clock(now), stopped, || std::future::ready(())).await;
    assert_eq!(end.state, TaskState::Stopped);
}
