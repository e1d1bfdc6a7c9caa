//! Which parts of an agent's edit make a hunk together, and which new line took which old line's
//! place.

use std::ops::Range;

use crate::diff::split_lines;
use crate::edit::Edit;
use crate::text::Text;

/// So many lines of a splice are paired one by one; the rest stay with the last pair, so that a
/// file written anew does not make every later key stroke pay for each of its lines.
const PAIRS: usize = 1000;

/// Old bytes, and what stands there afterwards.
pub(super) type Pair<'a> = (Range<usize>, &'a str);

/// The line pairs of each hunk that an edit makes. Splices go together when no unchanged line lies
/// between them.
pub(super) fn groups<'a>(before: &Text, edit: &'a Edit) -> Vec<Vec<Pair<'a>>> {
    let mut groups: Vec<Vec<Pair<'a>>> = Vec::new();
    let mut reached = None;
    for splice in edit.splices() {
        let removed = before.slice(splice.range.clone()).unwrap_or_default();
        let whole = (splice.range.clone(), splice.text.as_str());
        let Some(change) = trimmed(&removed, whole) else { continue };
        let lines = lines(before, &change);
        let removed = &removed[change.0.start - splice.range.start..][..change.0.len()];
        let pairs = pairs(removed, change);
        match groups.last_mut() {
            Some(last) if reached >= Some(lines.start) => last.extend(pairs),
            _ => groups.push(pairs),
        }
        reached = reached.max(Some(lines.end));
    }
    groups
}

/// A change without the lines at its ends that it does not change, if anything is left.
fn trimmed<'a>(removed: &str, (range, text): Pair<'a>) -> Option<Pair<'a>> {
    let (old, new) = (split_lines(removed), split_lines(text));
    let same = |(old, new): &(&&str, &&str)| old == new;
    let head = old.iter().zip(&new).take_while(same).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(same).count();
    let len = |lines: &[&str]| lines.iter().map(|line| line.len()).sum::<usize>();
    let (head, tail) = (len(&old[..head]), len(&old[old.len() - tail..]));
    let (range, text) = (range.start + head..range.end - tail, &text[head..text.len() - tail]);
    (!range.is_empty() || !text.is_empty()).then_some((range, text))
}

/// The old lines that a change touches.
fn lines(before: &Text, (range, text): &Pair<'_>) -> Range<usize> {
    let starts_line = |offset: usize| before.line_to_byte(before.byte_to_line(offset)) == offset;
    let first = before.byte_to_line(range.start);
    let last = before.byte_to_line(range.end);
    let whole = text.ends_with(['\n', '\r']) || (text.is_empty() && starts_line(range.start));
    if whole && starts_line(range.end) { first..last } else { first..last + 1 }
}

/// Each new line with the old line in its place, and what is left over with the last. Text typed
/// between two new lines is then between the two old ones when those come back. Lines that are
/// equal were not changed.
fn pairs<'a>(removed: &str, (range, text): Pair<'a>) -> Vec<Pair<'a>> {
    let (old, new) = (split_lines(removed), split_lines(text));
    let alone = old.len().min(new.len()).clamp(1, PAIRS) - 1;
    let mut pairs = Vec::with_capacity(alone + 1);
    let (mut old_at, mut new_at) = (0, 0);
    for (old_line, new_line) in old.iter().zip(&new).take(alone) {
        let (old_end, new_end) = (old_at + old_line.len(), new_at + new_line.len());
        if old_line != new_line {
            pairs.push((range.start + old_at..range.start + old_end, &text[new_at..new_end]));
        }
        (old_at, new_at) = (old_end, new_end);
    }
    pairs.push((range.start + old_at..range.end, &text[new_at..]));
    pairs
}
