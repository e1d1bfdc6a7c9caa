//! The lines of a search in the order of their paths, and no more of them than are wanted.
//!
//! Workers bring files in any order. Only the first so many lines by path are wanted in the end, so
//! once there are enough, every file behind the last one that counts is dropped, and need not even
//! be searched. Which lines are left does not depend on who was faster.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::sink::{Line, LineKind, RawLine};
use crate::walk::lock;

/// Even without a limit there is one: more text than this is of no use to anybody.
const MAX_BYTES: usize = 16 * 1024 * 1024;

pub(super) struct Collector {
    offset: usize,
    limit: usize,
    kept: Mutex<Kept>,
    /// There is enough, so that a file may be too far behind. Before that nobody needs the lock.
    enough: AtomicBool,
}

#[derive(Default)]
struct Kept {
    files: BTreeMap<PathBuf, Vec<RawLine>>,
    lines: usize,
    bytes: usize,
    dropped: bool,
}

/// What a single file can bring at most.
#[derive(Clone, Copy)]
pub(super) struct Room {
    pub(super) lines: usize,
    pub(super) bytes: usize,
}

impl Collector {
    pub(super) fn new(offset: usize, limit: Option<usize>) -> Collector {
        let limit = limit.unwrap_or(usize::MAX);
        Collector { offset, limit, kept: Mutex::default(), enough: AtomicBool::new(false) }
    }

    /// One more than will be shown, to know whether there are more.
    fn wanted_lines(&self) -> usize {
        self.offset.saturating_add(self.limit).saturating_add(1)
    }

    pub(super) fn room_per_file(&self) -> Room {
        Room { lines: self.wanted_lines(), bytes: MAX_BYTES }
    }

    /// Whether lines of this file could still count.
    pub(super) fn wants(&self, path: &Path) -> bool {
        if !self.enough.load(Ordering::Relaxed) {
            return true;
        }
        lock(&self.kept).files.last_key_value().is_none_or(|(last, _)| path < last)
    }

    pub(super) fn add(&self, path: &Path, lines: Vec<RawLine>) {
        if lines.is_empty() {
            return;
        }
        let wanted = self.wanted_lines();
        let mut kept = lock(&self.kept);
        kept.lines += lines.len();
        kept.bytes += weight(&lines);
        kept.files.insert(path.to_path_buf(), lines);
        while let Some(last) = kept.files.last_entry() {
            let (lines, bytes) = (last.get().len(), weight(last.get()));
            if kept.lines - lines < wanted && kept.bytes - bytes < MAX_BYTES {
                break;
            }
            kept.files.pop_last();
            kept.lines -= lines;
            kept.bytes -= bytes;
            kept.dropped = true;
        }
        if kept.lines >= wanted || kept.bytes >= MAX_BYTES {
            self.enough.store(true, Ordering::Relaxed);
        }
    }

    /// The lines to show, and whether there are more. `separate` puts a break between files.
    pub(super) fn finish(
        self,
        separate: bool,
        spelled: impl Fn(&Path) -> PathBuf,
    ) -> (Vec<Line>, bool) {
        let kept = self.kept.into_inner().unwrap_or_default();
        let mut all = Vec::with_capacity(kept.lines);
        for (path, lines) in kept.files {
            let path: Arc<Path> = spelled(&path).into();
            if separate && !all.is_empty() {
                all.push(Line::of(&path, RawLine::BREAK));
            }
            all.extend(lines.into_iter().map(|line| Line::of(&path, line)));
        }
        let end = self.offset.saturating_add(self.limit).min(all.len());
        let more = kept.dropped || end < all.len() || kept.bytes >= MAX_BYTES;
        all.truncate(end);
        all.drain(..self.offset.min(end));
        while all.last().is_some_and(|line| line.kind == LineKind::Break) {
            all.pop();
        }
        (all, more)
    }
}

fn weight(lines: &[RawLine]) -> usize {
    lines.iter().map(|line| line.text.len() + size_of::<RawLine>()).sum()
}
