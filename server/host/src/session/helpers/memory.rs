//! Session memory: notes on the session in `<session>/memory.md` beside the journal, brought up to date
//! while it goes on. When the window is full they can take the place of a summary.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use agent::Record;
use agent::context::notes;

use super::{Helper, Outcome};
use crate::session::Session;
use crate::store;

/// More of a file is none of ours.
const LONGEST: usize = 64 * 1024;

/// The notes on a session.
#[derive(Default)]
pub(in crate::session) struct SessionMemory {
    /// `None` for a session that leaves nothing behind.
    file: Option<PathBuf>,
    text: String,
    /// The last message that the notes will cover which are being written.
    until: String,
}

impl SessionMemory {
    /// With what an earlier life of the session left. Reads a file.
    pub(in crate::session) fn open(journal: Option<&Path>) -> Self {
        let file = journal.map(|journal| store::belongings(journal).join("memory.md"));
        let left = file.as_deref().and_then(|file| store::read_start(file, LONGEST));
        Self { file, text: left.unwrap_or_default(), until: String::new() }
    }
}

impl Session {
    /// Brings the notes up to date, when there is enough to note. `rests`: the turn has ended.
    pub(in crate::session) fn keep_notes(&mut self, rests: bool) {
        let wanted = self.helpers.wants.session_memory.unwrap_or(true);
        if !wanted || self.helpers.is_running(Helper::Memory) {
            return;
        }
        let Some(file) = self.helpers.memory.file.clone() else { return };
        let Some(quick) = self.helper(Helper::Memory) else { return };
        if !notes::due(&self.conversation, &self.window(), rests) {
            return;
        }
        let text = self.helpers.memory.text.as_str();
        // Without the file (the session is a copy) everything is new.
        let question = match self.conversation.has_notes() && !text.is_empty() {
            true => notes::question(text, self.conversation.since_notes()),
            false => notes::question("", self.conversation.entries()),
        };
        self.helpers.memory.until = self.conversation.last_id().unwrap_or_default().to_owned();
        let redactor = self.host.secrets.redactor();
        let redact = move |notes: &str| redactor.redact(notes).into_owned();
        self.run_helper(Helper::Memory, quick.model.clone(), move |_, mut usage| async move {
            let answer = quick.ask(notes::system(), &question, notes::MAX_TOKENS, &mut usage).await;
            let notes = answer.and_then(|answer| {
                let found = notes::extract(&answer).map(|notes| redact(&notes));
                found.ok_or_else(|| "the answer holds no notes".to_owned())
            });
            let outcome = match notes {
                Ok(notes) => write(file, notes).await,
                Err(problem) => Outcome::Failed(problem),
            };
            (outcome, usage)
        });
    }

    pub(super) fn on_notes(&mut self, notes: String) {
        self.helpers.memory.text = notes;
        let until = std::mem::take(&mut self.helpers.memory.until);
        if let Err(error) = self.journal(&Record::Noted { until }) {
            tracing::error!(%error, "that notes were taken could not be journalled");
        }
    }

    /// The notes and how many of the last entries belong to them, when both together can take the
    /// place of the conversation.
    pub(in crate::session) fn notes_instead(&self) -> Option<(String, usize)> {
        let wanted = self.helpers.wants.session_memory.unwrap_or(true);
        let (text, window) = (&self.helpers.memory.text, self.window());
        let short = agent::tokens::of_text(text) <= window.compact_at() / 6;
        if !wanted || text.is_empty() || !short {
            return None;
        }
        notes::tail(&self.conversation, &window).map(|kept| (text.clone(), kept))
    }
}

async fn write(file: PathBuf, notes: String) -> Outcome {
    let write = move || {
        let written = store::write_whole(&file, |out| writeln!(out, "{notes}"));
        written.map(|()| notes).map_err(|error| error.to_string())
    };
    let written = tokio::task::spawn_blocking(write).await;
    match written.unwrap_or_else(|error| Err(error.to_string())) {
        Ok(notes) => Outcome::Answered(notes),
        Err(problem) => Outcome::Failed(problem),
    }
}
