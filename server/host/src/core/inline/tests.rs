//! Which key strokes stop an inline edit, and where the others move it.

use text::Splice;

use super::*;

const TEXT: &str = "one\ntwo\nthree\n";

fn uri() -> DocumentUri {
    DocumentUri::new("file:///a.txt")
}

fn begun(range: Range<usize>) -> (InlineEdits, Stop) {
    let (mut edits, stop) = (InlineEdits::default(), Stop::default());
    let place = Place::new(uri(), range, &Text::from(TEXT));
    edits.start("e1".into(), Some(place), stop.clone());
    (edits, stop)
}

fn typed(range: Range<usize>, new: &str) -> Edit {
    Edit::new(TEXT.len(), vec![Splice::new(range, new)]).unwrap()
}

/// Whether typing over `at` stops an edit of `range`.
fn check(range: Range<usize>, at: Range<usize>, stops: bool) {
    let (mut edits, stop) = begun(range.clone());
    edits.changed(&uri(), &typed(at.clone(), "x"));
    assert_eq!(stop.is_wanted(), stops, "{range:?} {at:?}");
}

#[test]
fn a_key_stroke_in_the_range_stops_it() {
    // "two" without its line break.
    check(4..7, 4..4, true);
    check(4..7, 5..5, true);
    check(4..7, 7..7, true);
    check(4..7, 3..5, true);
    check(4..7, 6..9, true);
    check(4..7, 0..14, true);
    check(4..7, 3..3, false);
    check(4..7, 3..4, false);
    check(4..7, 7..8, false);
    check(4..7, 8..8, false);
}

#[test]
fn behind_whole_lines_another_line_begins() {
    check(4..8, 7..7, true);
    check(4..8, 8..8, false);
    check(4..8, 8..9, false);
}

#[test]
fn a_caret_is_touched_from_both_sides() {
    check(4..4, 4..4, true);
    check(4..4, 3..4, true);
    check(4..4, 4..5, true);
    check(4..4, 3..3, false);
    check(4..4, 5..5, false);
}

#[test]
fn typing_elsewhere_moves_it() {
    let (mut edits, stop) = begun(8..13);
    edits.changed(&uri(), &typed(0..3, "a longer first line"));
    assert!(!stop.is_wanted());
    // Now it is sixteen bytes further on.
    let len = TEXT.len() + 16;
    let at = |at: usize| Edit::new(len, vec![Splice::new(at..at, "x")]).unwrap();
    edits.changed(&DocumentUri::new("file:///b.txt"), &at(25));
    assert!(!stop.is_wanted());
    edits.changed(&uri(), &at(25));
    assert!(stop.is_wanted());
    assert_eq!(stop.why(), TYPED);
}

#[test]
fn it_lands_once_and_not_after_a_stop() {
    let (mut edits, _stop) = begun(4..7);
    assert!(edits.land("e1") && !edits.land("e1"));
    let (mut edits, stop) = begun(4..7);
    assert!(edits.stop("e1", "Rejected.") && !edits.stop("e1", "again"));
    assert!(!edits.land("e1") && stop.why() == "Rejected.");
    let (mut edits, stop) = begun(4..7);
    edits.reset(&uri());
    assert!(stop.is_wanted() && !edits.land("e1"));
}

#[test]
fn what_nobody_works_on_is_forgotten() {
    let (mut edits, stop) = begun(4..7);
    drop(stop);
    edits.changed(&uri(), &typed(0..0, "x"));
    assert!(edits.running.is_empty());
}
