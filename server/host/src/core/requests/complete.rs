//! `agent/complete`: names for what is being typed into a prompt.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use protocol::complete::{CompleteParams, CompleteResult, CompletionItem, CompletionKind};
use protocol::session::{AgentInfo, Command};
use text::{Position, PositionEncoding, Text};
use tokio::sync::oneshot;
use workspace::{Completer, Limits};

use crate::core::door::Door;
use crate::core::rpc::{Reply, RpcError};
use crate::core::state::State;
use crate::session::{HelperCommandNews, Msg, SessionHandle};

pub type FileIndex = Completer;

/// As many as a popup can show.
const LIMIT: usize = 20;
/// Who types does not wait; what was found by then will do.
const WALK_WITHIN: Duration = Duration::from_millis(500);

pub fn handle(state: &mut State, door: &Arc<Door>, params: CompleteParams, reply: Reply) {
    let session = params.session_id.as_ref().and_then(|id| state.sessions.get(id));
    let Some(session) = session else { return reply.ok(&CompleteResult::default()) };
    let known = Known {
        cwd: session.cwd(),
        roots: session.roots(),
        commands: session.commands(),
        agents: session.agents(),
        resources: session.resources(),
    };
    let files = state.files.clone();
    let encoding = door.encoding();
    let asked = ask_command(session, &params, encoding);
    tokio::spawn(async move {
        let proposed = match asked {
            Some(asked) => asked.await.ok().flatten(),
            None => None,
        };
        answer(params, encoding, known, files, proposed, reply).await;
    });
}

/// What a session has that can be named.
struct Known {
    cwd: PathBuf,
    /// The other folders it works in.
    roots: Vec<PathBuf>,
    commands: Vec<Command>,
    agents: Vec<AgentInfo>,
    /// Of MCP servers.
    resources: Vec<(String, String)>,
}

/// Has the user's own command propose files, where there is one.
fn ask_command(
    session: &SessionHandle,
    params: &CompleteParams,
    encoding: PositionEncoding,
) -> Option<oneshot::Receiver<Option<Vec<String>>>> {
    if !session.suggests_files() {
        return None;
    }
    let (_, query) = mention(&params.text, byte_offset(params, encoding)?)?;
    let (reply, asked) = oneshot::channel();
    let news = HelperCommandNews::Files { query: query.to_owned(), reply };
    session.inbox.try_send(Msg::HelperCommand(news)).ok()?;
    Some(asked)
}

async fn answer(
    params: CompleteParams,
    encoding: PositionEncoding,
    known: Known,
    files: Arc<FileIndex>,
    proposed: Option<Vec<String>>,
    reply: Reply,
) {
    let Known { cwd, roots, commands, agents, resources } = known;
    let work = tokio::task::spawn_blocking(move || {
        let Some(offset) = byte_offset(&params, encoding) else {
            let message = "`offset` is outside the text.";
            return reply.err(RpcError::new(RpcError::INVALID_PARAMS, message));
        };
        if let Some(name) = command(&params.text, offset) {
            let end = count(&params.text[..offset], encoding);
            return reply.ok(&CompleteResult { items: fitting(&commands, name, end) });
        }
        let Some((start, query)) = mention(&params.text, offset) else {
            return reply.ok(&CompleteResult::default());
        };
        let limits = Limits { deadline: Some(Instant::now() + WALK_WITHIN), ..Limits::NONE };
        let (names, elsewhere) = match proposed {
            Some(names) => (names, Vec::new()),
            None => {
                (files.files(&cwd, query, LIMIT, &limits), in_roots(&files, &roots, query, &limits))
            }
        };
        // Back to the units of the client: what stands before the mention is counted again.
        let units = |bytes: usize| count(&params.text[..bytes], encoding);
        let item = |(label, name): (String, String)| CompletionItem {
            kind: if name.ends_with('/') { CompletionKind::Folder } else { CompletionKind::File },
            insert_text: format!("@{name}"),
            label,
            start: units(start),
            end: units(offset),
            detail: None,
        };
        let place = (units(start), units(offset));
        let named = agents.iter().filter_map(|agent| mentioned(agent, query, place));
        let of_servers = resources.iter().filter_map(|known| readable(known, query, place));
        let named = named.chain(of_servers).take(LIMIT / 2);
        // Those of other folders have a place of their own, however many there are in this one.
        let room = LIMIT.saturating_sub(elsewhere.len().min(LIMIT / 2));
        let names = names.into_iter().map(|name| (name.clone(), name)).take(room);
        let items = named.chain(names.chain(elsewhere).map(item)).take(LIMIT).collect();
        reply.ok(&CompleteResult { items });
    });
    drop(work.await);
}

