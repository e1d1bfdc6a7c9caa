//! The journals of a session's agents, in a folder beside its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent::Record;
use agent::journal::ForkedFrom;

use super::fork;
use super::history::{History, Kind};
use super::journal::{self, Stamped};
use super::lines::Lines;

/// More are not listed; the newest are.
const MOST: usize = 200;
/// Who it is stands at the beginning.
const HEAD: usize = 4;

/// One agent, by its journal.
pub struct Sidechain {
    pub id: String,
    /// Always a [`Record::Agent`].
    pub record: Record,
}

/// The agents of a session, by its journal.
pub fn sidechains_of(session: &Path) -> Vec<Sidechain> {
    sidechains(&super::belongings(session).join("agents"))
}

/// Those that have a journal, the newest first.
pub fn sidechains(folder: &Path) -> Vec<Sidechain> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let written = std::fs::metadata(&path).and_then(|file| file.modified()).ok()?;
            path.extension().is_some_and(|it| it == "jsonl").then_some((written, path))
        })
        .collect();
    found.sort();
    found.iter().rev().take(MOST).filter_map(|(_, path)| head(path)).collect()
}

fn head(path: &Path) -> Option<Sidechain> {
    let (mut lines, mut buffer) = (Lines::open(path).ok()?, Vec::new());
    for _ in 0..HEAD {
        lines.next(&mut buffer).ok()??;
        if let Ok(record @ Record::Agent { .. }) = serde_json::from_slice(&buffer) {
            return Some(Sidechain { id: path.file_stem()?.to_str()?.to_owned(), record });
        }
    }
    None
}

/// The journal of one agent of a session.
pub fn sidechain(session: &Path, agent: &str) -> Option<PathBuf> {
    // The name becomes part of a path.
    let is_name = !agent.is_empty() && agent.chars().all(|c| c.is_ascii_alphanumeric());
    let path = super::belongings(session).join("agents").join(format!("{agent}.jsonl"));
    (is_name && path.is_file()).then_some(path)
}

/// A conversation that an agent begins with.
pub struct Copy<'a> {
    pub from: &'a Path,
    pub to: &'a Path,
    pub id: &'a str,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// Copies what was last sent to the model: an answer whose calls still run is not part of it.
pub fn copy_for_agent(copy: &Copy<'_>, who: &Record) -> Result<(), String> {
    let mut history = History::read(copy.from)?;
    let is_sent = |kind: Kind| matches!(kind, Kind::User | Kind::Results | Kind::Compacted);
    while history.kept.last().is_some_and(|place| !is_sent(place.kind)) {
        history.kept.pop();
    }
    let session = copy.from.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let head = Record::Session {
        version: agent::journal::VERSION,
        id: copy.id.to_owned(),
        cwd: history.cwd.display().to_string(),
        model: history.model.clone(),
        mode: history.mode.clone(),
        forked_from: Some(ForkedFrom { session, message: None }),
    };
    if let Some(folder) = copy.to.parent() {
        super::make_folder(folder).map_err(|error| error.to_string())?;
    }
    let written = journal::write_whole(copy.to, |out| {
        for record in [&head, who] {
            serde_json::to_writer(&mut *out, &Stamped { at: copy.now, record })?;
            out.write_all(b"\n")?;
        }
        fork::copy(&history, copy.now, out)
    });
    written.map_err(|error| error.to_string())
}
