//! The time of day, for the age of messages.
#![expect(
    clippy::disallowed_methods,
    reason = "the one place that reads the clock; everybody else is handed this function"
)]

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970 UTC.
pub(crate) fn milliseconds() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
