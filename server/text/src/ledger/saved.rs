//! A ledger at rest.

use std::collections::VecDeque;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::text::Text;

use super::hunk::Hunks;
use super::segment::{Piece, Segment};
use super::{Ledger, LedgerError};

/// All of a ledger, to be stored. Making one copies no text; the text is read when it is written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    #[serde(with = "as_string")]
    text: Text,
    hunks: Hunks,
    segments: Arc<[Segment]>,
}

impl Ledger {
    pub fn save(&self) -> Saved {
        let segments = Arc::from(self.segments.as_slice());
        Saved { text: self.text.clone(), hunks: self.hunks.clone(), segments }
    }

    /// The ledger that was saved. What does not fit together is refused, for nothing could be
    /// restored from it.
    pub fn load(saved: Saved) -> Result<Ledger, LedgerError> {
        let Saved { text, hunks, segments } = saved;
        let ledger = Ledger { text, segments: segments.to_vec(), hunks, switched: VecDeque::new() };
        if !ledger.hunks.are_sound() {
            return Err(LedgerError::Damaged("its hunks are out of order"));
        }
        let mut at = 0usize;
        for segment in &ledger.segments {
            at = at.saturating_add(segment.shown_len());
            if ledger.text.char_at(at).is_none() {
                return Err(LedgerError::Damaged("it does not fit its text"));
            }
            if !ledger.is_sound(segment) {
                return Err(LedgerError::Damaged("its hunks do not fit its text"));
            }
        }
        if at != ledger.text.len_bytes() {
            return Err(LedgerError::Damaged("it does not cover its text"));
        }
        Ok(ledger)
    }

    /// Whether a segment has content, known owners, and shows exactly when it should.
    fn is_sound(&self, segment: &Segment) -> bool {
        let known = segment.owners().all(|no| self.hunks.get(no).is_some());
        let rising = segment.gone.windows(2).all(|pair| pair[0] < pair[1]);
        let shows = matches!(segment.piece, Piece::Shown(_));
        segment.len() > 0
            && known
            && rising
            && segment.by.is_none_or(|by| !segment.gone.contains(&by))
            && shows == segment.shows(|no| self.hunks.is_active(no))
    }
}

/// A text as one string.
mod as_string {
    use serde::{Deserialize, Deserializer, Serializer};

    use crate::text::Text;

    pub(super) fn serialize<S: Serializer>(text: &Text, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(text)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Text, D::Error> {
        String::deserialize(from).map(Text::from)
    }
}
