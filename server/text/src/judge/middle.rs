//! The part of two texts that has to be looked at.

use std::borrow::Cow;
use std::ops::Range;

use crate::diff::{common_prefix, common_suffix};
use crate::edit::{Edit, Splice};
use crate::text::Text;

/// How far the middle reaches into what both texts have in common.
pub(super) const MARGIN: usize = 64 * 1024;

/// Two texts without most of what they have in common at both ends and an edit leaves alone.
pub(super) struct Middle<'a> {
    pub(super) before: Cow<'a, str>,
    pub(super) now: Cow<'a, str>,
    /// The first byte that differs.
    pub(super) head: usize,
    /// Where the middle starts in both texts.
    start: usize,
    splices: &'a [Splice],
}

impl<'a> Middle<'a> {
    pub(super) fn of(before: &'a Text, edit: &'a Edit, now: &'a Text) -> Middle<'a> {
        let splices = edit.splices();
        let (head, tail) = common_ends(before, now);
        let first = splices.first().map_or(head, |splice| splice.range.start);
        let last = splices.last().map_or(0, |splice| splice.range.end);
        // A change can start or end with text that is there already, and so seem to be shorter.
        let longest = splices.iter().map(|splice| splice.range.len().max(splice.text.len()));
        let margin = longest.max().unwrap_or(0) + MARGIN;
        let whole = |at: &usize| before.char_at(*at).is_some();
        let start = (0..=head.min(first).saturating_sub(margin)).rev().find(whole).unwrap_or(0);
        let end = (before.len_bytes() - tail).max(last).saturating_add(margin);
        let end = (end..before.len_bytes()).find(whole).unwrap_or(before.len_bytes());
        let rest = before.len_bytes() - end;
        let part = |text: &'a Text| slice(text, start..text.len_bytes() - rest);
        Middle { before: part(before), now: part(now), head, start, splices }
    }

    /// The splices of the edit, with their place in the middle of the text before it.
    pub(super) fn splices(&self) -> impl Iterator<Item = (Range<usize>, &'a str)> {
        let start = self.start;
        self.splices.iter().map(move |splice| {
            (splice.range.start - start..splice.range.end - start, splice.text.as_str())
        })
    }
}

/// The text of a range that is known to be good.
pub(super) fn slice(text: &Text, range: Range<usize>) -> Cow<'_, str> {
    text.slice(range).unwrap_or_default()
}

/// How many bytes two texts have in common in front and at the end; no character is cut.
pub fn common_ends(one: &Text, other: &Text) -> (usize, usize) {
    let shorter = one.len_bytes().min(other.len_bytes());
    let (ones, others) = (one.rope().chunks(), other.rope().chunks());
    let mut head = common(ones, others, common_prefix, |piece, count| &piece[count..]);
    // The bytes in front are the same, so both texts have the same boundaries up to here.
    while one.char_at(head).is_none() {
        head -= 1;
    }
    let (ones, others) = (backwards(one), backwards(other));
    let tail = common(ones, others, common_suffix, |piece, count| &piece[..piece.len() - count]);
    let mut tail = tail.min(shorter - head);
    while !ends_whole(one, tail) || !ends_whole(other, tail) {
        tail -= 1;
    }
    (head, tail)
}

/// The pieces of a text, the last one first.
fn backwards(text: &Text) -> impl Iterator<Item = &str> {
    text.rope().chunks_at_byte(text.len_bytes()).0.reversed()
}

fn ends_whole(text: &Text, tail: usize) -> bool {
    text.char_at(text.len_bytes() - tail).is_some()
}

/// How many bytes two sequences of pieces have in common, seen from where they start.
fn common<'a>(
    mut ones: impl Iterator<Item = &'a str>,
    mut others: impl Iterator<Item = &'a str>,
    same: fn(&[u8], &[u8]) -> usize,
    rest: fn(&[u8], usize) -> &[u8],
) -> usize {
    let (mut one, mut other): (&[u8], &[u8]) = (&[], &[]);
    let mut total = 0;
    loop {
        while one.is_empty() {
            let Some(piece) = ones.next() else { return total };
            one = piece.as_bytes();
        }
        while other.is_empty() {
            let Some(piece) = others.next() else { return total };
            other = piece.as_bytes();
        }
        let count = same(one, other);
        total += count;
        (one, other) = (rest(one, count), rest(other, count));
        if !one.is_empty() && !other.is_empty() {
            return total;
        }
    }
}
