//! A session that a host kept elsewhere comes back: its lines lie where Claude Code would keep them, and
//! hold our own records beside what others read. A transcript of Claude Code is taken over as ever.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use agent::Record;
use serde_json::Value;

use super::journal;
use super::list::entries;

/// The field of a line that holds our record.
pub const RECORD: &str = "bowline";

/// Where a session of this id lies among projects of Claude Code.
pub fn transcript(projects: &Path, id: &str) -> Option<PathBuf> {
    let name = format!("{}.jsonl", uuid::Uuid::parse_str(id).ok()?);
    let mut all = entries(projects).into_iter().map(|project| project.join(&name));
    all.find(|path| path.is_file())
}

/// Makes a journal of it, whole or not at all. The error is a sentence.
pub fn take_over(sessions: &Path, transcript: &Path, now: u64) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}.", transcript.display());
    let lines = BufReader::new(File::open(transcript).map_err(failed)?).lines();
    let mut records = Vec::new();
    for line in lines {
        let line: Value = serde_json::from_str(&line.map_err(failed)?).unwrap_or_default();
        records.extend(line.get(RECORD).filter(|record| record.is_object()).cloned());
    }
    let head = records.iter().find_map(|record| serde_json::from_value(record.clone()).ok());
    let Some(Record::Session { id, cwd, version, .. }) = head else {
        return super::import(sessions, transcript, now).map(drop);
    };
    if version > agent::journal::VERSION {
        return Err("The session is of a newer Bowline; update this one.".to_owned());
    }
    if uuid::Uuid::parse_str(&id).is_err() {
        return Err(format!("{} names no session.", transcript.display()));
    }
    let to = super::journal_path(sessions, Path::new(&cwd), &id);
    let written = journal::write_whole(&to, |out| {
        for record in &records {
            serde_json::to_writer(&mut *out, record)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    });
    written.map_err(|error| error.to_string())
}
