//! The truth of text: ropes, positions, edits as values, diffs, encodings and newlines.
//!
//! Everything here is a pure function of its input: no file is read, no clock is asked, nothing is
//! awaited, so the same input gives the same edit on every machine and in every replay.
//!
//! * A [`Text`] is the text itself. A clone costs nothing, so every reader takes a snapshot.
//! * A [`Position`] is a foreign coordinate. It becomes a byte offset only through
//!   [`Text::offset`], which refuses what lies outside instead of moving it silently.
//! * An [`Edit`] is a change as a value. It knows the length of the text it belongs to, and can be
//!   applied, inverted, composed and rebased over a change somebody else made meanwhile. Text that
//!   the other one wrote is never lost: true overlap is an error.
//! * [`diff`] finds the edit between two texts, [`hunks`] and [`unified`] show it to people.
//! * [`merge`] brings two descendants of one text together.
//! * [`judge`] tells what an editor really did with an edit; [`subtract`] takes an expected edit out
//!   of a change that holds more than it, so that each part has the right author.
//! * [`decode`] and [`encode`] carry bytes to text and back without changing one of them.
//! * [`replace`] is the search behind the Edit tool.
//! * A [`Ledger`] knows who wrote what: which bytes of a text came from the agent and which it
//!   removed, hunk by hunk, so that each can be taken out and put back whatever was typed since.
//!
//! Only this crate names the rope library; nothing of it shows outside.

mod attribution;
mod diff;
mod edit;
mod encoding;
mod fingerprint;
mod judge;
mod ledger;
mod merge;
mod newline;
mod position;
mod quote;
mod replace;
mod text;

#[cfg(test)]
mod nasty;

pub use attribution::{Remainder, subtract};
pub use diff::{DiffHunk, diff, hunks, stat, unified};
pub use edit::{BadEdit, Bias, CannotApply, Edit, Overlap, Splice};
pub use encoding::{CannotEncode, Decoded, Encoding, Format, NotText, decode, encode};
pub use fingerprint::Fingerprint;
pub use judge::{Receipt, common_ends, judge};
pub use ledger::{
    Applied, Author, Hunk, HunkNo, HunkState, HunkView, Ledger, LedgerError, Saved, Step,
};
pub use merge::{MergeConflict, MergePlace, merge};
pub use newline::Newline;
pub use position::{OutsideText, Position, PositionEncoding};
pub use replace::{
    Change, Difference, Leniency, Nearest, ReplaceError, Replacement, replace, replace_many,
};
pub use text::Text;
