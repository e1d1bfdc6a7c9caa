//! What an editor really did with an edit, judged by the text afterwards.
//!
//! An editor that answers "applied" may have dropped an edit, applied it to an older version, or
//! run a formatter over it. The text does not lie: here it is compared with what was predicted, and
//! the difference gets a name. Where two names would fit, the plainer fault is told first, and what
//! cannot be shown to be one of them is `Different`.

mod middle;
mod misplaced;
mod partial;
mod reformatted;

use crate::edit::Edit;
use crate::text::Text;

use middle::Middle;
pub use middle::common_ends;

/// What became of an edit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receipt {
    /// The text is exactly what it should be.
    Applied,
    /// The text is exactly what it was before.
    Dropped,
    /// Some of the splices are in, and nothing else is different.
    Partial { applied: usize, of: usize },
    /// The same change was made, but in another place.
    Misplaced,
    /// The text says what it should, with other blanks, ends of lines, quotes or trailing commas.
    Reformatted,
    /// Something else happened.
    Different,
}

/// Tells what became of `edit`, sent for the text `before`, when the text is `now`.
///
/// `before` must hold everything that others are known to have changed, for what they did would
/// count as the editor's doing.
pub fn judge(before: &Text, edit: &Edit, now: &Text) -> Receipt {
    let predicted = edit.apply(before).ok();
    if predicted.as_ref() == Some(now) {
        return Receipt::Applied;
    }
    if before == now {
        return Receipt::Dropped;
    }
    let Some(predicted) = predicted else { return Receipt::Different };
    let middle = Middle::of(before, edit, now);
    if let Some(applied) = partial::splices_found(&middle) {
        return Receipt::Partial { applied, of: edit.splices().len() };
    }
    let reformatted = reformatted::say_the_same(&predicted, now);
    // An edit of nothing but blanks cannot be seen in a text that is compared without them.
    if reformatted && !reformatted::say_the_same(before, &predicted) {
        return Receipt::Reformatted;
    }
    if misplaced::by_lines(before, edit, now, middle.head) || misplaced::piece_by_piece(&middle) {
        return Receipt::Misplaced;
    }
    if reformatted { Receipt::Reformatted } else { Receipt::Different }
}

#[cfg(test)]
mod tests;
