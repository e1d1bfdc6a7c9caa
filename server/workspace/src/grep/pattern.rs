//! From the words of a query to a matcher, or to a sentence that says what is wrong with them.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use super::Query;

/// A pattern nothing can be searched with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("the pattern is empty; say what to search for")]
    Empty,
    #[error(
        "the pattern {pattern:?} is not a regular expression: {reason}{}; escape what is meant \
         literally, such as \\( \\{{ \\[",
        at(*column)
    )]
    Syntax {
        pattern: String,
        reason: String,
        /// Counted in characters from one.
        column: Option<usize>,
    },
    #[error("the pattern {pattern:?} contains a line break; set multiline to search across lines")]
    LineBreak { pattern: String },
    #[error("the pattern is too large ({reason}); search for less at once")]
    TooLarge { reason: String },
}

fn at(column: Option<usize>) -> String {
    column.map(|column| format!(" at character {column}")).unwrap_or_default()
}

pub(super) fn compile(query: &Query) -> Result<RegexMatcher, PatternError> {
    if query.pattern.is_empty() {
        return Err(PatternError::Empty);
    }
    let mut builder = RegexMatcherBuilder::new();
    builder.multi_line(true).case_insensitive(query.case_insensitive);
    if query.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|error| {
        let pattern = query.pattern.clone();
        match error.kind() {
            ErrorKind::NotAllowed(_) => PatternError::LineBreak { pattern },
            ErrorKind::Regex(report) => describe(pattern, report),
            _ => PatternError::Syntax { pattern, reason: error.to_string(), column: None },
        }
    })
}

/// The library draws the pattern with a mark below the bad place, indented, and says the reason in
/// the last line.
fn describe(pattern: String, report: &str) -> PatternError {
    let reason = report.lines().last().unwrap_or(report);
    let reason = reason.trim_start_matches("error: ").to_owned();
    if report.contains("size limit") {
        return PatternError::TooLarge { reason };
    }
    let one_line = !pattern.contains('\n');
    let mark =
        report.lines().find(|line| !line.is_empty() && line.trim_matches([' ', '^']).is_empty());
    let column = mark.filter(|_| one_line).and_then(|mark| mark.find('^'));
    PatternError::Syntax { pattern, reason, column: column.map(|column| column.saturating_sub(3)) }
}
