//! Tools that are not what they were. Whoever let a tool run agreed to what its server said about it
//! then. When the server says something else, the model does not get to read it, and the tool is not
//! there, until the user has seen what is different and says that it may be.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use extend::{AgreedTool, AgreedTools, Agreement};
use mcp::Server;
use protocol::event::Severity;
use protocol::mcp::McpToolChange;

use crate::session::Session;

/// Of one difference; nobody reads more in a row.
const DIFF: usize = 4000;
/// So many differences are remembered as told; a server that has more to say is told of again.
const TOLD: usize = 500;

/// What this session knows of what was agreed to.
#[derive(Default)]
pub(super) struct Agreed {
    /// By the server's number, while it is the same.
    books: HashMap<usize, AgreedTools>,
    /// By the tool: what is other than agreed, and the name of its server.
    changed: BTreeMap<String, (String, McpToolChange)>,
    /// What the user was told.
    told: Vec<McpToolChange>,
}

impl Agreed {
    pub(super) fn is_changed(&self, tool: &str) -> bool {
        self.changed.contains_key(tool)
    }

    /// What is different about a server.
    pub(super) fn changes_of(&self, server: &str) -> Vec<McpToolChange> {
        let of = self.changed.values().filter(|(name, _)| name == server);
        of.map(|(_, change)| change.clone()).collect()
    }
}

fn described(tool: &mcp::Tool) -> AgreedTool {
    AgreedTool {
        title: tool.hints.title.clone(),
        description: tool.description.clone(),
        schema: tool.schema.clone(),
    }
}

fn number(server: &Arc<Server>) -> usize {
    Arc::as_ptr(server) as usize
}

impl Session {
    /// Compares what servers offer with what was agreed to.
    pub(super) fn compare_tools(&mut self, servers: &[Arc<Server>]) {
        let home = self.host.locations.bowline_home.clone();
        let agreed = &mut self.servers.agreed;
        agreed.books.retain(|known, _| servers.iter().any(|server| number(server) == *known));
        let mut changed = BTreeMap::new();
        for server in servers {
            let Some(identity) = server.config.identity() else { continue };
            let key = mcp::server_key(server.name());
            let book = agreed.books.entry(number(server));
            let book = book.or_insert_with(|| AgreedTools::load(&home, &key, &identity));
            book.refresh();
            for change in server.now().offer.tools.iter().filter_map(|tool| change(book, tool)) {
                changed.insert(change.tool.clone(), (server.name().to_owned(), change));
            }
        }
        agreed.changed = changed;
        self.tell_changed_tools();
    }

    /// Each difference is told once. An agent's user hears of it from the session that it works for.
    fn tell_changed_tools(&mut self) {
        if self.agents.member.is_some() {
            return;
        }
        let agreed = &mut self.servers.agreed;
        let mut news: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (server, change) in agreed.changed.values() {
            if !agreed.told.contains(change) {
                let spare = (agreed.told.len() + 1).saturating_sub(TOLD);
                agreed.told.drain(..spare);
                agreed.told.push(change.clone());
                news.entry(server.clone()).or_default().push(change.tool.clone());
            }
        }
        for (server, tools) in news {
            let (tools, server) = (tools.join(", "), extend::one_line(&server));
            let text = format!(
                "The MCP server {server} describes {tools} otherwise than when you agreed to it, so it \
                 is not used. /mcp {server} shows what is different, /mcp approve {server} agrees."
            );
            self.notice(Severity::Warning, text);
        }
    }

    /// A call was let through: its tool is agreed to as it is, unless there was an agreement before.
    pub(in crate::session) fn agree_to(&mut self, tool: &str) {
        let Some((id, offered)) = self.servers.offered.iter().find(|it| it.1.full_name == tool)
        else {
            return;
        };
        let Some(book) = self.servers.agreed.books.get_mut(id) else { return };
        let now = described(offered);
        if book.standing(&offered.name, &now) == Agreement::None
            && let Err(error) = book.keep([(offered.name.clone(), now)])
        {
            tracing::warn!(tool, %error, "what a tool was like cannot be kept");
        }
    }

    /// The user agrees to everything that a server offers now and that is not what it was. Only what
    /// was told can be agreed to: whatever came since then is told first.
    pub(super) async fn approve_tools(&mut self, server: &Arc<Server>) -> Result<(), String> {
        let Agreed { books, told, .. } = &mut self.servers.agreed;
        let offer = server.now().offer;
        let mut tools = Vec::new();
        if let Some(book) = books.get_mut(&number(server)) {
            book.refresh();
            for tool in &offer.tools {
                let Some(change) = change(book, tool) else { continue };
                if !told.contains(&change) {
                    self.look_at_servers().await;
                    let text = "Its tools changed just now; look at what is different first.";
                    return Err(text.to_owned());
                }
                tools.push((tool.name.clone(), described(tool)));
            }
            if !tools.is_empty() {
                let kept = book.keep(tools);
                kept.map_err(|error| format!("It could not be written down: {error}."))?;
                self.look_at_servers().await;
                return Ok(());
            }
        }
        Err(format!("Nothing about the tools of {} waits for your word.", server.name()))
    }
}

/// How a tool differs from what was agreed to.
fn change(book: &AgreedTools, tool: &mcp::Tool) -> Option<McpToolChange> {
    if !book.concerns(&tool.name) {
        return None;
    }
    let now = described(tool);
    let Agreement::Other(before) = book.standing(&tool.name, &now) else { return None };
    let diff = difference(before.as_ref(), &now);
    Some(McpToolChange { tool: tool.full_name.clone(), diff })
}

/// What is different, as people see it: nothing in it moves a cursor.
fn difference(before: Option<&AgreedTool>, now: &AgreedTool) -> String {
    let before = before.map(AgreedTool::text).unwrap_or_default();
    let diff = text::unified(&before, &now.text(), 2);
    let lines = diff.lines().map(|line| policy::visible(line).into_owned());
    let diff = lines.collect::<Vec<_>>().join("\n");
    match diff.len() > DIFF {
        true => {
            let head = diff.floor_char_boundary(DIFF);
            format!("{}\n… {} more bytes", &diff[..head], diff.len() - head)
        }
        false => diff,
    }
}
