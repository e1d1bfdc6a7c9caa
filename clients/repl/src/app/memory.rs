//! The memory files of the session: asked for, listed, shown.

use protocol::event::Severity;
use protocol::memory::{MemoryFile, MemoryList, MemoryListParams, MemoryListResult, MemoryScope};

use super::{App, Pick, Waiting};
use crate::prompt::picker::Entry;
use crate::render::line::Line;
use crate::render::safe::strict;
use crate::render::{path_in, theme};

/// The first lines of a file that are shown; the file has the rest.
const SHOWN: usize = 200;

impl App {
    /// Lists the files, or shows the one that is named.
    pub fn ask_memory(&mut self, path: Option<String>) {
        let Some(session) = &self.session else {
            return self.notice(Severity::Warning, "There is no session yet.");
        };
        let params = MemoryListParams { session_id: session.id.clone(), path: path.clone() };
        self.outbox.request::<MemoryList>(&params, Waiting::Memory(path));
    }

    pub(super) fn memory_listed(&mut self, path: Option<&str>, result: MemoryListResult) {
        let Some(path) = path else { return self.offer_memory(result.files) };
        let shown = result.files.into_iter().find(|file| file.path == path);
        let text = shown.and_then(|file| file.text).unwrap_or_default();
        let row = |line: &str| Line::styled(strict(line).into_owned(), theme::PLAIN);
        let mut rows = vec![Line::styled(strict(path).into_owned(), theme::BOLD)];
        rows.extend(text.lines().take(SHOWN).map(row));
        if text.lines().count() > SHOWN {
            rows.push(Line::styled("… (the file goes on)", theme::DIM));
        }
        self.transcript.rows(rows);
    }

    fn offer_memory(&mut self, files: Vec<MemoryFile>) {
        if files.is_empty() {
            let text = "No memory file holds here. Write `# note` to begin one.";
            return self.notice(Severity::Info, text);
        }
        let cwd = &self.start.cwd;
        let entry = |file: MemoryFile| Entry {
            label: path_in(&file.path, cwd).to_owned(),
            detail: match &file.imported_by {
                Some(by) => format!("{}, imported by {}", whose(&file.scope), path_in(by, cwd)),
                None => whose(&file.scope).to_owned(),
            },
            value: Pick::Memory(file.path),
        };
        let entries = files.into_iter().map(entry).collect();
        self.offer("Memory files that hold here; pick one to see it", entries, 0);
    }
}

fn whose(scope: &MemoryScope) -> &str {
    match scope {
        MemoryScope::User => "yours, for all projects",
        MemoryScope::Project => "the project's",
        MemoryScope::Local => "yours, for this project",
        MemoryScope::Managed => "the administrator's",
        MemoryScope::Auto => "notes of the agent",
        other => other.as_str(),
    }
}
