//! Lines as pieces to compare.

use similar::{Algorithm, DiffOp, capture_diff_slices};

/// The lines of a text with their terminators. An empty text has none.
pub(super) fn split(text: &str) -> Vec<&str> {
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

/// What became of each line. The search gives up exactness when it becomes expensive.
pub(super) fn compare(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
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

pub(super) fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

pub(super) fn common_suffix(one: &[u8], other: &[u8]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
}
