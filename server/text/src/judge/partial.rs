//! Whether some of the splices are in, and which number of them.

use std::cmp::Reverse;

use super::Middle;

/// So many ways to read a repetitive text are followed at once; beyond it, nothing is claimed.
const WAYS: usize = 64;

/// A way to read the text so far: how much of it, and with how many splices in.
type Way = (usize, usize);

/// How many splices are in, if leaving out the others explains the text.
pub(super) fn splices_found(middle: &Middle<'_>) -> Option<usize> {
    let (before, now) = (middle.before.as_bytes(), middle.now.as_bytes());
    let mut ways: Vec<Way> = vec![(0, 0)];
    let mut passed = 0;
    for (range, text) in middle.splices() {
        let (kept, removed) = (&before[passed..range.start], &before[range.clone()]);
        let mut next = Vec::with_capacity(ways.len() * 2);
        for (at, count) in ways {
            let Some(at) = read(now, at, kept) else { continue };
            next.extend(read(now, at, text.as_bytes()).map(|at| (at, count + 1)));
            next.extend(read(now, at, removed).map(|at| (at, count)));
        }
        // Two ways to the same place have read the same text, so one is enough.
        next.sort_unstable_by_key(|(at, count)| (*at, Reverse(*count)));
        next.dedup_by_key(|(at, _)| *at);
        if next.len() > WAYS {
            return None;
        }
        ways = next;
        passed = range.end;
    }
    let rest = &before[passed..];
    ways.into_iter().find(|(at, _)| now[*at..] == *rest).map(|(_, count)| count)
}

fn read(text: &[u8], at: usize, expected: &[u8]) -> Option<usize> {
    text[at..].starts_with(expected).then_some(at + expected.len())
}
