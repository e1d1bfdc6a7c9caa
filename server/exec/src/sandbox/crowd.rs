//! A bound on the processes behind walls, where the kernel sets none: its own limit does not hold
//! for root.

use std::fs;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use super::contained::First;
use rustix::process::{Pid, Signal, pidfd_send_signal};
use tokio::time::{MissedTickBehavior, interval};

/// How often they are counted. Even a fork bomb needs longer to fill a machine.
const EVERY: Duration = Duration::from_millis(200);

/// What to count, and where bubblewrap says who was the first.
#[derive(Debug)]
pub(crate) struct Crowd {
    pub(crate) first: First,
    pub(crate) most: u64,
}

/// Counts those who are in the same namespace as `leader` until it has ended, and ends them all,
/// through `first`, if they are more than `most`.
pub(crate) async fn watch(leader: Pid, first: Arc<OwnedFd>, most: u64) {
    let inside = format!("/proc/{}/root/proc", leader.as_raw_nonzero());
    let mut tick = interval(EVERY);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        // The namespace's own list of processes, seen through the eyes of one of them.
        let Ok(entries) = fs::read_dir(&inside) else { return };
        let names = entries.flatten().map(|entry| entry.file_name());
        let count = names.filter(|name| name.to_string_lossy().parse::<u32>().is_ok()).count();
        if u64::try_from(count).is_ok_and(|count| count > most) {
            tracing::warn!(count, "a contained command was ended: it started too many processes");
            let _ = pidfd_send_signal(&first, Signal::KILL);
            return;
        }
    }
}
