//! Quotation marks that differ in style and not in meaning.

/// The straight form of a curly quotation mark; every other character as it is.
pub(crate) fn straight(c: char) -> char {
    match c {
        '\u{2018}'..='\u{201b}' => '\'',
        '\u{201c}'..='\u{201f}' => '"',
        c => c,
    }
}

/// Whether this is a single or a double quotation mark of any style.
pub(crate) fn is_quote(c: char) -> bool {
    matches!(straight(c), '\'' | '"')
}
