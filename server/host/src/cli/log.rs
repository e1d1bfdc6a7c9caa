//! The log: to stderr, and only when asked for. Stdout belongs to the protocol.

use std::io::{self, Write};

use policy::Secrets;
use tracing_subscriber::EnvFilter;

use crate::context::HostContext;

/// `BOWLINE_LOG=debug` (or any filter of `tracing`) turns it on.
pub(super) fn start(host: &HostContext) {
    let Some(filter) = host.var("BOWLINE_LOG").and_then(|filter| filter.to_str()) else { return };
    let filter = EnvFilter::new(filter);
    let secrets = host.secrets.clone();
    let writer = move || Redacted { secrets: secrets.clone(), to: io::stderr() };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer);
    // Somebody has set a log already: theirs stays.
    let _ = log.with_ansi(false).try_init();
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
