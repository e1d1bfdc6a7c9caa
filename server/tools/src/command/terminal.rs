//! A command in the user's own terminal, which tells how it ended and what it printed when it is over.

use std::time::{Duration, Instant};

use exec::{Exit, Finished};
use futures::future::BoxFuture;
use tokio_util::sync::CancellationToken;

use super::INLINE;
use crate::tool::Problem;
use crate::world::TerminalEnd;

/// Dropping the work ends the command, which is how it is stopped.
pub(super) async fn run(
    work: BoxFuture<'static, Result<TerminalEnd, String>>,
    timeout: Duration,
    cancel: CancellationToken,
    mut on_output: impl FnMut(&str) + Send,
) -> Result<Finished, Problem> {
    let begun = Instant::now();
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => Err(Exit::Cancelled),
        ended = work => Ok(ended.map_err(Problem)?),
        () = tokio::time::sleep(timeout) => Err(Exit::TimedOut),
    };
    let (status, mut output) = match ended {
        // A terminal does not say which signal it was.
        Ok(end) => (end.exit_code.map_or(Exit::Signal(0), Exit::Code), end.output),
        Err(status) => (status, String::new()),
    };
    on_output(&output);
    // The end says how it went.
    let surplus = output.len().saturating_sub(INLINE);
    output.drain(..output.ceil_char_boundary(surplus));
    Ok(Finished {
        status,
        stdout: output.clone(),
        stderr: String::new(),
        output,
        cwd_after: None,
        duration: begun.elapsed(),
        denials: Vec::new(),
    })
}
