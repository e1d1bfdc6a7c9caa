//! What can be seen of the process from outside: the log, the trace of its work, how it started.
//!
//! One set of spans ([`spans`]) feeds whoever listens: the log on stderr (`BOWLINE_LOG`), a log file
//! (`--debug`), and a collector of OpenTelemetry ([`otlp`]), the last only where the user named one.
//! Without any of them a span costs nothing, and nothing leaves the machine. Every line and every
//! attribute goes through the redactor.

mod file;
mod log;
mod otlp;
pub mod spans;
mod startup;

use std::path::PathBuf;

pub use log::{Wishes, start};
pub use otlp::Exporter;
pub use startup::Startup;

/// What was set up, for `agent/status`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Observed {
    /// Where the log goes.
    pub log_file: Option<PathBuf>,
    /// Who gets metrics and traces.
    pub collector: Option<String>,
}
