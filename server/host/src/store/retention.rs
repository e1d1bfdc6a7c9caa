//! What nobody has used for long, and what is too much for the disk, goes: first aside, where it can
//! be fetched back for a week, then for good. Nothing goes that somebody has open, and whatever goes
//! is told.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use super::list::{self, entries};

const ASIDE: &str = "removed";
const NOTICE: &str = "notice.txt";
/// How long something stays aside.
const GRACE_DAYS: u64 = 7;
/// What was used so lately stays, however full the disk is.
const RECENT: Duration = Duration::from_secs(24 * 60 * 60);
/// More names than this do not help anybody.
const NAMED: usize = 10;

/// How much is kept, for how long.
#[derive(Clone, Copy, Debug)]
pub struct Retention {
    pub days: u64,
    pub bytes: u64,
}

/// One thing that goes or stays as a whole.
struct Item {
    path: PathBuf,
    /// Below our home.
    place: PathBuf,
    used: SystemTime,
    bytes: u64,
    is_session: bool,
}

/// What a sweep did.
#[derive(Debug, Default)]
pub struct Swept {
    /// Ids and titles.
    pub sessions: Vec<(String, String)>,
    pub others: usize,
    pub bytes: u64,
    /// It was the disk, not the age.
    pub full: bool,
    /// Bytes that were aside and are gone for good.
    pub gone: u64,
}

/// Looks through all that is kept, and puts aside what is to go. Leaves a word for the next session.
pub fn sweep(home: &Path, keep: Retention, now: DateTime<Utc>) -> Swept {
    let mut swept = Swept::default();
    let clock = SystemTime::from(now);
    let mut items = items(home);
    items.sort_by_key(|item| item.used);
    let mut live: u64 = items.iter().map(|item| item.bytes).sum();
    let day = home.join(ASIDE).join(now.format("%Y-%m-%d").to_string());
    for item in items {
        let age = clock.duration_since(item.used).unwrap_or_default();
        let old = age > Duration::from_secs(keep.days.saturating_mul(24 * 60 * 60));
        let full = live > keep.bytes && age > RECENT;
        if !(old || full) {
            continue;
        }
        // The title is read before the file is another one's.
        let title = item.is_session.then(|| list::title(&item.path)).flatten();
        match put_aside(&item, &day) {
            Ok(true) => {
                live = live.saturating_sub(item.bytes);
                swept.bytes += item.bytes;
                swept.full |= !old;
                match item.path.file_stem().filter(|_| item.is_session) {
                    Some(id) => {
                        let id = id.to_string_lossy().into_owned();
                        swept.sessions.push((id, title.unwrap_or_default()));
                    }
                    None => swept.others += 1,
                }
            }
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, path = %item.path.display(), "could not be put aside");
            }
        }
    }
    swept.gone = empty_aside(&home.join(ASIDE), keep.bytes.saturating_sub(live), now);
    if let Some(text) = swept.text(keep, now) {
        tracing::info!("{text}");
        leave_notice(home, &text);
    }
    swept
}

impl Swept {
    fn text(&self, keep: Retention, now: DateTime<Utc>) -> Option<String> {
        let count = self.sessions.len();
        if count == 0 {
            return None;
        }
        let one_line = |title: &str| title.replace(char::is_control, " ");
        let named = self.sessions.iter().take(NAMED);
        let names: Vec<_> =
            named.map(|(id, title)| format!("{id} ({})", one_line(title))).collect();
        let more = count.checked_sub(NAMED).filter(|more| *more > 0);
        let more = more.map(|more| format!(" and {more} more")).unwrap_or_default();
        let why = match self.full {
            true => format!("sessions take more than {} MB", keep.bytes >> 20),
            false => format!("nobody used them for {} days", keep.days),
        };
        let until = (now + TimeDelta::days(GRACE_DAYS as i64)).format("%Y-%m-%d");
        Some(format!(
            "Put aside, because {why}: {}{more}. They are deleted on {until}; `bowline sessions \
             restore ID` brings one back, and the settings `cleanupPeriodDays` and \
             `sessionsMaxMegabytes` say how much is kept.",
            names.join(", ")
        ))
    }
}

/// Everything that counts: journals with what belongs to them, ledgers, plans.
fn items(home: &Path) -> Vec<Item> {
    let is_jsonl = |path: &PathBuf| path.extension().is_some_and(|found| found == "jsonl");
    let projects = entries(&home.join("sessions"));
    let journals = projects.iter().flat_map(|project| entries(project)).filter(is_jsonl);
    let ledgers = entries(&home.join("ledger")).into_iter().filter(is_jsonl);
    // The index says which session changed what; it is small, and all of them need it.
    let ledgers = ledgers.filter(|path| path.file_stem().is_some_and(|stem| stem != "index"));
    let plans = entries(&home.join("plans"));
    let all = journals.map(|path| (path, true));
    let all = all.chain(ledgers.chain(plans).map(|path| (path, false)));
    all.filter_map(|(path, is_session)| item(home, path, is_session)).collect()
}

fn item(home: &Path, path: PathBuf, is_session: bool) -> Option<Item> {
    let metadata = path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let bytes = match is_session {
        true => size(&path),
        false => metadata.len(),
    };
    let place = path.strip_prefix(home).ok()?.to_owned();
    Some(Item { place, used: metadata.modified().ok()?, bytes, is_session, path })
}

