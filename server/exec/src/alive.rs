//! Who runs right now: for a status line, and for tests that look for leaks.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// By process id. One list for the process, because process ids are one list for the machine.
static ALIVE: Mutex<BTreeMap<u32, String>> = Mutex::new(BTreeMap::new());

/// The most of a command that is remembered.
const SHOWN: usize = 200;

fn list() -> MutexGuard<'static, BTreeMap<u32, String>> {
    ALIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The processes that were started here and have not ended, with what they were started as.
pub fn alive() -> Vec<(u32, String)> {
    list().iter().map(|(pid, what)| (*pid, what.clone())).collect()
}

/// An entry of the list, for as long as it is held.
#[derive(Debug)]
pub(crate) struct Entry(u32);

impl Entry {
    pub(crate) fn new(pid: u32, what: &str) -> Entry {
        list().insert(pid, what[..what.floor_char_boundary(SHOWN)].to_owned());
        Entry(pid)
    }
}

impl Drop for Entry {
    fn drop(&mut self) {
        list().remove(&self.0);
    }
}
