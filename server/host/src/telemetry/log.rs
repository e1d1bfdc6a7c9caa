//! Who listens to the log: stderr (`BOWLINE_LOG`), a file (`--debug`), a collector. Stdout belongs to
//! the protocol.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use policy::Secrets;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, Layer, Registry};

use super::file::LogFile;
use super::spans::TARGET;
use super::{Exporter, Observed};
use crate::context::HostContext;

/// What the command line says about the log.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// What goes into the log file; nothing when there is to be none.
    pub filter: Option<String>,
    /// Where the file is, when it is not in our own folder.
    pub file: Option<PathBuf>,
}

impl Wishes {
    pub fn is_empty(&self) -> bool {
        self.filter.is_none() && self.file.is_none()
    }
}

type Listener = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts whatever the user asked for. The error is one sentence.
pub fn start(host: &HostContext, wishes: &Wishes) -> Result<Option<Exporter>, String> {
    let mut listeners: Vec<Listener> = Vec::new();
    let mut observed = Observed::default();
    if let Some(filter) = host.var("BOWLINE_LOG").and_then(|filter| filter.to_str()) {
        listeners.push(text(host, EnvFilter::new(filter), io::stderr));
    }
    if !wishes.is_empty() {
        let filter = wishes.filter.as_deref().unwrap_or("debug");
        let filter = EnvFilter::try_new(filter)
            .map_err(|error| format!("--debug={filter} is no filter: {error}."))?;
        let (file, path) = log_file(host, wishes.file.as_deref())?;
        listeners.push(text(host, filter, move || file.clone()));
        observed.log_file = Some(path);
    }
    let exporter = Exporter::new(host)?;
    if let Some(exporter) = &exporter {
        observed.collector = Some(exporter.target());
        let ours = Targets::new().with_target(TARGET, Level::INFO);
        listeners.push(exporter.layer().with_filter(ours).boxed());
    }
    let _ = host.observed.set(observed);
    if !listeners.is_empty() {
        // Somebody has set a log already: theirs stays.
        let _ = tracing_subscriber::registry().with(listeners).try_init();
    }
    Ok(exporter)
}

/// One line for an event, and one for the end of a span, with all that is known of it by then.
fn text<W: Write + 'static>(
    host: &HostContext,
    filter: EnvFilter,
    to: impl Fn() -> W + Send + Sync + 'static,
) -> Listener {
    let secrets = host.secrets.clone();
    let writer = move || Redacted { secrets: secrets.clone(), to: to() };
    let lines = tracing_subscriber::fmt::layer().with_ansi(false).with_writer(writer);
    lines.with_span_events(FmtSpan::CLOSE).with_filter(filter).boxed()
}

fn log_file(host: &HostContext, named: Option<&Path>) -> Result<(LogFile, PathBuf), String> {
    let opened = match named {
        Some(path) => LogFile::open(path).map(|file| (file, path.to_owned())),
        None => {
            let stamp = host.clock.now().format("%Y%m%d-%H%M%S");
            let name = format!("{stamp}-{}.log", std::process::id());
            LogFile::in_folder(&host.locations.bowline_home.join("logs"), &name)
        }
    };
    opened.map_err(|error| format!("The log file cannot be written: {error}."))
}

/// Takes the secrets out of whatever is written, at every level. One event is one write.
struct Redacted<W> {
    secrets: Secrets,
    to: W,
}

impl<W: Write> Write for Redacted<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = String::from_utf8_lossy(bytes);
        self.to.write_all(self.secrets.redactor().redact(&text).as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_holds_no_secret() {
        let secrets = Secrets::new(["canary-5f1d3b7a9c".to_owned()]);
        let mut log = Redacted { secrets: secrets.clone(), to: Vec::new() };
        log.write_all(b"TRACE key=canary-5f1d3b7a9c \xff\n").unwrap();
        secrets.learn("learned-later-1");
        log.write_all(b"TRACE key=learned-later-1\n").unwrap();
        let written = String::from_utf8(log.to).unwrap();
        assert_eq!(written, "TRACE key=[secret] \u{fffd}\nTRACE key=[secret]\n");
    }
}
