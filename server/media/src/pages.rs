//! Which pages of a document are meant.

use std::ops::RangeInclusive;

/// At most so many at once.
pub const MOST: u32 = 20;
/// A document with so many is read whole when nobody names pages.
pub const WHOLE: u32 = 10;

/// The pages that were asked for, of so many: `3`, `1-5` or `7-`. The error is a sentence that says
/// what can be asked for.
pub fn choose(asked: Option<&str>, total: u32) -> Result<RangeInclusive<u32>, String> {
    let Some(asked) = asked.map(str::trim).filter(|asked| !asked.is_empty()) else {
        if total > WHOLE {
            return Err(format!(
                "The document has {total} pages. Say which of them with `pages`, for example \
                 \"1-{MOST}\"; at most {MOST} at once."
            ));
        }
        return Ok(1..=total);
    };
    let Some((first, last)) = range(asked) else {
        return Err(format!("{asked:?} are no pages. Write one like \"3\", or some like \"1-5\"."));
    };
    if first > total {
        return Err(format!("The document has {total} pages; there is no page {first}."));
    }
    let last = last.unwrap_or(total).min(total);
    let count = last - first + 1;
    if count > MOST {
        return Err(format!(
            "{count} pages are too many for one call. Ask for at most {MOST}, for example \
             \"{first}-{}\".",
            first + MOST - 1
        ));
    }
    Ok(first..=last)
}

/// First and last page, counted from one; without a last one, to the end.
fn range(text: &str) -> Option<(u32, Option<u32>)> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|page| *page > 0);
    let Some((first, last)) = text.split_once(['-', '–']) else {
        let page = number(text)?;
        return Some((page, Some(page)));
    };
    let first = number(first)?;
    match last.trim() {
        "" => Some((first, None)),
        last => Some((first, Some(number(last).filter(|last| *last >= first)?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pages_that_can_be_had() {
        let check = |asked: Option<&str>, total, expect| {
            assert_eq!(choose(asked, total), Ok(expect), "{asked:?} of {total}");
        };
        check(None, 10, 1..=10);
        check(Some(""), 3, 1..=3);
        check(Some("3"), 12, 3..=3);
        check(Some(" 1 - 5 "), 12, 1..=5);
        check(Some("1–5"), 12, 1..=5);
        check(Some("10-99"), 12, 10..=12);
        check(Some("7-"), 12, 7..=12);
        check(Some("1-20"), 500, 1..=20);
    }

    #[test]
    fn pages_that_cannot() {
        let check = |asked: Option<&str>, total, expect: &str| {
            let problem = choose(asked, total).unwrap_err();
            assert!(problem.contains(expect), "{asked:?} of {total}: {problem}");
        };
        check(None, 11, "has 11 pages. Say which of them with `pages`, for example \"1-20\"");
        check(Some("13"), 12, "has 12 pages; there is no page 13");
        check(Some("5-25"), 99, "21 pages are too many for one call. Ask for at most 20");
        check(Some("5-"), 99, "for example \"5-24\"");
        for odd in ["0", "5-3", "a", "1,2", "-3", "1-2-3", "99999999999"] {
            check(Some(odd), 12, "are no pages");
        }
    }

    proptest! {
        #[test]
        fn whatever_is_asked_what_is_chosen_exists(
            asked in "[ 0-9–-]{0,12}",
            total in 1..5_000_u32,
        ) {
            if let Ok(pages) = choose(Some(&asked), total) {
                prop_assert!(*pages.start() >= 1 && *pages.end() <= total);
                prop_assert!(pages.start() <= pages.end());
                prop_assert!(pages.end() - pages.start() < MOST);
            }
        }
    }
}
