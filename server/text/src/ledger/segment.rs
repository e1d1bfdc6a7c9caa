//! A stretch of text with one history: who wrote it, who removed it, whether it shows.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::HunkNo;

/// A stretch of text that came, and went, as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Segment {
    /// The hunk that wrote it; none for everybody else's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) by: Option<HunkNo>,
    /// The hunks that removed it, in order. Those that are switched off do not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) gone: Vec<HunkNo>,
    pub(super) piece: Piece,
}

/// Text that shows is in the rope; only what does not show is kept here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Piece {
    Shown(usize),
    Hidden(Arc<str>),
}

impl Default for Segment {
    fn default() -> Segment {
        Segment::shown(None, 0)
    }
}

impl Segment {
    pub(super) fn shown(by: Option<HunkNo>, len: usize) -> Segment {
        Segment { by, gone: Vec::new(), piece: Piece::Shown(len) }
    }

    /// How many bytes of the present text it covers.
    pub(super) fn shown_len(&self) -> usize {
        match &self.piece {
            Piece::Shown(len) => *len,
            Piece::Hidden(_) => 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        match &self.piece {
            Piece::Shown(len) => *len,
            Piece::Hidden(text) => text.len(),
        }
    }

    pub(super) fn is_hidden(&self) -> bool {
        matches!(self.piece, Piece::Hidden(_))
    }

    /// All hunks that have to do with it.
    pub(super) fn owners(&self) -> impl Iterator<Item = HunkNo> {
        self.by.into_iter().chain(self.gone.iter().copied())
    }

    pub(super) fn is_of(&self, no: HunkNo) -> bool {
        self.by == Some(no) || self.gone.contains(&no)
    }

    /// Whether it shows when these hunks are active.
    pub(super) fn shows(&self, active: impl Fn(HunkNo) -> bool) -> bool {
        self.by.is_none_or(&active) && !self.gone.iter().any(|no| active(*no))
    }

    /// Whether it would show, or cease to, if this hunk of its owners were switched.
    pub(super) fn hangs_on(&self, no: HunkNo, active: impl Fn(HunkNo) -> bool) -> bool {
        let switched = self.shows(|other| active(other) != (other == no));
        switched == self.is_hidden()
    }

    /// Takes so many bytes off its front.
    pub(super) fn cut(&mut self, len: usize) -> Segment {
        let (head, tail) = match &self.piece {
            Piece::Shown(whole) => (Piece::Shown(len), Piece::Shown(whole - len)),
            Piece::Hidden(text) => {
                let (head, tail) = text.split_at_checked(len).unwrap_or((text, ""));
                (Piece::Hidden(head.into()), Piece::Hidden(tail.into()))
            }
        };
        self.piece = tail;
        Segment { by: self.by, gone: self.gone.clone(), piece: head }
    }

    /// Whether the two show side by side and have the same history.
    fn joins(&self, next: &Segment) -> bool {
        !self.is_hidden() && !next.is_hidden() && self.by == next.by && self.gone == next.gone
    }
}

/// Adds a segment to a list that stays as short as it can: what shows side by side with the same
/// history is one segment, so that the list grows with the hunks and not with what users type.
pub(super) fn push(list: &mut Vec<Segment>, next: Segment) {
    if next.len() == 0 {
        return;
    }
    match list.last_mut() {
        Some(last) if last.joins(&next) => last.piece = Piece::Shown(last.len() + next.len()),
        _ => list.push(next),
    }
}
