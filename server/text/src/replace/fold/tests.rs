//! Folding as a table, and the way back from every place.

use proptest::prelude::*;

use super::*;
use crate::nasty;

fn overlook(quotes: bool, indentation: bool) -> Overlook {
    Overlook { quotes, indentation }
}

#[test]
fn what_is_left() {
    let check = |text: &str, quotes: bool, indentation: bool, expect: &str| {
        assert_eq!(fold(text, overlook(quotes, indentation)), expect, "{text:?}");
    };
    check("", true, true, "");
    check(" a \t\n\tb\r\n \rc ", false, false, " a\n\tb\n\nc");
    check(" a \t\n\tb\r\n \rc ", false, true, "a\nb\n\nc");
    check("“a” ‘b’ „c‟\n", true, false, "\"a\" 'b' \"c\"\n");
    check("“a”", false, true, "“a”");
}

#[test]
fn the_way_back() {
    let text = "  a “b” \r\n\tc";
    let both = overlook(true, true);
    assert_eq!(fold(text, both), "a \"b\"\nc");
    let check = |range: Range<usize>, expect: &str| {
        let found = unfold(text, both, std::slice::from_ref(&range));
        assert_eq!(found.len(), 1);
        assert_eq!(&text[found[0].clone()], expect, "{range:?}");
    };
    check(0..1, "a");
    check(2..5, "“b”");
    check(5..6, "\r\n");
    check(4..7, "” \r\n\tc");
    check(6..7, "c");
}

proptest! {
    #[test]
    fn every_place_comes_back(text in nasty::text(), quotes in any::<bool>(), indentation in any::<bool>(), width in 1usize..5) {
        let text = text.replace('a', "“").replace('b', "’ ");
        let overlook = overlook(quotes, indentation);
        let folded = fold(&text, overlook);
        prop_assert_eq!(fold(&folded, overlook), folded.as_str());
        let places: Vec<(usize, char)> = folded.char_indices().collect();
        let ranges: Vec<Range<usize>> = places
            .chunks(width)
            .map(|run| run[0].0..run[run.len() - 1].0 + run[run.len() - 1].1.len_utf8())
            // Blanks at the edges would be folded again.
            .filter(|range| folded[range.clone()].trim_matches(BLANKS).len() == range.len())
            .collect();
        let found = unfold(&text, overlook, &ranges);
        prop_assert_eq!(found.len(), ranges.len());
        for (bytes, range) in found.into_iter().zip(ranges) {
            prop_assert_eq!(fold(&text[bytes], overlook), &folded[range]);
        }
    }
}
