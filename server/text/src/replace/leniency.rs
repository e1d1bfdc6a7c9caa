//! What a search was allowed to overlook.

use std::fmt;

/// What a search overlooked to find its place. The weakest comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Leniency {
    TrailingBlanks,
    Quotes,
    Indentation,
}

impl fmt::Display for Leniency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Leniency::TrailingBlanks => {
                "the text in the file has other blanks or breaks at the ends of lines than the text \
                 to replace; lines that did not change keep theirs"
            }
            Leniency::Quotes => {
                "the text in the file has quotation marks of another style than the text to \
                 replace; those that did not change keep theirs"
            }
            Leniency::Indentation => {
                "the text in the file is indented in another way than the text to replace; the new \
                 text was indented like the file"
            }
        })
    }
}
