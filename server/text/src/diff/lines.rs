//! Lines as pieces to compare.

use std::ops::Range;

use similar::{Algorithm, DiffOp, capture_diff};

use super::anchors::anchors;
use super::budget::Budget;

/// So many lines on each side are compared as a whole. Of a bigger text only the parts between
/// anchors are, while the budget lasts; the rest counts as replaced.
const LINES_COMPARED: usize = 15_000;

/// The lines of a text with their terminators. An empty text has none.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\r']) {
        let width = if rest[at..].starts_with("\r\n") { 2 } else { 1 };
        let (line, tail) = rest.split_at(at + width);
        lines.push(line);
        rest = tail;
    }
    if !rest.is_empty() {
        lines.push(rest);
    }
    lines
}

/// What became of each line, in order and without two neighbours that are both equal.
pub(crate) fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let head = old.iter().zip(new).take_while(|(old, new)| old == new).count();
    let (old_rest, new_rest) = (&old[head..], &new[head..]);
    let tail = old_rest.iter().rev().zip(new_rest.iter().rev());
    let tail = tail.take_while(|(old, new)| old == new).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);

    let mut search = Search::new(old, new);
    search.equal(head);
    if !search.budget.allows(old_end - head, new_end - head) {
        for (old_at, new_at) in anchors(&old[head..old_end], &new[head..new_end]) {
            search.compare_until(head + old_at, head + new_at);
            search.equal(1);
        }
    }
    search.compare_until(old_end, new_end);
    search.equal(tail);
    search.ops
}

/// A comparison on its way from front to back.
struct Search<'a> {
    old: &'a [&'a str],
    new: &'a [&'a str],
    old_at: usize,
    new_at: usize,
    budget: Budget,
    ops: Vec<DiffOp>,
}

impl<'a> Search<'a> {
    fn new(old: &'a [&'a str], new: &'a [&'a str]) -> Search<'a> {
        let budget = Budget::for_pieces(LINES_COMPARED);
        Search { old, new, old_at: 0, new_at: 0, budget, ops: Vec::new() }
    }

    fn equal(&mut self, count: usize) {
        let op = DiffOp::Equal { old_index: self.old_at, new_index: self.new_at, len: count };
        self.push(op);
        self.old_at += count;
        self.new_at += count;
    }

    fn compare_until(&mut self, old_end: usize, new_end: usize) {
        let (old, new) = (self.old_at..old_end, self.new_at..new_end);
        let one_sided = old.is_empty() || new.is_empty();
        if one_sided || !self.budget.spend(old.len(), new.len()) {
            self.push(replaced(&old, &new));
        } else {
            for op in capture_diff(Algorithm::Myers, self.old, old, self.new, new) {
                self.push(op);
            }
        }
        (self.old_at, self.new_at) = (old_end, new_end);
    }

    fn push(&mut self, op: DiffOp) {
        if op.old_range().is_empty() && op.new_range().is_empty() {
            return;
        }
        if let DiffOp::Equal { len: more, .. } = op
            && let Some(DiffOp::Equal { len, .. }) = self.ops.last_mut()
        {
            *len += more;
            return;
        }
        self.ops.push(op);
    }
}

fn replaced(old: &Range<usize>, new: &Range<usize>) -> DiffOp {
    let (old_index, old_len, new_index, new_len) = (old.start, old.len(), new.start, new.len());
    if new.is_empty() {
        DiffOp::Delete { old_index, old_len, new_index }
    } else if old.is_empty() {
        DiffOp::Insert { old_index, new_index, new_len }
    } else {
        DiffOp::Replace { old_index, old_len, new_index, new_len }
    }
}

/// How many bytes of whole lines the two texts have in common in front and at the end.
pub(super) fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let (old_bytes, new_bytes) = (old.as_bytes(), new.as_bytes());
    let shorter = old.len().min(new.len());
    let mut head = common_prefix(old_bytes, new_bytes);
    while head > 0 && !(starts_line(old_bytes, head) && starts_line(new_bytes, head)) {
        head -= 1;
    }
    let mut tail = common_suffix(old_bytes, new_bytes).min(shorter - head);
    while tail > 0
        && !(starts_line(old_bytes, old.len() - tail) && starts_line(new_bytes, new.len() - tail))
    {
        tail -= 1;
    }
    (head, tail)
}

fn starts_line(bytes: &[u8], offset: usize) -> bool {
    match offset.checked_sub(1).and_then(|before| bytes.get(before)) {
        None | Some(b'\n') => true,
        Some(b'\r') => bytes.get(offset) != Some(&b'\n'),
        Some(_) => false,
    }
}

/// So many bytes are compared at once, which is many times faster than one by one.
const BLOCK: usize = 64;

pub(crate) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks_exact(BLOCK).zip(other.chunks_exact(BLOCK));
    let equal = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let rest = one[equal..].iter().zip(&other[equal..]);
    equal + rest.take_while(|(one, other)| one == other).count()
}

pub(crate) fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks_exact(BLOCK).zip(other.rchunks_exact(BLOCK));
    let equal = blocks.take_while(|(one, other)| one == other).count() * BLOCK;
    let (one, other) = (&one[..one.len() - equal], &other[..other.len() - equal]);
    let rest = one.iter().rev().zip(other.iter().rev());
    equal + rest.take_while(|(one, other)| one == other).count()
}
