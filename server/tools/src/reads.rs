//! What a session knows about the files it has read.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::path::{Path, PathBuf};

use text::{Fingerprint, Text};
use workspace::Stamp;

/// So many bytes of text are kept for all files together; the oldest go first.
const KEPT: usize = 32 * 1024 * 1024;

/// Which text of which file the model has seen. An edit of a text it has not seen is refused,
/// and it is the content that counts, never the time stamp.
///
/// What the disk last said is kept besides, so that after a command it can be told what the command
/// changed.
#[derive(Debug)]
pub struct ReadLedger {
    files: HashMap<PathBuf, Known>,
    /// The files whose text is kept, by the number of their entry: the oldest first.
    kept: BTreeMap<u64, PathBuf>,
    bytes: usize,
    next: u64,
    reads: u64,
    cap: usize,
}

#[derive(Debug)]
struct Known {
    seen: Fingerprint,
    /// So many lines from the top have been shown; nothing when all of it has.
    shown: Option<usize>,
    disk: Option<OnDisk>,
    /// When it was last read, counted in reads.
    at: u64,
}

#[derive(Debug)]
struct OnDisk {
    stamp: Stamp,
    /// Its number in `kept`, and the text, unless that had to go.
    text: Option<(u64, Text)>,
}

impl Default for ReadLedger {
    fn default() -> ReadLedger {
        ReadLedger::with_cap(KEPT)
    }
}

impl ReadLedger {
    fn with_cap(cap: usize) -> ReadLedger {
        ReadLedger {
            files: HashMap::new(),
            kept: BTreeMap::new(),
            bytes: 0,
            next: 0,
            reads: 0,
            cap,
        }
    }

    /// The model knows this text of a file, as well as it knew the one before.
    pub fn note(&mut self, path: &Path, text: Fingerprint) {
        self.reads += 1;
        let at = self.reads;
        match self.files.get_mut(path) {
            Some(known) => (known.seen, known.at) = (text, at),
            None => {
                let known = Known { seen: text, shown: None, disk: None, at };
                self.files.insert(path.to_owned(), known);
            }
        }
    }

    /// The model was shown some lines, counted from zero, of a text with this many.
    pub fn note_lines(&mut self, path: &Path, text: Fingerprint, shown: Range<usize>, of: usize) {
        let before = self.files.get(path).filter(|known| known.seen == text);
        let from_top = match before {
            Some(Known { shown: None, .. }) => None,
            Some(Known { shown: Some(lines), .. }) if shown.start <= *lines => {
                Some(shown.end.max(*lines))
            }
            Some(Known { shown: lines, .. }) => *lines,
            None if shown.start == 0 => Some(shown.end),
            None => Some(0),
        };
        self.note(path, text);
        if let Some(known) = self.files.get_mut(path) {
            known.shown = from_top.filter(|lines| *lines < of);
        }
    }

    /// Whether all of the text it has seen was shown to it.
    pub fn saw_all(&self, path: &Path) -> bool {
        self.files.get(path).is_some_and(|known| known.shown.is_none())
    }

    pub fn seen(&self, path: &Path) -> Option<Fingerprint> {
        self.files.get(path).map(|known| known.seen)
    }

    /// The files that were read last, the latest first.
    pub fn latest(&self, most: usize) -> Vec<PathBuf> {
        let mut files: Vec<_> = self.files.iter().collect();
        files.sort_by_key(|(_, known)| std::cmp::Reverse(known.at));
        files.into_iter().take(most).map(|(path, _)| path.clone()).collect()
    }

    /// The model does not know any other files any more.
    pub(crate) fn keep_only(&mut self, keep: impl Fn(&Path) -> bool) {
        let gone: Vec<_> = self.files.keys().filter(|path| !keep(path)).cloned().collect();
        for path in gone {
            self.forget_disk(&path);
            self.files.remove(&path);
        }
    }

    /// The disk said this when it was last read; without a text, something that is none.
    pub(crate) fn note_disk(&mut self, path: &Path, stamp: Stamp, text: Option<Text>) {
        self.forget_disk(path);
        let Some(known) = self.files.get_mut(path) else { return };
        let text = text.filter(|text| text.len_bytes() <= self.cap).map(|text| {
            self.next += 1;
            self.bytes += text.len_bytes();
            self.kept.insert(self.next, path.to_owned());
            (self.next, text)
        });
        known.disk = Some(OnDisk { stamp, text });
        while self.bytes > self.cap {
            let Some((_, oldest)) = self.kept.pop_first() else { break };
            let disk = self.files.get_mut(&oldest).and_then(|known| known.disk.as_mut());
            let dropped = disk.and_then(|disk| disk.text.take());
            self.bytes -= dropped.map_or(0, |(_, text)| text.len_bytes());
        }
    }

    /// It is not on the disk any more.
    pub(crate) fn forget_disk(&mut self, path: &Path) {
        let disk = self.files.get_mut(path).and_then(|known| known.disk.take());
        if let Some((number, text)) = disk.and_then(|disk| disk.text) {
            self.kept.remove(&number);
            self.bytes -= text.len_bytes();
        }
    }

    /// Every file, with the stamp of what is known of it on the disk.
    pub(crate) fn on_disk(&self) -> impl Iterator<Item = (&Path, Option<Stamp>)> {
        self.files.keys().map(|path| (path.as_path(), self.disk_stamp(path)))
    }

    pub(crate) fn disk_stamp(&self, path: &Path) -> Option<Stamp> {
        self.files.get(path)?.disk.as_ref().map(|disk| disk.stamp)
    }

    /// The text on the disk when it was last read, if it is still kept.
    pub(crate) fn disk_text(&self, path: &Path) -> Option<&Text> {
        let disk = self.files.get(path)?.disk.as_ref()?;
        disk.text.as_ref().map(|(_, text)| text)
    }
}

#[cfg(test)]
mod tests;
