//! `@server:uri` in a prompt: what the resource says is attached. To name it is a yes, but what a rule
//! denies is not read.

use std::sync::Arc;
use std::time::Duration;

use agent::{Block, ResultPart};
use mcp::Server;
use policy::{Subject, Verdict};
use tools::SessionState;

/// A prompt does not wait longer.
const PATIENCE: Duration = Duration::from_secs(10);
/// More of it is cut off: the model can read the rest by itself.
const LONGEST: usize = 100_000;

/// The server and the address behind a name, where it is one.
pub(in crate::session) fn find<'a>(
    servers: &[Arc<Server>],
    name: &'a str,
) -> Option<(Arc<Server>, &'a str)> {
    // A server's name may hold a colon itself.
    let at = |at: usize| {
        let (server, uri) = (&name[..at], &name[at + 1..]);
        let found = servers.iter().find(|known| known.name() == server)?;
        (!uri.is_empty()).then(|| (found.clone(), uri))
    };
    name.match_indices(':').find_map(|(index, _)| at(index))
}

/// The blocks that stand for a resource. The error is a sentence for the user.
pub(in crate::session) async fn attach(
    state: &SessionState,
    server: &Server,
    uri: &str,
) -> Result<Vec<Block>, String> {
    if is_denied(state, server) {
        return Err("A rule denies it.".to_owned());
    }
    let read = tokio::time::timeout(PATIENCE, server.read_resource(uri)).await;
    let late = || format!("{} did not answer within {} s.", server.name(), PATIENCE.as_secs());
    let parts = read.map_err(|_| late())??;
    let about = format!("The user attached {uri} of the MCP server {}:", server.name());
    let mut blocks = vec![Block::text(tools::reminder(&about))];
    let none = |_: &str| Err("only text and pictures can be attached".to_owned());
    for part in tools::told_parts(uri, parts, none).await {
        blocks.push(match part {
            ResultPart::Text { text } => {
                let text = &text[..text.floor_char_boundary(LONGEST)];
                Block::text(tools::reminder(&state.redactor().redact(text)))
            }
            part => Block::from(part),
        });
    }
    Ok(blocks)
}

fn is_denied(state: &SessionState, server: &Server) -> bool {
    const READ: &str = "ReadMcpResourceTool";
    let permissions = state.permissions();
    let subjects = [Subject::Mcp {
        server: mcp::server_key(server.name()),
        tool: READ.to_owned(),
        only_a_person: None,
    }];
    let context = policy::Context {
        mode: policy::Mode::Default,
        rules: &permissions.rules,
        roots: &permissions.roots,
        home: permissions.home.as_deref(),
    };
    let request = policy::Request { tool: READ, subjects: &subjects, params: &[] };
    policy::decide(&request, &context).verdict == Verdict::Deny
}
