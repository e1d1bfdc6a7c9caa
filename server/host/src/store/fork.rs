//! A journal that begins with the conversation of another. The original is only read.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent::journal::ForkedFrom;
use agent::{Record, Spending, TitleOrigin, Usage};

use super::history::{History, Kind};
use super::journal::{self, Stamped};

/// What to copy, and under which name.
pub struct Fork<'a> {
    pub from: &'a Path,
    /// The last message of the copy; all without it.
    pub at: Option<&'a str>,
    pub id: &'a str,
    /// Milliseconds since 1970.
    pub now: u64,
}

/// Writes the copy whole or not at all, and says where it is. It holds what was said, so its size is
/// that of the conversation, however often its ancestors were copied.
pub fn fork(sessions: &Path, wish: &Fork<'_>) -> Result<PathBuf, String> {
    let mut history = History::read(wish.from)?;
    if let Some(message) = wish.at {
        history.end_with(message)?;
    }
    let session = wish.from.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let head = Record::Session {
        version: agent::journal::VERSION,
        id: wish.id.to_owned(),
        cwd: history.cwd.display().to_string(),
        model: history.model.clone(),
        mode: history.mode.clone(),
        forked_from: Some(ForkedFrom { session, message: wish.at.map(str::to_owned) }),
    };
    let path = super::journal_path(sessions, &history.cwd, wish.id);
    let title = history.title.text().map(|title| Record::Title {
        title: fork_title(title),
        // The first prompt names the original; here it is a name that may be bettered.
        origin: history.title.origin().unwrap_or_default().max(TitleOrigin::Generated),
    });
    let (model, mode, chosen) = (None, None, history.chosen.clone());
    let config = (!chosen.is_empty()).then_some(Record::Config { model, mode, chosen });
    let written = journal::write_whole(&path, |out| {
        let mut own = |record: &Record| {
            serde_json::to_writer(&mut *out, &Stamped { at: wish.now, record })?;
            out.write_all(b"\n")
        };
        own(&head)?;
        title.iter().chain(&config).try_for_each(&mut own)?;
        copy(&history, wish.now, out)
    });
    written.map(|()| path).map_err(|error| error.to_string())
}

pub(super) fn copy(
    history: &History,
    now: u64,
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    for place in &history.kept {
        let line = history.line(place)?;
        match place.kind {
            Kind::TurnEnded | Kind::Compacted => {
                let Ok(record) = serde_json::from_slice(&line) else { continue };
                let record = unpaid(record);
                serde_json::to_writer(&mut *out, &Stamped { at: now, record: &record })?;
            }
            _ => out.write_all(&line)?,
        }
        out.write_all(b"\n")?;
    }
    // A turn that goes on in the original ends here.
    let last = history.kept.iter().rev().find(|place| place.kind != Kind::Note);
    if let Some(last) = last.filter(|last| last.kind != Kind::TurnEnded) {
        let record = Record::TurnEnded {
            turn: last.turn.clone().unwrap_or_default(),
            reason: "cancelled".to_owned(),
            terminal: Some("forked".to_owned()),
            usage: Usage::default(),
            cost_usd: 0.0,
            models: Spending::default(),
            error: None,
        };
        serde_json::to_writer(&mut *out, &Stamped { at: now, record: &record })?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// What it cost was paid by the original.
fn unpaid(mut record: Record) -> Record {
    if let Record::TurnEnded { usage, cost_usd, .. } | Record::Compacted { usage, cost_usd, .. } =
        &mut record
    {
        (*usage, *cost_usd) = (Usage::default(), 0.0);
    }
    if let Record::TurnEnded { models, .. } = &mut record {
        *models = Spending::default();
    }
    record
}

/// Told apart from its original in a list, also after the second time.
fn fork_title(title: &str) -> String {
    let base = title.strip_suffix(" (fork)").unwrap_or(title);
    format!("{base} (fork)")
}
