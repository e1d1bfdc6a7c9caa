//! The files about keys: read at the start and again when they have changed, which is looked at when a key
//! is pressed, and not more than once in a while.

use std::io::{Read as _, Write as _};
use std::path::PathBuf;
use std::time::SystemTime;

use protocol::event::Severity;
use tokio::time::{Duration, Instant};

use crate::app::Event;
use crate::keymap::Origin;

/// Nobody edits a file faster.
const PAUSE: Duration = Duration::from_millis(500);
/// A longer file is none about keys.
const LONGEST: u64 = 1 << 20;

pub(crate) struct KeyFiles {
    /// The strongest is ours, and comes last.
    paths: Vec<PathBuf>,
    seen: Vec<Option<(SystemTime, u64)>>,
    looked: Option<Instant>,
}

impl KeyFiles {
    pub fn new(paths: Vec<PathBuf>) -> Self {
        let seen = paths.iter().map(|_| None).collect();
        Self { paths, seen, looked: None }
    }

    /// What they say, if something is new.
    pub fn changed(&mut self, now: Instant) -> Option<Event> {
        if self.looked.is_some_and(|last| now < last + PAUSE) {
            return None;
        }
        self.looked = Some(now);
        let stamp = |path: &PathBuf| {
            let facts = std::fs::metadata(path).ok()?;
            Some((facts.modified().ok()?, facts.len()))
        };
        let stamps: Vec<_> = self.paths.iter().map(stamp).collect();
        if stamps == self.seen {
            return None;
        }
        self.seen = stamps;
        let last = self.paths.len().saturating_sub(1);
        let files = self.paths.iter().enumerate().filter_map(|(at, path)| {
            let mut text = String::new();
            let file = std::fs::File::open(path).ok()?;
            file.take(LONGEST).read_to_string(&mut text).ok()?;
            let origin = if at == last { Origin::Own } else { Origin::Foreign };
            Some((path.display().to_string(), origin, text))
        });
        Some(Event::KeyFiles(files.collect()))
    }

    /// Writes our file; one that is there stays as it is.
    pub(super) fn begin(&self, text: &str) -> Event {
        let Some(path) = self.paths.last() else {
            return Event::Told(
                Severity::Warning,
                "There is no place for a file about keys.".to_owned(),
            );
        };
        if let Some(folder) = path.parent() {
            // The next step says what is wrong.
            let _ = std::fs::create_dir_all(folder);
        }
        let file = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        match written {
            Ok(()) => Event::Told(
                Severity::Info,
                format!("Written, for you to change: {}", path.display()),
            ),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                Event::Told(Severity::Info, format!("There is one already: {}", path.display()))
            }
            Err(error) => Event::Told(
                Severity::Error,
                format!("{} cannot be written: {error}", path.display()),
            ),
        }
    }
}
