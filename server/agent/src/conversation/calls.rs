//! Calls that wait for their results, and the names under which both are sent.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::clean;
use crate::message::{Block, ResultPart};

#[derive(Clone, Debug, Default)]
pub(super) struct OpenCalls {
    /// As the journal calls them, and as they are sent.
    open: Vec<(String, String)>,
    /// Every name that was ever sent: some servers begin to count anew with each answer, and a
    /// provider refuses a conversation in which two calls have one name.
    used: HashSet<String>,
    /// Names that are sent as another, because they were used or no provider takes them.
    renamed: HashSet<String>,
    /// What was called, and for tools that show a file as it is, which one; by the name that is sent.
    made: HashMap<String, (String, Option<String>)>,
}

const UNANSWERED: &str = "Interrupted: the process ended before this call finished. It may have \
    acted or not; its result is unknown.";
const NO_WORDS: &str = "The call failed without saying why.";

impl OpenCalls {
    /// Notes the calls of an answer, and makes them such that a provider takes them.
    pub(super) fn open(&mut self, content: &mut [Block]) {
        for block in content {
            let Block::ToolUse { id, name, input } = block else { continue };
            let sent = self.free_name(id);
            if sent != *id {
                self.renamed.insert(id.clone());
            }
            self.made.insert(sent.clone(), (name.clone(), shown_file(name, input)));
            self.open.push((std::mem::replace(id, sent.clone()), sent));
            if !is_name(name) {
                *name = as_name(name, "unknown");
            }
            if !input.is_object() {
                *input = Value::Object(Default::default());
            }
        }
    }

    /// What a call was: its tool, and the file it shows.
    pub(super) fn made(&self, sent: &str) -> Option<(&str, Option<&str>)> {
        let (tool, shows) = self.made.get(sent)?;
        Some((tool, shows.as_deref()))
    }

    pub(super) fn any_open(&self) -> bool {
        !self.open.is_empty()
    }

    pub(super) fn tool_of(&self, call: &str) -> Option<&str> {
        let (_, sent) = self.open.iter().find(|(id, _)| id == call)?;
        self.made(sent).map(|(tool, _)| tool)
    }

    /// Whether a call of this name is sent under another.
    pub(super) fn was_renamed(&self, call: &str) -> bool {
        self.renamed.contains(call)
    }

    fn free_name(&mut self, id: &str) -> String {
        let wanted = if is_name(id) { id.to_owned() } else { as_name(id, "call") };
        let others = (2..).map(|number: u64| format!("{wanted}-{number}"));
        let mut names = std::iter::once(wanted.clone()).chain(others);
        let free = names.find(|name| !self.used.contains(name)).unwrap_or(wanted);
        self.used.insert(free.clone());
        free
    }

    /// A result answers one open call, once; one that answers none (its call was lost with a
    /// damaged line) would be refused with everything that follows.
    pub(super) fn answer(&mut self, result: &Block) -> Option<Block> {
        let Block::ToolResult { tool_use_id, content, is_error } = result else { return None };
        let at = self.open.iter().position(|(id, _)| id == tool_use_id)?;
        let (_, tool_use_id) = self.open.remove(at);
        let mut content = clean::result(content);
        if *is_error && content.is_empty() {
            content.push(ResultPart::Text { text: NO_WORDS.to_owned() });
        }
        Some(Block::ToolResult { tool_use_id, content, is_error: *is_error })
    }

    /// After a crash the last answer may have calls without results.
    pub(super) fn close(&mut self) -> impl Iterator<Item = Block> + use<> {
        let open = std::mem::take(&mut self.open).into_iter();
        open.map(|(_, sent)| unanswered(sent))
    }

    /// The results of calls that have none, as a journal names the calls. They stay open.
    pub(super) fn unanswered(&self) -> Vec<Block> {
        self.open.iter().map(|(recorded, _)| unanswered(recorded.clone())).collect()
    }

    /// What waits now, to be put back when a rewind is taken back.
    pub(super) fn take(&mut self) -> Self {
        Self { open: std::mem::take(&mut self.open), ..Self::default() }
    }

    pub(super) fn put_back(&mut self, taken: Self) {
        self.open = taken.open;
    }
}

fn unanswered(tool_use_id: String) -> Block {
    let content = vec![ResultPart::Text { text: UNANSWERED.to_owned() }];
    Block::ToolResult { tool_use_id, content, is_error: true }
}

/// The file that a call shows whole: a later such call shows it again.
fn shown_file(name: &str, input: &Value) -> Option<String> {
    let whole = ["offset", "limit", "pages"].iter().all(|part| input.get(part).is_none());
    let path = input.get("file_path").and_then(Value::as_str);
    path.filter(|_| name == "Read" && whole).map(str::to_owned)
}

const LONGEST_NAME: usize = 128;

fn is_letter(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | '-')
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_letter)
}

fn as_name(name: &str, empty: &str) -> String {
    let letter = |c: char| if is_letter(c) { c } else { '_' };
    let name: String = name.chars().take(LONGEST_NAME).map(letter).collect();
    if name.is_empty() { empty.to_owned() } else { name }
}
