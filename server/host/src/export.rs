//! A session written out: as Markdown for people, or as the records of its journal for programs.
//! What is secret is not in it, whatever the journal holds.

mod markdown;

use std::path::{Path, PathBuf};

use policy::Redactor;
use serde_json::{Map, Value};
use workspace::{Expected, WriteOptions};

use crate::context::HostContext;
use crate::store::{self, Sidechain};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Markdown,
    Jsonl,
}

impl Format {
    pub fn named(name: &str) -> Result<Self, String> {
        match name {
            "markdown" => Ok(Self::Markdown),
            "jsonl" => Ok(Self::Jsonl),
            other => Err(format!("There is no format {other}; there are markdown and jsonl.")),
        }
    }

    fn extension(self) -> &'static str {
        match self {
            Self::Markdown => "md",
            Self::Jsonl => "jsonl",
        }
    }
}

/// The text of a session, and behind it those of its agents, in the order in which they ended.
pub fn export(redactor: &Redactor, journal: &Path, format: Format) -> Result<String, String> {
    let mut agents = store::sidechains_of(journal);
    agents.reverse();
    let text = match format {
        Format::Markdown => markdown::render(journal, &agents)?,
        Format::Jsonl => records(journal, &agents)?,
    };
    Ok(redactor.redact(&text).into_owned())
}

/// Line by line as in the journal; a record of an agent says whose it is.
fn records(journal: &Path, agents: &[Sidechain]) -> Result<String, String> {
    let mut text = store::raw_records(journal)?;
    for agent in agents {
        let of_agent = store::sidechain(journal, &agent.id).map(|path| store::raw_records(&path));
        for line in of_agent.transpose()?.unwrap_or_default().lines() {
            let Ok(mut record) = serde_json::from_str::<Map<String, Value>>(line) else { continue };
            record.insert("agentId".to_owned(), Value::String(agent.id.clone()));
            text.push_str(&Value::Object(record).to_string());
            text.push('\n');
        }
    }
    Ok(text)
}

/// Makes a file that was not there.
pub fn write(path: &Path, content: &str) -> Result<PathBuf, String> {
    if !path.is_absolute() {
        return Err(format!("`path` must be an absolute path, not {:?}.", path.display()));
    }
    let path = workspace::real_path(path).map_err(|error| error.to_string())?;
    let options = WriteOptions { expected: Some(Expected::Absent), create_parents: false };
    match workspace::write_atomic(&path, content.as_bytes(), &options) {
        Ok(_) => Ok(path),
        Err(error) => Err(format!("The session was not written to {}: {error}", path.display())),
    }
}

/// A file of our own, for a text that is too long to be handed over.
pub fn keep(
    host: &HostContext,
    journal: &Path,
    format: Format,
    content: &str,
) -> Result<PathBuf, String> {
    let name = journal.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{name}.{}", format.extension());
    let path = host.locations.bowline_home.join("exports").join(name);
    let written = store::write_whole(&path, |out| {
        use std::io::Write as _;
        out.write_all(content.as_bytes())
    });
    written.map(|()| path).map_err(|error| error.to_string())
}
