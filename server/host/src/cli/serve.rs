//! `bowline serve`: the LSP door on this process's own pipes.

use std::process::ExitCode;

use super::args::ServeArgs;
use super::{Outcome, Problem, environment};
use crate::core;
use crate::doors::lsp::{self, Ended};

pub(super) fn run(args: &ServeArgs) -> Outcome {
    let host = environment::host()?;
    let cwd = environment::working_directory()?;
    let limits = environment::limits(&args.session, &cwd)?;
    super::log::start(&host);
    let runtime = runtime()?;
    let ended = runtime.block_on(async {
        let core = core::spawn(host.clone(), limits);
        lsp::serve(host, core, tokio::io::stdin(), tokio::io::stdout()).await
    });
    // A read of stdin that never returns must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::from(u8::from(ended == Ended::Abruptly)))
}

/// Two threads: one for the loop and its doors, one for whoever computes.
pub(super) fn runtime() -> Result<tokio::runtime::Runtime, Problem> {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Problem::failed(format!("The event loop cannot start: {error}.")))
}
