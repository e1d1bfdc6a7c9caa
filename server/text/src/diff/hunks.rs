//! Differences for people: hunks of lines, the unified format, and a count.

use std::fmt::Write;
use std::ops::Range;

use similar::{DiffOp, group_diff_ops};

use super::lines;

/// A run of changed lines with the unchanged ones around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffHunk {
    /// The first line of the old text, counted from one; with no old lines, the line it stands at.
    pub old_start: usize,
    pub old_lines: usize,
    pub new_start: usize,
    pub new_lines: usize,
    /// Each line after a blank, `-` or `+`, and without its `\n`; a `\r` stays visible to those
    /// who look for it. A line without any terminator is followed by the customary remark.
    pub lines: Vec<String>,
}

const NO_NEWLINE: &str = "\\ No newline at end of file";

/// The changes between two texts with up to `context` unchanged lines around each.
pub fn hunks(old: &str, new: &str, context: usize) -> Vec<DiffHunk> {
    let (old, new) = (lines::split(old), lines::split(new));
    let ops = lines::compare(&old, &new);
    group_diff_ops(ops, context).iter().filter_map(|group| hunk(group, &old, &new)).collect()
}

/// The changes in the unified format, without the two lines that name the files.
pub fn unified(old: &str, new: &str, context: usize) -> String {
    let mut text = String::new();
    for hunk in hunks(old, new, context) {
        let old = header(hunk.old_start, hunk.old_lines);
        let new = header(hunk.new_start, hunk.new_lines);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "@@ -{old} +{new} @@");
        for line in hunk.lines {
            text.push_str(&line);
            text.push('\n');
        }
    }
    text
}

/// How many lines were added and how many removed.
pub fn stat(old: &str, new: &str) -> (usize, usize) {
    let (head, tail) = lines::common_ends(old, new);
    let old = lines::split(&old[head..old.len() - tail]);
    let new = lines::split(&new[head..new.len() - tail]);
    let changed = lines::compare(&old, &new).into_iter();
    changed.filter(|op| !matches!(op, DiffOp::Equal { .. })).fold((0, 0), |(added, removed), op| {
        (added + op.new_range().len(), removed + op.old_range().len())
    })
}

/// The format names the line in front where a side has no lines.
fn header(start: usize, count: usize) -> String {
    let start = if count == 0 { start.saturating_sub(1) } else { start };
    format!("{start},{count}")
}

fn hunk(group: &[DiffOp], old: &[&str], new: &[&str]) -> Option<DiffHunk> {
    let (first, last) = (group.first()?, group.last()?);
    let mut shown = Vec::new();
    for op in group {
        if matches!(op, DiffOp::Equal { .. }) {
            show(&mut shown, ' ', old, op.old_range());
        } else {
            show(&mut shown, '-', old, op.old_range());
            show(&mut shown, '+', new, op.new_range());
        }
    }
    Some(DiffHunk {
        old_start: first.old_range().start + 1,
        old_lines: last.old_range().end - first.old_range().start,
        new_start: first.new_range().start + 1,
        new_lines: last.new_range().end - first.new_range().start,
        lines: shown,
    })
}

fn show(shown: &mut Vec<String>, sign: char, lines: &[&str], range: Range<usize>) {
    for line in &lines[range] {
        let content = line.strip_suffix('\n').unwrap_or(line);
        shown.push(format!("{sign}{content}"));
        if !line.ends_with(['\n', '\r']) {
            shown.push(NO_NEWLINE.to_owned());
        }
    }
}
