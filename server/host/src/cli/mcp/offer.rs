//! `bowline mcp serve`: the MCP door on this process's own pipes.

use crate::cli::args::{JoinFlags, McpServeArgs};
use crate::cli::log::Beginning;
use crate::cli::{Outcome, environment, serve, stdio};
use crate::doors::mcp;
use crate::terminal;

pub(super) fn run(args: &McpServeArgs, begin: &Beginning) -> Outcome {
    let cwd = environment::working_directory()?;
    // Its calls belong to one client, and are nobody else's to watch.
    let join = JoinFlags { no_join: true, ..JoinFlags::default() };
    serve::with_core(&args.session, &join, begin, async |host, core| {
        match mcp::serve(&host, core, cwd, stdio::input(), stdio::output()).await {
            Ok(()) => 0,
            Err(problem) => {
                terminal::note(&problem);
                1
            }
        }
    })
}