/// What a session takes on the disk: its journal and what belongs to it.
pub fn size(journal: &Path) -> u64 {
    let own = journal.symlink_metadata().map_or(0, |metadata| metadata.len());
    own + folder_size(&super::belongings(journal))
}

/// All that is below a folder, links not followed.
pub fn folder_size(folder: &Path) -> u64 {
    let sizes = entries(folder).into_iter().filter_map(|path| {
        let metadata = path.symlink_metadata().ok()?;
        Some(if metadata.is_dir() { folder_size(&path) } else { metadata.len() })
    });
    sizes.sum()
}

/// Says whether it went: what somebody has open stays.
fn put_aside(item: &Item, day: &Path) -> std::io::Result<bool> {
    let file = OpenOptions::new().read(true).append(true).open(&item.path)?;
    if file.try_lock().is_err() {
        return Ok(false);
    }
    let to = day.join(&item.place);
    move_with_belongings(&item.path, &to, item.is_session)?;
    Ok(true)
}

fn move_with_belongings(from: &Path, to: &Path, is_session: bool) -> std::io::Result<()> {
    super::make_folder(to.parent().unwrap_or(to))?;
    std::fs::rename(from, to)?;
    let belongings = super::belongings(from);
    if is_session && belongings.is_dir() {
        std::fs::rename(&belongings, super::belongings(to))?;
    }
    Ok(())
}

/// Deletes what has been aside long enough, and, where the room is needed, what was put there
/// before today.
fn empty_aside(aside: &Path, room: u64, now: DateTime<Utc>) -> u64 {
    let today = now.date_naive();
    let dated = |path: PathBuf| {
        let day = NaiveDate::parse_from_str(path.file_name()?.to_str()?, "%Y-%m-%d").ok()?;
        Some((day, path))
    };
    let days: BTreeMap<_, _> = entries(aside).into_iter().filter_map(dated).collect();
    let sizes: Vec<_> =
        days.into_iter().map(|(day, path)| (day, folder_size(&path), path)).collect();
    let mut total: u64 = sizes.iter().map(|(_, bytes, _)| bytes).sum();
    let mut gone = 0;
    for (day, bytes, path) in sizes {
        let age = today.signed_duration_since(day).num_days();
        let over = age > GRACE_DAYS as i64 || (total > room && age > 0);
        if over && std::fs::remove_dir_all(&path).is_ok() {
            total -= bytes;
            gone += bytes;
        }
    }
    gone
}

fn leave_notice(home: &Path, text: &str) {
    let path = home.join(ASIDE).join(NOTICE);
    let file = OpenOptions::new().create(true).append(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| writeln!(file, "{text}"));
    if let Err(error) = written {
        tracing::warn!(%error, "what was put aside could not be noted");
    }
}

/// What the user has not been told yet; told once.
pub fn take_notice(home: &Path) -> Vec<String> {
    let path = home.join(ASIDE).join(NOTICE);
    let mine = path.with_extension(format!("{}", std::process::id()));
    // Whoever renames it first tells it.
    if std::fs::rename(&path, &mine).is_err() {
        return Vec::new();
    }
    let text = std::fs::read_to_string(&mine).unwrap_or_default();
    let _ = std::fs::remove_file(&mine);
    text.lines().map(str::to_owned).collect()
}

/// Sessions that are aside: id, title, and the day they went.
pub fn aside(home: &Path) -> Vec<(PathBuf, String, String)> {
    let found = journals_aside(home).map(|(day, path)| {
        let title = list::title(&path).unwrap_or_default();
        (path, title, day)
    });
    found.collect()
}

fn journals_aside(home: &Path) -> impl Iterator<Item = (String, PathBuf)> {
    let days = entries(&home.join(ASIDE)).into_iter();
    days.flat_map(|day| {
        let name = day.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let projects = entries(&day.join("sessions")).into_iter();
        projects.flat_map(|project| entries(&project)).map(move |path| (name.clone(), path))
    })
    .filter(|(_, path)| path.extension().is_some_and(|found| found == "jsonl"))
}

/// Brings a session back. It counts as used now, so that it does not go again at once.
pub fn restore(home: &Path, id: &str, now: DateTime<Utc>) -> Result<PathBuf, String> {
    let named = |path: &Path| path.file_stem().is_some_and(|stem| stem == id);
    let found = journals_aside(home).find(|(_, path)| named(path));
    let (_, from) = found.ok_or_else(|| format!("There is no session {id} aside."))?;
    let project = from.parent().and_then(Path::file_name).unwrap_or_default();
    let to = home.join("sessions").join(project).join(from.file_name().unwrap_or_default());
    if to.exists() {
        return Err(format!("{} is there already.", to.display()));
    }
    let failed = |error: std::io::Error| format!("{id} could not be brought back: {error}.");
    move_with_belongings(&from, &to, true).map_err(failed)?;
    let used = UNIX_EPOCH + Duration::from_millis(now.timestamp_millis().unsigned_abs());
    File::options()
        .append(true)
        .open(&to)
        .and_then(|file| file.set_modified(used))
        .map_err(failed)?;
    Ok(to)
}

#[cfg(test)]
mod tests;
