//! Texts and edits as property tests want them: every kind of line end, characters of one to four
//! bytes, marks that join, breaks that are no line ends, texts longer than one piece of a rope.

use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::{Edit, Splice};

const PIECES: &[&str] = &[
    "\n",
    "\n",
    "\r\n",
    "\r\n",
    "\r",
    "\n\r",
    "\r\r\n",
    "a",
    "b",
    " ",
    "    ",
    "\t",
    "é",
    "e\u{301}",
    "ß",
    "漢字",
    "😀",
    "👩\u{200d}👩\u{200d}👧",
    "\u{10ffff}",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\u{feff}",
    "word",
    "let x = 1;",
    "fn main() {",
    "}",
];

fn pieces(count: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    prop::collection::vec(select(PIECES), count).prop_map(|pieces| pieces.concat())
}

/// A short text, often empty or without a final line end.
pub(crate) fn text() -> impl Strategy<Value = String> {
    pieces(0..30)
}

/// A text of many pieces of a rope.
pub(crate) fn long_text() -> impl Strategy<Value = String> {
    prop_oneof![text(), pieces(400..1500)]
}

fn inserted() -> impl Strategy<Value = String> {
    prop_oneof![Just(String::new()), pieces(1..4), pieces(0..12)]
}

/// A splice that waits for a text: two places, whether it only inserts, and what.
pub(crate) type Wish = (Index, Index, bool, String);

pub(crate) fn wishes(count: usize) -> impl Strategy<Value = Vec<Wish>> {
    prop::collection::vec((any::<Index>(), any::<Index>(), any::<bool>(), inserted()), 0..count)
}

/// Splices for a text that are in order and do not overlap, but may touch.
pub(crate) fn granted(text: &str, wishes: &[Wish]) -> Vec<Splice> {
    let boundaries: Vec<usize> =
        (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)).collect();
    let mut places: Vec<usize> = wishes
        .iter()
        .flat_map(|(start, end, ..)| [start, end])
        .map(|index| *index.get(&boundaries))
        .collect();
    places.sort_unstable();
    let ranges = places.chunks(2).map(|pair| pair[0]..pair[1]);
    let splice = |(range, (_, _, insert, text)): (std::ops::Range<usize>, &Wish)| {
        let range = if *insert { range.start..range.start } else { range };
        Splice::new(range, text.as_str())
    };
    ranges.zip(wishes).map(splice).collect()
}

fn splices(text: &str, count: usize) -> impl Strategy<Value = Vec<Splice>> + use<> {
    let text = text.to_owned();
    wishes(count).prop_map(move |wishes| granted(&text, &wishes))
}

pub(crate) fn edit_of(text: &str) -> impl Strategy<Value = Edit> + use<> {
    let len = text.len();
    splices(text, 6).prop_map(move |splices| Edit::new(len, splices).unwrap())
}

pub(crate) fn text_and_edit() -> impl Strategy<Value = (String, Edit)> {
    long_text().prop_flat_map(|text| {
        let edit = edit_of(&text);
        (Just(text), edit)
    })
}

/// A text and two edits of it that have nothing to do with each other, and so may collide.
pub(crate) fn text_and_two_edits() -> impl Strategy<Value = (String, Edit, Edit)> {
    long_text().prop_flat_map(|text| {
        let (one, other) = (edit_of(&text), edit_of(&text));
        (Just(text), one, other)
    })
}

/// A text and two edits of it that never touch the same bytes.
pub(crate) fn text_and_disjoint_edits() -> impl Strategy<Value = (String, Edit, Edit)> {
    long_text().prop_flat_map(|text| {
        let len = text.len();
        let shared = splices(&text, 10);
        let owners = prop::collection::vec(any::<bool>(), 10);
        (Just(text), shared, owners).prop_map(move |(text, splices, owners)| {
            let (mut one, mut other) = (Vec::new(), Vec::new());
            for (splice, owner) in splices.into_iter().zip(owners) {
                if owner { one.push(splice) } else { other.push(splice) }
            }
            (text, Edit::new(len, one).unwrap(), Edit::new(len, other).unwrap())
        })
    })
}

/// A text, an edit of it, and an edit of the result.
pub(crate) fn text_and_edits_in_turn() -> impl Strategy<Value = (String, Edit, Edit)> {
    text_and_edit().prop_flat_map(|(text, first)| {
        let then = edit_of(&spliced(&text, &first));
        (Just(text), Just(first), then)
    })
}

/// What an edit makes of a text, found in the simplest way there is.
pub(crate) fn spliced(text: &str, edit: &Edit) -> String {
    let mut result = String::new();
    let mut at = 0;
    for splice in edit.splices() {
        result.push_str(&text[at..splice.range.start]);
        result.push_str(&splice.text);
        at = splice.range.end;
    }
    result + &text[at..]
}

/// The first byte of every line, found in the simplest way there is.
pub(crate) fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends_at = |at: &usize| match bytes[*at] {
        b'\n' => true,
        b'\r' => bytes.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    std::iter::once(0).chain((0..bytes.len()).filter(ends_at).map(|at| at + 1)).collect()
}