/// Files of the other folders: shown below the folder's name, and named by their whole paths.
fn in_roots(
    files: &FileIndex,
    roots: &[PathBuf],
    query: &str,
    limits: &Limits<'_>,
) -> Vec<(String, String)> {
    let found = roots.iter().flat_map(|root| {
        let shown = root.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let names = files.files(root, query, LIMIT / 2, limits).into_iter();
        names.map(move |name| {
            let path = format!("{}/{name}", root.display());
            (format!("{shown}/{name}"), path)
        })
    });
    found.take(LIMIT / 2).collect()
}

/// The whole text is one long line to the client: `offset` counts from its beginning.
fn byte_offset(params: &CompleteParams, encoding: PositionEncoding) -> Option<usize> {
    match encoding {
        PositionEncoding::Utf8 => {
            let offset = params.offset as usize;
            params.text.is_char_boundary(offset).then_some(offset)
        }
        PositionEncoding::Utf16 | PositionEncoding::Utf32 => {
            // Line breaks would end the line, so they are stood in for by blanks of the same size.
            let flat = Text::from(params.text.replace(['\n', '\r'], " "));
            flat.offset(Position { line: 0, column: params.offset }, encoding).ok()
        }
    }
}

pub(super) fn count(text: &str, encoding: PositionEncoding) -> u32 {
    let units = match encoding {
        PositionEncoding::Utf8 => text.len(),
        PositionEncoding::Utf16 => text.encode_utf16().count(),
        PositionEncoding::Utf32 => text.chars().count(),
    };
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// The beginning of a command's name, when the cursor stands in it.
fn command(text: &str, offset: usize) -> Option<&str> {
    let name = text.get(..offset)?.strip_prefix('/')?;
    (!name.contains(char::is_whitespace)).then_some(name)
}

fn fitting(commands: &[Command], name: &str, end: u32) -> Vec<CompletionItem> {
    // `plugin:deploy` is found by `deploy` as well.
    let starts = |command: &&Command| {
        let last = command.name.rsplit(':').next().unwrap_or_default();
        command.name.starts_with(name) || (!name.is_empty() && last.starts_with(name))
    };
    let fits = commands.iter().filter(starts);
    let item = |command: &Command| CompletionItem {
        kind: CompletionKind::Command,
        label: format!("/{}", command.name),
        insert_text: format!("/{}", command.name),
        start: 0,
        end,
        detail: Some(command.description.clone()),
    };
    fits.map(item).collect()
}

/// `@agent-name`, for whoever types the beginning of it or of the name.
fn mentioned(agent: &AgentInfo, query: &str, (start, end): (u32, u32)) -> Option<CompletionItem> {
    let label = format!("agent-{}", agent.name);
    let fits = !query.is_empty() && (label.starts_with(query) || agent.name.starts_with(query));
    fits.then(|| CompletionItem {
        kind: CompletionKind::Agent,
        insert_text: format!("@{label}"),
        label,
        start,
        end,
        detail: Some(agent.description.clone()),
    })
}

/// `@server:uri`, for whoever types a part of it or of its name.
fn readable(
    (label, name): &(String, String),
    query: &str,
    (start, end): (u32, u32),
) -> Option<CompletionItem> {
    let fits = !query.is_empty() && (label.contains(query) || name.starts_with(query));
    fits.then(|| CompletionItem {
        kind: CompletionKind::Resource,
        insert_text: format!("@{label}"),
        label: label.clone(),
        start,
        end,
        detail: Some(name.clone()),
    })
}

/// The `@name` that ends at the cursor: where it starts, and the name so far.
fn mention(text: &str, offset: usize) -> Option<(usize, &str)> {
    let before = text.get(..offset)?;
    let start = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
    let name = before[start..].strip_prefix('@')?;
    Some((start, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_stand_at_the_beginning() {
        assert_eq!(command("/co", 3), Some("co"));
        assert_eq!(command("/cost", 3), Some("co"));
        assert_eq!(command("/", 1), Some(""));
        assert_eq!(command("/loop 5m", 8), None);
        assert_eq!(command("say /co", 7), None);
    }

    #[test]
    fn mentions_end_at_the_cursor() {
        assert_eq!(mention("look at @src/ma", 15), Some((8, "src/ma")));
        assert_eq!(mention("@", 1), Some((0, "")));
        assert_eq!(mention("mail me@home", 12), None);
        assert_eq!(mention("@a b", 4), None);
        assert_eq!(mention("ü @x", 5), Some((3, "x")));
    }
}
