//! What is kept on disk: the journals of sessions, and the ledgers of files they changed.
//!
//! One journal a session, one folder a project, nothing ever rewritten:
//! `$BOWLINE_HOME/sessions/<project>/<session id>.jsonl`. A line is a record with its time. A torn
//! last line (the power went) is skipped by readers and closed by the next writer.

#![expect(
    clippy::disallowed_methods,
    reason = "the journal is ours alone: no policy decides about it, and no editor has it open"
)]

mod fork;
mod history;
mod import;
mod journal;
mod ledger;
mod lines;
mod list;
mod mirrored;
mod read;
mod recover;
mod retention;
mod search;
mod sidechains;
mod version;

pub use fork::{Fork, fork};
pub use history::{History, raw_records};
pub use import::{Importable, import, importable};
pub use journal::{Journal, JournalError, write_whole};
pub use ledger::{LedgerStore, StoredLedger};
pub use list::{StoredSession, delete, find, list, rename};
pub use mirrored::{RECORD, take_over, transcript};
pub use read::{Loaded, load};
pub use retention::{Retention, aside, folder_size, restore, size, sweep, take_notice};
pub use search::search;
pub use sidechains::{Copy, Sidechain, copy_for_agent, sidechain, sidechains, sidechains_of};
pub use version::{bring_up, stamp};

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// The folder of a project: readable, and unique through the hash of the whole path.
pub fn project_dir(sessions: &Path, cwd: &Path) -> PathBuf {
    let path = cwd.to_string_lossy();
    let readable: String =
        path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    // The end of a path says more than its beginning.
    let tail = readable.len().saturating_sub(80);
    sessions.join(format!("{}-{:08x}", readable[tail..].trim_matches('-'), hash(path.as_bytes())))
}

/// FNV-1a: stable over versions and platforms, which the standard hasher does not promise.
fn hash(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193))
}

/// The folder of what a session keeps besides its journal.
pub fn belongings(journal: &Path) -> PathBuf {
    journal.with_extension("")
}

/// Makes a folder that nobody else may enter. Gives its real path.
pub fn make_folder(path: &Path) -> std::io::Result<PathBuf> {
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
    path.canonicalize()
}

/// Writes a text down for the user alone. One that is there already is the same: names are unique.
pub fn keep_once(path: &Path, text: &str) -> std::io::Result<()> {
    let new = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    match new {
        Ok(mut file) => file.write_all(text.as_bytes()),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Writes a plan down, for the user to find again. Gives the file's real path.
pub fn keep_plan(path: &Path, plan: &str) -> std::io::Result<PathBuf> {
    let folder = make_folder(path.parent().unwrap_or(path))?;
    let path = folder.join(path.file_name().unwrap_or_default());
    let mut text = plan.trim_end().to_owned();
    text.push('\n');
    std::fs::write(&path, text)?;
    Ok(path)
}

/// Writes a page for the user to look at, in place of an earlier one of its name.
pub fn keep_page(path: &Path, text: &str) -> std::io::Result<()> {
    make_folder(path.parent().unwrap_or(path))?;
    let mut options = std::fs::OpenOptions::new();
    let file = options.create(true).write(true).truncate(true).mode(0o600).open(path);
    file?.write_all(text.as_bytes())
}

/// Adds to a text of ours.
pub fn append(path: &Path, text: &str) -> std::io::Result<()> {
    let file = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    file?.write_all(text.as_bytes())
}

/// The beginning of a text that was written down, if it is there and can be read.
pub fn read_start(path: &Path, most: usize) -> Option<String> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path).ok()?.take(most as u64).read_to_end(&mut bytes).ok()?;
    // A character may be cut in half.
    let text = String::from_utf8_lossy(&bytes);
    Some(text.trim_end_matches(char::REPLACEMENT_CHARACTER).to_owned())
}

/// When a file was last written to, in milliseconds since 1970.
pub fn last_written(path: &Path) -> Option<u64> {
    let modified = std::fs::metadata(path).and_then(|file| file.modified()).ok()?;
    let since = modified.duration_since(std::time::UNIX_EPOCH).ok()?;
    u64::try_from(since.as_millis()).ok()
}

/// Where a session's journal is, or will be.
pub fn journal_path(sessions: &Path, cwd: &Path, id: &str) -> PathBuf {
    project_dir(sessions, cwd).join(format!("{id}.jsonl"))
}

#[cfg(test)]
mod tests;
