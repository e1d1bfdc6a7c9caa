//! Common lines that are unmistakable, for texts too big to compare as a whole.

use std::collections::HashMap;

#[derive(Clone, Copy, Default)]
enum Seen {
    #[default]
    Never,
    Once(usize),
    Often,
}

impl Seen {
    fn again(self, at: usize) -> Seen {
        match self {
            Seen::Never => Seen::Once(at),
            Seen::Once(_) | Seen::Often => Seen::Often,
        }
    }
}

/// Pairs of old and new line numbers, both rising: the longest run of lines in the same order that
/// each text has exactly once.
pub(super) fn anchors(old: &[&str], new: &[&str]) -> Vec<(usize, usize)> {
    let mut seen: HashMap<&str, (Seen, Seen)> = HashMap::with_capacity(old.len());
    for (at, line) in old.iter().enumerate() {
        let entry = seen.entry(line).or_default();
        entry.0 = entry.0.again(at);
    }
    for (at, line) in new.iter().enumerate() {
        // A line that only the new text has cannot be an anchor.
        if let Some(entry) = seen.get_mut(line) {
            entry.1 = entry.1.again(at);
        }
    }
    let pairs = old.iter().filter_map(|line| match seen.get(line) {
        Some((Seen::Once(old), Seen::Once(new))) => Some((*old, *new)),
        _ => None,
    });
    longest_rising(&pairs.collect::<Vec<_>>())
}

/// The longest selection of pairs, sorted by their first half, whose second half rises as well.
fn longest_rising(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length of a run, the pair that ends it lowest; and for each pair, the one before.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| pairs[*end].1 < *new);
        before.push(length.checked_sub(1).map(|shorter| ends[shorter]));
        if length == ends.len() {
            ends.push(at);
        } else {
            ends[length] = at;
        }
    }
    let last = ends.last().copied();
    let mut run: Vec<_> =
        std::iter::successors(last, |at| before[*at]).map(|at| pairs[at]).collect();
    run.reverse();
    run
}
