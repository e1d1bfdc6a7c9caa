//! Reading a journal back.
//!
//! What lies before the last summary is not sent any more, and it is nearly all of a long journal.
//! Of those lines only what outlives a summary is taken (see [`light`]); the rest is passed over
//! without being parsed.

mod light;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use agent::journal::Chosen;
use agent::{Block, Conversation, PromptQueue, Record, Title, TitleOrigin};

use super::lines::{Lines, Skimmed};
use super::recover;
use light::Kind;

/// A session as its journal tells it.
#[derive(Debug, Default)]
pub struct Loaded {
    pub cwd: PathBuf,
    pub model: Option<String>,
    pub mode: Option<String>,
    pub chosen: Chosen,
    pub title: Title,
    pub branch: Option<String>,
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
    /// The first line, which says how the session began, could not be read.
    pub head_lost: bool,
}

/// Replays a journal. A line that is no record is skipped: one bad line must not cost a session.
pub fn load(path: &Path) -> Result<Loaded, String> {
    let unreadable =
        |error: std::io::Error| format!("{} cannot be read ({error}).", path.display());
    let lines = skim(path).map_err(unreadable)?;
    let file = File::open(path).map_err(unreadable)?;
    let reader = Reader { path, file, lines };
    let short = match reader.summary() {
        Some((from, last)) => reader.replay(from, Some(last))?,
        None => None,
    };
    let mut loaded = match short {
        Some(loaded) => loaded,
        None => reader.replay(0, None)?.unwrap_or_default(),
    };
    loaded.head_lost = loaded.cwd.as_os_str().is_empty();
    loaded.cwd = recover::working_directory(path, loaded.cwd);
    Ok(loaded)
}

struct Line {
    start: u64,
    len: usize,
    kind: Kind,
    too_long: bool,
}

fn skim(path: &Path) -> std::io::Result<Vec<Line>> {
    let (mut lines, mut found) = (Lines::open(path)?, Vec::new());
    let mut head = Vec::new();
    while let Some(Skimmed { start, len, too_long }) = lines.skim(&mut head)? {
        found.push(Line { start, len, kind: Kind::of(&head), too_long });
    }
    Ok(found)
}

struct Reader<'a> {
    path: &'a Path,
    file: File,
    lines: Vec<Line>,
}

impl Reader<'_> {
    /// From which line on everything counts, and the last summary. The entries that the summary
    /// kept come from before it, so the reading begins at the summary before; where that could lead
    /// astray there is no short way.
    fn summary(&self) -> Option<(usize, usize)> {
        let is_summary = |line: &Line| line.kind == Kind::Compacted;
        let last = self.lines.iter().rposition(is_summary)?;
        let from = self.lines[..last].iter().rposition(is_summary).unwrap_or(0);
        let went_back = self.lines[from..last].iter().any(|line| line.kind == Kind::Rewound);
        (from > 0 && !went_back).then_some((from, last))
    }

    /// Everything from one line on, and what is left of the lines before it. Nothing when the last
    /// summary kept more than was read.
    fn replay(&self, from: usize, last: Option<usize>) -> Result<Option<Loaded>, String> {
        let mut loaded = Loaded::default();
        let mut buffer = Vec::new();
        for (at, line) in self.lines.iter().enumerate() {
            if line.too_long {
                tracing::warn!(path = %self.path.display(), "a line is too long to be a record");
                loaded.skipped += 1;
                continue;
            }
            let passed = at < from;
            if passed && matches!(line.kind, Kind::Results | Kind::Part) {
                continue;
            }
            buffer.resize(line.len, 0);
            if let Err(error) = self.file.read_exact_at(&mut buffer, line.start) {
                return Err(format!("{} cannot be read ({error}).", self.path.display()));
            }
            // The first prompt gives the session its name.
            let short = passed && loaded.title.text().is_some();
            let record = if short { light::record(line.kind, &buffer).ok() } else { None };
            let json = if at == 0 { recover::without_mark(&buffer) } else { &buffer };
            let mut record = record.map_or_else(|| serde_json::from_slice(json), Ok);
            if let (true, Ok(Record::Compacted { kept, .. })) =
                (last.is_some() && at == from, &mut record)
            {
                // What it kept was passed over.
                *kept = 0;
            }
            if last == Some(at) && kept(&record) >= loaded.conversation.entries().len() {
                return Ok(None);
            }
            loaded.take(self.path, record, &buffer)?;
        }
        Ok(Some(loaded))
    }
}

/// How many entries a summary left as they were.
fn kept(record: &Result<Record, serde_json::Error>) -> usize {
    match record {
        Ok(Record::Compacted { kept, .. }) => *kept,
        _ => 0,
    }
}

impl Loaded {
    fn take(
        &mut self,
        path: &Path,
        record: Result<Record, serde_json::Error>,
        line: &[u8],
    ) -> Result<(), String> {
        match record {
            Ok(Record::Session { version, .. }) if version > agent::journal::VERSION => {
                return Err(format!(
                    "{} was written by a newer Bowline (format {version}); update to open it.",
                    path.display()
                ));
            }
            Ok(record) => self.apply(&record),
            Err(_) if line.iter().all(u8::is_ascii_whitespace) => {}
            Err(error) => {
                tracing::warn!(%error, path = %path.display(), "a journal line was skipped");
                self.skipped += 1;
            }
        }
        Ok(())
    }

    fn apply(&mut self, record: &Record) {
        match record {
            Record::Session { cwd, model, mode, .. } => {
                self.cwd = PathBuf::from(cwd);
                self.model = Some(model.clone());
                self.mode = Some(mode.clone());
            }
            Record::Config { model, mode, chosen } => {
                self.model = model.clone().or(self.model.take());
                self.mode = mode.clone().or(self.mode.take());
                self.chosen = chosen.clone();
            }
            Record::Checkout { branch } => self.branch.clone_from(branch),
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
            Record::AnswerBlock { block: Block::ToolUse { name, input, .. }, .. }
                if name == "TodoWrite" =>
            {
                self.todos = Some(input.clone());
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
