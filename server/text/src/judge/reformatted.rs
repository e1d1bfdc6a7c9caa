//! Whether two texts say the same, as far as a formatter is concerned.

use crate::quote::is_quote;
use crate::text::Text;

use super::middle::{common_ends, slice};

/// Whether the texts are equal without blanks, ends of lines, trailing commas and quote styles.
pub(super) fn say_the_same(one: &Text, other: &Text) -> bool {
    let (head, tail) = common_ends(one, other);
    // What a comma means is known only at the next sign, so one of the common end is read as well.
    let rest = slice(one, one.len_bytes() - tail..one.len_bytes());
    let next = rest.char_indices().find(|(_, c)| !c.is_whitespace());
    let tail = tail - next.map_or(0, |(at, c)| at + c.len_utf8());
    let middle = |text| slice(text, head..text.len_bytes() - tail);
    significant(&middle(one)).eq(significant(&middle(other)))
}

/// The characters that a formatter leaves alone.
fn significant(text: &str) -> impl Iterator<Item = char> {
    let mut chars = text.chars().filter(|c| !c.is_whitespace()).peekable();
    std::iter::from_fn(move || {
        loop {
            let c = chars.next()?;
            match (c, chars.peek()) {
                (',', Some(')' | ']' | '}' | '>')) => {}
                ('\\', Some(next)) if any_quote(*next) => {}
                (c, _) if any_quote(c) => return Some('"'),
                (c, _) => return Some(c),
            }
        }
    })
}

/// Formatters change single quotes to double ones.
fn any_quote(c: char) -> bool {
    is_quote(c) || c == '`'
}
