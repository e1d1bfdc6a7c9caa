//! Where the ledgers are kept: one file for each file the agent changed, under `ledger/`.
//!
//! The first line is the ledger as it was, each line after it one step since: what happened is
//! appended, and a file is rewritten only when it is opened with more steps than it needs. A last
//! line that broke off is dropped. A file has one writer, by its lock; a second Bowline on the same
//! file keeps its ledger in memory. `index.jsonl` says which session changed which files.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};
use text::{Fingerprint, Ledger, Saved, Step};
use workspace::DocumentUri;

/// What waits to be written. A disk that is slower than this loses steps, never the loop's time;
/// the next snapshot of the file makes up for them.
const QUEUE: usize = 4_096;
/// So many files stay open for appending.
const OPEN_FILES: usize = 256;
/// A ledger with more than this in steps is written anew when it is opened.
const STEPS_KEPT: usize = 256 * 1024;
/// Lines longer than a ledger could ever need are damage.
const LINE_CAP: usize = 256 * 1024 * 1024;

/// Cheap to share; the thread that writes starts with the first thing to write.
pub struct LedgerStore {
    dir: PathBuf,
    /// The files whose lock this process has.
    ours: Mutex<HashSet<PathBuf>>,
    /// The files that could not be written: what follows needs them whole.
    failed: Arc<Mutex<HashSet<PathBuf>>>,
    writer: Mutex<Option<SyncSender<Job>>>,
}

/// A ledger as it was found.
pub struct StoredLedger {
    pub ledger: Ledger,
    /// Another Bowline writes this file.
    pub foreign: bool,
}

#[derive(Serialize, Deserialize)]
struct Head {
    version: u32,
    uri: String,
    saved: Saved,
}

#[derive(Serialize, Deserialize)]
struct Indexed {
    session: String,
    uri: String,
}

enum Job {
    /// The ledger as a whole; a file that is there is replaced.
    Snapshot {
        path: PathBuf,
        head: Box<Head>,
    },
    Append {
        path: PathBuf,
        bytes: Vec<u8>,
    },
    /// A file that was locked when it was read.
    Adopt {
        path: PathBuf,
        file: File,
    },
    Flush(Box<dyn FnOnce() + Send>),
}

impl Job {
    fn path(&self) -> Option<&PathBuf> {
        match self {
            Job::Snapshot { path, .. } | Job::Append { path, .. } | Job::Adopt { path, .. } => {
                Some(path)
            }
            Job::Flush(_) => None,
        }
    }
}

const VERSION: u32 = 1;

impl LedgerStore {
    pub fn new(bowline_home: &Path) -> Arc<Self> {
        let (ours, failed, writer) = (Mutex::default(), Arc::default(), Mutex::new(None));
        Arc::new(Self { dir: bowline_home.join("ledger"), ours, failed, writer })
    }

    fn path(&self, key: &DocumentUri) -> PathBuf {
        self.dir.join(format!("{}.jsonl", Fingerprint::of(key.as_str())))
    }

    fn index(&self) -> PathBuf {
        self.dir.join("index.jsonl")
    }

    /// Reads the ledger of a file, if there is one, and takes its lock. Waits for the disk.
    pub fn load(&self, key: &DocumentUri) -> Option<StoredLedger> {
        self.wait();
        let path = self.path(key);
        let file = OpenOptions::new().read(true).append(true).open(&path).ok()?;
        let ours = self.ours().contains(&path);
        let foreign = !ours && file.try_lock().is_err();
        let (ledger, steps, whole) = read(&file, key)?;
        if !foreign {
            if !whole || steps > STEPS_KEPT {
                drop(file);
                self.snapshot(key, &ledger);
            } else if !ours {
                self.ours().insert(path.clone());
                self.send(Job::Adopt { path, file });
            }
        }
        Some(StoredLedger { ledger, foreign })
    }

    /// The ledger as a whole. `false` when it could not be handed over.
    pub fn snapshot(&self, key: &DocumentUri, ledger: &Ledger) -> bool {
        let head = Head { version: VERSION, uri: key.as_str().to_owned(), saved: ledger.save() };
        let path = self.path(key);
        self.ours().insert(path.clone());
        self.failed().remove(&path);
        // Written as text by the thread: a large one takes its time.
        self.send(Job::Snapshot { path, head: Box::new(head) })
    }

    /// Some steps since. `false` when they could not be handed over.
    pub fn append(&self, key: &DocumentUri, steps: &[Step]) -> bool {
        if self.failed().contains(&self.path(key)) {
            return false;
        }
        let lines = steps.iter().map(line).collect::<Option<Vec<_>>>();
        let append = |lines: Vec<Vec<u8>>| {
            self.send(Job::Append { path: self.path(key), bytes: lines.concat() })
        };
        lines.is_some_and(append)
    }

