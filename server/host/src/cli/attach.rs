//! `bowline attach`: the terminal client, in a session that runs elsewhere; and the pipe that leads a
//! client there.

use std::ffi::OsString;
use std::process::ExitCode;

use protocol::session::SessionInfo;

use super::args::AttachArgs;
use super::log::Beginning;
use super::{Outcome, Problem, environment, repl, serve, stdio};
use crate::doors::join::{self, Running};
use crate::terminal;

const NOBODY: &str =
    "No server runs that could be joined; start one with your editor or `bowline`.";

pub(super) fn run(args: &AttachArgs) -> Outcome {
    let host = environment::host()?;
    let servers = join::running(&host.locations.bowline_home);
    if servers.is_empty() {
        return Err(Problem::failed(NOBODY));
    }
    let mut sessions = serve::runtime()?.block_on(sessions(&servers));
    if let Some(wanted) = &args.session {
        sessions.retain(|(_, session)| session.session_id.starts_with(wanted.as_str()));
    }
    match sessions.as_slice() {
        [(server, session)] => {
            let program = environment::program()?.into_os_string();
            let attach = OsString::from(format!("--attach={}", server.pid));
            let server = vec![program, "serve".into(), attach];
            repl::talk(&host, server, session.session_id.clone())
        }
        [] => Err(Problem::failed(match &args.session {
            Some(wanted) => format!("No session that runs begins with {wanted}."),
            None => "No session is open in the servers that run.".to_owned(),
        })),
        several => {
            several.iter().for_each(|(server, session)| terminal::print(&line(server, session)));
            Err(Problem::failed("Several sessions run: name one, as `bowline attach ID`."))
        }
    }
}

async fn sessions(servers: &[Running]) -> Vec<(Running, SessionInfo)> {
    let mut found = Vec::new();
    for server in servers {
        let Ok(stream) = join::connect(server).await else { continue };
        let live = join::live_sessions(stream).await.unwrap_or_default();
        found.extend(live.into_iter().map(|session| (server.clone(), session)));
    }
    found
}

fn line(server: &Running, session: &SessionInfo) -> String {
    let SessionInfo { session_id, status, cwd, title, .. } = session;
    format!("{session_id}  {:<8} {cwd}  {title}  (process {})", status.as_str(), server.pid)
}

/// Leads this process's own pipes to a server that runs.
pub(super) fn proxy(pid: Option<u32>, begin: &Beginning) -> Outcome {
    let (host, _) = begin.host()?;
    let mut servers = join::running(&host.locations.bowline_home);
    if let Some(pid) = pid {
        servers.retain(|server| server.pid == pid);
    }
    let server = match servers.as_slice() {
        [server] => server.clone(),
        [] => return Err(Problem::failed(NOBODY)),
        several => {
            let pids: Vec<_> = several.iter().map(|server| server.pid.to_string()).collect();
            let message = format!("Several servers run: name one of {}.", pids.join(", "));
            return Err(Problem::usage(message));
        }
    };
    let runtime = serve::runtime()?;
    let passed = runtime.block_on(async {
        let stream = join::connect(&server).await?;
        let (mut from_server, mut to_server) = stream.into_split();
        let (mut input, mut output) = (stdio::input(), stdio::output());
        // Either end may leave; then there is nothing to pass on any more.
        tokio::select! {
            passed = tokio::io::copy(&mut input, &mut to_server) => passed,
            passed = tokio::io::copy(&mut from_server, &mut output) => passed,
        }
    });
    runtime.shutdown_background();
    let gone = |error: std::io::Error| Problem::failed(format!("The server is gone: {error}."));
    passed.map(|_| ExitCode::SUCCESS).map_err(gone)
}
