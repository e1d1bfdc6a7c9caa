//! The hunks of a file: who made them, and where their review stands.

use serde::{Deserialize, Serialize};

use super::LedgerError;

/// The number of a hunk, unique within its file and never used again.
pub type HunkNo = u64;

/// Whose work a hunk is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Author {
    pub session: String,
    pub turn: String,
    /// The tool call.
    pub call: String,
}

/// Where the review of a hunk stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HunkState {
    /// Nobody decided yet.
    Pending,
    Accepted,
    Rejected,
    /// Nobody decided, and nothing is left to decide about. The ledger itself says so, and takes it
    /// back when something of the hunk comes to light again.
    Superseded,
}

/// A change by the agent that is reviewed as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hunk {
    pub no: HunkNo,
    pub author: Author,
    pub state: HunkState,
    /// Whether its change is in the text.
    pub active: bool,
    /// It made the file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub creates: bool,
    /// Others wrote or deleted inside it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) mixed: bool,
}

/// The hunks in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Hunks {
    list: Vec<Hunk>,
    /// How many numbers were given away.
    given: HunkNo,
}

impl Hunks {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Hunk> {
        self.list.iter()
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Hunk> {
        self.list.iter_mut()
    }

    /// Takes over the hunks of an earlier list that are not known any more.
    pub(super) fn add_missing(&mut self, earlier: &Hunks) {
        let missing: Vec<_> =
            earlier.iter().filter(|hunk| self.index(hunk.no).is_none()).cloned().collect();
        self.list.extend(missing);
        self.list.sort_unstable_by_key(|hunk| hunk.no);
    }

    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Where in the list the hunk is.
    pub(super) fn index(&self, no: HunkNo) -> Option<usize> {
        self.list.binary_search_by_key(&no, |hunk| hunk.no).ok()
    }

    pub(super) fn get(&self, no: HunkNo) -> Option<&Hunk> {
        self.index(no).map(|at| &self.list[at])
    }

    pub(super) fn get_mut(&mut self, no: HunkNo) -> Option<&mut Hunk> {
        self.index(no).map(|at| &mut self.list[at])
    }

    pub(super) fn is_active(&self, no: HunkNo) -> bool {
        self.get(no).is_some_and(|hunk| hunk.active)
    }

    /// Whether all of them are known.
    pub(super) fn check(&self, hunks: &[HunkNo]) -> Result<(), LedgerError> {
        match hunks.iter().find(|no| self.index(**no).is_none()) {
            Some(unknown) => Err(LedgerError::UnknownHunk(*unknown)),
            None => Ok(()),
        }
    }

    /// A new hunk that is active and waits for its review.
    pub(super) fn add(&mut self, author: &Author, creates: bool) -> HunkNo {
        let state = HunkState::Pending;
        let author = author.clone();
        self.insert(Hunk { no: 0, author, state, active: true, creates, mixed: false })
    }

    /// The same hunk once more, under a number of its own. It does not make the file again.
    pub(super) fn add_like(&mut self, no: HunkNo) -> Result<HunkNo, LedgerError> {
        let hunk = self.get(no).ok_or(LedgerError::UnknownHunk(no))?;
        Ok(self.insert(Hunk { creates: false, ..hunk.clone() }))
    }

    fn insert(&mut self, hunk: Hunk) -> HunkNo {
        self.given += 1;
        self.list.push(Hunk { no: self.given, ..hunk });
        self.given
    }

    /// Forgets hunks; `hunks` is in order.
    pub(super) fn remove(&mut self, hunks: &[HunkNo]) {
        self.list.retain(|hunk| hunks.binary_search(&hunk.no).is_err());
    }

    /// Whether the numbers are in order and all given away.
    pub(super) fn are_sound(&self) -> bool {
        let rising = self.list.windows(2).all(|pair| pair[0].no < pair[1].no);
        let first = self.list.first().is_none_or(|hunk| hunk.no > 0);
        let given = self.list.last().is_none_or(|hunk| hunk.no <= self.given);
        rising && first && given && self.given < HunkNo::MAX / 2
    }
}
