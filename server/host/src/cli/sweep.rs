//! Old sessions are looked through when the program starts, beside everything else.

use std::sync::Arc;

use extend::{Given, Standing};

use crate::context::HostContext;
use crate::store::{self, Retention};

/// As long as Claude Code keeps them.
const DAYS: u64 = 30;
const MEGABYTES: u64 = 4096;

/// Begins; nobody waits for it. A sweep that is cut off has moved some things and not others.
pub(super) fn start(host: &Arc<HostContext>) {
    let host = host.clone();
    tokio::task::spawn_blocking(move || {
        let home = &host.locations.bowline_home;
        // No folder's own file decides how long the user's sessions are kept.
        let standing = Standing::default();
        let kept = extend::load(&host.locations, home, &standing, &Given::default()).kept;
        let keep = Retention {
            days: kept.days.unwrap_or(DAYS).max(1),
            bytes: kept.megabytes.unwrap_or(MEGABYTES).saturating_mul(1024 * 1024),
        };
        store::sweep(home, keep, host.clock.now());
    });
}
