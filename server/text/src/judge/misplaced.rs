//! Whether the change was made in another place.

use crate::diff::common_prefix;
use crate::edit::{Edit, Splice};
use crate::position::{Position, PositionEncoding};
use crate::text::Text;

use super::middle::{MARGIN, Middle};

/// How many lines before the first difference the shifted edit may start: a change can begin with
/// lines that happen to be there already.
const SHIFTS: i64 = 16;
/// How many places before a difference are tried as its cause.
const PLACES: usize = 8;
/// How many bytes are compared in all.
const BYTES_COMPARED: usize = 64 * 1024 * 1024;

/// The whole edit is off by some lines, as when it was meant for an older version.
///
/// What stood there is gone then, whatever it was, so only the positions can be compared.
pub(super) fn by_lines(before: &Text, edit: &Edit, now: &Text, differs_at: usize) -> bool {
    let Some(first) = edit.splices().first() else { return false };
    let line = |offset: usize| before.byte_to_line(offset) as i64;
    let farthest = line(differs_at) - line(first.range.start);
    let shifts = (farthest - SHIFTS..=farthest).rev().filter(|shift| *shift != 0);
    let mut shifted = shifts.filter_map(|shift| shifted(before, edit, shift));
    shifted.any(|edit| {
        edit.len_after() == now.len_bytes()
            && edit.apply(before).is_ok_and(|shifted| shifted == *now)
    })
}

fn shifted(before: &Text, edit: &Edit, lines: i64) -> Option<Edit> {
    let mut splices = Vec::with_capacity(edit.splices().len());
    for Splice { range, text } in edit.splices() {
        let start = shifted_offset(before, range.start, lines)?;
        let end = shifted_offset(before, range.end, lines)?;
        splices.push(Splice::new(start..end, text.as_str()));
    }
    Edit::new(before.len_bytes(), splices).ok()
}

/// The same column some lines further; past the end of the line its end, as editors do it.
fn shifted_offset(text: &Text, offset: usize, lines: i64) -> Option<usize> {
    let encoding = PositionEncoding::Utf16;
    let Position { line, column } = text.position(offset, encoding);
    let line = u32::try_from(i64::from(line) + lines).ok()?;
    Some(text.nearest_offset(Position { line, column }, encoding))
}

/// Each splice put in its text and took as many bytes as it should, but not where it should.
///
/// The splices are looked for in order, each right before the next difference.
pub(super) fn piece_by_piece(middle: &Middle<'_>) -> bool {
    let mut walk =
        Walk { before: middle.before.as_bytes(), now: &middle.now, left: BYTES_COMPARED };
    let found = middle.splices().try_for_each(|(range, text)| walk.pass(range.len(), text));
    found.is_some() && walk.before == walk.now.as_bytes()
}

/// What of the two texts was not yet explained.
struct Walk<'a> {
    before: &'a [u8],
    now: &'a str,
    /// How many bytes may still be compared.
    left: usize,
}

impl Walk<'_> {
    /// Passes the place where `text` was put in for `removed` bytes; the one of the possible
    /// places that explains most.
    fn pass(&mut self, removed: usize, text: &str) -> Option<()> {
        let same = self.same_from(0, 0)?;
        let low = self.now.floor_char_boundary(same.saturating_sub(MARGIN));
        let high = self.now.floor_char_boundary((same + text.len()).min(self.now.len()));
        let window = &self.now[low..high];
        let mut best: Option<(usize, usize)> = None;
        for (at, _) in window.rmatch_indices(text).take(PLACES) {
            let at = low + at;
            if at > same || at + removed > self.before.len() {
                continue;
            }
            let explained = at + removed + self.same_from(at + removed, at + text.len())?;
            if best.is_none_or(|(most, _)| explained > most) {
                best = Some((explained, at));
            }
        }
        let (_, at) = best?;
        self.before = &self.before[at + removed..];
        self.now = &self.now[at + text.len()..];
        Some(())
    }

    fn same_from(&mut self, before: usize, now: usize) -> Option<usize> {
        let same = common_prefix(&self.before[before..], &self.now.as_bytes()[now..]);
        self.left = self.left.checked_sub(same)?;
        Some(same)
    }
}
