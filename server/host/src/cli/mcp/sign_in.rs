//! `bowline mcp login` and `logout`.

use std::future::Future;
use std::process::ExitCode;

use extend::one_line;
use mcp::ServerConfig;
use tokio::sync::oneshot;

use super::super::{Outcome, Problem};
use crate::access;
use crate::context::HostContext;
use crate::terminal;

/// The secret of a client that was registered by hand, where it has one.
const SECRET: &str = "MCP_CLIENT_SECRET";

pub(super) async fn login(host: &HostContext, config: &ServerConfig) -> Outcome {
    let name = one_line(&config.name);
    let oauth = access::oauth(host, config).map_err(Problem::failed)?;
    let secret = host.var(SECRET).and_then(|value| value.to_str()).map(str::to_owned);
    let secret = secret.filter(|secret| !secret.is_empty());
    let failed = |why: String| Problem::failed(format!("{name}: {why}"));
    let begun = oauth.begin(None, secret).await.map_err(failed)?;
    terminal::print(&format!(
        "Open this page in your browser and sign in to {name}:\n{}",
        begun.url()
    ));
    if terminal::stdin_is_terminal() {
        terminal::note(
            "If the browser is on another machine: paste the address that it ends at here.",
        );
    }
    begun.finish(pasted()).await.map_err(failed)?;
    terminal::print(&format!("You are signed in to {name}."));
    Ok(ExitCode::SUCCESS)
}

/// A line that somebody types. Never, where nobody can.
fn pasted() -> impl Future<Output = String> {
    let (send, line) = oneshot::channel();
    if terminal::stdin_is_terminal() {
        // A thread of its own: nobody waits for it when the browser is quicker.
        std::thread::spawn(move || {
            if let Some(line) = terminal::read_line() {
                drop(send.send(line));
            }
        });
    }
    async move {
        match line.await {
            Ok(line) => line,
            Err(_) => std::future::pending().await,
        }
    }
}

/// Whether somebody was signed in.
pub(super) async fn forget(host: &HostContext, config: &ServerConfig) -> Result<bool, Problem> {
    let oauth = access::oauth(host, config).map_err(Problem::failed)?;
    oauth.forget().await.map_err(Problem::failed)
}
