//! Reading a journal back.

use std::path::{Path, PathBuf};

use agent::{Block, Conversation, PromptQueue, Record, Title, TitleOrigin};

use super::lines::Lines;

/// A session as its journal tells it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub cwd: PathBuf,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub title: Title,
    pub conversation: Conversation,
    /// What was said and is not yet part of it.
    pub queue: PromptQueue,
    /// The input of the last list the model wrote, to be read by the tool that owns it.
    pub todos: Option<serde_json::Value>,
    /// Its tasks. A plain list that it wrote later is in `todos`.
    pub board: Option<serde_json::Value>,
    /// Deferred tools that it asked for.
    pub tools_loaded: Vec<String>,
    /// Lines that could not be read, for one warning.
    pub skipped: usize,
}

/// Replays a journal. A line that is no record is skipped: one bad line must not cost a session.
pub fn load(path: &Path) -> Result<Loaded, String> {
    let unreadable =
        |error: std::io::Error| format!("{} cannot be read ({error}).", path.display());
    let mut loaded = Loaded::default();
    let mut lines = Lines::open(path).map_err(unreadable)?;
    let mut line = Vec::new();
    while let Some(place) = lines.next(&mut line).map_err(unreadable)? {
        if place.too_long {
            tracing::warn!(path = %path.display(), "a journal line is too long to be a record");
            loaded.skipped += 1;
            continue;
        }
        match serde_json::from_slice::<Record>(&line) {
            Ok(Record::Session { version, .. }) if version > agent::journal::VERSION => {
                return Err(format!(
                    "{} was written by a newer Bowline (format {version}); update to open it.",
                    path.display()
                ));
            }
            Ok(record) => loaded.apply(&record),
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a journal line was skipped");
                loaded.skipped += 1;
            }
        }
    }
    Ok(loaded)
}

impl Loaded {
    fn apply(&mut self, record: &Record) {
        match record {
            Record::Session { cwd, model, mode, .. } => {
                self.cwd = PathBuf::from(cwd);
                self.model = Some(model.clone());
                self.mode = Some(mode.clone());
            }
            Record::Config { model, mode } => {
                self.model = model.clone().or(self.model.take());
                self.mode = mode.clone().or(self.mode.take());
            }
            Record::Title { title, origin } => drop(self.title.offer(title, *origin)),
            Record::User { content, .. } if self.title.text().is_none() => {
                if let Some(title) = title_of(content) {
                    self.title.offer(title, TitleOrigin::Prompt);
                }
            }
            Record::Assistant { content, .. } => {
                let todos = content.iter().rev().find_map(|block| match block {
                    Block::ToolUse { name, input, .. } if name == "TodoWrite" => Some(input),
                    _ => None,
                });
                self.todos = todos.cloned().or(self.todos.take());
            }
            Record::Steps { board } => {
                self.board = Some(board.clone());
                self.todos = None;
            }
            Record::ToolsLoaded { names } => self.tools_loaded.extend(names.iter().cloned()),
            _ => {}
        }
        self.queue.apply(record);
        if self.conversation.apply(record).is_err() {
            self.skipped += 1;
        }
    }
}

/// The first line of what was asked, short enough for a list. What Bowline tells the model along
/// with a prompt was not asked by anybody.
pub fn title_of(content: &[Block]) -> Option<String> {
    let text = content.iter().find_map(|block| match block {
        Block::Text { text } if tools::is_reminder(text) => None,
        Block::Text { text } => text.lines().find(|line| !line.trim().is_empty()),
        _ => None,
    })?;
    let mut title = text.trim().to_owned();
    if title.len() > 80 {
        title.truncate(title.floor_char_boundary(80));
        title.push('…');
    }
    Some(title)
}
