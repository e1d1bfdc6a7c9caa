//! Changes that wait for a review, and what a rewind would do: places, counts, rows.

use protocol::review::Hunk;
use protocol::session::{RewindConflict, RewoundFile, SessionRewindResult};

use super::line::Line;
use super::safe::strict;
use super::{path_of, theme};

/// The lines of a hunk's new text in its file, counted from one: `12` or `12-14`.
pub(crate) fn lines(hunk: &Hunk) -> String {
    let (start, end) = (hunk.range.start, hunk.range.end);
    let first = u64::from(start.line) + 1;
    // A range that ends at the start of a line ends with the line before.
    let last = u64::from(end.line) + u64::from(end.character > 0);
    if last > first { format!("{first}-{last}") } else { first.to_string() }
}

/// `src/main.rs:12-14`.
pub(crate) fn place(hunk: &Hunk, cwd: &str) -> String {
    format!("{}:{}", path_of(&hunk.uri, cwd), lines(hunk))
}

/// `1 change`, `3 changes`.
pub(crate) fn counted(count: usize, thing: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{plural}")
}

/// The files that a rewind changes, a row each.
pub(crate) fn file_rows(result: &SessionRewindResult, cwd: &str) -> Vec<Line> {
    let row = |file: &RewoundFile| {
        Line::styled(strict(&path_of(&file.uri, cwd)), theme::BOLD)
            .with(format!(" {} ", strict(file.change.as_str())), theme::DIM)
            .with(format!("+{}", file.added_lines), theme::ADDED)
            .with(format!(" −{}", file.removed_lines), theme::REMOVED)
    };
    result.files.iter().map(row).collect()
}

/// The places that a rewind leaves alone, a row each.
pub(crate) fn conflict_rows(result: &SessionRewindResult, cwd: &str) -> Vec<Line> {
    let row = |conflict: &RewindConflict| {
        let line = conflict.range.map(|range| format!(":{}", u64::from(range.start.line) + 1));
        let place = format!("{}{}", path_of(&conflict.uri, cwd), line.unwrap_or_default());
        let text = format!("{}: {}", strict(&place), strict(&conflict.reason));
        Line::styled(text, theme::WARN)
    };
    result.conflicts.iter().map(row).collect()
}

/// The same in a few words: `2 files (+3 −1), 4 changes taken back, 1 conflict`.
pub(crate) fn rewind_summary(result: &SessionRewindResult) -> String {
    let added: u64 = result.files.iter().map(|file| u64::from(file.added_lines)).sum();
    let removed: u64 = result.files.iter().map(|file| u64::from(file.removed_lines)).sum();
    let mut parts = Vec::new();
    if result.files.is_empty() {
        parts.push("no file changes".to_owned());
    } else {
        parts.push(format!("{} (+{added} −{removed})", counted(result.files.len(), "file")));
    }
    if !result.hunks.is_empty() {
        parts.push(format!("{} taken back", counted(result.hunks.len(), "change")));
    }
    if !result.conflicts.is_empty() {
        parts.push(counted(result.conflicts.len(), "conflict"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use protocol::lsp::{Position, Range};
    use protocol::session::RewindChange;

    use super::super::line::plain_text;
    use super::*;
    use crate::state::changes::tests::hunk;

    #[test]
    fn places_count_from_one() {
        for (line, new, expect) in
            [(0, "a\n", "a.rs:1"), (11, "a\nb\nc\n", "a.rs:12-14"), (11, "", "a.rs:12")]
        {
            assert_eq!(place(&hunk("h", "a.rs", line, "old\n", new), "/w"), expect);
        }
        let mut inside = hunk("h", "a.rs", 4, "", "x");
        inside.range.end = Position { line: 5, character: 3 };
        assert_eq!(lines(&inside), "5-6");
    }

    #[test]
    fn a_rewind_in_rows_and_in_a_few_words() {
        let file = |name: &str, change, added_lines, removed_lines| RewoundFile {
            uri: format!("file:///w/{name}"),
            version: None,
            change,
            added_lines,
            removed_lines,
        };
        let conflict = |name: &str, range| RewindConflict {
            uri: format!("file:///w/{name}"),
            version: None,
            range,
            reason: "you have changed the same lines since".into(),
        };
        let at = Position { line: 6, character: 0 };
        let result = SessionRewindResult {
            files: vec![
                file("src/a.rs", RewindChange::Restored, 3, 1),
                file("new.rs", RewindChange::Deleted, 0, 20),
            ],
            hunks: vec![hunk("h", "a.rs", 0, "", "x\n")],
            conflicts: vec![conflict("b.rs", Some(Range { start: at, end: at }))],
            undo_token: None,
        };
        let mut text = plain_text(&file_rows(&result, "/w"));
        text.push_str(&plain_text(&conflict_rows(&result, "/w")));
        text.push_str(&rewind_summary(&result));
        expect![[r#"
            src/a.rs restored +3 −1
            new.rs deleted +0 −20
            b.rs:7: you have changed the same lines since
            2 files (+3 −21), 1 change taken back, 1 conflict"#]]
        .assert_eq(&text);
        assert_eq!(rewind_summary(&SessionRewindResult::default()), "no file changes");
    }
}