    /// Notes that a session changed a file.
    pub fn note(&self, session: &str, key: &DocumentUri) {
        let entry = Indexed { session: session.to_owned(), uri: key.as_str().to_owned() };
        if let Some(bytes) = line(&entry) {
            self.send(Job::Append { path: self.index(), bytes });
        }
    }

    /// The files that some sessions changed, in this life and in others. Waits for the disk.
    pub fn files_of(&self, session: impl Fn(&str) -> bool) -> Vec<DocumentUri> {
        let Ok(file) = File::open(self.index()) else { return Vec::new() };
        let lines = BufReader::new(file).lines().map_while(Result::ok);
        let entries = lines.filter_map(|line| serde_json::from_str::<Indexed>(&line).ok());
        let of_session = entries.filter(|entry| session(&entry.session));
        let mut found: Vec<_> = of_session.map(|entry| DocumentUri::new(&entry.uri)).collect();
        found.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        found.dedup();
        found
    }

    /// Calls back when everything handed over so far is with the operating system. Where the disk
    /// is so slow that nothing more can be handed over, or the writer is gone, at once.
    pub fn flush(&self, done: impl FnOnce() + Send + 'static) {
        let writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let job = Job::Flush(Box::new(done));
        let refused = match writer {
            Some(writer) => writer.try_send(job).err().map(|refused| match refused {
                TrySendError::Full(job) | TrySendError::Disconnected(job) => job,
            }),
            None => Some(job),
        };
        if let Some(Job::Flush(done)) = refused {
            done();
        }
    }

    /// Waits until everything handed over so far is written.
    fn wait(&self) {
        let (done, is_done) = sync_channel(1);
        self.flush(move || {
            let _ = done.send(());
        });
        // An error says that the writer is gone, and with it whatever there was to wait for.
        let _ = is_done.recv();
    }

    fn ours(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.ours.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, HashSet<PathBuf>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, job: Job) -> bool {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = writer.get_or_insert_with(|| {
            let (sender, jobs) = sync_channel(QUEUE);
            // It ends with the last sender, and everything handed over is written by then.
            let spawned = std::thread::Builder::new().name("ledger".to_owned());
            let failed = self.failed.clone();
            if let Err(error) = spawned.spawn(move || write_all(&jobs, &failed)) {
                tracing::error!(%error, "ledgers will not be kept");
            }
            sender
        });
        sender.try_send(job).is_ok()
    }
}

fn line(value: &impl Serialize) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(value).ok()?;
    line.push(b'\n');
    Some(line)
}

/// The ledger, how many bytes of steps it has, and whether all of the file was good.
fn read(file: &File, key: &DocumentUri) -> Option<(Ledger, usize, bool)> {
    let mut lines = BufReader::new(file).split(b'\n').map_while(Result::ok);
    let first = lines.next().filter(|line| line.len() < LINE_CAP)?;
    let head: Head = serde_json::from_slice(&first).ok()?;
    if head.version > VERSION || head.uri != key.as_str() {
        return None;
    }
    let mut ledger = Ledger::load(head.saved).ok()?;
    let mut bytes = 0;
    for line in lines {
        bytes += line.len();
        let step = serde_json::from_slice::<Step>(&line).ok();
        if step.is_none_or(|step| ledger.apply(&step).is_err()) {
            return Some((ledger, bytes, false));
        }
    }
    Some((ledger, bytes, true))
}

fn write_all(jobs: &Receiver<Job>, failed: &Mutex<HashSet<PathBuf>>) {
    let mut files: HashMap<PathBuf, File> = HashMap::new();
    while let Ok(job) = jobs.recv() {
        let about = job.path().cloned();
        let outcome = match job {
            Job::Adopt { path, file } => {
                files.insert(path, file);
                Ok(())
            }
            Job::Snapshot { path, head } => {
                replace(&path, &line(&head).unwrap_or_default()).map(|file| {
                    files.insert(path, file);
                })
            }
            Job::Append { path, bytes } => append(&mut files, path, &bytes),
            Job::Flush(done) => {
                done();
                Ok(())
            }
        };
        if let Err(error) = outcome {
            tracing::warn!(%error, "a ledger could not be written");
            failed.lock().unwrap_or_else(PoisonError::into_inner).extend(about);
        }
        if files.len() > OPEN_FILES {
            files.clear();
        }
    }
}

