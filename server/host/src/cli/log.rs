//! The log: to stderr, and only when asked for. Stdout belongs to the protocol.

use tracing_subscriber::EnvFilter;

use crate::context::HostContext;

/// `BOWLINE_LOG=debug` (or any filter of `tracing`) turns it on.
pub(super) fn start(host: &HostContext) {
    let Some(filter) = host.var("BOWLINE_LOG").and_then(|filter| filter.to_str()) else { return };
    let filter = EnvFilter::new(filter);
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    // Somebody has set a log already: theirs stays.
    let _ = log.with_ansi(false).try_init();
}
