//! What every command begins with: the environment, and the log that its flags ask for.

use std::sync::Arc;
use std::time::Instant;

use super::args::DebugFlags;
use super::{Problem, environment};
use crate::context::HostContext;
use crate::store;
use crate::telemetry::{self, Exporter, Wishes};
use crate::terminal;

/// The process as it was started.
pub(super) struct Beginning {
    at: Instant,
    wishes: Wishes,
}

impl Beginning {
    pub(super) fn new(at: Instant, flags: &DebugFlags) -> Self {
        let wishes = Wishes { filter: flags.debug.clone(), file: flags.debug_file.clone() };
        Self { at, wishes }
    }

    /// The environment, with its log and whoever else is to hear of what happens.
    pub(super) fn host(&self) -> Result<(Arc<HostContext>, Option<Exporter>), Problem> {
        let host = environment::host()?;
        host.startup.begin(self.at);
        host.startup.mark("arguments and environment");
        let exporter = telemetry::start(&host, &self.wishes).map_err(Problem::usage)?;
        if let Some(file) = host.observed.get().and_then(|observed| observed.log_file.as_ref()) {
            terminal::note(&format!("the log is in {}", file.display()));
        }
        Ok((host, exporter))
    }

    /// The same for a command that keeps something: state of an older form is brought up, and that of
    /// a newer program is left alone.
    pub(super) fn host_with_state(&self) -> Result<(Arc<HostContext>, Option<Exporter>), Problem> {
        let begun = self.host()?;
        store::bring_up(&begun.0.locations.bowline_home).map_err(Problem::failed)?;
        Ok(begun)
    }

    /// The same for a command that needs neither, but may be watched.
    pub(super) fn watch(&self) -> Result<(), Problem> {
        match self.wishes.is_empty() {
            true => Ok(()),
            false => self.host().map(drop),
        }
    }
}