/// Beside the old one and then in its place, so that there is always a whole one.
fn replace(path: &Path, bytes: &[u8]) -> std::io::Result<File> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let beside = path.with_extension("new");
    let mut file =
        OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
    file.write_all(bytes)?;
    std::fs::rename(&beside, path)?;
    drop(file);
    let file = OpenOptions::new().append(true).open(path)?;
    // Nobody can have it yet; who comes later finds it taken.
    let _ = file.try_lock();
    Ok(file)
}

fn append(files: &mut HashMap<PathBuf, File>, path: PathBuf, bytes: &[u8]) -> std::io::Result<()> {
    if let Some(mut file) = files.get(&path) {
        return file.write_all(bytes);
    }
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&path)?;
    file.write_all(bytes)?;
    files.insert(path, file);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use text::{Author, Edit, Splice, Text};

    fn agent(len: usize, at: usize, text: &str) -> Step {
        let edit = Edit::new(len, vec![Splice::new(at..at, text)]).unwrap();
        let [session, turn, call] = ["s", "t", "c"].map(str::to_owned);
        Step::Agent { edit, author: Author { session, turn, call }, creates: false }
    }

    fn flushed(store: &LedgerStore) {
        let (done, is_done) = std::sync::mpsc::channel();
        store.flush(move || done.send(()).unwrap());
        is_done.recv().unwrap();
    }

    #[test]
    fn what_was_kept_comes_back_and_half_a_line_is_dropped() {
        let home = tempfile::tempdir().unwrap();
        let key = DocumentUri::new("file:///a.txt");
        let mut ledger = Ledger::new(Text::from("one\ntwo\n"));
        let path = {
            let store = LedgerStore::new(home.path());
            assert!(store.load(&key).is_none());
            store.snapshot(&key, &ledger);
            let step = agent(8, 4, "agent\n");
            ledger.apply(&step).unwrap();
            store.append(&key, &[step]);
            store.note("s", &key);
            flushed(&store);
            store.path(&key)
        };
        let reloaded = || {
            // The writer of an earlier life may take a moment to let go.
            while File::open(&path).unwrap().try_lock().is_err() {
                std::thread::yield_now();
            }
            let store = LedgerStore::new(home.path());
            assert_eq!(store.files_of(|session| session == "s"), std::slice::from_ref(&key));
            assert!(store.files_of(|session| session == "other").is_empty());
            let found = store.load(&key).unwrap();
            flushed(&store);
            found
        };
        let found = reloaded();
        assert_eq!(found.ledger.text(), ledger.text());
        assert_eq!(found.ledger.hunks().count(), 1);
        assert!(!found.foreign);

        let mut file = OpenOptions::new().append(true).open(&path).unwrap();
        file.write_all(b"{\"agent\":{\"edit\":[14,[[").unwrap();
        drop(file);
        assert_eq!(reloaded().ledger.text(), ledger.text());
        // It was put right on the way: the next one to read finds nothing broken.
        let whole = std::fs::read_to_string(&path).unwrap();
        assert_eq!(whole.lines().count(), 1, "{whole}");
    }

    #[test]
    fn what_was_just_handed_over_can_be_read_again() {
        let home = tempfile::tempdir().unwrap();
        let store = LedgerStore::new(home.path());
        let key = DocumentUri::new("file:///a.txt");
        let mut ledger = Ledger::new(Text::from("one\n"));
        store.snapshot(&key, &ledger);
        for _ in 0..100 {
            let step = agent(ledger.text().len_bytes(), 0, "agent\n");
            ledger.apply(&step).unwrap();
            store.append(&key, &[step]);
            let found = store.load(&key).unwrap();
            assert_eq!(found.ledger.text(), ledger.text());
            assert!(!found.foreign, "it is our own lock");
        }
    }

    #[test]
    fn a_second_bowline_does_not_write() {
        let home = tempfile::tempdir().unwrap();
        let key = DocumentUri::new("file:///a.txt");
        let first = LedgerStore::new(home.path());
        first.snapshot(&key, &Ledger::new(Text::from("text")));
        flushed(&first);
        let second = LedgerStore::new(home.path());
        assert!(second.load(&key).unwrap().foreign);
    }

    #[test]
    fn damage_is_no_ledger() {
        let home = tempfile::tempdir().unwrap();
        let key = DocumentUri::new("file:///a.txt");
        let store = LedgerStore::new(home.path());
        store.snapshot(&key, &Ledger::new(Text::from("text")));
        flushed(&store);
        let path = store.path(&key);
        for nonsense in ["", "\n", "nonsense\n", "{\"version\":99}\n", "\u{0}\u{1}"] {
            std::fs::write(&path, nonsense).unwrap();
            assert!(LedgerStore::new(home.path()).load(&key).is_none(), "{nonsense:?}");
        }
    }
}
