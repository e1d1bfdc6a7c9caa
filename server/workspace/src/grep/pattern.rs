//! From the words of a query to a matcher, or to a sentence that says what is wrong with them.

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};

use super::Query;

/// The most memory a compiled pattern may take, and the states it remembers while it runs.
const PROGRAM_CAP: usize = 10 * 1024 * 1024;
const STATES_CAP: usize = 64 * 1024 * 1024;

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
    builder.size_limit(PROGRAM_CAP).dfa_size_limit(STATES_CAP);
    if query.multiline {
        builder.dot_matches_new_line(true);
    } else {
        builder.line_terminator(Some(b'\n'));
    }
    builder.build(&query.pattern).map_err(|error| match error.kind() {
        ErrorKind::NotAllowed(_) => PatternError::LineBreak { pattern: query.pattern.clone() },
        _ => describe(&query.pattern, &error.to_string()),
    })
}

/// Says what is wrong with a pattern, and where.
fn describe(pattern: &str, report: &str) -> PatternError {
    // The searcher wraps the pattern before it parses it, so its places are not ours.
    let report = match regex::Regex::new(pattern) {
        Err(regex::Error::Syntax(report)) => report,
        _ => report.to_owned(),
    };
    let reason = report.lines().last().unwrap_or_default();
    let reason = reason.trim_start_matches("error: ").to_owned();
    if report.contains("size limit") {
        return PatternError::TooLarge { reason };
    }
    PatternError::Syntax { pattern: pattern.to_owned(), reason, column: column(pattern, &report) }
}

/// The library draws a pattern of one line, four blanks in, with a mark below the bad place.
fn column(pattern: &str, report: &str) -> Option<usize> {
    let is_mark = |line: &&str| line.contains('^') && line.trim_matches([' ', '^']).is_empty();
    let mark = report.lines().filter(|_| !pattern.contains('\n')).find(is_mark)?;
    Some(mark.find('^')?.saturating_sub(4) + 1)
}
