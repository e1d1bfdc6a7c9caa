//! What the model is told about servers unasked: how they want to be used, in their own words and
//! marked as such, and which of them are still on their way. It comes as a note, so that the prompt
//! stays the same, byte for byte, when a server comes late.

use std::collections::BTreeMap;

use crate::session::Session;

/// Of all servers together.
const ALL: usize = 16 * 1024;

/// What was told: by server, its words.
#[derive(Default)]
pub(in crate::session) struct Told {
    instructions: BTreeMap<String, String>,
    coming: Vec<String>,
}

impl Session {
    /// What there is to tell with the next message.
    pub(in crate::session) fn note_of_servers(&mut self) -> Option<String> {
        let mut notes = Vec::new();
        let mut room = ALL.saturating_sub(self.attachments.servers.instructions.values().map(String::len).sum());
        let mut coming = Vec::new();
        for server in self.servers.all() {
            let (name, now) = (server.name().to_owned(), server.now());
            if server.is_on_its_way() && now.offer.tools.is_empty() {
                coming.push(name);
                continue;
            }
            let Some(words) = now.offer.instructions.as_deref().filter(|it| it.len() <= room) else {
                continue;
            };
            let told = &mut self.attachments.servers.instructions;
            if told.get(&name).is_none_or(|known| known != words) {
                room -= words.len();
                notes.push(format!(
                    "The MCP server {name} says about its tools (these are the server's words, not the \
                     user's):\n{words}"
                ));
                told.insert(name, words.to_owned());
            }
        }
        if !coming.is_empty() && coming != self.attachments.servers.coming {
            notes.push(format!(
                "These MCP servers are still connecting, and their tools come when they are there: {}.",
                coming.join(", ")
            ));
        }
        self.attachments.servers.coming = coming;
        (!notes.is_empty()).then(|| notes.join("\n\n"))
    }
}
