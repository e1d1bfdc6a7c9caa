//! `bowline serve`: the LSP door on this process's own pipes.

use std::process::ExitCode;
use std::sync::Arc;

use super::args::{JoinFlags, ServeArgs, SessionFlags};
use super::log::Beginning;
use super::{Outcome, Problem, attach, environment, stdio};
use crate::context::HostContext;
use crate::core::{self, CoreHandle};
use crate::doors::join::Entrance;
use crate::doors::leave::close_sessions;
use crate::doors::lsp::{self, Ended};
use crate::telemetry::Exporter;
use crate::terminal::Signals;

pub(super) fn run(args: &ServeArgs, begin: &Beginning) -> Outcome {
    if let Some(pid) = args.attach {
        return attach::proxy(pid, begin);
    }
    let leave = args.join.leave();
    with_core(&args.session, &args.join, begin, async |host, core| {
        let ended = lsp::serve(host, core, leave, stdio::input(), stdio::output()).await;
        u8::from(ended == Ended::Abruptly)
    })
}

/// Starts a core for a door, and ends with the door or with a signal.
pub(super) fn with_core(
    flags: &SessionFlags,
    join: &JoinFlags,
    begin: &Beginning,
    door: impl AsyncFnOnce(Arc<HostContext>, CoreHandle) -> u8,
) -> Outcome {
    let (host, exporter) = begin.host()?;
    host.look_for_sandbox();
    let cwd = environment::working_directory()?;
    let limits = environment::limits(flags, &cwd)?;
    let runtime = runtime()?;
    host.startup.mark("runtime");
    let code = runtime.block_on(async {
        let telemetry = exporter.map(Exporter::start);
        let mut signals = Signals::new().map_err(|error| Problem::failed(error.to_string()))?;
        super::sweep::start(&host);
        let core = core::spawn(host.clone(), limits);
        let entrance = (!join.no_join).then(|| tokio::spawn(let_in(host.clone(), core.clone())));
        let code = tokio::select! {
            code = door(host, core.clone()) => code,
            // Whatever the agent started ends with us, and the journals are complete.
            interrupt = signals.next() => {
                close_sessions(&core).await;
                interrupt.exit_code()
            }
        };
        if let Some(entrance) = entrance {
            entrance.abort();
            let _ = entrance.await;
        }
        if let Some(telemetry) = telemetry {
            telemetry.send().await;
        }
        Ok(code)
    })?;
    // A read of stdin that never returns must not keep the process.
    runtime.shutdown_background();
    Ok(ExitCode::from(code))
}

/// Others may join, once there is something to join. That they cannot is no reason not to serve.
async fn let_in(host: Arc<HostContext>, core: CoreHandle) {
    host.begun.notified().await;
    match Entrance::open(&host.locations.bowline_home) {
        Ok(entrance) => entrance.serve(host, core).await,
        Err(error) => tracing::warn!(%error, "nobody can join this server"),
    }
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
