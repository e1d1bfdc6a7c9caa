//! `bowline serve`: the LSP door on this process's own pipes.

use std::process::ExitCode;

use super::args::ServeArgs;
use super::log::Beginning;
use super::{Outcome, Problem, environment, stdio};
use crate::core;
use crate::doors::lsp::{self, Ended};
use crate::telemetry::Exporter;
use crate::terminal::Signals;

pub(super) fn run(args: &ServeArgs, begin: &Beginning) -> Outcome {
    let (host, exporter) = begin.host_with_state()?;
    let cwd = environment::working_directory()?;
    let limits = environment::limits(&args.session, &cwd)?;
    let runtime = runtime()?;
    host.startup.mark("runtime");
    let code = runtime.block_on(async {
        let telemetry = exporter.map(Exporter::start);
        let mut signals = Signals::new().map_err(|error| Problem::failed(error.to_string()))?;
        super::sweep::start(&host);
        let core = core::spawn(host.clone(), limits);
        let served = lsp::serve(host, core.clone(), stdio::input(), stdio::output());
        let code = tokio::select! {
            ended = served => u8::from(ended == Ended::Abruptly),
            // Whatever the agent started ends with us, and the journals are complete.
            interrupt = signals.next() => {
                lsp::close_sessions(&core).await;
                interrupt.exit_code()
            }
        };
        if let Some(telemetry) = telemetry {
            telemetry.send().await;
        }
        Ok(code)
    })?;
    // A read of stdin that never returns must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::from(code))
}

/// Two threads: one for the loop and its doors, one for whoever computes. Four were tried once on
/// two cores, and no row of the bench was better for it.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("The event loop cannot start: {error}.")))
}
