//! `bowline mcp serve`: the MCP door, on this process's own pipes or on a port of this machine.

use std::net::Ipv4Addr;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::json;
use tokio::net::TcpListener;

use crate::cli::args::{JoinFlags, McpServeArgs};
use crate::cli::log::Beginning;
use crate::cli::{Outcome, environment, serve, stdio};
use crate::context::HostContext;
use crate::core::CoreHandle;
use crate::doors::mcp;
use crate::terminal;

pub(super) fn run(args: &McpServeArgs, begin: &Beginning) -> Outcome {
    let cwd = environment::working_directory()?;
    // Its calls belong to one client, and are nobody else's to watch.
    let join = JoinFlags { no_join: true, ..JoinFlags::default() };
    serve::with_core(&args.session, &join, begin, async |host, core| {
        let served = match args.http {
            Some(port) => listen(&host, core, cwd, port, args.no_token).await,
            None => mcp::serve(&host, core, cwd, stdio::input(), stdio::output()).await,
        };
        match served {
            Ok(()) => 0,
            Err(problem) => {
                terminal::note(&problem);
                1
            }
        }
    })
}

async fn listen(
    host: &Arc<HostContext>,
    core: CoreHandle,
    cwd: PathBuf,
    port: u16,
    no_token: bool,
) -> Result<(), String> {
    let cannot = |error: std::io::Error| format!("Port {port} cannot be used: {error}.");
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await.map_err(cannot)?;
    let port = listener.local_addr().map_err(cannot)?.port();
    let token = (!no_token).then(|| uuid::Uuid::new_v4().simple().to_string());
    let url = format!("http://127.0.0.1:{port}/mcp");
    terminal::print(&json!({ "url": url, "token": token }).to_string());
    mcp::serve_http(host, core, cwd, listener, token).await;
    Ok(())
}
