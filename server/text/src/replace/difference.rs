//! How lines that were quoted differ from those in the file.

use std::fmt;

use super::indent::indentation;
use crate::quote::straight;

/// A way in which a quoted line can be wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Difference {
    Indentation,
    TrailingBlanks,
    Blanks,
    Quotes,
    Case,
    Words,
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Difference::Indentation => "indentation",
            Difference::TrailingBlanks => "blanks at the end of lines",
            Difference::Blanks => "blanks inside of lines",
            Difference::Quotes => "quotation marks",
            Difference::Case => "upper and lower case",
            Difference::Words => "words",
        })
    }
}

/// What is different, each kind with the index of the first line where it is.
pub(super) fn differences(wanted: &[&str], found: &[&str]) -> Vec<(Difference, usize)> {
    let mut differences: Vec<(Difference, usize)> = Vec::new();
    for (at, (wanted_line, found_line)) in wanted.iter().zip(found).enumerate() {
        let edges = Edges { first: at == 0, last: at + 1 == wanted.len() };
        for difference in edges.compare(wanted_line, found_line) {
            if differences.iter().all(|(known, _)| *known != difference) {
                differences.push((difference, at));
            }
        }
    }
    differences
}

/// Whether a quoted line may be less than a whole one: the first may lack its start, the last its end.
#[derive(Clone, Copy)]
struct Edges {
    first: bool,
    last: bool,
}

impl Edges {
    fn compare(self, wanted: &str, found: &str) -> Vec<Difference> {
        let mut differences = Vec::new();
        if self.covers(wanted, found) {
            return differences;
        }
        let words = self.compare_words(wanted.trim(), found.trim());
        if words == Some(Difference::Words) {
            return vec![Difference::Words];
        }
        let unsaid = self.first && indentation(wanted).is_empty();
        if indentation(wanted) != indentation(found) && !unsaid {
            differences.push(Difference::Indentation);
        }
        differences.extend(words);
        let tail = |line: &str| line.len() - line.trim_end().len();
        if tail(wanted) != tail(found) && !self.last {
            differences.push(Difference::TrailingBlanks);
        }
        differences
    }

    fn compare_words(self, wanted: &str, found: &str) -> Option<Difference> {
        let same = |change: fn(&str) -> String| self.covers(&change(wanted), &change(found));
        if self.covers(wanted, found) {
            None
        } else if same(|line| line.chars().map(straight).collect()) {
            Some(Difference::Quotes)
        } else if same(|line| line.split_whitespace().collect()) {
            Some(Difference::Blanks)
        } else if same(|line| line.to_lowercase()) {
            Some(Difference::Case)
        } else {
            Some(Difference::Words)
        }
    }

    /// Whether the line that was found holds the quoted one where it should.
    fn covers(self, wanted: &str, found: &str) -> bool {
        match (self.first, self.last) {
            (true, true) => found.contains(wanted),
            (true, false) => found.ends_with(wanted),
            (false, true) => found.starts_with(wanted),
            (false, false) => found == wanted,
        }
    }
}
